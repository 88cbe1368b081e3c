// SPDX-License-Identifier: Apache-2.0
//
// A profile: what was measured of a runtime (python -m onnx_legalize.probe).
// Its schema: python/onnx_legalize/profile_schema.json.

#ifndef ONNX_LEGALIZE_TARGETS_PROFILE_H_
#define ONNX_LEGALIZE_TARGETS_PROFILE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace onnx_legalize {

// Types by variable of a schema ("T1" -> {"tensor(float)", ...}): a kernel runs
// every combination.
using TypeProduct = std::map<std::string, std::vector<std::string>>;

// A class of nodes that a probe showed to be refused, to crash or to come out
// wrong. `when` holds conditions as in profile_schema.json; all must hold.
struct Constraint {
  std::string name;
  std::vector<int> versions;  // since_versions of the operator; {} is all.
  nlohmann::json when;
  std::string result;  // "refused", "wrong" or "crash".
  std::string message;
};

struct OperatorProfile {
  std::map<int, std::vector<TypeProduct>> versions;  // By since_version.
  std::vector<Constraint> constraints;
};

struct Profile {
  std::string name;
  int64_t ir_version = 0;  // The highest it reads.
  // Domain -> the highest opset that works, and the highest that is accepted:
  // at one in between some operators have no kernel.
  absl::flat_hash_map<std::string, int> opsets, accepted_opsets;
  bool functions = false;  // Runs model-local functions.
  // "Conv", or "ai.onnx.ml:LabelEncoder".
  absl::flat_hash_map<std::string, OperatorProfile> operators;

  // Null where nothing was measured of it.
  const OperatorProfile* Find(absl::string_view domain,
                              absl::string_view op_type) const;
};

// `where` names the source in messages.
absl::StatusOr<std::shared_ptr<const Profile>> ParseProfile(
    absl::string_view json, absl::string_view where);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_TARGETS_PROFILE_H_
