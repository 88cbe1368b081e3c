// SPDX-License-Identifier: Apache-2.0
//
// Shape with start and end, Reshape with allowzero, and CastLike, in operators
// of older opsets.
//
//   before:  s = Shape-15 <start = 1> (x)      y = Reshape-14 <allowzero = 1>
//   (x, t) after:   a = Shape-13 (x)                  # t holds no zero:
//            s = Slice (a, [1], [2^62], [0])   y = Reshape-13 (x, t)
//
// Declines CastLike to a type that is unknown.

#include <algorithm>
#include <optional>
#include <string>

#include "passes/legalize/body.h"
#include "passes/legalize/computed_axes.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

// x with `count` (int64 [1]) elements more than its own, flat.
Ref FlatAndLonger(Body& b, const Ref& x, const Ref& count) {
  const int32_t type = b.Type(0);
  const Ref one = type == TensorProto::STRING
                      ? b.Unsqueeze(b.String(""), {0})
                      : b.Typed(std::vector<double>{0}, {1}, type);
  const Ref more = type == TensorProto::STRING ? b.Op("Tile", {one, count})
                                               : b.Op("Expand", {one, count});
  return b.Concat({b.Reshape(x, {-1}), more}, 0);
}

}  // namespace

std::optional<std::string> ShapeAsSlice(Body& b) {
  constexpr int64_t kEnd = int64_t{1} << 62;
  const int64_t start = b.node().Int("start", 0);
  const int64_t end = b.node().Int("end", kEnd);
  if (start == 0 && end == kEnd) return "it has neither start nor end";
  b.Return({b.Slice(b.ShapeOf(b.In(0)), 0, start, end)});
  return std::nullopt;
}

std::optional<std::string> ReshapeWithoutAllowZero(Body& b) {
  if (b.node().Int("allowzero", 0) == 0) return "allowzero isn't set";
  const auto shape = KnownAxes(b, 1);
  const bool positive =
      shape.has_value() &&
      std::find(shape->begin(), shape->end(), 0) == shape->end();
  // With elements there can be no zero in the shape.
  if (positive || !MayHaveZeros(b, 0)) {
    b.Return({b.Op("Reshape", {b.In(0), b.In(1)})});
    return std::nullopt;
  }
  if (b.Type(0) == 0) return "the type is unknown";
  // Each zero becomes a one, which a Slice makes a zero again; a tensor without
  // elements gets as many as that shape needs.
  const Ref is_zero = b.Op("Equal", {b.In(1), b.Int(0)});
  const Ref filled = b.Where(is_zero, b.Int(1), b.In(1));
  const Ref lacks =
      b.Op("ReduceMax",
           {b.Op("Concat",
                 {b.Cast(is_zero, TensorProto::FLOAT),
                  b.Typed(std::vector<double>{0}, {1}, TensorProto::FLOAT)},
                 {{"axis", 0}})},
           {{"keepdims", 1}});
  const Ref padded = b.Concat({filled, b.Ints({1})}, 0);
  const Ref count = b.Mul(b.Cast(lacks, TensorProto::INT64),
                          b.Op("ReduceProd", {padded}, {{"keepdims", 1}}));
  const Ref y = b.Op("Reshape", {FlatAndLonger(b, b.In(0), count), filled});
  const Ref ends = b.Where(is_zero, b.Int(0), b.Int(int64_t{1} << 62));
  const Ref starts = b.Mul(filled, b.Int(0));
  b.Return({b.Op("Slice", {y, starts, ends})});
  return std::nullopt;
}

std::optional<std::string> CastLikeAsCast(Body& b) {
  const int32_t to = b.Type(1) != 0 ? b.Type(1) : b.OutType(0);
  if (to == 0) return "the type to cast to is unknown";
  if (b.Type(0) == to) {
    b.Return({b.Op("Identity", {b.In(0)})});
    return std::nullopt;
  }
  Attributes attributes = b.AttributesWithout();
  attributes.push_back({"to", static_cast<int64_t>(to)});
  // CastLike has had the attributes of Cast since 19.
  b.SetOpset(std::max(b.node().op().version, 13));
  b.Return({b.Op("Cast", {b.In(0)}, attributes)});
  return std::nullopt;
}

}  // namespace onnx_legalize
