// SPDX-License-Identifier: Apache-2.0
//
// Version steps of operators that need one small change: Clip, TopK, Slice,
// Pow, OneHot, RoiAlign, GridSample, DFT.
//
//   before:  y = Clip-11 (x, , max)                 # max: 6.0
//   after:   y = Clip-6 <min = -inf, max = 6.0> (x)
//
// Declines inputs that are computed where an older version has attributes.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

bool IsFloat(int32_t type) {
  return type == TensorProto::FLOAT || type == TensorProto::DOUBLE ||
         type == TensorProto::FLOAT16 || type == TensorProto::BFLOAT16;
}

// The one float that input `i` is, or nullopt.
std::optional<float> KnownFloat(const Body& b, int i) {
  const auto known = b.KnownFloats(i);
  if (!known.has_value() || known->size() != 1) return std::nullopt;
  const float value = static_cast<float>((*known)[0]);
  if (value != (*known)[0]) return std::nullopt;
  return value;
}

bool MayBeNegative(const Body& b, int i) {
  const auto known = b.KnownInts(i);
  return !known.has_value() || std::any_of(known->begin(), known->end(),
                                           [](int64_t v) { return v < 0; });
}

int64_t CountedAxis(const Body& b, int64_t axis) {
  return axis < 0 && b.Rank(0).has_value() ? axis + *b.Rank(0) : axis;
}

}  // namespace

// 11 to 6.
std::optional<std::string> ClipBoundsToAttributes(Body& b) {
  const auto low = b.Has(1) ? KnownFloat(b, 1) : -kInfinity;
  const auto high = b.Has(2) ? KnownFloat(b, 2) : kInfinity;
  if (!low.has_value() || !high.has_value()) {
    return "a bound is computed at run time, or no float";
  }
  b.SetOpset(6);
  b.Return({b.Op("Clip", {b.In(0)}, {{"min", *low}, {"max", *high}})});
  return std::nullopt;
}

// 1 and 6 to 11: bounds that aren't given are the largest floats.
std::optional<std::string> ClipBoundsToInputs(Body& b) {
  if (b.Type(0) == 0) return "the type is unknown";
  constexpr float kMax = std::numeric_limits<float>::max();
  const float low = b.node().Float("min", -kMax);
  const float high = b.node().Float("max", kMax);
  b.SetOpset(11);
  b.Return({b.Op(
      "Clip", {b.In(0), b.Typed(low, b.Type(0)), b.Typed(high, b.Type(0))})});
  return std::nullopt;
}

// 10 to 1.
std::optional<std::string> TopKCountToAttribute(Body& b) {
  const auto k = b.KnownInts(1);
  if (!k.has_value() || k->size() != 1) return "k is computed at run time";
  const int64_t axis = CountedAxis(b, b.node().Int("axis", -1));
  b.SetOpset(1);
  b.Return(b.OpN("TopK", {b.In(0)}, b.node().num_outputs(),
                 {{"axis", axis}, {"k", (*k)[0]}}));
  return std::nullopt;
}

std::optional<std::string> TopKCountToInput(Body& b) {
  b.SetOpset(10);
  b.Return(b.OpN("TopK", {b.In(0), b.Ints({b.node().Int("k", 1)})},
                 b.node().num_outputs(), b.AttributesWithout({"k"})));
  return std::nullopt;
}

// 11 to 10: the smallest are the largest of what is negated.
std::optional<std::string> TopKLargest(Body& b) {
  const bool largest = b.node().Int("largest", 1) != 0;
  const bool sorted = b.node().Int("sorted", 1) != 0;
  if (largest && sorted) return "it takes the largest, sorted";
  if (!largest && !IsFloat(b.Type(0))) {
    return "not every integer can be negated";
  }
  const Ref x = largest ? b.In(0) : b.Op("Neg", {b.In(0)});
  Refs y = b.OpN("TopK", {x, b.In(1)}, b.node().num_outputs(),
                 b.AttributesWithout({"largest", "sorted"}));
  if (!largest) y[0] = b.Op("Neg", {y[0]});
  b.Return(y);
  return std::nullopt;
}

