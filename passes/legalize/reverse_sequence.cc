// SPDX-License-Identifier: Apache-2.0
//
// ReverseSequence with lengths of 0, of which some kernels make zeros:
// reversing one element is the same as reversing none.
//
//   before:  y = ReverseSequence (x, lengths)
//   after:   y = ReverseSequence (x, Max (lengths, 1))

#include <optional>
#include <string>

#include "passes/legalize/body.h"

namespace onnx_legalize {

std::optional<std::string> ReverseAtLeastOne(Body& b) {
  const Node* producer = b.node().input(1)->producer();
  if (producer != nullptr && producer->Is("Max")) {
    return "its lengths are at least 1 already";
  }
  b.Return({b.Op("ReverseSequence", {b.In(0), b.Op("Max", {b.In(1), b.Int(1)})},
                 b.AttributesWithout())});
  return std::nullopt;
}

}  // namespace onnx_legalize
