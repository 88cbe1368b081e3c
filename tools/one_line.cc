// SPDX-License-Identifier: Apache-2.0

#include "tools/one_line.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace onnx_legalize {

std::string OneLine(absl::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    if (c == '\n') {
      line += "\\n";
    } else if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      absl::StrAppend(
          &line, "\\x",
          absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    } else {
      line += c;
    }
  }
  return line;
}

}  // namespace onnx_legalize
