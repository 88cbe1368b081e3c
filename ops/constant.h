// SPDX-License-Identifier: Apache-2.0
//
// Values that are known before the model runs, and their elements.

#ifndef ONNX_LEGALIZE_OPS_CONSTANT_H_
#define ONNX_LEGALIZE_OPS_CONSTANT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "onnx_legalize/graph.h"

namespace onnx_legalize {

// The tensor behind a value that can't change at run time: a non-overridable
// initializer, or the output of a Constant node given by its `value` attribute.
// Null otherwise. (Elements of Constant's value_int(s)/value_float(s) forms:
// use ConstantInts.)
const Tensor* ConstantTensor(const Value& value);

// Elements of a constant integer (or bool) tensor of any rank, in row-major
// order; nullopt where the value is no constant, not integer, external, or
// holds more than `max_elements`. Covers Constant's value_int and value_ints
// forms.
std::optional<std::vector<int64_t>> ConstantInts(const Value& value,
                                                 int64_t max_elements = 65536);

// The same of a tensor.
std::optional<std::vector<int64_t>> IntegerElements(
    const Tensor& tensor, int64_t max_elements = 65536);

// Elements of a tensor of numbers or bool as doubles (64-bit integers may be
// rounded); nullopt as above.
std::optional<std::vector<double>> FloatElements(const Tensor& tensor,
                                                 int64_t max_elements = 65536);

// The elements in ONNX's raw_data layout (little endian; whichever field they
// are stored in). Error for strings, external data, or a payload that doesn't
// fit the dims.
absl::StatusOr<std::string> RawElements(const Tensor& tensor);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_CONSTANT_H_
