// SPDX-License-Identifier: Apache-2.0
//
// MaxUnpool with an output_shape: its indices are those of the shape that
// follows from its attributes, and the rest is zeros.
//
//   before:  y = MaxUnpool (x, indices, output_shape)
//   after:   u = MaxUnpool (x, indices)
//            y = Pad (u, output_shape - shape of u, at the ends)
//
// Declines an unknown rank, and where there is no output_shape.

#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {

std::optional<std::string> MaxUnpoolThenPad(Body& b) {
  constexpr int kOutputShape = 2;
  if (!b.Has(kOutputShape)) return "without output_shape nothing is padded";
  const std::optional<int> rank = b.Rank(0);
  if (!rank.has_value()) return "the rank isn't known";
  const Ref y = b.Op("MaxUnpool", {b.In(0), b.In(1)}, b.AttributesWithout());
  const Ref ends = b.Sub(b.In(kOutputShape), b.ShapeOf(y));
  const Ref begins = b.Ints(std::vector<int64_t>(*rank, 0));
  b.Return({b.Op("Pad", {y, b.Concat({begins, ends}, 0)})});
  return std::nullopt;
}

}  // namespace onnx_legalize
