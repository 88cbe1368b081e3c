// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/dummy_lengths.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "passes/legalize/size_input.h"

namespace onnx_legalize {
namespace {

// What can change a value, from least to most.
enum class Dependence { kNothing, kShapes, kData };

bool HasSubgraph(const Node& node) {
  return std::any_of(node.attributes().begin(), node.attributes().end(),
                     [](const Attribute* a) { return !a->graphs().empty(); });
}

// Whether two runs of the node with equal inputs may differ, as far as is
// known.
bool MayBeRandom(const Node& node) {
  const Operator& op = node.op();
  return !op.domain.empty() || HasSubgraph(node) ||
         absl::StartsWith(op.op_type, "Random") || node.Is("Bernoulli") ||
         node.Is("Multinomial") || node.Is("Dropout");
}

// What can change `value` by itself; what its producer reads goes to `pending`.
Dependence OwnDependence(const Value& value, std::vector<Value*>& pending) {
  if (value.IsGraphInput()) {
    return value.ConstantInitializer() != nullptr ? Dependence::kNothing
                                                  : Dependence::kData;
  }
  Node* node = value.producer();
  if (node == nullptr) return Dependence::kNothing;  // An initializer.
  if (MayBeRandom(*node)) return Dependence::kData;
  if (node->Is("Shape") || node->Is("Size")) {
    const Value* tensor = node->input(0);
    return tensor != nullptr && tensor->static_shape().has_value()
               ? Dependence::kNothing
               : Dependence::kShapes;
  }
  for (int i = 0; i < node->num_inputs(); ++i) {
    if (node->input(i) != nullptr) pending.push_back(node->input(i));
  }
  return Dependence::kNothing;
}

Dependence DependenceOf(Value& value) {
  Dependence result = Dependence::kNothing;
  std::vector<Value*> pending = {&value};
  absl::flat_hash_set<const Value*> visited;
  while (!pending.empty() && result != Dependence::kData) {
    const Value* next = pending.back();
    pending.pop_back();
    if (visited.insert(next).second) {
      result = std::max(result, OwnDependence(*next, pending));
    }
  }
  return result;
}

}  // namespace

void ReportDummyLengths(const Graph& graph, Report& report) {
  for (int i = 0; i < graph.num_outputs(); ++i) {
    Value* output = graph.output(i);
    if (output == nullptr || output->rank() == 0) continue;
    const std::optional<SizeName> name = ParseSizeName(output->name());
    // Axis 0 is the batch: its size is one number, and no sequence lengths.
    if (!name.has_value() || name->axis == 0) continue;
    const Dependence dependence = DependenceOf(*output);
    if (dependence == Dependence::kNothing) {
      report.warnings.push_back(absl::StrCat(
          "output '", output->name(),
          "' is a constant dummy: no input changes it, so it does not hold the "
          "lengths of what is fed"));
    } else if (dependence == Dependence::kShapes) {
      report.notes.push_back(absl::StrCat(
          "output '", output->name(),
          "' is a dummy: it follows from the shapes of the inputs alone, and "
          "gives every sequence the same length"));
    }
  }
}

}  // namespace onnx_legalize
