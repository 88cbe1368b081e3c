// SPDX-License-Identifier: Apache-2.0

#include "ops/propagation.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ops/propagation_arithmetic.h"

namespace onnx_legalize {
namespace {

using onnx::TensorShapeProto;
using Dimension = TensorShapeProto::Dimension;
using Elements = std::optional<TensorShapeProto>;

// The longest list that is made where none was: a rank is rarely above 8.
constexpr int64_t kMaxMade = 64;

const TensorShapeProto* InputElements(const Node& node, TypeScope& scope,
                                      int i) {
  return node.input(i) != nullptr ? scope.ElementsOf(*node.input(i)) : nullptr;
}

std::optional<std::vector<int64_t>> InputNumbers(const Node& node,
                                                 TypeScope& scope, int i) {
  const TensorShapeProto* elements = InputElements(node, scope, i);
  if (elements == nullptr) return std::nullopt;
  return Numbers(*elements);
}

std::optional<int> OutputRank(const Node& node, const TypeScope& scope) {
  const TensorShapeProto* shape = scope.ShapeOf(node.output(0));
  if (shape == nullptr) return std::nullopt;
  return shape->dim_size();
}

TensorShapeProto OneNumber(int64_t n) {
  TensorShapeProto elements;
  elements.add_dim()->set_dim_value(n);
  return elements;
}

Elements Shape(const Node& node, TypeScope& scope) {
  const TensorShapeProto* shape = scope.ShapeOf(node.input(0));
  if (shape == nullptr) return std::nullopt;
  const int64_t rank = shape->dim_size();
  const auto clamp = [rank](int64_t i) {
    return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank);
  };
  const int64_t start = clamp(node.Int("start", 0));
  const int64_t end = clamp(node.Int("end", rank));
  TensorShapeProto elements;
  for (int64_t i = start; i < end; ++i) {
    *elements.add_dim() = shape->dim(static_cast<int>(i));
  }
  return elements;
}

Elements Size(const Node& node, TypeScope& scope) {
  const TensorShapeProto* shape = scope.ShapeOf(node.input(0));
  if (shape == nullptr) return std::nullopt;
  int64_t size = 1;
  for (const Dimension& d : shape->dim()) {
    if (!d.has_dim_value() ||
        __builtin_mul_overflow(size, d.dim_value(), &size)) {
      return std::nullopt;
    }
  }
  return OneNumber(size);
}

Elements Gather(const Node& node, TypeScope& scope) {
  const TensorShapeProto* data = InputElements(node, scope, 0);
  const auto indices = InputNumbers(node, scope, 1);
  const TensorShapeProto* shape = scope.ShapeOf(node.input(0));
  const int64_t axis = node.Int("axis", 0);
  if (data == nullptr || !indices || shape == nullptr ||
      shape->dim_size() != 1 || (axis != 0 && axis != -1)) {
    return std::nullopt;
  }
  TensorShapeProto elements;
  for (int64_t i : *indices) {
    if (i < 0) i += data->dim_size();
    if (i < 0 || i >= data->dim_size()) return std::nullopt;
    *elements.add_dim() = data->dim(static_cast<int>(i));
  }
  return elements;
}

// The one number of a starts/ends/axes/steps operand or attribute.
std::optional<int64_t> SliceOperand(const Node& node, TypeScope& scope, int i,
                                    absl::string_view attribute,
                                    int64_t absent) {
  std::optional<std::vector<int64_t>> numbers;
  if (node.op().version < 10) {
    numbers = node.Ints(attribute);
    if (numbers->empty()) return absent;
  } else if (node.input(i) == nullptr) {
    return absent;
  } else {
    numbers = InputNumbers(node, scope, i);
  }
  if (!numbers || numbers->size() != 1) return std::nullopt;
  return (*numbers)[0];
}

Elements Slice(const Node& node, TypeScope& scope) {
  const TensorShapeProto* data = InputElements(node, scope, 0);
  const auto start = SliceOperand(node, scope, 1, "starts", 0);
  const auto end = SliceOperand(node, scope, 2, "ends", 0);
  const auto axis = SliceOperand(node, scope, 3, "axes", 0);
  const auto step = SliceOperand(node, scope, 4, "", 1);
  if (data == nullptr || !start || !end || !axis || !step || *step == 0 ||
      *step == std::numeric_limits<int64_t>::min() ||
      (*axis != 0 && *axis != -1)) {
    return std::nullopt;
  }
  const int64_t size = data->dim_size();
  const auto clamp = [&](int64_t i) {
    if (i < 0) i += size;
    return *step > 0 ? std::clamp<int64_t>(i, 0, size)
                     : std::clamp<int64_t>(i, -1, size - 1);
  };
  const int64_t last = clamp(*end);
  TensorShapeProto elements;
  // A longer step than the list ends it all the same, and can't overflow.
  const int64_t stride = std::clamp<int64_t>(*step, -size - 1, size + 1);
  for (int64_t i = clamp(*start); *step > 0 ? i < last : i > last;
       i += stride) {
    *elements.add_dim() = data->dim(static_cast<int>(i));
  }
  return elements;
}

Elements Concat(const Node& node, TypeScope& scope) {
  if (OutputRank(node, scope) != 1) return std::nullopt;
  TensorShapeProto elements;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const TensorShapeProto* part = InputElements(node, scope, i);
    if (part != nullptr) {
      elements.MergeFrom(*part);
      continue;
    }
    // The operand's length is enough to know where the others go.
    const TensorShapeProto* shape = scope.ShapeOf(node.input(i));
    if (shape == nullptr || shape->dim_size() != 1 ||
        !shape->dim(0).has_dim_value() ||
        shape->dim(0).dim_value() > kMaxMade) {
      return std::nullopt;
    }
    for (int64_t d = 0; d < shape->dim(0).dim_value(); ++d) elements.add_dim();
  }
  return elements;
}

