// SPDX-License-Identifier: Apache-2.0
//
// Version steps and lowerings of Split: sizes as an attribute or as an input,
// num_outputs, and slices where the sizes are computed.
//
//   before:  a, b = Split-18 <axis = 1, num_outputs = 2> (x)   # x: [N,7]
//   after:   a, b = Split-11 <axis = 1, split = [4,3]> (x)
//
// Declines num_outputs that leaves less than nothing for the last output.

#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

// The split axis, counted from the front where the rank is known.
int64_t Axis(const Body& b) {
  const int64_t axis = b.node().Int("axis", 0);
  return axis < 0 && b.Rank(0).has_value() ? axis + *b.Rank(0) : axis;
}

std::optional<int64_t> Length(const Body& b) {
  const int64_t axis = Axis(b);
  const auto rank = b.Rank(0);
  if (!rank.has_value() || axis < 0 || axis >= *rank) return std::nullopt;
  return b.Dim(0, static_cast<int>(axis));
}

bool HasSizes(const Body& b) {
  return b.Has(1) || b.node().HasAttribute("split");
}

// Sizes that are known, by either form; of equal parts if the length is known.
std::optional<std::vector<int64_t>> KnownSizes(const Body& b) {
  if (b.Has(1)) return b.KnownInts(1);
  if (b.node().HasAttribute("split")) return b.node().Ints("split");
  const auto length = Length(b);
  if (!length.has_value()) return std::nullopt;
  const int64_t n = b.node().num_outputs();
  const int64_t part = (*length + n - 1) / n;
  std::vector<int64_t> sizes(n, part);
  sizes.back() = *length - part * (n - 1);
  return sizes;
}

// Sizes as int64 [n], computed from the dimension where need be.
Ref ComputedSizes(Body& b) {
  if (b.Has(1)) return b.In(1);
  if (const auto known = KnownSizes(b)) return b.Ints(*known);
  const int64_t n = b.node().num_outputs();
  const Ref length = b.Gather(b.ShapeOf(b.In(0)), b.Ints({Axis(b)}), 0);
  const Ref part = b.Div(b.Add(length, b.Int(n - 1)), b.Int(n));
  if (n == 1) return length;
  return b.Concat({b.Op("Expand", {part, b.Ints({n - 1})}),
                   b.Sub(length, b.Mul(part, b.Int(n - 1)))},
                  0);
}

bool NumOutputsFits(const Body& b) {
  const auto sizes = KnownSizes(b);
  return !sizes.has_value() || sizes->empty() || sizes->back() >= 0;
}

constexpr char kTooMany[] = "num_outputs leaves less than nothing for the last";

}  // namespace

// 18 to 13: num_outputs may split unevenly.
std::optional<std::string> SplitNumOutputsToSizes(Body& b) {
  if (!NumOutputsFits(b)) return kTooMany;
  const int outputs = b.node().num_outputs();
  Refs inputs = {b.In(0)};
  const auto length = Length(b);
  const bool even = length.has_value() && *length % outputs == 0;
  if (HasSizes(b)) {
    inputs.push_back(b.In(1));
  } else if (!even) {
    inputs.push_back(ComputedSizes(b));
  }
  b.Return(
      b.OpN("Split", inputs, outputs, b.AttributesWithout({"num_outputs"})));
  return std::nullopt;
}

// 13 to 11.
std::optional<std::string> SplitSizesToAttribute(Body& b) {
  Attributes attributes = b.AttributesWithout();
  if (b.Has(1)) {
    const auto sizes = KnownSizes(b);
    if (!sizes.has_value()) return "the sizes are computed at run time";
    attributes.push_back({"split", *sizes});
  }
  b.SetOpset(11);
  b.Return(b.OpN("Split", {b.In(0)}, b.node().num_outputs(), attributes));
  return std::nullopt;
}

// 2 and 11 to 13.
std::optional<std::string> SplitSizesToInput(Body& b) {
  Refs inputs = {b.In(0)};
  if (b.node().HasAttribute("split")) {
    inputs.push_back(b.Ints(b.node().Ints("split")));
  }
  b.Return(b.OpN("Split", inputs, b.node().num_outputs(),
                 b.AttributesWithout({"split"})));
  return std::nullopt;
}

// 13 to 18: without sizes the number of outputs must be said.
std::optional<std::string> SplitSaysNumOutputs(Body& b) {
  Attributes attributes = b.AttributesWithout();
  const int outputs = b.node().num_outputs();
  if (!b.Has(1)) attributes.push_back({"num_outputs", outputs});
  b.SetOpset(18);
  b.Return(b.OpN("Split", {b.In(0), b.In(1)}, outputs, attributes));
  return std::nullopt;
}

std::optional<std::string> SplitIntoSlices(Body& b) {
  if (!NumOutputsFits(b)) return kTooMany;
  const int outputs = b.node().num_outputs();
  Refs parts;
  const Ref axes = b.Ints({Axis(b)});
  if (const auto sizes = KnownSizes(b)) {
    if (static_cast<int>(sizes->size()) < outputs) {
      return "it has more outputs than sizes";
    }
    int64_t start = 0;
    for (int i = 0; i < outputs; ++i) {
      const int64_t end = start + (*sizes)[i];
      parts.push_back(
          b.Op("Slice", {b.In(0), b.Ints({start}), b.Ints({end}), axes}));
      start = end;
    }
  } else {
    const Ref ends = b.Op("CumSum", {ComputedSizes(b), b.Int(0)});
    Ref start = b.Ints({0});
    for (int i = 0; i < outputs; ++i) {
      const Ref end = b.Slice(ends, 0, i, i + 1);
      parts.push_back(b.Op("Slice", {b.In(0), start, end, axes}));
      start = end;
    }
  }
  b.Return(parts);
  return std::nullopt;
}

}  // namespace onnx_legalize
