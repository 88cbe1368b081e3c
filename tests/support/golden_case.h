// SPDX-License-Identifier: Apache-2.0
//
// A golden case: one file that holds flags, an input model as text, and what is
// expected of legalizing it. The format is described in tests/golden/README.md.

#ifndef ONNX_LEGALIZE_TESTS_SUPPORT_GOLDEN_CASE_H_
#define ONNX_LEGALIZE_TESTS_SUPPORT_GOLDEN_CASE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "onnx_legalize/legalize.h"

namespace onnx_legalize {

struct GoldenCase {
  std::string path;
  Options options;
  // Nonempty: why onnx's checker refuses the input.
  std::string invalid;
  std::string input;     // Everything above the first section line.
  std::string expected;  // From the first section line on.
};

// Every *.onnxtxt below `root`, sorted, relative to it and without the suffix.
std::vector<std::string> GoldenNames(const std::string& root);

absl::StatusOr<GoldenCase> ReadGolden(const std::string& root,
                                      const std::string& name);

// Replaces what the case's file expects.
absl::Status WriteExpected(const GoldenCase& golden,
                           const std::string& expected);

// Sets what one flag of the CLI, e.g. "--padding=node", asks for.
absl::Status ApplyFlag(const std::string& flag, Options& options);

// The `---- report` section's text: rewrites, declines, notes and warnings, a
// line each.
std::string ReportText(const Report& report);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_TESTS_SUPPORT_GOLDEN_CASE_H_
