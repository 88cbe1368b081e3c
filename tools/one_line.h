// SPDX-License-Identifier: Apache-2.0
//
// Text that stays on its line, whatever names a model holds.

#ifndef ONNX_LEGALIZE_TOOLS_ONE_LINE_H_
#define ONNX_LEGALIZE_TOOLS_ONE_LINE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace onnx_legalize {

// `text` with control characters written as \n, \x1b and the like, so that a
// name can neither break a line nor command the terminal.
std::string OneLine(absl::string_view text);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_TOOLS_ONE_LINE_H_
