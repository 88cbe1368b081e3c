// SPDX-License-Identifier: Apache-2.0

#include "targets/legality.h"

#include <onnx/defs/data_type_utils.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "ops/onnx_boundary.h"
#include "ops/schema.h"

namespace onnx_legalize {
namespace {

// "tensor(float)" -> 1; 0 for another kind of type.
int32_t DenseElemType(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, "tensor(") ||
      !absl::ConsumeSuffix(&name, ")")) {
    return 0;
  }
  constexpr int kElemTypes = 64;
  for (int32_t t = 1; t < kElemTypes; ++t) {
    if (ElemTypeName(t) == name) return t;
  }
  return 0;
}

bool IsKnown(const onnx::TypeProto& type) {
  if (type.has_tensor_type()) return type.tensor_type().elem_type() != 0;
  return !SchemaTypeName(type).empty();
}

std::string ShortType(const onnx::TypeProto& type) {
  return type.has_tensor_type() ? ElemTypeName(type.tensor_type().elem_type())
                                : SchemaTypeName(type);
}

std::string OpName(const Operator& op, int version) {
  return absl::StrCat(op.domain, op.domain.empty() ? "" : ":", op.op_type, "-",
                      version);
}

// Whether the schema's constraints allow tensors of these types.
bool Takes(const onnx::OpSchema& schema,
           const absl::flat_hash_map<std::string, int32_t>& types) {
  for (const auto& constraint : schema.typeConstraintParams()) {
    auto it = types.find(constraint.type_param_str);
    if (it == types.end()) continue;
    const auto& allowed = constraint.allowed_type_strs;
    const std::string name =
        absl::StrCat("tensor(", ElemTypeName(it->second), ")");
    if (std::count(allowed.begin(), allowed.end(), name) == 0) return false;
  }
  return true;
}

}  // namespace

bool Legality::TypeSet::Has(const onnx::TypeProto& type) const {
  if (type.has_tensor_type()) {
    return (dense >> (type.tensor_type().elem_type() & 63) & 1) != 0;
  }
  return others.contains(SchemaTypeName(type));
}

int Legality::OpsetOf(const std::string& domain) const {
  auto it = imports_.find(domain);
  return it == imports_.end() ? 0 : it->second;
}

int Legality::WantedVersion(const Operator& op) { return RuleOf(op).wanted; }

const Legality::Rule& Legality::RuleOf(const Operator& op) {
  if (op.index >= static_cast<int>(rules_.size())) rules_.resize(op.index + 1);
  std::unique_ptr<Rule>& rule = rules_[op.index];
  if (rule == nullptr) rule = MakeRule(op);
  return *rule;
}

std::unique_ptr<Legality::Rule> Legality::MakeRule(const Operator& op) {
  auto rule = std::make_unique<Rule>();
  const int opset = OpsetOf(op.domain);
  if (model_.FindFunction(op) != nullptr || opset == 0) {
    // A domain that no schema is known of may be the runtime's own.
    if (opset == 0 && NewestOpset(op.domain) > 0 &&
        target_.profile != nullptr) {
      rule->fault = absl::StrCat(target_.name, " has no operators of domain '",
                                 op.domain, "'");
    }
    rule->always = rule->fault.empty();
    return rule;
  }
  rule->schema = SchemaOf(op);
  const onnx::OpSchema* wanted = LookUpSchema(op.domain, op.op_type, opset);
  if (wanted != nullptr && !wanted->Deprecated()) {
    rule->wanted = wanted->since_version();
  }
  if (rule->schema == nullptr) {
    rule->fault =
        absl::StrCat("no operator ", OpName(op, op.version), " is known");
    return rule;
  }
  rule->since = rule->schema->since_version();
  rule->types = std::make_unique<TypeRules>(*rule->schema);
  if (rule->since != rule->wanted) {
    rule->fault = absl::StrCat("opset ", opset);
    if (rule->wanted == 0) {
      absl::StrAppend(&rule->fault, " has no ", OpName(op, rule->since));
    } else {
      absl::StrAppend(&rule->fault, " has ", OpName(op, rule->wanted), ", not ",
                      OpName(op, rule->since));
    }
  }
  rule->wanted_schema = wanted;
  if (target_.profile != nullptr && rule->wanted != 0) ReadProfile(op, *rule);
  return rule;
}

