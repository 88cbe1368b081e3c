// SPDX-License-Identifier: Apache-2.0
//
// The ways that the conversion driver has of rewriting a node, of whatever
// kind: version steps, casts, lowerings in C++ and in text, schemas' function
// bodies, passes.

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_CANDIDATES_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_CANDIDATES_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "onnx_legalize/pass.h"
#include "passes/legalize/lowering.h"
#include "targets/legality.h"

namespace onnx_legalize {

// What became of one way.
struct Attempt {
  bool done = false;
  std::string declined;  // Why not; "" where it isn't about such a node.
  RewriteDone rewrite;
  static Attempt NotApplicable() { return {}; }
  static Attempt Declined(std::string reason) {
    return {false, std::move(reason), {}};
  }
  static Attempt Done(std::string what, Exactness exactness) {
    return {true, "", {std::move(what), exactness}};
  }
};

struct CandidateContext {
  PassContext& pass;
  Legality& legality;
};

// The decline of a way that is `exactness` faithful, where that isn't enough.
std::optional<Attempt> DeclineInexact(Exactness exactness,
                                      const CandidateContext& context);

class Candidate {
 public:
  Candidate(std::string name, Direction direction, Exactness exactness)
      : name_(std::move(name)), direction_(direction), exactness_(exactness) {}
  virtual ~Candidate() = default;
  const std::string& name() const { return name_; }
  Direction direction() const { return direction_; }
  // As it is in general; an attempt may be more or less faithful.
  Exactness exactness() const { return exactness_; }
  // Rewrites `node`, at which the rewriter's anchor stands, or declines without
  // having changed anything. An error is a bug or a malformed function.
  virtual absl::StatusOr<Attempt> Apply(Node& node,
                                        CandidateContext& context) const = 0;

 private:
  std::string name_;
  Direction direction_;
  Exactness exactness_;
};

using Candidates = std::vector<std::unique_ptr<Candidate>>;

// The candidates for nodes of `op`, in the order to try them in: version steps,
// then exact before equivalent before inexact, then cheap before dear.
absl::StatusOr<Candidates> CandidatesFor(const Operator& op,
                                         CandidateContext& context);

// version_step.cc
void AddVersionSteps(const Operator& op, Candidates* candidates);
// cast_through.cc
void AddCastThrough(const Operator& op, Candidates* candidates);
// function_lowering.cc: the schema's own body, and functions in text
absl::Status AddFunctions(const Operator& op, CandidateContext& context,
                          Candidates* candidates);
// custom_lowering.cc: the caller's own (Options::registry)
void AddCustomLowerings(const Operator& op, const Options& options,
                        Candidates* candidates);
bool HasCustomLowering(const Operator& op, const Options& options);
// candidates.cc
void AddLowerings(const Operator& op, Candidates* candidates);
void AddPasses(const Operator& op, Candidates* candidates);

// Puts `body`, which was built for `node`, in its place. `outputs` of the body
// may be fewer than the node's.
absl::Status ReplaceByBody(Node& node, const onnx::FunctionProto& body,
                           Rewriter& rewriter);

// Gives `body`'s references to attributes the values that `node` has, or the
// defaults of the function or, if not null, the schema; takes out those that
// have none. Fails for an attribute that is a graph.
absl::Status BindAttributes(const Node& node, const onnx::OpSchema* schema,
                            onnx::FunctionProto* body);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_CANDIDATES_H_