// 10 to 1.
std::optional<std::string> SliceToAttributes(Body& b) {
  const auto starts = b.KnownInts(1), ends = b.KnownInts(2);
  const auto axes = b.Has(3) ? b.KnownInts(3) : std::nullopt;
  const auto steps = b.Has(4) ? b.KnownInts(4) : std::nullopt;
  if (!starts.has_value() || !ends.has_value() ||
      (b.Has(3) && !axes.has_value()) || (b.Has(4) && !steps.has_value())) {
    return "what is sliced is computed at run time";
  }
  if (steps.has_value() && std::any_of(steps->begin(), steps->end(),
                                       [](int64_t s) { return s != 1; })) {
    return "Slice-1 has no steps";
  }
  Attributes attributes = {{"starts", *starts}, {"ends", *ends}};
  if (axes.has_value()) {
    std::vector<int64_t> counted;
    for (int64_t axis : *axes) counted.push_back(CountedAxis(b, axis));
    if (std::any_of(counted.begin(), counted.end(),
                    [](int64_t axis) { return axis < 0; })) {
      return "an axis is negative and the rank is unknown";
    }
    attributes.push_back({"axes", counted});
  }
  b.SetOpset(1);
  b.Return({b.Op("Slice", {b.In(0)}, attributes)});
  return std::nullopt;
}

std::optional<std::string> SliceToInputs(Body& b) {
  Refs inputs = {b.In(0), b.Ints(b.node().Ints("starts")),
                 b.Ints(b.node().Ints("ends"))};
  if (b.node().HasAttribute("axes")) {
    inputs.push_back(b.Ints(b.node().Ints("axes")));
  }
  b.SetOpset(10);
  b.Return({b.Op("Slice", inputs)});
  return std::nullopt;
}

// 7 to 12 changes nothing; 12 to 7 does not where types are one.
std::optional<std::string> PowTo7(Body& b) {
  if (!IsFloat(b.Type(0)) || b.Type(0) != b.Type(1)) {
    return "Pow-7 takes floats of one type";
  }
  b.SetOpset(7);
  b.Return({b.Op("Pow", {b.In(0), b.In(1)})});
  return std::nullopt;
}

std::optional<std::string> PowTo12(Body& b) {
  b.SetOpset(12);
  b.Return({b.Op("Pow", {b.In(0), b.In(1)})});
  return std::nullopt;
}

// In double, where the power of 32-bit integers that fits is exact.
std::optional<std::string> PowOfOneType(Body& b) {
  const int32_t type = b.Type(0);
  if (type == 0 || b.Type(1) == 0) return "a type is unknown";
  if (type == b.Type(1) && IsFloat(type)) return "the types are one";
  const Ref y = b.Op("Pow", {b.Cast(b.In(0), TensorProto::DOUBLE),
                             b.Cast(b.In(1), TensorProto::DOUBLE)});
  if (type == TensorProto::INT64 || type == TensorProto::UINT64) {
    b.SetExactness(Exactness::kInexact);
  }
  b.Return({b.Cast(y, type)});
  return std::nullopt;
}

// 11 to 9: indices that count from the end. One that is out of range either way
// is the depth: too large, which is off in each version.
std::optional<std::string> OneHotTo9(Body& b) {
  if (b.Type(0) == 0) return "the type of the indices is unknown";
  const int64_t axis = b.node().Int("axis", -1);
  if (axis < -1 && !b.Rank(0).has_value()) return "the rank is unknown";
  Ref indices = b.In(0);
  if (MayBeNegative(b, 0)) {
    const Ref depth = b.Cast(b.Reshape(b.In(1), {}), b.Type(0));
    const Ref zero = b.Typed(0, b.Type(0));
    const auto or_else = [&](const Ref& other) {
      return b.Where(b.Op("Less", {indices, zero}), other, indices);
    };
    indices = or_else(b.Add(indices, depth));
    indices = or_else(depth);
  }
  b.SetOpset(9);
  b.Return({b.Op("OneHot", {indices, b.In(1), b.In(2)},
                 {{"axis", axis < -1 ? axis + *b.Rank(0) + 1 : axis}})});
  return std::nullopt;
}

