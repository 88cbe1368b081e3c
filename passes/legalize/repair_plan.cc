// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/repair_plan.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "ops/exact_cast.h"
#include "ops/schema.h"
#include "ops/type_rules.h"

namespace onnx_legalize {
namespace {

// Operands that must be of one type.
struct Group {
  std::vector<int> inputs;
  std::vector<int32_t> types;  // Distinct, in order of appearance.
  const TypeRules::Parameter* parameter = nullptr;
  bool makes_output = false;    // An output has the same type.
  bool has_other_kind = false;  // A sequence, an optional, ...

  bool HoldsAll(int32_t type) const {
    return parameter->AllowsTensor(type) &&
           std::all_of(types.begin(), types.end(),
                       [&](int32_t t) { return CastIsExact(t, type); });
  }
  bool Faulty() const {
    return types.size() > 1 ||
           (types.size() == 1 && !parameter->AllowsTensor(types[0]));
  }
  std::string TypeNames() const {
    std::string names;
    for (int32_t t : types) {
      absl::StrAppend(&names, names.empty() ? "" : " and ", ElemTypeName(t));
    }
    return names;
  }
};

std::vector<Group> GroupsOf(const Node& node, const TypeRules& rules) {
  std::map<int, Group> groups;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Value* value = node.input(i);
    const TypeRules::Parameter* parameter = rules.ForInput(i);
    if (value == nullptr || parameter == nullptr) continue;
    // An operand that is bound to no other is a group by itself.
    const int variable = parameter->variable;
    Group& group = groups[variable >= 0 ? variable : -1 - i];
    group.parameter = parameter;
    const int32_t type = value->elem_type();
    if (type == 0) {
      group.has_other_kind |=
          value->type().value_case() != onnx::TypeProto::VALUE_NOT_SET;
      continue;
    }
    group.inputs.push_back(i);
    if (std::count(group.types.begin(), group.types.end(), type) == 0) {
      group.types.push_back(type);
    }
    for (int o = 0; o < node.num_outputs() && variable >= 0; ++o) {
      const TypeRules::Parameter* output = rules.ForOutput(o);
      group.makes_output |= node.output(o) != nullptr && output != nullptr &&
                            output->variable == variable;
    }
  }
  std::vector<Group> list;
  for (auto& [variable, group] : groups) list.push_back(std::move(group));
  return list;
}

// The type to cast a faulty group to, or 0 with a reason.
int32_t TargetOf(const Group& group, const Node& node, std::string* reason) {
  if (group.types.size() > 1) {
    for (int32_t type : group.types) {
      if (group.HoldsAll(type)) return type;
    }
  }
  int32_t target = 0;
  for (int32_t type : CastTargets()) {
    if (target == 0 && group.HoldsAll(type)) target = type;
  }
  if (target == 0) {
    *reason =
        absl::StrCat(node.op().op_type, " at opset ", node.op().version,
                     " takes no type that holds every ", group.TypeNames());
  } else if (group.makes_output) {
    // What the framework computed there may have wrapped around or rounded in
    // the narrower type.
    *reason = absl::StrCat("a cast of ", group.TypeNames(), " to ",
                           ElemTypeName(target),
                           " would change the type of the result");
    target = 0;
  }
  return target;
}

// Cast itself learned some types late (bfloat16 at opset 13).
bool CastKnows(const Graph& graph, int32_t from, int32_t to) {
  Operator cast;
  cast.op_type = "Cast";
  cast.version = graph.opset_version("");
  const onnx::OpSchema* schema = SchemaOf(cast);
  if (schema == nullptr) return false;
  const TypeRules rules(*schema);
  return rules.ForInput(0)->AllowsTensor(from) &&
         rules.ForOutput(0)->AllowsTensor(to);
}

}  // namespace

RepairPlan PlanRepair(const Node& node) {
  RepairPlan plan;
  plan.fault = TypeConstraintFault(node).value_or("");
  const onnx::OpSchema* schema = SchemaOf(node.op());
  if (schema == nullptr) {
    plan.reason = "its operator is unknown";
    return plan;
  }
  const TypeRules rules(*schema);
  for (const Group& group : GroupsOf(node, rules)) {
    if (!group.Faulty()) continue;
    if (group.has_other_kind) {
      plan.reason = "an operand is no tensor";
      return plan;
    }
    const int32_t target = TargetOf(group, node, &plan.reason);
    if (target == 0) return plan;
    for (int i : group.inputs) {
      const int32_t type = node.input(i)->elem_type();
      if (type == target) continue;
      if (!CastKnows(*node.graph(), type, target)) {
        plan.reason = absl::StrCat(
            "Cast at opset ", node.graph()->opset_version(""), " doesn't take ",
            ElemTypeName(type), " to ", ElemTypeName(target));
        return plan;
      }
      plan.operands.push_back({i, target});
    }
  }
  if (plan.operands.empty()) plan.reason = plan.fault;
  return plan;
}

}  // namespace onnx_legalize
