// SPDX-License-Identifier: Apache-2.0
//
// Version steps of Softmax, LogSoftmax and Hardmax between 11, which takes all
// axes from `axis` on as one, and 13, which takes one axis.
//
//   before:  y = Softmax-13 <axis = 1> (x)      # x: [N,C,H]
//   after:   t = Transpose <perm = [0,2,1]> (x)
//            s = Softmax-11 <axis = 2> (t)
//            y = Transpose <perm = [0,2,1]> (s)
//
// Declines axes that are out of range.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/legalize/body.h"
#include "passes/legalize/computed_axes.h"

namespace onnx_legalize {
namespace {

// The product of shape[start:end], as int64 [1].
Ref Product(Body& b, const Ref& shape, int64_t start, int64_t end) {
  return b.Op("ReduceProd", {b.Slice(shape, 0, start, end)}, {{"keepdims", 1}});
}

constexpr int64_t kEnd = int64_t{1} << 40;

// Of unknown rank: as [before, n, after], with n moved last.
void OfUnknownRank(Body& b, int64_t axis) {
  const std::string& op = b.node().op().op_type;
  const Ref shape = b.ShapeOf(b.In(0));
  const Ref before = Product(b, shape, 0, axis);
  const Ref length = b.Slice(shape, 0, axis, axis + 1 == 0 ? kEnd : axis + 1);
  const Ref after =
      axis + 1 == 0 ? b.Ints({1}) : Product(b, shape, axis + 1, kEnd);
  const Ref cube =
      ReshapeTo(b, b.In(0), b.Concat({before, length, after}, 0), true);
  const Ref moved = b.Transpose(cube, {0, 2, 1});
  const Ref y = b.Op(op, {moved}, {{"axis", -1}});
  b.Return({ReshapeTo(b, b.Transpose(y, {0, 2, 1}), shape, true)});
}

}  // namespace

std::optional<std::string> SoftmaxOfOneAxis(Body& b) {
  const std::string& op = b.node().op().op_type;
  const auto rank = b.Rank(0);
  int64_t axis = b.node().Int("axis", -1);
  b.SetOpset(11);
  if (!rank.has_value()) {
    if (axis != -1) return "the rank is unknown";
    b.Return({b.Op(op, {b.In(0)}, {{"axis", -1}})});
    return std::nullopt;
  }
  if (*rank == 0) return "a scalar has no axis";
  if (axis < 0) axis += *rank;
  if (axis < 0 || axis >= *rank) return "the axis is out of range";
  const int64_t last = *rank - 1;
  if (axis == last) {
    b.Return({b.Op(op, {b.In(0)}, {{"axis", last}})});
    return std::nullopt;
  }
  std::vector<int64_t> perm;
  for (int64_t i = 0; i < *rank; ++i) perm.push_back(i);
  std::swap(perm[axis], perm[last]);
  const Ref moved = b.Transpose(b.In(0), perm);
  b.Return({b.Transpose(b.Op(op, {moved}, {{"axis", last}}), perm)});
  return std::nullopt;
}

std::optional<std::string> SoftmaxOfUnknownRank(Body& b) {
  const int64_t axis = b.node().Int("axis", -1);
  if (b.Rank(0).has_value() || axis == -1) return "the rank is known";
  OfUnknownRank(b, axis);
  return std::nullopt;
}

std::optional<std::string> SoftmaxOfManyAxes(Body& b) {
  const std::string& op = b.node().op().op_type;
  const auto rank = b.Rank(0);
  int64_t axis = b.node().Int("axis", 1);
  if (axis < 0 && rank.has_value()) axis += *rank;
  const bool is_last = rank.has_value() ? axis == *rank - 1 : axis == -1;
  if (is_last) {
    b.Return({b.Op(op, {b.In(0)}, {{"axis", -1}})});
    return std::nullopt;
  }
  if (rank.has_value() && (axis < 0 || axis > *rank)) {
    return "the axis is out of range";
  }
  // A batch of zero is copied by Reshape as it is.
  const bool zeros = axis == 0 ? MayHaveZeros(b, 0) : MayHaveZeros(b, 0, 1);
  const Ref rows = b.Op("Flatten", {b.In(0)}, {{"axis", axis}});
  const Ref y = b.Op(op, {rows}, {{"axis", -1}});
  b.Return({ReshapeTo(b, y, b.ShapeOf(b.In(0)), zeros)});
  return std::nullopt;
}

}  // namespace onnx_legalize
