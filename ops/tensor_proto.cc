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

int ElementBits(int32_t elem_type) {
  using onnx::TensorProto;
  switch (elem_type) {
    case TensorProto::UINT2:
    case TensorProto::INT2:
      return 2;
    case TensorProto::UINT4:
    case TensorProto::INT4:
    case TensorProto::FLOAT4E2M1:
      return 4;
    case TensorProto::BOOL:
    case TensorProto::UINT8:
    case TensorProto::INT8:
    case TensorProto::FLOAT8E4M3FN:
    case TensorProto::FLOAT8E4M3FNUZ:
    case TensorProto::FLOAT8E5M2:
    case TensorProto::FLOAT8E5M2FNUZ:
    case TensorProto::FLOAT8E8M0:
      return 8;
    case TensorProto::UINT16:
    case TensorProto::INT16:
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
      return 16;
    case TensorProto::FLOAT:
    case TensorProto::INT32:
    case TensorProto::UINT32:
      return 32;
    case TensorProto::DOUBLE:
    case TensorProto::INT64:
    case TensorProto::UINT64:
    case TensorProto::COMPLEX64:
      return 64;
    case TensorProto::COMPLEX128:
      return 128;
    default:
      return 0;
  }
}

}  // namespace onnx_legalize
