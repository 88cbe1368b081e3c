// SPDX-License-Identifier: Apache-2.0
//
// Inference through calls of model-local functions.

#include "absl/strings/str_cat.h"
#include "ops/inference_engine.h"
#include "ops/type_merge.h"

namespace onnx_legalize {
namespace {

// Function calls nest less deep than this, or don't end.
constexpr int kMaxCallDepth = 32;

}  // namespace

absl::Status InferenceEngine::InferCall(TypeScope& scope, const Node& node,
                                        const Function& function,
                                        std::vector<onnx::TypeProto>* outputs) {
  const auto give_up = [this](absl::string_view why) {
    calls_complete_ = false;
    return absl::InvalidArgumentError(why);
  };
  if (scope.IsActive(function)) return give_up("the function calls itself");
  if (scope.depth() >= kMaxCallDepth) {
    return give_up(
        absl::StrCat("functions call each other ", kMaxCallDepth, " deep"));
  }
  Graph& body = function.body();
  call_budget_ -= body.num_nodes() + 1;
  if (call_budget_ < 0) return give_up("too many nodes in calls of functions");
  TypeScope call(scope, node, function);
  InferGraph(call, body);
  if (failures_ != nullptr) AddCall(call);
  for (int i = 0; i < node.num_outputs() && i < body.num_outputs(); ++i) {
    const Value* inner = body.output(i);
    if (const onnx::TypeProto* type = call.TypeOf(*inner)) {
      (*outputs)[i] = *type;
    }
    if (node.output(i) != nullptr &&
        scope.SetElements(*node.output(i), call.ElementsOf(*inner)) &&
        changed_ != nullptr) {
      changed_->push_back(node.output(i));
    }
  }
  return absl::OkStatus();
}

void InferenceEngine::AddCall(const TypeScope& call) {
  for (const auto& [value, type] : call.call_types()) {
    auto [it, first] = agreed_.try_emplace(value, *type);
    if (!first) Intersect(*type, &it->second);
  }
}

// The types that every call gives a body's value are the value's own.
void InferenceEngine::SettleFunctions(TypeScope& main) {
  if (!calls_complete_ || agreed_.empty()) return;
  for (const Graph* graph : AllGraphs(model_)) {
    if (graph->function() == nullptr) continue;
    const auto settle = [&](Value* value) {
      if (value == nullptr) return;
      auto it = agreed_.find(value);
      if (it != agreed_.end()) Record(main, *value, it->second);
    };
    for (int i = 0; i < graph->num_inputs(); ++i) settle(graph->input(i));
    for (const Node* n = graph->first_node(); n != nullptr; n = n->next()) {
      for (int i = 0; i < n->num_outputs(); ++i) settle(n->output(i));
    }
  }
}

}  // namespace onnx_legalize
