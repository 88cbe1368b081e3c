// SPDX-License-Identifier: Apache-2.0
//
// decompose-auto-pad: makes the padding that auto_pad implies explicit.
//
//   before:  y = Conv(x, w), auto_pad = "SAME_UPPER", kernel 2x2
//   after:   p = Pad(x, [0, 0, 0, 0, 0, 0, 1, 1])    y = Conv(p, w)
//
// Symmetric padding stays in the op, as `pads`: runtimes are faster so. Also
// what a Pad would spoil: MaxPool's Indices, AveragePool that doesn't count
// padding, the quantized fusion of an op fed by DequantizeLinear. SAME with a
// stride above 1 and an unknown size computes its pads at run time. AveragePool
// that doesn't count padding, where its pads can't be an attribute, divides by
// the pool of padded ones. The padding holds what the op can't see: zero, the
// lowest value for MaxPool, the zero point for a quantized op. `pads` beside an
// auto_pad are stale, as runtimes agree; SAME leaves no room for ceil_mode.
// ConvTranspose: conv_transpose_padding.h.
//
// Declines when auto_pad has no meaning, the window is unknown or malformed, or
// pads are unknown and must go into the attribute, are for MaxPool's Indices,
// or can't be added at this opset or for this element type.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "onnx_legalize/pass.h"
#include "passes/legalize/conv_transpose_padding.h"
#include "passes/legalize/padding.h"
#include "passes/legalize/padding_emit.h"

namespace onnx_legalize {
namespace {

constexpr absl::string_view kRoots[] = {
    "AveragePool", "Conv",    "ConvInteger", "ConvTranspose",
    "LpPool",      "MaxPool", "QLinearConv"};

// Where a node's padding goes.
enum class Place { kDropped, kAttribute, kPad, kPadAndCount };

struct Plan {
  AutoPadMode mode = AutoPadMode::kNotSet;
  Place place = Place::kDropped;
  SlidingWindow window;
  // Begins, then ends; nullopt where they depend on a size that is unknown.
  std::optional<std::vector<int64_t>> pads;
};

// The weight of a convolution; null for a pool.
const Value* Weight(const Node& node) {
  if (node.Is("QLinearConv")) return node.input(3);
  if (node.Is("Conv") || node.Is("ConvInteger")) return node.input(1);
  return nullptr;
}

Fill FillOf(const Node& node) {
  if (node.Is("MaxPool")) return Fill::kLowest;
  return node.Is("ConvInteger") || node.Is("QLinearConv") ? Fill::kZeroPoint
                                                          : Fill::kZero;
}

// The zero point of a quantized convolution's input; null stands for zero.
Value* ZeroPoint(const Node& node) {
  return FillOf(node) == Fill::kZeroPoint ? node.input(2) : nullptr;
}

bool HasIndices(const Node& node) {
  const Value* indices = node.Is("MaxPool") ? node.output(1) : nullptr;
  return indices != nullptr && (indices->has_uses() || indices->IsPinned());
}

bool SkipsPadding(const Node& node) {
  return node.Is("AveragePool") && node.Int("count_include_pad", 0) == 0;
}

bool IsDequantized(const Value& x) {
  return x.producer() != nullptr &&
         x.producer()->op().op_type == "DequantizeLinear";
}

PadRequest RequestOf(const Node& node, bool at_run_time) {
  PadRequest request;
  request.opset = node.op().version;
  request.elem_type = node.input(0)->elem_type();
  request.fill = FillOf(node);
  request.zero_point = ZeroPoint(node);
  request.at_run_time = at_run_time;
  request.ones = SkipsPadding(node);
  return request;
}

// Runtimes refuse a pool whose pads reach the kernel's size, dilated or not.
bool FitsAttribute(const Node& node, const Plan& plan) {
  if (Weight(node) != nullptr) return true;
  const int rank = plan.window.rank();
  for (int i = 0; i < rank; ++i) {
    const int64_t pad = std::max((*plan.pads)[i], (*plan.pads)[rank + i]);
    if (pad >= plan.window.kernel[i]) return false;
  }
  return true;
}

Place PlaceOfKnown(const Node& node, const Plan& plan, Padding padding) {
  if (IsZero(*plan.pads)) return Place::kDropped;
  if (padding == Padding::kAttribute || HasIndices(node) ||
      PadFault(RequestOf(node, false)).has_value()) {
    return Place::kAttribute;
  }
  const bool fits = FitsAttribute(node, plan);
  if (SkipsPadding(node)) {
    return fits ? Place::kAttribute : Place::kPadAndCount;
  }
  if (!fits || padding == Padding::kNode) return Place::kPad;
  return IsSymmetric(*plan.pads) || IsDequantized(*node.input(0))
             ? Place::kAttribute
             : Place::kPad;
}

absl::StatusOr<Place> PlaceOfUnknown(const Node& node, Padding padding) {
  constexpr absl::string_view kUnknown =
      "its padding depends on a size that is unknown, and ";
  if (padding == Padding::kAttribute) {
    return absl::InvalidArgumentError(
        absl::StrCat(kUnknown, "is to go into the attribute"));
  }
  if (HasIndices(node)) {
    return absl::InvalidArgumentError(
        absl::StrCat(kUnknown, "a Pad would shift the Indices"));
  }
  if (auto fault = PadFault(RequestOf(node, true))) {
    return absl::InvalidArgumentError(absl::StrCat(kUnknown, *fault));
  }
  return SkipsPadding(node) ? Place::kPadAndCount : Place::kPad;
}

// What is to become of a node with auto_pad; an error's message is the reason
// to decline it.
absl::StatusOr<Plan> MakePlan(const Node& node, Padding padding) {
  Plan plan;
  const std::string text = node.String("auto_pad", "");
  const std::optional<AutoPadMode> mode = ParseAutoPad(text);
  if (!mode.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("auto_pad is '", text, "', which means nothing"));
  }
  plan.mode = *mode;
  if (!IsSame(plan.mode)) return plan;
  if (node.input(0) == nullptr) {
    return absl::InvalidArgumentError("its input is missing");
  }
  absl::StatusOr<SlidingWindow> window = ReadSlidingWindow(node, Weight(node));
  if (!window.ok()) return window.status();
  plan.window = *std::move(window);
  plan.pads = SamePads(plan.window, *node.input(0), plan.mode);
  if (plan.pads.has_value()) {
    plan.place = PlaceOfKnown(node, plan, padding);
    return plan;
  }
  absl::StatusOr<Place> place = PlaceOfUnknown(node, padding);
  if (!place.ok()) return place.status();
  plan.place = *place;
  return plan;
}

// The node's op on `x`, without padding of its own.
Value* EmitUnpadded(const Node& node, Value* x, bool count_padding,
                    Rewriter& rewriter) {
  std::vector<AttributeInit> attributes =
      AttributesWithout(node, {"auto_pad", "pads", "ceil_mode",
                               count_padding ? "count_include_pad" : ""});
  if (count_padding) attributes.emplace_back("count_include_pad", 1);
  std::vector<Value*> inputs = {x};
  for (int i = 1; i < node.num_inputs(); ++i) inputs.push_back(node.input(i));
  return rewriter.Emit(node.op().op_type, inputs, attributes);
}

void ReplaceOutput(Node& node, Value* y, Rewriter& rewriter) {
  std::vector<Value*> outputs(node.num_outputs());
  outputs[0] = y;
  rewriter.Replace(node, outputs);
}

RewriteDone ReplaceByPadded(Node& node, const Plan& plan, Rewriter& rewriter) {
  Value& x = *node.input(0);
  const bool at_run_time = !plan.pads.has_value();
  const PadRequest request = RequestOf(node, at_run_time);
  PadAmounts amounts;
  if (at_run_time) {
    amounts = EmitSamePads(x, plan.window, plan.mode, rewriter);
  } else {
    amounts.pads = *plan.pads;
  }
  const bool count = plan.place == Place::kPadAndCount;
  Value* padded = EmitPadded(x, amounts, request, rewriter);
  Value* y = EmitUnpadded(node, padded, count, rewriter);
  if (count) {
    Value* ones = EmitOnes(x, plan.window.rank(), rewriter);
    ones = EmitPadded(*ones, amounts, request, rewriter);
    y = rewriter.Emit("Div", {y, EmitUnpadded(node, ones, count, rewriter)});
  }
  ReplaceOutput(node, y, rewriter);
  RewriteDone done;
  done.what = at_run_time
                  ? "pads the input by amounts computed at run time, since "
                    "they depend on a size that is unknown"
                  : absl::StrCat("pads the input by [",
                                 absl::StrJoin(*plan.pads, ","), "]");
  if (count) {
    absl::StrAppend(&done.what, ", and divides by the pool of padded ones");
    done.exactness = Exactness::kEquivalent;
  }
  return done;
}

// Only attributes change, in an order that keeps the output's type right after
// every step.
RewriteDone WriteAttributes(Node& node, const Plan& plan, Rewriter& rewriter) {
  RewriteDone done;
  if (plan.place == Place::kAttribute) {
    rewriter.SetAttribute(node, {"pads", *plan.pads});
    done.what =
        absl::StrCat("writes pads=[", absl::StrJoin(*plan.pads, ","), "]");
  } else {
    if (plan.mode != AutoPadMode::kNotSet)
      rewriter.RemoveAttribute(node, "pads");
    done.what = std::string(DropReason(plan.mode));
  }
  if (IsSame(plan.mode)) rewriter.RemoveAttribute(node, "ceil_mode");
  rewriter.RemoveAttribute(node, "auto_pad");
  return done;
}

class DecomposeAutoPad final : public RewritePass {
 public:
  absl::Span<const absl::string_view> roots() const override { return kRoots; }

