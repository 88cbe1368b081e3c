// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/body.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "ops/constant.h"
#include "ops/float_bits.h"
#include "ops/tensor_proto.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

template <typename T>
void AppendElement(T value, std::string* raw) {
  raw->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void RenameIn(onnx::GraphProto* graph,
              const absl::flat_hash_map<std::string, std::string>& names);

void RenameReads(onnx::NodeProto* node,
                 const absl::flat_hash_map<std::string, std::string>& names) {
  for (auto& input : *node->mutable_input()) {
    auto it = names.find(input);
    if (it != names.end()) input = it->second;
  }
  for (auto& attribute : *node->mutable_attribute()) {
    if (attribute.has_g()) RenameIn(attribute.mutable_g(), names);
    for (auto& g : *attribute.mutable_graphs()) RenameIn(&g, names);
  }
}

// What a subgraph captures; its own names never equal those of outer scopes.
void RenameIn(onnx::GraphProto* graph,
              const absl::flat_hash_map<std::string, std::string>& names) {
  for (auto& node : *graph->mutable_node()) RenameReads(&node, names);
  for (auto& output : *graph->mutable_output()) {
    auto it = names.find(output.name());
    if (it != names.end()) output.set_name(it->second);
  }
}

}  // namespace

AttributeInit FloatsAttribute(absl::string_view name,
                              const std::vector<float>& values) {
  onnx::AttributeProto proto;
  proto.set_name(name.data(), name.size());
  proto.set_type(onnx::AttributeProto::FLOATS);
  for (float v : values) proto.add_floats(v);
  return AttributeInit(std::move(proto));
}

AttributeInit StringsAttribute(absl::string_view name,
                               const std::vector<std::string>& values) {
  onnx::AttributeProto proto;
  proto.set_name(name.data(), name.size());
  proto.set_type(onnx::AttributeProto::STRINGS);
  for (const std::string& v : values) proto.add_strings(v);
  return AttributeInit(std::move(proto));
}

std::string EncodeElements(const std::vector<double>& values,
                           int32_t elem_type) {
  std::string raw;
  for (double v : values) {
    switch (elem_type) {
      case TensorProto::FLOAT:
        AppendElement(static_cast<float>(v), &raw);
        break;
      case TensorProto::DOUBLE:
        AppendElement(v, &raw);
        break;
      case TensorProto::FLOAT16:
        AppendElement(FloatToHalf(static_cast<float>(v)), &raw);
        break;
      case TensorProto::BFLOAT16:
        AppendElement(FloatToBfloat16(static_cast<float>(v)), &raw);
        break;
      case TensorProto::BOOL:
        AppendElement(static_cast<uint8_t>(v != 0), &raw);
        break;
      case TensorProto::INT8:
      case TensorProto::UINT8:
        AppendElement(static_cast<uint8_t>(static_cast<int64_t>(v)), &raw);
        break;
      case TensorProto::INT16:
      case TensorProto::UINT16:
        AppendElement(static_cast<uint16_t>(static_cast<int64_t>(v)), &raw);
        break;
      case TensorProto::INT32:
      case TensorProto::UINT32:
        AppendElement(static_cast<uint32_t>(static_cast<int64_t>(v)), &raw);
        break;
      case TensorProto::INT64:
        AppendElement(static_cast<int64_t>(v), &raw);
        break;
      case TensorProto::UINT64:
        AppendElement(v < 0 ? static_cast<uint64_t>(static_cast<int64_t>(v))
                            : static_cast<uint64_t>(v),
                      &raw);
        break;
      default:
        return "";
    }
  }
  return raw;
}

Body::Body(const Node& node, const TypeInference& types)
    : node_(node), types_(types) {
  proto_.set_name(node.op().op_type);
  SetOpset(kOpset);
}

// --- The node ----------------------------------------------------------------

Ref Body::In(int i) const { return Has(i) ? absl::StrCat("in", i) : Ref(); }

int32_t Body::Type(int i) const {
  return Has(i) ? node_.input(i)->elem_type() : 0;
}

std::optional<int> Body::Rank(int i) const {
  return Has(i) ? node_.input(i)->rank() : std::nullopt;
}

