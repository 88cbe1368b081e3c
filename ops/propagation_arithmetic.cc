// SPDX-License-Identifier: Apache-2.0

#include "ops/propagation_arithmetic.h"

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "ops/constant.h"

namespace onnx_legalize {
namespace {

using onnx::TensorShapeProto;
using Dimension = TensorShapeProto::Dimension;
using Elements = std::optional<TensorShapeProto>;
using Number = std::optional<int64_t>;
using Operation = Number (*)(int64_t, int64_t);

Number Add(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_add_overflow(a, b, &r) ? Number() : Number(r);
}
Number Sub(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_sub_overflow(a, b, &r) ? Number() : Number(r);
}
Number Mul(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_mul_overflow(a, b, &r) ? Number() : Number(r);
}
// Integer Div truncates. What it does on division by zero and on overflow is
// anyone's guess.
Number Div(int64_t a, int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())) {
    return std::nullopt;
  }
  return a / b;
}
// Mod with fmod=0: the sign is the divisor's.
Number Mod(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return b == 0 ? Number() : Number(0);
  const int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
Number Min(int64_t a, int64_t b) { return std::min(a, b); }
Number Max(int64_t a, int64_t b) { return std::max(a, b); }
Number Equal(int64_t a, int64_t b) { return a == b; }
Number Less(int64_t a, int64_t b) { return a < b; }
Number LessOrEqual(int64_t a, int64_t b) { return a <= b; }
Number Greater(int64_t a, int64_t b) { return a > b; }
Number GreaterOrEqual(int64_t a, int64_t b) { return a >= b; }
Number And(int64_t a, int64_t b) { return a != 0 && b != 0; }
Number Or(int64_t a, int64_t b) { return a != 0 || b != 0; }

// x op neutral is x, which holds for names too.
template <Operation operation>
bool IsNeutral(const Dimension& d) {
  if (!d.has_dim_value()) return false;
  if (operation == Add || operation == Sub) return d.dim_value() == 0;
  if (operation == Mul || operation == Div) return d.dim_value() == 1;
  return false;
}

// A name stands for the size of a dimension, so never for a negative number.
bool AreDifferent(const Dimension& a, const Dimension& b) {
  return a.has_dim_param() && b.has_dim_value() && b.dim_value() < 0;
}

template <Operation operation>
Dimension Combine(const Dimension& a, const Dimension& b) {
  if (operation == Equal && (AreDifferent(a, b) || AreDifferent(b, a))) {
    Dimension no;
    no.set_dim_value(0);
    return no;
  }
  if (a.has_dim_value() && b.has_dim_value()) {
    Dimension result;
    if (const Number n = operation(a.dim_value(), b.dim_value())) {
      result.set_dim_value(*n);
    }
    return result;
  }
  if (IsNeutral<operation>(b)) return a;
  const bool commutes = operation == Add || operation == Mul;
  return commutes && IsNeutral<operation>(a) ? b : Dimension();
}

// Two or, for Min and Max, more operands.
template <Operation operation>
Elements Binary(const Node& node, TypeScope& scope) {
  Elements result;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Value* input = node.input(i);
    const TensorShapeProto* next =
        input != nullptr ? scope.ElementsOf(*input) : nullptr;
    if (next == nullptr) return std::nullopt;
    if (!result) {
      result = *next;
      continue;
    }
    const auto count = BroadcastLength({result->dim_size(), next->dim_size()});
    if (!count) return std::nullopt;
    TensorShapeProto combined;
    for (int j = 0; j < *count; ++j) {
      *combined.add_dim() =
          Combine<operation>(ElementAt(*result, j), ElementAt(*next, j));
    }
    result = combined;
  }
  return result;
}

// fmod=1 keeps the dividend's sign, as % does.
Elements ModRule(const Node& node, TypeScope& scope) {
  return node.Int("fmod", 0) == 0 ? Binary<Mod>(node, scope) : std::nullopt;
}

Number Neg(int64_t a, int64_t) { return Sub(0, a); }
Number Abs(int64_t a, int64_t) { return a < 0 ? Sub(0, a) : Number(a); }
Number Not(int64_t a, int64_t) { return a == 0; }

template <Operation operation>
Elements Unary(const Node& node, TypeScope& scope) {
  const TensorShapeProto* data =
      node.input(0) != nullptr ? scope.ElementsOf(*node.input(0)) : nullptr;
  if (data == nullptr) return std::nullopt;
  TensorShapeProto elements;
  for (const Dimension& d : data->dim()) {
    Dimension* e = elements.add_dim();
    if (!d.has_dim_value()) continue;
    if (const Number n = operation(d.dim_value(), 0)) e->set_dim_value(*n);
  }
  return elements;
}

// Over the whole of a list: all that axes can name is its one axis. An explicit
// `noop_with_empty_axes` or empty axes are left alone.
template <Operation operation>
Elements Reduce(const Node& node, TypeScope& scope) {
  const TensorShapeProto* data =
      node.input(0) != nullptr ? scope.ElementsOf(*node.input(0)) : nullptr;
  if (data == nullptr || data->dim_size() == 0 ||
      node.Int("noop_with_empty_axes", 0) != 0) {
    return std::nullopt;
  }
  Dimension total = data->dim(0);
  for (int i = 1; i < data->dim_size(); ++i) {
    total = Combine<operation>(total, data->dim(i));
  }
  TensorShapeProto elements;
  *elements.add_dim() = total;
  return elements;
}

}  // namespace

std::optional<int> BroadcastLength(std::initializer_list<int> lengths) {
  int length = 1;
  for (int n : lengths) {
    if (n == 1 || n == length) continue;
    if (length != 1) return std::nullopt;
    length = n;
  }
  return length;
}

const Dimension& ElementAt(const TensorShapeProto& elements, int i) {
  return elements.dim(elements.dim_size() == 1 ? 0 : i);
}

Number SingleInteger(const Tensor& tensor) {
  const std::optional<std::vector<int64_t>> ints = IntegerElements(tensor, 1);
  return ints && ints->size() == 1 ? Number((*ints)[0]) : std::nullopt;
}

PropagationRule ArithmeticRuleFor(absl::string_view op_type) {
  static const auto* const rules =
      new absl::flat_hash_map<absl::string_view, PropagationRule>{
          {"Abs", Unary<Abs>},
          {"Add", Binary<Add>},
          {"And", Binary<And>},
          {"Div", Binary<Div>},
          {"Equal", Binary<Equal>},
          {"Greater", Binary<Greater>},
          {"GreaterOrEqual", Binary<GreaterOrEqual>},
          {"Less", Binary<Less>},
          {"LessOrEqual", Binary<LessOrEqual>},
          {"Max", Binary<Max>},
          {"Min", Binary<Min>},
          {"Mod", ModRule},
          {"Mul", Binary<Mul>},
          {"Neg", Unary<Neg>},
          {"Not", Unary<Not>},
          {"Or", Binary<Or>},
          {"ReduceMax", Reduce<Max>},
          {"ReduceMin", Reduce<Min>},
          {"ReduceProd", Reduce<Mul>},
          {"ReduceSum", Reduce<Add>},
          {"Sub", Binary<Sub>},
          {"Sum", Binary<Add>},
      };
  auto it = rules->find(op_type);
  return it != rules->end() ? it->second : nullptr;
}

}  // namespace onnx_legalize
