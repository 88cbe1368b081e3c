// SPDX-License-Identifier: Apache-2.0

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_DUMMY_LENGTHS_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_DUMMY_LENGTHS_H_

#include "onnx_legalize/graph.h"
#include "onnx_legalize/legalize.h"

namespace onnx_legalize {

// Reports each output of the main graph that is named as sequence lengths
// (`output:size1`) but can't hold any: a warning where no input can change it
// (a dummy that tracing left), a note where only the shapes of inputs can.
void ReportDummyLengths(const Graph& graph, Report& report);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_DUMMY_LENGTHS_H_
