// SPDX-License-Identifier: Apache-2.0
//
// Which nodes can be left out when nobody reads what they make.

#ifndef ONNX_LEGALIZE_IR_EFFECTS_H_
#define ONNX_LEGALIZE_IR_EFFECTS_H_

#include "onnx_legalize/graph.h"

namespace onnx_legalize {

// Running the node may do more than make its outputs. No operator of ONNX's own
// domains does; of others nothing is known. What holds subgraphs, or calls a
// function of the model, does what the nodes in there do.
bool MayHaveEffects(const Node& node);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_IR_EFFECTS_H_
