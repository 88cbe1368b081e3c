// SPDX-License-Identifier: Apache-2.0
//
// The attributes of convolutions and pools, checked and with defaults filled
// in.

#ifndef ONNX_LEGALIZE_OPS_OVERRIDES_WINDOW_H_
#define ONNX_LEGALIZE_OPS_OVERRIDES_WINDOW_H_

#include <optional>
#include <string>
#include <vector>

#include "ops/overrides.h"
#include "ops/type_scope.h"

namespace onnx_legalize {

struct WindowAxis {
  int64_t stride = 1;
  int64_t effective_kernel = 1;  // Dilation counted in.
  int64_t pad_begin = 0;
  int64_t pad_end = 0;
  int64_t output_padding = 0;  // ConvTranspose.
};

struct Window {
  std::vector<WindowAxis> axes;
  bool same = false;  // SAME_UPPER or SAME_LOWER.
  bool ceil_mode = false;
  std::vector<int64_t> output_shape;  // ConvTranspose; {} if absent.
};

// "" if absent.
std::string AutoPad(const Node& node, const TypeScope& scope);

// Nullopt where the input's rank or the kernel's size isn't known, attributes
// are malformed, or sizes are beyond all use.
std::optional<Window> ReadWindow(Override kind, const Node& node,
                                 const TypeScope& scope);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_OVERRIDES_WINDOW_H_
