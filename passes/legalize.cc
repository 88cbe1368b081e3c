// SPDX-License-Identifier: Apache-2.0
//
// The main job: from options to passes, and from passes to a report.

#include "onnx_legalize/legalize.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/verifier.h"
#include "onnx_legalize/pass.h"
#include "ops/inference.h"
#include "passes/input_shapes.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"
#include "passes/registry.h"
#include "passes/report.h"
#include "targets/target.h"

namespace onnx_legalize {
namespace {

constexpr absl::string_view kNoPass = "none";

// The passes to run, in order.
std::vector<std::string> SelectPasses(const Options& options) {
  std::vector<std::string> names;
  if (options.passes.has_value()) {
    names = *options.passes;
    if (names.size() == 1 && names[0] == kNoPass) names.clear();
  } else {
    for (const PipelineStep& step : PortablePipeline()) {
      names.emplace_back(step.pass);
    }
  }
  const std::vector<std::string>& skipped = options.skip_passes;
  names.erase(std::remove_if(names.begin(), names.end(),
                             [&](const std::string& name) {
                               return std::count(skipped.begin(), skipped.end(),
                                                 name) > 0;
                             }),
              names.end());
  return names;
}

bool IsRequired(absl::string_view pass) {
  const absl::Span<const PipelineStep> steps = PortablePipeline();
  return std::any_of(steps.begin(), steps.end(), [&](const PipelineStep& s) {
    return s.pass == pass && s.required;
  });
}

absl::Status RunPasses(const std::vector<std::string>& names, Model& model,
                       const Options& options, Report& report) {
  PassManager manager;
  for (const std::string& name : names) {
    absl::StatusOr<std::unique_ptr<Pass>> pass = CreatePass(name);
    if (!pass.ok()) return pass.status();
    manager.Add(*std::move(pass), IsRequired(name));
  }
  TypeInference types(model);
  if (absl::Status s = types.InferModel(); !s.ok()) return s;
  Rewriter rewriter(model, &types);
  PassContext context{model, rewriter, types, options, report};
  if (absl::Status s = manager.Run(context); !s.ok()) return s;
  // Better no output than a broken one.
  return model.changed() ? Verify(model) : absl::OkStatus();
}

}  // namespace

absl::Status CheckOptions(const Options& options) {
  absl::StatusOr<Target> target = FindTarget(options.target);
  if (!target.ok()) return target.status();
  if (options.passes.has_value()) {
    if (options.passes->empty()) {
      return absl::InvalidArgumentError(
          "the list of passes is empty; 'none' runs no pass");
    }
    for (const std::string& name : *options.passes) {
      if (name == kNoPass && options.passes->size() == 1) continue;
      if (name == kNoPass) {
        return absl::InvalidArgumentError(
            "'none' stands alone in a list of passes");
      }
      if (absl::Status s = CheckPassName(name); !s.ok()) return s;
    }
  }
  for (const std::string& name : options.skip_passes) {
    if (absl::Status s = CheckPassName(name); !s.ok()) return s;
  }
  constexpr absl::string_view kDeriveSizeInputs = "derive-size-inputs";
  if (!options.derived_inputs.empty()) {
    const std::vector<std::string> names = SelectPasses(options);
    if (std::count(names.begin(), names.end(), kDeriveSizeInputs) == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("deriving an input needs the pass ", kDeriveSizeInputs,
                       ", which isn't to run"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Report> Legalize(Model& model, const Options& options) {
  if (absl::Status s = CheckOptions(options); !s.ok()) return s;
  Report report;
  const Target target = FindTarget(options.target).value();
  report.target = target.name;
  if (!target.note.empty()) report.notes.push_back(target.note);
  report.ops_before = CountOps(model);
  Rewriter rewriter(model);
  absl::Status status = ApplyInputShapes(options, rewriter, report);
  if (!status.ok()) return status;
  const std::vector<std::string> names = SelectPasses(options);
  // Without a pass no operator's schema is needed, and making those costs time.
  if (!names.empty()) {
    status = RunPasses(names, model, options, report);
    if (!status.ok()) return status;
  }
  report.ops_after = CountOps(model);
  report.changed = model.changed();
  return report;
}

absl::StatusOr<Report> LegalizeFile(const std::string& input,
                                    const std::string& output,
                                    const FileOptions& options) {
  if (absl::Status s = CheckOptions(options); !s.ok()) return s;
  absl::StatusOr<std::unique_ptr<Model>> model = ReadModel(input, options.read);
  if (!model.ok()) return model.status();
  absl::StatusOr<Report> report = Legalize(**model, options);
  if (!report.ok()) return report;
  if (report->legal() || options.allow_illegal) {
    if (absl::Status s = WriteModel(**model, output); !s.ok()) return s;
  }
  return report;
}

}  // namespace onnx_legalize
