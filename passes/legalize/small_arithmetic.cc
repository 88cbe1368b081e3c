// SPDX-License-Identifier: Apache-2.0
//
// Operators that another one says in a line.
//
//   Reciprocal (x)   Div (1, x)
//   Xor (x, y)       And (Or (x, y), Not (And (x, y)))
//   NonZero (x)      NonZero (Not (Equal (x, 0)))
//
// Declines an unknown element type, and NonZero of bool, which this comes to.

#include <optional>
#include <string>

#include "passes/legalize/body.h"

namespace onnx_legalize {

std::optional<std::string> ReciprocalByDiv(Body& b) {
  if (b.Type(0) == 0) return "the element type isn't known";
  b.Return({b.Div(b.Typed(1, b.Type(0)), b.In(0))});
  return std::nullopt;
}

std::optional<std::string> XorByAndOr(Body& b) {
  const Ref x = b.In(0), y = b.In(1);
  b.Return(
      {b.Op("And", {b.Op("Or", {x, y}), b.Op("Not", {b.Op("And", {x, y})})})});
  return std::nullopt;
}

std::optional<std::string> NonZeroOfBool(Body& b) {
  const int32_t type = b.Type(0);
  if (type == 0 || type == onnx::TensorProto::BOOL ||
      type == onnx::TensorProto::STRING) {
    return "only numbers are compared with zero";
  }
  const Ref is_zero = b.Op("Equal", {b.In(0), b.Typed(0, type)});
  b.Return({b.Op("NonZero", {b.Op("Not", {is_zero})})});
  return std::nullopt;
}

}  // namespace onnx_legalize
