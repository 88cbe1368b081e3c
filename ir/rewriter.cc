// SPDX-License-Identifier: Apache-2.0
//
// Rewriter: adding and changing nodes. (Replacing, names and types:
// rewriter_values.cc. Removal: rewriter_removal.cc.)

#include "onnx_legalize/rewriter.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/check.h"
#include "ir/storage.h"

namespace onnx_legalize {
namespace {

onnx::AttributeProto NamedAttribute(absl::string_view name,
                                    onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto proto;
  proto.set_name(name.data(), name.size());
  proto.set_type(type);
  return proto;
}

}  // namespace

AttributeInit::AttributeInit(absl::string_view name, int64_t value)
    : proto(NamedAttribute(name, onnx::AttributeProto::INT)) {
  proto.set_i(value);
}
AttributeInit::AttributeInit(absl::string_view name, float value)
    : proto(NamedAttribute(name, onnx::AttributeProto::FLOAT)) {
  proto.set_f(value);
}
AttributeInit::AttributeInit(absl::string_view name, const char* value)
    : AttributeInit(name, std::string(value)) {}
AttributeInit::AttributeInit(absl::string_view name, const std::string& value)
    : proto(NamedAttribute(name, onnx::AttributeProto::STRING)) {
  proto.set_s(value);
}
AttributeInit::AttributeInit(absl::string_view name,
                             const std::vector<int64_t>& value)
    : proto(NamedAttribute(name, onnx::AttributeProto::INTS)) {
  for (int64_t v : value) proto.add_ints(v);
}
AttributeInit::AttributeInit(absl::string_view name, int32_t elem_type,
                             const std::vector<int64_t>& dims, std::string raw)
    : proto(NamedAttribute(name, onnx::AttributeProto::TENSOR)) {
  proto.mutable_t()->set_data_type(elem_type);
  for (int64_t d : dims) proto.mutable_t()->add_dims(d);
  proto.mutable_t()->set_raw_data(std::move(raw));
}

AttributeInit::AttributeInit(onnx::AttributeProto attribute)
    : proto(std::move(attribute)) {}

void Rewriter::SetAnchor(Node& node) {
  anchor_graph_ = node.graph_;
  anchor_ = &node;
  anchor_record_ = node.record_;
  anchor_name_ = std::string(node.name_);
  for (const Value* v : node.outputs_) {
    if (anchor_name_.empty() && v != nullptr) {
      anchor_name_ = std::string(v->name_);
    }
  }
  if (anchor_name_.empty()) anchor_name_ = node.op_->op_type;
}

void Rewriter::SetAnchorAtFront(Graph& graph, absl::string_view name) {
  anchor_graph_ = &graph;
  anchor_ = graph.first_;
  anchor_record_ = {};
  anchor_name_ = std::string(name);
}

void Rewriter::SetAnchorAtEnd(Graph& graph, absl::string_view name) {
  SetAnchorAtFront(graph, name);
  anchor_ = nullptr;
}

Value* Rewriter::Emit(absl::string_view op_type,
                      absl::Span<Value* const> inputs,
                      absl::Span<const AttributeInit> attributes,
                      absl::string_view hint) {
  return EmitNode("", op_type, inputs, 1, attributes, hint)->output(0);
}

Node* Rewriter::EmitNode(absl::string_view domain, absl::string_view op_type,
                         absl::Span<Value* const> inputs, int num_outputs,
                         absl::Span<const AttributeInit> attributes,
                         absl::string_view hint) {
  CHECK_INTERNAL(anchor_graph_ != nullptr, "Emit needs SetAnchor first");
  const std::string base =
      absl::StrCat(anchor_name_, "/", hint.empty() ? op_type : hint);
  Node* node = Model::Storage::Append(model_.storage_->nodes);
  node->graph_ = anchor_graph_;
  node->is_new_ = true;
  node->dirty_ = true;
  node->record_ = anchor_record_;
  node->name_ = ClaimNodeName(base);
  node->op_ = model_.InternOperator(domain, op_type, "",
                                    anchor_graph_->opset_version(domain));
  while (!inputs.empty() && inputs.back() == nullptr) inputs.remove_suffix(1);
  ResizeInputs(*node, static_cast<int>(inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] != nullptr) Link(node->inputs_[i], *inputs[i]);
  }
  for (int i = 0; i < num_outputs; ++i) {
    Value* value = Model::Storage::Append(model_.storage_->values);
    value->name_ = ClaimValueName(base);
    value->graph_ = anchor_graph_;
    value->producer_ = node;
    value->output_index_ = i;
    value->is_new_ = true;
    anchor_graph_->values_[value->name_] = value;
    node->outputs_.push_back(value);
  }
  for (const AttributeInit& init : attributes) PutAttribute(*node, init);
  InsertBefore(*node, anchor_);
  if (listener_ != nullptr) listener_->NodeInserted(*node);
  return node;
}

