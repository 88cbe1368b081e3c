// SPDX-License-Identifier: Apache-2.0
//
// The main job: from options to passes, and from passes to a report.

#include "onnx_legalize/legalize.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/file_system.h"
#include "ir/verifier.h"
#include "onnx_legalize/pass.h"
#include "onnx_legalize/registry.h"
#include "ops/inference.h"
#include "passes/input_shapes.h"
#include "passes/legalize/opset_choice.h"
#include "passes/legalize/search.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"
#include "passes/registry.h"
#include "passes/report.h"
#include "targets/target.h"

namespace onnx_legalize {
namespace {

constexpr absl::string_view kNoPass = "none";

// The passes to run, in order.
std::vector<std::string> SelectPasses(const Options& options,
                                      const Target& target) {
  std::vector<std::string> names;
  if (options.passes.has_value()) {
    names = *options.passes;
    if (names.size() == 1 && names[0] == kNoPass) names.clear();
  } else {
    for (const PipelineStep& step : PipelineFor(target)) {
      names.emplace_back(step.pass);
    }
    if (options.registry != nullptr) {
      for (const auto& pass : options.registry->passes()) {
        names.insert(std::find(names.begin(), names.end(), pass.before),
                     pass.name);
      }
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
  for (const auto steps : {PortablePipeline(), RuntimePipeline()}) {
    for (const PipelineStep& step : steps) {
      if (step.pass == pass && step.required) return true;
    }
  }
  return false;
}

absl::Status RunPasses(const std::vector<std::string>& names, Model& model,
                       const Options& options, const Target& target,
                       Search& search, Report& report) {
  PassManager manager;
  for (const std::string& name : names) {
    absl::StatusOr<std::unique_ptr<Pass>> pass =
        CreatePass(name, options.registry.get());
    if (!pass.ok()) return pass.status();
    // A pass of the caller's means what it declines.
    const bool own = !CheckPassName(name).ok();
    manager.Add(*std::move(pass), own || IsRequired(name));
  }
  TypeInference types(model);
  if (absl::Status s = types.InferModel(); !s.ok()) return s;
  if (target.IsPortable() && options.opset == 0) {
    search.imports = ModelImports(model);
  } else if (search.imports.empty()) {
    search.other_imports = ChooseOpsets(target, options, model);
    if (!search.other_imports.empty()) {
      search.imports = search.other_imports[0];
      search.other_imports.erase(search.other_imports.begin());
    }
  }
  Rewriter rewriter(model, &types);
  PassContext context{model, rewriter, types, options, target, search, report};
  if (absl::Status s = manager.Run(context); !s.ok()) return s;
  // Better no output than a broken one.
  return model.changed() ? Verify(model) : absl::OkStatus();
}

}  // namespace

absl::Status CheckOptions(const Options& options) {
  absl::StatusOr<Target> target = FindTarget(options.target);
  if (!target.ok()) return target.status();
  if (options.opset != 0) {
    absl::StatusOr<Target> opset =
        FindTarget(absl::StrCat("opset:", options.opset));
    if (!opset.ok()) return opset.status();
    if (target->opset != 0 && target->opset != options.opset) {
      return absl::InvalidArgumentError(
          "the target and --opset ask for two opsets");
    }
    const Profile* profile = target->profile.get();
    if (profile != nullptr && options.opset > profile->opsets.at("")) {
      return absl::InvalidArgumentError(
          absl::StrCat("target '", target->name, "' runs opsets up to ",
                       profile->opsets.at(""), " only"));
    }
  }
  const Registry* registry = options.registry.get();
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
      if (absl::Status s = CheckPassName(name, registry); !s.ok()) return s;
    }
  }
  for (const std::string& name : options.skip_passes) {
    if (absl::Status s = CheckPassName(name, registry); !s.ok()) return s;
  }
  constexpr absl::string_view kDeriveSizeInputs = "derive-size-inputs";
  if (!options.derived_inputs.empty()) {
    const std::vector<std::string> names = SelectPasses(options, *target);
    if (std::count(names.begin(), names.end(), kDeriveSizeInputs) == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("deriving an input needs the pass ", kDeriveSizeInputs,
                       ", which isn't to run"));
    }
  }
  return absl::OkStatus();
}

