// SPDX-License-Identifier: Apache-2.0
//
// Where schemas' own inference is wrong against the specification and what
// runtimes do, or stops short.

#ifndef ONNX_LEGALIZE_OPS_OVERRIDES_H_
#define ONNX_LEGALIZE_OPS_OVERRIDES_H_

#include <string>
#include <vector>

#include "ops/type_scope.h"

namespace onnx_legalize {

// Operators whose inference is put right here.
enum class Override {
  kNone,
  kConv,  // Conv, ConvInteger, QLinearConv.
  kPool,  // MaxPool, AveragePool, LpPool.
  kConvTranspose,
  kReshape,
};
Override OverrideFor(const Operator& op);

// Attributes that inference must not see. In every ONNX Runtime auto_pad beats
// `pads` that stand beside it, while schemas prefer the pads (ConvTranspose's
// fails); and SAME drops ceil_mode: its output is ceil(in / stride) as it is.
class AttributeFilter {
 public:
  AttributeFilter(Override kind, const Node& node, const TypeScope& scope);
  bool Hides(const Node& node, const std::string& name) const;

 private:
  bool hide_pads_ = false;
  bool hide_ceil_mode_ = false;
};

// Corrects and completes what the schema inferred of the node's outputs.
void CorrectOutputs(Override kind, const Node& node, TypeScope& scope,
                    std::vector<onnx::TypeProto>& outputs);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_OVERRIDES_H_
