// SPDX-License-Identifier: Apache-2.0

#include "onnx_legalize/rewriter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/verifier.h"
#include "onnx_legalize/legalize.h"
#include "tests/support/onnx_text.h"

namespace onnx_legalize {
namespace {

using ::testing::HasSubstr;

constexpr char kHead[] = R"(<ir_version: 8, opset_import: ["" : 14]>)";

class RewriterTest : public ::testing::Test {
 protected:
  Model& Load(const std::string& graph, absl::string_view head = kHead) {
    auto proto = ParseText(std::string(head) + graph);
    EXPECT_TRUE(proto.ok()) << proto.status();
    auto model = ParseModel(proto->SerializeAsString());
    EXPECT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
    rewriter_ = std::make_unique<Rewriter>(*model_);
    return *model_;
  }
  Node& Find(absl::string_view op_type) {
    for (Graph* graph : AllGraphs(*model_)) {
      for (Node* n = graph->first_node(); n != nullptr; n = n->next()) {
        if (n->Is(op_type)) return *n;
      }
    }
    ADD_FAILURE() << "no " << op_type;
    return *model_->graph().first_node();
  }
  // The model as it would be written, after checking it in every way.
  onnx::ModelProto Written() {
    EXPECT_EQ(Verify(*model_), absl::OkStatus());
    const std::string bytes = *SerializeModel(*model_);
    onnx::ModelProto proto;
    EXPECT_TRUE(proto.ParseFromString(bytes));
    EXPECT_EQ(CheckModel(proto, /*full=*/true), absl::OkStatus())
        << proto.DebugString();
    EXPECT_TRUE(ParseModel(bytes).ok());
    return proto;
  }

  std::unique_ptr<Model> model_;
  std::unique_ptr<Rewriter> rewriter_;
};

TEST_F(RewriterTest, ReplacementTakesNameTypeAndGraphOutput) {
  Load("g (float[N] x) => (float[N] y) { y = Relu(x) }");
  Node& relu = Find("Relu");
  Value* x = relu.input(0);
  rewriter_->SetAnchor(relu);
  Value* a = rewriter_->Emit("Abs", {x}, {}, "first");
  Value* b = rewriter_->Emit("Neg", {a});
  rewriter_->Replace(relu, {b});
  const auto proto = Written();
  ASSERT_EQ(proto.graph().node_size(), 2);
  EXPECT_EQ(proto.graph().node(0).output(0), "y/first");
  EXPECT_EQ(proto.graph().node(1).output(0), "y");
  EXPECT_EQ(proto.graph().node(1).name(), "y/Neg");
  EXPECT_TRUE(model_->changed());
}

TEST_F(RewriterTest, ValueThatCannotTakeAPublicNameGetsAnIdentity) {
  Load("g (float[N] x) => (float[N] y, float[N] z) { y = Relu(x) z = Abs(y) }");
  Node& relu = Find("Relu");
  rewriter_->Replace(relu, {relu.input(0)});
  const auto proto = Written();
  ASSERT_EQ(proto.graph().node_size(), 2);
  EXPECT_EQ(proto.graph().node(0).input(0), "x");  // Abs
  EXPECT_EQ(proto.graph().node(1).op_type(), "Identity");
  EXPECT_EQ(proto.graph().node(1).output(0), "y");
}

TEST_F(RewriterTest, ReadersOfAnInternalValueAreRedirected) {
  Load("g (float[N] x) => (float[N] z) { y = Relu(x) z = Abs(y) }");
  Node& relu = Find("Relu");
  rewriter_->Replace(relu, {relu.input(0)});
  const auto proto = Written();
  ASSERT_EQ(proto.graph().node_size(), 1);
  EXPECT_EQ(proto.graph().node(0).input(0), "x");
}

TEST_F(RewriterTest, LeavesNoDebris) {
  Load(R"(g (float[2,3] x) => (float[2,3] y)
          <int64 two = {2}, int64[1] unused = {5}> {
            k = Neg(two) other = Neg(two)
            y = Trilu(x, k)
          })");
  Node& trilu = Find("Trilu");
  rewriter_->SetAnchor(trilu);
  rewriter_->Replace(trilu, {rewriter_->Emit("Relu", {trilu.input(0)})});
  const auto proto = Written();
  // Only what the rewrite itself left without a reader goes.
  ASSERT_EQ(proto.graph().node_size(), 2);
  EXPECT_EQ(proto.graph().node(0).output(0), "other");
  EXPECT_EQ(proto.graph().initializer_size(), 2);
}

TEST_F(RewriterTest, DebrisIncludesIr3ConstantsAndKeepsIr4Defaults) {
  const char* graph = R"(g (float[2,3] x, int64 k) => (float[2,3] y)
                         <int64 k = {1}> { y = Trilu(x, k) })";
  for (const char* ir : {"3", "8"}) {
    Load(graph,
         std::string("<ir_version: ") + ir + R"(, opset_import: ["" : 14]>)");
    Node& trilu = Find("Trilu");
    EXPECT_EQ(trilu.input(1)->ConstantInitializer() != nullptr, ir[0] == '3');
    rewriter_->SetAnchor(trilu);
    rewriter_->Replace(trilu, {rewriter_->Emit("Relu", {trilu.input(0)})});
    const auto proto = Written();
    EXPECT_EQ(proto.graph().input_size(), ir[0] == '3' ? 1 : 2);
    EXPECT_EQ(proto.graph().initializer_size(), ir[0] == '3' ? 0 : 1);
  }
}

constexpr char kIf[] = R"(g (bool c, float[N] x) => (float[N] y) {
    e = Exp(x)
    y = If(c) <
      then_branch = t () => (float[N] a) { a = Relu(e) },
      else_branch = f () => (float[N] b) { b = Identity(x) }>
  })";