// Same elements, as long as the output is no more than a list: Identity,
// Squeeze, Unsqueeze, Reshape, Flatten.
Elements Same(const Node& node, TypeScope& scope) {
  const TensorShapeProto* data = InputElements(node, scope, 0);
  if (data == nullptr) return std::nullopt;
  return *data;
}

Elements Cast(const Node& node, TypeScope& scope) {
  const Elements data = Same(node, scope);
  if (!data || node.Int("to", 0) != onnx::TensorProto::BOOL) return data;
  TensorShapeProto elements;
  for (const Dimension& d : data->dim()) {
    Dimension* e = elements.add_dim();
    if (d.has_dim_value()) e->set_dim_value(d.dim_value() != 0);
  }
  return elements;
}

// A list of the broadcast length, or unknown.
Elements Expand(const Node& node, TypeScope& scope) {
  const TensorShapeProto* data = InputElements(node, scope, 0);
  const TensorShapeProto* shape = scope.ShapeOf(node.output(0));
  if (data == nullptr || shape == nullptr || shape->dim_size() != 1 ||
      !shape->dim(0).has_dim_value() || shape->dim(0).dim_value() > kMaxMade) {
    return std::nullopt;
  }
  if (data->dim_size() == shape->dim(0).dim_value()) return *data;
  if (data->dim_size() != 1) return std::nullopt;
  TensorShapeProto elements;
  for (int64_t i = 0; i < shape->dim(0).dim_value(); ++i) {
    *elements.add_dim() = data->dim(0);
  }
  return elements;
}

Elements ConstantOfShape(const Node& node, TypeScope& scope) {
  const auto shape = InputNumbers(node, scope, 0);
  if (!shape || shape->size() > 1) return std::nullopt;
  const Attribute* attribute = node.attribute("value");
  int64_t fill = 0;
  if (attribute != nullptr) {
    const std::optional<int64_t> number =
        attribute->tensor() != nullptr ? SingleInteger(*attribute->tensor())
                                       : std::nullopt;
    if (!number) return std::nullopt;
    fill = *number;
  }
  const int64_t count = shape->empty() ? 1 : (*shape)[0];
  if (count < 0 || count > kMaxMade) return std::nullopt;
  TensorShapeProto elements;
  for (int64_t i = 0; i < count; ++i) elements.add_dim()->set_dim_value(fill);
  return elements;
}

Elements Range(const Node& node, TypeScope& scope) {
  const auto start = InputNumbers(node, scope, 0);
  const auto limit = InputNumbers(node, scope, 1);
  const auto delta = InputNumbers(node, scope, 2);
  if (!start || !limit || !delta || start->size() != 1 || limit->size() != 1 ||
      delta->size() != 1 || (*delta)[0] == 0) {
    return std::nullopt;
  }
  const int64_t step = (*delta)[0];
  TensorShapeProto elements;
  int64_t next = (*start)[0];
  while (step > 0 ? next < (*limit)[0] : next > (*limit)[0]) {
    if (elements.dim_size() == kMaxMade ||
        __builtin_add_overflow(next, step, &next)) {
      return std::nullopt;
    }
    elements.add_dim()->set_dim_value(next - step);
  }
  return elements;
}

Elements Where(const Node& node, TypeScope& scope) {
  const TensorShapeProto* condition = InputElements(node, scope, 0);
  const TensorShapeProto* x = InputElements(node, scope, 1);
  const TensorShapeProto* y = InputElements(node, scope, 2);
  if (condition == nullptr || x == nullptr || y == nullptr) return std::nullopt;
  const std::optional<int> count =
      BroadcastLength({condition->dim_size(), x->dim_size(), y->dim_size()});
  if (!count) return std::nullopt;
  TensorShapeProto elements;
  for (int i = 0; i < *count; ++i) {
    const Dimension& c = ElementAt(*condition, i);
    Dimension* e = elements.add_dim();
    if (c.has_dim_value()) *e = ElementAt(c.dim_value() != 0 ? *x : *y, i);
  }
  return elements;
}

}  // namespace

PropagationRule PropagationRuleFor(const Operator& op) {
  static const auto* const rules =
      new absl::flat_hash_map<absl::string_view, PropagationRule>{
          {"Cast", Cast},
          {"Concat", Concat},
          {"ConstantOfShape", ConstantOfShape},
          {"Expand", Expand},
          {"Flatten", Same},
          {"Gather", Gather},
          {"Identity", Same},
          {"Range", Range},
          {"Reshape", Same},
          {"Shape", Shape},
          {"Size", Size},
          {"Slice", Slice},
          {"Squeeze", Same},
          {"Unsqueeze", Same},
          {"Where", Where},
      };
  if (!op.domain.empty()) return nullptr;
  auto it = rules->find(op.op_type);
  return it != rules->end() ? it->second : ArithmeticRuleFor(op.op_type);
}

}  // namespace onnx_legalize
