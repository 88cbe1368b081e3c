// SPDX-License-Identifier: Apache-2.0
//
// Operator schemas, by version.

#ifndef ONNX_LEGALIZE_OPS_SCHEMA_H_
#define ONNX_LEGALIZE_OPS_SCHEMA_H_

#include <onnx/defs/schema.h>

#include <optional>
#include <string>

#include "onnx_legalize/graph.h"

namespace onnx_legalize {

// The schema in force for `op` (newest with since_version <= op.version), or
// null: unknown operator, domain not imported, or a model-local function.
const onnx::OpSchema* SchemaOf(const Operator& op);

// Checks the node's inputs against its schema's type constraints as far as
// types are known: that each input's type is allowed, and that inputs which
// share a type variable agree. Returns the fault in one line, or nullopt.
std::optional<std::string> TypeConstraintFault(const Node& node);

// The same of its outputs: a type that the operator doesn't give.
std::optional<std::string> OutputTypeFault(const Node& node);

// Whether the node has as many inputs and outputs as its schema wants, and
// those that it can't do without. Returns the fault in one line, or nullopt.
// Passes take it for granted: the driver asks them about no other node.
std::optional<std::string> ArityFault(const Node& node);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_SCHEMA_H_
