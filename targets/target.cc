// SPDX-License-Identifier: Apache-2.0

#include "targets/target.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/spelling.h"

namespace onnx_legalize {

absl::StatusOr<Target> FindTarget(absl::string_view name) {
  constexpr absl::string_view kPortable = "portable";
  constexpr absl::string_view kOnnxRuntime = "onnxruntime-";
  if (name == kPortable) return Target{std::string(name), ""};
  if (absl::StartsWith(name, kOnnxRuntime) && name != kOnnxRuntime) {
    return Target{std::string(name),
                  absl::StrCat("target '", name, "' is served as '", kPortable,
                               "': there is no measured profile of it yet")};
  }
  if (absl::StrContains(name, '/') || absl::EndsWith(name, ".json")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "target '", name, "' looks like a profile file, which this version ",
        "cannot read; use '", kPortable, "' or '", kOnnxRuntime, "VERSION'"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "no target is named '", name, "'",
      DidYouMean(name, {kPortable, "onnxruntime-1.14.1"}), " (there are '",
      kPortable, "' and '", kOnnxRuntime, "VERSION')"));
}

}  // namespace onnx_legalize
