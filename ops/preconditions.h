// SPDX-License-Identifier: Apache-2.0
//
// What schemas' inference functions take for granted of a node. On a node that
// hasn't got it some of them crash or never come back.

#ifndef ONNX_LEGALIZE_OPS_PRECONDITIONS_H_
#define ONNX_LEGALIZE_OPS_PRECONDITIONS_H_

#include <onnx/defs/schema.h>

#include <optional>
#include <string>

#include "ops/type_scope.h"

namespace onnx_legalize {

// The first one that fails, in one line: as many inputs and outputs as the
// schema has, the required ones there, axes that are within any rank, and lists
// of sizes that are no longer than one.
std::optional<std::string> PreconditionFault(const Node& node,
                                             const onnx::OpSchema& schema,
                                             const TypeScope& scope);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_PRECONDITIONS_H_
