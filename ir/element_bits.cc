// SPDX-License-Identifier: Apache-2.0

#include "ir/element_bits.h"

#include <onnx/onnx_pb.h>

namespace onnx_legalize {

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
