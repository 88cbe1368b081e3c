// SPDX-License-Identifier: Apache-2.0
//
// Cast-through: runs an operator in types that the target has a kernel for,
// where that gives the same values.
//
//   before:  y = Where (c, a, b)                 # a, b: bool
//   after:   a8 = Cast <to = uint8> (a)   b8 = Cast <to = uint8> (b)
//            y8 = Where (c, a8, b8)       y = Cast <to = bool> (y8)
//
// Which operators, and what they do with values, stands in cast_through.def:
//   kMove      moves values or asks whether they are equal. Exact in every
//              type that holds all values of the first (int64 in double
//              doesn't), and in integers as wide, since casts there and back
//              keep the bits.
//   kOrder     chooses values by their order. Exact in every type that holds
//   all
//              values of the first; uint64 also in int64, where subtracting
//              2^63, modulo 2^64, keeps the order.
//   kRing      sums and products. Integers wrap around modulo 2^n: exact in any
//              type at least as wide, signed or not. Of 16-bit floats, single
//              operations in float round to the same; longer ones less often.
//   kQuotient  Integers: exact where the type holds all values. Floats: as
//   kRing. kFormula   floats only: equivalent, since only rounding differs.
// 16-bit floats go through float or double, never the other way.
//
// Declines other types, and where no wider type has a kernel.

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ops/constant.h"
#include "ops/exact_cast.h"
#include "ops/schema.h"
#include "passes/legalize/candidates.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

enum class Kind { kMove, kOrder, kRing, kQuotient, kFormula };

struct Rule {
  absl::string_view domain, op_type, variables;
  Kind kind;
};

constexpr Rule kRules[] = {
#define CAST_THROUGH(domain, op_type, variables, kind) \
  {domain, op_type, variables, Kind::kind},
#include "passes/legalize/cast_through.def"
#undef CAST_THROUGH
};

bool IsHalf(int32_t type) {
  return type == TensorProto::FLOAT16 || type == TensorProto::BFLOAT16;
}

bool IsFloat(int32_t type) {
  return IsHalf(type) || type == TensorProto::FLOAT ||
         type == TensorProto::DOUBLE;
}

int BitsOf(int32_t type) {
  switch (type) {
    case TensorProto::INT8:
    case TensorProto::UINT8:
      return 8;
    case TensorProto::INT16:
    case TensorProto::UINT16:
      return 16;
    case TensorProto::INT32:
    case TensorProto::UINT32:
      return 32;
    case TensorProto::INT64:
    case TensorProto::UINT64:
      return 64;
    default:
      return 0;
  }
}

// One operation on two operands, which float rounds as the 16-bit type does: a
// 24-bit significand is enough for that (2 * 11 + 2).
bool IsOneOperation(absl::string_view op_type) {
  for (absl::string_view op : {"Add", "Sub", "Mul", "Div", "Neg", "Abs"}) {
    if (op == op_type) return true;
  }
  return false;
}

// Whether values are moved down by 2^63 to keep their order.
bool IsBiased(const Rule& rule, int32_t narrow, int32_t wide) {
  return rule.kind == Kind::kOrder && narrow == TensorProto::UINT64 &&
         wide == TensorProto::INT64;
}