std::optional<int64_t> Body::Dim(int i, int axis) const {
  return Has(i) ? node_.input(i)->dim(axis) : std::nullopt;
}

std::optional<std::vector<int64_t>> Body::Shape(int i) const {
  return Has(i) ? node_.input(i)->static_shape() : std::nullopt;
}

std::optional<std::vector<int64_t>> Body::KnownInts(int i) const {
  if (!Has(i)) return std::nullopt;
  if (auto known = types_.KnownInts(*node_.input(i))) return known;
  return ConstantInts(*node_.input(i));
}

const Tensor* Body::Constant(int i) const {
  return Has(i) ? ConstantTensor(*node_.input(i)) : nullptr;
}

std::optional<std::vector<double>> Body::KnownFloats(int i) const {
  const Tensor* tensor = Constant(i);
  if (tensor == nullptr) return std::nullopt;
  return FloatElements(*tensor);
}

int32_t Body::OutType(int i) const {
  return node_.output(i) != nullptr ? node_.output(i)->elem_type() : 0;
}

std::optional<int> Body::OutRank(int i) const {
  return node_.output(i) != nullptr ? node_.output(i)->rank() : std::nullopt;
}

Attributes Body::AttributesWithout(
    const std::vector<absl::string_view>& names) const {
  Attributes kept;
  for (const Attribute* attribute : node_.attributes()) {
    if (std::count(names.begin(), names.end(), attribute->name()) > 0) continue;
    onnx::AttributeProto proto;
    CopyAttributeProto(*attribute, &proto);
    kept.emplace_back(std::move(proto));
  }
  return kept;
}

std::optional<std::vector<float>> Body::FloatsAttr(
    absl::string_view name) const {
  const Attribute* attribute = node_.attribute(name);
  if (attribute == nullptr) return std::nullopt;
  const auto& floats = attribute->proto().floats();
  return std::vector<float>(floats.begin(), floats.end());
}

std::optional<std::vector<std::string>> Body::StringsAttr(
    absl::string_view name) const {
  const Attribute* attribute = node_.attribute(name);
  if (attribute == nullptr) return std::nullopt;
  const auto& strings = attribute->proto().strings();
  return std::vector<std::string>(strings.begin(), strings.end());
}

// --- Emitting ----------------------------------------------------------------

void Body::SetDomainOpset(absl::string_view domain, int version) {
  if (domain.empty()) opset_ = version;
  for (auto& import : *proto_.mutable_opset_import()) {
    if (import.domain() == domain) return import.set_version(version);
  }
  auto* import = proto_.add_opset_import();
  import->set_domain(domain.data(), domain.size());
  import->set_version(version);
}

std::string Body::NewName(absl::string_view base) {
  return absl::StrCat(base, "_", counter_++);
}

Ref Body::Op(absl::string_view op_type, const Refs& inputs,
             const Attributes& attributes) {
  return OpN(op_type, inputs, 1, attributes)[0];
}

Refs Body::OpN(absl::string_view op_type, const Refs& inputs, int outputs,
               const Attributes& attributes, absl::string_view domain) {
  onnx::NodeProto* node = proto_.add_node();
  node->set_op_type(op_type.data(), op_type.size());
  node->set_domain(domain.data(), domain.size());
  size_t count = inputs.size();
  while (count > 0 && inputs[count - 1].empty()) --count;
  for (size_t i = 0; i < count; ++i) node->add_input(inputs[i]);
  Refs results;
  for (int i = 0; i < outputs; ++i) {
    results.push_back(NewName(op_type));
    node->add_output(results.back());
  }
  for (const AttributeInit& attribute : attributes) {
    *node->add_attribute() = attribute.proto;
  }
  return results;
}

