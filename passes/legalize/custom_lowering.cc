// SPDX-License-Identifier: Apache-2.0
//
// The caller's own lowerings, from a registry object.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "onnx_legalize/registry.h"
#include "ops/schema.h"
#include "passes/legalize/candidates.h"

namespace onnx_legalize {
namespace {

bool IsAbout(const CustomLowering& lowering, const Operator& op) {
  if (lowering.op_type != op.op_type || lowering.domain != op.domain) {
    return false;
  }
  const onnx::OpSchema* schema = SchemaOf(op);
  const int version = schema != nullptr ? schema->since_version() : op.version;
  return lowering.first_version <= version && version <= lowering.last_version;
}

class CustomCandidate final : public Candidate {
 public:
  explicit CustomCandidate(const CustomLowering& lowering)
      : Candidate(lowering.summary, Direction::kAny, lowering.exactness),
        lowering_(lowering) {}

  absl::StatusOr<Attempt> Apply(Node& node,
                                CandidateContext& context) const override {
    if (auto declined = DeclineInexact(exactness(), context)) return *declined;
    absl::StatusOr<onnx::FunctionProto> body = lowering_.lower(node);
    if (!body.ok()) {
      return Attempt::Declined(std::string(body.status().message()));
    }
    if (body->input_size() < node.num_inputs() ||
        body->output_size() < node.num_outputs()) {
      return absl::InvalidArgumentError(
          absl::StrCat("its function has ", body->input_size(), " inputs and ",
                       body->output_size(), " outputs, the node ",
                       node.num_inputs(), " and ", node.num_outputs()));
    }
    absl::Status s = ReplaceByBody(node, *body, context.pass.rewriter);
    if (!s.ok()) return s;
    return Attempt::Done(name(), exactness());
  }

 private:
  const CustomLowering& lowering_;
};

}  // namespace

bool HasCustomLowering(const Operator& op, const Options& options) {
  if (options.registry == nullptr) return false;
  const auto lowerings = options.registry->lowerings();
  return std::any_of(
      lowerings.begin(), lowerings.end(),
      [&](const CustomLowering& lowering) { return IsAbout(lowering, op); });
}

void AddCustomLowerings(const Operator& op, const Options& options,
                        Candidates* candidates) {
  if (options.registry == nullptr) return;
  for (const CustomLowering& lowering : options.registry->lowerings()) {
    if (IsAbout(lowering, op)) {
      candidates->push_back(std::make_unique<CustomCandidate>(lowering));
    }
  }
}

}  // namespace onnx_legalize
