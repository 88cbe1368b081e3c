// SPDX-License-Identifier: Apache-2.0
//
// legalize-operators and convert-opset: the conversion driver. Rewrites every
// node that the target can't run until nothing illegal is left, or says what is
// left and why.
//
//   before:  y = Mish-18 (x)        # ONNX Runtime 1.8.1: no kernel
//   after:   s = Softplus-1 (x)   t = Tanh-13 (s)   y = Mul-14 (x, t)
//
// Nodes are asked in topological order, subgraphs included. For an illegal one
// the candidates (candidates.h) are tried in order; what one emits is asked in
// turn. A node remembers which choices it comes from: none is made twice on the
// way to one node, so that no cycle goes on, and where a way ends in a node
// that nothing can lower, its last choice is remembered as a dead end
// (search.h).
//
// In the end every node is read at the model's new opset imports.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "onnx_legalize/pass.h"
#include "onnx_legalize/registry.h"
#include "ops/inference.h"
#include "ops/onnx_boundary.h"
#include "ops/schema.h"
#include "passes/legalize/cancel_casts.h"
#include "passes/legalize/candidates.h"
#include "passes/legalize/search.h"
#include "passes/report.h"
#include "targets/legality.h"

namespace onnx_legalize {
namespace {

// No way to a legal node is nearly as long.
constexpr int kMaxDepth = 48;

std::string TypeKey(const Node& node) {
  std::string key = OpLabel(node.op());
  const onnx::OpSchema* schema = SchemaOf(node.op());
  absl::StrAppend(
      &key, "-",
      schema != nullptr ? schema->since_version() : node.op().version);
  for (int i = 0; i < node.num_inputs(); ++i) {
    absl::StrAppend(&key, " ",
                    node.input(i) == nullptr ? 0 : node.input(i)->elem_type());
  }
  return key;
}

class ConversionDriver final : public RewriteListener {
 public:
  explicit ConversionDriver(PassContext& context)
      : rewriter_(context.model, this),
        context_{context.model,  rewriter_,      context.types, context.options,
                 context.target, context.search, context.report},
        legality_(context.target, context.model, context.search.imports),
        candidate_context_{context_, legality_} {}

  absl::StatusOr<bool> Run();

