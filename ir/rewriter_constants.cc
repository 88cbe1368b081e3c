// SPDX-License-Identifier: Apache-2.0
//
// Rewriter: values that are known before the model runs.

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/storage.h"
#include "ir/wire.h"
#include "onnx_legalize/rewriter.h"

namespace onnx_legalize {
namespace {

// Constant-1 makes floats only; Constant-9 makes every type.
constexpr int kConstantOfAnyType = 9;

bool IsFloat(int32_t elem_type) {
  return elem_type == onnx::TensorProto::FLOAT ||
         elem_type == onnx::TensorProto::FLOAT16 ||
         elem_type == onnx::TensorProto::DOUBLE;
}

}  // namespace

Value* Rewriter::Int64s(absl::Span<const int64_t> values,
                        absl::string_view hint) {
  std::string raw(values.size() * sizeof(int64_t), '\0');
  if (!values.empty()) std::memcpy(raw.data(), values.data(), raw.size());
  return Constant(onnx::TensorProto::INT64,
                  {static_cast<int64_t>(values.size())}, std::move(raw), hint);
}

Value* Rewriter::Int64Scalar(int64_t value, absl::string_view hint) {
  std::string raw(sizeof(value), '\0');
  std::memcpy(raw.data(), &value, sizeof(value));
  return Constant(onnx::TensorProto::INT64, {}, std::move(raw), hint);
}

Value* Rewriter::Constant(int32_t elem_type, absl::Span<const int64_t> dims,
                          std::string raw, absl::string_view hint) {
  const AttributeInit value("value", elem_type,
                            std::vector<int64_t>(dims.begin(), dims.end()),
                            std::move(raw));
  // A function has no initializers.
  if (anchor_graph_->opset_version("") < kConstantOfAnyType &&
      !IsFloat(elem_type) && anchor_graph_->function() == nullptr) {
    return AddInitializer(value.proto.t(), hint);
  }
  return Emit("Constant", {}, {value}, hint);
}

Value* Rewriter::AddInitializer(const onnx::TensorProto& proto,
                                absl::string_view hint) {
  Graph* graph = model_.graph_;
  Value* value = Model::Storage::Append(model_.storage_->values);
  value->name_ = ClaimValueName(absl::StrCat(anchor_name_, "/", hint));
  value->graph_ = graph;
  graph->values_[value->name_] = value;
  Tensor* tensor = NewTensor(proto);
  tensor->header_->set_name(value->name_.data(), value->name_.size());
  value->initializer_ = tensor;
  value->type_ = model_.storage_->NewTypeOf(*tensor);
  graph->initializers_.push_back(value);
  // Before IR 4 an initializer is listed among the inputs too, and no less
  // constant for that.
  if (model_.ir_version() < 4) {
    value->is_input_ = true;
    graph->inputs_.push_back({value, {}, true});
  }
  MarkChanged(*graph);
  return value;
}

// A tensor with the elements of proto's raw_data.
Tensor* Rewriter::NewTensor(const onnx::TensorProto& proto) {
  Tensor* tensor = Model::Storage::Append(model_.storage_->tensors);
  tensor->header_ = model_.storage_->NewProto<onnx::TensorProto>();
  *tensor->header_ = proto;
  tensor->header_->clear_raw_data();
  constexpr int kTensorRawData = 9;
  std::string record;
  AppendLengthHeader(kTensorRawData, proto.raw_data().size(), &record);
  const size_t header_size = record.size();
  record += proto.raw_data();
  const absl::string_view kept = model_.Intern(record);
  tensor->payload_.push_back({kTensorRawData, kept.substr(header_size), kept});
  return tensor;
}

}  // namespace onnx_legalize
