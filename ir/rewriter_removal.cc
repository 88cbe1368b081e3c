// SPDX-License-Identifier: Apache-2.0
//
// Rewriter: removing nodes, initializers and inputs, and what that leaves
// without a reader.

#include "ir/check.h"
#include "ir/effects.h"
#include "onnx_legalize/rewriter.h"

namespace onnx_legalize {

void Rewriter::Erase(Node& node) {
  for (const Value* v : node.outputs_) {
    CHECK_INTERNAL(v == nullptr || !v->has_uses(), "erasing a node in use");
  }
  std::vector<Value*> candidates;
  Remove(node, &candidates);
  for (Value* value : candidates) EraseIfUnused(*value);
}

void Rewriter::Remove(Node& node, std::vector<Value*>* candidates) {
  if (listener_ != nullptr) listener_->NodeErased(node);
  if (anchor_ == &node) anchor_ = node.next_;
  Unlink(node);
  for (Value* v : node.outputs_) {
    if (v != nullptr) Forget(*v);
  }
  Detach(node, candidates);
}

// Takes the uses of a node, and of all inside its subgraphs, off their values.
void Rewriter::Detach(Node& node, std::vector<Value*>* candidates) {
  const auto detach = [candidates](Use& use) {
    if (use.value == nullptr) return;
    candidates->push_back(use.value);
    Unlink(use);
  };
  for (int i = 0; i < node.num_inputs_; ++i) detach(node.inputs_[i]);
  for (const Attribute* attribute : node.attributes_) {
    for (Graph* graph : attribute->graphs_) {
      for (Use* use : graph->output_uses_) detach(*use);
      for (Node* n = graph->first_; n != nullptr; n = n->next_) {
        for (Value* v : n->outputs_) {
          if (v != nullptr) v->is_erased_ = true;
        }
        Detach(*n, candidates);
      }
    }
  }
}

void Rewriter::Forget(Value& value) {
  value.graph_->values_.erase(value.name_);
  value.is_erased_ = true;
  value.producer_ = nullptr;
}

void Rewriter::EraseIfUnused(Value& value) {
  std::vector<Value*> candidates = {&value};
  while (!candidates.empty()) {
    Value* v = candidates.back();
    candidates.pop_back();
    if (v->is_erased_ || v->is_pinned_ || v->has_uses()) continue;
    if (v->producer_ != nullptr) {
      bool needed = false;
      for (const Value* output : v->producer_->outputs_) {
        needed |=
            output != nullptr && (output->has_uses() || output->is_pinned_);
      }
      if (!needed && !MayHaveEffects(*v->producer_)) {
        Remove(*v->producer_, &candidates);
      }
    } else if (v->initializer_ != nullptr || v->is_sparse_initializer_) {
      // An input's default stays with the input; in IR 3 it is a constant that
      // had to be listed among the inputs.
      if (!v->is_input_ || model_.ir_version() < 4) RemoveInitializer(*v);
    }
  }
}

void Rewriter::RemoveInitializer(Value& value) {
  CHECK_INTERNAL(!value.has_uses(), "removing an initializer in use");
  Graph* graph = value.graph_;
  auto& list = graph->initializers_;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] != &value) continue;
    list.erase(list.begin() + i);
    break;
  }
  value.initializer_ = nullptr;
  value.is_sparse_initializer_ = false;
  graph->sparse_records_.erase(&value);
  MarkChanged(*graph);
  if (value.is_input_) {
    RemoveGraphInput(*graph, value);
  } else {
    Forget(value);
  }
}

void Rewriter::RemoveGraphInput(Graph& graph, Value& input) {
  CHECK_INTERNAL(!input.has_uses() && input.initializer_ == nullptr,
                 "removing an input in use");
  for (size_t i = 0; i < graph.inputs_.size(); ++i) {
    if (graph.inputs_[i].value != &input) continue;
    graph.inputs_.erase(graph.inputs_.begin() + i);
    break;
  }
  input.is_input_ = false;
  Forget(input);
  MarkChanged(graph);
}

}  // namespace onnx_legalize
