// SPDX-License-Identifier: Apache-2.0
//
// Options::input_shapes: fixing the shapes of graph inputs.

#ifndef ONNX_LEGALIZE_PASSES_INPUT_SHAPES_H_
#define ONNX_LEGALIZE_PASSES_INPUT_SHAPES_H_

#include "absl/status/status.h"
#include "onnx_legalize/legalize.h"
#include "onnx_legalize/rewriter.h"

namespace onnx_legalize {

// Declares the inputs of `rewriter`'s model that `options` names to have the
// shapes that it gives. Errors: no such input, not a tensor, another rank, or a
// dimension that the model already states otherwise. Noted in `report`.
absl::Status ApplyInputShapes(const Options& options, Rewriter& rewriter,
                              Report& report);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_INPUT_SHAPES_H_
