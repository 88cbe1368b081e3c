// SPDX-License-Identifier: Apache-2.0
//
// Is this node legal on the target, read at the opsets that the model is to
// import? All that concerns an operator is looked up once; a node then costs a
// few comparisons.

#ifndef ONNX_LEGALIZE_TARGETS_LEGALITY_H_
#define ONNX_LEGALIZE_TARGETS_LEGALITY_H_

#include <onnx/defs/schema.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "onnx_legalize/graph.h"
#include "ops/type_rules.h"
#include "targets/condition.h"
#include "targets/target.h"

namespace onnx_legalize {

// Domain -> version that the model is to import.
using OpsetImports = absl::flat_hash_map<std::string, int>;

class Legality {
 public:
  Legality(const Target& target, const Model& model, OpsetImports imports)
      : target_(target), model_(model), imports_(std::move(imports)) {}

  // Why the node is illegal, in one line; nullopt if it is legal. What isn't
  // known (types, ranks) is taken to be fine, unless the target would compute
  // something wrong.
  std::optional<std::string> Fault(const Node& node);

  // The version of `domain` to import; 0 for one that isn't converted.
  int OpsetOf(const std::string& domain) const;
  // The version of the operator at the opset to import; 0: there is none.
  int WantedVersion(const Operator& op);
  // Whether the operator has a kernel at the opset to import (where it may be
  // of another version than the node's) with these types ("T" -> elem_type);
  // variables that aren't named are free. Constraints aside.
  bool HasKernel(const Operator& op,
                 const absl::flat_hash_map<std::string, int32_t>& types);

 private:
  struct TypeSet {
    uint64_t dense = 0;  // Bit t: tensors of element type t.
    absl::flat_hash_set<std::string> others;
    bool Has(const onnx::TypeProto& type) const;
  };
  using Product = absl::flat_hash_map<std::string, TypeSet>;
  struct CompiledConstraint {
    const Constraint* source;
    std::vector<Condition> conditions;
  };
  // What is known of an operator.
  struct Rule {
    bool always = false;  // Not ours to judge.
    std::string fault;    // Illegal whatever the node.
    const onnx::OpSchema* schema = nullptr;
    int since = 0;   // Of schema.
    int wanted = 0;  // since_version at the wanted opset.
    const onnx::OpSchema* wanted_schema = nullptr;
    std::unique_ptr<TypeRules> types;  // Of schema.
    bool typed = false;                // `products` were measured.
    std::vector<Product> products;
    // By formal parameter, of each product: what is allowed, or null.
    std::vector<std::vector<const TypeSet*>> inputs, outputs;
    std::vector<CompiledConstraint> constraints;
  };

  const Rule& RuleOf(const Operator& op);
  std::unique_ptr<Rule> MakeRule(const Operator& op);
  void ReadProfile(const Operator& op, Rule& rule);
  bool Fits(const Rule& rule, size_t product, const Node& node) const;
  std::string TypeFault(const Rule& rule, const Node& node) const;

  const Target& target_;
  const Model& model_;
  const OpsetImports imports_;
  std::vector<std::unique_ptr<Rule>> rules_;  // By Operator::index.
};

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_TARGETS_LEGALITY_H_
