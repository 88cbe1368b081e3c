// SPDX-License-Identifier: Apache-2.0
//
// TensorScatter-24: writes an update into a cache at each batch's own place.
//
//   before:  y = TensorScatter <axis = -2, mode = "linear"> (cache, update, at)
//   after:   place = Range (0, S, 1) - at             # [B, 1.., S, 1..]
//            taken = GatherElements (update, Clip (place, 0, L - 1))
//            y = Where (0 <= place < L, taken, cache)
//
// S and L are the lengths of cache and update along the axis. In mode
// "circular" the place is taken modulo S. Without write_indices every batch
// writes at 0.
//
// Declines an unknown rank.

#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {

std::optional<std::string> TensorScatterByGather(Body& b) {
  const std::optional<int> rank = b.Rank(0);
  if (!rank.has_value()) return "the rank of the cache isn't known";
  const int64_t given = b.node().Int("axis", -2);
  const int64_t axis = given < 0 ? given + *rank : given;
  if (axis < 1 || axis >= *rank) return "the axis is none of the cache's";
  const Ref shape = b.ShapeOf(b.In(0));
  const Ref length = b.At(b.ShapeOf(b.In(1)), axis);
  const Ref size = b.At(shape, axis);
  std::vector<int64_t> after, all;
  for (int i = 1; i < *rank; ++i) {
    all.push_back(i);
    if (i > axis) after.push_back(i - axis);
  }
  Ref place = b.Op("Range", {b.Int(0), size, b.Int(1)});  // [S]
  if (!after.empty()) place = b.Unsqueeze(place, after);  // [S, 1..]
  if (b.Has(2)) {
    const Ref at = b.Cast(b.In(2), onnx::TensorProto::INT64);
    place = b.Sub(place, b.Unsqueeze(at, all));  // [B, 1.., S, 1..]
  }
  if (b.node().String("mode", "linear") == "circular") {
    place = b.Op("Mod", {place, size});
  }
  const Ref inside =
      b.Op("And", {b.Op("Not", {b.Op("Less", {place, b.Int(0)})}),
                   b.Op("Less", {place, length})});
  const Ref last = b.Sub(length, b.Int(1));
  const Ref index = b.Op("Min", {b.Op("Max", {place, b.Int(0)}), last});
  const Ref taken =
      b.Op("GatherElements", {b.In(1), b.Op("Expand", {index, shape})},
           {{"axis", axis}});
  b.Return({b.Where(inside, taken, b.In(0))});
  return std::nullopt;
}

}  // namespace onnx_legalize
