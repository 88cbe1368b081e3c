// SPDX-License-Identifier: Apache-2.0

#include "ops/schema.h"

#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/onnx_boundary.h"
#include "ops/type_rules.h"

namespace onnx_legalize {

const onnx::OpSchema* SchemaOf(const Operator& op) {
  if (op.version <= 0 || !op.overload.empty()) return nullptr;
  return LookUpSchema(op.domain, op.op_type, op.version);
}

namespace {

// `has(i)`: whether the node's i-th value is given.
template <typename Has>
std::optional<std::string> CountFault(
    const std::vector<onnx::OpSchema::FormalParameter>& parameters,
    const char* kind, int count, int min, int max, const Has& has) {
  if (count < min || count > max) {
    return absl::StrCat(
        "it has ", count, " ", kind, count == 1 ? "" : "s", ", not ", min,
        max == min                               ? ""
        : max == std::numeric_limits<int>::max() ? " or more"
                                                 : absl::StrCat(" to ", max));
  }
  for (int i = 0; i < count && i < static_cast<int>(parameters.size()); ++i) {
    if (parameters[i].GetOption() == onnx::OpSchema::Single && !has(i)) {
      return absl::StrCat("its ", kind, " ", i, " (", parameters[i].GetName(),
                          ") is absent");
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ArityFault(const Node& node) {
  const onnx::OpSchema* schema = SchemaOf(node.op());
  if (schema == nullptr) return std::nullopt;
  auto fault = CountFault(schema->inputs(), "input", node.num_inputs(),
                          schema->min_input(), schema->max_input(),
                          [&](int i) { return node.input(i) != nullptr; });
  if (!fault) {
    fault = CountFault(schema->outputs(), "output", node.num_outputs(),
                       schema->min_output(), schema->max_output(),
                       [&](int i) { return node.output(i) != nullptr; });
  }
  return fault;
}

std::optional<std::string> TypeConstraintFault(const Node& node) {
  // A model-local function takes the place of an operator of its name.
  if (node.graph()->model().FindFunction(node.op()) != nullptr) {
    return std::nullopt;
  }
  const onnx::OpSchema* schema = SchemaOf(node.op());
  if (schema == nullptr) return std::nullopt;
  return TypeRules(*schema).Fault(
      node, [](const Value& value) { return &value.type(); });
}

std::optional<std::string> OutputTypeFault(const Node& node) {
  const onnx::OpSchema* schema = SchemaOf(node.op());
  if (schema == nullptr) return std::nullopt;
  return TypeRules(*schema).OutputFault(
      node, [](const Value& value) { return &value.type(); });
}

}  // namespace onnx_legalize
