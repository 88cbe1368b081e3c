// SPDX-License-Identifier: Apache-2.0

#include "ops/onnx_boundary.h"

#include <onnx/defs/data_type_utils.h>
#include <onnx/defs/parser.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <exception>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace onnx_legalize {
namespace {

// One line of what the library says: it adds context over several.
absl::Status InferenceFailure(absl::string_view what) {
  const size_t end = what.find('\n');
  return absl::InvalidArgumentError(
      end == absl::string_view::npos ? what : what.substr(0, end));
}

// Besides InferenceError the library lets std::bad_alloc, std::length_error and
// std::out_of_range through where a model is hostile.
template <typename Function>
absl::Status Guard(const Function& function) {
  try {
    return function();
  } catch (const std::exception& e) {
    return InferenceFailure(e.what());
  } catch (...) {
    return absl::InternalError("the onnx library failed without a reason");
  }
}

}  // namespace

const onnx::OpSchema* LookUpSchema(const std::string& domain,
                                   const std::string& op_type, int version) {
  const onnx::OpSchema* schema = nullptr;
  Guard([&] {
    schema = onnx::OpSchemaRegistry::Schema(op_type, version, domain);
    return absl::OkStatus();
  }).IgnoreError();  // Null says it all.
  return schema;
}

int NewestOpset(const std::string& domain) {
  int newest = 0;
  Guard([&] {
    const auto& ranges =
        onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
    auto it = ranges.find(domain);
    if (it != ranges.end()) newest = it->second.second;
    return absl::OkStatus();
  }).IgnoreError();  // 0 says it all.
  return newest;
}

absl::StatusOr<onnx::FunctionProto> FunctionBody(
    const onnx::OpSchema& schema, int version,
    const onnx::FunctionBodyBuildContext& context) {
  std::vector<int> versions = schema.function_opset_versions();
  const std::vector<int> dependent =
      schema.context_dependent_function_opset_versions();
  versions.insert(versions.end(), dependent.begin(), dependent.end());
  // The wanted one, then those above it upwards, then those below downwards.
  versions.push_back(version);
  std::sort(versions.begin(), versions.end());
  auto wanted = std::lower_bound(versions.begin(), versions.end(), version);
  std::vector<int> order(wanted, versions.end());
  order.insert(order.end(), std::make_reverse_iterator(wanted),
               versions.rend());
  absl::Status last = absl::NotFoundError("the schema has no function body");
  for (int opset : order) {
    onnx::FunctionProto body;
    bool found = false;
    const absl::Status built = Guard([&]() -> absl::Status {
      if (const onnx::FunctionProto* plain = schema.GetFunction(opset)) {
        body = *plain;
        found = true;
      } else if (schema.HasContextDependentFunction()) {
        found = schema.BuildContextDependentFunction(context, body, opset);
      }
      return absl::OkStatus();
    });
    if (built.ok() && found) return body;
    if (!built.ok()) last = built;
  }
  return last;
}

absl::StatusOr<std::vector<onnx::FunctionProto>> ParseFunctions(
    absl::string_view text) {
  std::vector<onnx::FunctionProto> functions;
  const std::string owned(text);
  const absl::Status status = Guard([&]() -> absl::Status {
    onnx::OnnxParser parser(owned.c_str());
    while (!parser.EndOfInput()) {
      const onnx::Common::Status parsed =
          parser.Parse(functions.emplace_back());
      if (!parsed.IsOK()) return InferenceFailure(parsed.ErrorMessage());
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return functions;
}

absl::Status RunInference(const onnx::OpSchema& schema,
                          onnx::InferenceContext& context) {
  return Guard([&] {
    schema.GetTypeAndShapeInferenceFunction()(context);
    return absl::OkStatus();
  });
}

absl::Status RunDataPropagation(const onnx::OpSchema& schema,
                                onnx::DataPropagationContext& context) {
  return Guard([&] {
    schema.GetDataPropagationFunction()(context);
    return absl::OkStatus();
  });
}

absl::Status RunBodyInference(const onnx::OpSchema& schema, int version,
                              onnx::FunctionBodyBuildContext& build_context,
                              onnx::InferenceContext& context) {
  return Guard([&]() -> absl::Status {
    onnx::FunctionProto built;
    const onnx::FunctionProto* body = schema.GetFunction(version);
    if (body == nullptr && schema.HasContextDependentFunction() &&
        schema.BuildContextDependentFunction(build_context, built, version)) {
      body = &built;
    }
    if (body == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("no function body at opset ", version));
    }
    // Bodies reshape by shapes that they compute.
    onnx::shape_inference::DataValueMap elements;
    onnx::shape_inference::InferShapeForFunctionNode(
        *body, onnx::OpSchemaRegistry::Instance(), context,
        onnx::ShapeInferenceOptions(/*check_type_val=*/false,
                                    /*strict_mode_val=*/0,
                                    /*data_prop_val=*/true),
        {}, nullptr, &elements);
    return absl::OkStatus();
  });
}

std::string SchemaTypeName(const onnx::TypeProto& type) {
  std::string name;
  Guard([&] {
    name = *onnx::Utils::DataTypeUtils::ToType(type);
    return absl::OkStatus();
  }).IgnoreError();  // An incomplete type has no name.
  return name;
}

}  // namespace onnx_legalize
