// SPDX-License-Identifier: Apache-2.0
//
// Optional values whose presence is known: OptionalHasElement is a constant,
// and OptionalGetElement the value itself.
//
//   before:  h = OptionalHasElement (x)   y = OptionalGetElement (x)  # x:
//   float after:   h = Constant (true)          y = x
//
// Declines a value of an optional type, whose presence is known at run time
// only.

#include <optional>
#include <string>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

// Whether the value is there: a tensor or sequence always is.
bool IsAlwaysThere(const Value& value) {
  return value.type().has_tensor_type() || value.type().has_sequence_type();
}

}  // namespace

std::optional<std::string> KnownPresence(Body& b) {
  if (b.Has(0) && !IsAlwaysThere(*b.node().input(0))) {
    return "whether the optional holds a value is known at run time only";
  }
  b.Return({b.Typed(b.Has(0) ? 1 : 0, onnx::TensorProto::BOOL)});
  return std::nullopt;
}

std::optional<std::string> PresentElement(Body& b) {
  if (!IsAlwaysThere(*b.node().input(0))) {
    return "whether the optional holds a value is known at run time only";
  }
  b.Return({b.In(0)});
  return std::nullopt;
}

}  // namespace onnx_legalize
