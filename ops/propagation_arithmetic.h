// SPDX-License-Identifier: Apache-2.0
//
// Propagation of elements through element-wise arithmetic and reductions.

#ifndef ONNX_LEGALIZE_OPS_PROPAGATION_ARITHMETIC_H_
#define ONNX_LEGALIZE_OPS_PROPAGATION_ARITHMETIC_H_

#include <initializer_list>
#include <optional>

#include "ops/propagation.h"

namespace onnx_legalize {

// Add, Mul, Equal, Min, ReduceProd, ...; null for other operators.
PropagationRule ArithmeticRuleFor(absl::string_view op_type);

// The length that lists of these lengths broadcast to.
std::optional<int> BroadcastLength(std::initializer_list<int> lengths);

// Element `i` of a list that is broadcast.
const onnx::TensorShapeProto::Dimension& ElementAt(
    const onnx::TensorShapeProto& elements, int i);

// The element of an integer or bool tensor that has just one.
std::optional<int64_t> SingleInteger(const Tensor& tensor);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_PROPAGATION_ARITHMETIC_H_
