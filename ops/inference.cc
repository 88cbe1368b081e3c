// SPDX-License-Identifier: Apache-2.0

#include "ops/inference.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "ops/inference_engine.h"

namespace onnx_legalize {

struct TypeInference::Impl {
  explicit Impl(Model& model)
      : rewriter(model), main(rewriter), engine(model) {}
  Rewriter rewriter;  // Tells nobody: it only records types.
  TypeScope main;
  InferenceEngine engine;
};

TypeInference::TypeInference(Model& model)
    : impl_(std::make_unique<Impl>(model)) {}
TypeInference::~TypeInference() = default;

absl::Status TypeInference::InferModel() {
  failures_.clear();
  impl_->engine.InferModel(impl_->main, &conflicts_, &failures_);
  return absl::OkStatus();
}

void TypeInference::InferNode(Node& node) {
  impl_->engine.Update(impl_->main, node);
}

void TypeInference::NodeErased(Node& node) {
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (node.output(i) != nullptr) {
      impl_->main.SetElements(*node.output(i), nullptr);
    }
  }
}

std::optional<std::vector<int64_t>> TypeInference::KnownInts(
    const Value& value) const {
  const onnx::TensorShapeProto* elements = impl_->main.ElementsOf(value);
  if (elements == nullptr) return std::nullopt;
  return Numbers(*elements);
}

}  // namespace onnx_legalize