  void NodeInserted(Node& node) override {
    context_.types.NodeInserted(node);
    Touch(node);
    inserted_.push_back(&node);
    if (node.Is("Cast")) casts_.push_back(&node);
    for (const Attribute* attribute : node.attributes()) {
      for (Graph* graph : attribute->graphs()) TouchGraph(*graph);
    }
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
  // How a node came to be: the choice that made it, and that of the node which
  // it replaces.
  struct Choice {
    std::string key;  // "lowering | operator and types"
    int parent = -1;
    int depth = 0;
    std::string label;  // Of the node of the user's model.
  };

  void Touch(Node& node) {
    if (current_ < 0) return;
    origin_[&node] = current_;
    touched_.push_back(&node);
  }
  void TouchGraph(Graph& graph) {
    for (Node* n = graph.first_node(); n != nullptr; n = n->next()) {
      Touch(*n);
      for (const Attribute* attribute : n->attributes()) {
        for (Graph* inner : attribute->graphs()) TouchGraph(*inner);
      }
    }
  }
  absl::Status Visit(Node& node);
  absl::StatusOr<bool> TryCandidates(Node& node, const std::string& fault);
  bool Useful(const Candidate& candidate, const Node& node);
  bool IsKnown(const std::string& key, int choice) const;
  void SweepUnused();
  void ReportIllegal(Node& node, std::string reason);
  absl::StatusOr<const Candidates*> CandidatesOf(const Operator& op);
  bool IsGone(const Node& node) const;
  bool IsReplaced(const Operator& op);
  void Relabel();
  void NoteForeignDomains();

  Rewriter rewriter_;
  PassContext context_;
  Legality legality_;
  CandidateContext candidate_context_;
  std::vector<Node*> worklist_;  // The next one is at the back.
  std::vector<Node*> touched_;   // By the rewrite in progress.
  std::vector<Node*> inserted_;
  std::vector<Choice> choices_;
  int current_ = -1;          // The choice in progress.
  std::vector<Node*> casts_;  // That the rewrites made.
  absl::flat_hash_map<const Node*, int> origin_;
  absl::flat_hash_set<const Node*> erased_;
  absl::flat_hash_map<int, Candidates> candidates_;  // By Operator::index.
  int64_t rewrites_ = 0;
};

absl::StatusOr<bool> ConversionDriver::Run() {
  for (Graph* graph : AllGraphs(context_.model)) {
    // Functions that are still there are such as the target runs.
    if (graph->function() != nullptr) continue;
    for (Node* n = graph->first_node(); n != nullptr; n = n->next()) {
      worklist_.push_back(n);
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
  NoteForeignDomains();
  const bool was_changed = context_.model.changed();
  if (context_.report.illegal.empty()) {
    casts_.erase(std::remove_if(casts_.begin(), casts_.end(),
                                [&](Node* cast) { return IsGone(*cast); }),
                 casts_.end());
    CancelCasts(casts_, rewriter_);
    Relabel();
    if (rewrites_ > 0) rewriter_.DropUnusedOpsetImports();
  }
  return rewrites_ > 0 || context_.model.changed() != was_changed;
}

absl::Status ConversionDriver::Visit(Node& node) {
  std::optional<std::string> fault = legality_.Fault(node);
  if (!fault.has_value() && IsReplaced(node.op())) {
    fault = "a lowering was given for it";
  }
  if (!fault.has_value()) return absl::OkStatus();
  if (auto arity = ArityFault(node)) {
    ReportIllegal(node, *std::move(arity));
    return absl::OkStatus();
  }
  return TryCandidates(node, *fault).status();
}

absl::StatusOr<const Candidates*> ConversionDriver::CandidatesOf(
    const Operator& op) {
  auto it = candidates_.find(op.index);
  if (it == candidates_.end()) {
    absl::StatusOr<Candidates> found = CandidatesFor(op, candidate_context_);
    if (!found.ok()) return found.status();
    it = candidates_.emplace(op.index, *std::move(found)).first;
  }
  return &it->second;
}

// A version step goes towards the wanted opset only; where that has no such
// operator, down to older ones is no use, and up neither.
bool ConversionDriver::Useful(const Candidate& candidate, const Node& node) {
  if (candidate.direction() == Direction::kAny) return true;
  const onnx::OpSchema* schema = SchemaOf(node.op());
  if (schema == nullptr) return false;
  const int have = schema->since_version();
  const int opset = legality_.OpsetOf(node.op().domain);
  return candidate.direction() == Direction::kDown
             ? opset < have
             : legality_.WantedVersion(node.op()) != have && opset > have;
}

bool ConversionDriver::IsKnown(const std::string& key, int choice) const {
  for (; choice >= 0; choice = choices_[choice].parent) {
    if (choices_[choice].key == key) return true;
  }
  return false;
}

absl::StatusOr<bool> ConversionDriver::TryCandidates(Node& node,
                                                     const std::string& fault) {
  absl::StatusOr<const Candidates*> candidates = CandidatesOf(node.op());
  if (!candidates.ok()) return candidates.status();
  auto known = origin_.find(&node);
  const int parent = known != origin_.end() ? known->second : -1;
  const int depth = parent >= 0 ? choices_[parent].depth + 1 : 1;
  const std::string label =
      parent >= 0 ? choices_[parent].label : NodeLabel(node);
  std::string reasons;
  const std::string type_key = TypeKey(node);
  const std::string op = OpLabel(node.op());
  for (const auto& candidate : **candidates) {
    if (!Useful(*candidate, node)) continue;
    const std::string key = absl::StrCat(candidate->name(), " | ", type_key);
    if (depth > kMaxDepth || IsKnown(key, parent) ||
        context_.search.dead_ends.contains(key)) {
      continue;
    }
    choices_.push_back({key, parent, depth, label});
    current_ = static_cast<int>(choices_.size()) - 1;
    inserted_.clear();
    rewriter_.SetAnchor(node);
    absl::StatusOr<Attempt> attempt =
        candidate->Apply(node, candidate_context_);
    if (attempt.ok() && attempt->done) {
      if (!IsGone(node)) Touch(node);
      SweepUnused();
      current_ = -1;
      ++rewrites_;
      context_.report.rewrites.push_back({"legalize-operators", label, op,
                                          std::move(attempt->rewrite.what),
                                          attempt->rewrite.exactness});
      return true;
    }
    current_ = -1;
    if (!attempt.ok()) {
      return absl::Status(
          attempt.status().code(),
          absl::StrCat(node.DebugName(), ": ", candidate->name(), ": ",
                       attempt.status().message()));
    }
    if (attempt->declined.empty()) continue;
    absl::StrAppend(&reasons, "; ", attempt->declined);
    if (context_.options.explain) {
      context_.report.explanations.push_back(
          absl::StrCat(node.DebugName(), ": ", candidate->name(),
                       " declined: ", attempt->declined));
    }
  }
  if (parent >= 0) {
    context_.search.new_dead_ends.push_back(choices_[parent].key);
  }
  ReportIllegal(node, absl::StrCat(fault, reasons));
  return false;
}

void ConversionDriver::ReportIllegal(Node& node, std::string reason) {
  IllegalNode illegal = MakeIllegalNode(node, std::move(reason));
  auto known = origin_.find(&node);
  if (known != origin_.end()) {
    const std::string& label = choices_[known->second].label;
    if (label != illegal.node) {
      illegal.reason =
          absl::StrCat(illegal.reason, " (comes of '", label, "')");
    }
  }
  context_.report.illegal.push_back(std::move(illegal));
}

// Takes out what a body emitted and nothing reads.
void ConversionDriver::SweepUnused() {
  std::reverse(inserted_.begin(), inserted_.end());
  for (Node* node : inserted_) {
    if (erased_.contains(node) || node->num_outputs() == 0) continue;
    bool used = false;
    Value* first = nullptr;
    for (int i = 0; i < node->num_outputs(); ++i) {
      Value* output = node->output(i);
      if (output == nullptr) continue;
      if (first == nullptr) first = output;
      used |= output->has_uses() || output->IsPinned();
    }
    if (!used && first != nullptr) rewriter_.EraseIfUnused(*first);
  }
}

bool ConversionDriver::IsGone(const Node& node) const {
  if (erased_.empty()) return false;
  for (const Node* n = &node; n != nullptr; n = n->graph()->owner()) {
    if (erased_.contains(n)) return true;
  }
  return false;
}

// Whether a user gave a function for an operator that nobody can judge.
bool ConversionDriver::IsReplaced(const Operator& op) {
  if (op.domain.empty() || NewestOpset(op.domain) > 0 ||
      context_.model.FindFunction(op) != nullptr) {
    return false;
  }
  if (HasCustomLowering(op, context_.options)) return true;
  if (context_.options.lowerings.empty()) return false;
  const auto& functions = context_.search.functions;
  return std::any_of(functions.begin(), functions.end(),
                     [&](const TextFunction& function) {
                       return function.Replaces(op, op.version);
                     });
}

// Operators that nobody can judge stay as they are, which the user should know.
void ConversionDriver::NoteForeignDomains() {
  if (context_.target.profile == nullptr) return;
  std::vector<std::string> domains;
  for (const Graph* graph : AllGraphs(context_.model)) {
    for (const Node* n = graph->first_node(); n != nullptr; n = n->next()) {
      const std::string& domain = n->op().domain;
      if (!domain.empty() && NewestOpset(domain) == 0 &&
          context_.model.FindFunction(n->op()) == nullptr) {
        domains.push_back(domain);
      }
    }
  }
  std::sort(domains.begin(), domains.end());
  domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
  for (const std::string& domain : domains) {
    context_.report.notes.push_back(
        absl::StrCat("operators of domain '", domain,
                     "' were not measured and are taken to be legal on ",
                     context_.target.name));
  }
}

// Every node now means the same at the new imports: says so.
void ConversionDriver::Relabel() {
  absl::flat_hash_set<absl::string_view> used;  // Domains.
  for (Graph* graph : AllGraphs(context_.model)) {
    if (graph->function() != nullptr) continue;
    for (Node* n = graph->first_node(); n != nullptr; n = n->next()) {
      used.insert(n->op().domain);
      const int opset = legality_.OpsetOf(n->op().domain);
      if (opset != 0 && n->op().version != opset) {
        rewriter_.RelabelOperator(*n, opset);
      }
    }
  }
  for (const auto& [domain, version] : context_.search.imports) {
    const bool imported = context_.model.opset_version(domain) != 0;
    if (imported || used.contains(domain)) {
      rewriter_.SetOpsetVersion(domain, version);
    }
  }
  if (const Profile* profile = context_.target.profile.get()) {
    if (context_.model.ir_version() > profile->ir_version) {
      rewriter_.SetIrVersion(profile->ir_version);
    }
  }
}

class LegalizeOperators final : public Pass {
 public:
  absl::StatusOr<bool> Run(PassContext& context) override {
    const Registry* registry = context.options.registry.get();
    const bool gives_lowerings =
        !context.options.lowerings.empty() ||
        (registry != nullptr && !registry->lowerings().empty());
    if (context.target.profile == nullptr &&
        (!gives_lowerings || !context.target.IsPortable() ||
         context.options.opset != 0)) {
      return false;
    }
    return ConversionDriver(context).Run();
  }
};

// The same without a runtime: only the opset counts.
class ConvertOpset final : public Pass {
 public:
  absl::StatusOr<bool> Run(PassContext& context) override {
    if (context.target.profile != nullptr ||
        (context.target.opset == 0 && context.options.opset == 0)) {
      return false;
    }
    return ConversionDriver(context).Run();
  }
};

}  // namespace

std::unique_ptr<Pass> MakeConvertOpset() {
  return std::make_unique<ConvertOpset>();
}

std::unique_ptr<Pass> MakeLegalizeOperators() {
  return std::make_unique<LegalizeOperators>();
}

}  // namespace onnx_legalize
