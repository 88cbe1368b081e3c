// SPDX-License-Identifier: Apache-2.0
//
// decompose-trilu: replaces Trilu, which few runtimes have for every type, by a
// comparison of column - row with k and a selection.
//
//   before:  y = Trilu <upper = 1> (x, k)          # x: T[..., H, W]
//   after:   rows = Unsqueeze (Range (0, H, 1), [1])
//            cols = Range (0, W, 1)
//            keep = LessOrEqual (k, Sub (cols, rows))
//            y = Where (keep, x, 0)                # And (x, keep) for bool
//
// The mask is a constant where H, W and k are known and it is small, and so is
// the result where x is one too. A Trilu that drops nothing is left out. Types
// for which runtimes lack a Where are selected in one that holds all their
// values, between two Casts. Nothing is multiplied, so that NaN and infinity
// outside the triangle vanish, and k is added to nothing, so that none
// overflows.
//
// Declines strings (Trilu fills with zeros, and a string has none), an element
// type that isn't known, and a k that isn't one number.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "onnx_legalize/pass.h"
#include "ops/constant.h"
#include "ops/inference.h"
#include "passes/legalize/triangle_mask.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

// How a type is selected.
struct Selection {
  int32_t type = 0;      // Type of Where's operands; 0 where Trilu is declined.
  int element_size = 0;  // Of the type itself, in bytes.
};

Selection SelectionFor(int32_t elem_type) {
  switch (elem_type) {
    case TensorProto::FLOAT:
    case TensorProto::INT32:
      return {elem_type, 4};
    case TensorProto::DOUBLE:
    case TensorProto::INT64:
      return {elem_type, 8};
    case TensorProto::FLOAT16:
      return {elem_type, 2};
    case TensorProto::UINT8:
    case TensorProto::BOOL:  // Selected by And.
      return {elem_type, 1};
    case TensorProto::COMPLEX64:
      return {elem_type, 8};
    case TensorProto::COMPLEX128:
      return {elem_type, 16};
    case TensorProto::INT8:
      return {TensorProto::INT32, 1};
    case TensorProto::INT16:
    case TensorProto::UINT16:
      return {TensorProto::INT32, 2};
    case TensorProto::BFLOAT16:
      return {TensorProto::FLOAT, 2};
    case TensorProto::UINT32:
      return {TensorProto::INT64, 4};
    case TensorProto::UINT64:  // Cast keeps the bits where a value doesn't fit.
      return {TensorProto::INT64, 8};
    default:
      return {};
  }
}

Triangle TriangleOf(const Node& node, const PassContext& context) {
  Triangle triangle;
  triangle.upper = node.Int("upper", 1) != 0;
  if (const Value* k = node.input(1); k == nullptr) {
    triangle.k = 0;
  } else if (auto known = context.types.KnownInts(*k);
             known.has_value() && known->size() == 1) {
    triangle.k = (*known)[0];
  }
  const Value& x = *node.input(0);
  if (const std::optional<int> rank = x.rank()) {
    triangle.height = x.dim(*rank - 2);
    triangle.width = x.dim(*rank - 1);
  }
  return triangle;
}

// The result's elements where the input's are constant and small.
std::optional<std::string> FoldedResult(const Value& x, int element_size,
                                        const Triangle& triangle) {
  const Tensor* tensor = ConstantTensor(x);
  if (tensor == nullptr || !triangle.k.has_value() || tensor->rank() < 2 ||
      tensor->num_elements() < 0 ||
      tensor->num_elements() > kMaxConstantBytes / element_size) {
    return std::nullopt;
  }
  absl::StatusOr<std::string> elements = RawElements(*tensor);
  if (!elements.ok()) return std::nullopt;
  const int64_t width = tensor->dims().back();
  const int64_t height = tensor->dims()[tensor->rank() - 2];
  for (int64_t i = 0; i < tensor->num_elements(); ++i) {
    if (triangle.Keeps(i / width % height, i % width)) continue;
    elements->replace(i * element_size, element_size, element_size, '\0');
  }
  return *std::move(elements);
}

