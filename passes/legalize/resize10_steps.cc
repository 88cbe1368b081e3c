// SPDX-License-Identifier: Apache-2.0
//
// Version steps of Resize below 11 and of Upsample.
//
//   before:  y = Resize-11 <mode = "linear", coordinate_transformation_mode =
//                "asymmetric"> (x, [], scales)
//   after:   y = Upsample-9 <mode = "linear"> (x, scales)
//
// Declines all that Resize-10 has no attribute for, and scales that aren't
// known.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"
#include "passes/legalize/resize_facts.h"

namespace onnx_legalize {

using onnx::TensorProto;
using resize::ExactSizes;
using resize::IsGiven;
using resize::kScales;
using resize::Mode;
using resize::Transformation;

// 11 to 10: nearest and linear in coordinates that are just scaled.
std::optional<std::string> ResizeTo10(Body& b) {
  const std::string mode = Mode(b);
  if (mode == "cubic") return "Resize-10 has no cubic mode";
  const auto exact = ExactSizes(b);
  std::vector<float> scales;
  if (const auto known =
          IsGiven(b, kScales) ? b.KnownFloats(kScales) : std::nullopt) {
    scales.assign(known->begin(), known->end());
  } else if (exact.has_value()) {
    for (size_t i = 0; i < exact->size(); ++i) {
      const double dim = static_cast<double>(*b.Dim(0, static_cast<int>(i)));
      scales.push_back(static_cast<float>((*exact)[i] / dim));
      // floor(dim * scale) must be the size.
      if (std::floor(scales.back() * static_cast<float>(dim)) < (*exact)[i]) {
        scales.back() = std::nextafter(scales.back(), 1e30F);
      }
    }
  } else {
    return "the scales aren't known";
  }
  if (std::any_of(scales.begin(), scales.end(),
                  [](float s) { return s < 1; })) {
    return "Resize-10 doesn't say how it makes an axis shorter";
  }
  const std::string transformation = Transformation(b);
  const bool whole = std::all_of(scales.begin(), scales.end(),
                                 [](float s) { return s == std::floor(s); });
  const std::string rounding =
      b.node().String("nearest_mode", "round_prefer_floor");
  const bool simple = transformation == "asymmetric" &&
                      (mode == "linear" || rounding == "floor");
  // (i + 0.5) / s - 0.5, rounded, is floor(i / s) where s is whole.
  const bool same = mode == "nearest" && whole &&
                    rounding.compare(0, 6, "round_") == 0 &&
                    (transformation == "half_pixel" ||
                     transformation == "half_pixel_symmetric");
  if (!simple && !same) {
    return "Resize-10 has no coordinate_transformation_mode or nearest_mode";
  }
  std::vector<double> values(scales.begin(), scales.end());
  const int64_t count = static_cast<int64_t>(values.size());
  b.SetOpset(10);
  b.Return(
      {b.Op("Resize", {b.In(0), b.Typed(values, {count}, TensorProto::FLOAT)},
            {{"mode", mode}})});
  return std::nullopt;
}

// 10 to 11. Runtimes take the ceiling where an axis gets shorter.
std::optional<std::string> Resize10To11(Body& b) {
  const auto scales = b.KnownFloats(1);
  Attributes attributes = b.AttributesWithout();
  attributes.push_back({"coordinate_transformation_mode", "asymmetric"});
  if (Mode(b) == "nearest") {
    if (!scales.has_value()) return "the scales aren't known";
    const auto grows = [](double s) { return s >= 1; };
    const auto shrinks = [](double s) { return s <= 1; };
    if (std::all_of(scales->begin(), scales->end(), grows)) {
      attributes.push_back({"nearest_mode", "floor"});
    } else if (std::all_of(scales->begin(), scales->end(), shrinks)) {
      attributes.push_back({"nearest_mode", "ceil"});
      b.SetExactness(Exactness::kEquivalent);
    } else {
      return "some axes get longer and some shorter";
    }
  }
  const Ref none = b.Raw(TensorProto::FLOAT, {0}, "");
  b.SetOpset(11);
  b.Return({b.Op("Resize", {b.In(0), none, b.In(1)}, attributes)});
  return std::nullopt;
}

// Resize-10 is Upsample-9 where no axis gets shorter.
std::optional<std::string> ResizeToUpsample(Body& b) {
  const auto scales = b.KnownFloats(1);
  if (!scales.has_value() || std::any_of(scales->begin(), scales->end(),
                                         [](double s) { return s < 1; })) {
    return "Upsample makes no axis shorter";
  }
  b.SetOpset(9);
  b.Return({b.Op("Upsample", {b.In(0), b.In(1)}, b.AttributesWithout())});
  return std::nullopt;
}

std::optional<std::string> UpsampleToResize(Body& b) {
  b.SetOpset(10);
  b.Return({b.Op("Resize", {b.In(0), b.In(1)}, b.AttributesWithout())});
  return std::nullopt;
}

std::optional<std::string> UpsampleScalesToAttribute(Body& b) {
  const auto scales = b.KnownFloats(1);
  if (!scales.has_value()) return "the scales are computed at run time";
  Attributes attributes = b.AttributesWithout();
  attributes.push_back(FloatsAttribute(
      "scales", std::vector<float>(scales->begin(), scales->end())));
  b.SetOpset(7);
  b.Return({b.Op("Upsample", {b.In(0)}, attributes)});
  return std::nullopt;
}

// 1 and 7 to 9.
std::optional<std::string> UpsampleScalesToInput(Body& b) {
  std::vector<double> scales;
  if (const auto given = b.FloatsAttr("scales")) {
    scales.assign(given->begin(), given->end());
  } else if (b.node().HasAttribute("height_scale")) {
    scales = {1, 1, b.node().Float("height_scale", 1),
              b.node().Float("width_scale", 1)};
  } else {
    return "it has no scales";
  }
  const int64_t count = static_cast<int64_t>(scales.size());
  b.SetOpset(9);
  b.Return(
      {b.Op("Upsample", {b.In(0), b.Typed(scales, {count}, TensorProto::FLOAT)},
            b.AttributesWithout({"scales", "height_scale", "width_scale"}))});
  return std::nullopt;
}

}  // namespace onnx_legalize