TEST_F(RewriterTest, SubgraphChangeIsWrittenAndCapturesFollow) {
  Load(kIf);
  Node& exp = Find("Exp");
  rewriter_->SetAnchor(exp);
  rewriter_->Replace(exp, {rewriter_->Emit("Abs", {exp.input(0)})});
  Node& relu = Find("Relu");
  rewriter_->Replace(relu, {relu.input(0)});
  const auto proto = Written();
  const auto& then_branch = proto.graph().node(1).attribute(0).g();
  ASSERT_EQ(then_branch.node_size(), 1);
  EXPECT_EQ(then_branch.node(0).op_type(), "Identity");
  EXPECT_EQ(then_branch.node(0).input(0), "e");
  EXPECT_EQ(then_branch.node(0).output(0), "a");
}

TEST_F(RewriterTest, ErasingANodeReleasesWhatItsSubgraphsRead) {
  Load(kIf);
  Node& branch = Find("If");
  Value* x = Find("Exp").input(0);
  rewriter_->SetAnchor(branch);
  rewriter_->Replace(branch, {rewriter_->Emit("Relu", {x})});
  const auto proto = Written();
  ASSERT_EQ(proto.graph().node_size(), 1);
  EXPECT_EQ(proto.graph().node(0).op_type(), "Relu");
}

TEST_F(RewriterTest, UntouchedNodesKeepTheirBytes) {
  auto text = ParseText(
      std::string(kHead) +
      "g (float[N] x) => (float[N] z) { y = Relu(x) w = Abs(y) z = Exp(w) }");
  ASSERT_TRUE(text.ok());
  // An unknown field, which only splicing or protobuf can keep.
  auto* abs = text->mutable_graph()->mutable_node(1);
  abs->GetReflection()->MutableUnknownFields(abs)->AddVarint(999, 7);
  const std::string record = abs->SerializeAsString();
  model_ = *ParseModel(text->SerializeAsString());
  rewriter_ = std::make_unique<Rewriter>(*model_);
  Node& exp = Find("Exp");
  rewriter_->SetAnchor(exp);
  rewriter_->Replace(exp, {rewriter_->Emit("Neg", {exp.input(0)})});
  EXPECT_THAT(*SerializeModel(*model_), HasSubstr(record));
}

TEST_F(RewriterTest, NewNodesTakeOverMetadataOfTheNodeTheyReplace) {
  auto text = ParseText(std::string(kHead) +
                        "g (float[N] x) => (float[N] y) { y = Relu(x) }");
  ASSERT_TRUE(text.ok());
  auto* node = text->mutable_graph()->mutable_node(0);
  node->set_doc_string("why");
  node->add_metadata_props()->set_key("pkg.torch.stack_trace");
  model_ = *ParseModel(text->SerializeAsString());
  rewriter_ = std::make_unique<Rewriter>(*model_);
  Node& relu = Find("Relu");
  rewriter_->SetAnchor(relu);
  rewriter_->Replace(relu, {rewriter_->Emit("Abs", {relu.input(0)})});
  const auto proto = Written();
  EXPECT_EQ(proto.graph().node(0).doc_string(), "why");
  EXPECT_EQ(proto.graph().node(0).metadata_props(0).key(),
            "pkg.torch.stack_trace");
}

