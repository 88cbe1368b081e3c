// SPDX-License-Identifier: Apache-2.0

#include "onnx_legalize/graph.h"

#include "absl/strings/str_cat.h"
#include "ir/storage.h"

namespace onnx_legalize {
namespace {

const onnx::TypeProto& UnknownType() {
  static const onnx::TypeProto* const unknown = new onnx::TypeProto;
  return *unknown;
}

const onnx::TensorShapeProto* DenseShape(const onnx::TypeProto& type) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape())
    return nullptr;
  return &type.tensor_type().shape();
}

void AppendGraphs(Graph* graph, std::vector<Graph*>* out) {
  out->push_back(graph);
  for (Node* n = graph->first_node(); n != nullptr; n = n->next()) {
    for (const Attribute* a : n->attributes()) {
      for (Graph* inner : a->graphs()) AppendGraphs(inner, out);
    }
  }
}

}  // namespace

int64_t Tensor::num_elements() const {
  int64_t count = 1;
  bool overflow = false;
  for (int64_t d : dims()) {
    if (d < 0) return -1;
    overflow |= __builtin_mul_overflow(count, d, &count);
  }
  for (int64_t d : dims()) {
    if (d == 0) return 0;
  }
  return overflow ? -1 : count;
}

size_t Tensor::payload_size() const {
  size_t size = 0;
  for (const PayloadSpan& span : payload_) size += span.record.size();
  return size;
}

bool Value::IsGraphOutput() const {
  for (const Use* u = first_use_; u != nullptr; u = u->next) {
    if (u->node == nullptr) return true;
  }
  return false;
}

const Tensor* Value::ConstantInitializer() const {
  const bool overridable = is_input_ && graph_->model().ir_version() >= 4;
  return overridable ? nullptr : initializer_;
}

const onnx::TypeProto& Value::type() const {
  return type_ != nullptr ? *type_ : UnknownType();
}

int32_t Value::elem_type() const {
  return type().has_tensor_type() ? type().tensor_type().elem_type() : 0;
}

std::optional<int> Value::rank() const {
  const onnx::TensorShapeProto* shape = DenseShape(type());
  if (shape == nullptr) return std::nullopt;
  return shape->dim_size();
}

std::optional<int64_t> Value::dim(int i) const {
  const onnx::TensorShapeProto* shape = DenseShape(type());
  if (shape == nullptr || i < 0 || i >= shape->dim_size() ||
      !shape->dim(i).has_dim_value() || shape->dim(i).dim_value() < 0) {
    return std::nullopt;
  }
  return shape->dim(i).dim_value();
}

std::optional<std::vector<int64_t>> Value::static_shape() const {
  const std::optional<int> r = rank();
  if (!r) return std::nullopt;
  std::vector<int64_t> shape;
  for (int i = 0; i < *r; ++i) {
    const std::optional<int64_t> d = dim(i);
    if (!d) return std::nullopt;
    shape.push_back(*d);
  }
  return shape;
}

const Attribute* Node::attribute(absl::string_view name) const {
  for (const Attribute* a : attributes_) {
    if (a->name() == name) return a;
  }
  return nullptr;
}

int64_t Node::Int(absl::string_view name, int64_t default_value) const {
  const Attribute* a = attribute(name);
  return a != nullptr && a->proto().has_i() ? a->proto().i() : default_value;
}

float Node::Float(absl::string_view name, float default_value) const {
  const Attribute* a = attribute(name);
  return a != nullptr && a->proto().has_f() ? a->proto().f() : default_value;
}

std::string Node::String(absl::string_view name,
                         absl::string_view default_value) const {
  const Attribute* a = attribute(name);
  return a != nullptr && a->proto().has_s() ? a->proto().s()
                                            : std::string(default_value);
}

std::vector<int64_t> Node::Ints(absl::string_view name) const {
  const Attribute* a = attribute(name);
  if (a == nullptr) return {};
  return std::vector<int64_t>(a->proto().ints().begin(),
                              a->proto().ints().end());
}

bool Node::HasAttributeReference() const {
  for (const Attribute* a : attributes_) {
    if (a->is_reference()) return true;
  }
  return false;
}

std::string Node::DebugName() const {
  const std::string op = op_->domain.empty()
                             ? op_->op_type
                             : absl::StrCat(op_->domain, "::", op_->op_type);
  if (!name_.empty()) return absl::StrCat(op, " node '", name_, "'");
  for (const Value* v : outputs_) {
    if (v != nullptr) return absl::StrCat(op, " node making '", v->name(), "'");
  }
  return absl::StrCat(op, " node");
}

Value* Graph::FindValue(absl::string_view name) const {
  auto it = values_.find(name);
  return it == values_.end() ? nullptr : it->second;
}

int Graph::opset_version(absl::string_view domain) const {
  return function_ != nullptr ? function_->opset_version(domain)
                              : model_->opset_version(domain);
}

int Function::opset_version(absl::string_view domain) const {
  auto it = opset_imports_.find(CanonicalDomain(domain));
  return it == opset_imports_.end() ? 0 : it->second;
}

Model::Model() : storage_(std::make_unique<Storage>()) {}
Model::~Model() = default;

int Model::opset_version(absl::string_view domain) const {
  domain = CanonicalDomain(domain);
  for (const auto& [name, version] : storage_->opset_imports) {
    if (name == domain) return version;
  }
  return 0;
}

Function* Model::FindFunction(const Operator& op) const {
  for (Function* f : functions_) {
    if (f->name() == op.op_type && f->overload() == op.overload &&
        CanonicalDomain(f->domain()) == op.domain) {
      return f;
    }
  }
  return nullptr;
}

const Operator* Model::InternOperator(absl::string_view domain,
                                      absl::string_view op_type,
                                      absl::string_view overload, int version) {
  domain = CanonicalDomain(domain);
  auto it = storage_->operator_index.find({domain, op_type, overload, version});
  if (it != storage_->operator_index.end()) return it->second;
  Operator* op = Storage::Append(storage_->operators);
  op->domain = std::string(domain);
  op->op_type = std::string(op_type);
  op->overload = std::string(overload);
  op->version = version;
  op->index = static_cast<int>(operators_.size());
  operators_.push_back(op);
  storage_->operator_index[{op->domain, op->op_type, op->overload, version}] =
      op;
  return op;
}

absl::string_view Model::Intern(absl::string_view text) {
  storage_->strings.emplace_back(text);
  return storage_->strings.back();
}

std::vector<Graph*> AllGraphs(const Model& model) {
  std::vector<Graph*> graphs;
  AppendGraphs(&model.graph(), &graphs);
  for (const Function* f : model.functions()) AppendGraphs(&f->body(), &graphs);
  return graphs;
}

}  // namespace onnx_legalize
