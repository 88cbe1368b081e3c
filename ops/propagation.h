// SPDX-License-Identifier: Apache-2.0
//
// Shape arithmetic: the elements of small integer tensors, as far as they
// follow from shapes and constants.

#ifndef ONNX_LEGALIZE_OPS_PROPAGATION_H_
#define ONNX_LEGALIZE_OPS_PROPAGATION_H_

#include <optional>

#include "ops/type_scope.h"

namespace onnx_legalize {

// Computes the elements of a node's one output; nullopt where they don't
// follow.
using PropagationRule = std::optional<onnx::TensorShapeProto> (*)(const Node&,
                                                                  TypeScope&);

// Our own rule for an operator of ai.onnx, or null. Ours go before the
// schemas': those ignore the width of int32, fail on Concat with an empty first
// operand, and know nothing of division, comparison, Where, Range or
// ConstantOfShape.
PropagationRule PropagationRuleFor(const Operator& op);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_PROPAGATION_H_
