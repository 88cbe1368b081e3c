// SPDX-License-Identifier: Apache-2.0

#include "ops/tensor_proto.h"

#include <string>

namespace onnx_legalize {

bool IsSmall(const Tensor& tensor) {
  return !tensor.is_external() &&
         tensor.payload_size() <= kMaxMaterializedBytes;
}

void FillTensorProto(const Tensor& tensor, onnx::TensorProto* proto) {
  *proto = tensor.header();
  if (!IsSmall(tensor)) return;
  // On the wire a message is the concatenation of its fields.
  std::string payload;
  for (const PayloadSpan& span : tensor.payload()) {
    payload.append(span.record.data(), span.record.size());
  }
  if (!proto->MergeFromString(payload)) *proto = tensor.header();
}

void FillAttributeProto(const Attribute& attribute,
                        onnx::AttributeProto* proto) {
  *proto = attribute.proto();
  if (attribute.type() == onnx::AttributeProto::TENSORS) {
    for (const Tensor* t : attribute.tensors()) {
      FillTensorProto(*t, proto->add_tensors());
    }
  } else if (attribute.tensor() != nullptr) {
    FillTensorProto(*attribute.tensor(), proto->mutable_t());
  }
}

}  // namespace onnx_legalize
