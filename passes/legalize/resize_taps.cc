// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/resize_taps.h"

#include <algorithm>
#include <cmath>

#include "passes/legalize/resize_facts.h"

namespace onnx_legalize::resize {
namespace {

// The place in the tensor that element `o` of the result is taken at.
double Source(const Sampling& sampling, const AxisPlan& plan, int64_t o) {
  const double in = static_cast<double>(plan.in);
  const double length = plan.scale * in;  // It needn't be whole.
  const double x = static_cast<double>(o);
  const std::string& mode = sampling.transformation;
  if (mode == "align_corners") {
    return length == 1 ? 0 : x * (in - 1) / (length - 1);
  }
  if (mode == "asymmetric") return x / plan.scale;
  if (mode == "tf_half_pixel_for_nn") return (x + 0.5) / plan.scale;
  if (mode == "tf_crop_and_resize") {
    const double extent = (plan.roi_end - plan.roi_start) * (in - 1);
    const double offset = length == 1 ? extent / 2 : x * extent / (length - 1);
    return offset + plan.roi_start * (in - 1);
  }
  const double half_pixel = (x + 0.5) / plan.scale - 0.5;
  if (mode == "pytorch_half_pixel") return length == 1 ? -0.5 : half_pixel;
  if (mode == "half_pixel_symmetric") {
    const double adjustment = static_cast<double>(plan.out) / length;
    return in / 2 * (1 - adjustment) + half_pixel;
  }
  return half_pixel;
}

double CubicWeight(double distance, double a) {
  const double x = std::abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

// Weights of the elements from `first` on, counted from the last one before the
// place; `ratio`, in (0, 1], is how far after that the place is.
std::vector<double> WeightsAt(const Sampling& sampling, double scale,
                              double ratio, int64_t* first) {
  const bool cubic = sampling.mode == "cubic";
  const double stretch = sampling.antialias ? std::min(scale, 1.0) : 1.0;
  const double reach = cubic ? 2 : 1;
  *first = static_cast<int64_t>(std::floor(-reach / stretch)) + 1;
  std::vector<double> weights;
  double sum = 0;
  for (int64_t i = *first; i < 2 - *first; ++i) {
    const double distance = stretch * (static_cast<double>(i) - ratio);
    weights.push_back(cubic ? CubicWeight(distance, sampling.cubic_a)
                            : std::clamp(1 - std::abs(distance), 0.0, 1.0));
    sum += weights.back();
  }
  if (sampling.antialias) {
    for (double& weight : weights) weight /= sum;
  }
  return weights;
}

int64_t Nearest(const std::string& mode, double x) {
  if (mode == "floor") return static_cast<int64_t>(std::floor(x));
  if (mode == "ceil") return static_cast<int64_t>(std::ceil(x));
  const double low = std::ceil(x) - 1;
  const double ratio = x - low;
  const bool left = mode == "round_prefer_ceil" ? ratio < 0.5 : ratio <= 0.5;
  return static_cast<int64_t>(left ? low : low + 1);
}

}  // namespace

Sampling SamplingOf(const Body& b) {
  const Node& node = b.node();
  Sampling sampling;
  sampling.mode = Mode(b);
  sampling.transformation = Transformation(b);
  sampling.nearest_mode = node.String("nearest_mode", "round_prefer_floor");
  sampling.cubic_a = node.Float("cubic_coeff_a", -0.75F);
  sampling.exclude_outside = node.Int("exclude_outside", 0) != 0;
  sampling.antialias = node.Int("antialias", 0) != 0;
  return sampling;
}

Taps TapsOf(const Sampling& sampling, const AxisPlan& plan) {
  Taps taps;
  const auto clamped = [&](int64_t i) {
    return std::clamp<int64_t>(i, 0, plan.in - 1);
  };
  for (int64_t o = 0; o < plan.out; ++o) {
    const double x = Source(sampling, plan, o);
    const double last = static_cast<double>(plan.in - 1);
    taps.outside.push_back(x < 0 || x > last ? 1 : 0);
    if (sampling.mode == "nearest") {
      taps.indices.resize(1);
      taps.indices[0].push_back(clamped(Nearest(sampling.nearest_mode, x)));
      continue;
    }
    const int64_t before = static_cast<int64_t>(std::ceil(x)) - 1;
    int64_t first = 0;
    std::vector<double> weights = WeightsAt(
        sampling, plan.scale, x - static_cast<double>(before), &first);
    const size_t count = weights.size();
    if (sampling.exclude_outside) {
      double sum = 0;
      for (size_t t = 0; t < count; ++t) {
        const int64_t i = before + first + static_cast<int64_t>(t);
        if (i != clamped(i)) weights[t] = 0;
        sum += weights[t];
      }
      for (double& weight : weights) weight /= sum == 0 ? 1 : sum;
    }
    taps.indices.resize(count);
    taps.weights.resize(count);
    for (size_t t = 0; t < count; ++t) {
      const int64_t i = before + first + static_cast<int64_t>(t);
      taps.indices[t].push_back(clamped(i));
      taps.weights[t].push_back(weights[t]);
    }
  }
  if (sampling.transformation != "tf_crop_and_resize") taps.outside.clear();
  return taps;
}

}  // namespace onnx_legalize::resize
