// SPDX-License-Identifier: Apache-2.0

#include "ops/type_merge.h"

namespace onnx_legalize {
namespace {

using onnx::TypeProto;
using Dimension = onnx::TensorShapeProto::Dimension;

// Dense and sparse tensor types have the same fields.
template <typename Tensor>
bool CompatibleTensors(const Tensor& a, const Tensor& b) {
  if (a.elem_type() != 0 && b.elem_type() != 0 &&
      a.elem_type() != b.elem_type()) {
    return false;
  }
  if (!a.has_shape() || !b.has_shape()) return true;
  if (a.shape().dim_size() != b.shape().dim_size()) return false;
  for (int i = 0; i < a.shape().dim_size(); ++i) {
    const Dimension& d = a.shape().dim(i);
    const Dimension& e = b.shape().dim(i);
    if (d.has_dim_value() && e.has_dim_value() &&
        d.dim_value() != e.dim_value()) {
      return false;
    }
  }
  return true;
}

bool RefineDim(const Dimension& other, Dimension* dim) {
  if (dim->has_dim_value()) return false;
  if (other.has_dim_value()) {
    dim->set_dim_value(other.dim_value());
    return true;
  }
  if (dim->has_dim_param() || !other.has_dim_param()) return false;
  dim->set_dim_param(other.dim_param());
  return true;
}

template <typename Tensor>
bool RefineTensor(const Tensor& other, Tensor* type) {
  bool added = false;
  if (type->elem_type() == 0 && other.elem_type() != 0) {
    type->set_elem_type(other.elem_type());
    added = true;
  }
  if (!other.has_shape()) return added;
  if (!type->has_shape()) {
    *type->mutable_shape() = other.shape();
    return true;
  }
  for (int i = 0; i < type->shape().dim_size(); ++i) {
    added |=
        RefineDim(other.shape().dim(i), type->mutable_shape()->mutable_dim(i));
  }
  return added;
}

template <typename Tensor>
bool MoreSpecificTensor(const Tensor& type, const Tensor& declared) {
  if (declared.elem_type() == 0 && type.elem_type() != 0) return true;
  if (!type.has_shape()) return false;
  if (!declared.has_shape()) return true;
  for (int i = 0; i < type.shape().dim_size(); ++i) {
    if (type.shape().dim(i).has_dim_value() &&
        !declared.shape().dim(i).has_dim_value()) {
      return true;
    }
  }
  return false;
}

template <typename Tensor>
void IntersectTensor(const Tensor& other, Tensor* type) {
  if (type->elem_type() != other.elem_type()) type->clear_elem_type();
  if (!type->has_shape()) return;
  if (!other.has_shape() ||
      other.shape().dim_size() != type->shape().dim_size()) {
    type->clear_shape();
    return;
  }
  for (int i = 0; i < type->shape().dim_size(); ++i) {
    const Dimension& d = other.shape().dim(i);
    Dimension* mine = type->mutable_shape()->mutable_dim(i);
    const bool agree =
        mine->has_dim_value()
            ? d.has_dim_value() && d.dim_value() == mine->dim_value()
            : d.has_dim_param() && d.dim_param() == mine->dim_param();
    if (!agree) mine->Clear();
  }
}

template <typename Tensor>
void DropNegativeDims(Tensor* type) {
  for (Dimension& d : *type->mutable_shape()->mutable_dim()) {
    if (d.has_dim_value() && d.dim_value() < 0) d.clear_value();
  }
}

}  // namespace

bool Compatible(const TypeProto& a, const TypeProto& b) {
  if (a.value_case() == TypeProto::VALUE_NOT_SET ||
      b.value_case() == TypeProto::VALUE_NOT_SET) {
    return true;
  }
  if (a.value_case() != b.value_case()) return false;
  switch (a.value_case()) {
    case TypeProto::kTensorType:
      return CompatibleTensors(a.tensor_type(), b.tensor_type());
    case TypeProto::kSparseTensorType:
      return CompatibleTensors(a.sparse_tensor_type(), b.sparse_tensor_type());
    case TypeProto::kSequenceType:
      return Compatible(a.sequence_type().elem_type(),
                        b.sequence_type().elem_type());
    case TypeProto::kOptionalType:
      return Compatible(a.optional_type().elem_type(),
                        b.optional_type().elem_type());
    case TypeProto::kMapType:
      return (a.map_type().key_type() == 0 || b.map_type().key_type() == 0 ||
              a.map_type().key_type() == b.map_type().key_type()) &&
             Compatible(a.map_type().value_type(), b.map_type().value_type());
    default:
      return true;  // Opaque.
  }
}

bool Refine(const TypeProto& other, TypeProto* type) {
  if (other.value_case() == TypeProto::VALUE_NOT_SET) return false;
  if (type->value_case() == TypeProto::VALUE_NOT_SET) {
    // Merged, so that a denotation stays.
    type->MergeFrom(other);
    return true;
  }
  switch (type->value_case()) {
    case TypeProto::kTensorType:
      return RefineTensor(other.tensor_type(), type->mutable_tensor_type());
    case TypeProto::kSparseTensorType:
      return RefineTensor(other.sparse_tensor_type(),
                          type->mutable_sparse_tensor_type());
    case TypeProto::kSequenceType:
      return Refine(other.sequence_type().elem_type(),
                    type->mutable_sequence_type()->mutable_elem_type());
    case TypeProto::kOptionalType:
      return Refine(other.optional_type().elem_type(),
                    type->mutable_optional_type()->mutable_elem_type());
    case TypeProto::kMapType:
      return Refine(other.map_type().value_type(),
                    type->mutable_map_type()->mutable_value_type());
    default:
      return false;
  }
}

bool MoreSpecific(const TypeProto& type, const TypeProto& declared) {
  if (type.value_case() == TypeProto::VALUE_NOT_SET) return false;
  if (declared.value_case() == TypeProto::VALUE_NOT_SET) return true;
  switch (type.value_case()) {
    case TypeProto::kTensorType:
      return MoreSpecificTensor(type.tensor_type(), declared.tensor_type());
    case TypeProto::kSparseTensorType:
      return MoreSpecificTensor(type.sparse_tensor_type(),
                                declared.sparse_tensor_type());
    case TypeProto::kSequenceType:
      return MoreSpecific(type.sequence_type().elem_type(),
                          declared.sequence_type().elem_type());
    case TypeProto::kOptionalType:
      return MoreSpecific(type.optional_type().elem_type(),
                          declared.optional_type().elem_type());
    case TypeProto::kMapType:
      return MoreSpecific(type.map_type().value_type(),
                          declared.map_type().value_type());
    default:
      return false;
  }
}

void CarryNames(const TypeProto& other, TypeProto* type) {
  if (!other.has_tensor_type() || !type->has_tensor_type() ||
      !type->tensor_type().has_shape() ||
      other.tensor_type().shape().dim_size() !=
          type->tensor_type().shape().dim_size()) {
    return;
  }
  for (int i = 0; i < type->tensor_type().shape().dim_size(); ++i) {
    const Dimension& d = other.tensor_type().shape().dim(i);
    Dimension* mine =
        type->mutable_tensor_type()->mutable_shape()->mutable_dim(i);
    if (d.has_dim_param() && mine->value_case() == Dimension::VALUE_NOT_SET) {
      mine->set_dim_param(d.dim_param());
    }
  }
}

void Intersect(const TypeProto& other, TypeProto* type) {
  if (type->value_case() != other.value_case()) {
    type->clear_value();
    return;
  }
  switch (type->value_case()) {
    case TypeProto::kTensorType:
      return IntersectTensor(other.tensor_type(), type->mutable_tensor_type());
    case TypeProto::kSparseTensorType:
      return IntersectTensor(other.sparse_tensor_type(),
                             type->mutable_sparse_tensor_type());
    case TypeProto::kSequenceType:
      return Intersect(other.sequence_type().elem_type(),
                       type->mutable_sequence_type()->mutable_elem_type());
    case TypeProto::kOptionalType:
      return Intersect(other.optional_type().elem_type(),
                       type->mutable_optional_type()->mutable_elem_type());
    case TypeProto::kMapType:
      return Intersect(other.map_type().value_type(),
                       type->mutable_map_type()->mutable_value_type());
    default:
      return;
  }
}

void DropNonsense(TypeProto* type) {
  switch (type->value_case()) {
    case TypeProto::kTensorType:
      if (type->tensor_type().has_shape()) {
        DropNegativeDims(type->mutable_tensor_type());
      }
      return;
    case TypeProto::kSparseTensorType:
      if (type->sparse_tensor_type().has_shape()) {
        DropNegativeDims(type->mutable_sparse_tensor_type());
      }
      return;
    case TypeProto::kSequenceType:
      return DropNonsense(type->mutable_sequence_type()->mutable_elem_type());
    case TypeProto::kOptionalType:
      return DropNonsense(type->mutable_optional_type()->mutable_elem_type());
    case TypeProto::kMapType:
      return DropNonsense(type->mutable_map_type()->mutable_value_type());
    default:
      return;
  }
}

}  // namespace onnx_legalize
