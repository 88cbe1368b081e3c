// SPDX-License-Identifier: Apache-2.0
//
// Lowerings: ways to say in other operators what an illegal node says. The
// driver (legalize_operators.cc) chooses among them.

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_LOWERING_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_LOWERING_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "passes/legalize/body.h"

namespace onnx_legalize {

// Writes `body`, which takes the place of body.node(), or says in one line why
// it can't.
using LoweringFn = std::optional<std::string> (*)(Body& body);

// When a lowering is of use.
enum class Direction {
  kAny,   // Wherever the node is illegal.
  kDown,  // A version step: the model's opset is below the node's operator.
  kUp,    // A version step: the model's opset is above it.
};

struct Lowering {
  absl::string_view domain;
  absl::string_view op_type;
  // since_versions of the operators that it is about.
  int first_version;
  int last_version;
  Direction direction;
  LoweringFn lower;
  Exactness exactness;
  absl::string_view summary;  // What it does; in reports, e.g. "moves axes".
};

constexpr int kNewest = 1 << 20;

// Every lowering of lowerings.def, in its order.
absl::Span<const Lowering> AllLowerings();

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_LOWERING_H_
