// SPDX-License-Identifier: Apache-2.0
//
// ONNX's text syntax (onnx/defs/parser.h) and checker for tests. The onnx
// library throws; everything here returns a Status instead.

#ifndef ONNX_LEGALIZE_TESTS_SUPPORT_ONNX_TEXT_H_
#define ONNX_LEGALIZE_TESTS_SUPPORT_ONNX_TEXT_H_

#include <onnx/onnx_pb.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace onnx_legalize {

absl::StatusOr<onnx::ModelProto> ParseText(const std::string& text);
// The printer drops metadata and doc strings of graphs and nodes, and shortens
// sub-byte and complex tensors to "...": compare protos where those matter.
absl::StatusOr<std::string> PrintText(const onnx::ModelProto& model);

// onnx's checker; `full` adds its strict shape inference.
absl::Status CheckModel(const onnx::ModelProto& model, bool full);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_TESTS_SUPPORT_ONNX_TEXT_H_
