// SPDX-License-Identifier: Apache-2.0
//
// Resize by gathering: each axis is a sum of few gathered and weighted tensors.
//
//   before:  y = Resize-19 <mode = "linear", antialias = 1> (x, , scales)
//   after:   a = Gather <axis = 1> (x, [0,1])   b = Gather <axis = 1> (x,
//   [1,2])
//            y = Add (Mul (a, [0.75,0.25]), Mul (b, [0.25,0.75]))
//
// Declines scales, sizes, roi and lengths that aren't known, and integers but
// in mode "nearest".

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
using resize::AxisPlan;
using resize::kRoi;
using resize::kScales;
using resize::kSizes;
using resize::Sampling;
using resize::Taps;

// More taps than this are more work than they are worth.
constexpr size_t kMaxTaps = 64;

struct PlannedAxis {
  int64_t axis;
  AxisPlan plan;
};

// With a policy, all axes are scaled alike.
void KeepAspectRatio(const std::string& policy,
                     std::vector<PlannedAxis>* axes) {
  double scale = axes->front().plan.scale;
  for (const PlannedAxis& axis : *axes) {
    scale = policy == "not_larger" ? std::min(scale, axis.plan.scale)
                                   : std::max(scale, axis.plan.scale);
  }
  for (PlannedAxis& axis : *axes) {
    axis.plan.scale = scale;
    axis.plan.out =
        static_cast<int64_t>(scale * static_cast<double>(axis.plan.in) + 0.5);
  }
}

std::optional<std::string> PlanAxes(const Body& b,
                                    std::vector<PlannedAxis>* planned) {
  const auto axes = resize::ResizedAxes(b);
  if (!axes.has_value() || axes->empty()) return "the rank is unknown";
  const bool by_scales = resize::IsGiven(b, kScales);
  const auto scales = by_scales ? b.KnownFloats(kScales) : std::nullopt;
  const auto sizes = by_scales ? std::nullopt : b.KnownInts(kSizes);
  const size_t given = scales.has_value()  ? scales->size()
                       : sizes.has_value() ? sizes->size()
                                           : 0;
  if (given != axes->size()) return "scales or sizes aren't known";
  const bool crops = resize::Transformation(b) == "tf_crop_and_resize";
  const auto roi = crops ? b.KnownFloats(kRoi) : std::nullopt;
  if (crops && (!roi.has_value() || roi->size() != 2 * given)) {
    return "the roi isn't known";
  }
  const std::string policy =
      b.node().String("keep_aspect_ratio_policy", "stretch");
  const bool keeps = sizes.has_value() && policy != "stretch";
  for (size_t i = 0; i < given; ++i) {
    AxisPlan plan;
    if (crops) {
      plan.roi_start = (*roi)[i];
      plan.roi_end = (*roi)[given + i];
    }
    const auto dim = b.Dim(0, static_cast<int>((*axes)[i]));
    const bool whole = plan.roi_start == 0 && plan.roi_end == 1;
    if (scales.has_value() && (*scales)[i] == 1 && whole) continue;
    if (!dim.has_value() || *dim == 0) return "a resized dimension is unknown";
    plan.in = *dim;
    const double in = static_cast<double>(*dim);
    plan.scale = scales.has_value() ? (*scales)[i]
                                    : static_cast<double>((*sizes)[i]) / in;
    plan.out = scales.has_value() ? static_cast<int64_t>(plan.scale * in)
                                  : (*sizes)[i];
    planned->push_back({(*axes)[i], plan});
  }
  if (keeps && !planned->empty()) KeepAspectRatio(policy, planned);
  const auto idle = [&](const PlannedAxis& axis) {
    return axis.plan.scale == 1 && axis.plan.out == axis.plan.in &&
           axis.plan.roi_start == 0 && axis.plan.roi_end == 1;
  };
  planned->erase(std::remove_if(planned->begin(), planned->end(), idle),
                 planned->end());
  return std::nullopt;
}

// One element for each of the axis's, shaped to be multiplied.
Ref Along(Body& b, const std::vector<double>& values, int64_t trailing,
          int32_t type) {
  std::vector<int64_t> dims = {static_cast<int64_t>(values.size())};
  dims.resize(1 + trailing, 1);
  return b.Typed(values, dims, type);
}

Ref ResizeAxis(Body& b, const Ref& x, int64_t axis, const Taps& taps,
               int32_t type) {
  const int64_t trailing = *b.Rank(0) - 1 - axis;
  Ref y;
  for (size_t t = 0; t < taps.indices.size(); ++t) {
    Ref part = b.Gather(x, b.Ints(taps.indices[t]), axis);
    if (!taps.weights.empty()) {
      part = b.Mul(part, Along(b, taps.weights[t], trailing, type));
    }
    y = y.empty() ? part : b.Add(y, part);
  }
  if (std::find(taps.outside.begin(), taps.outside.end(), 1) !=
      taps.outside.end()) {
    const Ref value = b.Typed(b.node().Float("extrapolation_value", 0), type);
    y = b.Where(Along(b, taps.outside, trailing, TensorProto::BOOL), value, y);
  }
  return y;
}

}  // namespace

std::optional<std::string> ResizeByGather(Body& b) {
  std::vector<PlannedAxis> planned;
  if (!b.Rank(0).has_value()) return "the rank is unknown";
  if (auto fault = PlanAxes(b, &planned)) return fault;
  const Sampling sampling = resize::SamplingOf(b);
  const bool nearest = sampling.mode == "nearest";
  const int32_t type = b.Type(0);
  int32_t computed = type;
  if (!nearest && type != TensorProto::DOUBLE) computed = TensorProto::FLOAT;
  if (!nearest && type != TensorProto::FLOAT && type != TensorProto::DOUBLE &&
      type != TensorProto::FLOAT16 && type != TensorProto::BFLOAT16) {
    return "only floats are interpolated";
  }
  Ref y = computed == type ? b.In(0) : b.Cast(b.In(0), computed);
  for (const PlannedAxis& axis : planned) {
    if (axis.plan.out <= 0) return "a dimension of the result is zero";
    const Taps taps = TapsOf(sampling, axis.plan);
    if (taps.indices.size() > kMaxTaps) {
      return "each element is a sum of more than 64";
    }
    y = ResizeAxis(b, y, axis.axis, taps, computed);
  }
  if (computed != type) y = b.Cast(y, type);
  b.Return({y == b.In(0) ? b.Op("Identity", {y}) : y});
  if (nearest) b.SetExactness(Exactness::kExact);
  return std::nullopt;
}

}  // namespace onnx_legalize
