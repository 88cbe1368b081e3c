// SPDX-License-Identifier: Apache-2.0
//
// The part of decompose-auto-pad that is about ConvTranspose, whose pads crop
// the output.
//
//   before:  y = ConvTranspose(x, w), auto_pad = "SAME_UPPER", strides = [2]
//   after:   y = ConvTranspose(x, w), pads = [0, 1], strides = [2]
//
// or, with Padding::kNode, pads of 0 and a Slice. SAME gives size * stride
// cells: total = extent + output_padding - stride, whatever the size.
// output_shape gives total = (size - 1) * stride + extent + output_padding -
// output_shape, and outranks `pads`. Where the total is odd, old and new
// runtimes crop different sides, so that output_shape is made explicit also
// without auto_pad.
//
// Declines a negative total with SAME: runtimes don't agree on it; and SAME
// with output_shape where the size is unknown. Without SAME all runtimes take
// an output_shape larger than the result as zeros (plus bias) at the end: such
// a node, or one whose size is unknown, keeps it.

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_CONV_TRANSPOSE_PADDING_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_CONV_TRANSPOSE_PADDING_H_

#include "absl/status/statusor.h"
#include "onnx_legalize/pass.h"

namespace onnx_legalize {

MatchResult MatchConvTranspose(const Node& node);
absl::StatusOr<RewriteDone> RewriteConvTranspose(Node& node, Padding padding,
                                                 Rewriter& rewriter);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_CONV_TRANSPOSE_PADDING_H_
