// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/conv_transpose_padding.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "passes/legalize/padding.h"
#include "passes/legalize/padding_emit.h"

namespace onnx_legalize {
namespace {

// Above this a number of cells is no real one, and sums could overflow.
constexpr int64_t kMaxCells = int64_t{1} << 31;

struct Plan {
  AutoPadMode mode = AutoPadMode::kNotSet;
  // Pads, begins then ends, that replace auto_pad, pads and output_shape;
  // empty: only auto_pad goes.
  std::vector<int64_t> pads;
  // `pads` have no meaning beside what the node says.
  bool stale_pads = false;
};

absl::Status Decline(std::string reason) {
  return absl::InvalidArgumentError(std::move(reason));
}

// The spatial entries of output_shape; some exporters write batch and channels
// too, which runtimes skip. Empty if absent.
absl::StatusOr<std::vector<int64_t>> ReadOutputShape(const Node& node,
                                                     int rank) {
  std::vector<int64_t> shape = node.Ints("output_shape");
  const int extra = static_cast<int>(shape.size()) - rank;
  if (extra == 2) shape.erase(shape.begin(), shape.begin() + 2);
  const bool in_range = std::all_of(
      shape.begin(), shape.end(),
      [](int64_t cells) { return cells >= 0 && cells <= kMaxCells; });
  if (!shape.empty() && ((extra != 0 && extra != 2) || !in_range)) {
    return Decline(absl::StrCat("output_shape is [", absl::StrJoin(shape, ","),
                                "] for ", rank, " spatial axes"));
  }
  return shape;
}

absl::StatusOr<std::vector<int64_t>> ReadOutputPadding(const Node& node,
                                                       int rank) {
  std::vector<int64_t> padding = node.Ints("output_padding");
  if (padding.empty()) padding.assign(rank, 0);
  const bool in_range = std::all_of(
      padding.begin(), padding.end(),
      [](int64_t cells) { return cells >= 0 && cells <= kMaxCells; });
  if (static_cast<int>(padding.size()) != rank || !in_range) {
    return Decline(absl::StrCat("output_padding is [",
                                absl::StrJoin(padding, ","), "] for ", rank,
                                " spatial axes"));
  }
  return padding;
}

// Cells to crop on both sides of each axis together, which may be negative;
// nullopt where it depends on a size that is unknown.
std::optional<std::vector<int64_t>> Totals(
    const Node& node, const SlidingWindow& window,
    absl::Span<const int64_t> output_padding,
    absl::Span<const int64_t> output_shape) {
  std::vector<int64_t> totals;
  for (int i = 0; i < window.rank(); ++i) {
    const int64_t stride = window.strides[i];
    const int64_t last = window.extent(i) + output_padding[i];
    if (output_shape.empty()) {
      totals.push_back(last - stride);
      continue;
    }
    const std::optional<int64_t> size = SpatialSize(*node.input(0), i);
    // An empty or absurd size: no result to crop, or none that can be counted.
    if (!size.has_value() || *size < 1 || *size > kMaxCells) {
      return std::nullopt;
    }
    totals.push_back((*size - 1) * stride + last - output_shape[i]);
  }
  return totals;
}

// An error's message is the reason to decline.
absl::StatusOr<Plan> MakePlan(const Node& node) {
  Plan plan;
  const std::string text = node.String("auto_pad", "");
  const std::optional<AutoPadMode> mode = ParseAutoPad(text);
  if (!mode.has_value()) {
    return Decline(
        absl::StrCat("auto_pad is '", text, "', which means nothing"));
  }
  plan.mode = *mode;
  const bool has_shape = !node.Ints("output_shape").empty();
  plan.stale_pads = plan.mode != AutoPadMode::kNotSet || has_shape;
  if (!IsSame(plan.mode) && !has_shape) return plan;
  if (node.input(0) == nullptr) return Decline("its input is missing");
  absl::StatusOr<SlidingWindow> window = ReadSlidingWindow(node, node.input(1));
  if (!window.ok()) return window.status();
  const int rank = window->rank();
  absl::StatusOr<std::vector<int64_t>> shape = ReadOutputShape(node, rank);
  if (!shape.ok()) return shape.status();
  absl::StatusOr<std::vector<int64_t>> padding = ReadOutputPadding(node, rank);
  if (!padding.ok()) return padding.status();
  const auto totals = Totals(node, *window, *padding, *shape);
  const bool negative = totals.has_value() &&
                        std::any_of(totals->begin(), totals->end(),
                                    [](int64_t total) { return total < 0; });
  if (totals.has_value() && !negative) {
    plan.pads = SplitTotals(*totals, plan.mode);
  } else if (IsSame(plan.mode)) {
    return Decline(
        negative ? absl::StrCat("its padding would be negative: the totals "
                                "are [",
                                absl::StrJoin(*totals, ","), "]")
                 : "its padding follows from output_shape and a "
                   "size that is unknown");
  }
  return plan;
}

// y = Slice(ConvTranspose without pads)
Value* EmitCropped(const Node& node, absl::Span<const int64_t> pads,
                   Rewriter& rewriter) {
  std::vector<Value*> inputs;
  for (int i = 0; i < node.num_inputs(); ++i) inputs.push_back(node.input(i));
  Value* full = rewriter.Emit(
      "ConvTranspose", inputs,
      AttributesWithout(node, {"auto_pad", "pads", "output_shape"}));
  if (IsZero(pads)) return full;
  const size_t rank = pads.size() / 2;
  const std::vector<int64_t> starts(pads.begin(), pads.begin() + rank);
  std::vector<int64_t> ends;
  for (int64_t end : pads.subspan(rank)) {
    ends.push_back(end == 0 ? std::numeric_limits<int64_t>::max() : -end);
  }
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 2);
  if (node.op().version < 10) {
    return rewriter.Emit("Slice", {full},
                         {{"axes", axes}, {"ends", ends}, {"starts", starts}});
  }
  return rewriter.Emit(
      "Slice", {full, rewriter.Int64s(starts, "starts"),
                rewriter.Int64s(ends, "ends"), rewriter.Int64s(axes, "axes")});
}

}  // namespace

