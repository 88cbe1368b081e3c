// SPDX-License-Identifier: Apache-2.0
//
// Passes and lowerings that a caller brings along.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "onnx_legalize/registry.h"
#include "tests/support/onnx_text.h"

namespace onnx_legalize {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kTwice[] = R"(
<ir_version: 8, opset_import: ["" : 17, "acme" : 3]>
g (float[N] x) => (float[N] y) {
  t = acme.Twice(x)
  y = Relu(t)
}
)";

// t = Add (x, x)
absl::StatusOr<onnx::FunctionProto> LowerTwice(const Node& node) {
  if (node.HasAttribute("mode")) {
    return absl::FailedPreconditionError("no mode is known");
  }
  onnx::FunctionProto body;
  body.add_input("x");
  body.add_output("y");
  body.add_opset_import()->set_version(13);
  onnx::NodeProto* add = body.add_node();
  add->set_op_type("Add");
  add->add_input("x");
  add->add_input("x");
  add->add_output("y");
  return body;
}

CustomLowering Twice() {
  CustomLowering lowering;
  lowering.domain = "acme";
  lowering.op_type = "Twice";
  lowering.exactness = Exactness::kExact;
  lowering.summary = "adds it to itself";
  lowering.lower = LowerTwice;
  return lowering;
}

struct Outcome {
  absl::Status status;
  Report report;
  std::string text;
};

Outcome LegalizeText(const std::string& text,
                     std::shared_ptr<const Registry> registry,
                     const std::string& target) {
  auto proto = ParseText(text);
  EXPECT_TRUE(proto.ok()) << proto.status();
  auto model = ParseModel(proto->SerializeAsString());
  EXPECT_TRUE(model.ok()) << model.status();
  Options options;
  options.target = target;
  options.registry = std::move(registry);
  auto report = Legalize(*model, options);
  if (!report.ok()) return {report.status(), {}, ""};
  onnx::ModelProto result;
  EXPECT_TRUE(result.ParseFromString(*SerializeModel(**model)));
  return {absl::OkStatus(), *std::move(report), *PrintText(result)};
}

TEST(CustomRegistryTest, LowersAnOperatorOfItsOwnDomain) {
  for (const char* target : {"portable", "onnxruntime-1.14.1", "opset:13"}) {
    auto registry = std::make_shared<Registry>();
    registry->AddLowering(Twice());
    const Outcome outcome = LegalizeText(kTwice, registry, target);
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    if (std::string(target) == "opset:13") continue;
    EXPECT_TRUE(outcome.report.legal());
    EXPECT_THAT(outcome.text, HasSubstr("Add (x, x)")) << target;
    EXPECT_THAT(outcome.text, Not(HasSubstr("acme"))) << target;
    EXPECT_EQ(outcome.report.rewrites.at(0).what, "adds it to itself");
  }
}

TEST(CustomRegistryTest, ADeclineIsTheReason) {
  auto registry = std::make_shared<Registry>();
  registry->AddLowering(Twice());
  const Outcome outcome = LegalizeText(R"(
<ir_version: 8, opset_import: ["acme" : 3]>
g (float[N] x) => (float[N] y) { y = acme.Twice<mode = 1>(x) }
)",
                                       registry, "onnxruntime-1.14.1");
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  ASSERT_EQ(outcome.report.illegal.size(), 1);
  EXPECT_THAT(outcome.report.illegal[0].reason, HasSubstr("no mode is known"));
}

TEST(CustomRegistryTest, VersionsOutsideTheRangeAreLeft) {
  auto registry = std::make_shared<Registry>();
  CustomLowering lowering = Twice();
  lowering.last_version = 2;
  registry->AddLowering(std::move(lowering));
  const Outcome outcome = LegalizeText(kTwice, registry, "onnxruntime-1.14.1");
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_FALSE(outcome.report.changed);
}

TEST(CustomRegistryTest, AFunctionThatDoesNotFitIsAnError) {
  auto registry = std::make_shared<Registry>();
  CustomLowering lowering = Twice();
  lowering.lower = [](const Node&) { return onnx::FunctionProto(); };
  registry->AddLowering(std::move(lowering));
  const Outcome outcome = LegalizeText(kTwice, registry, "onnxruntime-1.14.1");
  EXPECT_THAT(outcome.status.message(), HasSubstr("0 inputs and 0 outputs"));
}

// An operator of ai.onnx, where the target lacks it: before ours.
TEST(CustomRegistryTest, ComesBeforeTheLibrarysOwn) {
  auto registry = std::make_shared<Registry>();
  CustomLowering lowering = Twice();
  lowering.domain = "";
  lowering.op_type = "Mish";
  registry->AddLowering(std::move(lowering));
  const std::string mish = R"(
<ir_version: 8, opset_import: ["" : 18]>
g (float[N] x) => (float[N] y) { y = Mish(x) }
)";
  Outcome outcome = LegalizeText(mish, registry, "onnxruntime-1.8.1");
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_THAT(outcome.text, HasSubstr("Add (x, x)"));
  outcome = LegalizeText(mish, registry, "onnxruntime-1.20.1");  // Has a Mish.
  EXPECT_FALSE(outcome.report.changed);
}

// Replaces Relu by Abs.
class ReluToAbs final : public RewritePass {
 public:
  absl::Span<const absl::string_view> roots() const override {
    static constexpr absl::string_view kRoots[] = {"Relu"};
    return kRoots;
  }
  MatchResult Match(const Node&, const PassContext&) override {
    return MatchResult::Matched();
  }
  absl::StatusOr<RewriteDone> Rewrite(Node& node,
                                      PassContext& context) override {
    Value* y = context.rewriter.Emit("Abs", {node.input(0)});
    context.rewriter.Replace(node, {y});
    return RewriteDone{"is another", Exactness::kInexact};
  }
};

TEST(CustomRegistryTest, RunsAPassWhereItIsPut) {
  auto registry = std::make_shared<Registry>();
  const auto make = [] { return std::make_unique<ReluToAbs>(); };
  ASSERT_TRUE(registry->AddPass("relu-to-abs", "infer-shapes", make).ok());
  EXPECT_EQ(registry->AddPass("relu-to-abs", "", make).code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(registry->AddPass("decompose-trilu", "", make).code(),
            absl::StatusCode::kAlreadyExists);
  const Outcome outcome = LegalizeText(R"(
<ir_version: 8, opset_import: ["" : 17]>
g (float[N] x) => (float[N] y) { y = Relu(x) }
)",
                                       registry, "portable");
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_THAT(outcome.text, HasSubstr("Abs (x)"));
  const auto& passes = outcome.report.passes;
  ASSERT_GE(passes.size(), 2);
  EXPECT_EQ(passes[passes.size() - 2].pass, "relu-to-abs");
}

}  // namespace
}  // namespace onnx_legalize
