// SPDX-License-Identifier: Apache-2.0
//
// The command line of onnx-legalize.

#ifndef ONNX_LEGALIZE_TOOLS_ARGUMENTS_H_
#define ONNX_LEGALIZE_TOOLS_ARGUMENTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "onnx_legalize/legalize.h"

namespace onnx_legalize {

struct Arguments {
  std::string input;   // "-" is standard input.
  std::string output;  // "-" is standard output.
  std::string report;  // File for the JSON report; "-" is standard output.
  FileOptions options;
  bool analyze = false;  // Say what would be done and write no model.
  bool quiet = false;
  bool verbose = false;
  // Answered by text on standard output (--help, --version, --list-passes):
  // there is nothing else to do.
  std::string answer;
};

// Errors are mistakes in usage, in one line.
absl::StatusOr<Arguments> ParseArguments(int argc, const char* const* argv);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_TOOLS_ARGUMENTS_H_
