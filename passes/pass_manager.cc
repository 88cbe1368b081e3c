// SPDX-License-Identifier: Apache-2.0

#include "passes/pass_manager.h"

#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/verifier.h"

namespace onnx_legalize {

void PassManager::Add(std::unique_ptr<Pass> pass, bool required) {
  steps_.push_back({std::move(pass), required});
}

absl::Status PassManager::Run(PassContext& context) {
  for (const Step& step : steps_) {
    if (absl::Status s = RunStep(step, context); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status PassManager::RunStep(const Step& step, PassContext& context) {
  Report& report = context.report;
  const size_t rewrites_before = report.rewrites.size();
  const size_t illegal_before = report.illegal.size();
  const auto start = std::chrono::steady_clock::now();
  absl::StatusOr<bool> changed = step.pass->Run(context);
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  const std::string name(step.pass->name());
  if (!changed.ok()) {
    return absl::Status(changed.status().code(),
                        absl::StrCat(name, ": ", changed.status().message()));
  }
  if (!step.required) report.illegal.resize(illegal_before);
  report.passes.push_back(
      {name, *changed,
       static_cast<int64_t>(report.rewrites.size() - rewrites_before),
       elapsed.count()});
  if (context.options.verify_each) {
    if (absl::Status s = Verify(context.model); !s.ok()) {
      return absl::InternalError(
          absl::StrCat("the graph is broken after ", name, ": ", s.message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace onnx_legalize
