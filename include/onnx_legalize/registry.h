// SPDX-License-Identifier: Apache-2.0
//
// A registry object: passes and lowerings that a program adds to the library's
// own. Options::registry names it.
//
//   auto registry = std::make_shared<Registry>();
//   registry->AddLowering({"acme", "Twice", 1, 1, Exactness::kExact,
//                          "adds it to itself", LowerTwice});
//   options.registry = registry;
//
// (Without C++: functions in text, Options::lowerings.)

#ifndef ONNX_LEGALIZE_REGISTRY_H_
#define ONNX_LEGALIZE_REGISTRY_H_

#include <onnx/onnx_pb.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "onnx_legalize/legalize.h"
#include "onnx_legalize/pass.h"

namespace onnx_legalize {

// A way to say in other operators what a node of one operator says. It is tried
// where the target can't run the node, before the library's own of the same
// exactness; of a domain that no schema is known of, on every node.
struct CustomLowering {
  std::string domain;  // "" is ai.onnx.
  std::string op_type;
  // since_versions; of a domain that no schema is known of, opset versions.
  int first_version = 1;
  int last_version = 1 << 20;
  Exactness exactness = Exactness::kEquivalent;
  std::string summary;  // What it does; in reports.
  // The nodes that take the node's place: a function whose inputs and outputs
  // are the node's, in order, at its own opset imports, without references to
  // attributes. A status that isn't OK declines; its message is the reason.
  // What comes is legalized in turn.
  std::function<absl::StatusOr<onnx::FunctionProto>(const Node& node)> lower;
};

class Registry {
 public:
  using MakePass = std::function<std::unique_ptr<Pass>()>;
  struct CustomPass {
    std::string name;
    std::string before;
    MakePass make;
  };

  // `name` is its flag and stands in reports. It runs before the pass that
  // `before` names, or last where the pipeline has none of that name. Fails for
  // a name that is taken.
  absl::Status AddPass(std::string name, std::string before, MakePass make);
  void AddLowering(CustomLowering lowering);

  absl::Span<const CustomPass> passes() const { return passes_; }
  absl::Span<const CustomLowering> lowerings() const { return lowerings_; }

 private:
  std::vector<CustomPass> passes_;
  std::vector<CustomLowering> lowerings_;
};

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_REGISTRY_H_