  // (output_shape alone is valid as it is: see conv_transpose_padding.h.)
  bool MayApply(const Node& node) const override {
    return node.HasAttribute("auto_pad");
  }

  MatchResult Match(const Node& node, const PassContext& context) override {
    if (node.Is("ConvTranspose")) return MatchConvTranspose(node);
    if (!node.HasAttribute("auto_pad")) return MatchResult::NotApplicable();
    absl::StatusOr<Plan> plan = MakePlan(node, context.options.padding);
    return plan.ok()
               ? MatchResult::Matched()
               : MatchResult::Declined(std::string(plan.status().message()));
  }

  absl::StatusOr<RewriteDone> Rewrite(Node& node,
                                      PassContext& context) override {
    Rewriter& rewriter = context.rewriter;
    const Padding padding = context.options.padding;
    if (node.Is("ConvTranspose")) {
      return RewriteConvTranspose(node, padding, rewriter);
    }
    absl::StatusOr<Plan> plan = MakePlan(node, padding);
    if (!plan.ok()) return plan.status();
    const std::string before =
        absl::StrCat("auto_pad=", node.String("auto_pad", ""), ": ");
    const bool in_place =
        plan->place == Place::kDropped || plan->place == Place::kAttribute;
    RewriteDone done = in_place ? WriteAttributes(node, *plan, rewriter)
                                : ReplaceByPadded(node, *plan, rewriter);
    done.what = before + done.what;
    return done;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeDecomposeAutoPad() {
  return std::make_unique<DecomposeAutoPad>();
}

}  // namespace onnx_legalize
