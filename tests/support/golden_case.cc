// SPDX-License-Identifier: Apache-2.0

#include "tests/support/golden_case.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace onnx_legalize {
namespace {

constexpr char kSuffix[] = ".onnxtxt";
constexpr char kSectionStart[] = "\n---- ";

absl::Status BadFlag(const std::string& flag) {
  return absl::InvalidArgumentError(absl::StrCat("flag ", flag));
}

// NAME:1,-1,3
absl::Status ApplyInputShape(const std::string& value, Options& options) {
  const size_t colon = value.rfind(':');
  if (colon == std::string::npos) return BadFlag(value);
  std::vector<int64_t> dims;
  for (absl::string_view text :
       absl::StrSplit(value.substr(colon + 1), ',', absl::SkipEmpty())) {
    int64_t dim;
    if (!absl::SimpleAtoi(text, &dim)) return BadFlag(value);
    dims.push_back(dim);
  }
  options.input_shapes.emplace_back(value.substr(0, colon), std::move(dims));
  return absl::OkStatus();
}

// INPUT=VALUE:AXIS
absl::Status ApplyDerivedInput(const std::string& value, Options& options) {
  const size_t equals = value.find('=');
  const size_t colon = value.rfind(':');
  if (equals == std::string::npos || colon == std::string::npos ||
      colon < equals) {
    return BadFlag(value);
  }
  Options::DerivedInput derived;
  derived.input = value.substr(0, equals);
  derived.value = value.substr(equals + 1, colon - equals - 1);
  if (!absl::SimpleAtoi(value.substr(colon + 1), &derived.axis)) {
    return BadFlag(value);
  }
  options.derived_inputs.push_back(std::move(derived));
  return absl::OkStatus();
}

// Directives are the comment lines "# flags: ..." and "# invalid: ...".
absl::Status ApplyDirective(absl::string_view line, GoldenCase& golden) {
  if (absl::ConsumePrefix(&line, "# invalid: ")) {
    golden.invalid = std::string(line);
  } else if (absl::ConsumePrefix(&line, "# flags: ")) {
    for (absl::string_view flag :
         absl::StrSplit(line, ' ', absl::SkipEmpty())) {
      absl::Status status = ApplyFlag(std::string(flag), golden.options);
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> GoldenNames(const std::string& root) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != kSuffix) continue;
    names.push_back(
        fs::path(entry.path()).replace_extension().lexically_relative(root));
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<GoldenCase> ReadGolden(const std::string& root,
                                      const std::string& name) {
  GoldenCase golden;
  golden.path = absl::StrCat(root, "/", name, kSuffix);
  std::ifstream file(golden.path);
  std::stringstream content;
  content << file.rdbuf();
  if (!file) return absl::NotFoundError(golden.path);
  const std::string text = content.str();
  const size_t section = text.find(kSectionStart);
  golden.input =
      text.substr(0, section == std::string::npos ? section : section + 1);
  golden.expected =
      section == std::string::npos ? "" : text.substr(section + 1);
  golden.options.explain = true;
  golden.options.passes = {name.substr(0, name.find('/'))};
  for (absl::string_view line : absl::StrSplit(golden.input, '\n')) {
    absl::Status status = ApplyDirective(line, golden);
    if (!status.ok()) return status;
  }
  return golden;
}

absl::Status WriteExpected(const GoldenCase& golden,
                           const std::string& expected) {
  std::ofstream file(golden.path, std::ios::trunc);
  file << golden.input;
  if (!absl::EndsWith(golden.input, "\n")) file << '\n';
  file << expected;
  file.close();
  return file ? absl::OkStatus() : absl::UnknownError(golden.path);
}

absl::Status ApplyFlag(const std::string& flag, Options& options) {
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(flag, absl::MaxSplits('=', 1));
  const auto& [name, value] = parts;
  if (name == "--strict" && value.empty()) {
    options.strict = true;
  } else if (name == "--explain" && value.empty()) {
    options.explain = true;
  } else if (name == "--allow-inexact" && value.empty()) {
    options.allow_inexact = true;
  } else if (value.empty()) {
    return BadFlag(flag);
  } else if (name == "--target") {
    // The target's pipeline, whatever the folder.
    options.target = value;
    options.passes.reset();
  } else if (name == "--passes") {
    options.passes.emplace(absl::StrSplit(value, ','));
    // The default pipeline, by its target's name.
    if (value == "portable") options.passes.reset();
  } else if (name == "--padding" && value == "auto") {
    options.padding = Padding::kAuto;
  } else if (name == "--padding" && value == "attribute") {
    options.padding = Padding::kAttribute;
  } else if (name == "--padding" && value == "node") {
    options.padding = Padding::kNode;
  } else if (name == "--input-shape") {
    return ApplyInputShape(value, options);
  } else if (name == "--derive-input") {
    return ApplyDerivedInput(value, options);
  } else {
    return BadFlag(flag);
  }
  return absl::OkStatus();
}

std::string ReportText(const Report& report) {
  std::string text;
  for (const RewriteRecord& r : report.rewrites) {
    absl::StrAppend(&text, "rewrote ");
    if (!r.op.empty()) absl::StrAppend(&text, r.op, " ");
    if (!r.node.empty()) absl::StrAppend(&text, "'", r.node, "' ");
    absl::StrAppend(&text, "(", ExactnessName(r.exactness), "): ", r.what,
                    "\n");
  }
  for (const std::string& e : report.explanations) {
    absl::StrAppend(&text, "explained ", e, "\n");
  }
  for (const IllegalNode& n : report.illegal) {
    absl::StrAppend(&text, "illegal ", n.op, "-", n.version, " '", n.node,
                    "' (", n.types, "): ", n.reason, "\n");
  }
  for (const std::string& n : report.notes) {
    absl::StrAppend(&text, "note: ", n, "\n");
  }
  for (const std::string& w : report.warnings) {
    absl::StrAppend(&text, "warning: ", w, "\n");
  }
  return text;
}

}  // namespace onnx_legalize
