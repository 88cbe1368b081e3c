// SPDX-License-Identifier: Apache-2.0
//
// CumProd-26 as a prefix scan: after steps of 1, 2, 4, ... each element is the
// product of all up to it.
//
//   before:  y = CumProd (x, axis)                        # length 4 along axis
//   after:   a = Concat (x[0:1], x[1:4] * x[0:3])
//            y = Concat (a[0:2], a[2:4] * a[0:2])
//
// reverse turns the axis around before and after; exclusive moves all by one
// and puts ones first.
//
// An axis that is computed is selected among all.
//
// Declines an unknown shape.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ops/exact_cast.h"
#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

Ref Reversed(Body& b, const Ref& x, int64_t axis) {
  return b.Op("Slice",
              {x, b.Ints({-1}), b.Ints({std::numeric_limits<int64_t>::min()}),
               b.Ints({axis}), b.Ints({-1})});
}

// The products along `axis`, of this length.
Ref Scan(Body& b, int64_t axis, int64_t length) {
  const bool reverse = b.node().Int("reverse", 0) != 0;
  Ref y = reverse ? Reversed(b, b.In(0), axis) : b.In(0);
  if (b.node().Int("exclusive", 0) != 0 && length > 0) {
    const Ref first = b.Slice(y, axis, 0, 1);
    const Ref ones = b.Op("Expand", {b.Typed(1, b.Type(0)), b.ShapeOf(first)});
    y = b.Concat({ones, b.Slice(y, axis, 0, length - 1)}, axis);
  }
  for (int64_t step = 1; step < length; step *= 2) {
    const Ref product = b.Mul(b.Slice(y, axis, step, length),
                              b.Slice(y, axis, 0, length - step));
    y = b.Concat({b.Slice(y, axis, 0, step), product}, axis);
  }
  if (reverse) y = Reversed(b, y, axis);
  return y == b.In(0) ? b.Op("Identity", {y}) : y;
}

}  // namespace

std::optional<std::string> CumProdByScan(Body& b) {
  const auto shape = b.Shape(0);
  if (!shape.has_value()) return "the shape isn't known";
  const int64_t rank = static_cast<int64_t>(shape->size());
  if (rank == 0) return "the input has no axis";
  if (IsIntegerElemType(b.Type(0))) b.SetExactness(Exactness::kExact);
  if (const auto known = b.KnownInts(1)) {
    const int64_t axis = (*known)[0] < 0 ? (*known)[0] + rank : (*known)[0];
    if (axis < 0 || axis >= rank) return "the axis is none of the input's";
    b.Return({Scan(b, axis, (*shape)[axis])});
    return std::nullopt;
  }
  // The axis is computed: one of all.
  const Ref axis = b.Op("Mod", {b.Reshape(b.Cast(b.In(1), TensorProto::INT64),
                                          std::vector<int64_t>()),
                                b.Int(rank)});
  Refs all;
  for (int64_t i = 0; i < rank; ++i) {
    all.push_back(b.Unsqueeze(Scan(b, i, (*shape)[i]), {0}));
  }
  // By Gather, since Where has few types in old runtimes.
  b.Return({b.Gather(b.Concat(all, 0), axis, 0)});
  return std::nullopt;
}

}  // namespace onnx_legalize
