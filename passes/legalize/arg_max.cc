// SPDX-License-Identifier: Apache-2.0
//
// ArgMax and ArgMin of types that have no kernel: the place of the first (or
// last) element that equals the greatest one.
//
//   before:  y = ArgMax <axis = 1> (x)                  # x: int64
//   after:   m = ReduceMax <axes = [1]> (x)
//            hit = Cast <to = float> (Equal (x, m))
//            y = ArgMax <axis = 1> (hit)
//
// Exact for integers of any size. Declines floats, whose NaN equals nothing,
// and float hits that would come back here.

#include <optional>
#include <string>

#include "ops/exact_cast.h"
#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

std::optional<std::string> PlaceOf(Body& b, const char* reduction) {
  if (!IsIntegerElemType(b.Type(0))) {
    return "only of integers the place of the extreme can be found by equality";
  }
  if (b.Type(0) == onnx::TensorProto::INT32) {
    return "int32 is what it would be found in";
  }
  const int64_t axis = b.node().Int("axis", 0);
  const Ref extreme =
      b.Op(reduction, {b.In(0)},
           {{"axes", std::vector<int64_t>{axis}}, {"keepdims", 1}});
  const Ref hit =
      b.Cast(b.Op("Equal", {b.In(0), extreme}), onnx::TensorProto::FLOAT);
  b.Return({b.Op("ArgMax", {hit}, b.AttributesWithout())});
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ArgMaxByEquality(Body& b) {
  return PlaceOf(b, "ReduceMax");
}
std::optional<std::string> ArgMinByEquality(Body& b) {
  return PlaceOf(b, "ReduceMin");
}

}  // namespace onnx_legalize