absl::StatusOr<Refs> Body::Call(const onnx::FunctionProto& function,
                                const Refs& inputs) {
  for (const auto& import : function.opset_import()) {
    SetDomainOpset(import.domain() == "ai.onnx" ? "" : import.domain(),
                   static_cast<int>(import.version()));
  }
  absl::flat_hash_map<std::string, std::string> names;
  for (int i = 0; i < function.input_size(); ++i) {
    names[function.input(i)] =
        i < static_cast<int>(inputs.size()) ? inputs[i] : Ref();
  }
  for (onnx::NodeProto node : function.node()) {
    RenameReads(&node, names);
    for (auto& output : *node.mutable_output()) {
      if (output.empty()) continue;
      const std::string name = NewName(output);
      names[output] = name;
      output = name;
    }
    *proto_.add_node() = std::move(node);
  }
  Refs outputs;
  for (const std::string& output : function.output()) {
    auto it = names.find(output);
    if (it == names.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "function '", function.name(), "' doesn't make '", output, "'"));
    }
    outputs.push_back(it->second);
  }
  return outputs;
}

Ref Body::Ints(const std::vector<int64_t>& values) {
  std::string raw(values.size() * sizeof(int64_t), '\0');
  if (!values.empty()) std::memcpy(raw.data(), values.data(), raw.size());
  return Raw(TensorProto::INT64, {static_cast<int64_t>(values.size())},
             std::move(raw));
}

Ref Body::Int(int64_t value) {
  std::string raw;
  AppendElement(value, &raw);
  return Raw(TensorProto::INT64, {}, std::move(raw));
}

Ref Body::Typed(double value, int32_t elem_type) {
  return Raw(elem_type, {}, EncodeElements({value}, elem_type));
}

Ref Body::Typed(const std::vector<double>& values,
                const std::vector<int64_t>& dims, int32_t elem_type) {
  return Raw(elem_type, dims, EncodeElements(values, elem_type));
}

Ref Body::Raw(int32_t elem_type, const std::vector<int64_t>& dims,
              std::string raw) {
  return Op("Constant", {}, {{"value", elem_type, dims, std::move(raw)}});
}

Ref Body::String(const std::string& value) {
  onnx::AttributeProto attribute;
  attribute.set_name("value");
  attribute.set_type(onnx::AttributeProto::TENSOR);
  attribute.mutable_t()->set_data_type(TensorProto::STRING);
  attribute.mutable_t()->add_string_data(value);
  return Op("Constant", {}, {AttributeInit(std::move(attribute))});
}

Ref Body::Cast(const Ref& x, int32_t to) {
  return Op("Cast", {x}, {{"to", to}});
}

Ref Body::Unsqueeze(const Ref& x, const std::vector<int64_t>& axes) {
  return Op("Unsqueeze", {x, Ints(axes)});
}

Ref Body::Squeeze(const Ref& x, const std::vector<int64_t>& axes) {
  return Op("Squeeze", {x, Ints(axes)});
}

Ref Body::Reshape(const Ref& x, const std::vector<int64_t>& shape) {
  return Op("Reshape", {x, Ints(shape)});
}

Ref Body::Transpose(const Ref& x, const std::vector<int64_t>& perm) {
  return Op("Transpose", {x}, {{"perm", perm}});
}

Ref Body::Concat(const Refs& parts, int64_t axis) {
  return Op("Concat", parts, {{"axis", axis}});
}

Ref Body::Slice(const Ref& x, int64_t axis, int64_t start, int64_t end) {
  return Op("Slice", {x, Ints({start}), Ints({end}), Ints({axis})});
}

Ref Body::Gather(const Ref& x, const Ref& indices, int64_t axis) {
  return Op("Gather", {x, indices}, {{"axis", axis}});
}

Ref Body::At(const Ref& x, int64_t index, int64_t axis) {
  return Gather(x, Int(index), axis);
}

Ref Body::DimOf(const Ref& x, int64_t axis) {
  return Slice(ShapeOf(x), 0, axis, axis + 1);
}

Ref Body::ReduceSum(const Ref& x, const std::vector<int64_t>& axes,
                    bool keepdims) {
  return Op("ReduceSum", {x, Ints(axes)}, {{"keepdims", keepdims ? 1 : 0}});
}

onnx::FunctionProto Body::Finish() const {
  onnx::FunctionProto body = proto_;
  for (int i = 0; i < node_.num_inputs(); ++i) {
    body.add_input(Has(i) ? In(i) : absl::StrCat("absent", i));
  }
  for (const Ref& output : outputs_) body.add_output(output);
  return body;
}

}  // namespace onnx_legalize
