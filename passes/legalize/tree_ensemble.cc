// SPDX-License-Identifier: Apache-2.0
//
// Version step of ai.onnx.ml's TreeEnsemble-5 to TreeEnsembleRegressor-3.
//
//   before:  y = TreeEnsemble <tree_roots, nodes_splits, leaf_weights, ...> (x)
//   after:   y = TreeEnsembleRegressor <nodes_values, target_weights, ...> (x)
//
// Leaves become nodes of mode LEAF. A membership test becomes a chain of
// equality tests, each with a copy of the branch for members.
//
// Declines other element types than float, trees that share nodes in a cycle or
// grow too large, and malformed ones.

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/constant.h"
#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

constexpr char kDomain[] = "ai.onnx.ml";
constexpr size_t kMaxNodes = 1 << 20;
constexpr size_t kMaxDepth = 4096;
constexpr int64_t kMember = 6;
const char* const kModes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                              "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};

class Trees {
 public:
  explicit Trees(const Body& b) : node_(b.node()) {}

  // False where the attributes are malformed.
  bool Read() {
    const auto ints = [&](const char* name) { return node_.Ints(name); };
    features_ = ints("nodes_featureids");
    true_nodes_ = ints("nodes_truenodeids");
    false_nodes_ = ints("nodes_falsenodeids");
    true_leafs_ = ints("nodes_trueleafs");
    false_leafs_ = ints("nodes_falseleafs");
    missing_ = ints("nodes_missing_value_tracks_true");
    leaf_targets_ = ints("leaf_targetids");
    roots_ = ints("tree_roots");
    const auto modes = Elements("nodes_modes");
    const auto splits = Elements("nodes_splits");
    const auto weights = Elements("leaf_weights");
    const size_t count = features_.size();
    if (!modes || !splits || !weights || modes->size() != count ||
        splits->size() != count || true_nodes_.size() != count ||
        false_nodes_.size() != count || true_leafs_.size() != count ||
        false_leafs_.size() != count ||
        weights->size() != leaf_targets_.size() ||
        (!missing_.empty() && missing_.size() != count)) {
      return false;
    }
    modes_ = *modes;
    splits_ = *splits;
    weights_ = *weights;
    return ReadMembers();
  }

  // Writes every tree anew; a reason where that can't be.
  std::optional<std::string> Flatten() {
    for (size_t tree = 0; tree < roots_.size(); ++tree) {
      next_id_ = 0;
      if (!Visit(static_cast<int64_t>(tree), roots_[tree], false, 0)) {
        return "its trees are malformed or too large";
      }
    }
    return std::nullopt;
  }

  Attributes Result() const {
    return {{"nodes_treeids", tree_ids_},
            {"nodes_nodeids", node_ids_},
            {"nodes_featureids", out_features_},
            StringsAttribute("nodes_modes", out_modes_),
            FloatsAttribute("nodes_values", values_),
            {"nodes_truenodeids", out_true_},
            {"nodes_falsenodeids", out_false_},
            {"nodes_missing_value_tracks_true", out_missing_},
            {"target_treeids", target_trees_},
            {"target_nodeids", target_nodes_},
            {"target_ids", target_ids_},
            FloatsAttribute("target_weights", target_weights_)};
  }

 private:
  std::optional<std::vector<double>> Elements(const char* name) const {
    const Attribute* attribute = node_.attribute(name);
    if (attribute == nullptr || attribute->tensor() == nullptr) {
      return std::nullopt;
    }
    return FloatElements(*attribute->tensor(), kMaxNodes);
  }

  // Sets of members, one a node of that mode, end with NaN each.
  bool ReadMembers() {
    members_.resize(modes_.size());
    const auto values = Elements("membership_values");
    size_t at = 0;
    for (size_t i = 0; i < modes_.size(); ++i) {
      if (modes_[i] != kMember) continue;
      if (!values) return false;
      while (at < values->size() && !std::isnan((*values)[at])) {
        members_[i].push_back((*values)[at++]);
      }
      ++at;
    }
    return true;
  }

