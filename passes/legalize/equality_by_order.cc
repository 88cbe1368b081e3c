// SPDX-License-Identifier: Apache-2.0
//
// Equal and IsNaN of floats without a kernel, such as double in ONNX Runtime
// 1.4: what is neither less nor greater is equal, unless it is NaN.
//
//   before:  z = Equal (x, y)
//   after:   z = Not (x < y or x > y) and (x < 1 or x > 0) and (y < 1 or y > 0)
//
//   before:  z = IsNaN (x)
//   after:   z = Not (x < 1 or x > 0)
//
// Declines other types than floats.

#include <optional>
#include <string>

#include "passes/legalize/body.h"

namespace onnx_legalize {

using onnx::TensorProto;

namespace {

bool IsFloat(int32_t type) {
  return type == TensorProto::FLOAT || type == TensorProto::DOUBLE ||
         type == TensorProto::FLOAT16 || type == TensorProto::BFLOAT16;
}

Ref Outside(Body& b, const Ref& x, const Ref& low, const Ref& high) {
  return b.Op("Or", {b.Op("Less", {x, low}), b.Op("Greater", {x, high})});
}

// False for NaN, which is neither less nor greater than anything.
Ref IsNumber(Body& b, const Ref& x, int32_t type) {
  return Outside(b, x, b.Typed(1, type), b.Typed(0, type));
}

}  // namespace

std::optional<std::string> EqualByOrder(Body& b) {
  const int32_t type = b.Type(0);
  if (!IsFloat(type)) return "only floats are compared by their order";
  const Ref x = b.In(0), y = b.In(1);
  const Ref numbers = b.Op("And", {IsNumber(b, x, type), IsNumber(b, y, type)});
  b.Return({b.Op("And", {b.Op("Not", {Outside(b, x, y, y)}), numbers})});
  return std::nullopt;
}

std::optional<std::string> IsNanByOrder(Body& b) {
  const int32_t type = b.Type(0);
  if (!IsFloat(type)) return "only floats are compared by their order";
  b.Return({b.Op("Not", {IsNumber(b, b.In(0), type)})});
  return std::nullopt;
}

}  // namespace onnx_legalize
