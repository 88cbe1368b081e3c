// SPDX-License-Identifier: Apache-2.0
//
// Version steps and lowerings of Pad: axes as an input, pads as an attribute,
// and reflect, edge and wrap by gathering.
//
//   before:  y = Pad-19 <mode = "wrap"> (x, pads)     # x: [4]; pads: [1,2]
//   after:   y = Gather-13 <axis = 0> (x, [3,0,1,2,3,0,1])
//
// Declines pads that cut off at one end and repeat at the other, unknown rank,
// and, below 11, pads and values that are computed.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"
#include "passes/legalize/computed_axes.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

bool HasAxes(const Body& b) { return b.node().op().version >= 18 && b.Has(3); }

std::string Mode(const Body& b) { return b.node().String("mode", "constant"); }

// Zeros [rank] with x[i] at axes[i].
Ref Spread(Body& b, const Ref& x, const Ref& axes, const Ref& rank) {
  const Ref zeros = b.Rank(0).has_value()
                        ? b.Ints(std::vector<int64_t>(*b.Rank(0), 0))
                        : b.Op("Expand", {b.Int(0), b.Unsqueeze(rank, {0})});
  return b.Op("ScatterElements", {zeros, axes, x});
}

// Pads for all axes, as a computed int64 [2 * rank].
Ref AllPads(Body& b) {
  if (!HasAxes(b)) return b.In(1);
  const Ref rank = RankOfInput(b, 0);
  Ref axes = b.In(3);
  if (b.Type(3) != TensorProto::INT64) axes = b.Cast(axes, TensorProto::INT64);
  axes = b.Where(b.Op("Less", {axes, b.Int(0)}), b.Add(axes, rank), axes);
  const Ref count = b.ShapeOf(axes);
  const Ref zero = b.Ints({0});
  const Ref begins = b.Op("Slice", {b.In(1), zero, count, zero});
  const Ref ends =
      b.Op("Slice", {b.In(1), count, b.Mul(count, b.Ints({2})), zero});
  return b.Concat({Spread(b, begins, axes, rank), Spread(b, ends, axes, rank)},
                  0);
}

// Pads for all axes, where they are known.
std::optional<std::vector<int64_t>> KnownPads(const Body& b) {
  const auto rank = b.Rank(0);
  const auto pads = b.Has(1) ? b.KnownInts(1) : std::nullopt;
  if (!pads.has_value() || !HasAxes(b)) return pads;
  const auto axes = KnownAxes(b, 3);
  if (!axes.has_value() || !rank.has_value()) return std::nullopt;
  if (pads->size() != 2 * axes->size()) return std::nullopt;
  std::vector<int64_t> all(2 * *rank, 0);
  for (size_t i = 0; i < axes->size(); ++i) {
    const int64_t axis = (*axes)[i] < 0 ? (*axes)[i] + *rank : (*axes)[i];
    if (axis < 0 || axis >= *rank) return std::nullopt;
    all[axis] = (*pads)[i];
    all[axis + *rank] = (*pads)[axes->size() + i];
  }
  return all;
}

// Where the elements of an axis of `n` come from that begins `begin` before
// the tensor.
int64_t Source(const std::string& mode, int64_t i, int64_t n) {
  if (mode == "edge") return std::clamp<int64_t>(i, 0, n - 1);
  const int64_t period = mode == "wrap" ? n : std::max<int64_t>(2 * n - 2, 1);
  const int64_t m = (i % period + period) % period;
  return m < n ? m : period - m;
}

// The same, computed: i is int64 [out], n an int64 [1].
Ref Source(Body& b, const std::string& mode, const Ref& i, const Ref& n) {
  const Ref last = b.Sub(n, b.Ints({1}));
  if (mode == "edge") {
    const Ref low = b.Where(b.Op("Less", {i, b.Int(0)}), b.Int(0), i);
    return b.Where(b.Op("Less", {last, low}), last, low);
  }
  if (mode == "wrap") return b.Op("Mod", {i, n});
  const Ref twice = b.Add(last, last);
  const Ref period = b.Where(b.Op("Equal", {twice, b.Int(0)}), b.Int(1), twice);
  const Ref m = b.Op("Mod", {i, period});
  return b.Where(b.Op("Less", {m, n}), m, b.Sub(period, m));
}