void Legality::ReadProfile(const Operator& op, Rule& rule) {
  const OperatorProfile* known = target_.profile->Find(op.domain, op.op_type);
  const std::vector<TypeProduct>* products = nullptr;
  if (known != nullptr) {
    auto it = known->versions.find(rule.wanted);
    if (it != known->versions.end()) products = &it->second;
  }
  rule.typed = true;
  if (products == nullptr) {
    if (rule.fault.empty()) {
      rule.fault = absl::StrCat(target_.name, " has no kernel for ",
                                OpName(op, rule.since));
    }
    return;
  }
  for (const TypeProduct& source : *products) {
    Product& product = rule.products.emplace_back();
    for (const auto& [variable, types] : source) {
      TypeSet& set = product[variable];
      for (const std::string& type : types) {
        if (const int32_t elem_type = DenseElemType(type)) {
          set.dense |= uint64_t{1} << elem_type;
        } else {
          set.others.insert(type);
        }
      }
    }
  }
  const auto compile = [&](const auto& formals, auto* sets) {
    for (const auto& formal : formals) {
      std::vector<const TypeSet*>& of_products = sets->emplace_back();
      for (const Product& product : rule.products) {
        auto it = product.find(formal.GetTypeStr());
        of_products.push_back(it == product.end() ? nullptr : &it->second);
      }
    }
  };
  compile(rule.schema->inputs(), &rule.inputs);
  compile(rule.schema->outputs(), &rule.outputs);
  for (const Constraint& constraint : known->constraints) {
    const auto& versions = constraint.versions;
    if (!versions.empty() &&
        std::count(versions.begin(), versions.end(), rule.since) == 0) {
      continue;
    }
    CompiledConstraint& compiled =
        rule.constraints.emplace_back(CompiledConstraint{&constraint, {}});
    for (const auto& [key, wanted] : constraint.when.items()) {
      compiled.conditions.emplace_back(key, wanted);
    }
  }
}

bool Legality::Fits(const Rule& rule, size_t product, const Node& node) const {
  const auto fits = [&](const std::vector<std::vector<const TypeSet*>>& sets,
                        int i, const Value* value) {
    if (value == nullptr || sets.empty() || !IsKnown(value->type())) {
      return true;
    }
    const size_t formal = std::min<size_t>(i, sets.size() - 1);
    const TypeSet* set = sets[formal][product];
    return set == nullptr || set->Has(value->type());
  };
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (!fits(rule.inputs, i, node.input(i))) return false;
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!fits(rule.outputs, i, node.output(i))) return false;
  }
  return true;
}

std::string Legality::TypeFault(const Rule& rule, const Node& node) const {
  std::vector<std::string> types;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Value* input = node.input(i);
    types.push_back(input == nullptr ? "absent" : ShortType(input->type()));
  }
  return absl::StrCat(target_.name, " has no kernel for ",
                      OpName(node.op(), rule.since), " of ",
                      absl::StrJoin(types, ", "));
}

std::optional<std::string> Legality::Fault(const Node& node) {
  const Rule& rule = RuleOf(node.op());
  if (rule.always) return std::nullopt;
  if (!rule.fault.empty()) return rule.fault;
  const auto type_of = [](const Value& value) { return &value.type(); };
  if (auto fault = rule.types->Fault(node, type_of)) return fault;
  if (!rule.typed) return std::nullopt;
  bool fits = false;
  for (size_t p = 0; p < rule.products.size() && !fits; ++p) {
    fits = Fits(rule, p, node);
  }
  if (!fits) return TypeFault(rule, node);
  for (const CompiledConstraint& constraint : rule.constraints) {
    Truth all = Truth::kYes;
    for (const Condition& condition : constraint.conditions) {
      all = std::min(all, condition.Holds(node, *rule.schema));
    }
    const bool refused = constraint.source->result == "refused";
    if (all == Truth::kYes || (all == Truth::kUnknown && !refused)) {
      return absl::StrCat(
          target_.name, ": ", OpName(node.op(), rule.since),
          refused ? " is refused (" : " computes wrong values (",
          constraint.source->name, ")");
    }
  }
  return std::nullopt;
}

bool Legality::HasKernel(
    const Operator& op,
    const absl::flat_hash_map<std::string, int32_t>& types) {
  const Rule& rule = RuleOf(op);
  if (rule.always) return true;
  if (rule.wanted == 0) return false;
  if (!rule.typed) return Takes(*rule.wanted_schema, types);
  return std::any_of(
      rule.products.begin(), rule.products.end(), [&](const Product& product) {
        return std::all_of(types.begin(), types.end(), [&](const auto& type) {
          auto it = product.find(type.first);
          return it == product.end() ||
                 (it->second.dense >> type.second & 1) != 0;
        });
      });
}

}  // namespace onnx_legalize
