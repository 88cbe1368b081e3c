// SPDX-License-Identifier: Apache-2.0
//
// Version steps of Resize from 11 on.
//
//   before:  y = Resize-18 <axes = [2,3]> (x, , scales)     # scales: [2]
//   after:   s = Concat ([1,1], scales)
//            y = Resize-11 (x, [], s)                       # []: no elements
//
// Declines antialias that matters, and keep_aspect_ratio_policy and
// half_pixel_symmetric where the scale isn't known to give whole sizes.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"
#include "passes/legalize/resize_facts.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;
using resize::AllWhole;
using resize::ExactSizes;
using resize::IsGiven;
using resize::kRoi;
using resize::kScales;
using resize::kSizes;
using resize::Mode;
using resize::OnlyGrows;
using resize::ResizedAxes;
using resize::Transformation;

// `x`, one element an axis of `axes`, for all axes of the tensor; `rest` makes
// the elements of those that aren't there.
template <typename Rest>
Ref ForAllAxes(Body& b, const Ref& x, const std::vector<int64_t>& axes,
               int64_t offset, const Rest& rest) {
  Refs parts;
  for (int64_t axis = 0; axis < *b.Rank(0); ++axis) {
    const auto it = std::find(axes.begin(), axes.end(), axis);
    const int64_t i = it - axes.begin() + offset;
    parts.push_back(it == axes.end() ? rest(axis) : b.Slice(x, 0, i, i + 1));
  }
  return b.Concat(parts, 0);
}

Ref One(Body& b, double value, int32_t type) {
  return b.Typed(std::vector<double>{value}, {1}, type);
}

// Why an operator before 18 can't do it, or nullopt.
std::optional<std::string> FaultBefore18(const Body& b) {
  if (b.node().Int("antialias", 0) != 0 && Mode(b) != "nearest" &&
      !OnlyGrows(b)) {
    return "older Resize has no antialias";
  }
  if (IsGiven(b, kSizes) &&
      b.node().String("keep_aspect_ratio_policy", "stretch") != "stretch" &&
      !AllWhole(ExactSizes(b))) {
    return "older Resize has no keep_aspect_ratio_policy, and the scale isn't "
           "known to give whole sizes";
  }
  if (Transformation(b) == "half_pixel_symmetric" && !IsGiven(b, kSizes) &&
      !AllWhole(ExactSizes(b))) {
    return "older Resize has no half_pixel_symmetric, and the scale isn't "
           "known to give whole sizes";
  }
  return std::nullopt;
}

Attributes AttributesBefore18(const Body& b) {
  Attributes attributes =
      b.AttributesWithout({"antialias", "axes", "keep_aspect_ratio_policy",
                           "coordinate_transformation_mode"});
  const std::string mode = Transformation(b) == "half_pixel_symmetric"
                               ? "half_pixel"
                               : Transformation(b);
  attributes.push_back({"coordinate_transformation_mode", mode});
  return attributes;
}

}  // namespace

std::optional<std::string> ResizeTo13(Body& b) {
  if (auto fault = FaultBefore18(b)) return fault;
  Refs inputs = {b.In(0), "", "", ""};
  const bool needs_roi = Transformation(b) == "tf_crop_and_resize";
  std::vector<int64_t> axes = b.node().Ints("axes");
  const bool by_policy =
      IsGiven(b, kSizes) &&
      b.node().String("keep_aspect_ratio_policy", "stretch") != "stretch";
  if (axes.empty()) {
    if (needs_roi) inputs[kRoi] = b.In(kRoi);
    if (IsGiven(b, kScales)) inputs[kScales] = b.In(kScales);
    if (IsGiven(b, kSizes)) inputs[kSizes] = b.In(kSizes);
  } else {
    const auto counted = ResizedAxes(b);
    if (!b.Rank(0).has_value() || !counted.has_value()) {
      return "axes are given and the rank is unknown";
    }
    axes = *counted;
    if (IsGiven(b, kScales)) {
      inputs[kScales] = ForAllAxes(b, b.In(kScales), axes, 0, [&](int64_t) {
        return One(b, 1, TensorProto::FLOAT);
      });
    } else {
      inputs[kSizes] = ForAllAxes(b, b.In(kSizes), axes, 0, [&](int64_t axis) {
        return b.DimOf(b.In(0), axis);
      });
    }
    if (needs_roi) {
      const int64_t count = static_cast<int64_t>(axes.size());
      const int32_t type = b.Type(kRoi);
      inputs[kRoi] =
          b.Concat({ForAllAxes(b, b.In(kRoi), axes, 0,
                               [&](int64_t) { return One(b, 0, type); }),
                    ForAllAxes(b, b.In(kRoi), axes, count,
                               [&](int64_t) { return One(b, 1, type); })},
                   0);
    }
  }
  if (by_policy) {
    const auto exact = *ExactSizes(b);
    const auto resized = *ResizedAxes(b);
    Refs parts;
    for (int64_t axis = 0; axis < *b.Rank(0); ++axis) {
      const auto it = std::find(resized.begin(), resized.end(), axis);
      parts.push_back(
          it == resized.end()
              ? b.DimOf(b.In(0), axis)
              : b.Ints({static_cast<int64_t>(exact[it - resized.begin()])}));
    }
    inputs[kSizes] = b.Concat(parts, 0);
  }
  b.Return({b.Op("Resize", inputs, AttributesBefore18(b))});
  return std::nullopt;
}

// 19 to 18, for targets between.
std::optional<std::string> ResizeTo18(Body& b) {
  Attributes attributes = b.AttributesWithout();
  if (Transformation(b) == "half_pixel_symmetric") {
    const bool stretches =
        b.node().String("keep_aspect_ratio_policy", "stretch") == "stretch";
    if (!(IsGiven(b, kSizes) && stretches) && !AllWhole(ExactSizes(b))) {
      return *FaultBefore18(b);
    }
    attributes = b.AttributesWithout({"coordinate_transformation_mode"});
  }
  b.SetOpset(18);
  b.Return({b.Op("Resize", {b.In(0), b.In(1), b.In(2), b.In(3)}, attributes)});
  return std::nullopt;
}

// 13 to 18 and 18 to 19 change nothing.
std::optional<std::string> ResizeUp(Body& b) {
  b.SetOpset(19);
  b.Return({b.Op("Resize", {b.In(0), b.In(1), b.In(2), b.In(3)},
                 b.AttributesWithout())});
  return std::nullopt;
}

// 13 to 11: roi and scales can't be absent.
std::optional<std::string> ResizeTo11(Body& b) {
  const Ref none = b.Raw(TensorProto::FLOAT, {0}, "");
  b.SetOpset(11);
  b.Return({b.Op("Resize",
                 {b.In(0), b.Has(kRoi) ? b.In(kRoi) : none,
                  b.Has(kScales) ? b.In(kScales) : none, b.In(kSizes)},
                 b.AttributesWithout())});
  return std::nullopt;
}

// 11 to 13: what has no elements may be absent.
std::optional<std::string> Resize11To13(Body& b) {
  if (Transformation(b) == "tf_half_pixel_for_nn") {
    return "Resize-13 has no tf_half_pixel_for_nn";
  }
  const bool has_sizes = b.Has(kSizes);
  b.Return({b.Op(
      "Resize",
      {b.In(0), IsGiven(b, kRoi) ? b.In(kRoi) : Ref(),
       has_sizes && !IsGiven(b, kScales) ? Ref() : b.In(kScales), b.In(kSizes)},
      b.AttributesWithout())});
  return std::nullopt;
}

}  // namespace onnx_legalize
