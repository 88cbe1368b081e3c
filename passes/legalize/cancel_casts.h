// SPDX-License-Identifier: Apache-2.0
//
// Takes out neighbouring Casts that legalization put between two nodes and that
// cancel exactly.

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_CANCEL_CASTS_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_CANCEL_CASTS_H_

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "onnx_legalize/rewriter.h"

namespace onnx_legalize {

// `casts`: the Cast nodes that were made, in the order to look at them in; none
// is erased yet. Casts of the user's model stay.
void CancelCasts(absl::Span<Node* const> casts, Rewriter& rewriter);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_CANCEL_CASTS_H_
