// SPDX-License-Identifier: Apache-2.0
//
// Version step of Constant: what it holds as a tensor.
//
//   before:  y = Constant-12 <value_ints = [1,2]> ()
//   after:   y = Constant-11 <value = int64[2] {1,2}> ()
//
// Declines sparse tensors.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {

using onnx::TensorProto;

// 12 to 11: value_float etc. as a tensor.
std::optional<std::string> ConstantAsTensor(Body& b) {
  const Node& node = b.node();
  b.SetOpset(11);
  if (node.HasAttribute("value_float")) {
    b.Return({b.Float(node.Float("value_float", 0))});
  } else if (node.HasAttribute("value_int")) {
    b.Return({b.Int(node.Int("value_int", 0))});
  } else if (node.HasAttribute("value_ints")) {
    b.Return({b.Ints(node.Ints("value_ints"))});
  } else if (const auto floats = b.FloatsAttr("value_floats")) {
    const std::vector<double> values(floats->begin(), floats->end());
    b.Return({b.Typed(values, {static_cast<int64_t>(values.size())},
                      TensorProto::FLOAT)});
  } else if (node.HasAttribute("value_string")) {
    b.Return({b.String(node.String("value_string", ""))});
  } else if (const auto strings = b.StringsAttr("value_strings")) {
    onnx::AttributeProto value;
    value.set_name("value");
    value.set_type(onnx::AttributeProto::TENSOR);
    value.mutable_t()->set_data_type(TensorProto::STRING);
    value.mutable_t()->add_dims(static_cast<int64_t>(strings->size()));
    for (const std::string& s : *strings) value.mutable_t()->add_string_data(s);
    b.Return({b.Op("Constant", {}, {AttributeInit(std::move(value))})});
  } else {
    return "its value is a tensor already";
  }
  return std::nullopt;
}

}  // namespace onnx_legalize
