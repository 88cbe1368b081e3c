// SPDX-License-Identifier: Apache-2.0
//
// Version steps that leave a node as it is: revisions of version_steps.def.
//
//   before:  y = Relu-14 (x)      # x: float
//   after:   y = Relu-13 (x)
//
// Declines going down where the older version lacks an attribute that isn't at
// its default, an input, an output, or the type; and, below 11, where a
// negative axis can't be counted from the front.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ops/onnx_boundary.h"
#include "ops/schema.h"
#include "passes/legalize/candidates.h"

namespace onnx_legalize {
namespace {

struct Revision {
  absl::string_view domain, op_type;
  int older, newer;
  absl::string_view attributes;  // That only the newer has, with commas.
};

constexpr Revision kRevisions[] = {
#define REVISION(domain, op_type, older, newer, attributes) \
  {domain, op_type, older, newer, attributes},
#include "passes/legalize/version_steps.def"
#undef REVISION
};

// Axes may be negative from here on.
constexpr int kNegativeAxes = 11;

bool IsDefault(const Attribute& attribute, const onnx::OpSchema& schema) {
  auto it = schema.attributes().find(attribute.name());
  if (it == schema.attributes().end()) return false;
  const onnx::AttributeProto& value = it->second.default_value;
  const onnx::AttributeProto& have = attribute.proto();
  return value.type() == have.type() && value.i() == have.i() &&
         value.f() == have.f() && value.s() == have.s() &&
         value.ints_size() == 0 && have.ints_size() == 0 &&
         attribute.graphs().empty() && attribute.tensors().empty() &&
         value.type() != onnx::AttributeProto::UNDEFINED;
}

// Attributes that mean nothing to types that there were before them.
bool MeansNothing(const Node& node, absl::string_view attribute) {
  if (attribute != "saturate" && attribute != "round_mode") return false;
  const auto is_float8 = [](const Value* v) {
    return v != nullptr && v->elem_type() >= onnx::TensorProto::FLOAT8E4M3FN;
  };
  return !is_float8(node.output(0)) && !is_float8(node.input(0));
}

class RevisionStep final : public Candidate {
 public:
  RevisionStep(const Revision& revision, Direction direction)
      : Candidate(absl::StrCat("reads ", revision.op_type, "-",
                               direction == Direction::kDown ? revision.newer
                                                             : revision.older,
                               " as ", revision.op_type, "-",
                               direction == Direction::kDown ? revision.older
                                                             : revision.newer),
                  direction, Exactness::kExact),
        revision_(revision) {}

  absl::StatusOr<Attempt> Apply(Node& node,
                                CandidateContext& context) const override {
    Rewriter& rewriter = context.pass.rewriter;
    const bool down = direction() == Direction::kDown;
    const int version = node.op().version;
    const int target = down ? revision_.older : revision_.newer;
    const onnx::OpSchema* newer =
        LookUpSchema(node.op().domain, node.op().op_type, revision_.newer);
    std::vector<std::string> dropped;
    if (down) {
      for (absl::string_view name :
           absl::StrSplit(revision_.attributes, ',', absl::SkipEmpty())) {
        const Attribute* attribute = node.attribute(name);
        if (attribute == nullptr) continue;
        if (!IsDefault(*attribute, *newer) && !MeansNothing(node, name)) {
          return Attempt::Declined(absl::StrCat(node.op().op_type, "-", target,
                                                " has no attribute ", name));
        }
        dropped.push_back(std::string(name));
      }
      if (revision_.newer == kNegativeAxes && HasNegativeAxis(node)) {
        return Attempt::Declined(absl::StrCat(node.op().op_type, "-", target,
                                              " takes no negative axis"));
      }
    }
    rewriter.RelabelOperator(node, target);
    std::optional<std::string> fault = ArityFault(node);
    if (!fault) fault = TypeConstraintFault(node);
    if (!fault) fault = OutputTypeFault(node);
    if (fault) {
      rewriter.RelabelOperator(node, version);
      return Attempt::Declined(
          absl::StrCat(node.op().op_type, "-", target, ": ", *fault));
    }
    for (const std::string& name : dropped) {
      rewriter.RemoveAttribute(node, name);
    }
    return Attempt::Done(name(), Exactness::kExact);
  }

 private:
  static bool HasNegativeAxis(const Node& node) {
    if (node.Int("axis", 0) < 0) return true;
    const std::vector<int64_t> axes = node.Ints("axes");
    return std::any_of(axes.begin(), axes.end(),
                       [](int64_t axis) { return axis < 0; });
  }

  const Revision& revision_;
};

}  // namespace

void AddVersionSteps(const Operator& op, Candidates* candidates) {
  const onnx::OpSchema* schema = SchemaOf(op);
  if (schema == nullptr) return;
  for (const Revision& revision : kRevisions) {
    if (revision.op_type != op.op_type || revision.domain != op.domain) {
      continue;
    }
    if (revision.newer == schema->since_version()) {
      candidates->push_back(
          std::make_unique<RevisionStep>(revision, Direction::kDown));
    }
    if (revision.older == schema->since_version()) {
      candidates->push_back(
          std::make_unique<RevisionStep>(revision, Direction::kUp));
    }
  }
}

}  // namespace onnx_legalize
