// SPDX-License-Identifier: Apache-2.0
//
// How nodes are named in reports.

#ifndef ONNX_LEGALIZE_PASSES_REPORT_H_
#define ONNX_LEGALIZE_PASSES_REPORT_H_

#include <map>
#include <string>

#include "onnx_legalize/graph.h"
#include "onnx_legalize/legalize.h"

namespace onnx_legalize {

// The node's name, or, where it has none, its first output's.
std::string NodeLabel(const Node& node);

// "Conv", or "domain::op" outside ai.onnx.
std::string OpLabel(const Operator& op);

// `node` as one that stays illegal.
IllegalNode MakeIllegalNode(const Node& node, std::string reason);

// Op -> how many nodes of all graphs and functions call it.
std::map<std::string, int64_t> CountOps(const Model& model);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_REPORT_H_
