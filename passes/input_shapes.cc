// SPDX-License-Identifier: Apache-2.0

#include "passes/input_shapes.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ir/spelling.h"

namespace onnx_legalize {
namespace {

absl::StatusOr<Value*> FindInput(const Graph& graph, absl::string_view name) {
  std::vector<absl::string_view> names;
  for (int i = 0; i < graph.num_inputs(); ++i) {
    Value* input = graph.input(i);
    if (input->name() == name) return input;
    names.push_back(input->name());
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "input shape: no input is named '", name, "'", DidYouMean(name, names)));
}

absl::Status ApplyInputShape(Value& input, const std::vector<int64_t>& shape,
                             Rewriter& rewriter, Report& report) {
  const std::string prefix = absl::StrCat("input shape: '", input.name(), "' ");
  onnx::TypeProto type = input.type();
  if (!type.has_tensor_type()) {
    return absl::InvalidArgumentError(
        absl::StrCat(prefix, "is no tensor but ", TypeString(type)));
  }
  onnx::TensorShapeProto& declared =
      *type.mutable_tensor_type()->mutable_shape();
  const int rank = static_cast<int>(shape.size());
  if (!input.rank().has_value()) {
    for (int i = 0; i < rank; ++i) declared.add_dim();
  } else if (declared.dim_size() != rank) {
    return absl::InvalidArgumentError(
        absl::StrCat(prefix, "has ", declared.dim_size(), " dimensions, ",
                     TypeString(input.type()), ", but ", rank, " are given"));
  }
  for (int i = 0; i < rank; ++i) {
    if (shape[i] < 0) continue;
    onnx::TensorShapeProto::Dimension& dim = *declared.mutable_dim(i);
    if (dim.has_dim_value() && dim.dim_value() != shape[i]) {
      return absl::InvalidArgumentError(
          absl::StrCat(prefix, "is ", dim.dim_value(), " in dimension ", i,
                       ", which ", shape[i], " contradicts"));
    }
    dim.set_dim_value(shape[i]);
  }
  if (const Tensor* value = input.initializer(); value != nullptr) {
    for (int i = 0; i < rank && rank == value->rank(); ++i) {
      if (shape[i] < 0 || shape[i] == value->dims()[i]) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(prefix, "has a default value that is ", value->dims()[i],
                       " in dimension ", i));
    }
  }
  if (TypeString(type) == TypeString(input.type())) return absl::OkStatus();
  rewriter.SetKnownType(input, type);
  rewriter.DeclareType(input);
  report.notes.push_back(absl::StrCat("input '", input.name(), "' now is ",
                                      TypeString(type), ", as asked"));
  return absl::OkStatus();
}

}  // namespace

absl::Status ApplyInputShapes(const Options& options, Rewriter& rewriter,
                              Report& report) {
  for (const auto& [name, shape] : options.input_shapes) {
    absl::StatusOr<Value*> input = FindInput(rewriter.model().graph(), name);
    if (!input.ok()) return input.status();
    absl::Status s = ApplyInputShape(**input, shape, rewriter, report);
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace onnx_legalize
