// SPDX-License-Identifier: Apache-2.0

#include "passes/pipelines.h"

#include <vector>

namespace onnx_legalize {

absl::Span<const PipelineStep> PortablePipeline() {
  // The only place where order lives.
  static const auto* const steps = new std::vector<PipelineStep>{};
  return *steps;
}

}  // namespace onnx_legalize
