// SPDX-License-Identifier: Apache-2.0

#include "ops/schema.h"

#include "ops/onnx_boundary.h"
#include "ops/type_rules.h"

namespace onnx_legalize {

const onnx::OpSchema* SchemaOf(const Operator& op) {
  if (op.version <= 0 || !op.overload.empty()) return nullptr;
  return LookUpSchema(op.domain, op.op_type, op.version);
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

}  // namespace onnx_legalize
