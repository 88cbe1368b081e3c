// SPDX-License-Identifier: Apache-2.0

#include "bench/synthetic_model.h"

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace onnx_legalize {
namespace {

class ModelBuilder {
 public:
  ModelBuilder() {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(17);
    model_.mutable_graph()->set_name("synthetic");
  }

  void Input(const std::string& name, int elem_type,
             const std::vector<int64_t>& dims) {
    Declare(*model_.mutable_graph()->add_input(), name, elem_type, dims);
  }
  void Output(const std::string& name, int elem_type,
              const std::vector<int64_t>& dims) {
    Declare(*model_.mutable_graph()->add_output(), name, elem_type, dims);
  }
  void Int64s(const std::string& name, const std::vector<int64_t>& values) {
    onnx::TensorProto& t = *model_.mutable_graph()->add_initializer();
    t.set_name(name);
    t.set_data_type(onnx::TensorProto::INT64);
    t.add_dims(static_cast<int64_t>(values.size()));
    t.mutable_int64_data()->Add(values.begin(), values.end());
  }
  void Floats(const std::string& name, const std::vector<int64_t>& dims) {
    onnx::TensorProto& t = *model_.mutable_graph()->add_initializer();
    t.set_name(name);
    t.set_data_type(onnx::TensorProto::FLOAT);
    size_t count = 1;
    for (int64_t d : dims) {
      t.add_dims(d);
      count *= static_cast<size_t>(d);
    }
    t.mutable_raw_data()->assign(count * sizeof(float), '\0');
  }
  // A node named after its only output.
  onnx::NodeProto& Node(const std::string& op_type,
                        const std::vector<std::string>& inputs,
                        const std::string& output) {
    onnx::NodeProto& node = *model_.mutable_graph()->add_node();
    node.set_op_type(op_type);
    node.set_name(output);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(output);
    ++num_nodes_;
    return node;
  }
  int64_t num_nodes() const { return num_nodes_; }
  std::string Serialize() const { return model_.SerializeAsString(); }

  // y = Conv(x, w) with SAME padding.
  void SameConv(const std::string& x, const std::string& w,
                const std::string& y) {
    onnx::AttributeProto& pad = *Node("Conv", {x, w}, y).add_attribute();
    pad.set_name("auto_pad");
    pad.set_type(onnx::AttributeProto::STRING);
    pad.set_s("SAME_UPPER");
  }

 private:
  static void Declare(onnx::ValueInfoProto& info, const std::string& name,
                      int elem_type, const std::vector<int64_t>& dims) {
    info.set_name(name);
    onnx::TypeProto::Tensor& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(elem_type);
    type.mutable_shape();
    for (int64_t d : dims) {
      onnx::TensorShapeProto::Dimension& dim = *type.mutable_shape()->add_dim();
      if (d >= 0) {
        dim.set_dim_value(d);
      } else {
        dim.set_dim_param("N");
      }
    }
  }

  onnx::ModelProto model_;
  int64_t num_nodes_ = 0;
};

}  // namespace

std::string SyntheticModel(int64_t num_nodes) {
  ModelBuilder b;
  b.Input("x", onnx::TensorProto::FLOAT, {-1, 8, 16, 16});
  b.Floats("bias", {8, 1, 1});
  b.Floats("weight", {8, 8, 3, 3});
  b.Int64s("zero", {0});
  b.Int64s("rest", {8, 16, 16});
  std::string x = "x";
  for (int64_t block = 0; b.num_nodes() < num_nodes; ++block) {
    const std::string n = absl::StrCat("block", block, "/");
    b.Node("Add", {x, "bias"}, n + "add");
    b.Node("Relu", {n + "add"}, n + "relu");
    b.Node("Sigmoid", {n + "relu"}, n + "gate");
    b.Node("Mul", {n + "relu", n + "gate"}, n + "mul");
    b.Node("Shape", {n + "mul"}, n + "shape");
    b.Node("Gather", {n + "shape", "zero"}, n + "batch");
    onnx::AttributeProto& axis =
        *b.Node("Concat", {n + "batch", "rest"}, n + "size").add_attribute();
    axis.set_name("axis");
    axis.set_type(onnx::AttributeProto::INT);
    axis.set_i(0);
    b.Node("Identity", {n + "size"}, n + "same_size");
    b.Node("Reshape", {n + "mul", n + "same_size"}, n + "reshape");
    if (block % 100 == 99) {
      b.SameConv(n + "reshape", "weight", n + "y");
    } else {
      b.Node("Tanh", {n + "reshape"}, n + "y");
    }
    x = n + "y";
  }
  b.Output(x, onnx::TensorProto::FLOAT, {-1, 8, 16, 16});
  return b.Serialize();
}

std::string TriluModel(int64_t num_nodes) {
  ModelBuilder b;
  b.Input("x", onnx::TensorProto::BOOL, {-1, -1});
  for (int64_t i = 0; i < num_nodes; ++i) {
    const std::string y = absl::StrCat("y", i);
    b.Node("Trilu", {"x"}, y);
    b.Output(y, onnx::TensorProto::BOOL, {-1, -1});
  }
  return b.Serialize();
}

std::string SamePaddingModel(int64_t num_nodes) {
  ModelBuilder b;
  b.Input("x", onnx::TensorProto::FLOAT, {-1, 8, -1, -1});
  b.Floats("weight", {8, 8, 2, 2});
  for (int64_t i = 0; i < num_nodes; ++i) {
    const std::string y = absl::StrCat("y", i);
    b.SameConv("x", "weight", y);
    b.Output(y, onnx::TensorProto::FLOAT, {-1, 8, -1, -1});
  }
  return b.Serialize();
}

}  // namespace onnx_legalize
