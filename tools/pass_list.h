// SPDX-License-Identifier: Apache-2.0
//
// The passes, for --list-passes and for the documentation.

#ifndef ONNX_LEGALIZE_TOOLS_PASS_LIST_H_
#define ONNX_LEGALIZE_TOOLS_PASS_LIST_H_

#include <string>

namespace onnx_legalize {

// Two columns; what runs by default is marked.
std::string PassListText();
// The whole of docs/passes.md.
std::string PassListMarkdown();

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_TOOLS_PASS_LIST_H_
