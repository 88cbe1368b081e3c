// SPDX-License-Identifier: Apache-2.0
//
// Where of types that have no kernel, such as double in ONNX Runtime 1.4: picks
// elements from both operands, stacked.
//
//   before:  z = Where (c, x, y)
//   after:   both = Concat <axis = 0> (Unsqueeze (x, [0]), Unsqueeze (y, [0]))
//            i = Unsqueeze (Cast <to = int64> (Not (c)), [0])
//            z = Squeeze (GatherElements <axis = 0> (both, i), [0])
//
// All are expanded to their common shape before, unless they are known to have
// it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {

std::optional<std::string> WhereByGather(Body& b) {
  constexpr int kCondition = 0, kThen = 1, kElse = 2;
  Ref index = b.Cast(b.Op("Not", {b.In(kCondition)}), onnx::TensorProto::INT64);
  Ref x = b.In(kThen), y = b.In(kElse);
  const auto shape = b.Shape(kCondition);
  if (!shape.has_value() || b.Shape(kThen) != shape ||
      b.Shape(kElse) != shape) {
    const auto expand = [&](const Ref& value, const Ref& like) {
      return b.Op("Expand", {value, b.ShapeOf(like)});
    };
    x = expand(expand(x, y), index);  // Expand broadcasts both ways.
    y = expand(y, x);
    index = expand(index, x);
  }
  const Ref both = b.Concat({b.Unsqueeze(x, {0}), b.Unsqueeze(y, {0})}, 0);
  const Ref picked =
      b.Op("GatherElements", {both, b.Unsqueeze(index, {0})}, {{"axis", 0}});
  b.Return({b.Squeeze(picked, {0})});
  return std::nullopt;
}

}  // namespace onnx_legalize
