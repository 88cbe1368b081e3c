// SPDX-License-Identifier: Apache-2.0

#include "ops/tensor_proto.h"

#include <string>

namespace onnx_legalize {

bool IsSmall(const Tensor& tensor) {
  return !tensor.is_external() &&
         tensor.payload_size() <= kMaxMaterializedBytes;
}

namespace {

void CopyTensorProto(const Tensor& tensor, onnx::TensorProto* proto) {
  *proto = tensor.header();
  // On the wire a message is the concatenation of its fields.
  std::string payload;
  for (const PayloadSpan& span : tensor.payload()) {
    payload.append(span.record.data(), span.record.size());
  }
  if (!proto->MergeFromString(payload)) *proto = tensor.header();
}

using TensorCopier = void (*)(const Tensor&, onnx::TensorProto*);

void CopyAttribute(const Attribute& attribute, TensorCopier copy,
                   onnx::AttributeProto* proto) {
  *proto = attribute.proto();
  if (attribute.type() == onnx::AttributeProto::TENSORS) {
    for (const Tensor* t : attribute.tensors()) copy(*t, proto->add_tensors());
  } else if (attribute.tensor() != nullptr) {
    copy(*attribute.tensor(), proto->mutable_t());
  }
}

}  // namespace

void FillTensorProto(const Tensor& tensor, onnx::TensorProto* proto) {
  if (IsSmall(tensor)) return CopyTensorProto(tensor, proto);
  *proto = tensor.header();
}

void FillAttributeProto(const Attribute& attribute,
                        onnx::AttributeProto* proto) {
  CopyAttribute(attribute, FillTensorProto, proto);
}

void CopyAttributeProto(const Attribute& attribute,
                        onnx::AttributeProto* proto) {
  CopyAttribute(attribute, CopyTensorProto, proto);
}

}  // namespace onnx_legalize
