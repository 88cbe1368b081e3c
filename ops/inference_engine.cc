// SPDX-License-Identifier: Apache-2.0

#include "ops/inference_engine.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ops/onnx_boundary.h"
#include "ops/preconditions.h"
#include "ops/schema.h"
#include "ops/type_merge.h"

namespace onnx_legalize {
namespace {

// The output's type as far as type variables alone tell: for operators whose
// schemas infer nothing.
void InferFromVariables(const Node& node, const TypeScope& scope,
                        const TypeRules& rules,
                        std::vector<onnx::TypeProto>* outputs) {
  for (size_t i = 0; i < outputs->size(); ++i) {
    onnx::TypeProto& output = (*outputs)[i];
    const TypeRules::Parameter* formal = rules.ForOutput(static_cast<int>(i));
    if (output.value_case() != onnx::TypeProto::VALUE_NOT_SET ||
        formal == nullptr || formal->variable < 0) {
      continue;
    }
    for (int j = 0; j < node.num_inputs(); ++j) {
      const Value* input = node.input(j);
      const TypeRules::Parameter* actual = rules.ForInput(j);
      if (input == nullptr || actual == nullptr ||
          actual->variable != formal->variable) {
        continue;
      }
      const onnx::TypeProto* type = scope.TypeOf(*input);
      if (type == nullptr || !type->has_tensor_type()) continue;
      output.mutable_tensor_type()->set_elem_type(
          type->tensor_type().elem_type());
      break;
    }
  }
}

}  // namespace

const InferenceEngine::OpInfo& InferenceEngine::InfoOf(const Operator& op) {
  if (op.index >= static_cast<int>(ops_.size())) ops_.resize(op.index + 1);
  std::unique_ptr<OpInfo>& info = ops_[op.index];
  if (info != nullptr) return *info;
  info = std::make_unique<OpInfo>();
  // A model-local function takes the place of an operator of its name.
  info->function = model_.FindFunction(op);
  if (info->function == nullptr) info->schema = SchemaOf(op);
  if (info->schema != nullptr) {
    info->rules = std::make_unique<TypeRules>(*info->schema);
    info->fix = OverrideFor(op);
    info->propagate = PropagationRuleFor(op);
  }
  return *info;
}

void InferenceEngine::InferModel(TypeScope& main,
                                 std::vector<TypeConflict>* conflicts,
                                 std::vector<std::string>* failures) {
  conflicts_ = conflicts;
  failures_ = failures;
  failed_.clear();
  agreed_.clear();
  calls_complete_ = true;
  call_budget_ = 100000;
  if (!model_.functions().empty()) {
    for (const Graph* graph : AllGraphs(model_)) {
      call_budget_ += 10 * graph->num_nodes();
    }
  }
  InferGraph(main, model_.graph());
  SettleFunctions(main);
  conflicts_ = nullptr;
  failures_ = nullptr;
}

void InferenceEngine::Update(TypeScope& main, Node& node) {
  std::deque<Node*> queue = {&node};
  absl::flat_hash_set<Node*> queued = {&node};
  const auto enqueue = [&](Node* n) {
    if (n != nullptr && queued.insert(n).second) queue.push_back(n);
  };
  std::vector<const Value*> changed;
  changed_ = &changed;
  while (!queue.empty()) {
    Node* next = queue.front();
    queue.pop_front();
    queued.erase(next);
    changed.clear();
    InferNode(main, *next);
    for (const Value* value : changed) {
      for (const Use* u = value->first_use(); u != nullptr; u = u->next) {
        // An output of a subgraph is an output of the subgraph's node.
        Node* reader = u->node != nullptr ? u->node : u->graph->owner();
        if (reader != next) enqueue(reader);
      }
    }
  }
  changed_ = nullptr;
}

void InferenceEngine::InferGraph(TypeScope& scope, Graph& graph) {
  for (Node* n = graph.first_node(); n != nullptr; n = n->next()) {
    InferNode(scope, *n);
  }
}

void InferenceEngine::InferBody(
    TypeScope& scope, Graph& body,
    const std::vector<const onnx::TypeProto*>& inputs) {
  const int count =
      std::min(body.num_inputs(), static_cast<int>(inputs.size()));
  for (int i = 0; i < count; ++i) {
    if (inputs[i] != nullptr) Record(scope, *body.input(i), *inputs[i]);
  }
  InferGraph(scope, body);
}

void InferenceEngine::InferNode(TypeScope& scope, Node& node) {
  const OpInfo& info = InfoOf(node.op());
  std::vector<onnx::TypeProto> outputs(node.num_outputs());
  const absl::Status status = InferOutputs(scope, node, info, &outputs);
  if (!status.ok()) Fail(node, status);
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (node.output(i) == nullptr) continue;
    if (status.ok()) {
      DropNonsense(&outputs[i]);
      Record(scope, *node.output(i), outputs[i]);
    } else if (scope.SetElements(*node.output(i), nullptr) &&
               changed_ != nullptr) {
      changed_->push_back(node.output(i));
    }
  }
  if (status.ok() && info.schema != nullptr) Propagate(scope, node, info);
}

