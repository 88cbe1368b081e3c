// SPDX-License-Identifier: Apache-2.0
//
// Rewriter: replacing values, and their names and types. (Removal:
// rewriter_removal.cc.)

#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/check.h"
#include "ir/storage.h"
#include "onnx_legalize/rewriter.h"

namespace onnx_legalize {

// --- Replacing ---------------------------------------------------------------

void Rewriter::Replace(Node& node, absl::Span<Value* const> replacements) {
  CHECK_INTERNAL(static_cast<int>(replacements.size()) == node.num_outputs(),
                 "Replace needs one value for each output");
  for (int i = 0; i < node.num_outputs(); ++i) {
    Value* old = node.outputs_[i];
    if (old == nullptr) continue;
    if (replacements[i] == nullptr) {
      CHECK_INTERNAL(!old->has_uses(), "a used output has no replacement");
      continue;
    }
    if (CanTakeName(*replacements[i], *old)) {
      TakeName(*replacements[i], *old);
    } else {
      ReplaceAllUses(*old, *replacements[i]);
    }
  }
  Erase(node);
}

bool Rewriter::CanTakeName(const Value& value, const Value& old) const {
  return value.is_new_ && value.graph_ == old.graph_ &&
         value.producer_ != nullptr && !value.IsGraphOutput();
}

// `value` becomes `old` to all who read it; `old` keeps no name worth having.
void Rewriter::TakeName(Value& value, Value& old) {
  Graph* graph = old.graph_;
  const absl::string_view name = old.name_;
  graph->values_.erase(value.name_);
  old.name_ = value.name_;
  value.name_ = name;
  graph->values_[name] = &value;
  graph->values_[old.name_] = &old;
  if (old.producer_ != nullptr) MarkChanged(*old.producer_);
  if (value.producer_ != nullptr) MarkChanged(*value.producer_);
  value.is_new_ = false;
  value.is_pinned_ = std::exchange(old.is_pinned_, false);
  // What was declared or known of the old output holds for the new one, unless
  // the rewrite changed its element type.
  if (old.type_ != nullptr &&
      (value.type_ == nullptr || value.elem_type() == old.elem_type())) {
    value.type_ = old.type_;
  }
  if (old.info_index_ >= 0) {
    value.info_index_ = std::exchange(old.info_index_, -1);
    graph->value_infos_[value.info_index_].value = &value;
  }
  for (ValueInfo& info : graph->outputs_) {
    if (info.value == &old) info.value = &value;
  }
  MoveUses(old, value);
}

void Rewriter::ReplaceAsGraphOutput(Value& output, Value& value) {
  CHECK_INTERNAL(CanTakeName(value, output), "the value can't take the name");
  std::vector<Use*> readers;
  for (Use* use = output.first_use_; use != nullptr; use = use->next) {
    if (use->node != nullptr) readers.push_back(use);
  }
  TakeName(value, output);
  for (Use* use : readers) {
    Unlink(*use);
    Link(*use, output);
  }
}

void Rewriter::MoveUses(Value& from, Value& to) {
  while (from.first_use_ != nullptr) {
    Use* use = from.first_use_;
    Unlink(*use);
    Link(*use, to);
    if (use->node != nullptr) {
      MarkChanged(*use->node);
    } else {
      use->graph->outputs_[use->index].value = &to;
      MarkChanged(*use->graph);
    }
  }
}

void Rewriter::ReplaceAllUses(Value& from, Value& to) {
  if ((from.IsGraphOutput() || from.is_pinned_) && CanTakeName(to, from)) {
    TakeName(to, from);
    return;
  }
  if (from.IsGraphOutput() || from.is_pinned_) KeepNameByIdentity(from, to);
  MoveUses(from, to);
}

// Gives `from`'s name and its places among graph outputs to an Identity of
// `to`.
void Rewriter::KeepNameByIdentity(Value& from, Value& to) {
  Node* const anchor = anchor_;
  Graph* const anchor_graph = anchor_graph_;
  std::vector<Use*> outputs;
  for (Use* use = from.first_use_; use != nullptr; use = use->next) {
    if (use->node == nullptr) outputs.push_back(use);
  }
  anchor_graph_ = outputs.empty() ? from.graph_ : outputs[0]->graph;
  anchor_ = nullptr;  // At the end, where everything is defined.
  Value* copy = Emit("Identity", {&to});
  anchor_ = anchor;
  anchor_graph_ = anchor_graph;
  if (copy->graph_ == from.graph_) {
    // Of from's uses only graph outputs go to the copy; the rest to `to`.
    std::vector<Use*> readers;
    for (Use* use = from.first_use_; use != nullptr; use = use->next) {
      if (use->node != nullptr) readers.push_back(use);
    }
    for (Use* use : readers) {
      Unlink(*use);
      Link(*use, to);
      MarkChanged(*use->node);
    }
    TakeName(*copy, from);
    return;
  }
  for (Use* use : outputs) {
    if (use->graph != copy->graph_) continue;
    Unlink(*use);
    Link(*use, *copy);
    use->graph->outputs_[use->index].value = copy;
    use->graph->outputs_[use->index].dirty = true;
    MarkChanged(*use->graph);
  }
}

void Rewriter::ReplaceGraphInput(Graph& graph, Value& input, Value& value) {
  CHECK_INTERNAL(input.is_input_ && CanTakeName(value, input),
                 "the input can't be replaced by that value");
  TakeName(value, input);
  if (input.initializer_ != nullptr || input.is_sparse_initializer_) {
    RemoveInitializer(input);
  } else {
    RemoveGraphInput(graph, input);
  }
}

// --- Names and types ---------------------------------------------------------

void Rewriter::IndexNames() {
  Model::Storage& storage = *model_.storage_;
  if (storage.names_indexed) return;
  storage.names_indexed = true;
  for (const Value& value : storage.values) {
    storage.value_names.insert(value.name_);
  }
  for (const Node& node : storage.nodes) storage.node_names.insert(node.name_);
}

// A name made from `base` that isn't in `taken`. `base` itself comes first.
std::string Rewriter::Unique(
    absl::string_view base, const absl::flat_hash_set<absl::string_view>& taken,
    absl::flat_hash_map<std::string, int>* counters) {
  if (!base.empty() && !taken.contains(base)) return std::string(base);
  int& counter = (*counters)[std::string(base)];
  for (;;) {
    std::string name = absl::StrCat(base, "_", ++counter);
    if (!taken.contains(name)) return name;
  }
}

std::string Rewriter::UniqueValueName(absl::string_view base) {
  IndexNames();
  return Unique(base, model_.storage_->value_names,
                &model_.storage_->value_name_counters);
}

std::string Rewriter::UniqueNodeName(absl::string_view base) {
  IndexNames();
  return Unique(base, model_.storage_->node_names,
                &model_.storage_->node_name_counters);
}

absl::string_view Rewriter::ClaimValueName(absl::string_view base) {
  const absl::string_view name = model_.Intern(UniqueValueName(base));
  model_.storage_->value_names.insert(name);
  return name;
}

absl::string_view Rewriter::ClaimNodeName(absl::string_view base) {
  const absl::string_view name = model_.Intern(UniqueNodeName(base));
  model_.storage_->node_names.insert(name);
  return name;
}

void Rewriter::Rename(Value& value, absl::string_view name) {
  CHECK_INTERNAL(!value.is_pinned_ && !value.is_sparse_initializer_,
                 "the value's name is kept elsewhere too");
  Graph* graph = value.graph_;
  CHECK_INTERNAL(graph->FindValue(name) == nullptr, "the name is taken");
  graph->values_.erase(value.name_);
  value.name_ = ClaimValueName(name);
  graph->values_[value.name_] = &value;
  MarkChanged(*graph);
  if (value.producer_ != nullptr) MarkChanged(*value.producer_);
  if (value.initializer_ != nullptr) {
    value.initializer_->header_->set_name(value.name_.data(),
                                          value.name_.size());
    value.initializer_->source_ = {};
  }
  for (ValueInfo& info : graph->inputs_) {
    if (info.value == &value) info.dirty = true;
  }
  if (value.info_index_ >= 0)
    graph->value_infos_[value.info_index_].dirty = true;
  for (Use* use = value.first_use_; use != nullptr; use = use->next) {
    if (use->node != nullptr) {
      MarkChanged(*use->node);
    } else {
      use->graph->outputs_[use->index].dirty = true;
      MarkChanged(*use->graph);
    }
  }
}

void Rewriter::SetKnownType(Value& value, const onnx::TypeProto& type) {
  if (&value.type() == &type) return;
  auto* known = model_.storage_->NewProto<onnx::TypeProto>();
  *known = type;
  value.type_ = known;
}

void Rewriter::DeclareType(Value& value) {
  Graph* graph = value.graph_;
  MarkChanged(*graph);
  bool declared = false;
  for (std::vector<ValueInfo>* list : {&graph->inputs_, &graph->outputs_}) {
    for (ValueInfo& info : *list) {
      if (info.value != &value) continue;
      info.dirty = true;
      declared = true;
    }
  }
  if (value.info_index_ >= 0) {
    graph->value_infos_[value.info_index_].dirty = true;
  } else if (!declared || graph->function_ != nullptr) {
    value.info_index_ = static_cast<int>(graph->value_infos_.size());
    graph->value_infos_.push_back({&value, {}, true});
  }
}

}  // namespace onnx_legalize
