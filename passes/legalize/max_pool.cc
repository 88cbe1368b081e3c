// SPDX-License-Identifier: Apache-2.0
//
// MaxPool with its padding written out, where a kernel gets the number of
// windows wrong with ceil_mode.
//
//   before:  y = MaxPool <kernel_shape, pads, ceil_mode = 1> (x)
//   after:   p = Pad (x, pads and what the last window needs, lowest)
//            y = MaxPool <kernel_shape> (p)        # of the windows that count
//
// Where the input's size isn't known, the pads are computed.
//
// Declines used Indices, which would count the padding, auto_pad (written out
// before), and floor mode, which needs none of this.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/pool_geometry.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

std::optional<double> Lowest(int32_t type) {
  switch (type) {
    case TensorProto::FLOAT:
    case TensorProto::DOUBLE:
    case TensorProto::FLOAT16:
      return -std::numeric_limits<double>::infinity();
    case TensorProto::INT8:
      return std::numeric_limits<int8_t>::min();
    case TensorProto::UINT8:
      return 0;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> MaxPoolOfPadded(Body& b) {
  const std::optional<double> lowest = Lowest(b.Type(0));
  if (!lowest.has_value()) return "its element type has no lowest value";
  if (b.OutputUsed(1)) return "Indices would count the padding";
  std::string declined;
  const std::optional<PoolGeometry> pool = ReadPool(b, &declined);
  if (!pool.has_value()) return declined;
  if (!pool->ceil_mode) return "without ceil_mode the padding can stay";
  const Attributes attributes =
      b.AttributesWithout({"pads", "ceil_mode", "auto_pad", "storage_order"});
  if (!pool->sizes_known) {
    const Ref padded =
        WritePadding(b, *pool, b.In(0), b.Typed(*lowest, b.Type(0)));
    b.Return({b.Op("MaxPool", {padded}, attributes)});
    return std::nullopt;
  }
  const Ref fill = b.Typed(*lowest, b.Type(0));
  Lengths n(b);
  std::vector<Length> shape, begins, ends;
  for (int i = 0; i < *b.Rank(0); ++i) shape.push_back(n.Of(0, i));
  Ref x = b.In(0);
  for (size_t i = 0; i < pool->axes.size(); ++i) {
    const PoolAxis& axis = pool->axes[i];
    // Where a window starts in the padding at the end it is left out, and with
    // it what only it would read.
    const int64_t reach = (axis.windows - 1) * axis.stride +
                          (axis.kernel - 1) * axis.dilation + 1;
    int64_t end = axis.pad_end + axis.extra;
    const int64_t have = *axis.size + axis.pad_begin + end;
    if (have - reach >= axis.stride) end -= have - reach;
    // ONNX Runtime 1.20 makes constant pads the pool's, which must be less than
    // its kernel.
    const bool long_end = end >= axis.kernel;
    if (long_end) {
      shape[i + 2] = end;
      const Ref more = b.Op("Expand", {fill, n.Shape(shape)});
      x = b.Concat({x, more}, static_cast<int64_t>(i) + 2);
      shape[i + 2] = *axis.size + end;
    }
    begins.emplace_back(axis.pad_begin);
    ends.emplace_back(long_end ? 0 : end);
  }
  x = PadAxes(b, x, begins, ends, fill);
  b.Return({b.Op("MaxPool", {x}, attributes)});
  return std::nullopt;
}

}  // namespace onnx_legalize
