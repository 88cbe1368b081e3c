// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/resize_facts.h"

#include <algorithm>
#include <cmath>

namespace onnx_legalize::resize {

std::string Mode(const Body& b) { return b.node().String("mode", "nearest"); }
std::string Transformation(const Body& b) {
  return b.node().String("coordinate_transformation_mode", "half_pixel");
}

// Given, and not as the tensor of no elements that stands for nothing.
bool IsGiven(const Body& b, int i) {
  return b.Has(i) && !(b.Rank(i) == 1 && b.Dim(i, 0) == 0);
}

// The axes that roi, scales and sizes are about; nullopt: their number is
// unknown.
std::optional<std::vector<int64_t>> ResizedAxes(const Body& b) {
  const auto rank = b.Rank(0);
  std::vector<int64_t> axes = b.node().Ints("axes");
  if (axes.empty()) {
    if (!rank.has_value()) return std::nullopt;
    for (int i = 0; i < *rank; ++i) axes.push_back(i);
  }
  for (int64_t& axis : axes) {
    if (axis < 0 && !rank.has_value()) return std::nullopt;
    if (axis < 0) axis += *rank;
    if (rank.has_value() && (axis < 0 || axis >= *rank)) return std::nullopt;
  }
  return axes;
}

// What the output's dimension would be if it needn't be whole, axis by axis.
std::optional<std::vector<double>> ExactSizes(const Body& b) {
  const auto axes = ResizedAxes(b);
  if (!axes.has_value()) return std::nullopt;
  std::vector<double> in, result;
  const auto scales =
      IsGiven(b, kScales) ? b.KnownFloats(kScales) : std::nullopt;
  const auto sizes = IsGiven(b, kSizes) ? b.KnownInts(kSizes) : std::nullopt;
  if (!scales.has_value() && !sizes.has_value()) return std::nullopt;
  const size_t count = scales.has_value() ? scales->size() : sizes->size();
  if (count != axes->size()) return std::nullopt;
  std::vector<double> factors;
  for (size_t i = 0; i < count; ++i) {
    const auto dim = b.Dim(0, static_cast<int>((*axes)[i]));
    const bool fixed = scales.has_value() && (*scales)[i] == 1;
    if (!dim.has_value() && !fixed) return std::nullopt;
    if (dim.value_or(1) <= 0) return std::nullopt;
    in.push_back(static_cast<double>(dim.value_or(1)));
    factors.push_back(scales.has_value() ? (*scales)[i]
                                         : (*sizes)[i] / in.back());
  }
  const std::string policy =
      b.node().String("keep_aspect_ratio_policy", "stretch");
  for (size_t i = 0; i < count; ++i) {
    if (policy == "stretch" || !sizes.has_value()) {
      result.push_back(sizes.has_value() ? static_cast<double>((*sizes)[i])
                                         : in[i] * factors[i]);
      continue;
    }
    const auto least = std::min_element(factors.begin(), factors.end());
    const auto greatest = std::max_element(factors.begin(), factors.end());
    const size_t k =
        (policy == "not_larger" ? least : greatest) - factors.begin();
    result.push_back((*sizes)[k] * in[i] / in[k]);
  }
  return result;
}

bool AllWhole(const std::optional<std::vector<double>>& sizes) {
  return sizes.has_value() &&
         std::all_of(sizes->begin(), sizes->end(),
                     [](double size) { return size == std::floor(size); });
}

// No axis gets shorter.
bool OnlyGrows(const Body& b) {
  if (IsGiven(b, kScales)) {
    const auto scales = b.KnownFloats(kScales);
    return scales.has_value() && std::all_of(scales->begin(), scales->end(),
                                             [](double s) { return s >= 1; });
  }
  const auto exact = ExactSizes(b);
  const auto axes = ResizedAxes(b);
  if (!exact.has_value()) return false;
  for (size_t i = 0; i < exact->size(); ++i) {
    if ((*exact)[i] < *b.Dim(0, static_cast<int>((*axes)[i]))) return false;
  }
  return true;
}

}  // namespace onnx_legalize::resize
