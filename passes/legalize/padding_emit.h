// SPDX-License-Identifier: Apache-2.0
//
// Padding as nodes of the graph.

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_PADDING_EMIT_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_PADDING_EMIT_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_legalize/graph.h"
#include "onnx_legalize/rewriter.h"
#include "passes/legalize/padding.h"

namespace onnx_legalize {

// What padding cells hold.
enum class Fill { kZero, kLowest, kZeroPoint };

// How many cells to pad: known numbers (begins, then ends), or int64 vectors
// that are computed at run time, of an entry a spatial axis.
struct PadAmounts {
  std::vector<int64_t> pads;
  Value* begins = nullptr;
  Value* ends = nullptr;
  bool at_run_time() const { return begins != nullptr; }
};

// What is asked of nodes that pad.
struct PadRequest {
  int opset = 0;
  int32_t elem_type = 0;
  Fill fill = Fill::kZero;
  Value* zero_point = nullptr;  // For Fill::kZeroPoint; null stands for zero.
  bool at_run_time = false;     // By amounts that only the graph can compute.
  bool ones = false;            // EmitOnes is to be called too.
};

// Why that can't be done; nullopt if it can.
std::optional<std::string> PadFault(const PadRequest& request);

// Computes the pads of SAME from the shape of `x`.
PadAmounts EmitSamePads(Value& x, const SlidingWindow& window, AutoPadMode mode,
                        Rewriter& rewriter);

// `x` padded on its spatial axes. PadFault must have said nothing.
Value* EmitPadded(Value& x, const PadAmounts& amounts,
                  const PadRequest& request, Rewriter& rewriter);

// Ones of x's element type, of shape [1, 1, spatial sizes of x].
Value* EmitOnes(Value& x, int spatial_rank, Rewriter& rewriter);

// The node's attributes but those named.
std::vector<AttributeInit> AttributesWithout(
    const Node& node, std::initializer_list<absl::string_view> names);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_PADDING_EMIT_H_
