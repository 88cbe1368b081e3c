// SPDX-License-Identifier: Apache-2.0

#include "targets/target.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/file_system.h"
#include "ir/spelling.h"
#include "ops/onnx_boundary.h"

namespace onnx_legalize {
namespace {

constexpr absl::string_view kPortable = "portable";
constexpr absl::string_view kOpset = "opset:";
constexpr int kLowestOpset = 7;

absl::StatusOr<Target> OpsetTarget(absl::string_view name) {
  Target target;
  target.name = std::string(name);
  if (!absl::SimpleAtoi(absl::StripPrefix(name, kOpset), &target.opset) ||
      target.opset < kLowestOpset || target.opset > NewestOpset("")) {
    return absl::InvalidArgumentError(
        absl::StrCat("target '", name, "': opsets go from ", kLowestOpset,
                     " to ", NewestOpset("")));
  }
  return target;
}

absl::StatusOr<Target> ProfileTarget(absl::string_view json,
                                     absl::string_view where) {
  absl::StatusOr<std::shared_ptr<const Profile>> profile =
      ParseProfile(json, where);
  if (!profile.ok()) return profile.status();
  Target target;
  target.name = (*profile)->name;
  target.profile = *std::move(profile);
  return target;
}

const absl::string_view* FindEmbedded(absl::string_view name) {
  for (const auto& [known, json] : EmbeddedProfiles()) {
    if (known == name) return &json;
  }
  return nullptr;
}

bool LooksLikeFile(absl::string_view name) {
  return absl::StrContains(name, '/') || absl::EndsWith(name, ".json");
}

absl::StatusOr<std::string> ReadProfileFile(absl::string_view path) {
  auto file = FileBytes::Open(std::string(path));
  if (!file.ok()) return file.status();
  return std::string((*file)->bytes());
}

absl::Status UnknownTarget(absl::string_view name) {
  std::vector<absl::string_view> known = {kPortable};
  for (const auto& [other, json] : EmbeddedProfiles()) known.push_back(other);
  return absl::InvalidArgumentError(absl::StrCat(
      "no target is named '", name, "'", DidYouMean(name, known),
      " (--list-targets shows all; python -m onnx_legalize.probe measures "
      "another)"));
}

}  // namespace

absl::StatusOr<Target> FindTarget(absl::string_view name) {
  if (name == kPortable) {
    Target target;
    target.name = std::string(name);
    return target;
  }
  if (absl::StartsWith(name, kOpset)) return OpsetTarget(name);
  if (const absl::string_view* json = FindEmbedded(name)) {
    return ProfileTarget(*json, name);
  }
  if (!LooksLikeFile(name)) return UnknownTarget(name);
  absl::StatusOr<std::string> json = ReadProfileFile(name);
  if (!json.ok()) return json.status();
  return ProfileTarget(*json, name);
}

std::vector<std::pair<std::string, std::string>> ListTargets() {
  std::vector<std::pair<std::string, std::string>> targets;
  targets.emplace_back(kPortable, "what every runtime is known to want");
  targets.emplace_back(absl::StrCat(kOpset, "N"),
                       absl::StrCat("ai.onnx opset N exactly, ", kLowestOpset,
                                    " to ", NewestOpset("")));
  for (const auto& [name, json] : EmbeddedProfiles()) {
    absl::StatusOr<Target> target = ProfileTarget(json, name);
    if (!target.ok()) continue;
    targets.emplace_back(
        name, absl::StrCat("measured: opset ", target->profile->opsets.at(""),
                           ", IR ", target->profile->ir_version));
  }
  return targets;
}

absl::StatusOr<std::string> ShowTarget(absl::string_view name) {
  if (const absl::string_view* json = FindEmbedded(name)) {
    return std::string(*json);
  }
  absl::StatusOr<Target> target = FindTarget(name);
  if (!target.ok()) return target.status();
  if (target->profile != nullptr) return ReadProfileFile(name);
  for (const auto& [known, what] : ListTargets()) {
    if (known == name) return absl::StrCat(known, ": ", what, "\n");
  }
  return absl::StrCat(name, ": ai.onnx opset ", target->opset, " exactly\n");
}

}  // namespace onnx_legalize
