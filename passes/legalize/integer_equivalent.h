// SPDX-License-Identifier: Apache-2.0
//
// Operators that take integers only from some opset on, said with others that
// always did.

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_INTEGER_EQUIVALENT_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_INTEGER_EQUIVALENT_H_

#include <string>

#include "onnx_legalize/rewriter.h"

namespace onnx_legalize {

// The node has an exact equivalent: all of its operands are of one integer type
// and it is
//   Relu          Max(x, 0) from opset 12 on, else from 9 on
//                 Where(Less(x, 0), 0, x)
//   Max, Min      Where(Less(a, b), b, a) ..., opset 9 to 11
//   Clip          the same with its bounds, opset 9 to 11
//   Floor, Ceil, Round   Identity
bool HasIntegerEquivalent(const Node& node);

// Replaces it; returns what was done in one line.
std::string ReplaceByIntegerEquivalent(Node& node, Rewriter& rewriter);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_INTEGER_EQUIVALENT_H_
