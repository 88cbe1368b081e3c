// SPDX-License-Identifier: Apache-2.0

#include "ops/preconditions.h"

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace onnx_legalize {
namespace {

// No tensor has as many dimensions. Some functions count axes in an int, some
// make a dimension for each element of a list of sizes.
constexpr int64_t kMaxRank = 1024;

bool InRange(int64_t axis) { return axis >= -kMaxRank && axis <= kMaxRank; }

bool IsAxisName(absl::string_view name) {
  return absl::EndsWith(name, "axis") || name == "axes" || name == "perm";
}

std::optional<std::string> AxisFault(const Node& node, const TypeScope& scope) {
  for (const Attribute* attribute : node.attributes()) {
    if (!IsAxisName(attribute->name())) continue;
    const BoundAttribute bound = scope.Resolve(*attribute);
    if (bound.absent()) continue;
    const onnx::AttributeProto& proto =
        bound.ours != nullptr ? bound.ours->proto() : *bound.plain;
    bool in_range = InRange(proto.i());
    for (int64_t axis : proto.ints()) in_range &= InRange(axis);
    if (!in_range) {
      return absl::StrCat("attribute '", attribute->name(),
                          "' is out of range");
    }
  }
  return std::nullopt;
}

// batch_dims counts dimensions that the first two inputs have.
std::optional<std::string> BatchDimsFault(const Node& node,
                                          const TypeScope& scope) {
  const Attribute* attribute = node.attribute("batch_dims");
  if (attribute == nullptr) return std::nullopt;
  const BoundAttribute bound = scope.Resolve(*attribute);
  if (bound.absent()) return std::nullopt;
  const int64_t count =
      bound.ours != nullptr ? bound.ours->proto().i() : bound.plain->i();
  bool in_range = count >= 0 && InRange(count);
  for (int i = 0; i < 2; ++i) {
    const onnx::TypeProto* type =
        node.input(i) != nullptr ? scope.TypeOf(*node.input(i)) : nullptr;
    if (type == nullptr || !type->has_tensor_type() ||
        !type->tensor_type().has_shape()) {
      continue;
    }
    in_range &= count <= type->tensor_type().shape().dim_size();
  }
  if (in_range) return std::nullopt;
  return "attribute 'batch_dims' is out of range";
}

// A list of sizes, one for each dimension, is an input of that index or later.
int FirstSizeList(const Node& node) {
  if (node.Is("ConstantOfShape")) return 0;
  for (absl::string_view op :
       {"Expand", "Reshape", "Tile", "Resize", "Upsample", "MaxUnpool",
        "AffineGrid", "Col2Im", "CenterCropPad", "Pad"}) {
    if (node.Is(op)) return 1;
  }
  return node.num_inputs();
}

std::optional<std::string> SizeListFault(const Node& node,
                                         const TypeScope& scope) {
  for (int i = FirstSizeList(node); i < node.num_inputs(); ++i) {
    const Value* value = node.input(i);
    const onnx::TypeProto* type =
        value != nullptr ? scope.TypeOf(*value) : nullptr;
    if (type == nullptr || !type->has_tensor_type() ||
        type->tensor_type().shape().dim_size() != 1 ||
        type->tensor_type().elem_type() != onnx::TensorProto::INT64) {
      continue;
    }
    // Pad has two numbers a dimension.
    if (type->tensor_type().shape().dim(0).dim_value() > 2 * kMaxRank) {
      return absl::StrCat("input ", i, " is longer than any tensor's rank");
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> PreconditionFault(const Node& node,
                                             const onnx::OpSchema& schema,
                                             const TypeScope& scope) {
  if (node.num_inputs() < schema.min_input() ||
      node.num_inputs() > schema.max_input()) {
    return absl::StrCat("has ", node.num_inputs(), " inputs");
  }
  if (node.num_outputs() < schema.min_output() ||
      node.num_outputs() > schema.max_output()) {
    return absl::StrCat("has ", node.num_outputs(), " outputs");
  }
  const auto& formals = schema.inputs();
  for (int i = 0; i < static_cast<int>(formals.size()); ++i) {
    if (formals[i].GetOption() == onnx::OpSchema::Single &&
        i < schema.min_input() && node.input(i) == nullptr) {
      return absl::StrCat("input ", i, " (", formals[i].GetName(),
                          ") is absent");
    }
  }
  if (auto fault = AxisFault(node, scope)) return fault;
  if (auto fault = BatchDimsFault(node, scope)) return fault;
  return SizeListFault(node, scope);
}

}  // namespace onnx_legalize
