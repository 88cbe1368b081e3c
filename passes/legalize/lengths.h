// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on lengths of tensors: done here where they are known, in the
// model where they aren't.

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_LENGTHS_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_LENGTHS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {

struct Length {
  Length(int64_t value) : known(value) {}  // NOLINT: numbers are lengths.
  explicit Length(Ref computed) : ref(std::move(computed)) {}

  std::optional<int64_t> known;
  Ref ref;  // int64 [1], where it isn't known.
};

class Lengths {
 public:
  explicit Lengths(Body& b) : b_(b) {}

  // Of the node's input `i`.
  Length Of(int i, int axis);
  // Element `index` of the node's input `i`, which is an int64 [n].
  Length Element(int i, int index);

  Length Add(const Length& a, const Length& b);
  Length Sub(const Length& a, const Length& b);
  Length Mul(const Length& a, const Length& b);
  // Rounds down; neither is negative.
  Length Div(const Length& a, const Length& b);
  Length Max(const Length& a, const Length& b);
  Length Product(const std::vector<Length>& factors);

  Ref Get(const Length& a);                       // int64 [1]
  Ref Shape(const std::vector<Length>& lengths);  // int64 [n]
  // `x` in another shape.
  Ref Reshape(const Ref& x, const std::vector<Length>& lengths) {
    return b_.Op("Reshape", {x, Shape(lengths)});
  }

 private:
  Body& b_;
};

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_LENGTHS_H_
