// SPDX-License-Identifier: Apache-2.0
//
// Which elements of a matrix a Trilu keeps, as a boolean mask in the graph.

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_TRIANGLE_MASK_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_TRIANGLE_MASK_H_

#include <cstdint>
#include <optional>

#include "onnx_legalize/graph.h"
#include "onnx_legalize/rewriter.h"

namespace onnx_legalize {

// Up to here a mask or a result becomes a constant: what it adds to the file is
// small beside what computing it anew in every run costs.
inline constexpr int64_t kMaxConstantBytes = 64 * 1024;

// What is known of one Trilu before it runs.
struct Triangle {
  bool upper = true;
  std::optional<int64_t> k;
  std::optional<int64_t> height;
  std::optional<int64_t> width;

  // Needs k.
  bool Keeps(int64_t row, int64_t column) const;
  // Nothing is known to lie outside the triangle.
  bool KeepsAll() const;
};

// The mask as a constant bool[H, W]; null where it isn't known before the model
// runs, or is too large. The triangle must drop something.
Value* ConstantMask(const Triangle& triangle, Rewriter& rewriter);

// The mask of `trilu` (inputs x and k), computed when the model runs.
Value* ComputedMask(const Node& trilu, const Triangle& triangle,
                    Rewriter& rewriter);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_TRIANGLE_MASK_H_
