// SPDX-License-Identifier: Apache-2.0

#include "ops/inference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/ops/inferred_model.h"

namespace onnx_legalize {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

TEST(InferenceTest, ShapeArithmetic) {
  InferredModel m(R"(
    <ir_version: 8, opset_import: ["" : 14]>
    g (float[2,N,6] x) => (int64[a] list, int64 size, int64[b] chosen)
    <int64 first = {0}, int64 last = {-1}, int64[0] none = {},
     int64[1] axis = {0}, int64[1] three = {3}, int64[1] one = {1},
     int64[3] minus = {-1, -1, -1}>
    {
      shape = Shape(x)
      b = Gather(shape, first)
      c = Gather(shape, last)
      size3 = Squeeze(three, axis)
      half = Div(c, size3)
      u = Unsqueeze(b, axis)
      list = Concat<axis = 0>(none, u, three, one)
      product = ReduceProd<keepdims = 0>(list)
      size = Add(product, half)
      unknown = Equal(shape, minus)
      chosen = Where(unknown, minus, shape)
      two = Add(one, one)
      ends = Slice(shape, axis, three, axis, two)
    })");
  EXPECT_THAT(m.types().KnownInts(m.value("list")),
              Optional(ElementsAre(2, 3, 1)));
  EXPECT_THAT(m.types().KnownInts(m.value("half")), Optional(ElementsAre(2)));
  EXPECT_THAT(m.types().KnownInts(m.value("size")), Optional(ElementsAre(8)));
  EXPECT_THAT(m.types().KnownInts(m.value("ends")),
              Optional(ElementsAre(2, 6)));
  // The middle dimension has but a name.
  EXPECT_EQ(m.types().KnownInts(m.value("shape")), std::nullopt);
  EXPECT_EQ(m.types().KnownInts(m.value("chosen")), std::nullopt);
  EXPECT_THAT(m.types().failures(), IsEmpty());
}

TEST(InferenceTest, Int32WrapsAroundSoNothingIsKnown) {
  InferredModel m(R"(
    <ir_version: 8, opset_import: ["" : 14]>
    g (float x) => (int32[1] y) <int32[1] big = {2000000000}>
    { y = Add(big, big) })");
  EXPECT_EQ(m.types().KnownInts(m.value("y")), std::nullopt);
}

TEST(InferenceTest, OverridableDefaultsAreNotConstant) {
  InferredModel m(R"(
    <ir_version: 8, opset_import: ["" : 14]>
    g (float[6] x, int64[2] s = {2, 3}) => (float[a,b] y)
    { y = Reshape(x, s) })");
  EXPECT_EQ(m.type("y"), "tensor(float)[a,b]");
  EXPECT_EQ(m.types().KnownInts(m.value("s")), std::nullopt);
}

TEST(InferenceTest, MixedTypesAreFaultsNotTypes) {
  InferredModel m(R"(
    <ir_version: 8, opset_import: ["" : 14]>
    g (int32[1] a, int64[1] b) => (int64[2] y)
    { c = Concat<axis = 0>(a, b) y = Identity(c) })");
  EXPECT_EQ(m.type("c"), "unknown");
  EXPECT_THAT(m.types().failures(),
              testing::Contains(HasSubstr("inputs mix tensor(int32) and")));
}

TEST(InferenceTest, DeclaredAndInferred) {
  InferredModel m(R"(
    <ir_version: 8, opset_import: ["" : 14, "custom" : 1]>
    g (float[N,3] x) => (float[4,B] y, float[N] wrong, float[7] other)
    { y = Relu(x) wrong = Neg(x) other = custom.Op(x) })");
  // The more specific of each dimension.
  EXPECT_EQ(m.type("y"), "tensor(float)[4,3]");
  EXPECT_EQ(m.type("wrong"), "tensor(float)[N,3]");
  EXPECT_EQ(m.type("other"), "tensor(float)[7]");
  ASSERT_EQ(m.types().conflicts().size(), 1u);
  EXPECT_EQ(m.types().conflicts()[0].value->name(), "wrong");
  EXPECT_EQ(TypeString(m.types().conflicts()[0].declared), "tensor(float)[N]");
}

TEST(InferenceTest, SubgraphsReadOuterValues) {
  InferredModel m(R"(
    <ir_version: 8, opset_import: ["" : 14]>
    g (bool c, float[N,3] x, int64 n) => (float[a,b] y, float[d,e,f] z) {
      h = Transpose<perm = [1, 0]>(x)
      y = If(c) <then_branch = t () => (float[P,Q] p) { p = Relu(h) },
                 else_branch = e () => (float[R,S] q) { q = Neg(h) }>
      z = Loop(n, c) <body = b (int64 i, bool d) => (bool k, float[P,Q] s) {
        k = Identity(d)
        s = Abs(h)
      }>
    })");
  EXPECT_EQ(m.type("y"), "tensor(float)[3,b]");
  EXPECT_EQ(m.type("z"), "tensor(float)[d,3,f]");
}

constexpr char kCalls[] = R"(
    <ir_version: 9, opset_import: ["" : 14, "local" : 1]>
    g (float[2,3] x, float[4,3] z) => (float[a,b] y, float[c] w) {
      y = local.flip<to = [1, 0]>(x)
      w = local.flip<to = [0, 1]>(z)
    }
    <domain: "local", opset_import: ["" : 14]>
    flip <to> (a) => (c) {
      b = Relu(a)
      c = Transpose<perm: ints = @to>(b)
    })";

