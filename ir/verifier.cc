// SPDX-License-Identifier: Apache-2.0

#include "ir/verifier.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace onnx_legalize {
namespace {

class Verifier {
 public:
  absl::Status VerifyGraph(const Graph& graph) {
    for (int i = 0; i < graph.num_inputs(); ++i) {
      if (auto s = Define(*graph.input(i), graph); !s.ok()) return s;
    }
    for (const Value* v : graph.initializers()) {
      if (v->initializer() == nullptr && !v->IsSparseInitializer()) {
        return Fault("initializer without a tensor", v->name());
      }
      if (v->IsGraphInput()) continue;
      if (auto s = Define(*v, graph); !s.ok()) return s;
    }
    int64_t count = 0;
    const Node* previous = nullptr;
    for (Node* n = graph.first_node(); n != nullptr; n = n->next()) {
      if (n->prev() != previous || n->graph() != &graph) {
        return Fault("node list broken", n->DebugName());
      }
      previous = n;
      ++count;
      if (auto s = VerifyNode(*n); !s.ok()) return s;
    }
    if (graph.last_node() != previous || graph.num_nodes() != count) {
      return Fault("node count wrong in graph", graph.name());
    }
    for (int i = 0; i < graph.num_outputs(); ++i) {
      if (auto s = VerifyRead(graph.output(i), graph, "graph output");
          !s.ok()) {
        return s;
      }
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status Fault(absl::string_view what, absl::string_view name) {
    return absl::InternalError(
        absl::StrCat("the graph is broken: ", what, " ('", name, "')"));
  }

  absl::Status Define(const Value& value, const Graph& graph) {
    if (value.graph() != &graph || graph.FindValue(value.name()) != &value) {
      return Fault("a value isn't found by its name", value.name());
    }
    if (!defined_.insert(&value).second) {
      return Fault("a value is defined twice", value.name());
    }
    for (const Use* u = value.first_use(); u != nullptr; u = u->next) {
      const Value* read = u->node != nullptr ? u->node->input(u->index)
                                             : u->graph->output(u->index);
      if (u->value != &value || read != &value) {
        return Fault("a use list is broken", value.name());
      }
    }
    return absl::OkStatus();
  }

  // `value` must be defined by now, and its name lead to it from `graph`.
  absl::Status VerifyRead(const Value* value, const Graph& graph,
                          absl::string_view reader) {
    if (!defined_.contains(value)) {
      return Fault(absl::StrCat(reader, " reads what isn't defined before it"),
                   value->name());
    }
    const Graph* scope = &graph;
    while (scope != nullptr && scope->FindValue(value->name()) == nullptr) {
      scope = scope->parent();
    }
    if (scope == nullptr || scope->FindValue(value->name()) != value) {
      return Fault(
          absl::StrCat(reader, " reads a name that means another value"),
          value->name());
    }
    return absl::OkStatus();
  }

  absl::Status VerifyNode(const Node& node) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Value* v = node.input(i);
      if (v == nullptr) continue;
      if (auto s = VerifyRead(v, *node.graph(), node.DebugName()); !s.ok()) {
        return s;
      }
    }
    for (const Attribute* attribute : node.attributes()) {
      for (const Graph* inner : attribute->graphs()) {
        if (inner->owner() != &node) {
          return Fault("a subgraph's owner is wrong", node.DebugName());
        }
        if (auto s = VerifyGraph(*inner); !s.ok()) return s;
      }
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      const Value* v = node.output(i);
      if (v == nullptr) continue;
      if (v->producer() != &node || v->output_index() != i) {
        return Fault("an output's producer is wrong", v->name());
      }
      if (auto s = Define(*v, *node.graph()); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::flat_hash_set<const Value*> defined_;
};

}  // namespace

absl::Status Verify(const Model& model) {
  Verifier verifier;
  if (auto s = verifier.VerifyGraph(model.graph()); !s.ok()) return s;
  for (const Function* function : model.functions()) {
    if (auto s = verifier.VerifyGraph(function->body()); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace onnx_legalize
