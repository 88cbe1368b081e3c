// SPDX-License-Identifier: Apache-2.0
//
// Resize by scales, sizes or a roi that are computed at run time: where
// elements come from is computed too, and gathered.
//
//   before:  y = Resize-18 <keep_aspect_ratio_policy = "not_larger"> (x, , ,
//   sizes) after:   s = Min (sizes / shape of x)   o = Range (0, s * length, 1)
//            y = Gather <axis = 1> (x, Floor (o / s))     # and so on, by axes
//
// Coordinates are doubles, by operators that all runtimes have for them.
// Declines unknown rank, integers but in mode "nearest", and antialias where
// the result's shape is unknown.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"
#include "passes/legalize/resize_facts.h"
#include "passes/legalize/resize_taps.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;
using resize::kRoi;
using resize::kScales;
using resize::kSizes;
using resize::Sampling;

constexpr int32_t kWide = TensorProto::DOUBLE;
constexpr int32_t kReal = TensorProto::FLOAT;
constexpr int64_t kMaxTaps = 64;

// One axis; all are tensors [1], of doubles but for integers.
struct Axis {
  int64_t axis;
  Ref length_int, length;  // Of the input.
  Ref scale;
  Ref out_int, exact;  // Of the result; whole, and as the scale says.
  Ref roi_start, roi_end;
};

class Builder {
 public:
  Builder(Body& b, Sampling sampling) : b_(b), sampling_(std::move(sampling)) {}

  std::optional<std::string> Plan();
  Ref Apply(const Ref& x, const Axis& axis, int32_t type);
  const std::vector<Axis>& axes() const { return axes_; }

 private:
  Ref Wide(double value) { return b_.Typed(value, kWide); }
  // Toward minus and plus infinity; no runtime lacks these for doubles. Places
  // before the tensor are nearer than kShift. (Nor may a Cast read another:
  // ONNX Runtime 1.4.0 takes both out.)
  static constexpr double kShift = 1048576;
  Ref Floor(const Ref& x) {
    const Ref whole = b_.Cast(b_.Add(x, Wide(kShift)), TensorProto::INT64);
    return b_.Sub(whole, b_.Int(static_cast<int64_t>(kShift)));
  }
  Ref Ceil(const Ref& x) {
    const Ref whole = b_.Cast(b_.Sub(Wide(kShift), x), TensorProto::INT64);
    return b_.Sub(b_.Int(static_cast<int64_t>(kShift)), whole);
  }
  Ref Clamped(const Ref& i, const Axis& axis) {
    const Ref last = b_.Sub(axis.length_int, b_.Int(1));
    const Ref low = b_.Where(b_.Op("Less", {i, b_.Int(0)}), b_.Int(0), i);
    return b_.Where(b_.Op("Less", {last, low}), last, low);
  }
  // [n] for the axis's elements, shaped to stand along it.
  Ref Along(const Ref& x, const Axis& axis) {
    std::vector<int64_t> trailing;
    for (int64_t i = 1; i < *b_.Rank(0) - axis.axis; ++i) trailing.push_back(i);
    return trailing.empty() ? x : b_.Unsqueeze(x, trailing);
  }
  Ref Places(const Axis& axis);
  Ref Nearest(const Ref& x, const Axis& axis);
  Ref Weight(const Ref& distance);
  Ref Interpolate(const Ref& x, const Ref& places, const Axis& axis);
  std::optional<int64_t> FirstTap(const Axis& axis) const;

  Body& b_;
  Sampling sampling_;
  std::vector<Axis> axes_;
};

