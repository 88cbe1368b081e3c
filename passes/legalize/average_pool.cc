// SPDX-License-Identifier: Apache-2.0
//
// AveragePool as a convolution with ones and a division: for dilations, and
// where a kernel counts wrongly with ceil_mode.
//
//   before:  y = AveragePool <kernel_shape = [2, 2], dilations = [2, 2]> (x)
//   after:   r = Reshape (x, [-1, 1, H, W])
//            s = Conv <dilations = [2, 2]> (r, ones)
//            y = Reshape (s / 4, [N, C, ...])
//
// The divisor is the window's size or, where padding doesn't count or a window
// reaches beyond it, how many elements of the input (and padding) each window
// covers: constants by axis, or, where a size isn't known, a convolution of
// ones.
//
// Declines double and integers, auto_pad (written out before), and an unknown
// rank.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/pool_geometry.h"

namespace onnx_legalize {
namespace {

constexpr int32_t kFloat = onnx::TensorProto::FLOAT;

// How many taps of each window along an axis count.
std::vector<double> Counts(const PoolAxis& axis, bool with_padding) {
  std::vector<double> counts;
  const int64_t first = with_padding ? -axis.pad_begin : 0;
  const int64_t end = *axis.size + (with_padding ? axis.pad_end : 0);
  for (int64_t w = 0; w < axis.windows; ++w) {
    int64_t count = 0;
    for (int64_t k = 0; k < axis.kernel; ++k) {
      const int64_t at = w * axis.stride - axis.pad_begin + k * axis.dilation;
      count += at >= first && at < end;
    }
    counts.push_back(static_cast<double>(std::max<int64_t>(count, 1)));
  }
  return counts;
}

// The counts of all axes multiplied, by broadcasting: exact small integers.
Ref Divisor(Body& b, const PoolGeometry& pool, bool with_padding) {
  Ref divisor;
  const size_t count = pool.axes.size();
  for (size_t i = 0; i < count; ++i) {
    std::vector<int64_t> shape(count, 1);
    shape[i] = pool.axes[i].windows;
    const Ref counts =
        b.Typed(Counts(pool.axes[i], with_padding), shape, kFloat);
    divisor = divisor.empty() ? counts : b.Mul(divisor, counts);
  }
  return divisor;
}

// How many elements count of each window, of sizes that are computed: a
// convolution of ones.
Ref ComputedDivisor(Body& b, const PoolGeometry& pool, bool with_padding,
                    const Ref& weight, const Attributes& window) {
  Lengths n(b);
  std::vector<Length> shape = {1, 1}, begins, ends;
  for (size_t i = 0; i < pool.axes.size(); ++i) {
    shape.push_back(n.Of(0, static_cast<int>(i) + 2));
    begins.emplace_back(pool.axes[i].pad_begin);
    ends.emplace_back(pool.axes[i].pad_end);
  }
  Ref ones = b.Op("Expand", {b.Float(1), n.Shape(shape)});
  if (with_padding) {
    ones = PadAxes(b, ones, begins, ends, b.Float(1));
    const std::vector<Length> none(pool.axes.size(), Length(0));
    ones = PadAxes(b, ones, none, ExtraPads(b, pool), "");
  } else {
    ones = WritePadding(b, pool, ones, "");
  }
  const Ref counts = b.Op("Conv", {ones, weight}, window);
  return b.Op("Max", {counts, b.Float(1)});
}

}  // namespace

std::optional<std::string> AveragePoolAsConv(Body& b) {
  const int32_t type = b.Type(0);
  const bool half =
      type == onnx::TensorProto::FLOAT16 || type == onnx::TensorProto::BFLOAT16;
  if (type != kFloat && !half) return "only of float it is computed by Conv";
  std::string declined;
  const std::optional<PoolGeometry> pool = ReadPool(b, &declined);
  if (!pool.has_value()) return declined;
  if (pool->LeavesOutWindow()) return "a window of padding alone is left out";
  const bool with_padding = b.node().Int("count_include_pad", 0) != 0;
  bool padded = false, beyond = pool->ceil_mode && !pool->sizes_known;
  int64_t size = 1;
  for (const PoolAxis& axis : pool->axes) {
    padded |= axis.pad_begin != 0 || axis.pad_end != 0;
    beyond |= axis.extra > 0;
    size *= axis.kernel;
  }
  const bool counted = beyond || (padded && !with_padding);
  const Ref x = half ? b.Cast(b.In(0), kFloat) : b.In(0);
  const Ref shape = b.ShapeOf(b.In(0));
  const int64_t rank = static_cast<int64_t>(pool->axes.size()) + 2;
  Ref planes =
      b.Op("Reshape",
           {x, b.Concat({b.Ints({-1, 1}), b.Slice(shape, 0, 2, rank)}, 0)});
  std::vector<int64_t> weight_shape = pool->Kernel();
  weight_shape.insert(weight_shape.begin(), {1, 1});
  const Ref ones = b.Typed(std::vector<double>(size, 1), weight_shape, kFloat);
  Attributes window = {{"kernel_shape", pool->Kernel()},
                       {"strides", pool->Strides()},
                       {"dilations", pool->Dilations()}};
  Ref divisor = b.Float(static_cast<double>(size));
  if (counted && !pool->sizes_known) {
    planes = WritePadding(b, *pool, planes, "");
    divisor = ComputedDivisor(b, *pool, with_padding, ones, window);
  } else {
    window.push_back({"pads", pool->Pads()});
    if (counted) divisor = Divisor(b, *pool, with_padding);
  }
  const Ref sum = b.Op("Conv", {planes, ones}, window);
  const Ref y_shape = b.Concat(
      {b.Slice(shape, 0, 0, 2), b.Slice(b.ShapeOf(sum), 0, 2, rank)}, 0);
  const Ref y = b.Op("Reshape", {b.Div(sum, divisor), y_shape});
  b.Return({half ? b.Cast(y, type) : y});
  return std::nullopt;
}

}  // namespace onnx_legalize
