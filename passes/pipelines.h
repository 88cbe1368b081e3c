// SPDX-License-Identifier: Apache-2.0
//
// Which passes run, in which order.

#ifndef ONNX_LEGALIZE_PASSES_PIPELINES_H_
#define ONNX_LEGALIZE_PASSES_PIPELINES_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnx_legalize {

struct PipelineStep {
  absl::string_view pass;
  // A node that this pass declines stays illegal.
  bool required = false;
};

// What every target is served by.
absl::Span<const PipelineStep> PortablePipeline();

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_PIPELINES_H_