std::optional<std::string> Builder::Plan() {
  const auto axes = resize::ResizedAxes(b_);
  if (!b_.Rank(0).has_value() || !axes.has_value())
    return "the rank is unknown";
  const bool by_scales = resize::IsGiven(b_, kScales);
  if (!by_scales && !b_.Has(kSizes)) return "it has neither scales nor sizes";
  const Ref given = by_scales ? b_.Cast(b_.In(kScales), kWide) : b_.In(kSizes);
  const bool crops = sampling_.transformation == "tf_crop_and_resize";
  if (crops && !b_.Has(kRoi)) return "it has no roi";
  const Ref roi = crops ? b_.Cast(b_.In(kRoi), kWide) : Ref();
  const int64_t count = static_cast<int64_t>(axes->size());
  const Ref shape = b_.ShapeOf(b_.In(0));
  for (int64_t i = 0; i < count; ++i) {
    Axis axis;
    axis.axis = (*axes)[i];
    axis.length_int = b_.Slice(shape, 0, axis.axis, axis.axis + 1);
    axis.length = b_.Cast(axis.length_int, kWide);
    const Ref own = b_.Slice(given, 0, i, i + 1);
    axis.scale = by_scales ? own : b_.Div(b_.Cast(own, kWide), axis.length);
    axis.exact = b_.Mul(axis.scale, axis.length);
    axis.out_int = by_scales ? Floor(axis.exact) : own;
    if (crops) {
      axis.roi_start = b_.Slice(roi, 0, i, i + 1);
      axis.roi_end = b_.Slice(roi, 0, count + i, count + i + 1);
    }
    if (sampling_.antialias && !FirstTap(axis).has_value()) {
      return "it has antialias, and how much shorter axes get isn't known";
    }
    axes_.push_back(axis);
  }
  const std::string policy =
      b_.node().String("keep_aspect_ratio_policy", "stretch");
  if (by_scales || policy == "stretch") return std::nullopt;
  Refs scales;
  for (const Axis& axis : axes_) scales.push_back(axis.scale);
  const Ref scale = b_.Op(policy == "not_larger" ? "Min" : "Max", scales);
  for (Axis& axis : axes_) {
    axis.scale = scale;
    axis.exact = b_.Mul(scale, axis.length);
    axis.out_int = Floor(b_.Add(axis.exact, Wide(0.5)));
  }
  return std::nullopt;
}

// The first of the elements around a place that may have a weight.
std::optional<int64_t> Builder::FirstTap(const Axis& axis) const {
  const double reach = sampling_.mode == "cubic" ? 2 : 1;
  if (!sampling_.antialias) return 1 - static_cast<int64_t>(reach);
  const Value* y = b_.node().output(0);
  const auto in = b_.Dim(0, static_cast<int>(axis.axis));
  if (!in.has_value() || y == nullptr || !y->rank().has_value()) {
    return std::nullopt;
  }
  const auto out = y->dim(static_cast<int>(axis.axis));
  if (!out.has_value() || *out == 0 || *in == 0) return std::nullopt;
  const double least = (static_cast<double>(*out) - 0.5) / *in;
  const int64_t first =
      static_cast<int64_t>(std::floor(-reach / std::min(least, 1.0))) + 1;
  if (2 - 2 * first > kMaxTaps) return std::nullopt;
  return first;
}

// Where each element of the result is taken: doubles [out].
Ref Builder::Places(const Axis& axis) {
  const Ref out = b_.Squeeze(axis.out_int, {0});
  const Ref o = b_.Cast(b_.Op("Range", {b_.Int(0), out, b_.Int(1)}), kWide);
  const std::string& mode = sampling_.transformation;
  if (mode == "asymmetric") return b_.Div(o, axis.scale);
  const Ref half = b_.Div(b_.Add(o, Wide(0.5)), axis.scale);
  if (mode == "tf_half_pixel_for_nn") return half;
  const Ref half_pixel = b_.Sub(half, Wide(0.5));
  if (mode == "half_pixel") return half_pixel;
  if (mode == "half_pixel_symmetric") {
    const Ref adjustment = b_.Div(b_.Cast(axis.out_int, kWide), axis.exact);
    const Ref offset =
        b_.Mul(b_.Div(axis.length, Wide(2)), b_.Sub(Wide(1), adjustment));
    return b_.Add(offset, half_pixel);
  }
  // 1 where the result has one element, else 0.
  const Ref one = b_.Cast(
      b_.Op("Not", {b_.Op("Or", {b_.Op("Less", {axis.exact, Wide(1)}),
                                 b_.Op("Less", {Wide(1), axis.exact})})}),
      kWide);
  const Ref more = b_.Sub(Wide(1), one);
  if (mode == "pytorch_half_pixel") {
    return b_.Add(b_.Mul(one, Wide(-0.5)), b_.Mul(more, half_pixel));
  }
  const Ref last = b_.Sub(axis.length, Wide(1));
  const Ref steps = b_.Add(b_.Sub(axis.exact, Wide(1)), one);
  if (mode == "align_corners") {
    return b_.Div(b_.Mul(b_.Mul(o, last), more), steps);
  }
  const Ref extent = b_.Mul(b_.Sub(axis.roi_end, axis.roi_start), last);
  const Ref offset = b_.Add(b_.Div(b_.Mul(b_.Mul(o, extent), more), steps),
                            b_.Mul(one, b_.Div(extent, Wide(2))));
  return b_.Add(offset, b_.Mul(axis.roi_start, last));
}

Ref Builder::Nearest(const Ref& x, const Axis& axis) {
  const std::string& mode = sampling_.nearest_mode;
  const Ref i = mode == "floor"               ? Floor(x)
                : mode == "ceil"              ? Ceil(x)
                : mode == "round_prefer_ceil" ? Floor(b_.Add(x, Wide(0.5)))
                                              : Ceil(b_.Sub(x, Wide(0.5)));
  return Clamped(i, axis);
}

