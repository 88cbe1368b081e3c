// SPDX-License-Identifier: Apache-2.0
//
// The `when` of a constraint, compiled: does a node belong to the class that a
// probe stands for?

#ifndef ONNX_LEGALIZE_TARGETS_CONDITION_H_
#define ONNX_LEGALIZE_TARGETS_CONDITION_H_

#include <onnx/defs/schema.h>

#include <nlohmann/json.hpp>
#include <string>

#include "onnx_legalize/graph.h"
#include "targets/node_facts.h"

namespace onnx_legalize {

class Condition {
 public:
  // `key` and `wanted` as in profile_schema.json, e.g. "dilations.any>", 1. A
  // key that isn't known never holds.
  Condition(absl::string_view key, const nlohmann::json& wanted);
  Truth Holds(const Node& node, const onnx::OpSchema& schema) const;

 private:
  enum class Kind {
    kAttribute,
    kAttributeAnyAbove,
    kAttributeAnyBelow,
    kAttributeAny,
    kAttributeSet,
    kAttributeAsymmetric,
    kInputPresent,
    kInputConstant,
    kInputRank,
    kInputRankAbove,
    kInputType,
    kInputNegative,
    kInputEmpty,
    kInputBlank,
    kInputShape,
    kInputValue,
    kInputMayBeBelow,
    kInputSizeAbove,
    kInputSizeBelow,
    kInputProducer,
    kOutputUsed,
    kFact,
    kEquationKind,
    kNever,
  };
  Truth HoldsOfAttribute(const Node& node, const onnx::OpSchema& schema) const;
  Truth HoldsOfInput(const Node& node) const;

  Kind kind_ = Kind::kNever;
  std::string name_;  // Of the attribute.
  int index_ = 0;     // Of the input or output.
  NodeFact fact_ = nullptr;
  nlohmann::json wanted_;
};

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_TARGETS_CONDITION_H_