// Cut off at one end and repeated at the other: which comes first isn't said.
bool CutsAndRepeats(const std::vector<int64_t>& pads) {
  const size_t rank = pads.size() / 2;
  for (size_t i = 0; i < rank; ++i) {
    if (std::min(pads[i], pads[i + rank]) < 0 &&
        std::max(pads[i], pads[i + rank]) > 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

// 18 to 13.
std::optional<std::string> PadAxesToAll(Body& b) {
  if (!HasAxes(b)) return "it has no axes input";
  if (Mode(b) == "wrap") return "older Pad has no wrap";
  const auto known = KnownPads(b);
  const Ref pads = known.has_value() ? b.Ints(*known) : AllPads(b);
  b.Return({b.Op("Pad", {b.In(0), pads, b.In(2)}, b.AttributesWithout())});
  return std::nullopt;
}

// 19 to 18.
std::optional<std::string> PadTo18(Body& b) {
  if (Mode(b) == "wrap") return "older Pad has no wrap";
  b.SetOpset(18);
  b.Return({b.Op("Pad", {b.In(0), b.In(1), b.In(2), b.In(3)},
                 b.AttributesWithout())});
  return std::nullopt;
}

// 18 to 19.
std::optional<std::string> PadTo19(Body& b) {
  b.SetOpset(19);
  b.Return({b.Op("Pad", {b.In(0), b.In(1), b.In(2), b.In(3)},
                 b.AttributesWithout())});
  return std::nullopt;
}

// 11 to 2.
std::optional<std::string> PadToAttributes(Body& b) {
  const auto pads = b.KnownInts(1);
  if (!pads.has_value()) return "the pads are computed at run time";
  Attributes attributes = b.AttributesWithout();
  attributes.push_back({"pads", *pads});
  if (b.Has(2) && Mode(b) == "constant") {
    const auto value = b.KnownFloats(2);
    if (!value.has_value() || value->size() != 1) {
      return "the value is computed at run time";
    }
    const float rounded = static_cast<float>((*value)[0]);
    if (rounded != (*value)[0]) return "the value is no float";
    attributes.push_back({"value", rounded});
  }
  b.SetOpset(2);
  b.Return({b.Op("Pad", {b.In(0)}, attributes)});
  return std::nullopt;
}

// 1 and 2 to 11.
std::optional<std::string> PadToInputs(Body& b) {
  const bool first = b.node().HasAttribute("paddings");
  Refs inputs = {b.In(0), b.Ints(b.node().Ints(first ? "paddings" : "pads"))};
  if (b.node().HasAttribute("value")) {
    if (b.Type(0) == 0) return "the type is unknown";
    inputs.push_back(b.Typed(b.node().Float("value", 0), b.Type(0)));
  }
  b.SetOpset(11);
  b.Return({b.Op("Pad", inputs,
                 b.AttributesWithout({"pads", "paddings", "value"}))});
  return std::nullopt;
}

std::optional<std::string> PadByGather(Body& b) {
  const std::string mode = Mode(b);
  const auto rank = b.Rank(0);
  if (mode == "constant") return "it pads with a constant";
  if (!b.Has(1)) return "the pads are no input";
  if (!rank.has_value()) return "the rank is unknown";
  const auto pads = KnownPads(b);
  if (pads.has_value() && pads->size() != static_cast<size_t>(2 * *rank)) {
    return "there are too many or too few pads";
  }
  if (pads.has_value() && CutsAndRepeats(*pads)) {
    return "an axis is cut off at one end and repeated at the other";
  }
  const Ref computed = pads.has_value() ? Ref() : AllPads(b);
  Ref y = b.In(0);
  for (int axis = 0; axis < *rank; ++axis) {
    const auto dim = b.Dim(0, axis);
    if (pads.has_value()) {
      const int64_t begin = (*pads)[axis], end = (*pads)[axis + *rank];
      if (begin == 0 && end == 0) continue;
      if (dim.has_value() && *dim > 0) {
        std::vector<int64_t> sources;
        for (int64_t i = -begin; i < *dim + end; ++i) {
          sources.push_back(Source(mode, i, *dim));
        }
        y = b.Gather(y, b.Ints(sources), axis);
        continue;
      }
    }
    const auto pad = [&](int64_t i) {
      return pads.has_value() ? b.Int((*pads)[i]) : b.At(computed, i);
    };
    const Ref n = b.DimOf(b.In(0), axis);
    const Ref begin = b.Op("Neg", {pad(axis)});
    const Ref end = b.Add(b.Squeeze(n, {0}), pad(axis + *rank));
    const Ref i = b.Op("Range", {begin, end, b.Int(1)});
    y = b.Gather(y, Source(b, mode, i, n), axis);
  }
  b.Return({y == b.In(0) ? b.Op("Identity", {y}) : y});
  return std::nullopt;
}

}  // namespace onnx_legalize
