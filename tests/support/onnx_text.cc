// SPDX-License-Identifier: Apache-2.0

#include "tests/support/onnx_text.h"

#include <onnx/checker.h>
#include <onnx/defs/parser.h>
#include <onnx/defs/printer.h>

#include <exception>

namespace onnx_legalize {

absl::StatusOr<onnx::ModelProto> ParseText(const std::string& text) {
  onnx::ModelProto model;
  try {
    const auto status = onnx::OnnxParser::Parse(model, text);
    if (!status.IsOK()) {
      return absl::InvalidArgumentError(status.ErrorMessage());
    }
  } catch (const std::exception& e) {
    return absl::InvalidArgumentError(e.what());
  }
  return model;
}

absl::StatusOr<std::string> PrintText(const onnx::ModelProto& model) {
  try {
    return onnx::ProtoToString(model);
  } catch (const std::exception& e) {
    return absl::InvalidArgumentError(e.what());
  }
}

absl::Status CheckModel(const onnx::ModelProto& model, bool full) {
  try {
    onnx::checker::check_model(model, full);
  } catch (const std::exception& e) {
    return absl::InvalidArgumentError(e.what());
  }
  return absl::OkStatus();
}

}  // namespace onnx_legalize
