// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/opset_choice.h"

#include <algorithm>
#include <utility>

#include "ops/onnx_boundary.h"

namespace onnx_legalize {
namespace {

// Below this, versions of operators differ so much that no runtime we measure
// wants them.
constexpr int kLowestOpset = 7;
constexpr int kLowestMl = 3;
constexpr size_t kMaxChoices = 4;

// How many nodes something must be done about. Types aren't inferred yet where
// this is asked before inference; what isn't known counts as fine.
int64_t CountIllegal(const Target& target, const Model& model,
                     const OpsetImports& imports) {
  Legality legality(target, model, imports);
  int64_t count = 0;
  for (const Graph* graph : AllGraphs(model)) {
    for (const Node* n = graph->first_node(); n != nullptr; n = n->next()) {
      count += legality.Fault(*n).has_value();
    }
  }
  return count;
}

int HighestOf(const Target& target, const Options& options,
              const std::string& domain) {
  if (domain.empty() && options.opset != 0) return options.opset;
  if (domain.empty() && target.opset != 0) return target.opset;
  if (target.profile == nullptr) return NewestOpset(domain);
  auto it = target.profile->opsets.find(domain);
  return it == target.profile->opsets.end() ? 0 : it->second;
}

// The highest opset of ai.onnx whose import the target accepts at all.
int AcceptedOf(const Target& target, int highest) {
  if (target.profile == nullptr) return highest;
  auto it = target.profile->accepted_opsets.find("");
  return it == target.profile->accepted_opsets.end()
             ? highest
             : std::max(highest, it->second);
}

}  // namespace

OpsetImports ModelImports(const Model& model) {
  OpsetImports imports;
  for (const std::string& domain : {std::string(), std::string("ai.onnx.ml")}) {
    const int version = model.opset_version(domain);
    if (version != 0) imports[domain] = version;
  }
  return imports;
}

std::vector<OpsetImports> ChooseOpsets(const Target& target,
                                       const Options& options,
                                       const Model& model) {
  OpsetImports base;
  const std::string ml = "ai.onnx.ml";
  const int have_ml = model.opset_version(ml);
  const int highest_ml = HighestOf(target, options, ml);
  if (have_ml != 0 && highest_ml != 0) base[ml] = std::min(have_ml, highest_ml);
  const int have = model.opset_version("");
  const int highest = HighestOf(target, options, "");
  const bool fixed = options.opset != 0 || target.opset != 0;
  std::vector<int> opsets;
  if (have != 0 && have <= AcceptedOf(target, highest) && !fixed) {
    OpsetImports own = base;
    own[""] = have;
    // Above the highest only what needs nothing lowered stays.
    if (have <= highest || CountIllegal(target, model, own) == 0) {
      opsets.push_back(have);
    }
  }
  for (int opset = highest; opset >= (fixed ? highest : kLowestOpset);
       --opset) {
    if (opset != have) opsets.push_back(opset);
  }
  std::vector<std::pair<int64_t, OpsetImports>> ranked;
  for (int opset : opsets) {
    OpsetImports imports = base;
    imports[""] = opset;
    const int64_t illegal = CountIllegal(target, model, imports);
    ranked.emplace_back(illegal, std::move(imports));
    if (illegal == 0) break;
  }
  // The highest opset always stays among the choices.
  std::stable_sort(
      ranked.begin(), ranked.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<OpsetImports> choices;
  for (auto& [illegal, imports] : ranked) {
    if (choices.size() < kMaxChoices || imports[""] == highest) {
      choices.push_back(std::move(imports));
    }
  }
  // Last, other versions of ai.onnx.ml: what it deprecated, an older one has.
  if (have_ml != 0) {
    for (int version = highest_ml; version >= kLowestMl; --version) {
      if (version == base[ml]) continue;
      OpsetImports imports = choices.front();
      imports[ml] = version;
      choices.push_back(std::move(imports));
    }
  }
  return choices;
}

}  // namespace onnx_legalize
