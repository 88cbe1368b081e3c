// SPDX-License-Identifier: Apache-2.0

#include "passes/pipelines.h"

namespace onnx_legalize {

absl::Span<const PipelineStep> PipelineFor(const Target& target) {
  return target.IsPortable() ? PortablePipeline() : RuntimePipeline();
}

absl::Span<const PipelineStep> RuntimePipeline() {
  static constexpr PipelineStep kSteps[] = {
      // First, so that later messages name nodes by names that are unique.
      {"repair-structure", /*required=*/true},
      // Before anything that trusts types.
      {"repair-types", /*required=*/true},
      // Before anything that emits Shape of an input itself.
      {"derive-size-inputs", /*required=*/true},
      // Before operators, which the functions hold.
      {"inline-functions", /*required=*/true},
      // Of these two, the one that the target is about.
      {"convert-opset", /*required=*/true},
      {"legalize-operators", /*required=*/true},
      // Last: it corrects wrong declarations, and adds none.
      {"infer-shapes", /*required=*/true},
  };
  return kSteps;
}

absl::Span<const PipelineStep> PortablePipeline() {
  // The only place where order lives.
  static constexpr PipelineStep kSteps[] = {
      // First, so that later messages name nodes by names that are unique.
      {"repair-structure", /*required=*/true},
      // Before anything that trusts types: inference knows them only where the
      // graph's operands agree.
      {"repair-types", /*required=*/true},
      // Before anything that emits Shape of an input itself: the tensor that a
      // size input restates must still have its own name and readers.
      {"derive-size-inputs", /*required=*/true},
      // May need what was derived above: sizes that padding depends on.
      {"decompose-auto-pad", /*required=*/true},
      // May need what was derived above: a rank, a constant k.
      {"decompose-trilu", /*required=*/true},
      // These three only with --opset or --lowerings.
      {"inline-functions", /*required=*/true},
      {"convert-opset", /*required=*/true},
      {"legalize-operators", /*required=*/true},
      // Last: it writes what is known once nothing changes any more.
      {"infer-shapes", /*required=*/true},
  };
  return kSteps;
}

}  // namespace onnx_legalize
