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

Truth StridesExceedKernel(const Node& node);                // strides.exceed_kernel
Truth ScalesOuter(const Node& node);                        // scales.outer
Truth ScalesFraction(const Node& node);                     // scales.fraction
Truth AxesZero(const Node& node);                           // axes.zero
bool MayBeBelow(const Value& value, double limit);          // input[i].may_be<
bool EquationIs(const Node& node, absl::string_view kind);  // equation.kind

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_TARGETS_NODE_FACTS_H_
