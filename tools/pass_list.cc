// SPDX-License-Identifier: Apache-2.0

#include "tools/pass_list.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "passes/pipelines.h"
#include "passes/registry.h"

namespace onnx_legalize {
namespace {

// Place of the pass in the pipeline, from 1; 0 if it only runs when asked for.
int PlaceInPipeline(absl::string_view name) {
  const absl::Span<const PipelineStep> steps = PortablePipeline();
  const auto it =
      std::find_if(steps.begin(), steps.end(),
                   [&](const PipelineStep& s) { return s.pass == name; });
  return it == steps.end() ? 0 : static_cast<int>(it - steps.begin()) + 1;
}

}  // namespace

std::string PassListText() {
  size_t width = 0;
  for (const PassInfo& pass : AllPasses()) {
    width = std::max(width, pass.name.size());
  }
  std::string text;
  for (const PassInfo& pass : AllPasses()) {
    const int place = PlaceInPipeline(pass.name);
    absl::StrAppendFormat(&text, "%2s  %-*s  %s\n",
                          place > 0 ? absl::StrCat(place) : "",
                          static_cast<int>(width), pass.name, pass.summary);
  }
  absl::StrAppend(&text, "Numbered passes run by default, in that order.\n");
  return text;
}

std::string PassListMarkdown() {
  std::string text =
      "<!-- Made from passes/passes.def by `onnx-legalize "
      "--list-passes=markdown`. -->\n"
      "# Passes\n\n"
      "A number is the pass's place in the default pipeline; the others run "
      "only\nwhen `--passes` names them.\n\n"
      "| | Pass | What it does |\n|---|---|---|\n";
  for (const PassInfo& pass : AllPasses()) {
    const int place = PlaceInPipeline(pass.name);
    absl::StrAppend(&text, "| ", place > 0 ? absl::StrCat(place) : "", " | `",
                    pass.name, "` | ", pass.summary, " |\n");
  }
  return text;
}

}  // namespace onnx_legalize
