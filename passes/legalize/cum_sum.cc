// SPDX-License-Identifier: Apache-2.0
//
// CumSum with exclusive = 1, which ONNX Runtime before 1.14 computes past the
// end of an axis of length 1: the sums of exclusive = 0, moved by one.
//
//   before:  y = CumSum <exclusive = 1> (x, axis)
//   after:   sums = CumSum (x, axis)
//            y = Concat (0, sums[:-1])        # reverse: Concat (sums[1:], 0)
//
// An axis that is computed is selected among all. Declines exclusive = 0 and an
// unknown rank or type.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

// `sums` moved by one along `axis`.
Ref Moved(Body& b, const Ref& sums, int64_t axis) {
  const Ref first = b.Slice(b.In(0), axis, 0, 1);
  const Ref zero = b.Op("Expand", {b.Typed(0, b.Type(0)), b.ShapeOf(first)});
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  return b.node().Int("reverse", 0) != 0
             ? b.Concat({b.Slice(sums, axis, 1, kEnd), zero}, axis)
             : b.Concat({zero, b.Slice(sums, axis, 0, -1)}, axis);
}

}  // namespace

std::optional<std::string> ExclusiveCumSumByShift(Body& b) {
  if (b.node().Int("exclusive", 0) == 0) return "it isn't exclusive";
  const std::optional<int> rank = b.Rank(0);
  if (!rank.has_value() || b.Type(0) == 0) {
    return "the rank or the type isn't known";
  }
  const auto known = b.KnownInts(1);
  if (known.has_value() && known->size() != 1) return "the axis isn't one";
  int64_t axis = known.has_value() ? (*known)[0] : 0;
  if (axis < 0) axis += *rank;
  if (axis < 0 || axis >= *rank) return "the axis is none of the input's";
  constexpr int kMoreTypes = 14;
  if (b.node().op().version >= kMoreTypes) b.SetOpset(kMoreTypes);
  const Ref sums =
      b.Op("CumSum", {b.In(0), b.In(1)}, b.AttributesWithout({"exclusive"}));
  if (known.has_value() || *rank == 1) {
    b.Return({Moved(b, sums, axis)});
    return std::nullopt;
  }
  // One of all axes.
  Refs all;
  for (int64_t i = 0; i < *rank; ++i) {
    all.push_back(b.Unsqueeze(Moved(b, sums, i), {0}));
  }
  const Ref place =
      b.Op("Mod", {b.Cast(b.In(1), onnx::TensorProto::INT64), b.Int(*rank)});
  b.Return({b.Gather(b.Concat(all, 0), b.Reshape(place, std::vector<int64_t>()),
                     0)});
  return std::nullopt;
}

}  // namespace onnx_legalize
