// SPDX-License-Identifier: Apache-2.0
//
// Version step of operators whose axes may be negative since 11: counts them
// from the front.
//
//   before:  y = Gather-11 <axis = -1> (x, i)       # x: [A,B,C]
//   after:   y = Gather-11 <axis = 2> (x, i)
//
// Declines unknown rank.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {

std::optional<std::string> CountAxesFromFront(Body& b) {
  const Node& node = b.node();
  std::vector<int64_t> axes = node.Ints("axes");
  const bool one = node.HasAttribute("axis");
  if (one) axes = {node.Int("axis", 0)};
  if (std::none_of(axes.begin(), axes.end(),
                   [](int64_t axis) { return axis < 0; })) {
    return "no axis is negative";
  }
  std::optional<int64_t> rank;
  if (b.Rank(0).has_value()) rank = *b.Rank(0);
  if (!rank.has_value()) return "an axis is negative and the rank is unknown";
  // Axes of the output, which has more of them.
  if (node.Is("Unsqueeze")) *rank += static_cast<int64_t>(axes.size());
  for (int64_t& axis : axes) {
    if (axis < 0) axis += *rank;
    if (axis < 0) return "an axis is out of range";
  }
  Attributes attributes = b.AttributesWithout({"axis", "axes"});
  if (one) {
    attributes.push_back({"axis", axes[0]});
  } else {
    attributes.push_back({"axes", axes});
  }
  Refs inputs;
  for (int i = 0; i < b.num_inputs(); ++i) inputs.push_back(b.In(i));
  b.SetOpset(11);
  b.Return(b.OpN(node.op().op_type, inputs, node.num_outputs(), attributes));
  return std::nullopt;
}

}  // namespace onnx_legalize
