// SPDX-License-Identifier: Apache-2.0
//
// Puts nodes in an order in which each stands after what it reads, changing the
// order of the file as little as possible; names a cycle where there is none.

#include <queue>

#include "absl/strings/str_cat.h"
#include "ir/reader.h"

namespace onnx_legalize {
namespace {

struct Dependencies {
  std::vector<Node*> nodes;  // In file order.
  absl::flat_hash_map<const Node*, int> position;
  std::vector<std::vector<int>> readers;  // By position.
  std::vector<int> missing;               // Producers not yet placed.
};

// Follows producers that were never placed until one comes again.
std::string DescribeCycle(const Dependencies& deps,
                          const std::vector<std::vector<int>>& producers,
                          const std::vector<bool>& placed) {
  int at = 0;
  while (placed[at]) ++at;
  std::vector<int> step(deps.nodes.size(), -1);
  std::vector<int> path;
  while (step[at] < 0) {
    step[at] = static_cast<int>(path.size());
    path.push_back(at);
    for (int producer : producers[at]) {
      if (placed[producer]) continue;
      at = producer;
      break;
    }
  }
  constexpr int kShown = 5;
  std::string text;
  const int length = static_cast<int>(path.size()) - step[at];
  for (int i = 0; i < length && i < kShown; ++i) {
    absl::StrAppend(&text, deps.nodes[path[step[at] + i]]->DebugName(),
                    " reads from ");
  }
  if (length > kShown) absl::StrAppend(&text, "... reads from ");
  return absl::StrCat(text, deps.nodes[at]->DebugName());
}

}  // namespace

absl::Status ModelReader::SortNodes(Graph* graph) {
  Dependencies deps;
  deps.position.reserve(graph->num_nodes_);
  for (Node* n = graph->first_; n != nullptr; n = n->next_) {
    deps.position[n] = static_cast<int>(deps.nodes.size());
    deps.nodes.push_back(n);
  }
  const size_t count = deps.nodes.size();
  std::vector<std::vector<int>> producers(count);
  bool sorted = true;
  for (size_t i = 0; i < count; ++i) {
    const auto depend = [&](Node* producer) {
      const int p = deps.position[producer];
      producers[i].push_back(p);
      sorted &= p < static_cast<int>(i);
    };
    const Node* node = deps.nodes[i];
    for (int k = 0; k < node->num_inputs(); ++k) {
      const Value* v = node->input(k);
      if (v != nullptr && v->graph_ == graph && v->producer_ != nullptr) {
        depend(v->producer_);
      }
    }
    auto it = captures_.find(node);
    if (it == captures_.end()) continue;
    for (Node* producer : it->second) depend(producer);
  }
  if (sorted) return absl::OkStatus();

  deps.readers.resize(count);
  deps.missing.resize(count);
  for (size_t i = 0; i < count; ++i) {
    for (int p : producers[i]) deps.readers[p].push_back(static_cast<int>(i));
    deps.missing[i] = static_cast<int>(producers[i].size());
  }
  std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
  for (size_t i = 0; i < count; ++i) {
    if (deps.missing[i] == 0) ready.push(static_cast<int>(i));
  }
  std::vector<bool> placed(count, false);
  Node* last = nullptr;
  size_t moved = 0, done = 0;
  graph->first_ = nullptr;
  while (!ready.empty()) {
    const int i = ready.top();
    ready.pop();
    placed[i] = true;
    moved += static_cast<size_t>(i) != done++;
    Node* node = deps.nodes[i];
    node->prev_ = last;
    node->next_ = nullptr;
    (last != nullptr ? last->next_ : graph->first_) = node;
    last = node;
    for (int reader : deps.readers[i]) {
      if (--deps.missing[reader] == 0) ready.push(reader);
    }
  }
  graph->last_ = last;
  if (done < count) {
    return Error(absl::StrCat("the graph has a cycle: ",
                              DescribeCycle(deps, producers, placed)));
  }
  graph->was_sorted_ = true;
  model_->import_notes_.push_back(absl::StrCat(
      graph->owner_ != nullptr ? "subgraph" : "graph", " '", graph->name(),
      "': nodes stood out of order and were sorted (", moved, " of ", count,
      " moved)"));
  return absl::OkStatus();
}

}  // namespace onnx_legalize
