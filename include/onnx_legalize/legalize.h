// SPDX-License-Identifier: Apache-2.0
//
// The main job as a library call: legalize a model for a target, and report
// what was done. Thread-safe for distinct models; there is no global state.

#ifndef ONNX_LEGALIZE_LEGALIZE_H_
#define ONNX_LEGALIZE_LEGALIZE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx_legalize/graph.h"

namespace onnx_legalize {

class Registry;

// How faithful a rewrite is.
enum class Exactness {
  kExact,       // Bit-equal results.
  kEquivalent,  // The op's own formula: only rounding may differ.
  kInexact,     // Differs; only done when asked for.
};
absl::string_view ExactnessName(Exactness exactness);  // "exact", ...

// One thing a pass did. `node` is as the user knows it: the replaced node's
// name, or, for an unnamed node, its first output's.
struct RewriteRecord {
  std::string pass;
  std::string node;
  std::string op;    // e.g. "Conv"; "" where no node is concerned.
  std::string what;  // What was done and why, in one line.
  Exactness exactness = Exactness::kExact;
};

// A node that stays illegal on the target, with the reason.
struct IllegalNode {
  std::string node;
  std::string op;   // "Trilu", or "domain::op" outside ai.onnx.
  int version = 0;  // Opset version that it is read at.
  std::string
      types;  // Of its inputs, e.g. "tensor(string)[2,3], tensor(int64)[]".
  std::string reason;
};

struct PassStatistics {
  std::string pass;
  bool changed = false;
  int64_t rewrites = 0;
  double seconds = 0;
};

struct Report {
  std::string target;
  std::map<std::string, int64_t> ops_before;  // Op -> count, all graphs.
  std::map<std::string, int64_t> ops_after;
  std::vector<PassStatistics> passes;  // In the order they ran.
  std::vector<RewriteRecord> rewrites;
  std::vector<std::string> notes;     // What the user should know.
  std::vector<std::string> warnings;  // What the user should look at.
  std::vector<IllegalNode> illegal;   // Not empty: not legal on the target.
  std::vector<std::string>
      explanations;  // With Options::explain: each decline.
  bool changed = false;
  bool legal() const { return illegal.empty(); }
  // The same facts as JSON (schema: docs/report.md).
  std::string ToJson() const;
};

// Where asymmetric explicit padding goes.
enum class Padding {
  kAuto,       // Attribute where symmetric or needed, otherwise a Pad node.
  kAttribute,  // Always the `pads` attribute.
  kNode,       // Always a Pad node where a Pad can express it.
};

struct Options {
  std::string target = "portable";
  // Passes to run instead of the target's pipeline; {"none"} runs nothing.
  std::optional<std::vector<std::string>> passes;
  std::vector<std::string> skip_passes;
  // Input name -> shape; -1 leaves a dimension as it is.
  std::vector<std::pair<std::string, std::vector<int64_t>>> input_shapes;
  // Scalar input to remove -> the value and axis that it restates.
  struct DerivedInput {
    std::string input;
    std::string value;
    int axis = 0;
  };
  std::vector<DerivedInput> derived_inputs;
  Padding padding = Padding::kAuto;
  // An incompatible declared output shape is an error instead of corrected.
  bool strict = false;
  bool verify_each = false;  // Verify the graph after every pass.
  bool explain = false;      // Record every decline.
  // The version of ai.onnx that the output must have; 0: the target decides.
  int opset = 0;
  // Rewrites that change values beyond rounding are taken where nothing better
  // makes the model legal.
  bool allow_inexact = false;
  // Files of lowerings in ONNX's text syntax (docs/writing_a_lowering.md).
  std::vector<std::string> lowerings;
  // The caller's own passes and lowerings (registry.h); null: none.
  std::shared_ptr<const Registry> registry;
};

// What Legalize would refuse of `options` whatever the model: an unknown target
// or pass, or options that contradict one another.
absl::Status CheckOptions(const Options& options);

// Rewrites `model` until `options.target` can run it. An error status means bad
// input (e.g. unknown pass or target, an invalid model); a model that stays
// illegal is not an error status: see Report::illegal; on a target other than
// portable it is then left as it was read. Where a first way leads nowhere,
// `model` is read anew from its source and replaced: pointers into it are then
// void.
absl::StatusOr<Report> Legalize(std::unique_ptr<Model>& model,
                                const Options& options);

struct ReadOptions {
  // Follow external data through symlinks that leave the model's folder.
  bool allow_external_symlinks = false;
};
// Reads an ONNX file by mapping it. Errors name the file, the place in it and
// what to do.
absl::StatusOr<std::unique_ptr<Model>> ReadModel(
    const std::string& path, const ReadOptions& options = {});
// The same from bytes; external data is refused unless `directory` is given.
absl::StatusOr<std::unique_ptr<Model>> ParseModel(
    std::string bytes, std::optional<std::string> directory = std::nullopt,
    const ReadOptions& options = {});

// The model as it was read, without what was done to it since. Both share the
// bytes.
absl::StatusOr<std::unique_ptr<Model>> RereadModel(const Model& model);

// Writes to a temporary file beside `path`, syncs it and renames it. External
// data files are brought along where `path` lies in another folder.
absl::Status WriteModel(const Model& model, const std::string& path);
// The bytes that WriteModel would write, external data left where it is.
absl::StatusOr<std::string> SerializeModel(const Model& model);

struct FileOptions : Options {
  ReadOptions read;
  bool allow_illegal = false;  // Write even what stays illegal.
};
// Reads `input`, legalizes it, and writes `output` unless it stays illegal.
absl::StatusOr<Report> LegalizeFile(const std::string& input,
                                    const std::string& output,
                                    const FileOptions& options);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_LEGALIZE_H_
