// SPDX-License-Identifier: Apache-2.0
//
// A model from text with its types inferred.

#ifndef ONNX_LEGALIZE_TESTS_OPS_INFERRED_MODEL_H_
#define ONNX_LEGALIZE_TESTS_OPS_INFERRED_MODEL_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "onnx_legalize/legalize.h"
#include "ops/inference.h"
#include "tests/support/onnx_text.h"

namespace onnx_legalize {

class InferredModel {
 public:
  explicit InferredModel(const std::string& text) {
    absl::StatusOr<onnx::ModelProto> proto = ParseText(text);
    EXPECT_TRUE(proto.ok()) << proto.status() << "\n" << text;
    if (proto.ok()) Init(*proto);
  }
  explicit InferredModel(const onnx::ModelProto& proto) { Init(proto); }

  Model& model() { return *model_; }
  TypeInference& types() { return *types_; }
  // Of a value of the main graph.
  Value& value(absl::string_view name) {
    Value* value = model_->graph().FindValue(name);
    EXPECT_NE(value, nullptr) << name;
    return *value;
  }
  std::string type(absl::string_view name) {
    return TypeString(value(name).type());
  }

 private:
  void Init(const onnx::ModelProto& proto) {
    auto model = ParseModel(proto.SerializeAsString());
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
    types_ = std::make_unique<TypeInference>(*model_);
    EXPECT_TRUE(types_->InferModel().ok());
  }
  std::unique_ptr<Model> model_;
  std::unique_ptr<TypeInference> types_;
};

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_TESTS_OPS_INFERRED_MODEL_H_
