// SPDX-License-Identifier: Apache-2.0
//
// Targets by name: what a model is legalized for.

#ifndef ONNX_LEGALIZE_TARGETS_TARGET_H_
#define ONNX_LEGALIZE_TARGETS_TARGET_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace onnx_legalize {

struct Target {
  std::string name;
  // What the user should know about how this target is served; "" if nothing.
  std::string note;
};

// The target of that name. An unknown name is an error that suggests the
// nearest.
absl::StatusOr<Target> FindTarget(absl::string_view name);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_TARGETS_TARGET_H_
