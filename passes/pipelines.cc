// SPDX-License-Identifier: Apache-2.0

#include "passes/pipelines.h"

namespace onnx_legalize {

absl::Span<const PipelineStep> PortablePipeline() {
  // The only place where order lives.
  static constexpr PipelineStep kSteps[] = {
      // Before anything that emits Shape of an input itself: the tensor that a
      // size input restates must still have its own name and readers.
      {"derive-size-inputs", /*required=*/true},
  };
  return kSteps;
}

}  // namespace onnx_legalize
