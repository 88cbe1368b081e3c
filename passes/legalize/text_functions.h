// SPDX-License-Identifier: Apache-2.0
//
// Lowerings written in ONNX's text syntax: functions/*.onnxtxt, and users'.

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_TEXT_FUNCTIONS_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_TEXT_FUNCTIONS_H_

#include <onnx/onnx_pb.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx_legalize/legalize.h"

namespace onnx_legalize {

struct TextFunction {
  onnx::FunctionProto proto;
  int first_version = 0;  // since_versions of the operator that it replaces.
  int last_version = 1 << 20;
  Exactness exactness = Exactness::kEquivalent;
  std::string summary;
  bool Replaces(const Operator& op, int since_version) const;
};

// `where` names the source in messages. Syntax: see function_lowering.cc.
absl::StatusOr<std::vector<TextFunction>> ParseTextFunctions(
    absl::string_view text, absl::string_view where);

// The functions that come with onnx-legalize, as text by file name: generated
// by CMake from functions/*.onnxtxt.
const std::vector<std::pair<absl::string_view, absl::string_view>>&
EmbeddedFunctions();

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_TEXT_FUNCTIONS_H_