// How faithful it is to compute in `wide` instead of `narrow`; nullopt: not.
std::optional<Exactness> Fidelity(const Rule& rule, int32_t narrow,
                                  int32_t wide) {
  if (IsHalf(narrow) &&
      (wide == TensorProto::FLOAT || wide == TensorProto::DOUBLE)) {
    if (rule.kind == Kind::kMove || rule.kind == Kind::kOrder) {
      return Exactness::kExact;
    }
    return IsOneOperation(rule.op_type) ? Exactness::kExact
                                        : Exactness::kEquivalent;
  }
  if (rule.kind == Kind::kFormula) {
    if (IsFloat(narrow) && IsFloat(wide) && CastIsExact(narrow, wide)) {
      return Exactness::kEquivalent;
    }
    return std::nullopt;
  }
  if (rule.kind == Kind::kMove || rule.kind == Kind::kOrder) {
    const bool same_bits = rule.kind == Kind::kMove && BitsOf(narrow) > 0 &&
                           BitsOf(narrow) <= BitsOf(wide);
    if (CastIsExact(narrow, wide) || same_bits ||
        IsBiased(rule, narrow, wide)) {
      return Exactness::kExact;
    }
    return std::nullopt;
  }
  if (narrow == TensorProto::FLOAT && wide == TensorProto::DOUBLE) {
    return IsOneOperation(rule.op_type) ? Exactness::kExact
                                        : Exactness::kEquivalent;
  }
  // Integers. Abs and quotients aren't compatible with wrapping around.
  const bool wraps = rule.kind == Kind::kRing && rule.op_type != "Abs" &&
                     rule.op_type != "ReduceL1";
  const int narrow_bits = BitsOf(narrow), wide_bits = BitsOf(wide);
  if (narrow_bits == 0 || wide_bits == 0) return std::nullopt;
  if (wraps ? wide_bits >= narrow_bits : CastIsExact(narrow, wide)) {
    return Exactness::kExact;
  }
  return std::nullopt;
}

// Signed before unsigned, narrow before wide: what kernels are usually for.
constexpr int32_t kWide[] = {TensorProto::UINT8,  TensorProto::FLOAT,
                             TensorProto::INT32,  TensorProto::INT64,
                             TensorProto::UINT32, TensorProto::UINT64,
                             TensorProto::DOUBLE};

class CastThrough final : public Candidate {
 public:
  explicit CastThrough(const Rule& rule)
      : Candidate(absl::StrCat("runs ", rule.op_type, " in a wider type (",
                               rule.variables, ")"),
                  Direction::kAny, Exactness::kExact),
        rule_(rule) {}

  absl::StatusOr<Attempt> Apply(Node& node,
                                CandidateContext& context) const override {
    const onnx::OpSchema* schema = SchemaOf(node.op());
    // Of no help where it isn't a type that is at fault.
    if (!context.legality.HasKernel(node.op(), {})) {
      return Attempt::NotApplicable();
    }
    for (const Attribute* attribute : node.attributes()) {
      if (!attribute->graphs().empty()) {
        return Attempt::Declined("it holds a graph");
      }
    }
    // Variable -> the type that it has.
    absl::flat_hash_map<std::string, int32_t> have;
    if (auto fault = ReadTypes(node, *schema, &have)) {
      return Attempt::Declined(*fault);
    }
    if (context.legality.HasKernel(node.op(), have)) {
      return Attempt::NotApplicable();
    }
    const std::vector<std::string> variables =
        absl::StrSplit(rule_.variables, ',');
    std::optional<Exactness> best;
    int32_t best_type = 0;
    for (int32_t wide : kWide) {
      auto types = have;
      std::optional<Exactness> fidelity = Exactness::kExact;
      bool wider = false;
      for (const std::string& variable : variables) {
        auto it = types.find(variable);
        if (it == types.end() || it->second == wide) continue;
        const auto one = Fidelity(rule_, it->second, wide);
        fidelity = one && fidelity ? std::max(*fidelity, *one) : one;
        it->second = wide;
        wider = true;
        if (!fidelity) break;
      }
      if (!fidelity || !wider ||
          !context.legality.HasKernel(node.op(), types)) {
        continue;
      }
      if (!best || *fidelity < *best) {
        best = fidelity;
        best_type = wide;
      }
    }
    if (!best) return Attempt::Declined("no wider type has a kernel");
    return Emit(node, *schema, variables, best_type, *best, context);
  }

 private:
  static const std::string& VariableOf(
      const std::vector<onnx::OpSchema::FormalParameter>& formals, int i) {
    return formals[std::min<size_t>(i, formals.size() - 1)].GetTypeStr();
  }

