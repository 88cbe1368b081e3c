// SPDX-License-Identifier: Apache-2.0
//
// Our tensors and attributes as whole protos, for the onnx library.

#ifndef ONNX_LEGALIZE_OPS_TENSOR_PROTO_H_
#define ONNX_LEGALIZE_OPS_TENSOR_PROTO_H_

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>

#include "onnx_legalize/graph.h"

namespace onnx_legalize {

// No shape, axis or index list that inference reads is nearly as long.
constexpr size_t kMaxMaterializedBytes = 65536;

// Whether `tensor`'s elements are in the model file and few.
bool IsSmall(const Tensor& tensor);

// The tensor with its elements; without them unless it is small.
void FillTensorProto(const Tensor& tensor, onnx::TensorProto* proto);

// The attribute with its tensors, of which big ones come without elements.
void FillAttributeProto(const Attribute& attribute,
                        onnx::AttributeProto* proto);

// The attribute with all elements of its tensors, however big; without graphs.
void CopyAttributeProto(const Attribute& attribute,
                        onnx::AttributeProto* proto);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_TENSOR_PROTO_H_
