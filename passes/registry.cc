// SPDX-License-Identifier: Apache-2.0

#include "passes/registry.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/spelling.h"
#include "onnx_legalize/registry.h"

namespace onnx_legalize {
namespace {

const PassInfo* FindPass(absl::string_view name) {
  absl::Span<const PassInfo> passes = AllPasses();
  auto it = std::find_if(passes.begin(), passes.end(),
                         [&](const PassInfo& p) { return p.name == name; });
  return it == passes.end() ? nullptr : &*it;
}

const Registry::CustomPass* FindCustom(absl::string_view name,
                                       const Registry* custom) {
  if (custom == nullptr) return nullptr;
  auto it = std::find_if(custom->passes().begin(), custom->passes().end(),
                         [&](const auto& pass) { return pass.name == name; });
  return it == custom->passes().end() ? nullptr : &*it;
}

}  // namespace

absl::Span<const PassInfo> AllPasses() {
  static constexpr PassInfo kPasses[] = {
#define PASS(class_name, name, summary) {name, summary, &Make##class_name},
#include "passes/passes.def"
#undef PASS
  };
  return kPasses;
}

absl::Status CheckPassName(absl::string_view name, const Registry* custom) {
  if (FindPass(name) != nullptr || FindCustom(name, custom) != nullptr) {
    return absl::OkStatus();
  }
  std::vector<absl::string_view> names;
  for (const PassInfo& pass : AllPasses()) names.push_back(pass.name);
  return absl::InvalidArgumentError(absl::StrCat("no pass is named '", name,
                                                 "'", DidYouMean(name, names),
                                                 " (--list-passes shows all)"));
}

absl::StatusOr<std::unique_ptr<Pass>> CreatePass(absl::string_view name,
                                                 const Registry* custom) {
  if (absl::Status s = CheckPassName(name, custom); !s.ok()) return s;
  const PassInfo* known = FindPass(name);
  std::unique_ptr<Pass> pass =
      known != nullptr ? known->make() : FindCustom(name, custom)->make();
  pass->set_name(name);
  return pass;
}

}  // namespace onnx_legalize