absl::Status InferenceEngine::InferOutputs(
    TypeScope& scope, Node& node, const OpInfo& info,
    std::vector<onnx::TypeProto>* outputs) {
  if (info.function != nullptr) {
    return InferCall(scope, node, *info.function, outputs);
  }
  const bool unbound = !scope.is_call() && node.HasAttributeReference();
  absl::Status status;
  if (info.schema != nullptr && !unbound) {
    const auto fault = info.rules->Fault(
        node, [&](const Value& value) { return scope.TypeOf(value); });
    if (fault) {
      status = absl::InvalidArgumentError(*fault);
    } else if (const auto wrong =
                   PreconditionFault(node, *info.schema, scope)) {
      status = absl::InvalidArgumentError(*wrong);
    } else {
      return RunSchema(scope, node, info, outputs);
    }
  }
  // Nothing else asks for the subgraphs.
  for (const Attribute* attribute : node.attributes()) {
    for (Graph* body : attribute->graphs()) InferBody(scope, *body, {});
  }
  return status;
}

absl::Status InferenceEngine::RunSchema(TypeScope& scope, Node& node,
                                        const OpInfo& info,
                                        std::vector<onnx::TypeProto>* outputs) {
  const onnx::OpSchema& schema = *info.schema;
  const AttributeFilter filter(info.fix, node, scope);
  std::vector<const Graph*> visited;
  const auto infer_body =
      [&](Graph& body, const std::vector<const onnx::TypeProto*>& inputs) {
        visited.push_back(&body);
        InferBody(scope, body, inputs);
      };
  NodeInferenceContext context(node, schema, scope, filter, *outputs,
                               infer_body);
  absl::Status status;
  if (schema.has_type_and_shape_inference_function()) {
    status = RunInference(schema, context);
  } else if (schema.HasFunction() || schema.HasContextDependentFunction()) {
    NodeBuildContext build(node, scope, filter);
    status = RunBodyInference(schema, node.op().version, build, context);
  }
  for (const Attribute* attribute : node.attributes()) {
    for (Graph* body : attribute->graphs()) {
      if (std::count(visited.begin(), visited.end(), body) == 0) {
        InferBody(scope, *body, {});
      }
    }
  }
  if (!status.ok()) return status;
  CorrectOutputs(info.fix, node, scope, *outputs);
  InferFromVariables(node, scope, *info.rules, outputs);
  return absl::OkStatus();
}

void InferenceEngine::Propagate(TypeScope& scope, const Node& node,
                                const OpInfo& info) {
  const Value* output = node.output(0);
  if (output == nullptr || node.num_outputs() != 1) return;
  std::optional<onnx::TensorShapeProto> elements;
  const onnx::TypeProto* type = scope.TypeOf(*output);
  const bool may_have = type != nullptr && type->has_tensor_type() &&
                        type->tensor_type().shape().dim_size() <= 1;
  if (may_have && info.propagate != nullptr) {
    if (!node.HasAttributeReference()) elements = info.propagate(node, scope);
  } else if (may_have && info.schema->has_data_propagation_function()) {
    const AttributeFilter filter(info.fix, node, scope);
    NodePropagationContext context(node, scope, filter);
    if (RunDataPropagation(*info.schema, context).ok() &&
        context.Result(0) != nullptr) {
      elements = *context.Result(0);
    }
  }
  if (elements && !FitElements(type, &*elements)) elements.reset();
  if (scope.SetElements(*output, elements ? &*elements : nullptr) &&
      changed_ != nullptr) {
    changed_->push_back(output);
  }
}

void InferenceEngine::Record(TypeScope& scope, Value& value,
                             const onnx::TypeProto& inferred) {
  if (inferred.value_case() == onnx::TypeProto::VALUE_NOT_SET) return;
  const onnx::TypeProto* known = scope.TypeOf(value);
  if (known == nullptr) {
    scope.SetType(value, inferred);
  } else if (!Compatible(*known, inferred)) {
    // In a call's scope the fault is the same for every call and the body's.
    if (conflicts_ != nullptr && !scope.is_call()) {
      conflicts_->push_back({&value, *known, inferred});
    }
    onnx::TypeProto type = inferred;
    CarryNames(*known, &type);
    scope.SetType(value, type);
  } else {
    onnx::TypeProto refined = *known;
    if (!Refine(inferred, &refined)) return;
    scope.SetType(value, refined);
  }
  if (changed_ != nullptr) changed_->push_back(&value);
}

void InferenceEngine::Fail(const Node& node, const absl::Status& status) {
  if (failures_ != nullptr && failed_.insert(&node).second) {
    failures_->push_back(
        absl::StrCat(node.DebugName(), ": ", status.message()));
  }
}

}  // namespace onnx_legalize
