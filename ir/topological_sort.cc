// SPDX-License-Identifier: Apache-2.0
//
// Puts nodes in an order in which each stands after what it reads, changing the
// order of the file as little as possible; names a cycle where there is none.

#include <queue>

#include "absl/strings/str_cat.h"
#include "ir/reader.h"

namespace onnx_legalize {
namespace {

// By position in the file.
std::string Label(const Graph& graph) {
  const Function* function = graph.function();
  if (graph.owner() == nullptr && function != nullptr) {
    return absl::StrCat("function '", function->name(), "'");
  }
  return absl::StrCat(graph.owner() != nullptr ? "subgraph '" : "graph '",
                      graph.name(), "'");
}

struct Dependencies {
  std::vector<Node*> nodes;
  std::vector<std::vector<int>> producers;
  std::vector<std::vector<int>> readers;
  std::vector<int> missing;  // Producers not yet placed.
};

// Follows producers that were never placed until one comes again.
std::string DescribeCycle(const Dependencies& deps,
                          const std::vector<bool>& placed) {
  int at = 0;
  while (placed[at]) ++at;
  std::vector<int> step(deps.nodes.size(), -1);
  std::vector<int> path;
  while (step[at] < 0) {
    step[at] = static_cast<int>(path.size());
    path.push_back(at);
    for (int producer : deps.producers[at]) {
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

// Calls `fn` with the position of every node of `graph` that `node`, or a
// subgraph of it, reads from.
template <typename Fn>
void ModelReader::ForEachProducer(const Graph* graph, const Node* node, Fn fn) {
  for (int i = 0; i < node->num_inputs_; ++i) {
    const Value* v = node->inputs_[i].value;
    if (v != nullptr && v->graph_ == graph && v->producer_ != nullptr) {
      fn(v->producer_->position_);
    }
  }
  auto it = captures_.find(node);
  if (it == captures_.end()) return;
  for (const Node* producer : it->second) fn(producer->position_);
}

absl::Status ModelReader::SortNodes(Graph* graph) {
  bool sorted = true;
  for (const Node* n = graph->first_; n != nullptr; n = n->next_) {
    ForEachProducer(graph, n, [&](int p) { sorted &= p < n->position_; });
  }
  if (sorted) return absl::OkStatus();

  const size_t count = graph->num_nodes_;
  Dependencies deps;
  deps.producers.resize(count);
  deps.readers.resize(count);
  deps.missing.resize(count);
  for (Node* n = graph->first_; n != nullptr; n = n->next_) {
    const int i = n->position_;
    deps.nodes.push_back(n);
    ForEachProducer(graph, n, [&](int p) {
      deps.producers[i].push_back(p);
      deps.readers[p].push_back(i);
      ++deps.missing[i];
    });
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
    return Error(
        absl::StrCat("the graph has a cycle: ", DescribeCycle(deps, placed)));
  }
  graph->was_sorted_ = true;
  model_->import_notes_.push_back(absl::StrCat(
      Label(*graph), ": nodes stood out of order and were sorted (", moved,
      " of ", count, " moved)"));
  return absl::OkStatus();
}

}  // namespace onnx_legalize
