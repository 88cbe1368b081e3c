// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/candidates.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "ops/schema.h"
#include "passes/registry.h"

namespace onnx_legalize {
namespace {

// A lowering of lowerings.def.
class BodyLowering final : public Candidate {
 public:
  explicit BodyLowering(const Lowering& lowering)
      : Candidate(std::string(lowering.summary), lowering.direction,
                  lowering.exactness),
        lowering_(lowering) {}

  absl::StatusOr<Attempt> Apply(Node& node,
                                CandidateContext& context) const override {
    Body body(node, context.pass.types);
    if (auto reason = lowering_.lower(body)) {
      return Attempt::Declined(*std::move(reason));
    }
    const Exactness exactness = body.exactness().value_or(lowering_.exactness);
    if (auto declined = DeclineInexact(exactness, context)) return *declined;
    absl::Status s = ReplaceByBody(node, body.Finish(), context.pass.rewriter);
    if (!s.ok()) return s;
    return Attempt::Done(
        body.what().empty() ? std::string(lowering_.summary) : body.what(),
        exactness);
  }

 private:
  const Lowering& lowering_;
};

// Leaves out absent inputs at the end, which some kernels take amiss.
class TrimInputs final : public Candidate {
 public:
  TrimInputs()
      : Candidate("leaves out absent inputs at the end", Direction::kAny,
                  Exactness::kExact) {}

  absl::StatusOr<Attempt> Apply(Node& node,
                                CandidateContext& context) const override {
    const int last = node.num_inputs() - 1;
    if (last < 0 || node.input(last) != nullptr) {
      return Attempt::NotApplicable();
    }
    for (const Attribute* attribute : node.attributes()) {
      if (!attribute->graphs().empty()) return Attempt::NotApplicable();
    }
    Body b(node, context.pass.types);
    b.SetDomainOpset(node.op().domain, node.op().version);
    Refs inputs;
    for (int i = 0; i < last; ++i) inputs.push_back(b.In(i));
    Refs outputs = b.OpN(node.op().op_type, inputs, node.num_outputs(),
                         b.AttributesWithout(), node.op().domain);
    for (int i = 0; i < node.num_outputs(); ++i) {
      if (node.output(i) == nullptr) outputs[i] = "";
    }
    b.Return(outputs);
    absl::Status s = ReplaceByBody(node, b.Finish(), context.pass.rewriter);
    if (!s.ok()) return s;
    return Attempt::Done(name(), Exactness::kExact);
  }
};

// A pass of passes.def, for nodes that the target can't run.
class PassLowering final : public Candidate {
 public:
  explicit PassLowering(std::unique_ptr<RewritePass> pass)
      : Candidate(std::string(pass->name()), Direction::kAny,
                  Exactness::kExact),
        pass_(std::move(pass)) {}

  absl::StatusOr<Attempt> Apply(Node& node,
                                CandidateContext& context) const override {
    const MatchResult match = pass_->Match(node, context.pass);
    if (match.declined()) return Attempt::Declined(match.reason());
    if (!match.matched()) return Attempt::NotApplicable();
    absl::StatusOr<RewriteDone> done = pass_->Rewrite(node, context.pass);
    if (!done.ok()) return done.status();
    return Attempt::Done(std::move(done->what), done->exactness);
  }

 private:
  std::unique_ptr<RewritePass> pass_;
};

}  // namespace

std::optional<Attempt> DeclineInexact(Exactness exactness,
                                      const CandidateContext& context) {
  if (exactness != Exactness::kInexact || context.pass.options.allow_inexact) {
    return std::nullopt;
  }
  return Attempt::Declined(
      "the result would be inexact (--allow-inexact allows it)");
}

absl::Status ReplaceByBody(Node& node, const onnx::FunctionProto& body,
                           Rewriter& rewriter) {
  std::vector<Value*> inputs;
  for (int i = 0; i < node.num_inputs(); ++i) inputs.push_back(node.input(i));
  absl::StatusOr<std::vector<Value*>> outputs = rewriter.EmitBody(body, inputs);
  if (!outputs.ok()) return outputs.status();
  outputs->resize(node.num_outputs(), nullptr);
  for (int i = 0; i < node.num_outputs(); ++i) {
    const Value* old = node.output(i);
    if ((*outputs)[i] == nullptr && old != nullptr && old->has_uses()) {
      return absl::InternalError(
          absl::StrCat("output ", i, " of ", node.DebugName(), " is not made"));
    }
  }
  rewriter.Replace(node, *outputs);
  return absl::OkStatus();
}

void AddLowerings(const Operator& op, Candidates* candidates) {
  const onnx::OpSchema* schema = SchemaOf(op);
  if (schema == nullptr) return;
  for (const Lowering& lowering : AllLowerings()) {
    if (lowering.op_type == op.op_type && lowering.domain == op.domain &&
        lowering.first_version <= schema->since_version() &&
        schema->since_version() <= lowering.last_version) {
      candidates->push_back(std::make_unique<BodyLowering>(lowering));
    }
  }
}

void AddPasses(const Operator& op, Candidates* candidates) {
  if (!op.domain.empty()) return;
  for (auto make : {&MakeDecomposeAutoPad, &MakeDecomposeTrilu}) {
    std::unique_ptr<Pass> pass = make();
    auto* rewrite = dynamic_cast<RewritePass*>(pass.get());
    const auto roots = rewrite->roots();
    if (std::count(roots.begin(), roots.end(), op.op_type) == 0) continue;
    rewrite->set_name(make == &MakeDecomposeTrilu ? "decompose-trilu"
                                                  : "decompose-auto-pad");
    pass.release();
    candidates->push_back(
        std::make_unique<PassLowering>(std::unique_ptr<RewritePass>(rewrite)));
  }
}

absl::StatusOr<Candidates> CandidatesFor(const Operator& op,
                                         CandidateContext& context) {
  Candidates candidates;
  AddCustomLowerings(op, context.pass.options, &candidates);
  AddVersionSteps(op, &candidates);
  candidates.push_back(std::make_unique<TrimInputs>());
  AddCastThrough(op, &candidates);
  AddPasses(op, &candidates);
  AddLowerings(op, &candidates);
  if (absl::Status s = AddFunctions(op, context, &candidates); !s.ok()) {
    return s;
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) {
                     const bool a_any = a->direction() == Direction::kAny;
                     const bool b_any = b->direction() == Direction::kAny;
                     if (a_any != b_any) return b_any;
                     return a->exactness() < b->exactness();
                   });
  return candidates;
}

}  // namespace onnx_legalize
