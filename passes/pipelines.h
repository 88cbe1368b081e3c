// SPDX-License-Identifier: Apache-2.0
//
// Which passes run, in which order.

#ifndef ONNX_LEGALIZE_PASSES_PIPELINES_H_
#define ONNX_LEGALIZE_PASSES_PIPELINES_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "targets/target.h"

namespace onnx_legalize {

struct PipelineStep {
  absl::string_view pass;
  // A node that this pass declines stays illegal.
  bool required = false;
};

// What every target is served by.
absl::Span<const PipelineStep> PortablePipeline();
// The same for a measured runtime, or for one opset.
absl::Span<const PipelineStep> RuntimePipeline();
absl::Span<const PipelineStep> PipelineFor(const Target& target);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_PIPELINES_H_
