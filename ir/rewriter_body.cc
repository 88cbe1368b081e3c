// SPDX-License-Identifier: Apache-2.0
//
// Rewriter: inserting the nodes of a function body, and what concerns the model
// as a whole: imports, IR version, functions.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/check.h"
#include "ir/reader.h"
#include "ir/storage.h"
#include "onnx_legalize/rewriter.h"

namespace onnx_legalize {

absl::StatusOr<std::vector<Value*>> Rewriter::EmitBody(
    const onnx::FunctionProto& body, absl::Span<Value* const> inputs) {
  CHECK_INTERNAL(anchor_graph_ != nullptr, "EmitBody needs SetAnchor first");
  absl::flat_hash_map<std::string, Value*> bindings;
  onnx::FunctionProto bound = body;
  absl::flat_hash_set<std::string> absent;
  for (int i = 0; i < body.input_size(); ++i) {
    Value* value = i < static_cast<int>(inputs.size()) ? inputs[i] : nullptr;
    if (value != nullptr) {
      bindings[body.input(i)] = value;
    } else {
      absent.insert(body.input(i));
    }
  }
  if (!absent.empty()) {
    for (auto& node : *bound.mutable_node()) {
      for (auto& name : *node.mutable_input()) {
        if (absent.contains(name)) name.clear();
      }
    }
  }
  absl::StatusOr<Graph*> read = ModelReader::ReadNodes(model_, bound, bindings);
  if (!read.ok()) return read.status();
  Graph& staging = **read;
  std::vector<Value*> outputs;
  for (const std::string& name : body.output()) {
    // Null where the body doesn't make it: a schema's leaves out what the node
    // that it was built for doesn't use.
    outputs.push_back(staging.FindValue(name));
  }
  std::vector<Node*> nodes;
  for (Node* n = staging.first_; n != nullptr; n = n->next_) nodes.push_back(n);
  for (Node* node : nodes) Adopt(*node, anchor_name_);
  for (Node* node : nodes) {
    if (listener_ != nullptr) listener_->NodeInserted(*node);
  }
  return outputs;
}

// Moves a node that was read for us to the anchor, under names of its own.
void Rewriter::Adopt(Node& node, absl::string_view base) {
  const std::string label = absl::StrCat(
      base, "/", node.name_.empty() ? node.op_->op_type : node.name_);
  node.graph_ = anchor_graph_;
  node.is_new_ = true;
  node.dirty_ = true;
  node.record_ = anchor_record_;
  node.name_ = ClaimNodeName(label);
  for (Value* value : node.outputs_) {
    if (value == nullptr) continue;
    value->name_ = ClaimValueName(label);
    value->graph_ = anchor_graph_;
    value->is_new_ = true;
    anchor_graph_->values_[value->name_] = value;
  }
  AdoptSubgraphs(node, base);
  InsertBefore(node, anchor_);
}

void Rewriter::AdoptSubgraphs(Node& node, absl::string_view base) {
  for (const Attribute* attribute : node.attributes_) {
    for (Graph* graph : attribute->graphs_) {
      graph->function_ = anchor_graph_->function_;
      graph->dirty_ = true;
      // Names must be no other value's, of outer graphs neither.
      absl::flat_hash_map<absl::string_view, Value*> values;
      std::vector<std::pair<std::string, Value*>> sorted;
      for (const auto& [name, value] : graph->values_) {
        sorted.emplace_back(std::string(name), value);
      }
      std::sort(sorted.begin(), sorted.end());
      for (const auto& [name, value] : sorted) {
        value->name_ = ClaimValueName(absl::StrCat(base, "/", name));
        values[value->name_] = value;
        if (value->initializer_ == nullptr) continue;
        value->initializer_->header_->set_name(value->name_.data(),
                                               value->name_.size());
        value->initializer_->source_ = {};
      }
      graph->values_ = std::move(values);
      for (auto* infos :
           {&graph->inputs_, &graph->outputs_, &graph->value_infos_}) {
        for (ValueInfo& info : *infos) info.dirty = true;
      }
      for (Node* n = graph->first_; n != nullptr; n = n->next_) {
        n->dirty_ = true;
        if (!n->name_.empty()) {
          n->name_ = ClaimNodeName(absl::StrCat(base, "/", n->name_));
        }
        AdoptSubgraphs(*n, base);
      }
    }
  }
}

void Rewriter::SetOpsetVersion(absl::string_view domain, int version) {
  domain = CanonicalDomain(domain);
  if (model_.opset_version(domain) == version) return;
  model_.changed_ = true;
  auto& imports = model_.storage_->opset_imports;
  imports.erase(std::remove_if(
                    imports.begin(), imports.end(),
                    [&](const auto& import) { return import.first == domain; }),
                imports.end());
  auto* protos = model_.shell_->mutable_opset_import();
  if (version != 0) imports.emplace_back(domain, version);
  bool written = false;
  for (int i = 0; i < protos->size();) {
    if (CanonicalDomain(protos->Get(i).domain()) != domain) {
      ++i;
    } else if (version == 0 || written) {
      protos->DeleteSubrange(i, 1);
    } else {
      protos->Mutable(i++)->set_version(version);
      written = true;
    }
  }
  if (version != 0 && !written) {
    auto* import = protos->Add();
    import->set_domain(domain.data(), domain.size());
    import->set_version(version);
  }
}

void Rewriter::DropUnusedOpsetImports() {
  absl::flat_hash_set<absl::string_view> used = {""};
  for (const Graph* graph : AllGraphs(model_)) {
    for (const Node* n = graph->first_; n != nullptr; n = n->next_) {
      used.insert(n->op_->domain);
    }
  }
  std::vector<std::string> unused;
  for (const auto& [domain, version] : model_.storage_->opset_imports) {
    if (!used.contains(domain)) unused.push_back(domain);
  }
  for (const std::string& domain : unused) SetOpsetVersion(domain, 0);
}

void Rewriter::SetIrVersion(int64_t version) {
  if (model_.ir_version() == version) return;
  model_.changed_ = true;
  model_.shell_->set_ir_version(version);
}

void Rewriter::RemoveFunction(Function& function) {
  auto& functions = model_.functions_;
  functions.erase(std::remove(functions.begin(), functions.end(), &function),
                  functions.end());
  model_.changed_ = true;
}

}  // namespace onnx_legalize
