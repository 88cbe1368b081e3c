// SPDX-License-Identifier: Apache-2.0
//
// How inference goes through a model: nodes in order, subgraphs when their node
// asks, functions at each call, and after a rewrite only what changes.

#ifndef ONNX_LEGALIZE_OPS_INFERENCE_ENGINE_H_
#define ONNX_LEGALIZE_OPS_INFERENCE_ENGINE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "ops/inference.h"
#include "ops/overrides.h"
#include "ops/propagation.h"
#include "ops/schema_contexts.h"
#include "ops/type_rules.h"
#include "ops/type_scope.h"

namespace onnx_legalize {

class InferenceEngine {
 public:
  explicit InferenceEngine(Model& model) : model_(model) {}

  // Infers everything; appends what it meets to the two lists.
  void InferModel(TypeScope& main, std::vector<TypeConflict>* conflicts,
                  std::vector<std::string>* failures);

  // Infers a node again, and what depends on it as far as anything changes.
  void Update(TypeScope& main, Node& node);

 private:
  // What is known of an operator, looked up once.
  struct OpInfo {
    const Function* function = nullptr;
    const onnx::OpSchema* schema = nullptr;
    std::unique_ptr<TypeRules> rules;
    Override fix = Override::kNone;
    PropagationRule propagate = nullptr;
  };

  const OpInfo& InfoOf(const Operator& op);
  void InferGraph(TypeScope& scope, Graph& graph);
  void InferBody(TypeScope& scope, Graph& body,
                 const std::vector<const onnx::TypeProto*>& inputs);
  void InferNode(TypeScope& scope, Node& node);
  absl::Status InferOutputs(TypeScope& scope, Node& node, const OpInfo& info,
                            std::vector<onnx::TypeProto>* outputs);
  absl::Status RunSchema(TypeScope& scope, Node& node, const OpInfo& info,
                         std::vector<onnx::TypeProto>* outputs);
  absl::Status InferCall(TypeScope& scope, const Node& node,
                         const Function& function,
                         std::vector<onnx::TypeProto>* outputs);
  void Propagate(TypeScope& scope, const Node& node, const OpInfo& info);
  void Record(TypeScope& scope, Value& value, const onnx::TypeProto& inferred);
  void Fail(const Node& node, const absl::Status& status);

  // What calls agree on about the values of function bodies.
  void AddCall(const TypeScope& call);
  void SettleFunctions(TypeScope& main);

  Model& model_;
  std::vector<std::unique_ptr<OpInfo>> ops_;  // By Operator::index.
  // Nodes of function bodies that calls may still infer: functions that call
  // others twice each would take exponential time.
  int64_t call_budget_ = 0;
  bool calls_complete_ = true;
  absl::flat_hash_map<const Value*, onnx::TypeProto> agreed_;

  // While InferModel runs.
  std::vector<TypeConflict>* conflicts_ = nullptr;
  std::vector<std::string>* failures_ = nullptr;
  absl::flat_hash_set<const Node*> failed_;
  // While Update runs: values whose type or elements have changed.
  std::vector<const Value*>* changed_ = nullptr;
};

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_INFERENCE_ENGINE_H_
