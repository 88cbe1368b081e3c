// SPDX-License-Identifier: Apache-2.0
//
// Axes that are computed at run time, and reshapes that are right for tensors
// without elements too, for lowerings of version steps.

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_COMPUTED_AXES_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_COMPUTED_AXES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {

// Elements of input `i` that are known before the model runs; also where only
// its shape [0] is.
std::optional<std::vector<int64_t>> KnownAxes(const Body& b, int i);

// Whether some dimension of input `i`, from the `first`th on, may be zero.
bool MayHaveZeros(const Body& b, int i, int first = 0);

// Input `i` is known to have no elements.
bool IsEmpty(const Body& b, int i);

// Reshape to a computed shape that may hold zeros, which stand for themselves.
// Where `zeros` is set the body becomes one of opset 14, for allowzero.
Ref ReshapeTo(Body& b, const Ref& x, const Ref& shape, bool zeros);

// The rank of input `i` as int64 []: a constant where it is known.
Ref RankOfInput(Body& b, int i);

// 0, 1, ... n - 1 as int64 [n]; n: int64 [], or known.
Ref Iota(Body& b, const Ref& n, std::optional<int64_t> known);

// Bool [n]: whether `axes` (int64 [k], negative ones count from n) has each
// axis. n: int64 [], or known.
Ref AxesMask(Body& b, const Ref& axes, const Ref& n,
             std::optional<int64_t> known);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_COMPUTED_AXES_H_
