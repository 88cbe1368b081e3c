// SPDX-License-Identifier: Apache-2.0
//
// Version step of ai.onnx.ml's LabelEncoder: tables in tensors as lists.
//
//   before:  y = LabelEncoder-4 <keys_tensor, values_tensor, default_tensor>
//   (x) after:   y = LabelEncoder-2 <keys_strings, values_int64s,
//   default_int64> (x)
//
// Declines element types that have no lists: all but string, float and integers
// that int64 holds.

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/constant.h"
#include "ops/exact_cast.h"
#include "ops/tensor_proto.h"
#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

std::vector<std::string> Strings(const Attribute& attribute) {
  onnx::AttributeProto proto;
  CopyAttributeProto(attribute, &proto);
  const auto& strings = proto.t().string_data();
  return std::vector<std::string>(strings.begin(), strings.end());
}

// "keys" or "values" as a list; false for a type that has none.
bool AddList(const Attribute& attribute, const std::string& name,
             Attributes* attributes) {
  const Tensor& tensor = *attribute.tensor();
  if (tensor.elem_type() == TensorProto::STRING) {
    attributes->push_back(
        StringsAttribute(name + "_strings", Strings(attribute)));
  } else if (CastIsExact(tensor.elem_type(), TensorProto::INT64)) {
    const auto ints = IntegerElements(tensor);
    if (!ints.has_value()) return false;
    attributes->push_back({name + "_int64s", *ints});
  } else if (tensor.elem_type() == TensorProto::FLOAT) {
    const auto floats = FloatElements(tensor);
    if (!floats.has_value()) return false;
    attributes->push_back(FloatsAttribute(
        name + "_floats", std::vector<float>(floats->begin(), floats->end())));
  } else {
    return false;
  }
  return true;
}

bool AddDefault(const Attribute& attribute, Attributes* attributes) {
  const Tensor& tensor = *attribute.tensor();
  if (tensor.num_elements() != 1) return false;
  if (tensor.elem_type() == TensorProto::STRING) {
    attributes->push_back({"default_string", Strings(attribute)[0]});
  } else if (CastIsExact(tensor.elem_type(), TensorProto::INT64)) {
    const auto ints = IntegerElements(tensor);
    if (!ints.has_value()) return false;
    attributes->push_back({"default_int64", (*ints)[0]});
  } else if (tensor.elem_type() == TensorProto::FLOAT) {
    const auto floats = FloatElements(tensor);
    if (!floats.has_value()) return false;
    attributes->push_back({"default_float", static_cast<float>((*floats)[0])});
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> LabelEncoderToLists(Body& b) {
  constexpr char kDomain[] = "ai.onnx.ml";
  Attributes attributes =
      b.AttributesWithout({"keys_tensor", "values_tensor", "default_tensor"});
  for (const char* name : {"keys", "values"}) {
    const Attribute* table = b.node().attribute(absl::StrCat(name, "_tensor"));
    if (table == nullptr) continue;
    if (table->tensor() == nullptr || !AddList(*table, name, &attributes)) {
      return absl::StrCat("LabelEncoder-2 has no list of the type of ", name,
                          "_tensor");
    }
  }
  const Attribute* fallback = b.node().attribute("default_tensor");
  if (fallback != nullptr &&
      (fallback->tensor() == nullptr || !AddDefault(*fallback, &attributes))) {
    return "LabelEncoder-2 has no default of the type of default_tensor";
  }
  b.SetDomainOpset(kDomain, 2);
  // Narrower integers go through int64.
  const auto is_narrow = [](int32_t type) {
    return type != TensorProto::INT64 && CastIsExact(type, TensorProto::INT64);
  };
  const Ref x =
      is_narrow(b.Type(0)) ? b.Cast(b.In(0), TensorProto::INT64) : b.In(0);
  const Ref y = b.OpN("LabelEncoder", {x}, 1, attributes, kDomain)[0];
  b.Return({is_narrow(b.OutType(0)) ? b.Cast(y, b.OutType(0)) : y});
  return std::nullopt;
}

}  // namespace onnx_legalize
