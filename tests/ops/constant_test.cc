// SPDX-License-Identifier: Apache-2.0

#include "ops/constant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/exact_cast.h"
#include "ops/schema.h"
#include "tests/ops/inferred_model.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

// A model with one initializer `c`.
InferredModel WithInitializer(const TensorProto& tensor) {
  onnx::ModelProto model = *ParseText(
      "<ir_version: 8, opset_import: [\"\" : 14]>\n"
      "g (float[1] x) => (float[1] y) { y = Relu(x) }");
  *model.mutable_graph()->add_initializer() = tensor;
  model.mutable_graph()->mutable_initializer(0)->set_name("c");
  return InferredModel(model);
}

TEST(ConstantTest, EveryIntegerType) {
  for (int32_t type : {TensorProto::INT8, TensorProto::INT16,
                       TensorProto::INT32, TensorProto::INT64}) {
    TensorProto tensor;
    tensor.set_data_type(type);
    tensor.add_dims(2);
    if (type == TensorProto::INT64) {
      tensor.add_int64_data(-5);
      tensor.add_int64_data(7);
    } else {
      tensor.add_int32_data(-5);
      tensor.add_int32_data(7);
    }
    InferredModel m = WithInitializer(tensor);
    EXPECT_THAT(ConstantInts(m.value("c")), Optional(ElementsAre(-5, 7)));
    auto raw = RawElements(*ConstantTensor(m.value("c")));
    ASSERT_TRUE(raw.ok());
    // The same from raw_data.
    tensor.clear_int32_data();
    tensor.clear_int64_data();
    tensor.set_raw_data(*raw);
    InferredModel again = WithInitializer(tensor);
    EXPECT_THAT(ConstantInts(again.value("c")), Optional(ElementsAre(-5, 7)));
  }
}

TEST(ConstantTest, UnsignedAndBool) {
  TensorProto tensor;
  tensor.set_data_type(TensorProto::UINT32);
  tensor.add_uint64_data(4000000000);
  InferredModel m = WithInitializer(tensor);
  EXPECT_THAT(ConstantInts(m.value("c")), Optional(ElementsAre(4000000000)));
  tensor.Clear();
  tensor.set_data_type(TensorProto::BOOL);
  tensor.add_dims(0);
  InferredModel empty = WithInitializer(tensor);
  EXPECT_THAT(ConstantInts(empty.value("c")), Optional(IsEmpty()));
}

TEST(ConstantTest, FormsOfConstant) {
  InferredModel m(R"(
    <ir_version: 8, opset_import: ["" : 14]>
    g (float x) => (int64 a, int64[2] b, int64[1] c) {
      a = Constant<value_int = 3>()
      b = Constant<value_ints = [4, 5]>()
      c = Constant<value = int64[1] {6}>()
    })");
  EXPECT_THAT(ConstantInts(m.value("a")), Optional(ElementsAre(3)));
  EXPECT_THAT(ConstantInts(m.value("b")), Optional(ElementsAre(4, 5)));
  EXPECT_THAT(ConstantInts(m.value("c")), Optional(ElementsAre(6)));
  EXPECT_EQ(ConstantInts(m.value("b"), 1), std::nullopt);
  EXPECT_EQ(ConstantInts(m.value("x")), std::nullopt);
}

TEST(ConstantTest, PayloadsThatDontFitAreErrors) {
  TensorProto tensor;
  tensor.set_data_type(TensorProto::INT64);
  tensor.add_dims(3);
  tensor.add_int64_data(1);
  InferredModel m = WithInitializer(tensor);
  EXPECT_FALSE(RawElements(*ConstantTensor(m.value("c"))).ok());
  EXPECT_EQ(ConstantInts(m.value("c")), std::nullopt);
}

TEST(ExactCastTest, OnlyCastsThatKeepEveryValue) {
  const auto exact = [](TensorProto::DataType from, TensorProto::DataType to) {
    return CastIsExact(from, to);
  };
  EXPECT_TRUE(exact(TensorProto::INT32, TensorProto::INT64));
  EXPECT_TRUE(exact(TensorProto::UINT8, TensorProto::INT16));
  EXPECT_TRUE(exact(TensorProto::BOOL, TensorProto::FLOAT16));
  EXPECT_TRUE(exact(TensorProto::INT32, TensorProto::DOUBLE));
  EXPECT_TRUE(exact(TensorProto::BFLOAT16, TensorProto::FLOAT));
  EXPECT_FALSE(exact(TensorProto::INT64, TensorProto::INT32));
  EXPECT_FALSE(exact(TensorProto::INT64, TensorProto::DOUBLE));
  EXPECT_FALSE(exact(TensorProto::INT32, TensorProto::FLOAT));
  EXPECT_FALSE(exact(TensorProto::INT8, TensorProto::UINT64));
  EXPECT_FALSE(exact(TensorProto::FLOAT16, TensorProto::BFLOAT16));
  EXPECT_FALSE(exact(TensorProto::INT8, TensorProto::BOOL));
  EXPECT_FALSE(exact(TensorProto::STRING, TensorProto::FLOAT));
}

TEST(SchemaTest, TypeConstraintFaults) {
  InferredModel m(R"(
    <ir_version: 8, opset_import: ["" : 13, "custom" : 1]>
    g (int32[2] a, int64[2] b, float[2] f) => (float[2] y) {
      variadic = Max(b, b, a)
      wrong = Relu(a)
      index = Gather(f, b)
      shape = Reshape(f, a)
      any = Loop(b, , f) <body = l (int64 i, bool c, float[2] s) =>
          (bool d, float[2] t) { d = Identity(c) t = Identity(s) }>
      other = custom.Op(a, b)
      y = Neg(f)
    })");
  const auto fault = [&](absl::string_view name) {
    return TypeConstraintFault(*m.value(name).producer()).value_or("none");
  };
  EXPECT_EQ(fault("variadic"),
            "inputs mix tensor(int64) and tensor(int32), which must be of one "
            "type");
  EXPECT_EQ(
      fault("wrong"),
      "input 0 (X) is tensor(int32), which Relu at opset 13 doesn't take");
  EXPECT_EQ(fault("index"), "none");
  EXPECT_EQ(fault("shape"),
            "input 1 (shape) is tensor(int32), which Reshape at opset 13 "
            "doesn't take");
  EXPECT_EQ(fault("any"), "none");
  EXPECT_EQ(fault("other"), "none");
}

}  // namespace
}  // namespace onnx_legalize