MatchResult MatchConvTranspose(const Node& node) {
  if (!node.HasAttribute("auto_pad") && !node.HasAttribute("output_shape")) {
    return MatchResult::NotApplicable();
  }
  absl::StatusOr<Plan> plan = MakePlan(node);
  if (!plan.ok()) {
    return MatchResult::Declined(std::string(plan.status().message()));
  }
  const bool stays = plan->pads.empty() && !node.HasAttribute("auto_pad");
  return stays ? MatchResult::NotApplicable() : MatchResult::Matched();
}

absl::StatusOr<RewriteDone> RewriteConvTranspose(Node& node, Padding padding,
                                                 Rewriter& rewriter) {
  absl::StatusOr<Plan> plan = MakePlan(node);
  if (!plan.ok()) return plan.status();
  RewriteDone done;
  std::string before = node.HasAttribute("output_shape") ? "output_shape" : "";
  if (node.HasAttribute("auto_pad")) {
    before = absl::StrCat("auto_pad=", node.String("auto_pad", ""),
                          before.empty() ? "" : " with output_shape");
  }
  if (plan->pads.empty()) {
    if (plan->stale_pads) rewriter.RemoveAttribute(node, "pads");
    rewriter.RemoveAttribute(node, "auto_pad");
    done.what = absl::StrCat(before, ": ", DropReason(plan->mode));
    return done;
  }
  if (padding == Padding::kNode) {
    Value* y = EmitCropped(node, plan->pads, rewriter);
    rewriter.Replace(node, {y});
    done.what =
        IsZero(plan->pads)
            ? absl::StrCat(before, ": drops what crops nothing here")
            : absl::StrCat(before, ": crops the output by [",
                           absl::StrJoin(plan->pads, ","), "] with a Slice");
    return done;
  }
  rewriter.SetAttribute(node, {"pads", plan->pads});
  rewriter.RemoveAttribute(node, "output_shape");
  rewriter.RemoveAttribute(node, "auto_pad");
  done.what = absl::StrCat(before, ": writes pads=[",
                           absl::StrJoin(plan->pads, ","), "]");
  return done;
}

}  // namespace onnx_legalize
