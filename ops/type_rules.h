// SPDX-License-Identifier: Apache-2.0
//
// A schema's type constraints in a form that is quick to check.

#ifndef ONNX_LEGALIZE_OPS_TYPE_RULES_H_
#define ONNX_LEGALIZE_OPS_TYPE_RULES_H_

#include <onnx/defs/schema.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "onnx_legalize/graph.h"

namespace onnx_legalize {

// The type that is known of a value, or null.
using TypeLookup = absl::FunctionRef<const onnx::TypeProto*(const Value&)>;

class TypeRules {
 public:
  // What one formal parameter may be.
  struct Parameter {
    std::string name;
    int variable = -1;   // Parameters of one variable have one type; -1: alone.
    uint64_t dense = 0;  // Bit t: a dense tensor of element type t is allowed.
    bool any = false;    // Nothing is ruled out.
    absl::flat_hash_set<std::string> others;  // e.g. "seq(tensor(float))".

    bool Allows(const onnx::TypeProto& type) const;
    bool AllowsTensor(int32_t elem_type) const;
  };

  explicit TypeRules(const onnx::OpSchema& schema);

  // The parameter that input `i` is an argument of; null past the last one. The
  // last parameter takes the rest where it is variadic.
  const Parameter* ForInput(int i) const {
    return Find(inputs_, variadic_input_, i);
  }
  const Parameter* ForOutput(int i) const {
    return Find(outputs_, variadic_output_, i);
  }

  // The first fault among the node's inputs in one line, or nullopt.
  std::optional<std::string> Fault(const Node& node, TypeLookup type_of) const;
  // The same among its outputs: a type that the schema can't give.
  std::optional<std::string> OutputFault(const Node& node,
                                         TypeLookup type_of) const;

 private:
  static const Parameter* Find(const std::vector<Parameter>& parameters,
                               bool variadic, int i) {
    const int size = static_cast<int>(parameters.size());
    if (i < size) return &parameters[i];
    return variadic ? &parameters.back() : nullptr;
  }
  std::vector<Parameter> inputs_;
  std::vector<Parameter> outputs_;
  bool variadic_input_ = false;
  bool variadic_output_ = false;
  int num_variables_ = 0;
};

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_TYPE_RULES_H_
