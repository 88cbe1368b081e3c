// SPDX-License-Identifier: Apache-2.0
//
// repair-structure: writes what the reader had to put right, and makes
// duplicate node names unique.
//
//   before:  [n] y = Relu (h)   [n] h = Neg (x)
//   after:   [n] h = Neg (x)   [n_1] y = Relu (h)
//
// Runtimes refuse two nodes of one name in one graph, subgraph or function
// body; across those, names may repeat. Unnamed nodes stay unnamed. Declines
// nothing: what can't be put in order (a cycle, two producers of a value) isn't
// read.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "onnx_legalize/pass.h"

namespace onnx_legalize {
namespace {

std::string GraphLabel(const Graph& graph) {
  if (graph.owner() != nullptr) {
    return absl::StrCat("subgraph '", graph.name(), "'");
  }
  if (graph.function() != nullptr) {
    return absl::StrCat("function '", graph.function()->name(), "'");
  }
  return absl::StrCat("graph '", graph.name(), "'");
}

void AddNote(std::string note, Report& report) {
  auto& notes = report.notes;
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
    notes.push_back(std::move(note));
  }
}

bool MakeNodeNamesUnique(Graph& graph, PassContext& context) {
  bool changed = false;
  absl::flat_hash_set<absl::string_view> names;
  for (Node* node = graph.first_node(); node != nullptr; node = node->next()) {
    if (node->name().empty() || names.insert(node->name()).second) continue;
    const std::string old(node->name());
    context.rewriter.Rename(*node, old);
    names.insert(node->name());
    AddNote(absl::StrCat(GraphLabel(graph), ": another ", node->op().op_type,
                         " node named '", old, "' is now '", node->name(), "'"),
            context.report);
    changed = true;
  }
  return changed;
}

class RepairStructure final : public Pass {
 public:
  absl::StatusOr<bool> Run(PassContext& context) override {
    bool changed = false;
    for (const std::string& note : context.model.import_notes()) {
      AddNote(note, context.report);
    }
    for (Graph* graph : AllGraphs(context.model)) {
      if (graph->was_sorted() && !graph->changed()) {
        context.rewriter.MarkChanged(*graph);
        changed = true;
      }
      changed |= MakeNodeNamesUnique(*graph, context);
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeRepairStructure() {
  return std::make_unique<RepairStructure>();
}

}  // namespace onnx_legalize