TEST(InferenceTest, FunctionsAreInferredAtEachCall) {
  InferredModel m(kCalls);
  EXPECT_EQ(m.type("y"), "tensor(float)[3,2]");
  EXPECT_EQ(m.type("w"), "tensor(float)[4,3]");
  // In the body stands what both calls agree on.
  const Graph& body = m.model().functions()[0]->body();
  EXPECT_EQ(TypeString(body.FindValue("b")->type()), "tensor(float)[?,3]");
  EXPECT_EQ(TypeString(body.FindValue("c")->type()), "tensor(float)[?,?]");
}

TEST(InferenceTest, FunctionsThatCallThemselvesEnd) {
  InferredModel m(R"(
    <ir_version: 9, opset_import: ["" : 14, "local" : 1]>
    g (float[2] x) => (float[2] y) { y = local.f(x) }
    <domain: "local", opset_import: ["" : 14, "local" : 1]>
    f (a) => (b) { b = local.f(a) })");
  EXPECT_THAT(m.types().failures(),
              testing::Contains(HasSubstr("calls itself")));
}

TEST(InferenceTest, FunctionsThatCallOthersTwiceEachEnd) {
  std::string text = R"(
    <ir_version: 9, opset_import: ["" : 14, "local" : 1]>
    g (float[2] x) => (float[2] y) { y = local.f0(x) }
    )";
  for (int i = 0; i < 30; ++i) {
    absl::StrAppend(&text, "<domain: \"local\", opset_import: [\"\" : 14, ",
                    "\"local\" : 1]>\nf", i, " (a) => (c) { b = local.f", i + 1,
                    "(a) c = local.f", i + 1, "(b) }\n");
  }
  absl::StrAppend(&text, "<domain: \"local\", opset_import: [\"\" : 14]>\n",
                  "f30 (a) => (b) { b = Relu(a) }\n");
  InferredModel m(text);
  EXPECT_FALSE(m.types().failures().empty());
}

TEST(InferenceTest, OperatorsWithNothingButAFunctionBody) {
  InferredModel m(R"(
    <ir_version: 8, opset_import: ["" : 13]>
    g (float[2,3,4,5] x, float[3] s) => (float[a,b,c,d] y)
    { y = MeanVarianceNormalization(x) })");
  EXPECT_EQ(m.type("y"), "tensor(float)[2,3,4,5]");
  InferredModel built(R"(
    <ir_version: 10, opset_import: ["" : 21]>
    g (float[2,4,5] x, float[4] s) => (float[a,b,c] y)
    { y = GroupNormalization<num_groups = 2>(x, s, s) })");
  EXPECT_EQ(built.type("y"), "tensor(float)[2,4,5]");
}

TEST(InferenceTest, RewritesAreInferredAtOnceAndReachReaders) {
  InferredModel m(R"(
    <ir_version: 8, opset_import: ["" : 14]>
    g (float[2,3] x) => (float[a,b] y) <int64[2] s = {3, 2}>
    { t = Identity(s) r = Relu(x) n = Neg(r) y = Abs(n) })");
  Rewriter rewriter(m.model(), &m.types());
  Node& relu = *m.value("r").producer();
  rewriter.SetAnchor(relu);
  Value* made = rewriter.Emit("Reshape", {&m.value("x"), &m.value("t")});
  EXPECT_EQ(TypeString(made->type()), "tensor(float)[3,2]");
  rewriter.SetInput(relu, 0, made);
  EXPECT_EQ(m.type("n"), "tensor(float)[3,2]");
  EXPECT_EQ(m.type("y"), "tensor(float)[3,2]");
}

// Each is a node on which a schema's own function crashes, hangs or throws.
TEST(InferenceTest, MalformedNodesAreFailures) {
  for (const char* node : {"EyeLike()",
                           "Relu()",
                           "Relu(x, x)",
                           "Gemm(x)",
                           "Cast(x)",
                           "Cast<to = 9999>(x)",
                           "Concat(x)",
                           "Concat<axis = 5>(x)",
                           "LayerNormalization<axis = 2147483648>(x, x)",
                           "Flatten<axis = 9223372036854775807>(x)",
                           "Transpose<perm = [9223372036854775807]>(x)",
                           "Conv<strides = [0, 0]>(x4, x4)",
                           "Conv<dilations = [-1, 1]>(x4, x4)",
                           "Expand(x, huge)",
                           "Reshape(x, huge)",
                           "ConstantOfShape(huge)",
                           "GatherND<batch_dims = -100>(x4, i)",
                           "If(c)",
                           "MaxPool(x4)",
                           "Split<axis = 7>(x)"}) {
    InferredModel m(absl::StrCat(
        "<ir_version: 8, opset_import: [\"\" : 17]>\n"
        "g (float[2,3] x, float[1,1,4,4] x4, bool c, int64[2,1] i,\n"
        " int64[9223372036854775807] huge) => (float[2,3] y)\n{ z = ",
        node, "\n y = Identity(x) }"));
    EXPECT_EQ(m.types().failures().size(), 1u) << node;
    EXPECT_EQ(m.type("y"), "tensor(float)[2,3]") << node;
  }
}

}  // namespace
}  // namespace onnx_legalize
