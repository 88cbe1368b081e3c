// SPDX-License-Identifier: Apache-2.0
//
// MaxUnpool with an output_shape: its indices are those of the shape that
// follows from its attributes, and the rest is zeros. And of types that have no
// kernel, such as double: a scatter.
//
//   before:  y = MaxUnpool (x, indices, output_shape)
//   after:   u = MaxUnpool (x, indices)
//            y = Pad (u, output_shape - shape of u, at the ends)
//
//   before:  y = MaxUnpool <kernel_shape, strides> (x, indices)
//   after:   z = ScatterElements (zeros, indices, x), all flat
//            y = Reshape (z, shape that follows)
//
// Declines an unknown rank.

#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"
#include "passes/legalize/lengths.h"

namespace onnx_legalize {
namespace {

constexpr int kX = 0, kIndices = 1, kOutputShape = 2;
constexpr char kRankUnknown[] = "the rank isn't known";

}  // namespace

std::optional<std::string> MaxUnpoolThenPad(Body& b) {
  if (!b.Has(kOutputShape)) return "without output_shape nothing is padded";
  const std::optional<int> rank = b.Rank(kX);
  if (!rank.has_value()) return kRankUnknown;
  const Ref y =
      b.Op("MaxUnpool", {b.In(kX), b.In(kIndices)}, b.AttributesWithout());
  const Ref ends = b.Sub(b.In(kOutputShape), b.ShapeOf(y));
  const Ref begins = b.Ints(std::vector<int64_t>(*rank, 0));
  b.Return({b.Op("Pad", {y, b.Concat({begins, ends}, 0)})});
  return std::nullopt;
}

std::optional<std::string> MaxUnpoolByScatter(Body& b) {
  if (b.Has(kOutputShape)) return "output_shape is to be written out first";
  const std::optional<int> rank = b.Rank(kX);
  if (!rank.has_value()) return kRankUnknown;
  const int axes = *rank - 2;
  const std::vector<int64_t> kernel = b.node().Ints("kernel_shape");
  if (static_cast<int>(kernel.size()) != axes || axes < 1) {
    return "kernel_shape has another rank";
  }
  std::vector<int64_t> strides = b.node().Ints("strides");
  std::vector<int64_t> pads = b.node().Ints("pads");
  strides.resize(axes, 1);
  pads.resize(2 * axes, 0);
  Lengths n(b);
  std::vector<Length> shape = {n.Of(kX, 0), n.Of(kX, 1)};
  for (int i = 0; i < axes; ++i) {
    const Length last = n.Mul(n.Sub(n.Of(kX, i + 2), 1), strides[i]);
    shape.push_back(n.Add(last, kernel[i] - pads[i] - pads[i + axes]));
  }
  const Ref zero = b.Typed({0}, {1}, b.Type(kX));
  const Ref zeros = b.Op("Expand", {zero, n.Get(n.Product(shape))});
  const Ref flat =
      b.Op("ScatterElements",
           {zeros, b.Reshape(b.In(kIndices), {-1}), b.Reshape(b.In(kX), {-1})});
  b.Return({n.Reshape(flat, shape)});
  return std::nullopt;
}

}  // namespace onnx_legalize
