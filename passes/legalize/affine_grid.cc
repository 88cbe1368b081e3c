// SPDX-License-Identifier: Apache-2.0
//
// AffineGrid as a product.
//
//   before:  y = AffineGrid (theta, [N, C, H, W])          # theta: [N, 2, 3]
//   after:   g = places (x, y, 1) of the grid              # [1, H * W, 3]
//            y = Reshape (MatMul (g, Transpose (theta)), [N, H, W, 2])
//
// One point between aligned corners lies at -1, where the specification's
// function puts it.
//
// Declines a number of axes that isn't known. 16-bit floats are computed in
// float.

#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"
#include "passes/legalize/lengths.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

// 2 or 3, by whatever tells.
std::optional<int> SpatialRank(const Body& b) {
  for (const auto& [length, more] :
       {std::pair(b.Dim(0, 1), 0), std::pair(b.Dim(0, 2), 1),
        std::pair(b.Dim(1, 0), 2)}) {
    if (length == 2 + more || length == 3 + more) {
      return static_cast<int>(*length) - more;
    }
  }
  const std::optional<int> rank = b.OutRank(0);
  if (rank == 4 || rank == 5) return *rank - 2;
  return std::nullopt;
}

// Where the points of an axis lie between -1 and 1: [n].
Ref Places(Body& b, Lengths& n, const Length& size, bool align, int32_t type) {
  const Ref count = n.Get(size);
  const Ref index =
      b.Cast(b.Op("Range", {b.Int(0), b.Squeeze(count, {0}), b.Int(1)}), type);
  const Ref one = b.Typed(1, type), two = b.Typed(2, type);
  const Ref length = b.Cast(count, type);
  if (!align) {
    // (2 i + 1) / n - 1
    return b.Sub(b.Div(b.Add(b.Mul(index, two), one), length), one);
  }
  const Ref last = b.Cast(n.Get(n.Max(n.Sub(size, 1), 1)), type);
  return b.Sub(b.Div(b.Mul(index, two), last), one);
}

}  // namespace

std::optional<std::string> AffineGridAsProduct(Body& b) {
  const std::optional<int> axes = SpatialRank(b);
  if (!axes.has_value()) return "the number of axes isn't known";
  const int32_t given = b.Type(0);
  const bool half =
      given == TensorProto::FLOAT16 || given == TensorProto::BFLOAT16;
  if (given == 0) return "the element type isn't known";
  const int32_t type = half ? int32_t{TensorProto::FLOAT} : given;
  const bool align = b.node().Int("align_corners", 0) != 0;
  Lengths n(b);
  std::vector<Length> shape = {n.Element(1, 0)};
  for (int i = 0; i < *axes; ++i) shape.push_back(n.Element(1, i + 2));
  std::vector<Length> grid_shape(shape.begin() + 1, shape.end());
  const Ref grid = n.Shape(grid_shape);
  std::vector<int64_t> last_axis = {*axes};
  Refs parts;
  for (int i = *axes - 1; i >= 0; --i) {  // The last axis comes first.
    Ref places = Places(b, n, grid_shape[i], align, type);
    std::vector<int64_t> after;
    for (int j = i + 1; j < *axes; ++j) after.push_back(j - i);
    if (!after.empty()) places = b.Unsqueeze(places, after);
    parts.push_back(b.Unsqueeze(b.Op("Expand", {places, grid}), last_axis));
  }
  const Ref one = b.Op("Expand", {b.Typed(1, type), grid});
  parts.push_back(b.Unsqueeze(one, last_axis));
  const Ref points =
      n.Reshape(b.Concat(parts, *axes), {1, n.Product(grid_shape), *axes + 1});
  const Ref theta = half ? b.Cast(b.In(0), type) : b.In(0);
  Ref y = b.Op("MatMul", {points, b.Transpose(theta, {0, 2, 1})});
  shape.push_back(*axes);
  y = n.Reshape(y, shape);
  b.Return({half ? b.Cast(y, given) : y});
  return std::nullopt;
}

}  // namespace onnx_legalize
