// SPDX-License-Identifier: Apache-2.0
//
// The passes by name, as passes.def lists them.

#ifndef ONNX_LEGALIZE_PASSES_REGISTRY_H_
#define ONNX_LEGALIZE_PASSES_REGISTRY_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_legalize/pass.h"

namespace onnx_legalize {

#define PASS(class_name, name, summary) \
  std::unique_ptr<Pass> Make##class_name();
#include "passes/passes.def"
#undef PASS

struct PassInfo {
  absl::string_view name;
  absl::string_view summary;  // One sentence.
  std::unique_ptr<Pass> (*make)();
};

// In the order of passes.def.
absl::Span<const PassInfo> AllPasses();

// OK if a pass has that name, here or in `custom` (may be null); else an error
// that suggests the nearest one.
absl::Status CheckPassName(absl::string_view name,
                           const Registry* custom = nullptr);

// A new pass of that name.
absl::StatusOr<std::unique_ptr<Pass>> CreatePass(
    absl::string_view name, const Registry* custom = nullptr);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_REGISTRY_H_
