// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "absl/strings/str_cat.h"
#include "onnx_legalize/registry.h"
#include "passes/registry.h"

namespace onnx_legalize {

absl::Status Registry::AddPass(std::string name, std::string before,
                               MakePass make) {
  if (CheckPassName(name, this).ok()) {
    return absl::AlreadyExistsError(
        absl::StrCat("a pass is named '", name, "' already"));
  }
  passes_.push_back({std::move(name), std::move(before), std::move(make)});
  return absl::OkStatus();
}

void Registry::AddLowering(CustomLowering lowering) {
  lowerings_.push_back(std::move(lowering));
}

}  // namespace onnx_legalize
