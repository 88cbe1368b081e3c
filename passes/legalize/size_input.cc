// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/size_input.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/spelling.h"
#include "ops/exact_cast.h"

namespace onnx_legalize {
namespace {

bool HasType(const Value& value) {
  return value.type().value_case() != onnx::TypeProto::VALUE_NOT_SET;
}

// The symbol of a dimension; "" where it has none.
absl::string_view SymbolOf(const Value& tensor, int axis) {
  return tensor.type().tensor_type().shape().dim(axis).dim_param();
}

}  // namespace

std::optional<SizeName> ParseSizeName(absl::string_view name) {
  static constexpr absl::string_view kSize = ":size";
  const size_t at = name.rfind(kSize);
  if (at == absl::string_view::npos || at == 0) return std::nullopt;
  const absl::string_view digits = name.substr(at + kSize.size());
  SizeName parts;
  parts.tensor = name.substr(0, at);
  // SimpleAtoi takes signs and spaces too.
  if (digits.empty() ||
      !std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(digits, &parts.axis)) {
    return std::nullopt;
  }
  return parts;
}

SizeForm SizeFormOf(const Value& input) {
  const std::optional<int> rank = input.rank();
  if (!rank.has_value()) return SizeForm::kUnknown;
  if (*rank == 0) return SizeForm::kScalar;
  return *rank == 1 && input.dim(0) == 1 ? SizeForm::kOne : SizeForm::kLengths;
}

bool HasDefault(const Value& input) {
  return input.initializer() != nullptr || input.IsSparseInitializer();
}

bool IsTensor(const Value& value) { return value.type().has_tensor_type(); }

std::string UnfitReason(const Value& input) {
  const SizeForm form = SizeFormOf(input);
  if (form == SizeForm::kLengths ||
      (input.elem_type() != 0 && !IsIntegerElemType(input.elem_type())) ||
      (HasType(input) && !IsTensor(input))) {
    return absl::StrCat("it is ", TypeString(input.type()),
                        ", not an integer scalar ([] or [1])");
  }
  if (form == SizeForm::kUnknown || input.elem_type() == 0) {
    return "its type and shape are not declared";
  }
  if (input.IsPinned()) {
    return "training info or a quantization annotation names it";
  }
  // Cast took the type's name before version 6.
  const int opset = input.graph()->opset_version("");
  if (opset < 6) return absl::StrCat("the model's opset is ", opset);
  return "";
}

std::string MissingReason(const Dimension& dimension) {
  const Value& tensor = *dimension.tensor;
  if (!IsTensor(tensor)) {
    return absl::StrCat("'", tensor.name(), "' is ", TypeString(tensor.type()),
                        ", not a tensor");
  }
  const std::optional<int> rank = tensor.rank();
  if (rank.has_value() ? dimension.axis >= *rank || dimension.axis < -*rank
                       : dimension.axis < 0) {
    return absl::StrCat("'", tensor.name(), "' ",
                        rank.has_value() ? absl::StrCat("has rank ", *rank)
                                         : "has no known rank",
                        " and so no axis ", dimension.axis);
  }
  return "";
}

std::string NotBatchFirstReason(const Graph& graph, const Value& tensor) {
  const std::string reason =
      absl::StrCat("axis 0 of '", tensor.name(), "' is not the batch");
  for (int i = 0; i < graph.num_inputs(); ++i) {
    const Value& lengths = *graph.input(i);
    const std::optional<SizeName> name = ParseSizeName(lengths.name());
    if (!name.has_value() || SizeFormOf(lengths) != SizeForm::kLengths)
      continue;
    if (name->axis == 0 && name->tensor == tensor.name()) return reason;
    const absl::string_view batch = SymbolOf(lengths, 0);
    if (batch.empty() || tensor.rank().value_or(0) == 0 ||
        SymbolOf(tensor, 0) == batch) {
      continue;
    }
    for (int axis = 1; axis < *tensor.rank(); ++axis) {
      if (SymbolOf(tensor, axis) == batch) return reason;
    }
  }
  return "";
}

Value* FindInput(const Graph& graph, absl::string_view name) {
  Value* value = graph.FindValue(name);
  return value != nullptr && value->IsGraphInput() ? value : nullptr;
}

absl::StatusOr<Dimension> ResolveDerivation(
    const Graph& graph, const Options::DerivedInput& wanted) {
  std::vector<absl::string_view> names;
  for (int i = 0; i < graph.num_inputs(); ++i) {
    names.push_back(graph.input(i)->name());
  }
  for (const std::string& name : {wanted.input, wanted.value}) {
    if (FindInput(graph, name) != nullptr) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the model has no input '", name, "'", DidYouMean(name, names),
        " (its inputs: ", absl::StrJoin(names, ", "), ")"));
  }
  Value& input = *FindInput(graph, wanted.input);
  Dimension dimension{FindInput(graph, wanted.value), wanted.axis};
  if (&input == dimension.tensor) {
    return absl::InvalidArgumentError("that is the input itself");
  }
  std::string reason = UnfitReason(input);
  if (reason.empty()) reason = MissingReason(dimension);
  if (!reason.empty()) return absl::InvalidArgumentError(reason);
  // MissingReason lets a negative axis through only where the rank is known.
  if (dimension.axis < 0) dimension.axis += *dimension.tensor->rank();
  return dimension;
}

bool IsAlreadyDerived(const Graph& graph, const Options::DerivedInput& wanted) {
  // The derived value has the name of the input that it replaced.
  const Value* value = graph.FindValue(wanted.input);
  for (absl::string_view op_type : {"Cast", "Gather", "Shape"}) {
    const Node* node = value == nullptr ? nullptr : value->producer();
    if (node != nullptr && node->Is(op_type)) {
      value = node->input(0);
    } else if (op_type != "Cast") {
      return false;
    }
  }
  return value != nullptr && value->name() == wanted.value;
}

}  // namespace onnx_legalize
