// SPDX-License-Identifier: Apache-2.0
//
// Reading nodes, their attributes, and tensors.

#include "absl/strings/str_cat.h"
#include "ir/external_data.h"
#include "ir/reader.h"

namespace onnx_legalize {
namespace {

// Field numbers (onnx.proto).
enum NodeField {
  kNodeInput = 1,
  kNodeOutput = 2,
  kNodeName = 3,
  kNodeOpType = 4,
  kNodeAttribute = 5,
  kNodeDomain = 7,
  kNodeOverload = 8,
  kNodeMetadataProps = 9,
  kNodeDeviceConfigurations = 10,
};
enum AttributeField {
  kAttributeTensor = 5,
  kAttributeGraph = 6,
  kAttributeTensors = 10,
  kAttributeGraphs = 11,
};
constexpr int kTensorRawData = 9;

// Whether a field of TensorProto carries elements: its wire type as a single
// element, or -1.
int ElementWireType(int field_number) {
  switch (field_number) {
    case 4:  // float_data
      return kFixed32;
    case 10:  // double_data
      return kFixed64;
    case 5:   // int32_data
    case 7:   // int64_data
    case 11:  // uint64_data
      return kVarint;
    case 6:  // string_data
    case kTensorRawData:
      return kLengthDelimited;
    default:
      return -1;
  }
}

bool Adjoins(absl::string_view a, absl::string_view b) {
  return a.data() + a.size() == b.data();
}

}  // namespace

absl::Status ModelReader::ReadNodeHead(const WireField& record, Graph* graph,
                                       std::vector<absl::string_view>* inputs) {
  Node* node = Model::Storage::Append(storage_->nodes);
  node->record_ = record.record;
  node->graph_ = graph;
  absl::string_view domain, op_type, overload;
  std::vector<absl::string_view> outputs;
  std::string rest;
  if (auto s = ForEachField(record.content,
                            [&](const WireField& field) {
                              if (field.type != kLengthDelimited)
                                return absl::OkStatus();
                              switch (field.number) {
                                case kNodeInput:
                                  inputs->push_back(field.content);
                                  break;
                                case kNodeOutput:
                                  outputs.push_back(field.content);
                                  break;
                                case kNodeName:
                                  node->name_ = field.content;
                                  break;
                                case kNodeOpType:
                                  op_type = field.content;
                                  break;
                                case kNodeDomain:
                                  domain = field.content;
                                  break;
                                case kNodeOverload:
                                  overload = field.content;
                                  break;
                                case kNodeMetadataProps:
                                case kNodeDeviceConfigurations:
                                  rest.append(field.record.data(),
                                              field.record.size());
                                  break;
                              }
                              return absl::OkStatus();
                            });
      !s.ok()) {
    return s;
  }
  // Stays as bytes, but must be intact if the node is to be written anew.
  if (!rest.empty()) {
    if (auto s = ParseLeaf(rest, &scratch_node_); !s.ok()) return s;
  }
  node->op_ = model_->InternOperator(domain, op_type, overload,
                                     graph->opset_version(domain));
  for (absl::string_view name : outputs) {
    Value* value = nullptr;
    if (!name.empty()) {
      if (auto s = DefineValue(name, graph, &value); !s.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat(s.message(), ", the second ", node->DebugName()));
      }
      value->producer_ = node;
      value->output_index_ = node->num_outputs();
    }
    node->outputs_.push_back(value);
  }
  node->prev_ = graph->last_;
  (graph->last_ != nullptr ? graph->last_->next_ : graph->first_) = node;
  graph->last_ = node;
  node->position_ = static_cast<int>(graph->num_nodes_++);
  return absl::OkStatus();
}

void ModelReader::LinkUse(Use* use, Value* value) {
  use->value = value;
  use->next = value->first_use_;
  if (use->next != nullptr) use->next->prev = use;
  value->first_use_ = use;
}

Value* ModelReader::Resolve(absl::string_view name, const Scope& scope) {
  const Node* holder = nullptr;  // In the scope under test, what holds the use.
  for (const Scope* s = &scope; s != nullptr; s = s->outer) {
    if (Value* value = s->graph->FindValue(name)) {
      // (ReadNodes binds names to values of another graph.)
      if (holder != nullptr && value->producer_ != nullptr &&
          value->graph_ == s->graph) {
        captures_[holder].push_back(value->producer_);
      }
      return value;
    }
    holder = s->owner;
  }
  return nullptr;
}

absl::Status ModelReader::ResolveInputs(
    Node* node, absl::Span<const absl::string_view> names, const Scope& scope) {
  node->num_inputs_ = static_cast<int>(names.size());
  node->inputs_ = storage_->NewUses(node->num_inputs_);
  for (int i = 0; i < node->num_inputs_; ++i) {
    Use* use = &node->inputs_[i];
    use->node = node;
    use->index = i;
    if (names[i].empty()) continue;
    Value* value = Resolve(names[i], scope);
    if (value == nullptr) {
      return Error(absl::StrCat(node->DebugName(), " reads '", names[i],
                                "', which nothing produces"));
    }
    LinkUse(use, value);
  }
  return absl::OkStatus();
}

