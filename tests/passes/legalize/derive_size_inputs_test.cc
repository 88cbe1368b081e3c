// SPDX-License-Identifier: Apache-2.0
//
// What the golden cases of derive-size-inputs can't say in ONNX's text syntax.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "onnx_legalize/legalize.h"
#include "passes/legalize/size_input.h"
#include "tests/support/onnx_text.h"

namespace onnx_legalize {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kModel[] = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  g (float[B,4] data, int64 "data:size0") => (float[B,4] y, int64 n) {
    y = Relu(data)
    n = Neg("data:size0")
  }
)";

onnx::ModelProto SizeInputModel() {
  auto proto = ParseText(kModel);
  EXPECT_TRUE(proto.ok()) << proto.status();
  return *proto;
}

struct Outcome {
  absl::Status status;
  Report report;
  std::vector<std::string> inputs;
  std::vector<std::string> initializers;
};

Outcome Derive(const onnx::ModelProto& proto, Options options = {}) {
  options.passes = {"derive-size-inputs"};
  Outcome outcome;
  auto model = ParseModel(proto.SerializeAsString());
  if (!model.ok()) return {model.status(), {}, {}, {}};
  auto report = Legalize(*model, options);
  if (!report.ok()) return {report.status(), {}, {}, {}};
  onnx::ModelProto after;
  EXPECT_TRUE(after.ParseFromString(*SerializeModel(**model)));
  outcome.report = *report;
  for (const auto& input : after.graph().input()) {
    outcome.inputs.push_back(input.name());
  }
  for (const auto& tensor : after.graph().sparse_initializer()) {
    outcome.initializers.push_back(tensor.values().name());
  }
  return outcome;
}

void AddSparseDefault(onnx::ModelProto& proto) {
  proto.mutable_graph()
      ->mutable_input(1)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->add_dim()
      ->set_dim_value(1);
  onnx::SparseTensorProto& sparse =
      *proto.mutable_graph()->add_sparse_initializer();
  sparse.add_dims(1);
  sparse.mutable_values()->set_name("data:size0");
  sparse.mutable_values()->set_data_type(onnx::TensorProto::INT64);
  sparse.mutable_values()->add_dims(1);
  sparse.mutable_values()->add_int64_data(3);
  sparse.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
  sparse.mutable_indices()->add_dims(1);
  sparse.mutable_indices()->add_int64_data(0);
}

TEST(DeriveSizeInputsTest, DeclinesWhatAQuantizationAnnotationNames) {
  onnx::ModelProto proto = SizeInputModel();
  onnx::TensorAnnotation& annotation =
      *proto.mutable_graph()->add_quantization_annotation();
  annotation.set_tensor_name("data:size0");
  const Outcome outcome = Derive(proto);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_FALSE(outcome.report.changed);
  EXPECT_THAT(outcome.report.warnings,
              ElementsAre(HasSubstr("quantization annotation names it")));
  EXPECT_THAT(outcome.inputs, ElementsAre("data", "data:size0"));
}

TEST(DeriveSizeInputsTest, DeclinesWhatTrainingInfoNames) {
  onnx::ModelProto proto = SizeInputModel();
  onnx::StringStringEntryProto& binding =
      *proto.add_training_info()->add_update_binding();
  binding.set_key("data:size0");
  binding.set_value("n");
  const Outcome outcome = Derive(proto);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_THAT(outcome.report.warnings, ElementsAre(HasSubstr("training info")));
  EXPECT_THAT(outcome.inputs, ElementsAre("data", "data:size0"));
}

TEST(DeriveSizeInputsTest, RefusesWhatIsAskedForOfAPinnedInput) {
  onnx::ModelProto proto = SizeInputModel();
  proto.mutable_graph()->add_quantization_annotation()->set_tensor_name(
      "data:size0");
  Options options;
  options.derived_inputs.push_back({"data:size0", "data", 0});
  EXPECT_THAT(std::string(Derive(proto, options).status.message()),
              HasSubstr("quantization annotation"));
}

TEST(DeriveSizeInputsTest, ExplainsWhatItDeclines) {
  onnx::ModelProto proto = SizeInputModel();
  proto.mutable_graph()->add_quantization_annotation()->set_tensor_name(
      "data:size0");
  Options options;
  options.explain = true;
  EXPECT_THAT(Derive(proto, options).report.explanations,
              ElementsAre("derive-size-inputs: size input 'data:size0' stays: "
                          "training info or a quantization annotation names "
                          "it"));
}

TEST(DeriveSizeInputsTest, DeclinesASparseDefaultValue) {
  onnx::ModelProto proto = SizeInputModel();
  AddSparseDefault(proto);
  const Outcome outcome = Derive(proto);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_THAT(outcome.report.warnings, ElementsAre(HasSubstr("default value")));
  EXPECT_THAT(outcome.inputs, ElementsAre("data", "data:size0"));
}

TEST(DeriveSizeInputsTest, DropsASparseDefaultValueWhenAskedTo) {
  onnx::ModelProto proto = SizeInputModel();
  AddSparseDefault(proto);
  Options options;
  options.derived_inputs.push_back({"data:size0", "data", 0});
  const Outcome outcome = Derive(proto, options);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_THAT(outcome.inputs, ElementsAre("data"));
  EXPECT_THAT(outcome.initializers, IsEmpty());
}

TEST(DeriveSizeInputsTest, RefusesAnUnusedInputTheSecondTime) {
  auto proto = ParseText(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[B,4] data, int64 batch) => (float[B,4] y) { y = Relu(data) }
  )");
  ASSERT_TRUE(proto.ok()) << proto.status();
  Options options;
  options.derived_inputs.push_back({"batch", "data", 0});
  EXPECT_THAT(Derive(*proto, options).inputs, ElementsAre("data"));
  options.derived_inputs.push_back({"batch", "data", 0});
  EXPECT_THAT(std::string(Derive(*proto, options).status.message()),
              HasSubstr("the model has no input 'batch'"));
}

TEST(SizeNameTest, IsParsed) {
  const auto name = ParseSizeName("encoder:size1:size12");
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->tensor, "encoder:size1");
  EXPECT_EQ(name->axis, 12);
}

TEST(SizeNameTest, OtherNamesAreNone) {
  for (const char* name :
       {"", "data", "data:size", ":size0", "data:size-1", "data:size+1",
        "data:size 1", "data:size1 ", "data:size1x", "data:sizes0",
        "data:size99999999999", "data_size0"}) {
    EXPECT_FALSE(ParseSizeName(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace onnx_legalize
