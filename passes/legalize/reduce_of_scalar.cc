// SPDX-License-Identifier: Apache-2.0
//
// Reductions of a scalar: some kernels fail on one with keepdims.
//
//   before:  y = ReduceL1 <keepdims = 1> (x)      # x: a scalar
//   after:   y = ReduceL1 <keepdims = 0> (x)
//
// Declines other ranks, which are none of its business.

#include <optional>
#include <string>

#include "passes/legalize/body.h"

namespace onnx_legalize {

std::optional<std::string> ReduceScalarWithoutKeepdims(Body& b) {
  if (b.Rank(0) != 0 || b.node().Int("keepdims", 1) == 0) {
    return "only the reduction of a scalar can do without keepdims";
  }
  Attributes attributes = b.AttributesWithout({"keepdims", "axes"});
  attributes.push_back({"keepdims", 0});
  b.SetOpset(b.node().op().version);
  b.Return({b.Op(b.node().op().op_type, {b.In(0)}, attributes)});
  return std::nullopt;
}

}  // namespace onnx_legalize
