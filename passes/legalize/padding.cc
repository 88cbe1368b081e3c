// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/padding.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace onnx_legalize {
namespace {

// Above this an attribute is no real window, and products could overflow (or be
// no exact double: padding_emit.cc).
constexpr int64_t kMaxWindow = int64_t{1} << 24;

absl::Status CheckEntries(absl::string_view name,
                          absl::Span<const int64_t> entries, int rank) {
  if (static_cast<int>(entries.size()) != rank) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " has ", entries.size(), " entries for ", rank, " spatial axes"));
  }
  for (int64_t entry : entries) {
    if (entry < 1 || entry > kMaxWindow) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " has the entry ", entry));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int64_t>> ReadKernel(const Node& node,
                                                const Value* weight) {
  std::vector<int64_t> kernel = node.Ints("kernel_shape");
  if (!kernel.empty()) return kernel;
  if (weight == nullptr) {
    return absl::InvalidArgumentError("kernel_shape is missing");
  }
  const std::optional<int> rank = weight->rank();
  if (!rank.has_value() || *rank < 3) {
    return absl::InvalidArgumentError(
        "kernel_shape is missing, and the weight's shape is unknown");
  }
  for (int i = 2; i < *rank; ++i) {
    const std::optional<int64_t> dim = weight->dim(i);
    if (!dim.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("kernel_shape is missing, and dimension ", i,
                       " of the weight is unknown"));
    }
    kernel.push_back(*dim);
  }
  return kernel;
}

}  // namespace

std::optional<AutoPadMode> ParseAutoPad(absl::string_view text) {
  if (text.empty() || text == "NOTSET") return AutoPadMode::kNotSet;
  if (text == "VALID") return AutoPadMode::kValid;
  if (text == "SAME_UPPER") return AutoPadMode::kSameUpper;
  if (text == "SAME_LOWER") return AutoPadMode::kSameLower;
  return std::nullopt;
}

absl::string_view DropReason(AutoPadMode mode) {
  switch (mode) {
    case AutoPadMode::kNotSet:
      return "drops what is the default";
    case AutoPadMode::kValid:
      return "drops what pads nothing";
    default:
      return "drops what comes to no padding here";
  }
}

absl::StatusOr<SlidingWindow> ReadSlidingWindow(const Node& node,
                                                const Value* weight) {
  absl::StatusOr<std::vector<int64_t>> kernel = ReadKernel(node, weight);
  if (!kernel.ok()) return kernel.status();
  SlidingWindow window;
  window.kernel = *std::move(kernel);
  window.strides = node.Ints("strides");
  window.dilations = node.Ints("dilations");
  const int rank = window.rank();
  if (window.strides.empty()) window.strides.assign(rank, 1);
  if (window.dilations.empty()) window.dilations.assign(rank, 1);
  for (const auto& [name, entries] :
       {std::make_pair("kernel_shape", &window.kernel),
        std::make_pair("strides", &window.strides),
        std::make_pair("dilations", &window.dilations)}) {
    if (absl::Status s = CheckEntries(name, *entries, rank); !s.ok()) return s;
  }
  const Value* x = node.input(0);
  if (x != nullptr && x->rank().value_or(rank + 2) != rank + 2) {
    return absl::InvalidArgumentError(absl::StrCat("the input has ", *x->rank(),
                                                   " dimensions for ", rank,
                                                   " spatial axes"));
  }
  return window;
}

std::optional<int64_t> SpatialSize(const Value& x, int i) {
  if (x.rank().value_or(0) <= i + 2) return std::nullopt;
  return x.dim(i + 2);
}

int64_t SameTotal(int64_t size, int64_t extent, int64_t stride) {
  const int64_t windows = size / stride + (size % stride != 0);
  return std::max<int64_t>(0, (windows - 1) * stride - size + extent);
}

std::vector<int64_t> SplitTotals(absl::Span<const int64_t> totals,
                                 AutoPadMode mode) {
  const size_t rank = totals.size();
  std::vector<int64_t> pads(2 * rank);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t half = totals[i] / 2;
    const int64_t rest = totals[i] - half;
    pads[i] = mode == AutoPadMode::kSameUpper ? half : rest;
    pads[rank + i] = totals[i] - pads[i];
  }
  return pads;
}

std::optional<std::vector<int64_t>> SamePads(const SlidingWindow& window,
                                             const Value& x, AutoPadMode mode) {
  std::vector<int64_t> totals;
  for (int i = 0; i < window.rank(); ++i) {
    const int64_t stride = window.strides[i];
    const int64_t extent = window.extent(i);
    if (stride == 1 || extent == 1) {
      totals.push_back(extent - 1);
      continue;
    }
    const std::optional<int64_t> size = SpatialSize(x, i);
    if (!size.has_value()) return std::nullopt;
    totals.push_back(SameTotal(*size, extent, stride));
  }
  return SplitTotals(totals, mode);
}

bool IsSymmetric(absl::Span<const int64_t> pads) {
  const size_t rank = pads.size() / 2;
  return pads.subspan(0, rank) == pads.subspan(rank);
}

bool IsZero(absl::Span<const int64_t> pads) {
  return std::all_of(pads.begin(), pads.end(),
                     [](int64_t pad) { return pad == 0; });
}

}  // namespace onnx_legalize