void Rewriter::InsertBefore(Node& node, Node* position) {
  Graph* graph = node.graph_;
  node.next_ = position;
  node.prev_ = position != nullptr ? position->prev_ : graph->last_;
  (node.prev_ != nullptr ? node.prev_->next_ : graph->first_) = &node;
  (node.next_ != nullptr ? node.next_->prev_ : graph->last_) = &node;
  ++graph->num_nodes_;
  MarkChanged(*graph);
}

void Rewriter::Unlink(Node& node) {
  Graph* graph = node.graph_;
  (node.prev_ != nullptr ? node.prev_->next_ : graph->first_) = node.next_;
  (node.next_ != nullptr ? node.next_->prev_ : graph->last_) = node.prev_;
  --graph->num_nodes_;
  MarkChanged(*graph);
}

void Rewriter::MoveBefore(Node& node, Node& position) {
  CHECK_INTERNAL(node.graph_ == position.graph_, "MoveBefore across graphs");
  Unlink(node);
  InsertBefore(node, &position);
}

void Rewriter::MarkChanged(Graph& graph) {
  model_.changed_ = true;
  for (Graph* g = &graph; g != nullptr && !g->dirty_; g = g->parent()) {
    g->dirty_ = true;
    if (g->owner_ != nullptr) g->owner_->dirty_ = true;
  }
}

void Rewriter::MarkChanged(Node& node) {
  node.dirty_ = true;
  MarkChanged(*node.graph_);
}

void Rewriter::NotifyModified(Node& node) {
  MarkChanged(node);
  if (listener_ != nullptr) listener_->NodeModified(node);
}

void Rewriter::Link(Use& use, Value& value) {
  use.value = &value;
  use.prev = nullptr;
  use.next = value.first_use_;
  if (use.next != nullptr) use.next->prev = &use;
  value.first_use_ = &use;
}

void Rewriter::Unlink(Use& use) {
  if (use.value == nullptr) return;
  (use.prev != nullptr ? use.prev->next : use.value->first_use_) = use.next;
  if (use.next != nullptr) use.next->prev = use.prev;
  use.value = nullptr;
  use.prev = use.next = nullptr;
}

void Rewriter::ResizeInputs(Node& node, int count) {
  Use* uses = model_.storage_->NewUses(count);
  for (int i = 0; i < count; ++i) {
    uses[i].node = &node;
    uses[i].index = i;
    Value* value = node.input(i);
    if (value == nullptr) continue;
    Unlink(node.inputs_[i]);
    Link(uses[i], *value);
  }
  node.inputs_ = uses;
  node.num_inputs_ = count;
}

void Rewriter::SetInput(Node& node, int i, Value* value) {
  if (i >= node.num_inputs_) ResizeInputs(node, i + 1);
  Unlink(node.inputs_[i]);
  if (value != nullptr) Link(node.inputs_[i], *value);
  NotifyModified(node);
}

void Rewriter::PutAttribute(Node& node, const AttributeInit& init) {
  Attribute* attribute = Model::Storage::Append(model_.storage_->attributes);
  attribute->proto_ = model_.storage_->NewProto<onnx::AttributeProto>();
  *attribute->proto_ = init.proto;
  if (init.proto.has_t()) {
    attribute->proto_->clear_t();
    attribute->tensors_.push_back(NewTensor(init.proto.t()));
  }
  for (Attribute*& old : node.attributes_) {
    if (old->name() == init.proto.name()) {
      old = attribute;
      return;
    }
  }
  node.attributes_.push_back(attribute);
}

void Rewriter::SetAttribute(Node& node, const AttributeInit& attribute) {
  PutAttribute(node, attribute);
  NotifyModified(node);
}

void Rewriter::RemoveAttribute(Node& node, absl::string_view name) {
  auto& attributes = node.attributes_;
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i]->name() != name) continue;
    CHECK_INTERNAL(attributes[i]->graphs_.empty(), "attribute holds a graph");
    attributes.erase(attributes.begin() + i);
    NotifyModified(node);
    return;
  }
}

void Rewriter::SetOperatorVersion(Node& node, int version) {
  node.op_ = model_.InternOperator(node.op_->domain, node.op_->op_type,
                                   node.op_->overload, version);
  NotifyModified(node);
}

void Rewriter::RelabelOperator(Node& node, int version) {
  node.op_ = model_.InternOperator(node.op_->domain, node.op_->op_type,
                                   node.op_->overload, version);
}

void Rewriter::Rename(Node& node, absl::string_view name) {
  node.name_ = ClaimNodeName(name);
  MarkChanged(node);
}

}  // namespace onnx_legalize
