// SPDX-License-Identifier: Apache-2.0
//
// The driver of RewritePass, by passes made for the purpose.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/verifier.h"
#include "onnx_legalize/pass.h"
#include "ops/inference.h"
#include "passes/legalize/search.h"
#include "passes/report.h"
#include "tests/support/onnx_text.h"

namespace onnx_legalize {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A pass whose Match and Rewrite are given.
class TestPass final : public RewritePass {
 public:
  using MatchFn = std::function<MatchResult(const Node&)>;
  using RewriteFn = std::function<absl::Status(Node&, Rewriter&)>;
  TestPass(std::vector<absl::string_view> roots, MatchFn match,
           RewriteFn rewrite)
      : roots_(std::move(roots)),
        match_(std::move(match)),
        rewrite_(std::move(rewrite)) {
    set_name("test");
  }
  absl::Span<const absl::string_view> roots() const override { return roots_; }
  bool MayApply(const Node& node) const override {
    return node.HasAttribute("alpha");
  }
  MatchResult Match(const Node& node, const PassContext&) override {
    return match_(node);
  }
  absl::StatusOr<RewriteDone> Rewrite(Node& node,
                                      PassContext& context) override {
    if (absl::Status s = rewrite_(node, context.rewriter); !s.ok()) return s;
    return RewriteDone{"done", Exactness::kExact};
  }

 private:
  std::vector<absl::string_view> roots_;
  MatchFn match_;
  RewriteFn rewrite_;
};

MatchResult Always(const Node&) { return MatchResult::Matched(); }

// Replaces a node by one of `op_type`.
TestPass::RewriteFn ReplaceBy(absl::string_view op_type) {
  return [op_type](Node& node, Rewriter& rewriter) {
    rewriter.Replace(node, {rewriter.Emit(op_type, {node.input(0)})});
    return absl::OkStatus();
  };
}

std::unique_ptr<Model> ModelOf(const std::string& text) {
  auto proto = ParseText(text);
  EXPECT_TRUE(proto.ok()) << proto.status();
  auto model = ParseModel(proto->SerializeAsString());
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

class RewritePassTest : public testing::Test {
 protected:
  absl::StatusOr<bool> RunPass(TestPass& pass, Model& model) {
    TypeInference types(model);
    EXPECT_TRUE(types.InferModel().ok());
    Rewriter rewriter(model, &types);
    PassContext context{model,   rewriter, types,  options_,
                        target_, search_,  report_};
    auto changed = pass.Run(context);
    EXPECT_TRUE(Verify(model).ok()) << Verify(model);
    return changed;
  }

  std::vector<std::string> RewrittenNodes() const {
    std::vector<std::string> names;
    for (const RewriteRecord& r : report_.rewrites) names.push_back(r.node);
    return names;
  }

  Options options_;
  Target target_;
  Search search_;
  Report report_;
};

constexpr char kEverywhere[] = R"(
<ir_version: 8, opset_import: ["" : 17, "local" : 1]>
g (float[N] x, bool c) => (float[N] y) {
  a = Abs(x)
  b = If (c) <
    then_branch = t () => (float[N] p) { p = Abs(a) },
    else_branch = e () => (float[N] q) { q = Neg(a) }
  >
  y = local.f(b)
}
<domain: "local", opset_import: ["" : 17]>
f (u) => (v) { v = Abs(u) }
)";

TEST_F(RewritePassTest, ReachesMainGraphSubgraphsAndFunctions) {
  auto model = ModelOf(kEverywhere);
  TestPass pass({"Abs"}, Always, ReplaceBy("Relu"));
  auto changed = RunPass(pass, *model);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_TRUE(*changed);
  EXPECT_THAT(RewrittenNodes(), ElementsAre("a", "p", "v"));
  const auto ops = CountOps(*model);
  EXPECT_EQ(ops.count("Abs"), 0);
  EXPECT_EQ(ops.at("Relu"), 3);
}

TEST_F(RewritePassTest, UnchangedWhereNothingMatches) {
  auto model = ModelOf(kEverywhere);
  TestPass pass(
      {"Abs"}, [](const Node&) { return MatchResult::NotApplicable(); },
      ReplaceBy("Relu"));
  auto changed = RunPass(pass, *model);
  ASSERT_TRUE(changed.ok());
  EXPECT_FALSE(*changed);
  EXPECT_FALSE(model->changed());
  EXPECT_TRUE(report_.illegal.empty());
}

TEST_F(RewritePassTest, VisitsWhatItMakesAndReportsTheUsersNode) {
  auto model = ModelOf(kEverywhere);
  TestPass pass({"Abs", "Relu"}, Always, [](Node& node, Rewriter& rewriter) {
    return ReplaceBy(node.Is("Abs") ? "Relu" : "Neg")(node, rewriter);
  });
  ASSERT_TRUE(RunPass(pass, *model).ok());
  EXPECT_THAT(RewrittenNodes(), ElementsAre("a", "a", "p", "p", "v", "v"));
  EXPECT_EQ(CountOps(*model).at("Neg"), 4);
}

// Neg is asked before the Abs behind it has become Relu.
TEST_F(RewritePassTest, AsksAgainWhatARewriteElsewhereMadeRewritable) {
  auto model = ModelOf(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N] x) => (float[N] y) { a = Neg(x) y = Abs(a) }
  )");
  TestPass pass(
      {"Neg", "Abs"},
      [](const Node& node) {
        if (node.Is("Abs") || node.output(0)->first_use()->node->Is("Relu")) {
          return MatchResult::Matched();
        }
        return MatchResult::Declined("not before Relu");
      },
      [](Node& node, Rewriter& rewriter) {
        return ReplaceBy(node.Is("Abs") ? "Relu" : "Sign")(node, rewriter);
      });
  ASSERT_TRUE(RunPass(pass, *model).ok());
  EXPECT_THAT(RewrittenNodes(), ElementsAre("y", "a"));
  EXPECT_TRUE(report_.illegal.empty()) << "a decline that no longer holds";
}