// 9 to 11: negative indices are off.
std::optional<std::string> OneHotTo11(Body& b) {
  if (b.Type(0) == 0) return "the type of the indices is unknown";
  Ref indices = b.In(0);
  if (MayBeNegative(b, 0)) {
    const Ref depth = b.Cast(b.Reshape(b.In(1), {}), b.Type(0));
    const Ref zero = b.Typed(0, b.Type(0));
    indices = b.Where(b.Op("Less", {indices, zero}), depth, indices);
  }
  b.SetOpset(11);
  b.Return(
      {b.Op("OneHot", {indices, b.In(1), b.In(2)}, b.AttributesWithout())});
  return std::nullopt;
}

// 16 to 10, which never shifts by half a pixel.
std::optional<std::string> RoiAlignTo10(Body& b) {
  constexpr char kMode[] = "coordinate_transformation_mode";
  if (b.node().String(kMode, "half_pixel") != "output_half_pixel") {
    return "RoiAlign-10 has no half_pixel";
  }
  b.SetOpset(10);
  b.Return({b.Op("RoiAlign", {b.In(0), b.In(1), b.In(2)},
                 b.AttributesWithout({kMode}))});
  return std::nullopt;
}

std::optional<std::string> RoiAlignTo16(Body& b) {
  Attributes attributes = b.AttributesWithout();
  attributes.push_back({"coordinate_transformation_mode", "output_half_pixel"});
  b.SetOpset(16);
  b.Return({b.Op("RoiAlign", {b.In(0), b.In(1), b.In(2)}, attributes)});
  return std::nullopt;
}

// 20 to 16: modes have their names of two dimensions.
std::optional<std::string> GridSampleTo16(Body& b) {
  if (b.Rank(0) != 4) return "GridSample-16 takes images only";
  const std::string mode = b.node().String("mode", "linear");
  Attributes attributes = b.AttributesWithout({"mode"});
  attributes.push_back({"mode", mode == "linear"  ? "bilinear"
                                : mode == "cubic" ? "bicubic"
                                                  : mode.c_str()});
  b.SetOpset(16);
  b.Return({b.Op("GridSample", {b.In(0), b.In(1)}, attributes)});
  return std::nullopt;
}

std::optional<std::string> GridSampleTo20(Body& b) {
  const std::string mode = b.node().String("mode", "bilinear");
  Attributes attributes = b.AttributesWithout({"mode"});
  attributes.push_back({"mode", mode == "bilinear"  ? "linear"
                                : mode == "bicubic" ? "cubic"
                                                    : mode.c_str()});
  b.SetOpset(20);
  b.Return({b.Op("GridSample", {b.In(0), b.In(1)}, attributes)});
  return std::nullopt;
}

// 20 to 17.
std::optional<std::string> DftAxisToAttribute(Body& b) {
  int64_t axis = -2;
  if (b.Has(2)) {
    const auto known = b.KnownInts(2);
    if (!known.has_value() || known->size() != 1) {
      return "the axis is computed at run time";
    }
    axis = (*known)[0];
  }
  if (axis < 0 && !b.Rank(0).has_value()) return "the rank is unknown";
  Attributes attributes = b.AttributesWithout();
  attributes.push_back({"axis", CountedAxis(b, axis)});
  b.SetOpset(17);
  b.Return({b.Op("DFT", {b.In(0), b.In(1)}, attributes)});
  return std::nullopt;
}

std::optional<std::string> DftAxisToInput(Body& b) {
  const int64_t axis = b.node().Int("axis", 1);
  b.SetOpset(20);
  b.Return({b.Op("DFT", {b.In(0), b.In(1), b.Int(axis)},
                 b.AttributesWithout({"axis"}))});
  return std::nullopt;
}

}  // namespace onnx_legalize