// x where `mask`, and zero elsewhere.
Value* Select(Value& x, Value* mask, Rewriter& rewriter) {
  const int32_t type = x.elem_type();
  if (type == TensorProto::BOOL) return rewriter.Emit("And", {&x, mask});
  const int32_t selected_type = SelectionFor(type).type;
  Value* operand = &x;
  if (selected_type != type) {
    operand = rewriter.Emit("Cast", {operand}, {{"to", selected_type}});
  }
  Value* zero = rewriter.Constant(
      selected_type, {},
      std::string(SelectionFor(selected_type).element_size, '\0'), "zero");
  Value* selected = rewriter.Emit("Where", {mask, operand, zero});
  if (selected_type == type) return selected;
  return rewriter.Emit("Cast", {selected}, {{"to", type}});
}

class DecomposeTrilu final : public RewritePass {
 public:
  absl::Span<const absl::string_view> roots() const override {
    static constexpr absl::string_view kRoots[] = {"Trilu"};
    return kRoots;
  }
  MatchResult Match(const Node& node, const PassContext& context) override;
  absl::StatusOr<RewriteDone> Rewrite(Node& node,
                                      PassContext& context) override;
};

MatchResult DecomposeTrilu::Match(const Node& node, const PassContext&) {
  const Value* x = node.input(0);
  if (x == nullptr || node.output(0) == nullptr) {
    return MatchResult::Declined("it lacks its input or its output");
  }
  if (node.op().version < 14) {
    return MatchResult::Declined("Trilu is an operator from opset 14 on");
  }
  const int32_t type = x->elem_type();
  if (type == TensorProto::UNDEFINED) {
    return MatchResult::Declined(
        absl::StrCat("the element type of '", x->name(), "' isn't known"));
  }
  if (type == TensorProto::STRING) {
    return MatchResult::Declined("Trilu has no meaning for strings");
  }
  if (SelectionFor(type).type == 0) {
    return MatchResult::Declined(
        absl::StrCat("Trilu isn't defined for ", ElemTypeName(type)));
  }
  if (x->rank().value_or(2) < 2) {
    return MatchResult::Declined("its input has less than two dimensions");
  }
  const Value* k = node.input(1);
  if (k == nullptr) return MatchResult::Matched();
  const std::optional<int> rank = k->rank();
  if (rank.value_or(0) > 1 || (rank == 1 && k->dim(0).value_or(1) != 1)) {
    return MatchResult::Declined(
        absl::StrCat("k is ", TypeString(k->type()), ", not one number"));
  }
  return MatchResult::Matched();
}

absl::StatusOr<RewriteDone> DecomposeTrilu::Rewrite(Node& node,
                                                    PassContext& context) {
  Rewriter& rewriter = context.rewriter;
  Value& x = *node.input(0);
  const int32_t type = x.elem_type();
  const Triangle triangle = TriangleOf(node, context);
  if (triangle.KeepsAll()) {
    rewriter.Replace(node, {&x});
    return RewriteDone{"left out: it drops nothing"};
  }
  const int element_size = SelectionFor(type).element_size;
  if (auto folded = FoldedResult(x, element_size, triangle)) {
    const absl::Span<const int64_t> dims = ConstantTensor(x)->dims();
    rewriter.Replace(
        node, {rewriter.Constant(type, dims, *std::move(folded), "folded")});
    return RewriteDone{"folded: its input and k are constant"};
  }
  const char* how = "a constant mask";
  Value* mask = ConstantMask(triangle, rewriter);
  if (mask == nullptr) {
    how = "a computed mask";
    mask = ComputedMask(node, triangle, rewriter);
  }
  rewriter.Replace(node, {Select(x, mask, rewriter)});
  return RewriteDone{absl::StrCat("selected by ", how,
                                  ": not every runtime has Trilu for ",
                                  ElemTypeName(type))};
}

}  // namespace

std::unique_ptr<Pass> MakeDecomposeTrilu() {
  return std::make_unique<DecomposeTrilu>();
}

}  // namespace onnx_legalize