  static std::optional<std::string> ReadTypes(
      const Node& node, const onnx::OpSchema& schema,
      absl::flat_hash_map<std::string, int32_t>* types) {
    const auto read = [&](const auto& formals, int i, const Value* value) {
      if (value == nullptr || formals.empty()) return true;
      if (value->elem_type() == 0) return false;
      types->try_emplace(VariableOf(formals, i), value->elem_type());
      return true;
    };
    bool known = true;
    for (int i = 0; i < node.num_inputs(); ++i) {
      known &= read(schema.inputs(), i, node.input(i));
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      known &= read(schema.outputs(), i, node.output(i));
    }
    if (!known) return "a type isn't known";
    return std::nullopt;
  }

  absl::StatusOr<Attempt> Emit(Node& node, const onnx::OpSchema& schema,
                               const std::vector<std::string>& variables,
                               int32_t wide, Exactness exactness,
                               CandidateContext& context) const {
    const auto casts = [&](const auto& formals, int i) {
      const std::string& variable = VariableOf(formals, i);
      return std::count(variables.begin(), variables.end(), variable) > 0;
    };
    Body b(node, context.pass.types);
    b.SetDomainOpset(node.op().domain, node.op().version);
    std::string from;
    Refs inputs;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const bool cast =
          b.Has(i) && casts(schema.inputs(), i) && b.Type(i) != wide;
      if (cast) from = ElemTypeName(b.Type(i));
      inputs.push_back(cast ? Widen(b, b.In(i), b.Type(i), wide) : b.In(i));
    }
    Attributes attributes = b.AttributesWithout();
    if (node.Is("ConstantOfShape")) {
      if (auto declined = WidenValue(node, wide, b, &attributes)) {
        return Attempt::Declined(*declined);
      }
    }
    Refs outputs = b.OpN(node.op().op_type, inputs, node.num_outputs(),
                         attributes, node.op().domain);
    for (int i = 0; i < node.num_outputs(); ++i) {
      const Value* output = node.output(i);
      if (output == nullptr) {
        outputs[i] = "";
      } else if (casts(schema.outputs(), i) && output->elem_type() != wide) {
        from = ElemTypeName(output->elem_type());
        outputs[i] = Narrow(b, outputs[i], output->elem_type(), wide);
      }
    }
    b.Return(outputs);
    absl::Status s = ReplaceByBody(node, b.Finish(), context.pass.rewriter);
    if (!s.ok()) return s;
    return Attempt::Done(
        absl::StrCat("runs it in ", ElemTypeName(wide), " instead of ", from),
        exactness);
  }

  Ref Widen(Body& b, const Ref& x, int32_t narrow, int32_t wide) const {
    const Ref cast = b.Cast(x, wide);
    if (!IsBiased(rule_, narrow, wide)) return cast;
    return b.Add(cast, b.Int(std::numeric_limits<int64_t>::min()));
  }

  Ref Narrow(Body& b, const Ref& y, int32_t narrow, int32_t wide) const {
    if (!IsBiased(rule_, narrow, wide)) return b.Cast(y, narrow);
    return b.Cast(b.Add(y, b.Int(std::numeric_limits<int64_t>::min())), narrow);
  }

  // The value that ConstantOfShape fills with, in the wider type.
  static std::optional<std::string> WidenValue(const Node& node, int32_t wide,
                                               Body& b,
                                               Attributes* attributes) {
    const Attribute* value = node.attribute("value");
    if (value == nullptr || value->tensor() == nullptr) {
      return "it fills with float already";
    }
    const auto elements = FloatElements(*value->tensor());
    if (!elements.has_value()) return "its value isn't a number";
    *attributes = b.AttributesWithout({"value"});
    attributes->push_back(
        {"value", wide, {1}, EncodeElements(*elements, wide)});
    return std::nullopt;
  }

  const Rule& rule_;
};

}  // namespace

void AddCastThrough(const Operator& op, Candidates* candidates) {
  if (SchemaOf(op) == nullptr) return;
  for (const Rule& rule : kRules) {
    if (rule.op_type == op.op_type && rule.domain == op.domain) {
      candidates->push_back(std::make_unique<CastThrough>(rule));
    }
  }
}

}  // namespace onnx_legalize
