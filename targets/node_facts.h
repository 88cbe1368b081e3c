// SPDX-License-Identifier: Apache-2.0
//
// What a constraint asks of a node as a whole: a function for each such key of
// profile_schema.json, which says what they mean.

#ifndef ONNX_LEGALIZE_TARGETS_NODE_FACTS_H_
#define ONNX_LEGALIZE_TARGETS_NODE_FACTS_H_

#include "absl/strings/string_view.h"
#include "onnx_legalize/graph.h"

namespace onnx_legalize {

enum class Truth { kNo, kUnknown, kYes };

using NodeFact = Truth (*)(const Node& node);

// The function for a key such as "strides.exceed_kernel"; null if there is
// none.
NodeFact FindNodeFact(absl::string_view key);

bool MayBeBelow(const Value& value, double limit);          // input[i].may_be<
bool EquationIs(const Node& node, absl::string_view kind);  // equation.kind

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_TARGETS_NODE_FACTS_H_
