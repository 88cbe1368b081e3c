// SPDX-License-Identifier: Apache-2.0

#include "ops/type_rules.h"

#include <onnx/defs/data_type_utils.h>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "ops/onnx_boundary.h"

namespace onnx_legalize {
namespace {

using FormalParameter = onnx::OpSchema::FormalParameter;

bool IsDense(const onnx::TypeProto& type) {
  return type.value_case() == onnx::TypeProto::kTensorType;
}

// Types are equal as far as constraints go: shapes don't count.
bool SameKind(const onnx::TypeProto& a, const onnx::TypeProto& b) {
  if (IsDense(a) && IsDense(b)) {
    return a.tensor_type().elem_type() == b.tensor_type().elem_type();
  }
  return SchemaTypeName(a) == SchemaTypeName(b);
}

// Enough is known of the type to judge it.
bool IsComplete(const onnx::TypeProto& type) {
  if (IsDense(type)) return type.tensor_type().elem_type() != 0;
  return !SchemaTypeName(type).empty();
}

std::string KindName(const onnx::TypeProto& type) {
  return IsDense(type)
             ? absl::StrCat("tensor(",
                            ElemTypeName(type.tensor_type().elem_type()), ")")
             : SchemaTypeName(type);
}

}  // namespace

bool TypeRules::Parameter::AllowsTensor(int32_t elem_type) const {
  return any || (elem_type > 0 && elem_type < 64 &&
                 (dense >> elem_type & uint64_t{1}) != 0);
}

bool TypeRules::Parameter::Allows(const onnx::TypeProto& type) const {
  if (any) return true;
  return IsDense(type) ? AllowsTensor(type.tensor_type().elem_type())
                       : others.contains(SchemaTypeName(type));
}

TypeRules::TypeRules(const onnx::OpSchema& schema) {
  absl::flat_hash_map<std::string, int> variables;
  const auto compile = [&](const std::vector<FormalParameter>& formals,
                           std::vector<Parameter>* parameters) {
    for (const FormalParameter& formal : formals) {
      Parameter p;
      p.name = formal.GetName();
      p.any = formal.GetTypes().empty();
      if (formal.GetIsHomogeneous()) {
        p.variable =
            variables.try_emplace(formal.GetTypeStr(), variables.size())
                .first->second;
      }
      for (const onnx::DataType& name : formal.GetTypes()) {
        const onnx::TypeProto& type =
            onnx::Utils::DataTypeUtils::ToTypeProto(name);
        if (IsDense(type)) {
          p.dense |= uint64_t{1} << (type.tensor_type().elem_type() & 63);
        } else {
          p.others.insert(*name);
        }
      }
      parameters->push_back(std::move(p));
    }
    return !formals.empty() &&
           formals.back().GetOption() == onnx::OpSchema::Variadic;
  };
  variadic_input_ = compile(schema.inputs(), &inputs_);
  variadic_output_ = compile(schema.outputs(), &outputs_);
  num_variables_ = static_cast<int>(variables.size());
}

std::optional<std::string> TypeRules::Fault(const Node& node,
                                            TypeLookup type_of) const {
  // The first argument of each variable.
  absl::InlinedVector<const onnx::TypeProto*, 8> bound(num_variables_, nullptr);
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Value* value = node.input(i);
    const Parameter* parameter = ForInput(i);
    if (value == nullptr || parameter == nullptr) continue;
    const onnx::TypeProto* type = type_of(*value);
    if (type == nullptr || !IsComplete(*type)) continue;
    if (!parameter->Allows(*type)) {
      return absl::StrCat("input ", i, " (", parameter->name, ") is ",
                          KindName(*type), ", which ", node.op().op_type,
                          " at opset ", node.op().version, " doesn't take");
    }
    if (parameter->variable < 0) continue;
    const onnx::TypeProto*& first = bound[parameter->variable];
    if (first == nullptr) {
      first = type;
    } else if (!SameKind(*first, *type)) {
      return absl::StrCat("inputs mix ", KindName(*first), " and ",
                          KindName(*type), ", which must be of one type");
    }
  }
  return std::nullopt;
}

std::optional<std::string> TypeRules::OutputFault(const Node& node,
                                                  TypeLookup type_of) const {
  for (int i = 0; i < node.num_outputs(); ++i) {
    const Value* value = node.output(i);
    const Parameter* parameter = ForOutput(i);
    if (value == nullptr || parameter == nullptr) continue;
    const onnx::TypeProto* type = type_of(*value);
    if (type == nullptr || !IsComplete(*type) || parameter->Allows(*type)) {
      continue;
    }
    return absl::StrCat("output ", i, " (", parameter->name, ") is ",
                        KindName(*type), ", which ", node.op().op_type,
                        " at opset ", node.op().version, " doesn't give");
  }
  return std::nullopt;
}

}  // namespace onnx_legalize
