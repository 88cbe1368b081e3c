// SPDX-License-Identifier: Apache-2.0
//
// The pass contract. A pass has a name, which is also its flag, and says
// honestly whether it changed the model. It is idempotent, and what it doesn't
// do to a node that it is about, it declines with a reason.

#ifndef ONNX_LEGALIZE_PASS_H_
#define ONNX_LEGALIZE_PASS_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_legalize/graph.h"
#include "onnx_legalize/legalize.h"
#include "onnx_legalize/rewriter.h"

namespace onnx_legalize {

class TypeInference;  // ops/inference.h
struct Target;        // targets/target.h
struct Search;        // passes/legalize/search.h

// What a pass works with. Types of all values are inferred before the first
// pass and kept up to date: a node made by `rewriter` has typed outputs at
// once.
struct PassContext {
  Model& model;
  Rewriter& rewriter;
  TypeInference& types;
  const Options& options;
  const Target& target;
  Search& search;
  Report& report;
};

class Pass {
 public:
  virtual ~Pass() = default;
  // True if the model was changed. An error is for bad input only.
  virtual absl::StatusOr<bool> Run(PassContext& context) = 0;
  // The name in passes.def, e.g. "decompose-trilu". Set by the registry.
  absl::string_view name() const { return name_; }
  void set_name(absl::string_view name) { name_ = std::string(name); }

 private:
  std::string name_;
};

// What a RewritePass says of one node of its root operators.
class MatchResult {
 public:
  // Nothing to do: the node is as the pass wants it.
  static MatchResult NotApplicable() { return MatchResult(kNotApplicable, ""); }
  static MatchResult Matched() { return MatchResult(kMatched, ""); }
  // The pass should rewrite the node but can't: the node stays illegal.
  static MatchResult Declined(std::string reason) {
    return MatchResult(kDeclined, std::move(reason));
  }
  bool matched() const { return kind_ == kMatched; }
  bool declined() const { return kind_ == kDeclined; }
  const std::string& reason() const { return reason_; }

 private:
  enum Kind { kNotApplicable, kMatched, kDeclined };
  MatchResult(Kind kind, std::string reason)
      : kind_(kind), reason_(std::move(reason)) {}
  Kind kind_;
  std::string reason_;
};

// What a rewrite did, for the report.
struct RewriteDone {
  std::string what;  // One line: what was done and why.
  Exactness exactness = Exactness::kExact;
};

// A pass that rewrites one node at a time. The driver owns traversal (main
// graph, subgraphs, functions), the fixpoint, "changed", statistics and the
// report: each decline becomes an IllegalNode. New nodes are visited too. Match
// is never asked about a node with attribute references (in a function body):
// where MayApply says so, the driver declines it.
class RewritePass : public Pass {
 public:
  absl::StatusOr<bool> Run(PassContext& context) final;
  // Operators of ai.onnx that Match is asked about.
  virtual absl::Span<const absl::string_view> roots() const = 0;
  // False where the node, one with attribute references, is as the pass wants
  // it whatever they stand for. May look at which attributes there are, not at
  // their values.
  virtual bool MayApply(const Node& node) const {
    static_cast<void>(node);
    return true;
  }
  // Must not change anything.
  virtual MatchResult Match(const Node& node, const PassContext& context) = 0;
  // Called right after Match matched, with the rewriter's anchor set to `node`.
  virtual absl::StatusOr<RewriteDone> Rewrite(Node& node,
                                              PassContext& context) = 0;
};

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASS_H_
