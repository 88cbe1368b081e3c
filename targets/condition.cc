// SPDX-License-Identifier: Apache-2.0

#include "targets/condition.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "ops/constant.h"
#include "targets/node_facts.h"

namespace onnx_legalize {
namespace {

using Json = nlohmann::json;
using onnx::AttributeProto;

Truth Known(bool value) { return value ? Truth::kYes : Truth::kNo; }

// The attribute as the node has it, or the schema's default; null: neither.
const AttributeProto* Effective(const Node& node, const onnx::OpSchema& schema,
                                const std::string& name) {
  if (const Attribute* attribute = node.attribute(name)) {
    return &attribute->proto();
  }
  auto it = schema.attributes().find(name);
  if (it == schema.attributes().end()) return nullptr;
  const AttributeProto& value = it->second.default_value;
  return value.type() == AttributeProto::UNDEFINED ? nullptr : &value;
}

bool Equals(const AttributeProto& attribute, const Json& wanted) {
  switch (attribute.type()) {
    case AttributeProto::INT:
      return wanted.is_number() && wanted.get<double>() == attribute.i();
    case AttributeProto::FLOAT:
      return wanted.is_number() &&
             std::fabs(wanted.get<double>() - attribute.f()) < 1e-6;
    case AttributeProto::STRING:
      return wanted.is_string() && wanted.get<std::string>() == attribute.s();
    case AttributeProto::INTS:
    case AttributeProto::STRINGS: {
      if (!wanted.is_array()) return false;
      Json have = Json::array();
      for (int64_t v : attribute.ints()) have.push_back(v);
      for (const std::string& v : attribute.strings()) have.push_back(v);
      return have == wanted;
    }
    default:
      return false;
  }
}

template <typename Predicate>
bool AnyOf(const Json& wanted, const Predicate& predicate) {
  if (!wanted.is_array()) return predicate(wanted);
  return std::any_of(wanted.begin(), wanted.end(), predicate);
}

double Number(const Json& json) {
  return json.is_number() ? json.get<double>() : 0;
}

bool Boolean(const Json& json) {
  return json.is_boolean() ? json.get<bool>() : Number(json) != 0;
}

}  // namespace

Condition::Condition(absl::string_view key, const Json& wanted)
    : wanted_(wanted) {
  for (const auto& [prefix, is_input] :
       {std::pair<absl::string_view, bool>{"input[", true},
        std::pair<absl::string_view, bool>{"output[", false}}) {
    if (!absl::ConsumePrefix(&key, prefix)) continue;
    const size_t bracket = key.find("].");
    if (bracket == absl::string_view::npos ||
        !absl::SimpleAtoi(key.substr(0, bracket), &index_)) {
      return;
    }
    key.remove_prefix(bracket + 2);
    if (!is_input) {
      kind_ = key == "used" ? Kind::kOutputUsed : Kind::kNever;
      return;
    }
    kind_ = key == "present"    ? Kind::kInputPresent
            : key == "constant" ? Kind::kInputConstant
            : key == "rank"     ? Kind::kInputRank
            : key == "rank>"    ? Kind::kInputRankAbove
            : key == "type"     ? Kind::kInputType
            : key == "negative" ? Kind::kInputNegative
            : key == "empty"    ? Kind::kInputEmpty
            : key == "blank"    ? Kind::kInputBlank
            : key == "shape"    ? Kind::kInputShape
            : key == "value"    ? Kind::kInputValue
            : key == "may_be<"  ? Kind::kInputMayBeBelow
            : key == "size>"    ? Kind::kInputSizeAbove
            : key == "size<"    ? Kind::kInputSizeBelow
            : key == "producer" ? Kind::kInputProducer
                                : Kind::kNever;
    return;
  }
  // Of these no attribute has the name. "data" is for people; the rest can't be
  // told of a node yet.
  if (key == "data" || absl::StartsWith(key, "branches.") ||
      absl::StartsWith(key, "body.") || key == "axes.unsorted") {
    return;
  }
  if ((fact_ = FindNodeFact(key)) != nullptr) {
    kind_ = Kind::kFact;
    return;
  }
  if (key == "equation.kind") {
    kind_ = Kind::kEquationKind;
    return;
  }
  kind_ = absl::ConsumeSuffix(&key, ".any>")   ? Kind::kAttributeAnyAbove
          : absl::ConsumeSuffix(&key, ".any<") ? Kind::kAttributeAnyBelow
          : absl::ConsumeSuffix(&key, ".any")  ? Kind::kAttributeAny
          : absl::ConsumeSuffix(&key, ".set")  ? Kind::kAttributeSet
          : absl::ConsumeSuffix(&key, ".asymmetric")
              ? Kind::kAttributeAsymmetric
              : Kind::kAttribute;
  name_ = std::string(key);
}

Truth Condition::HoldsOfAttribute(const Node& node,
                                  const onnx::OpSchema& schema) const {
  if (kind_ == Kind::kAttributeSet) {
    return Known(node.HasAttribute(name_) == Boolean(wanted_));
  }
  const Attribute* written = node.attribute(name_);
  if (written != nullptr && written->is_reference()) return Truth::kUnknown;
  const AttributeProto* attribute = Effective(node, schema, name_);
  if (attribute == nullptr) {
    return Known(kind_ == Kind::kAttribute && wanted_.is_null());
  }
  switch (kind_) {
    case Kind::kAttributeAnyAbove:
      return Known(std::any_of(
          attribute->ints().begin(), attribute->ints().end(),
          [&](int64_t v) { return static_cast<double>(v) > Number(wanted_); }));
    case Kind::kAttributeAnyBelow:
      return Known(std::any_of(
          attribute->ints().begin(), attribute->ints().end(),
          [&](int64_t v) { return static_cast<double>(v) < Number(wanted_); }));
    case Kind::kAttributeAny:
      return Known(wanted_.is_string() &&
                   std::count(attribute->strings().begin(),
                              attribute->strings().end(),
                              wanted_.get<std::string>()) > 0);
    case Kind::kAttributeAsymmetric: {
      const auto& pads = attribute->ints();
      const int half = pads.size() / 2;
      bool asymmetric = false;
      for (int i = 0; i < half; ++i) asymmetric |= pads[i] != pads[i + half];
      return Known(asymmetric == Boolean(wanted_));
    }
    default: {
      const bool list = attribute->type() == AttributeProto::INTS ||
                        attribute->type() == AttributeProto::STRINGS;
      const auto equals = [&](const Json& v) { return Equals(*attribute, v); };
      // Of a list attribute, alternatives are lists of lists.
      if (list &&
          (!wanted_.is_array() || wanted_.empty() || !wanted_[0].is_array())) {
        return Known(equals(wanted_));
      }
      return Known(AnyOf(wanted_, equals));
    }
  }
}

Truth Condition::HoldsOfInput(const Node& node) const {
  const Value* value = node.input(index_);
  if (kind_ == Kind::kInputPresent) {
    return Known((value != nullptr) == Boolean(wanted_));
  }
  if (kind_ == Kind::kInputBlank) {
    bool last = true;
    for (int i = index_; i < node.num_inputs(); ++i) {
      last &= node.input(i) == nullptr;
    }
    return Known(node.num_inputs() > index_ && last);
  }
  if (value == nullptr) return Truth::kNo;
  switch (kind_) {
    case Kind::kInputShape: {
      const std::optional<int> rank = value->rank();
      if (!rank.has_value()) return Truth::kUnknown;
      if (!wanted_.is_array() || *rank != static_cast<int>(wanted_.size())) {
        return Truth::kNo;
      }
      Truth truth = Truth::kYes;
      for (int i = 0; i < *rank; ++i) {
        if (Number(wanted_[i]) < 0) continue;
        const std::optional<int64_t> dim = value->dim(i);
        truth = std::min(truth, !dim.has_value()             ? Truth::kUnknown
                                : *dim == Number(wanted_[i]) ? Truth::kYes
                                                             : Truth::kNo);
      }
      return truth;
    }
    case Kind::kInputSizeAbove:
    case Kind::kInputSizeBelow: {
      const auto shape = value->static_shape();
      if (!shape.has_value()) return Truth::kUnknown;
      double size = 1;
      for (int64_t dim : *shape) size *= static_cast<double>(dim);
      return Known(kind_ == Kind::kInputSizeAbove ? size > Number(wanted_)
                                                  : size < Number(wanted_));
    }
    case Kind::kInputProducer: {
      const Node* producer = value->producer();
      while (producer != nullptr && producer->Is("Identity") &&
             producer->input(0) != nullptr) {
        producer = producer->input(0)->producer();
      }
      return Known(producer != nullptr && wanted_.is_string() &&
                   producer->Is(wanted_.get<std::string>()));
    }
    case Kind::kInputMayBeBelow:
      return Known(MayBeBelow(*value, Number(wanted_)));
    case Kind::kInputValue: {
      const Tensor* tensor = ConstantTensor(*value);
      if (tensor == nullptr) return Truth::kUnknown;
      const auto elements = FloatElements(*tensor);
      return Known(elements.has_value() && elements->size() == 1 &&
                   (*elements)[0] == Number(wanted_));
    }
    case Kind::kInputConstant:
      return Known((ConstantTensor(*value) != nullptr ||
                    ConstantInts(*value).has_value()) == Boolean(wanted_));
    case Kind::kInputRank:
    case Kind::kInputRankAbove: {
      const std::optional<int> rank = value->rank();
      if (!rank.has_value()) return Truth::kUnknown;
      if (kind_ == Kind::kInputRankAbove) {
        return Known(*rank > Number(wanted_));
      }
      return Known(
          AnyOf(wanted_, [&](const Json& v) { return Number(v) == *rank; }));
    }
    case Kind::kInputType: {
      if (value->elem_type() == 0) return Truth::kUnknown;
      const std::string type = ElemTypeName(value->elem_type());
      return Known(AnyOf(wanted_, [&](const Json& v) {
        return v.is_string() && v.get<std::string>() == type;
      }));
    }
    case Kind::kInputNegative: {
      const auto ints = ConstantInts(*value);
      if (!ints.has_value()) return Truth::kUnknown;
      const bool negative = std::any_of(ints->begin(), ints->end(),
                                        [](int64_t v) { return v < 0; });
      return Known(negative == Boolean(wanted_));
    }
    case Kind::kInputEmpty: {
      const auto shape = value->static_shape();
      if (!shape.has_value()) return Truth::kNo;  // Seldom; assume the usual.
      const bool empty = std::count(shape->begin(), shape->end(), 0) > 0;
      return Known(empty == Boolean(wanted_));
    }
    default:
      return Truth::kNo;
  }
}

Truth Condition::Holds(const Node& node, const onnx::OpSchema& schema) const {
  switch (kind_) {
    case Kind::kAttribute:
    case Kind::kAttributeAnyAbove:
    case Kind::kAttributeAnyBelow:
    case Kind::kAttributeAny:
    case Kind::kAttributeSet:
    case Kind::kAttributeAsymmetric:
      return HoldsOfAttribute(node, schema);
    case Kind::kOutputUsed: {
      const Value* output = node.output(index_);
      return Known((output != nullptr) == Boolean(wanted_));
    }
    case Kind::kFact:
      return fact_(node);
    case Kind::kEquationKind:
      return Known(wanted_.is_string() &&
                   EquationIs(node, wanted_.get<std::string>()));
    case Kind::kNever:
      return Truth::kNo;
    default:
      return HoldsOfInput(node);
  }
}

}  // namespace onnx_legalize
