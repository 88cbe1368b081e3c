// SPDX-License-Identifier: Apache-2.0
//
// Resize along one axis as a sum of few elements: y[o] = sum over t of
// weight[t][o] * x[index[t][o]].

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_RESIZE_TAPS_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_RESIZE_TAPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize::resize {

// What Resize's attributes say.
struct Sampling {
  std::string mode;
  std::string transformation;
  std::string nearest_mode;
  double cubic_a = -0.75;
  bool exclude_outside = false;
  bool antialias = false;
};

Sampling SamplingOf(const Body& b);

// One axis, known before the model runs.
struct AxisPlan {
  int64_t in = 0;
  int64_t out = 0;
  double scale = 1;
  double roi_start = 0, roi_end = 1;
};

struct Taps {
  std::vector<std::vector<int64_t>> indices;
  std::vector<std::vector<double>> weights;  // None for mode "nearest".
  std::vector<double> outside;  // 1 where extrapolation_value is to stand.
};

// As ONNX's reference implementation of Resize-19 computes them.
Taps TapsOf(const Sampling& sampling, const AxisPlan& plan);

}  // namespace onnx_legalize::resize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_RESIZE_TAPS_H_
