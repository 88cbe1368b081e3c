// SPDX-License-Identifier: Apache-2.0
//
// LpPool as a convolution of powers with ones: for dilations and ceil_mode,
// which LpPool has from version 18 on.
//
//   before:  y = LpPool <p = 3, kernel_shape, dilations> (x)
//   after:   q = Reshape (Pow (Abs (x), 3), [-1, 1, H, W])
//            s = Conv <dilations> (q, ones)
//            y = Reshape (Pow (s, 1 / 3), [N, C, ...])
//
// Declines other types than float, auto_pad (written out before), an unknown
// rank, and p below 1.

#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/lengths.h"
#include "passes/legalize/pool_geometry.h"

namespace onnx_legalize {

std::optional<std::string> LpPoolAsConv(Body& b) {
  constexpr int32_t kFloat = onnx::TensorProto::FLOAT;
  if (b.Type(0) != kFloat) return "only of float it is computed by Conv";
  const int64_t p = b.node().Int("p", 2);
  if (p < 1) return "p is below 1";
  std::string declined;
  const std::optional<PoolGeometry> pool = ReadPool(b, &declined);
  if (!pool.has_value()) return declined;
  if (pool->LeavesOutWindow()) return "a window of padding alone is left out";
  Ref power = p == 2 ? b.Mul(b.In(0), b.In(0)) : b.Op("Abs", {b.In(0)});
  if (p > 2) power = b.Op("Pow", {power, b.Float(static_cast<double>(p))});
  Lengths n(b);
  const Length planes = n.Mul(n.Of(0, 0), n.Of(0, 1));
  std::vector<Length> shape = {planes, 1};
  std::vector<int64_t> weight_shape = {1, 1};
  int64_t size = 1;
  for (size_t i = 0; i < pool->axes.size(); ++i) {
    shape.push_back(n.Of(0, static_cast<int>(i) + 2));
    weight_shape.push_back(pool->axes[i].kernel);
    size *= pool->axes[i].kernel;
  }
  const Ref ones = b.Typed(std::vector<double>(size, 1), weight_shape, kFloat);
  Ref padded = n.Reshape(power, shape);
  Attributes window = {{"kernel_shape", pool->Kernel()},
                       {"strides", pool->Strides()},
                       {"dilations", pool->Dilations()}};
  if (pool->ceil_mode && !pool->sizes_known) {
    padded = WritePadding(b, *pool, padded, "");
  } else {
    window.push_back({"pads", pool->Pads()});
  }
  const Ref sum = b.Op("Conv", {padded, ones}, window);
  Ref y = p == 2 ? b.Op("Sqrt", {sum}) : sum;
  if (p > 2) y = b.Op("Pow", {sum, b.Float(1.0 / static_cast<double>(p))});
  const int64_t rank = static_cast<int64_t>(shape.size());
  const Ref y_shape = b.Concat(
      {n.Shape({n.Of(0, 0), n.Of(0, 1)}), b.Slice(b.ShapeOf(sum), 0, 2, rank)},
      0);
  b.Return({b.Op("Reshape", {y, y_shape})});
  return std::nullopt;
}

}  // namespace onnx_legalize
