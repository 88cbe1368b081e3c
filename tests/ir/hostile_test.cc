// SPDX-License-Identifier: Apache-2.0
//
// Broken bytes: reading gives an error or a model of which nothing is lost.

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/round_trip.h"

namespace onnx_legalize {
namespace {

onnx::ValueInfoProto FloatValue(const std::string& name) {
  onnx::ValueInfoProto value;
  value.set_name(name);
  auto* type = value.mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  type->mutable_shape()->add_dim()->set_dim_param("N");
  return value;
}

void AddNode(const std::string& op, const std::string& in,
             const std::string& out, onnx::GraphProto* graph) {
  auto* node = graph->add_node();
  node->set_op_type(op);
  node->set_name(out + "_node");
  node->add_input(in);
  node->add_output(out);
}

// A subgraph with captures, a function, an initializer and a Constant; what an
// exporter writes last is the opset import, so that every truncation shows.
std::string SmallModel() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.set_producer_name("test");
  auto* graph = model.mutable_graph();
  graph->set_name("g");
  *graph->add_input() = FloatValue("x");
  *graph->add_output() = FloatValue("y");
  auto* weight = graph->add_initializer();
  weight->set_name("w");
  weight->set_data_type(onnx::TensorProto::FLOAT);
  weight->add_dims(2);
  weight->set_raw_data(std::string(8, 1));
  AddNode("Constant", "", "c", graph);
  graph->mutable_node(0)->clear_input();
  auto* value = graph->mutable_node(0)->add_attribute();
  value->set_name("value");
  value->set_type(onnx::AttributeProto::TENSOR);
  value->mutable_t()->set_data_type(onnx::TensorProto::BOOL);
  value->mutable_t()->add_int32_data(1);
  AddNode("If", "c", "y", graph);
  for (const char* name : {"then_branch", "else_branch"}) {
    auto* branch = graph->mutable_node(1)->add_attribute();
    branch->set_name(name);
    branch->set_type(onnx::AttributeProto::GRAPH);
    branch->mutable_g()->set_name("b");
    const std::string result = std::string(name) + "_y";
    AddNode("Neg", "x", result, branch->mutable_g());
    *branch->mutable_g()->add_output() = FloatValue(result);
  }
  model.add_opset_import()->set_version(17);
  return model.SerializeAsString();
}

// Reads `bytes`; if they make a model, nothing of it may be lost.
bool Reads(const std::string& bytes) {
  auto model = ParseModel(bytes);
  if (!model.ok()) {
    EXPECT_FALSE(model.status().message().empty());
    return false;
  }
  const absl::Status status = CheckRoundTrip(**model);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return true;
}

TEST(HostileTest, IntactModelReads) { EXPECT_TRUE(Reads(SmallModel())); }

TEST(HostileTest, TruncatedAnywhereIsRefused) {
  const std::string intact = SmallModel();
  for (size_t n = 0; n < intact.size(); ++n) {
    EXPECT_FALSE(Reads(intact.substr(0, n))) << "cut at " << n;
  }
}

TEST(HostileTest, EveryBitFlipped) {
  const std::string intact = SmallModel();
  for (size_t bit = 0; bit < intact.size() * 8; ++bit) {
    std::string flipped = intact;
    flipped[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    Reads(flipped);
  }
}

TEST(HostileTest, RandomBytesWrittenOver) {
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    std::string bytes = SmallModel();
    for (int n = random() % 8; n >= 0; --n) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    Reads(bytes);
  }
}

TEST(HostileTest, PiecesMovedAndRepeated) {
  std::mt19937 random(2);
  for (int i = 0; i < 5000; ++i) {
    std::string bytes = SmallModel();
    const size_t from = random() % bytes.size();
    const std::string piece = bytes.substr(from, random() % 64);
    if (random() % 2) bytes.erase(from, piece.size());
    bytes.insert(random() % (bytes.size() + 1), piece);
    Reads(bytes);
  }
}

TEST(HostileTest, HugeLengths) {
  const std::string intact = SmallModel();
  for (const char* length :
       {"\xff\xff\xff\xff\x0f", "\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"}) {
    for (size_t n = 0; n < intact.size(); ++n) {
      std::string bytes = intact;
      Reads(bytes.replace(n, 1, length));
    }
  }
}

TEST(HostileTest, NoModelAtAll) {
  EXPECT_FALSE(Reads(""));
  EXPECT_FALSE(Reads(std::string(4096, '\0')));
  EXPECT_FALSE(Reads("\x89PNG\r\n\x1a\n"));
  EXPECT_FALSE(Reads("version https://git-lfs.github.com/spec/v1\n"));
  EXPECT_FALSE(Reads("\x08\x08"));
}

}  // namespace
}  // namespace onnx_legalize
