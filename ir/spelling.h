// SPDX-License-Identifier: Apache-2.0
//
// Suggestions for misspelt names.

#ifndef ONNX_LEGALIZE_IR_SPELLING_H_
#define ONNX_LEGALIZE_IR_SPELLING_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnx_legalize {

// "; did you mean 'X'?", X being the candidate that the fewest edits turn
// `name` into, or "" where none is near enough to be a misspelling of it.
std::string DidYouMean(absl::string_view name,
                       absl::Span<const absl::string_view> candidates);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_IR_SPELLING_H_
