// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/computed_axes.h"

#include <algorithm>

namespace onnx_legalize {

using onnx::TensorProto;

std::optional<std::vector<int64_t>> KnownAxes(const Body& b, int i) {
  if (!b.Has(i)) return std::nullopt;
  if (b.Rank(i) == 1 && b.Dim(i, 0) == 0) return std::vector<int64_t>();
  return b.KnownInts(i);
}

bool MayHaveZeros(const Body& b, int i, int first) {
  const std::optional<int> rank = b.Rank(i);
  if (!rank.has_value()) return true;
  for (int axis = first; axis < *rank; ++axis) {
    const std::optional<int64_t> dim = b.Dim(i, axis);
    if (!dim.has_value() || *dim == 0) return true;
  }
  return false;
}

bool IsEmpty(const Body& b, int i) {
  const auto shape = b.Shape(i);
  return shape.has_value() &&
         std::find(shape->begin(), shape->end(), 0) != shape->end();
}

Ref ReshapeTo(Body& b, const Ref& x, const Ref& shape, bool zeros) {
  if (!zeros) return b.Op("Reshape", {x, shape});
  constexpr int kAllowZero = 14;
  if (b.opset() < kAllowZero) b.SetOpset(kAllowZero);
  return b.Op("Reshape", {x, shape}, {{"allowzero", 1}});
}

Ref RankOfInput(Body& b, int i) {
  const std::optional<int> rank = b.Rank(i);
  return rank.has_value() ? b.Int(*rank) : b.RankOf(b.In(i));
}

Ref Iota(Body& b, const Ref& n, std::optional<int64_t> known) {
  if (!known.has_value()) return b.Op("Range", {b.Int(0), n, b.Int(1)});
  std::vector<int64_t> values(*known);
  for (int64_t i = 0; i < *known; ++i) values[i] = i;
  return b.Ints(values);
}

Ref AxesMask(Body& b, const Ref& axes, const Ref& n,
             std::optional<int64_t> known) {
  const Ref size = known.has_value() ? b.Int(*known) : n;
  const Ref counted =
      b.Where(b.Op("Less", {axes, b.Int(0)}), b.Add(axes, size), axes);
  // One more that is no axis, so that there is something to reduce.
  const Ref padded = b.Concat({counted, b.Ints({-1})}, 0);
  const Ref equal =
      b.Op("Equal", {b.Unsqueeze(Iota(b, n, known), {1}), padded});
  const Ref found = b.Op("ReduceMax", {b.Cast(equal, TensorProto::FLOAT)},
                         {{"axes", std::vector<int64_t>{1}}, {"keepdims", 0}});
  return b.Cast(found, TensorProto::BOOL);
}

}  // namespace onnx_legalize
