// SPDX-License-Identifier: Apache-2.0
//
// The only place that calls what throws in the onnx library: inference, data
// propagation and function bodies of schemas. Exceptions come back as statuses.

#ifndef ONNX_LEGALIZE_OPS_ONNX_BOUNDARY_H_
#define ONNX_LEGALIZE_OPS_ONNX_BOUNDARY_H_

#include <onnx/defs/schema.h>
#include <onnx/defs/shape_inference.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace onnx_legalize {

// The newest schema of the operator with since_version <= version, or null.
const onnx::OpSchema* LookUpSchema(const std::string& domain,
                                   const std::string& op_type, int version);

// The newest opset of the domain that the onnx library knows; 0: none.
int NewestOpset(const std::string& domain);

// The schema's function body for opset `version`, or the nearest above it, or
// else below it, that it has one for: the plain body, or the one built for
// `context`. Not found where the schema has none.
absl::StatusOr<onnx::FunctionProto> FunctionBody(
    const onnx::OpSchema& schema, int version,
    const onnx::FunctionBodyBuildContext& context);

// Parses functions in ONNX's text syntax; `text` holds any number of them.
absl::StatusOr<std::vector<onnx::FunctionProto>> ParseFunctions(
    absl::string_view text);

// Runs the schema's type and shape inference.
absl::Status RunInference(const onnx::OpSchema& schema,
                          onnx::InferenceContext& context);

// Runs the schema's data propagation.
absl::Status RunDataPropagation(const onnx::OpSchema& schema,
                                onnx::DataPropagationContext& context);

// Infers through the schema's function body at opset `version`, for an operator
// whose schema has nothing but that: the plain body, or the one built for
// `build_context`.
absl::Status RunBodyInference(const onnx::OpSchema& schema, int version,
                              onnx::FunctionBodyBuildContext& build_context,
                              onnx::InferenceContext& context);

// The type as the onnx library names it in schemas, e.g. "tensor(float)"; ""
// for an incomplete type.
std::string SchemaTypeName(const onnx::TypeProto& type);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_ONNX_BOUNDARY_H_
