// SPDX-License-Identifier: Apache-2.0
//
// eliminate-dead-nodes: removes nodes and initializers that nothing reads.
//
//   before:  y = Relu (x)   s = Shape (x)   d = Add (s, w)
//   after:   y = Relu (x)
//
// Inputs and outputs of graphs, overridable initializers, and what training
// info or a quantization annotation names stay. Declines nodes that may have an
// effect: those of operators that aren't ONNX's, and what holds or calls one.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/effects.h"
#include "onnx_legalize/pass.h"
#include "passes/report.h"

namespace onnx_legalize {
namespace {

bool IsRead(const Node& node) {
  for (int i = 0; i < node.num_outputs(); ++i) {
    const Value* output = node.output(i);
    if (output != nullptr && (output->has_uses() || output->IsPinned())) {
      return true;
    }
  }
  return false;
}

void EraseDeadNodes(Graph& graph, PassContext& context) {
  Node* node = graph.last_node();
  while (node != nullptr) {
    Node* const next = node->next();
    if (IsRead(*node)) {
      node = node->prev();
    } else if (MayHaveEffects(*node)) {
      if (context.options.explain) {
        context.report.explanations.push_back(absl::StrCat(
            "eliminate-dead-nodes: ", node->DebugName(),
            " declined: its operator isn't ONNX's and may have an effect"));
      }
      node = node->prev();
    } else {
      // Takes producers along, which stand before it; `next` stays.
      context.rewriter.Erase(*node);
      node = next != nullptr ? next->prev() : graph.last_node();
    }
  }
}

void EraseDeadInitializers(Graph& graph, Rewriter& rewriter) {
  const std::vector<Value*> values(graph.initializers().begin(),
                                   graph.initializers().end());
  for (Value* value : values) rewriter.EraseIfUnused(*value);
}

int64_t CountInitializers(const Model& model) {
  int64_t count = 0;
  for (const Graph* graph : AllGraphs(model)) {
    count += static_cast<int64_t>(graph->initializers().size());
  }
  return count;
}

class EliminateDeadNodes final : public Pass {
 public:
  absl::StatusOr<bool> Run(PassContext& context) override;
};

absl::StatusOr<bool> EliminateDeadNodes::Run(PassContext& context) {
  const std::map<std::string, int64_t> ops_before = CountOps(context.model);
  const int64_t initializers_before = CountInitializers(context.model);
  const std::vector<Graph*> graphs = AllGraphs(context.model);
  // Inner graphs first: what only they read in outer ones is dead after that.
  for (auto graph = graphs.rbegin(); graph != graphs.rend(); ++graph) {
    EraseDeadNodes(**graph, context);
  }
  for (Graph* graph : AllGraphs(context.model)) {
    EraseDeadInitializers(*graph, context.rewriter);
  }
  std::vector<std::string> removed;
  const std::map<std::string, int64_t> ops_after = CountOps(context.model);
  for (const auto& [op, count] : ops_before) {
    const auto left = ops_after.find(op);
    const int64_t gone = count - (left != ops_after.end() ? left->second : 0);
    if (gone > 0) removed.push_back(absl::StrCat(gone, " ", op));
  }
  const int64_t initializers =
      initializers_before - CountInitializers(context.model);
  if (initializers > 0) {
    removed.push_back(absl::StrCat(
        initializers, initializers > 1 ? " initializers" : " initializer"));
  }
  if (removed.empty()) return false;
  context.report.rewrites.push_back(
      {std::string(name()), "", "",
       absl::StrCat("removed what nothing reads: ",
                    absl::StrJoin(removed, ", "))});
  return true;
}

}  // namespace

std::unique_ptr<Pass> MakeEliminateDeadNodes() {
  return std::make_unique<EliminateDeadNodes>();
}

}  // namespace onnx_legalize
