// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/integer_equivalent.h"

#include "absl/strings/str_cat.h"
#include "ir/element_bits.h"
#include "ops/exact_cast.h"
#include "ops/tensor_proto.h"

namespace onnx_legalize {
namespace {

// Less and Where with all number types.
constexpr int kOldestSelect = 9;
// Max with integers.
constexpr int kOldestIntegerMax = 12;
// Clip with its bounds as inputs.
constexpr int kOldestClipInputs = 11;

bool IsRounding(const Node& node) {
  return node.Is("Floor") || node.Is("Ceil") || node.Is("Round");
}

Value* SelectLarger(Value* a, Value* b, Rewriter& rewriter) {
  return rewriter.Emit("Where", {rewriter.Emit("Less", {a, b}), b, a});
}

Value* SelectSmaller(Value* a, Value* b, Rewriter& rewriter) {
  return rewriter.Emit("Where", {rewriter.Emit("Less", {b, a}), b, a});
}

Value* EmitRelu(Value* x, int version, Rewriter& rewriter) {
  Value* zero = rewriter.Constant(
      x->elem_type(), {}, std::string(ElementBits(x->elem_type()) / 8, '\0'),
      "zero");
  if (version >= kOldestIntegerMax) return rewriter.Emit("Max", {x, zero});
  return SelectLarger(x, zero, rewriter);
}

}  // namespace

bool HasIntegerEquivalent(const Node& node) {
  const int version = node.op().version;
  if (node.num_inputs() == 0 || node.input(0) == nullptr ||
      !IsIntegerElemType(node.input(0)->elem_type())) {
    return false;
  }
  for (int i = 1; i < node.num_inputs(); ++i) {
    const bool absent = node.input(i) == nullptr;
    if (absent ? !node.Is("Clip")
               : node.input(i)->elem_type() != node.input(0)->elem_type()) {
      return false;
    }
  }
  if (IsRounding(node)) return true;
  if (version < kOldestSelect) return false;
  // An older Clip has its bounds as floats, which needn't be integers.
  return node.Is("Relu") || node.Is("Max") || node.Is("Min") ||
         (node.Is("Clip") && version >= kOldestClipInputs);
}

std::string ReplaceByIntegerEquivalent(Node& node, Rewriter& rewriter) {
  rewriter.SetAnchor(node);
  const std::string type = ElemTypeName(node.input(0)->elem_type());
  Value* y = node.input(0);
  std::string with = "comparison and selection";
  if (IsRounding(node)) {
    y = rewriter.Emit("Identity", {y});
    with = "Identity";
  } else if (node.Is("Relu")) {
    y = EmitRelu(y, node.op().version, rewriter);
    if (y->producer()->Is("Max")) with = "Max with 0";
  } else if (node.Is("Clip")) {
    if (Value* low = node.input(1)) y = SelectLarger(y, low, rewriter);
    if (Value* high = node.input(2)) y = SelectSmaller(y, high, rewriter);
  } else {
    for (int i = 1; i < node.num_inputs(); ++i) {
      y = node.Is("Max") ? SelectLarger(y, node.input(i), rewriter)
                         : SelectSmaller(y, node.input(i), rewriter);
    }
  }
  // An unbounded Clip, or Max of one operand.
  if (y == node.input(0)) y = rewriter.Emit("Identity", {y});
  const std::string what =
      absl::StrCat("replaced by ", with, ": at opset ", node.op().version, " ",
                   node.op().op_type, " doesn't take ", type);
  rewriter.Replace(node, {y});
  return what;
}

}  // namespace onnx_legalize
