// SPDX-License-Identifier: Apache-2.0
//
// Squeeze and Unsqueeze over axes that are computed at run time, as Reshape.
//
//   before:  y = Unsqueeze-13 (x, axes)      # axes: computed
//   after:   s = ...                         # x's shape with ones at axes
//            y = Reshape-14 <allowzero = 1> (x, s)
//
// Declines axes that are known, which version steps make attributes.

#include <optional>
#include <string>

#include "passes/legalize/body.h"
#include "passes/legalize/computed_axes.h"

namespace onnx_legalize {

using onnx::TensorProto;

std::optional<std::string> SqueezeComputedAxes(Body& b) {
  if (!b.Has(1) || KnownAxes(b, 1).has_value()) return "the axes are known";
  const Ref shape = b.ShapeOf(b.In(0));
  const Ref mask = AxesMask(b, b.In(1), RankOfInput(b, 0), b.Rank(0));
  const Ref kept =
      b.Op("Compress", {shape, b.Op("Not", {mask})}, {{"axis", 0}});
  b.Return({ReshapeTo(b, b.In(0), kept, MayHaveZeros(b, 0))});
  return std::nullopt;
}

std::optional<std::string> UnsqueezeComputedAxes(Body& b) {
  if (KnownAxes(b, 1).has_value()) return "the axes are known";
  std::optional<int64_t> out_rank;
  if (b.Rank(0).has_value() && b.Rank(1) == 1 && b.Dim(1, 0).has_value()) {
    out_rank = *b.Rank(0) + *b.Dim(1, 0);
  }
  const Ref rank = RankOfInput(b, 0);
  const Ref size = b.Add(rank, b.Op("Size", {b.In(1)}));
  const Ref mask = AxesMask(b, b.In(1), size, out_rank);
  // How many dimensions of x stand before each place of the result.
  const Ref before =
      b.Sub(b.Op("CumSum",
                 {b.Cast(b.Op("Not", {mask}), TensorProto::INT64), b.Int(0)}),
            b.Int(1));
  const Ref dims = b.Concat({b.ShapeOf(b.In(0)), b.Ints({1})}, 0);
  const Ref shape = b.Gather(dims, b.Where(mask, rank, before), 0);
  b.Return({ReshapeTo(b, b.In(0), shape, MayHaveZeros(b, 0))});
  return std::nullopt;
}

}  // namespace onnx_legalize
