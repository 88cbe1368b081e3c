// SPDX-License-Identifier: Apache-2.0

#include "ir/effects.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"

namespace onnx_legalize {
namespace {

// A function is looked into once, which also ends recursion in invalid models.
using Seen = absl::flat_hash_set<const Function*>;

bool NodeMayHaveEffects(const Node& node, Seen& seen);

bool GraphMayHaveEffects(const Graph& graph, Seen& seen) {
  for (const Node* n = graph.first_node(); n != nullptr; n = n->next()) {
    if (NodeMayHaveEffects(*n, seen)) return true;
  }
  return false;
}

bool NodeMayHaveEffects(const Node& node, Seen& seen) {
  const Operator& op = node.op();
  if (const Function* function = node.graph()->model().FindFunction(op)) {
    return seen.insert(function).second &&
           GraphMayHaveEffects(function->body(), seen);
  }
  if (!op.domain.empty() && !absl::StartsWith(op.domain, "ai.onnx.")) {
    return true;
  }
  for (const Attribute* attribute : node.attributes()) {
    for (const Graph* graph : attribute->graphs()) {
      if (GraphMayHaveEffects(*graph, seen)) return true;
    }
  }
  return false;
}

}  // namespace

bool MayHaveEffects(const Node& node) {
  Seen seen;
  return NodeMayHaveEffects(node, seen);
}

}  // namespace onnx_legalize
