// SPDX-License-Identifier: Apache-2.0

#include "targets/node_facts.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "ops/constant.h"

namespace onnx_legalize {
namespace {

// Some stride is greater than the kernel along its axis.
Truth StridesExceedKernel(const Node& node) {
  const std::vector<int64_t> strides = node.Ints("strides");
  std::vector<int64_t> kernel = node.Ints("kernel_shape");
  if (strides.empty()) return Truth::kNo;
  if (kernel.empty() && node.input(1) != nullptr) {
    const auto shape = node.input(1)->static_shape();
    if (!shape.has_value()) return Truth::kUnknown;
    for (size_t i = 2; i < shape->size(); ++i) kernel.push_back((*shape)[i]);
  }
  for (size_t i = 0; i < strides.size() && i < kernel.size(); ++i) {
    if (strides[i] > kernel[i]) return Truth::kYes;
  }
  return Truth::kNo;
}

// Resize: an axis before the last two (three, of rank 5) is scaled.
Truth ScalesOuter(const Node& node) {
  const Value* x = node.input(0);
  if (x == nullptr || !x->rank().has_value()) return Truth::kUnknown;
  const int rank = *x->rank();
  const int inner = rank == 5 ? 3 : 2;
  const Value* y = node.output(0);
  if (y != nullptr && y->rank() == rank) {
    bool all_known = true;
    for (int i = 0; i < rank - inner; ++i) {
      const auto in = x->dim(i), out = y->dim(i);
      all_known &= in.has_value() && out.has_value();
      if (in.has_value() && out.has_value() && *in != *out) return Truth::kYes;
    }
    if (all_known) return Truth::kNo;
  }
  const Value* scales = node.input(node.num_inputs() > 2 ? 2 : 1);
  const Tensor* tensor = scales == nullptr ? nullptr : ConstantTensor(*scales);
  if (tensor == nullptr) return Truth::kUnknown;
  const auto elements = FloatElements(*tensor);
  if (!elements.has_value() || static_cast<int>(elements->size()) != rank) {
    return Truth::kUnknown;
  }
  for (int i = 0; i < rank - inner; ++i) {
    if ((*elements)[i] != 1) return Truth::kYes;
  }
  return Truth::kNo;
}

// Resize: some length times its scale isn't whole.
Truth ScalesFraction(const Node& node) {
  const Value* scales = node.input(node.num_inputs() > 2 ? 2 : 1);
  if (scales == nullptr || node.input(3) != nullptr) return Truth::kNo;
  const Tensor* tensor = ConstantTensor(*scales);
  const auto elements =
      tensor == nullptr ? std::nullopt : FloatElements(*tensor);
  if (!elements.has_value()) return Truth::kUnknown;
  Truth truth = Truth::kNo;
  const bool all_axes = !node.HasAttribute("axes");
  for (size_t i = 0; i < elements->size(); ++i) {
    const double scale = (*elements)[i];
    if (scale == std::floor(scale)) continue;
    const auto length = all_axes && node.input(0) != nullptr
                            ? node.input(0)->dim(static_cast<int>(i))
                            : std::nullopt;
    if (!length.has_value()) {
      truth = std::max(truth, Truth::kUnknown);
    } else if (*length * scale != std::floor(*length * scale)) {
      truth = Truth::kYes;
    }
  }
  return truth;
}

// Whether the output is known to have lost, or to have, all axes in `zero`.
Truth ZeroGoes(const Node& node, const std::vector<bool>& zero) {
  const Value* y = node.output(0);
  if (y == nullptr || !y->rank().has_value()) return Truth::kUnknown;
  int kept = 0, unknown = 0;
  for (int i = 0; i < *y->rank(); ++i) {
    kept += y->dim(i) == 0;
    unknown += !y->dim(i).has_value();
  }
  const int zeros = std::count(zero.begin(), zero.end(), true);
  if (kept == zeros) return Truth::kNo;
  return unknown == 0 ? Truth::kYes : Truth::kUnknown;
}

// Of a reduction: an axis that goes has no elements. Dimensions that aren't
// known are taken to have some.
Truth AxesZero(const Node& node) {
  const Value* x = node.input(0);
  if (x == nullptr || !x->rank().has_value()) return Truth::kNo;
  const int rank = *x->rank();
  std::vector<bool> zero(rank);
  for (int i = 0; i < rank; ++i) zero[i] = x->dim(i) == 0;
  if (std::count(zero.begin(), zero.end(), true) == 0) return Truth::kNo;
  std::optional<std::vector<int64_t>> axes;
  if (node.HasAttribute("axes")) {
    axes = node.Ints("axes");
  } else if (node.input(1) != nullptr) {
    axes = ConstantInts(*node.input(1));
    if (!axes.has_value()) return ZeroGoes(node, zero);
  }
  if (!axes.has_value()) return Truth::kYes;  // All of them go.
  return std::any_of(axes->begin(), axes->end(),
                     [&](int64_t axis) {
                       if (axis < 0) axis += rank;
                       return axis >= 0 && axis < rank && zero[axis];
                     })
             ? Truth::kYes
             : Truth::kNo;
}

// CumSum: the axis may have one element only.
Truth AxisMayBeSingle(const Node& node) {
  const Value *x = node.input(0), *axis = node.input(1);
  if (x == nullptr || axis == nullptr || !x->rank().has_value()) {
    return Truth::kYes;
  }
  const int rank = *x->rank();
  const auto known = ConstantInts(*axis);
  for (int i = 0; i < rank; ++i) {
    const bool other = known.has_value() && known->size() == 1 &&
                       (*known)[0] != i && (*known)[0] + rank != i;
    const auto dim = x->dim(i);
    if (!other && (!dim.has_value() || *dim == 1)) return Truth::kYes;
  }
  return Truth::kNo;
}

// Attention: the mask covers fewer keys than there are.
Truth MaskShort(const Node& node) {
  const Value *keys = node.input(1), *mask = node.input(3),
              *past = node.input(4);
  if (keys == nullptr || mask == nullptr) return Truth::kNo;
  if (!keys->rank().has_value() || !mask->rank().has_value()) {
    return Truth::kUnknown;
  }
  const auto length = keys->dim(*keys->rank() - 2);
  const auto covered = mask->dim(*mask->rank() - 1);
  if (!length.has_value() || !covered.has_value()) return Truth::kUnknown;
  int64_t past_length = 0;
  if (past != nullptr) {
    const auto dim = past->rank() == 4 ? past->dim(2) : std::nullopt;
    if (!dim.has_value()) return Truth::kUnknown;
    past_length = *dim;
  }
  return *covered < *length + past_length ? Truth::kYes : Truth::kNo;
}

}  // namespace

NodeFact FindNodeFact(absl::string_view key) {
  static const absl::flat_hash_map<absl::string_view, NodeFact>* const facts =
      new absl::flat_hash_map<absl::string_view, NodeFact>{
          {"axes.zero", AxesZero},
          {"axis.may_be_single", AxisMayBeSingle},
          {"mask.short", MaskShort},
          {"scales.fraction", ScalesFraction},
          {"scales.outer", ScalesOuter},
          {"strides.exceed_kernel", StridesExceedKernel},
      };
  auto it = facts->find(key);
  return it == facts->end() ? nullptr : it->second;
}

// Whether an integer of the value may be less than `limit`: not where all are
// known, or come of a Max with something that isn't.
bool MayBeBelow(const Value& value, double limit) {
  if (const auto known = ConstantInts(value)) {
    return std::any_of(known->begin(), known->end(), [&](int64_t v) {
      return static_cast<double>(v) < limit;
    });
  }
  const Node* producer = value.producer();
  if (producer == nullptr || !producer->Is("Max")) return true;
  for (int i = 0; i < producer->num_inputs(); ++i) {
    const Value* operand = producer->input(i);
    if (operand != nullptr && !MayBeBelow(*operand, limit)) return false;
  }
  return true;
}

// Einsum: what profile_schema.json calls the kind of an equation, as far as
// runtimes were found to refuse it.
bool EquationIs(const Node& node, absl::string_view kind) {
  const std::string equation = node.String("equation", "");
  if (kind == "upper") {
    return std::any_of(equation.begin(), equation.end(),
                       [](char c) { return c >= 'A' && c <= 'Z'; });
  }
  if (kind != "ellipsis") return false;
  // Ellipses that stand for unequally many dimensions.
  std::optional<int> dims;
  const std::string inputs = equation.substr(0, equation.find("->"));
  std::vector<std::string> terms = absl::StrSplit(inputs, ',');
  for (int i = 0; i < static_cast<int>(terms.size()); ++i) {
    if (!absl::StrContains(terms[i], "...")) continue;
    const int labels = std::count_if(terms[i].begin(), terms[i].end(),
                                     [](char c) { return std::isalpha(c); });
    const Value* operand = node.input(i);
    if (operand == nullptr || !operand->rank().has_value()) return false;
    const int covered = *operand->rank() - labels;
    if (dims.has_value() && *dims != covered) return true;
    dims = covered;
  }
  return false;
}

}  // namespace onnx_legalize
