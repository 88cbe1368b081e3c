// SPDX-License-Identifier: Apache-2.0
//
// The onnx library's view of one of our nodes while it infers: attributes,
// inputs, outputs, and how to infer a subgraph.

#ifndef ONNX_LEGALIZE_OPS_SCHEMA_CONTEXTS_H_
#define ONNX_LEGALIZE_OPS_SCHEMA_CONTEXTS_H_

#include <onnx/defs/schema.h>
#include <onnx/defs/shape_inference.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "ops/overrides.h"
#include "ops/type_scope.h"

namespace onnx_legalize {

// Infers a subgraph for input types, some of which may be null.
using BodyInference =
    absl::FunctionRef<void(Graph&, const std::vector<const onnx::TypeProto*>&)>;

// A node's attributes as protos, references followed, overridden ones hidden.
class NodeAttributes {
 public:
  NodeAttributes(const Node& node, const TypeScope& scope,
                 const AttributeFilter& filter)
      : node_(node), scope_(scope), filter_(filter) {}
  const onnx::AttributeProto* Find(const std::string& name) const;
  Graph* FindGraph(const std::string& name) const;

 private:
  const Node& node_;
  const TypeScope& scope_;
  const AttributeFilter& filter_;
  // Those whose tensors had to be filled in.
  mutable std::vector<
      std::pair<const Attribute*, std::unique_ptr<onnx::AttributeProto>>>
      filled_;
};

class NodeInferenceContext final : public onnx::InferenceContext {
 public:
  // `outputs`: one cleared type for each of the node's outputs.
  NodeInferenceContext(const Node& node, const onnx::OpSchema& schema,
                       TypeScope& scope, const AttributeFilter& filter,
                       std::vector<onnx::TypeProto>& outputs,
                       BodyInference infer_body)
      : node_(node),
        schema_(schema),
        scope_(scope),
        attributes_(node, scope, filter),
        outputs_(outputs),
        infer_body_(infer_body) {}

  const onnx::AttributeProto* getAttribute(
      const std::string& name) const override {
    return attributes_.Find(name);
  }
  size_t getNumInputs() const override { return node_.num_inputs(); }
  const onnx::TypeProto* getInputType(size_t i) const override;
  bool hasInput(size_t i) const override { return Input(i) != nullptr; }
  const onnx::TensorProto* getInputData(size_t i) const override;
  size_t getNumOutputs() const override { return node_.num_outputs(); }
  onnx::TypeProto* getOutputType(size_t i) override;
  bool hasOutput(size_t i) override {
    return node_.output(static_cast<int>(i)) != nullptr;
  }
  onnx::GraphInferencer* getGraphAttributeInferencer(
      const std::string& name) override;
  const onnx::SparseTensorProto* getInputSparseData(size_t) const override {
    return nullptr;
  }
  const onnx::TensorShapeProto* getSymbolicInput(size_t i) const override;
  std::string getDisplayName() const override { return node_.DebugName(); }

 private:
  class Body;
  // Null where absent, also by the call of the function that the node is in.
  const Value* Input(size_t i) const;

  const Node& node_;
  const onnx::OpSchema& schema_;
  TypeScope& scope_;
  NodeAttributes attributes_;
  std::vector<onnx::TypeProto>& outputs_;
  BodyInference infer_body_;
  std::vector<std::unique_ptr<onnx::GraphInferencer>> bodies_;
  onnx::TypeProto past_the_end_;  // Takes what belongs to no output.
};

class NodePropagationContext final : public onnx::DataPropagationContext {
 public:
  NodePropagationContext(const Node& node, TypeScope& scope,
                         const AttributeFilter& filter)
      : node_(node),
        scope_(scope),
        attributes_(node, scope, filter),
        results_(node.num_outputs()) {}

  const onnx::AttributeProto* getAttribute(
      const std::string& name) const override {
    return attributes_.Find(name);
  }
  size_t getNumInputs() const override { return node_.num_inputs(); }
  const onnx::TypeProto* getInputType(size_t i) const override;
  size_t getNumOutputs() const override { return node_.num_outputs(); }
  const onnx::TypeProto* getOutputType(size_t i) const override;
  const onnx::TensorShapeProto* getInputData(size_t i) override;
  void addOutputData(size_t i, onnx::TensorShapeProto&& elements) override;

  // What was propagated to output `i`, or null.
  const onnx::TensorShapeProto* Result(int i) const {
    return results_[i].get();
  }

 private:
  const Node& node_;
  TypeScope& scope_;
  NodeAttributes attributes_;
  std::vector<std::unique_ptr<onnx::TensorShapeProto>> results_;
};

// For a schema that builds its function body by what it is called with.
class NodeBuildContext final : public onnx::FunctionBodyBuildContext {
 public:
  NodeBuildContext(const Node& node, TypeScope& scope,
                   const AttributeFilter& filter)
      : node_(node), scope_(scope), attributes_(node, scope, filter) {}
  const onnx::AttributeProto* getAttribute(
      const std::string& name) const override {
    return attributes_.Find(name);
  }
  bool hasInput(int i) const override;
  bool hasOutput(int i) const override { return node_.output(i) != nullptr; }
  const onnx::TypeProto* getInputType(int i) const override;

 private:
  const Node& node_;
  TypeScope& scope_;
  NodeAttributes attributes_;
};

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_SCHEMA_CONTEXTS_H_