// Of an element so far from the place: floats.
Ref Builder::Weight(const Ref& distance) {
  if (sampling_.mode != "cubic") {
    return b_.Op("Relu", {b_.Sub(b_.Float(1), distance)});
  }
  const double a = sampling_.cubic_a;
  const auto times = [&](const Ref& x) { return b_.Mul(x, distance); };
  const Ref near =
      b_.Add(times(times(b_.Sub(times(b_.Float(a + 2)), b_.Float(a + 3)))),
             b_.Float(1));
  const Ref far =
      b_.Add(times(b_.Add(times(b_.Sub(times(b_.Float(a)), b_.Float(5 * a))),
                          b_.Float(8 * a))),
             b_.Float(-4 * a));
  const Ref outer =
      b_.Where(b_.Op("Less", {distance, b_.Float(2)}), far, b_.Float(0));
  return b_.Where(b_.Op("Less", {distance, b_.Float(1)}), near, outer);
}

Ref Builder::Interpolate(const Ref& x, const Ref& places, const Axis& axis) {
  const Ref before = b_.Sub(Ceil(places), b_.Int(1));
  const Ref ratio = b_.Cast(b_.Sub(places, b_.Cast(before, kWide)), kReal);
  const Ref stretch = sampling_.antialias
                          ? b_.Cast(b_.Op("Min", {axis.scale, Wide(1)}), kReal)
                          : Ref();
  const int64_t first = *FirstTap(axis);
  Refs indices, weights;
  for (int64_t t = first; t < 2 - first; ++t) {
    Ref distance =
        b_.Op("Abs", {b_.Sub(b_.Float(static_cast<double>(t)), ratio)});
    if (!stretch.empty()) distance = b_.Mul(distance, stretch);
    const Ref i = b_.Add(before, b_.Int(t));
    indices.push_back(Clamped(i, axis));
    weights.push_back(Weight(distance));
    if (sampling_.exclude_outside) {
      const Ref inside = b_.Op("Equal", {i, indices.back()});
      weights.back() = b_.Mul(weights.back(), b_.Cast(inside, kReal));
    }
  }
  if (sampling_.antialias || sampling_.exclude_outside) {
    Ref sum = weights[0];
    for (size_t t = 1; t < weights.size(); ++t) sum = b_.Add(sum, weights[t]);
    const Ref none = b_.Op("Equal", {sum, b_.Float(0)});
    sum = b_.Add(sum, b_.Cast(none, kReal));
    for (Ref& weight : weights) weight = b_.Div(weight, sum);
  }
  Ref y;
  for (size_t t = 0; t < weights.size(); ++t) {
    const Ref weight = Along(weights[t], axis);
    // An infinity that has no weight doesn't count.
    const Ref part =
        b_.Where(b_.Op("Equal", {weight, b_.Float(0)}), b_.Float(0),
                 b_.Mul(b_.Gather(x, indices[t], axis.axis), weight));
    y = y.empty() ? part : b_.Add(y, part);
  }
  return y;
}

Ref Builder::Apply(const Ref& x, const Axis& axis, int32_t type) {
  const Ref places = Places(axis);
  Ref y = sampling_.mode == "nearest"
              ? b_.Gather(x, Nearest(places, axis), axis.axis)
              : Interpolate(x, places, axis);
  if (sampling_.transformation != "tf_crop_and_resize") return y;
  const Ref last = b_.Sub(axis.length, Wide(1));
  const Ref outside = b_.Op(
      "Or", {b_.Op("Less", {places, Wide(0)}), b_.Op("Less", {last, places})});
  const Ref value = b_.Typed(b_.node().Float("extrapolation_value", 0), type);
  return b_.Where(Along(outside, axis), value, y);
}

bool IsFloat(int32_t type) {
  return type == TensorProto::FLOAT || type == TensorProto::FLOAT16 ||
         type == TensorProto::BFLOAT16;
}

}  // namespace

std::optional<std::string> ResizeByComputedPlaces(Body& b) {
  const Sampling sampling = resize::SamplingOf(b);
  const bool nearest = sampling.mode == "nearest";
  const int32_t type = b.Type(0);
  if (!nearest && !IsFloat(type)) return "only floats are interpolated";
  Builder builder(b, sampling);
  if (auto fault = builder.Plan()) return fault;
  const bool casts = !nearest && type != kReal;
  Ref y = casts ? b.Cast(b.In(0), kReal) : b.In(0);
  for (const Axis& axis : builder.axes()) {
    y = builder.Apply(y, axis, nearest ? type : kReal);
  }
  b.Return({casts ? b.Cast(y, type) : y});
  return std::nullopt;
}

}  // namespace onnx_legalize
