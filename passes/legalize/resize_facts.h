// SPDX-License-Identifier: Apache-2.0
//
// What is known of a Resize node before the model runs.

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_RESIZE_FACTS_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_RESIZE_FACTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize::resize {

// Inputs of Resize-11 and newer.
constexpr int kRoi = 1, kScales = 2, kSizes = 3;

std::string Mode(const Body& b);
std::string Transformation(const Body& b);

// Given, and not as the tensor of no elements that stands for nothing.
bool IsGiven(const Body& b, int i);

// The axes that roi, scales and sizes are about, counted from the front;
// nullopt: not known.
std::optional<std::vector<int64_t>> ResizedAxes(const Body& b);

// What the output's dimensions would be if they needn't be whole, one for each
// of ResizedAxes.
std::optional<std::vector<double>> ExactSizes(const Body& b);

bool AllWhole(const std::optional<std::vector<double>>& sizes);

// No axis gets shorter.
bool OnlyGrows(const Body& b);

}  // namespace onnx_legalize::resize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_RESIZE_FACTS_H_
