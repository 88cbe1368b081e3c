// SPDX-License-Identifier: Apache-2.0

#include "ops/type_scope.h"

#include <utility>

#include "ops/constant.h"
#include "ops/tensor_proto.h"

namespace onnx_legalize {
namespace {

// Lists in shape arithmetic are as long as a rank; the rest is data.
constexpr int kMaxElements = 1024;

bool SameDimension(const onnx::TensorShapeProto::Dimension& a,
                   const onnx::TensorShapeProto::Dimension& b) {
  return a.value_case() == b.value_case() && a.dim_value() == b.dim_value() &&
         a.dim_param() == b.dim_param();
}

bool SameElements(const onnx::TensorShapeProto& a,
                  const onnx::TensorShapeProto& b) {
  if (a.dim_size() != b.dim_size()) return false;
  for (int i = 0; i < a.dim_size(); ++i) {
    if (!SameDimension(a.dim(i), b.dim(i))) return false;
  }
  return true;
}

// Of Constant's other forms than `value`; null for strings and sparse tensors.
std::unique_ptr<onnx::TensorProto> ConstantFromForms(
    const onnx::AttributeProto& attribute) {
  auto tensor = std::make_unique<onnx::TensorProto>();
  if (attribute.name() == "value_int") {
    tensor->set_data_type(onnx::TensorProto::INT64);
    tensor->add_int64_data(attribute.i());
  } else if (attribute.name() == "value_ints") {
    tensor->set_data_type(onnx::TensorProto::INT64);
    *tensor->mutable_int64_data() = attribute.ints();
    tensor->add_dims(attribute.ints_size());
  } else if (attribute.name() == "value_float") {
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    tensor->add_float_data(attribute.f());
  } else if (attribute.name() == "value_floats") {
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    *tensor->mutable_float_data() = attribute.floats();
    tensor->add_dims(attribute.floats_size());
  } else {
    return nullptr;
  }
  return tensor;
}

}  // namespace

std::optional<std::vector<int64_t>> Numbers(
    const onnx::TensorShapeProto& elements) {
  std::vector<int64_t> numbers;
  for (const auto& d : elements.dim()) {
    if (!d.has_dim_value()) return std::nullopt;
    numbers.push_back(d.dim_value());
  }
  return numbers;
}

bool FitElements(const onnx::TypeProto* type,
                 onnx::TensorShapeProto* elements) {
  if (type == nullptr || !type->has_tensor_type() ||
      !type->tensor_type().has_shape()) {
    return false;
  }
  const onnx::TensorShapeProto& shape = type->tensor_type().shape();
  const int32_t elem_type = type->tensor_type().elem_type();
  if (shape.dim_size() > 1 || (elem_type != onnx::TensorProto::INT64 &&
                               elem_type != onnx::TensorProto::INT32 &&
                               elem_type != onnx::TensorProto::BOOL)) {
    return false;
  }
  const int count = elements->dim_size();
  if (shape.dim_size() == 0 && count != 1) return false;
  if (shape.dim_size() == 1 && shape.dim(0).has_dim_value() &&
      shape.dim(0).dim_value() != count) {
    return false;
  }
  if (elem_type != onnx::TensorProto::INT32) return true;
  for (auto& d : *elements->mutable_dim()) {
    if (d.has_dim_value() &&
        d.dim_value() != static_cast<int32_t>(d.dim_value())) {
      d.clear_value();
    }
  }
  return true;
}

TypeScope::TypeScope(TypeScope& caller, const Node& call,
                     const Function& function)
    : caller_(&caller),
      call_(&call),
      function_(&function),
      depth_(caller.depth_ + 1) {
  BindInputs(call);
}

bool TypeScope::IsActive(const Function& function) const {
  for (const TypeScope* s = this; s != nullptr; s = s->caller_) {
    if (s->function_ == &function) return true;
  }
  return false;
}

void TypeScope::BindInputs(const Node& call) {
  const Graph& body = function_->body();
  for (int i = 0; i < body.num_inputs(); ++i) {
    const Value* formal = body.input(i);
    const Value* actual = call.input(i);
    if (actual == nullptr || caller_->IsAbsent(*actual)) {
      absent_.insert(formal);
      continue;
    }
    actuals_[formal] = actual;
    if (const onnx::TypeProto* type = caller_->TypeOf(*actual)) {
      types_[formal] = std::make_unique<onnx::TypeProto>(*type);
    }
    if (const onnx::TensorShapeProto* known = caller_->ElementsOf(*actual)) {
      elements_[formal] = std::make_unique<onnx::TensorShapeProto>(*known);
    }
  }
}

const onnx::TypeProto* TypeScope::TypeOf(const Value& value) const {
  if (is_call()) {
    auto it = types_.find(&value);
    if (it != types_.end()) return it->second.get();
  }
  const onnx::TypeProto& type = value.type();
  return type.value_case() == onnx::TypeProto::VALUE_NOT_SET ? nullptr : &type;
}

void TypeScope::SetType(Value& value, const onnx::TypeProto& type) {
  if (!is_call()) {
    rewriter_->SetKnownType(value, type);
    return;
  }
  std::unique_ptr<onnx::TypeProto>& mine = types_[&value];
  if (mine == nullptr) {
    mine = std::make_unique<onnx::TypeProto>(type);
  } else {
    *mine = type;
  }
}

const onnx::TensorShapeProto* TypeScope::ShapeOf(const Value* value) const {
  const onnx::TypeProto* type = value != nullptr ? TypeOf(*value) : nullptr;
  if (type == nullptr || !type->has_tensor_type() ||
      !type->tensor_type().has_shape()) {
    return nullptr;
  }
  return &type->tensor_type().shape();
}

const onnx::TensorShapeProto* TypeScope::ElementsOf(const Value& value) {
  auto it = elements_.find(&value);
  if (it != elements_.end()) return it->second.get();
  if (const std::optional<std::vector<int64_t>> ints =
          ConstantInts(value, kMaxElements)) {
    const Tensor* tensor = ConstantTensor(value);
    if (tensor != nullptr && tensor->rank() > 1) return nullptr;
    auto elements = std::make_unique<onnx::TensorShapeProto>();
    for (int64_t i : *ints) elements->add_dim()->set_dim_value(i);
    return (elements_[&value] = std::move(elements)).get();
  }
  return nullptr;
}

bool TypeScope::SetElements(const Value& value,
                            const onnx::TensorShapeProto* elements) {
  if (elements == nullptr || elements->dim_size() > kMaxElements) {
    constants_.erase(&value);
    return elements_.erase(&value) > 0;
  }
  std::unique_ptr<onnx::TensorShapeProto>& mine = elements_[&value];
  if (mine != nullptr && SameElements(*mine, *elements)) return false;
  constants_.erase(&value);
  mine = std::make_unique<onnx::TensorShapeProto>(*elements);
  return true;
}

const onnx::TensorProto* TypeScope::ConstantOf(const Value& value) {
  auto actual = actuals_.find(&value);
  if (actual != actuals_.end()) return caller_->ConstantOf(*actual->second);
  auto it = constants_.find(&value);
  if (it != constants_.end()) return it->second.get();
  std::unique_ptr<onnx::TensorProto> made = MakeConstant(value);
  if (made == nullptr) return nullptr;
  return (constants_[&value] = std::move(made)).get();
}

std::unique_ptr<onnx::TensorProto> TypeScope::MakeConstant(const Value& value) {
  if (const Tensor* tensor = ConstantTensor(value)) {
    if (!IsSmall(*tensor)) return nullptr;
    auto proto = std::make_unique<onnx::TensorProto>();
    FillTensorProto(*tensor, proto.get());
    return proto;
  }
  const Node* producer = value.producer();
  if (producer != nullptr && producer->Is("Constant") &&
      !producer->HasAttributeReference()) {
    for (const Attribute* a : producer->attributes()) {
      if (auto proto = ConstantFromForms(a->proto())) return proto;
    }
  }
  auto known = elements_.find(&value);
  const onnx::TypeProto* type = TypeOf(value);
  if (known == elements_.end() || type == nullptr || !type->has_tensor_type() ||
      !type->tensor_type().has_shape()) {
    return nullptr;
  }
  const std::optional<std::vector<int64_t>> numbers = Numbers(*known->second);
  const int32_t elem_type = type->tensor_type().elem_type();
  if (!numbers || (elem_type != onnx::TensorProto::INT64 &&
                   elem_type != onnx::TensorProto::INT32)) {
    return nullptr;
  }
  auto proto = std::make_unique<onnx::TensorProto>();
  proto->set_data_type(elem_type);
  if (type->tensor_type().shape().dim_size() == 1) {
    proto->add_dims(numbers->size());
  }
  for (int64_t n : *numbers) {
    if (elem_type == onnx::TensorProto::INT64) {
      proto->add_int64_data(n);
    } else {
      proto->add_int32_data(static_cast<int32_t>(n));
    }
  }
  return proto;
}

BoundAttribute TypeScope::Resolve(const Attribute& attribute) const {
  if (!attribute.is_reference()) return {&attribute, nullptr};
  if (!is_call()) return {};
  const std::string& name = attribute.ref_attr_name();
  if (const Attribute* given = call_->attribute(name)) {
    const BoundAttribute bound = caller_->Resolve(*given);
    if (!bound.absent()) return bound;
  }
  for (const onnx::AttributeProto& fallback :
       function_->header().attribute_proto()) {
    if (fallback.name() == name) return {nullptr, &fallback};
  }
  return {};
}

}  // namespace onnx_legalize