TEST_F(RewriterTest, InputsAttributesAndNamesChange) {
  Load(
      "g (float[2,3] x) => (float[2,3] y) <int64 k = {1}> { y = Trilu(x, k) }");
  Node& trilu = Find("Trilu");
  Value* k = trilu.input(1);
  rewriter_->SetInput(trilu, 1, nullptr);
  rewriter_->EraseIfUnused(*k);
  rewriter_->SetAttribute(trilu, {"upper", 0});
  rewriter_->Rename(trilu, "mask");
  Value* x = trilu.input(0);
  rewriter_->Rename(*x, rewriter_->UniqueValueName("data"));
  auto proto = Written();
  EXPECT_EQ(proto.graph().initializer_size(), 0);
  EXPECT_EQ(proto.graph().input(0).name(), "data");
  EXPECT_EQ(proto.graph().node(0).input(0), "data");
  EXPECT_EQ(proto.graph().node(0).name(), "mask");
  EXPECT_EQ(proto.graph().node(0).attribute(0).i(), 0);
  rewriter_->RemoveAttribute(trilu, "upper");
  rewriter_->SetAnchor(trilu);
  rewriter_->SetInput(trilu, 1, rewriter_->Int64Scalar(-1));
  proto = Written();
  EXPECT_EQ(proto.graph().node(1).attribute_size(), 0);
  EXPECT_EQ(proto.graph().node(0).attribute(0).t().raw_data(),
            std::string(8, '\xff'));
}

TEST_F(RewriterTest, ConstantsThatOldOpsetsCannotMakeAreInitializers) {
  for (const char* ir : {"3", "4"}) {
    Load("g (float[2,3] x) => (float[A,B] y) { y = Relu(x) }",
         std::string("<ir_version: ") + ir + R"(, opset_import: ["" : 8]>)");
    Node& relu = Find("Relu");
    rewriter_->SetAnchor(relu);
    Value* shape = rewriter_->Int64s({3, 2}, "shape");
    EXPECT_NE(shape->ConstantInitializer(), nullptr);
    rewriter_->Replace(relu,
                       {rewriter_->Emit("Reshape", {relu.input(0), shape})});
    const auto proto = Written();
    ASSERT_EQ(proto.graph().initializer_size(), 1);
    EXPECT_EQ(proto.graph().initializer(0).name(), "y/shape");
    EXPECT_EQ(proto.graph().input_size(), ir[0] == '3' ? 2 : 1);
  }
}

TEST_F(RewriterTest, NewNamesNeverCollide) {
  Load(R"(g (float[N] x) => (float[N] y) {
            "y/Abs" = Exp(x)
            y = Relu("y/Abs")
          })");
  Node& relu = Find("Relu");
  rewriter_->SetAnchor(relu);
  Value* first = rewriter_->Emit("Abs", {relu.input(0)});
  Value* second = rewriter_->Emit("Abs", {first});
  EXPECT_EQ(first->name(), "y/Abs_1");
  EXPECT_EQ(second->name(), "y/Abs_2");
  rewriter_->Replace(relu, {second});
  Written();
}

TEST_F(RewriterTest, PinnedValuesKeepTheirNames) {
  auto text = ParseText(std::string(kHead) +
                        "g (float[N] x) => (float[N] z) "
                        "{ y = Relu(x) z = Abs(y) }");
  ASSERT_TRUE(text.ok());
  text->mutable_graph()->add_quantization_annotation()->set_tensor_name("y");
  model_ = *ParseModel(text->SerializeAsString());
  rewriter_ = std::make_unique<Rewriter>(*model_);
  Node& relu = Find("Relu");
  rewriter_->Replace(relu, {relu.input(0)});
  const auto proto = Written();
  ASSERT_EQ(proto.graph().node_size(), 2);
  EXPECT_EQ(proto.graph().node(1).op_type(), "Identity");
  EXPECT_EQ(proto.graph().node(1).output(0), "y");
}

TEST_F(RewriterTest, FunctionBodiesChange) {
  Load(R"(g (float[N] x) => (float[N] y) { y = my.f(x) }
          <domain: "my", opset_import: ["" : 14]>
          f (a) => (b) { b = Relu(a) })",
       R"(<ir_version: 8, opset_import: ["" : 14, "my" : 1]>)");
  Node& relu = Find("Relu");
  rewriter_->SetAnchor(relu);
  rewriter_->Replace(relu, {rewriter_->Emit("Abs", {relu.input(0)})});
  const auto proto = Written();
  ASSERT_EQ(proto.functions(0).node_size(), 1);
  EXPECT_EQ(proto.functions(0).node(0).op_type(), "Abs");
  EXPECT_EQ(proto.functions(0).node(0).output(0), "b");
}

}  // namespace
}  // namespace onnx_legalize