  // Returns the place of the written node, or nothing.
  std::optional<int64_t> Add(int64_t tree, const std::string& mode,
                             int64_t feature, double value, int64_t missing) {
    if (node_ids_.size() >= kMaxNodes) return std::nullopt;
    tree_ids_.push_back(tree);
    node_ids_.push_back(next_id_++);
    out_features_.push_back(feature);
    out_modes_.push_back(mode);
    values_.push_back(static_cast<float>(value));
    out_missing_.push_back(missing);
    out_true_.push_back(0);
    out_false_.push_back(0);
    return static_cast<int64_t>(node_ids_.size()) - 1;
  }

  // Writes a node or leaf and all below it; its id within the tree.
  std::optional<int64_t> Visit(int64_t tree, int64_t index, bool is_leaf,
                               size_t depth) {
    if (depth > kMaxDepth || index < 0) return std::nullopt;
    const size_t i = static_cast<size_t>(index);
    if (is_leaf) {
      if (i >= weights_.size()) return std::nullopt;
      const auto at = Add(tree, "LEAF", 0, 0, 0);
      if (!at) return std::nullopt;
      target_trees_.push_back(tree);
      target_nodes_.push_back(node_ids_[*at]);
      target_ids_.push_back(leaf_targets_[i]);
      target_weights_.push_back(static_cast<float>(weights_[i]));
      return node_ids_[*at];
    }
    if (i >= modes_.size()) return std::nullopt;
    const bool member = modes_[i] == kMember;
    if (!member && (modes_[i] < 0 || modes_[i] > 5)) return std::nullopt;
    const std::vector<double> tests =
        member ? members_[i] : std::vector<double>{splits_[i]};
    if (tests.empty()) {
      return Visit(tree, false_nodes_[i], false_leafs_[i] != 0, depth + 1);
    }
    std::optional<int64_t> first, last;
    for (double value : tests) {
      const auto at =
          Add(tree, member ? "BRANCH_EQ" : kModes[int(modes_[i])], features_[i],
              value, missing_.empty() ? 0 : missing_[i]);
      if (!at) return std::nullopt;
      if (last) out_false_[*last] = node_ids_[*at];
      if (!first) first = at;
      last = at;
      const auto yes =
          Visit(tree, true_nodes_[i], true_leafs_[i] != 0, depth + 1);
      if (!yes) return std::nullopt;
      out_true_[*at] = *yes;
    }
    const auto no =
        Visit(tree, false_nodes_[i], false_leafs_[i] != 0, depth + 1);
    if (!no) return std::nullopt;
    out_false_[*last] = *no;
    return node_ids_[*first];
  }

  const Node& node_;
  std::vector<int64_t> features_, true_nodes_, false_nodes_, true_leafs_,
      false_leafs_, missing_, leaf_targets_, roots_;
  std::vector<double> modes_, splits_, weights_;
  std::vector<std::vector<double>> members_;
  int64_t next_id_ = 0;
  std::vector<int64_t> tree_ids_, node_ids_, out_features_, out_true_,
      out_false_, out_missing_, target_trees_, target_nodes_, target_ids_;
  std::vector<std::string> out_modes_;
  std::vector<float> values_, target_weights_;
};

}  // namespace

std::optional<std::string> TreeEnsembleAsRegressor(Body& b) {
  if (b.Type(0) != onnx::TensorProto::FLOAT) {
    return "TreeEnsembleRegressor computes in float only";
  }
  const int64_t aggregate = b.node().Int("aggregate_function", 1);
  const int64_t transform = b.node().Int("post_transform", 0);
  const char* const aggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  const char* const transforms[] = {"NONE", "SOFTMAX", "LOGISTIC",
                                    "SOFTMAX_ZERO", "PROBIT"};
  if (aggregate < 0 || aggregate > 3 || transform < 0 || transform > 4) {
    return "its aggregate_function or post_transform is none that is known";
  }
  Trees trees(b);
  if (!trees.Read()) return "its trees are malformed or too large";
  if (auto declined = trees.Flatten()) return declined;
  Attributes attributes = trees.Result();
  attributes.push_back({"n_targets", b.node().Int("n_targets", 1)});
  attributes.push_back({"aggregate_function", aggregates[aggregate]});
  attributes.push_back({"post_transform", transforms[transform]});
  b.SetDomainOpset(kDomain, 3);
  b.Return(b.OpN("TreeEnsembleRegressor", {b.In(0)}, 1, attributes, kDomain));
  return std::nullopt;
}

}  // namespace onnx_legalize
