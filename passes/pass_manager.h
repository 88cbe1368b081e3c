// SPDX-License-Identifier: Apache-2.0
//
// Runs passes in order, timing each and collecting what it did.

#ifndef ONNX_LEGALIZE_PASSES_PASS_MANAGER_H_
#define ONNX_LEGALIZE_PASSES_PASS_MANAGER_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "onnx_legalize/pass.h"

namespace onnx_legalize {

class PassManager {
 public:
  // `required`: a node that the pass declines is illegal on the target.
  // Otherwise a decline is an ordinary answer and leaves no IllegalNode.
  void Add(std::unique_ptr<Pass> pass, bool required);
  bool empty() const { return steps_.empty(); }

  // Runs every pass once. Errors name the pass.
  absl::Status Run(PassContext& context);

 private:
  struct Step {
    std::unique_ptr<Pass> pass;
    bool required;
  };
  absl::Status RunStep(const Step& step, PassContext& context);
  std::vector<Step> steps_;
};

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_PASS_MANAGER_H_