namespace {

// How often a model is legalized anew after a way that led nowhere.
constexpr int kMaxAttempts = 24;

absl::StatusOr<Report> LegalizeOnce(Model& model, const Options& options,
                                    const Target& target, Search& search) {
  Report report;
  report.target = target.name;
  if (!target.note.empty()) report.notes.push_back(target.note);
  report.ops_before = CountOps(model);
  Rewriter rewriter(model);
  absl::Status status = ApplyInputShapes(options, rewriter, report);
  if (!status.ok()) return status;
  const std::vector<std::string> names = SelectPasses(options, target);
  // Without a pass no operator's schema is needed, and making those costs time.
  if (!names.empty()) {
    status = RunPasses(names, model, options, target, search, report);
    if (!status.ok()) return status;
  }
  report.ops_after = CountOps(model);
  report.changed = model.changed();
  return report;
}

absl::Status ReadFunctions(const Options& options, Search* search) {
  const auto add = [&](absl::string_view text, absl::string_view where) {
    auto functions = ParseTextFunctions(text, where);
    if (!functions.ok()) return functions.status();
    search->functions.insert(search->functions.end(), functions->begin(),
                             functions->end());
    return absl::OkStatus();
  };
  for (const std::string& path : options.lowerings) {
    auto file = FileBytes::Open(path);
    if (!file.ok()) return file.status();
    if (auto s = add((*file)->bytes(), path); !s.ok()) return s;
  }
  for (const auto& [name, text] : EmbeddedFunctions()) {
    if (auto s = add(text, name); !s.ok()) return s;
  }
  return absl::OkStatus();
}

// Learns from an attempt that failed; false where nothing is left to try.
bool NextAttempt(Search* search) {
  bool news = false;
  for (std::string& key : search->new_dead_ends) {
    news |= search->dead_ends.insert(std::move(key)).second;
  }
  search->new_dead_ends.clear();
  if (news) return true;
  if (search->other_imports.empty()) return false;
  search->imports = search->other_imports[0];
  search->other_imports.erase(search->other_imports.begin());
  search->dead_ends.clear();
  return true;
}

}  // namespace

absl::StatusOr<Report> Legalize(std::unique_ptr<Model>& model,
                                const Options& options) {
  if (absl::Status s = CheckOptions(options); !s.ok()) return s;
  const Target target = FindTarget(options.target).value();
  Search search;
  if (absl::Status s = ReadFunctions(options, &search); !s.ok()) return s;
  absl::StatusOr<Report> first = LegalizeOnce(*model, options, target, search);
  if (!first.ok() || first->legal()) return first;
  // The first attempt's report says best what is wrong.
  for (int i = 1; i < kMaxAttempts && NextAttempt(&search); ++i) {
    absl::StatusOr<std::unique_ptr<Model>> again = RereadModel(*model);
    if (!again.ok()) return again.status();
    absl::StatusOr<Report> report =
        LegalizeOnce(**again, options, target, search);
    if (!report.ok()) return report;
    if (!report->legal()) continue;
    model = *std::move(again);
    return report;
  }
  if (target.IsPortable() && options.opset == 0) return first;
  // Half converted, nodes of two opsets stand in the model, which no import
  // expresses.
  absl::StatusOr<std::unique_ptr<Model>> original = RereadModel(*model);
  if (!original.ok()) return original.status();
  model = *std::move(original);
  first->rewrites.clear();
  first->changed = false;
  first->ops_after = first->ops_before;
  for (PassStatistics& pass : first->passes) {
    pass.changed = false;
    pass.rewrites = 0;
  }
  return first;
}

absl::StatusOr<Report> LegalizeFile(const std::string& input,
                                    const std::string& output,
                                    const FileOptions& options) {
  if (absl::Status s = CheckOptions(options); !s.ok()) return s;
  absl::StatusOr<std::unique_ptr<Model>> model = ReadModel(input, options.read);
  if (!model.ok()) return model.status();
  absl::StatusOr<Report> report = Legalize(*model, options);
  if (!report.ok()) return report;
  if (report->legal() || options.allow_illegal) {
    if (absl::Status s = WriteModel(**model, output); !s.ok()) return s;
  }
  return report;
}

}  // namespace onnx_legalize
