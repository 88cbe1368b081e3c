// SPDX-License-Identifier: Apache-2.0

#include "passes/report.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace onnx_legalize {

using Json = nlohmann::ordered_json;

std::string NodeLabel(const Node& node) {
  if (!node.name().empty()) return std::string(node.name());
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (node.output(i) != nullptr) return std::string(node.output(i)->name());
  }
  return "";
}

std::string OpLabel(const Operator& op) {
  return op.domain.empty() ? op.op_type
                           : absl::StrCat(op.domain, "::", op.op_type);
}

IllegalNode MakeIllegalNode(const Node& node, std::string reason) {
  std::vector<std::string> types;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Value* input = node.input(i);
    types.push_back(input == nullptr ? "absent" : TypeString(input->type()));
  }
  IllegalNode illegal;
  illegal.node = NodeLabel(node);
  illegal.op = OpLabel(node.op());
  illegal.version = node.op().version;
  illegal.types = absl::StrJoin(types, ", ");
  illegal.reason = std::move(reason);
  return illegal;
}

std::map<std::string, int64_t> CountOps(const Model& model) {
  std::vector<int64_t> counts(model.operators().size());
  for (const Graph* graph : AllGraphs(model)) {
    for (const Node* n = graph->first_node(); n != nullptr; n = n->next()) {
      ++counts[n->op().index];
    }
  }
  std::map<std::string, int64_t> result;
  for (const Operator* op : model.operators()) {
    if (counts[op->index] > 0) result[OpLabel(*op)] += counts[op->index];
  }
  return result;
}

absl::string_view ExactnessName(Exactness exactness) {
  switch (exactness) {
    case Exactness::kExact:
      return "exact";
    case Exactness::kEquivalent:
      return "equivalent";
    case Exactness::kInexact:
      return "inexact";
  }
  return "";
}

std::string Report::ToJson() const {
  Json json;
  json["schema"] = 1;
  json["target"] = target;
  json["legal"] = legal();
  json["changed"] = changed;
  json["ops_before"] = ops_before;
  json["ops_after"] = ops_after;
  json["passes"] = Json::array();
  for (const PassStatistics& pass : passes) {
    json["passes"].push_back({{"pass", pass.pass},
                              {"changed", pass.changed},
                              {"rewrites", pass.rewrites},
                              {"seconds", pass.seconds}});
  }
  json["rewrites"] = Json::array();
  for (const RewriteRecord& rewrite : rewrites) {
    json["rewrites"].push_back(
        {{"pass", rewrite.pass},
         {"node", rewrite.node},
         {"op", rewrite.op},
         {"what", rewrite.what},
         {"exactness", std::string(ExactnessName(rewrite.exactness))}});
  }
  json["illegal"] = Json::array();
  for (const IllegalNode& node : illegal) {
    json["illegal"].push_back({{"node", node.node},
                               {"op", node.op},
                               {"version", node.version},
                               {"types", node.types},
                               {"reason", node.reason}});
  }
  json["notes"] = notes;
  json["warnings"] = warnings;
  json["explanations"] = explanations;
  // Names needn't be UTF-8 in a damaged file; JSON must be.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace onnx_legalize
