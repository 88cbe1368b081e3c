// SPDX-License-Identifier: Apache-2.0
//
// Reading a graph: its signature, initializers, nodes, attributes, subgraphs.

#include "absl/strings/str_cat.h"
#include "ir/reader.h"

namespace onnx_legalize {
namespace {

// Field numbers (onnx.proto).
enum GraphField {
  kGraphNode = 1,
  kGraphInitializer = 5,
  kGraphInput = 11,
  kGraphOutput = 12,
  kGraphValueInfo = 13,
  kGraphSparseInitializer = 15,
};
constexpr int kSparseTensorValues = 1;
constexpr int kSparseTensorIndices = 2;

// As deep as onnx's checker and ONNX Runtime follow subgraphs.
constexpr int kMaxSubgraphDepth = 31;

}  // namespace

absl::Status ModelReader::ReadGraph(absl::string_view content, Graph* graph,
                                    const Scope* outer, Node* owner,
                                    int depth) {
  if (depth > kMaxSubgraphDepth) {
    return Error(absl::StrCat("nests subgraphs more than ", kMaxSubgraphDepth,
                              " deep, as no runtime accepts"));
  }
  graph->model_ = model_;
  graph->owner_ = owner;
  graph->function_ = outer != nullptr ? outer->graph->function_ : nullptr;
  graph->source_ = content;
  Records records;
  std::string rest;
  if (auto s = ForEachField(content,
                            [&](const WireField& field) {
                              std::vector<WireField>* list = nullptr;
                              if (field.type == kLengthDelimited) {
                                switch (field.number) {
                                  case kGraphNode:
                                    list = &records.nodes;
                                    break;
                                  case kGraphInitializer:
                                    list = &records.initializers;
                                    break;
                                  case kGraphInput:
                                    list = &records.inputs;
                                    break;
                                  case kGraphOutput:
                                    list = &records.outputs;
                                    break;
                                  case kGraphValueInfo:
                                    list = &records.value_infos;
                                    break;
                                  case kGraphSparseInitializer:
                                    list = &records.sparse_initializers;
                                    break;
                                }
                              }
                              if (list != nullptr) {
                                list->push_back(field);
                              } else {
                                rest.append(field.record.data(),
                                            field.record.size());
                              }
                              return absl::OkStatus();
                            });
      !s.ok()) {
    return s;
  }
  graph->shell_ = storage_->NewProto<onnx::GraphProto>();
  if (auto s = ParseLeaf(rest, graph->shell_); !s.ok()) return s;
  const Scope scope{graph, outer, owner};
  if (auto s = ReadInputs(records, graph); !s.ok()) return s;
  if (auto s = ReadInitializers(records, graph); !s.ok()) return s;
  if (auto s = ReadBody(records, scope, depth); !s.ok()) return s;
  return ReadOutputs(records, scope);
}

// Nodes and value_info: what a graph and a function have in common. Nodes may
// stand out of order, so that all outputs are defined before inputs are looked
// up.
absl::Status ModelReader::ReadBody(const Records& records, const Scope& scope,
                                   int depth) {
  Graph* graph = scope.graph;
  graph->values_.reserve(graph->values_.size() + records.nodes.size());
  std::vector<absl::string_view> inputs;
  std::vector<size_t> starts = {0};
  for (const WireField& record : records.nodes) {
    if (auto s = ReadNodeHead(record, graph, &inputs); !s.ok()) return s;
    starts.push_back(inputs.size());
  }
  size_t i = 0;
  for (Node* node = graph->first_; node != nullptr; node = node->next_, ++i) {
    const auto names = absl::MakeConstSpan(inputs).subspan(
        starts[i], starts[i + 1] - starts[i]);
    if (auto s = ResolveInputs(node, names, scope); !s.ok()) return s;
  }
  for (Node* node = graph->first_; node != nullptr; node = node->next_) {
    if (auto s = ReadAttributes(node, scope, depth); !s.ok()) return s;
  }
  if (auto s = SortNodes(graph); !s.ok()) return s;
  return ReadValueInfos(records, graph);
}

absl::Status ModelReader::DefineValue(absl::string_view name, Graph* graph,
                                      Value** value) {
  auto [it, inserted] = graph->values_.try_emplace(name, nullptr);
  if (!inserted) {
    const Value* old = it->second;
    return Error(
        absl::StrCat("two producers of the value '", name, "'; the first is ",
                     old->producer_ != nullptr ? old->producer_->DebugName()
                     : old->is_input_          ? "a graph input"
                                               : "an initializer"));
  }
  *value = Model::Storage::Append(storage_->values);
  (*value)->name_ = name;
  (*value)->graph_ = graph;
  it->second = *value;
  return absl::OkStatus();
}

absl::Status ModelReader::ReadValueInfo(const WireField& record,
                                        ValueInfo* info, std::string* name,
                                        onnx::TypeProto** type) {
  auto* proto = storage_->NewProto<onnx::ValueInfoProto>();
  if (auto s = ParseLeaf(record.content, proto); !s.ok()) return s;
  info->record = record.record;
  *name = proto->name();
  *type = proto->has_type() ? proto->mutable_type() : nullptr;
  return absl::OkStatus();
}

absl::Status ModelReader::ReadInputs(const Records& records, Graph* graph) {
  for (const WireField& record : records.inputs) {
    ValueInfo info;
    std::string name;
    onnx::TypeProto* type;
    if (auto s = ReadValueInfo(record, &info, &name, &type); !s.ok()) return s;
    if (name.empty()) return Error("a graph input has no name");
    if (auto s = DefineValue(model_->Intern(name), graph, &info.value);
        !s.ok()) {
      return s;
    }
    info.value->is_input_ = true;
    info.value->type_ = type;
    graph->inputs_.push_back(info);
  }
  return absl::OkStatus();
}

absl::Status ModelReader::ReadInitializers(const Records& records,
                                           Graph* graph) {
  // An initializer of an input's name is that input's default.
  const auto value_of = [&](absl::string_view name,
                            Value** value) -> absl::Status {
    if (name.empty()) return Error("an initializer has no name");
    *value = graph->FindValue(name);
    const bool is_default = *value != nullptr && (*value)->is_input_ &&
                            (*value)->initializer_ == nullptr &&
                            !(*value)->is_sparse_initializer_;
    if (!is_default) {
      if (auto s = DefineValue(name, graph, value); !s.ok()) return s;
    }
    graph->initializers_.push_back(*value);
    return absl::OkStatus();
  };
  for (const WireField& record : records.initializers) {
    Tensor* tensor = Model::Storage::Append(storage_->tensors);
    if (auto s = ReadOwnedTensor(record.content, tensor); !s.ok()) return s;
    Value* value;
    if (auto s = value_of(tensor->header_->name(), &value); !s.ok()) return s;
    value->initializer_ = tensor;
    if (value->type_ == nullptr) {
      value->type_ = storage_->NewTypeOf(*tensor);
    }
  }
  for (const WireField& record : records.sparse_initializers) {
    absl::string_view name;
    if (auto s = ReadSparseTensor(record.content, &name); !s.ok()) return s;
    Value* value;
    if (auto s = value_of(name, &value); !s.ok()) return s;
    value->is_sparse_initializer_ = true;
    graph->sparse_records_[value] = record.record;
  }
  return absl::OkStatus();
}

// Checks what will be kept as bytes, and finds the name, which its values
// carry.
absl::Status ModelReader::ReadSparseTensor(absl::string_view content,
                                           absl::string_view* name) {
  std::string rest;
  if (auto s = ForEachField(
          content,
          [&](const WireField& field) {
            if (field.type != kLengthDelimited ||
                (field.number != kSparseTensorValues &&
                 field.number != kSparseTensorIndices)) {
              rest.append(field.record.data(), field.record.size());
              return absl::OkStatus();
            }
            Tensor part;
            if (auto s = ReadTensor(field.content, &part); !s.ok()) return s;
            if (field.number == kSparseTensorValues) {
              *name = part.header_->name();
            }
            if (part.is_external()) {
              storage_->fixed_external_tensors.push_back(part.header_);
            }
            return absl::OkStatus();
          });
      !s.ok()) {
    return s;
  }
  onnx::SparseTensorProto proto;
  return ParseLeaf(rest, &proto);
}

absl::Status ModelReader::AddOutput(absl::string_view name, const Scope& scope,
                                    const ValueInfo& info) {
  Value* value = Resolve(name, scope);
  if (value == nullptr) {
    return Error(
        absl::StrCat("graph output '", name, "' is produced by nothing"));
  }
  Graph* graph = scope.graph;
  Use* use = storage_->NewUses(1);
  use->graph = graph;
  use->index = graph->num_outputs();
  LinkUse(use, value);
  graph->output_uses_.push_back(use);
  graph->outputs_.push_back(info);
  graph->outputs_.back().value = value;
  return absl::OkStatus();
}

absl::Status ModelReader::ReadOutputs(const Records& records,
                                      const Scope& scope) {
  for (const WireField& record : records.outputs) {
    ValueInfo info;
    std::string name;
    onnx::TypeProto* type;
    if (auto s = ReadValueInfo(record, &info, &name, &type); !s.ok()) return s;
    if (auto s = AddOutput(name, scope, info); !s.ok()) return s;
    Value* value = scope.graph->outputs_.back().value;
    if (value->type_ == nullptr) value->type_ = type;
  }
  return absl::OkStatus();
}

absl::Status ModelReader::ReadValueInfos(const Records& records, Graph* graph) {
  for (const WireField& record : records.value_infos) {
    ValueInfo info;
    std::string name;
    onnx::TypeProto* type;
    if (auto s = ReadValueInfo(record, &info, &name, &type); !s.ok()) return s;
    info.value = graph->FindValue(name);
    if (info.value != nullptr) {
      info.value->info_index_ = static_cast<int>(graph->value_infos_.size());
      if (info.value->type_ == nullptr) info.value->type_ = type;
    }
    graph->value_infos_.push_back(info);
  }
  return absl::OkStatus();
}

}  // namespace onnx_legalize