TEST_F(RewritePassTest, ACycleIsAnError) {
  auto model = ModelOf(kEverywhere);
  TestPass pass({"Abs"}, Always, ReplaceBy("Abs"));
  const auto changed = RunPass(pass, *model);
  EXPECT_EQ(changed.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(changed.status().message(), HasSubstr("comes to no end"));
  EXPECT_THAT(changed.status().message(), HasSubstr("'a'"));
}

TEST_F(RewritePassTest, ARewriteThatDoesNothingIsAnErrorToo) {
  auto model = ModelOf(kEverywhere);
  TestPass pass({"Abs"}, Always,
                [](Node&, Rewriter&) { return absl::OkStatus(); });
  EXPECT_FALSE(RunPass(pass, *model).ok());
}

TEST_F(RewritePassTest, DeclinesAreIllegalNodesAndExplained) {
  options_.explain = true;
  auto model = ModelOf(kEverywhere);
  TestPass pass(
      {"Abs"}, [](const Node&) { return MatchResult::Declined("no reason"); },
      ReplaceBy("Relu"));
  auto changed = RunPass(pass, *model);
  ASSERT_TRUE(changed.ok());
  EXPECT_FALSE(*changed);
  ASSERT_EQ(report_.illegal.size(), 3);
  EXPECT_EQ(report_.illegal[0].node, "a");
  EXPECT_EQ(report_.illegal[0].op, "Abs");
  EXPECT_EQ(report_.illegal[0].version, 17);
  EXPECT_EQ(report_.illegal[0].types, "tensor(float)[N]");
  EXPECT_EQ(report_.illegal[0].reason, "no reason");
  ASSERT_EQ(report_.explanations.size(), 3);
  EXPECT_EQ(report_.explanations[0],
            "test: Abs node making 'a' declined: no reason");
}

TEST_F(RewritePassTest, AttributeReferencesAreDeclinedWhereTheyMatter) {
  auto model = ModelOf(R"(
    <ir_version: 8, opset_import: ["" : 17, "local" : 1]>
    g (float[N] x) => (float[N] y) { y = local.f <slope = 0.5> (x) }
    <domain: "local", opset_import: ["" : 17]>
    f <slope> (u) => (w) {
      v = Elu <alpha: float = @slope> (u)
      w = Selu <gamma: float = @slope> (v)
    }
  )");
  TestPass pass({"Elu", "Selu"}, Always, ReplaceBy("Relu"));
  auto changed = RunPass(pass, *model);
  ASSERT_TRUE(changed.ok());
  EXPECT_FALSE(*changed);
  ASSERT_EQ(report_.illegal.size(), 1);
  EXPECT_EQ(report_.illegal[0].node, "v");
  EXPECT_THAT(report_.illegal[0].reason, HasSubstr("call of the function"));
}

TEST_F(RewritePassTest, AnErrorNamesTheNode) {
  auto model = ModelOf(kEverywhere);
  TestPass pass({"Abs"}, Always, [](Node&, Rewriter&) {
    return absl::InvalidArgumentError("broken");
  });
  const auto changed = RunPass(pass, *model);
  EXPECT_EQ(changed.status().message(), "Abs node making 'a': broken");
}

}  // namespace
}  // namespace onnx_legalize
