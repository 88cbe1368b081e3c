// SPDX-License-Identifier: Apache-2.0
//
// What auto_pad means: the arithmetic of padding, apart from any graph change.
//
// Source: ONNX operator specification, Conv-11 and MaxPool-12 (SAME pads so
// that the output has ceil(in / stride) cells) and ConvTranspose-11 (in *
// stride).

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_PADDING_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_PADDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_legalize/graph.h"

namespace onnx_legalize {

enum class AutoPadMode { kNotSet, kValid, kSameUpper, kSameLower };

inline bool IsSame(AutoPadMode mode) {
  return mode == AutoPadMode::kSameUpper || mode == AutoPadMode::kSameLower;
}

// nullopt: no such mode. "" is what some exporters write for NOTSET, and every
// runtime takes it so.
std::optional<AutoPadMode> ParseAutoPad(absl::string_view text);

// Why a node can do without auto_pad altogether, for reports.
absl::string_view DropReason(AutoPadMode mode);

// The sliding window of a convolution or pool, an entry a spatial axis.
struct SlidingWindow {
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;

  int rank() const { return static_cast<int>(kernel.size()); }
  // Cells from the first tap to the last, both counted.
  int64_t extent(int i) const { return dilations[i] * (kernel[i] - 1) + 1; }
};

// Reads the window off a node: kernel_shape, or else the spatial dimensions of
// `weight` (null for a pool). An error's message says what is missing or wrong.
absl::StatusOr<SlidingWindow> ReadSlidingWindow(const Node& node,
                                                const Value* weight);

// Size of spatial axis `i` of `x` where it is known.
std::optional<int64_t> SpatialSize(const Value& x, int i);

// Cells that SAME adds on both sides of an axis of `size` cells together.
int64_t SameTotal(int64_t size, int64_t extent, int64_t stride);

// Pads in the order of the `pads` attribute (begins, then ends), each axis's
// total halved; an odd cell goes to the end for SAME_UPPER, else to the begin.
std::vector<int64_t> SplitTotals(absl::Span<const int64_t> totals,
                                 AutoPadMode mode);

// Pads of a SAME convolution or pool of `x`; nullopt where they depend on a
// size that is unknown. A stride of 1 or a window of one cell needs no size.
std::optional<std::vector<int64_t>> SamePads(const SlidingWindow& window,
                                             const Value& x, AutoPadMode mode);

// Every axis has as many cells at its begin as at its end.
bool IsSymmetric(absl::Span<const int64_t> pads);
bool IsZero(absl::Span<const int64_t> pads);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_PADDING_H_
