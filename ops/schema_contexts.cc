// SPDX-License-Identifier: Apache-2.0

#include "ops/schema_contexts.h"

#include "ops/tensor_proto.h"

namespace onnx_legalize {

const onnx::AttributeProto* NodeAttributes::Find(
    const std::string& name) const {
  if (filter_.Hides(node_, name)) return nullptr;
  const Attribute* attribute = node_.attribute(name);
  if (attribute == nullptr) return nullptr;
  const BoundAttribute bound = scope_.Resolve(*attribute);
  if (bound.plain != nullptr) return bound.plain;
  if (bound.ours == nullptr) return nullptr;
  if (bound.ours->tensors().empty()) return &bound.ours->proto();
  for (const auto& [ours, proto] : filled_) {
    if (ours == bound.ours) return proto.get();
  }
  auto proto = std::make_unique<onnx::AttributeProto>();
  FillAttributeProto(*bound.ours, proto.get());
  filled_.emplace_back(bound.ours, std::move(proto));
  return filled_.back().second.get();
}

Graph* NodeAttributes::FindGraph(const std::string& name) const {
  const Attribute* attribute = node_.attribute(name);
  return attribute != nullptr ? attribute->graph() : nullptr;
}

// --- NodeInferenceContext ----------------------------------------------------

class NodeInferenceContext::Body final : public onnx::GraphInferencer {
 public:
  Body(Graph& graph, TypeScope& scope, BodyInference infer)
      : graph_(graph), scope_(scope), infer_(infer) {}

  std::vector<const onnx::TypeProto*> doInferencing(
      const std::vector<const onnx::TypeProto*>& input_types,
      const std::vector<const onnx::TensorProto*>&) override {
    infer_(graph_, input_types);
    static const onnx::TypeProto* const unknown = new onnx::TypeProto;
    std::vector<const onnx::TypeProto*> outputs;
    for (int i = 0; i < graph_.num_outputs(); ++i) {
      const onnx::TypeProto* type = scope_.TypeOf(*graph_.output(i));
      outputs.push_back(type != nullptr ? type : unknown);
    }
    return outputs;
  }

 private:
  Graph& graph_;
  TypeScope& scope_;
  BodyInference infer_;
};

const Value* NodeInferenceContext::Input(size_t i) const {
  const Value* value = node_.input(static_cast<int>(i));
  return value != nullptr && !scope_.IsAbsent(*value) ? value : nullptr;
}

const onnx::TypeProto* NodeInferenceContext::getInputType(size_t i) const {
  const Value* value = Input(i);
  const onnx::TypeProto* type =
      value != nullptr ? scope_.TypeOf(*value) : nullptr;
  if (type != nullptr || i >= static_cast<size_t>(schema_.min_input())) {
    return type;
  }
  // Many functions don't ask whether the type of a required input is known.
  static const onnx::TypeProto* const unknown = new onnx::TypeProto;
  return unknown;
}

const onnx::TensorProto* NodeInferenceContext::getInputData(size_t i) const {
  const Value* value = Input(i);
  return value != nullptr ? scope_.ConstantOf(*value) : nullptr;
}

onnx::TypeProto* NodeInferenceContext::getOutputType(size_t i) {
  return i < outputs_.size() ? &outputs_[i] : &past_the_end_;
}

onnx::GraphInferencer* NodeInferenceContext::getGraphAttributeInferencer(
    const std::string& name) {
  Graph* graph = attributes_.FindGraph(name);
  if (graph == nullptr) return nullptr;
  bodies_.push_back(std::make_unique<Body>(*graph, scope_, infer_body_));
  return bodies_.back().get();
}

const onnx::TensorShapeProto* NodeInferenceContext::getSymbolicInput(
    size_t i) const {
  const Value* value = Input(i);
  return value != nullptr ? scope_.ElementsOf(*value) : nullptr;
}

// --- NodePropagationContext --------------------------------------------------

const onnx::TypeProto* NodePropagationContext::getInputType(size_t i) const {
  const Value* value = node_.input(static_cast<int>(i));
  return value != nullptr ? scope_.TypeOf(*value) : nullptr;
}

const onnx::TypeProto* NodePropagationContext::getOutputType(size_t i) const {
  const Value* value = node_.output(static_cast<int>(i));
  return value != nullptr ? scope_.TypeOf(*value) : nullptr;
}

const onnx::TensorShapeProto* NodePropagationContext::getInputData(size_t i) {
  const Value* value = node_.input(static_cast<int>(i));
  return value != nullptr ? scope_.ElementsOf(*value) : nullptr;
}

void NodePropagationContext::addOutputData(size_t i,
                                           onnx::TensorShapeProto&& elements) {
  if (i >= results_.size()) return;
  results_[i] = std::make_unique<onnx::TensorShapeProto>(std::move(elements));
}

// --- NodeBuildContext --------------------------------------------------------

bool NodeBuildContext::hasInput(int i) const {
  const Value* value = node_.input(i);
  return value != nullptr && !scope_.IsAbsent(*value);
}

const onnx::TypeProto* NodeBuildContext::getInputType(int i) const {
  return hasInput(i) ? scope_.TypeOf(*node_.input(i)) : nullptr;
}

}  // namespace onnx_legalize
