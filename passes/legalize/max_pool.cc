// SPDX-License-Identifier: Apache-2.0
//
// MaxPool with its padding written out, where a kernel gets the number of
// windows wrong with ceil_mode.
//
//   before:  y = MaxPool <kernel_shape, pads, ceil_mode = 1> (x)
//   after:   p = Pad (x, pads and what the last window needs, lowest)
//            y = MaxPool <kernel_shape> (p)        # of the windows that count
//
// Declines used Indices, which would count the padding, ceil_mode of an unknown
// size, auto_pad (written out before), and floor mode, which needs none of
// this.

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
  const size_t count = pool->axes.size();
  std::vector<int64_t> pads(2 * (count + 2), 0);
  const std::vector<int64_t> inner = pool->Pads();
  Ref x = b.In(0);
  for (size_t i = 0; i < count; ++i) {
    pads[2 + i] = inner[i];
    pads[count + 4 + i] = inner[count + i];
    // Where a window starts in the padding at the end it is left out, and with
    // it what only it would read.
    const PoolAxis& axis = pool->axes[i];
    const int64_t reach = (axis.windows - 1) * axis.stride +
                          (axis.kernel - 1) * axis.dilation + 1;
    const int64_t have = *axis.size + inner[i] + inner[count + i];
    if (have - reach >= axis.stride) pads[count + 4 + i] -= have - reach;
  }
  x = b.Op("Pad", {x, b.Ints(pads), b.Typed(*lowest, b.Type(0))});
  Attributes attributes =
      b.AttributesWithout({"pads", "ceil_mode", "auto_pad", "storage_order"});
  b.Return({b.Op("MaxPool", {x}, attributes)});
  return std::nullopt;
}

}  // namespace onnx_legalize
