// SPDX-License-Identifier: Apache-2.0
//
// Inference where schemas' own functions are wrong. The shapes here are what
// ONNX Runtime 1.32 and the reference evaluator compute; each case is one that
// the schema's function gets wrong or doesn't say.

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/ops/inferred_model.h"

namespace onnx_legalize {
namespace {

struct WindowCase {
  const char* name;
  int opset;
  const char* input;  // The type of x.
  const char* node;   // Makes y.
  const char* shape;  // Of y.
};

class OverrideTest : public testing::TestWithParam<WindowCase> {};

TEST_P(OverrideTest, ShapeIsWhatRuntimesMake) {
  const WindowCase& c = GetParam();
  InferredModel m(absl::StrCat(
      "<ir_version: 8, opset_import: [\"\" : ", c.opset, "]>\ng (", c.input,
      " x, float[1,1,3] w, float[1,1,1] w1) => (float y_declared)\n{\n y = ",
      c.node, "\n y_declared = ReduceSum<keepdims = 0>(x)\n}"));
  EXPECT_EQ(m.type("y"), absl::StrCat("tensor(float)", c.shape));
}

INSTANTIATE_TEST_SUITE_P(
    Windows, OverrideTest,
    testing::Values(
        WindowCase{"CeilExactFit", 12, "float[1,1,10]",
                   "MaxPool<kernel_shape = [1], strides = [3], ceil_mode = 1>"
                   "(x)",
                   "[1,1,4]"},
        WindowCase{"CeilLastWindowOutside", 12, "float[1,1,9]",
                   "MaxPool<kernel_shape = [1], strides = [3], ceil_mode = 1>"
                   "(x)",
                   "[1,1,3]"},
        WindowCase{"CeilAveragePool10", 10, "float[1,1,4]",
                   "AveragePool<kernel_shape = [1], strides = [2], "
                   "ceil_mode = 1>(x)",
                   "[1,1,2]"},
        WindowCase{"CeilLpPool18", 18, "float[1,1,4]",
                   "LpPool<kernel_shape = [1], strides = [2], "
                   "ceil_mode = 1>(x)",
                   "[1,1,2]"},
        WindowCase{"SameDropsCeil", 10, "float[1,1,4]",
                   "MaxPool<kernel_shape = [1], strides = [2], ceil_mode = 1, "
                   "auto_pad = \"SAME_UPPER\">(x)",
                   "[1,1,2]"},
        WindowCase{"ValidKeepsCeil", 12, "float[1,1,5]",
                   "MaxPool<kernel_shape = [2], strides = [2], ceil_mode = 1, "
                   "auto_pad = \"VALID\">(x)",
                   "[1,1,3]"},
        WindowCase{"StalePadsBesideValid", 13, "float[1,1,7]",
                   "Conv<auto_pad = \"VALID\", pads = [1, 1]>(x, w)",
                   "[1,1,5]"},
        WindowCase{"StalePadsBesideSame", 13, "float[1,1,7]",
                   "Conv<auto_pad = \"SAME_LOWER\", pads = [0, 0]>(x, w)",
                   "[1,1,7]"},
        WindowCase{"SameWithoutStrideKeepsTheName", 13, "float[1,1,T]",
                   "Conv<auto_pad = \"SAME_UPPER\">(x, w)", "[1,1,T]"},
        WindowCase{"NotsetKeepsPads", 13, "float[1,1,7]",
                   "Conv<auto_pad = \"NOTSET\", pads = [1, 1]>(x, w)",
                   "[1,1,7]"},
        WindowCase{"TransposeSameWithOutputPadding", 11, "float[1,1,3]",
                   "ConvTranspose<strides = [2], output_padding = [1], "
                   "auto_pad = \"SAME_UPPER\">(x, w)",
                   "[1,1,6]"},
        // Runtimes clamp the total padding at 0 and make 5, the reference 6.
        WindowCase{"TransposeSameShortKernel", 11, "float[1,1,3]",
                   "ConvTranspose<strides = [2], auto_pad = \"SAME_UPPER\">"
                   "(x, w1)",
                   "[1,1,?]"},
        WindowCase{"TransposeStalePads", 11, "float[1,1,3]",
                   "ConvTranspose<auto_pad = \"VALID\", pads = [1, 1]>(x, w)",
                   "[1,1,5]"},
        WindowCase{"TransposeOutputShapeBelowInput", 11, "float[1,1,4]",
                   "ConvTranspose<output_shape = [3]>(x, w)", "[1,1,3]"}),
    [](const auto& info) { return info.param.name; });

TEST(OverrideTest, ReshapeCancelsNames) {
  InferredModel m(R"(
    <ir_version: 8, opset_import: ["" : 14]>
    g (float[N,T,512] x) => (float[A,B,C,D] y)
    <int64[4] s = {0, -1, 8, 64}>
    { y = Reshape(x, s) })");
  // Declared names stay; an undeclared value takes those of x.
  EXPECT_EQ(m.type("y"), "tensor(float)[A,B,8,64]");
  InferredModel inner(R"(
    <ir_version: 8, opset_import: ["" : 14]>
    g (float[N,T,512] x) => (float[A,B,C,D] y)
    <int64[4] s = {0, -1, 8, 64}>
    { h = Reshape(x, s) y = Neg(h) })");
  EXPECT_EQ(inner.type("h"), "tensor(float)[N,T,8,64]");
}

}  // namespace
}  // namespace onnx_legalize
