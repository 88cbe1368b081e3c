// SPDX-License-Identifier: Apache-2.0
//
// LayerNormalization by its formula.
//
//   before:  y = LayerNormalization-17 <axis = -1> (x, scale, bias)
//   after:   d = x - ReduceMean (x)
//            y = d / Sqrt (ReduceMean (Pow (d, 2)) + epsilon) * scale + bias
//
// These are the nodes that frameworks write for it and that runtimes without
// the operator fuse into a kernel of their own. The specification's body
// flattens x and the scale, so that a scale which broadcasts doesn't fit; and
// it takes the variance as the mean of squares less the square of the mean,
// which cancels where the mean is large.
//
// Declines a type that isn't known, and an axis counted from the front where
// the rank isn't.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {

std::optional<std::string> LayerNormByFormula(Body& b) {
  const int32_t type = b.Type(0);
  if (type == 0) return "the type isn't known";
  const int64_t axis = b.node().Int("axis", -1);
  std::vector<int64_t> axes;
  if (axis >= 0 && !b.Rank(0).has_value()) return "the rank isn't known";
  for (int64_t i = axis; i < (axis < 0 ? 0 : *b.Rank(0)); ++i) {
    axes.push_back(i);
  }
  const auto stash = static_cast<int32_t>(
      b.node().Int("stash_type", onnx::TensorProto::FLOAT));
  const Ref x = stash == type ? b.In(0) : b.Cast(b.In(0), stash);
  const Attributes over = {{"axes", axes}, {"keepdims", int64_t{1}}};
  const Ref mean = b.Op("ReduceMean", {x}, over);
  const Ref difference = b.Sub(x, mean);
  const Ref square = b.Op("Pow", {difference, b.Typed(2, stash)});
  const Ref epsilon = b.Typed(b.node().Float("epsilon", 1e-5F), stash);
  const Ref variance = b.Add(b.Op("ReduceMean", {square}, over), epsilon);
  const Ref deviation = b.Op("Sqrt", {variance});
  Ref y = b.Div(difference, deviation);
  if (stash != type) y = b.Cast(y, type);
  y = b.Mul(y, b.In(1));
  if (b.Has(2)) y = b.Add(y, b.In(2));
  Refs outputs = {y};
  if (b.node().num_outputs() > 1) {
    outputs.push_back(b.OutputUsed(1) ? mean : "");
  }
  if (b.node().num_outputs() > 2) {
    outputs.push_back(b.OutputUsed(2) ? b.Op("Reciprocal", {deviation}) : "");
  }
  b.Return(outputs);
  return std::nullopt;
}

}  // namespace onnx_legalize
