// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/text_functions.h"

#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ops/onnx_boundary.h"

namespace onnx_legalize {
namespace {

// "18-22", "18-", "18".
bool ParseRange(absl::string_view text, TextFunction* function) {
  const size_t dash = text.find('-');
  const absl::string_view first = text.substr(0, dash);
  if (!absl::SimpleAtoi(first, &function->first_version)) return false;
  if (dash == absl::string_view::npos) {
    function->last_version = function->first_version;
    return true;
  }
  const absl::string_view last = text.substr(dash + 1);
  return last.empty() || absl::SimpleAtoi(last, &function->last_version);
}

absl::Status ReadClauses(TextFunction* function) {
  for (absl::string_view clause :
       absl::StrSplit(function->proto.doc_string(), ';', absl::SkipEmpty())) {
    clause = absl::StripAsciiWhitespace(clause);
    if (clause == "exact") {
      function->exactness = Exactness::kExact;
    } else if (clause == "equivalent") {
      function->exactness = Exactness::kEquivalent;
    } else if (clause == "inexact") {
      function->exactness = Exactness::kInexact;
    } else if (absl::ConsumePrefix(&clause, "versions ")) {
      if (!ParseRange(clause, function)) {
        return absl::InvalidArgumentError(
            absl::StrCat("versions '", clause, "': expected 18, 18- or 18-22"));
      }
    } else {
      function->summary = std::string(clause);
    }
  }
  if (function->summary.empty()) {
    function->summary =
        absl::StrCat("expands ", function->proto.name(), " by a function");
  }
  return absl::OkStatus();
}

}  // namespace

bool TextFunction::Replaces(const Operator& op, int since_version) const {
  const absl::string_view domain =
      proto.domain() == "ai.onnx" ? absl::string_view() : proto.domain();
  return proto.name() == op.op_type && domain == op.domain &&
         first_version <= since_version && since_version <= last_version;
}

absl::StatusOr<std::vector<TextFunction>> ParseTextFunctions(
    absl::string_view text, absl::string_view where) {
  // The parser takes no comments.
  std::string code;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "//")) {
      absl::StrAppend(&code, line);
    }
    code += '\n';
  }
  absl::StatusOr<std::vector<onnx::FunctionProto>> parsed =
      ParseFunctions(code);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": ", parsed.status().message()));
  }
  std::vector<TextFunction> functions;
  for (onnx::FunctionProto& proto : *parsed) {
    TextFunction& function = functions.emplace_back();
    function.proto = std::move(proto);
    absl::Status s = ReadClauses(&function);
    if (s.ok() && function.proto.opset_import().empty()) {
      s = absl::InvalidArgumentError("no opset_import");
    }
    if (!s.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          where, ": function '", function.proto.name(), "': ", s.message()));
    }
  }
  return functions;
}

}  // namespace onnx_legalize
