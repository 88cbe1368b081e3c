// SPDX-License-Identifier: Apache-2.0
//
// Type and shape inference on our graph, by each schema's own function, after
// our own check of type constraints; with overrides where a schema is wrong,
// and data propagation through shape arithmetic.

#ifndef ONNX_LEGALIZE_OPS_INFERENCE_H_
#define ONNX_LEGALIZE_OPS_INFERENCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "onnx_legalize/graph.h"
#include "onnx_legalize/rewriter.h"

namespace onnx_legalize {

// A declared type that inference contradicts.
struct TypeConflict {
  Value* value = nullptr;
  onnx::TypeProto declared;
  onnx::TypeProto inferred;  // What the value now has.
};

class TypeInference final : public RewriteListener {
 public:
  explicit TypeInference(Model& model);
  ~TypeInference() override;

  // Infers the whole model: main graph, subgraphs, function bodies (with what
  // their calls agree on). Of declared and inferred types the more specific
  // compatible one wins; where they conflict the inferred one wins and a
  // TypeConflict is recorded. Nodes whose schema is unknown or whose inference
  // fails keep declared types. Never changes what would be written. Linear.
  absl::Status InferModel();
  // Infers one node from its inputs, and its subgraphs' bodies.
  void InferNode(Node& node);

  absl::Span<const TypeConflict> conflicts() const { return conflicts_; }
  // Why inference of a node failed, as "Concat node 'x': ..."; for reports.
  absl::Span<const std::string> failures() const { return failures_; }

  // The elements of an integer tensor of rank 0 or 1 (shape arithmetic), where
  // all are known: from constants and propagation through Shape, Gather,
  // Concat...
  std::optional<std::vector<int64_t>> KnownInts(const Value& value) const;

  // RewriteListener: new and modified nodes are inferred at once.
  void NodeInserted(Node& node) override { InferNode(node); }
  void NodeModified(Node& node) override { InferNode(node); }
  void NodeErased(Node& node) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::vector<TypeConflict> conflicts_;
  std::vector<std::string> failures_;
};

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_INFERENCE_H_
