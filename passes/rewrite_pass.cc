// SPDX-License-Identifier: Apache-2.0
//
// The driver of RewritePass: which nodes are asked, in which order, how often.
//
// It works in rounds. A round asks every root node of the main graph, subgraphs
// and functions in topological order; a node that a rewrite makes or changes is
// asked next, before the rest. Rounds go on until one changes nothing, because
// a rewrite may make a node elsewhere rewritable; only the last round's
// declines count. A rewrite of what a rewrite made is a generation, and a pass
// that goes on for too many of them is in a cycle.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "onnx_legalize/pass.h"
#include "ops/inference.h"
#include "ops/schema.h"
#include "passes/report.h"

namespace onnx_legalize {
namespace {

// No chain of rewrites of one pass is nearly as long unless it is a cycle.
constexpr int kMaxGenerations = 64;

class RewriteDriver final : public RewriteListener {
 public:
  RewriteDriver(RewritePass& pass, PassContext& context)
      : pass_(pass), rewriter_(context.model, this), context_{context.model,
                                                              rewriter_,
                                                              context.types,
                                                              context.options,
                                                              context.target,
                                                              context.search,
                                                              context.report} {}

  absl::StatusOr<bool> Run();

  void NodeInserted(Node& node) override {
    context_.types.NodeInserted(node);
    Touch(node);
  }
  void NodeModified(Node& node) override {
    context_.types.NodeModified(node);
    Touch(node);
  }
  void NodeErased(Node& node) override {
    context_.types.NodeErased(node);
    erased_.insert(&node);
  }

 private:
  // Where a node comes from that this pass has made or changed.
  struct Provenance {
    int generation = 0;
    std::string label;  // Of the node of the user's model.
  };

  absl::Status Round();
  absl::Status Visit(Node& node);
  absl::Status Rewrite(Node& node);
  void Decline(const Node& node, std::string reason);
  void ReportDeclines();
  bool IsRoot(const Operator& op);
  bool IsGone(const Node& node) const;
  void Touch(Node& node) {
    provenance_[&node] = current_;
    if (IsRoot(node.op())) touched_.push_back(&node);
  }

  RewritePass& pass_;
  Rewriter rewriter_;
  PassContext context_;
  std::vector<int8_t> is_root_;  // By Operator::index; -1 is not known yet.
  std::vector<Node*> worklist_;  // The next one is at the back.
  std::vector<Node*> touched_;   // By the rewrite in progress.
  Provenance current_;           // Of what the rewrite in progress makes.
  absl::flat_hash_map<const Node*, Provenance> provenance_;
  absl::flat_hash_set<const Node*> erased_;
  std::vector<std::pair<const Node*, std::string>> declines_;
  int64_t rewrites_ = 0;
};

absl::StatusOr<bool> RewriteDriver::Run() {
  int64_t before;
  do {
    before = rewrites_;
    if (absl::Status s = Round(); !s.ok()) return s;
  } while (rewrites_ != before);
  ReportDeclines();
  return rewrites_ > 0;
}

absl::Status RewriteDriver::Round() {
  declines_.clear();
  // Collected first, since rewriting unlinks nodes.
  for (Graph* graph : AllGraphs(context_.model)) {
    for (Node* n = graph->first_node(); n != nullptr; n = n->next()) {
      if (IsRoot(n->op())) worklist_.push_back(n);
    }
  }
  std::reverse(worklist_.begin(), worklist_.end());
  while (!worklist_.empty()) {
    Node* node = worklist_.back();
    worklist_.pop_back();
    if (IsGone(*node)) continue;
    if (absl::Status s = Visit(*node); !s.ok()) return s;
    worklist_.insert(worklist_.end(), touched_.rbegin(), touched_.rend());
    touched_.clear();
  }
  return absl::OkStatus();
}

absl::Status RewriteDriver::Visit(Node& node) {
  if (node.op().version == 0) {
    Decline(node, "its scope imports no version of ai.onnx");
    return absl::OkStatus();
  }
  if (auto fault = ArityFault(node)) {
    Decline(node, *std::move(fault));
    return absl::OkStatus();
  }
  if (node.HasAttributeReference()) {
    if (pass_.MayApply(node)) {
      Decline(node, "its attributes depend on the call of the function");
    }
    return absl::OkStatus();
  }
  const MatchResult match = pass_.Match(node, context_);
  if (match.declined()) Decline(node, match.reason());
  return match.matched() ? Rewrite(node) : absl::OkStatus();
}

absl::Status RewriteDriver::Rewrite(Node& node) {
  auto known = provenance_.find(&node);
  current_ = known != provenance_.end() ? known->second
                                        : Provenance{0, NodeLabel(node)};
  const std::string name = node.DebugName();
  if (++current_.generation > kMaxGenerations) {
    return absl::InternalError(
        absl::StrCat("comes to no end at ", name, " after ", kMaxGenerations,
                     " rewrites of '", current_.label, "'"));
  }
  const std::string op = node.op().op_type;
  rewriter_.SetAnchor(node);
  absl::StatusOr<RewriteDone> done = pass_.Rewrite(node, context_);
  if (!done.ok()) {
    return absl::Status(done.status().code(),
                        absl::StrCat(name, ": ", done.status().message()));
  }
  ++rewrites_;
  provenance_[&node] = current_;
  context_.report.rewrites.push_back({std::string(pass_.name()), current_.label,
                                      op, std::move(done->what),
                                      done->exactness});
  return absl::OkStatus();
}

void RewriteDriver::Decline(const Node& node, std::string reason) {
  declines_.emplace_back(&node, std::move(reason));
}

void RewriteDriver::ReportDeclines() {
  Report& report = context_.report;
  for (auto& [node, reason] : declines_) {
    if (context_.options.explain) {
      report.explanations.push_back(absl::StrCat(
          pass_.name(), ": ", node->DebugName(), " declined: ", reason));
    }
    report.illegal.push_back(MakeIllegalNode(*node, std::move(reason)));
  }
}

bool RewriteDriver::IsRoot(const Operator& op) {
  if (op.index >= static_cast<int>(is_root_.size())) {
    is_root_.resize(op.index + 1, -1);
  }
  int8_t& known = is_root_[op.index];
  if (known < 0) {
    const auto roots = pass_.roots();
    // A model-local function of the same name takes an operator's place.
    const bool is_root =
        op.domain.empty() &&
        std::count(roots.begin(), roots.end(), op.op_type) > 0 &&
        context_.model.FindFunction(op) == nullptr;
    known = is_root ? 1 : 0;
  }
  return known != 0;
}

// Whether the node, or one whose subgraph it is in, has been erased.
bool RewriteDriver::IsGone(const Node& node) const {
  if (erased_.empty()) return false;
  for (const Node* n = &node; n != nullptr; n = n->graph()->owner()) {
    if (erased_.contains(n)) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<bool> RewritePass::Run(PassContext& context) {
  return RewriteDriver(*this, context).Run();
}

}  // namespace onnx_legalize
