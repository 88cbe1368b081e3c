// SPDX-License-Identifier: Apache-2.0
//
// The invariants of the graph in memory, which every pass must keep.

#ifndef ONNX_LEGALIZE_IR_VERIFIER_H_
#define ONNX_LEGALIZE_IR_VERIFIER_H_

#include "absl/status/status.h"
#include "onnx_legalize/graph.h"

namespace onnx_legalize {

// Use lists agree with inputs, nodes stand after what they read, every name
// leads back to its value from where it is read, and nothing erased is referred
// to. An InternalError names the first fault: it is always a bug of a pass or
// of ours.
absl::Status Verify(const Model& model);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_IR_VERIFIER_H_
