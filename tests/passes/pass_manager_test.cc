// SPDX-License-Identifier: Apache-2.0

#include "passes/pass_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>

#include "ops/inference.h"
#include "passes/legalize/search.h"
#include "passes/report.h"
#include "tests/support/onnx_text.h"

namespace onnx_legalize {
namespace {

using testing::HasSubstr;

class TestPass final : public Pass {
 public:
  using RunFn = std::function<absl::StatusOr<bool>(PassContext&)>;
  explicit TestPass(RunFn run) : run_(std::move(run)) { set_name("test"); }
  absl::StatusOr<bool> Run(PassContext& context) override {
    return run_(context);
  }

 private:
  RunFn run_;
};

class PassManagerTest : public testing::Test {
 protected:
  PassManagerTest() {
    auto proto = ParseText(R"(
      <ir_version: 8, opset_import: ["" : 17]>
      g (float[N] x) => (float[N] y) { y = Abs(x) }
    )");
    EXPECT_TRUE(proto.ok()) << proto.status();
    auto model = ParseModel(proto->SerializeAsString());
    EXPECT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
  }

  absl::Status RunPass(TestPass::RunFn run, bool required) {
    PassManager manager;
    manager.Add(std::make_unique<TestPass>(std::move(run)), required);
    TypeInference types(*model_);
    Rewriter rewriter(*model_, &types);
    PassContext context{*model_, rewriter, types,  options_,
                        target_, search_,  report_};
    return manager.Run(context);
  }

  static absl::StatusOr<bool> Decline(PassContext& context) {
    const Node& node = *context.model.graph().first_node();
    context.report.illegal.push_back(MakeIllegalNode(node, "no"));
    return false;
  }

  std::unique_ptr<Model> model_;
  Options options_;
  Target target_;
  Search search_;
  Report report_;
};

TEST_F(PassManagerTest, KeepsStatistics) {
  const auto run = [](PassContext& context) -> absl::StatusOr<bool> {
    context.report.rewrites.push_back({"test", "y", "Abs", "nothing", {}});
    return true;
  };
  ASSERT_TRUE(RunPass(run, true).ok());
  ASSERT_EQ(report_.passes.size(), 1);
  EXPECT_EQ(report_.passes[0].pass, "test");
  EXPECT_TRUE(report_.passes[0].changed);
  EXPECT_EQ(report_.passes[0].rewrites, 1);
  EXPECT_GE(report_.passes[0].seconds, 0);
}

TEST_F(PassManagerTest, OnlyARequiredPassLeavesIllegalNodes) {
  ASSERT_TRUE(RunPass(Decline, /*required=*/false).ok());
  EXPECT_TRUE(report_.illegal.empty());
  ASSERT_TRUE(RunPass(Decline, /*required=*/true).ok());
  EXPECT_EQ(report_.illegal.size(), 1);
}

TEST_F(PassManagerTest, ErrorsNameThePass) {
  const absl::Status status = RunPass(
      [](PassContext&) { return absl::InvalidArgumentError("bad model"); },
      true);
  EXPECT_EQ(status.message(), "test: bad model");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace onnx_legalize
