// SPDX-License-Identifier: Apache-2.0
//
// Types as messages show them.

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "onnx_legalize/graph.h"

namespace onnx_legalize {
namespace {

std::string ShapeString(const onnx::TensorShapeProto& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.dim_size(); ++i) {
    const auto& dim = shape.dim(i);
    if (i > 0) text += ",";
    if (dim.has_dim_value()) {
      absl::StrAppend(&text, dim.dim_value());
    } else {
      text += dim.dim_param().empty() ? "?" : dim.dim_param();
    }
  }
  return text + "]";
}

template <typename Tensor>
std::string TensorTypeString(absl::string_view kind, const Tensor& tensor) {
  return absl::StrCat(kind, "(", ElemTypeName(tensor.elem_type()), ")",
                      tensor.has_shape() ? ShapeString(tensor.shape()) : "");
}

}  // namespace

std::string ElemTypeName(int32_t elem_type) {
  if (!onnx::TensorProto_DataType_IsValid(elem_type)) {
    return absl::StrCat("type ", elem_type);
  }
  return absl::AsciiStrToLower(onnx::TensorProto_DataType_Name(
      static_cast<onnx::TensorProto_DataType>(elem_type)));
}

std::string TypeString(const onnx::TypeProto& type) {
  switch (type.value_case()) {
    case onnx::TypeProto::kTensorType:
      return TensorTypeString("tensor", type.tensor_type());
    case onnx::TypeProto::kSparseTensorType:
      return TensorTypeString("sparse_tensor", type.sparse_tensor_type());
    case onnx::TypeProto::kSequenceType:
      return absl::StrCat("seq(", TypeString(type.sequence_type().elem_type()),
                          ")");
    case onnx::TypeProto::kOptionalType:
      return absl::StrCat("optional(",
                          TypeString(type.optional_type().elem_type()), ")");
    case onnx::TypeProto::kMapType:
      return absl::StrCat("map(", ElemTypeName(type.map_type().key_type()), ",",
                          TypeString(type.map_type().value_type()), ")");
    case onnx::TypeProto::kOpaqueType:
      return absl::StrCat("opaque(", type.opaque_type().domain(), ".",
                          type.opaque_type().name(), ")");
    default:
      return "unknown";
  }
}

}  // namespace onnx_legalize