absl::Status ModelReader::ReadAttributes(Node* node, const Scope& scope,
                                         int depth) {
  WireCursor record_cursor(node->record_);
  WireField field;
  record_cursor.Next(&field);  // The record as a field of the graph.
  return ForEachField(field.content, [&](const WireField& inner) {
    if (inner.number != kNodeAttribute || inner.type != kLengthDelimited) {
      return absl::OkStatus();
    }
    return ReadAttribute(inner, node, scope, depth);
  });
}

absl::Status ModelReader::ReadAttribute(const WireField& record, Node* node,
                                        const Scope& scope, int depth) {
  Attribute* attribute = Model::Storage::Append(storage_->attributes);
  attribute->record_ = record.record;
  std::string rest;
  std::vector<WireField> tensors, graphs;
  if (auto s = ForEachField(
          record.content,
          [&](const WireField& field) {
            const int n = field.number;
            if (field.type == kLengthDelimited &&
                (n == kAttributeTensor || n == kAttributeTensors)) {
              tensors.push_back(field);
            } else if (field.type == kLengthDelimited &&
                       (n == kAttributeGraph || n == kAttributeGraphs)) {
              graphs.push_back(field);
            } else {
              rest.append(field.record.data(), field.record.size());
            }
            return absl::OkStatus();
          });
      !s.ok()) {
    return s;
  }
  attribute->proto_ = storage_->NewProto<onnx::AttributeProto>();
  if (auto s = ParseLeaf(rest, attribute->proto_); !s.ok()) return s;
  CollectExternalTensors(*attribute->proto_, &storage_->fixed_external_tensors);
  const auto consistent = [](const std::vector<WireField>& fields, bool list,
                             int one_field, int list_field) {
    for (const WireField& f : fields) {
      if (f.number != (list ? list_field : one_field)) return false;
    }
    return list || fields.size() <= 1;
  };
  const auto type = attribute->type();
  if (!consistent(tensors, type == onnx::AttributeProto::TENSORS,
                  kAttributeTensor, kAttributeTensors) ||
      !consistent(graphs, type == onnx::AttributeProto::GRAPHS, kAttributeGraph,
                  kAttributeGraphs)) {
    return Error(absl::StrCat("attribute '", attribute->name(), "' of ",
                              node->DebugName(),
                              " holds something else than its type says"));
  }
  for (const WireField& field : tensors) {
    Tensor* tensor = Model::Storage::Append(storage_->tensors);
    attribute->tensors_.push_back(tensor);
    if (auto s = ReadOwnedTensor(field.content, tensor); !s.ok()) return s;
  }
  for (const WireField& field : graphs) {
    Graph* graph = Model::Storage::Append(storage_->graphs);
    attribute->graphs_.push_back(graph);
    if (auto s = ReadGraph(field.content, graph, &scope, node, depth + 1);
        !s.ok()) {
      return s;
    }
  }
  node->attributes_.push_back(attribute);
  return absl::OkStatus();
}

absl::Status ModelReader::ReadTensor(absl::string_view content,
                                     Tensor* tensor) {
  std::string rest;
  tensor->source_ = content;
  if (auto s = ForEachField(
          content,
          [&](const WireField& field) {
            const int element = ElementWireType(field.number);
            const bool packed = field.type == kLengthDelimited;
            if (element < 0 || (!packed && field.type != element)) {
              rest.append(field.record.data(), field.record.size());
              return absl::OkStatus();
            }
            auto& payload = tensor->payload_;
            const bool single = packed && element != kLengthDelimited;
            if (field.number == kTensorRawData || single) {
              payload.push_back({field.number, field.content, field.record});
            } else if (!payload.empty() &&
                       payload.back().bytes.data() == nullptr &&
                       payload.back().field == field.number &&
                       Adjoins(payload.back().record, field.record)) {
              payload.back().record = absl::string_view(
                  payload.back().record.data(),
                  payload.back().record.size() + field.record.size());
            } else {
              payload.push_back({field.number, {}, field.record});
            }
            return absl::OkStatus();
          });
      !s.ok()) {
    return s;
  }
  tensor->header_ = storage_->NewProto<onnx::TensorProto>();
  if (auto s = ParseLeaf(rest, tensor->header_); !s.ok()) return s;
  return absl::OkStatus();
}

absl::Status ModelReader::ReadOwnedTensor(absl::string_view content,
                                          Tensor* tensor) {
  absl::Status status = ReadTensor(content, tensor);
  if (status.ok() && tensor->is_external()) {
    storage_->external_tensors.push_back(tensor);
  }
  return status;
}

}  // namespace onnx_legalize
