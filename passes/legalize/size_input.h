// SPDX-License-Identifier: Apache-2.0
//
// What makes an input a size input: one that only restates a dimension of
// another input, such as RETURNN's `data:size0`, the batch size of `data`.
// (`data:size1` holds the lengths of its sequences, and restates nothing.)

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_SIZE_INPUT_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_SIZE_INPUT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx_legalize/graph.h"
#include "onnx_legalize/legalize.h"

namespace onnx_legalize {

struct SizeName {
  absl::string_view tensor;  // A view into the name.
  int axis = 0;
};

// The parts of `TENSOR:sizeAXIS`; nullopt for any other name.
std::optional<SizeName> ParseSizeName(absl::string_view name);

// What the declared shape of an input lets it be.
enum class SizeForm {
  kUnknown,  // The rank isn't declared.
  kScalar,   // []
  kOne,  // [1]: a scalar, or the length of the one sequence of a batch of 1.
  kLengths,  // Anything else.
};
SizeForm SizeFormOf(const Value& input);

bool IsTensor(const Value& value);
// Callers may leave the input out.
bool HasDefault(const Value& input);

// A dimension that a size input restates.
struct Dimension {
  Value* tensor = nullptr;
  int axis = 0;
};

// Why `input` can't be computed inside the graph, whatever it restates; "" if
// it can.
std::string UnfitReason(const Value& input);
// Why `dimension` doesn't exist; "" if it does as far as is known.
std::string MissingReason(const Dimension& dimension);
// Why axis 0 of `tensor` isn't the batch's: sequence lengths among the graph's
// inputs are those of axis 0, or have the symbol of another axis. "" if it may
// be.
std::string NotBatchFirstReason(const Graph& graph, const Value& tensor);

// The input of the main graph of that name, or null.
Value* FindInput(const Graph& graph, absl::string_view name);
// What the user asks for, checked; the axis is not negative.
absl::StatusOr<Dimension> ResolveDerivation(
    const Graph& graph, const Options::DerivedInput& wanted);
// Whether an earlier run has done what the user asks for.
bool IsAlreadyDerived(const Graph& graph, const Options::DerivedInput& wanted);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_SIZE_INPUT_H_
