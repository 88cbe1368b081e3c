// SPDX-License-Identifier: Apache-2.0
//
//   before:  y8 = Where (c, a8, b8)    y = Cast <to = bool> (y8)
//            z8 = Cast <to = uint8> (y)    t8 = Trilu (z8)      # a8, b8: of
//            bool
//   after:   y8 = Where (c, a8, b8)    t8 = Trilu (y8)
//
// A Cast there and back goes where the type between holds all values that can
// come: always if it is the wider one, else if the value was itself chosen
// among values cast from it (or from a type that it holds).

#include "passes/legalize/cancel_casts.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ops/exact_cast.h"

namespace onnx_legalize {
namespace {

// What these give is among what they are given, type by type, or zero.
constexpr absl::string_view kChoosing[] = {"Clip",
                                           "Compress",
                                           "Concat",
                                           "DepthToSpace",
                                           "Expand",
                                           "Flatten",
                                           "Gather",
                                           "GatherElements",
                                           "GatherND",
                                           "Identity",
                                           "Max",
                                           "Min",
                                           "Reshape",
                                           "Scatter",
                                           "ReverseSequence",
                                           "ScatterElements",
                                           "ScatterND",
                                           "Slice",
                                           "SpaceToDepth",
                                           "Split",
                                           "Squeeze",
                                           "Tile",
                                           "TopK",
                                           "Transpose",
                                           "Unsqueeze",
                                           "Where"};
constexpr int kMaxDepth = 32;

class Canceller {
 public:
  // Whether every element of `value` is one of type `elem_type`.
  bool Holds(const Value& value, int32_t elem_type, int depth = 0) {
    const Node* producer = value.producer();
    if (producer == nullptr || depth > kMaxDepth) return false;
    const auto key = std::make_pair(&value, elem_type);
    auto it = known_.find(key);
    if (it == known_.end()) {
      const bool holds = Holds(*producer, value, elem_type, depth);
      it = known_.emplace(key, holds).first;
    }
    return it->second;
  }

 private:
  bool Holds(const Node& producer, const Value& value, int32_t elem_type,
             int depth) {
    if (!producer.op().domain.empty()) return false;
    if (producer.Is("Cast")) {
      return CastIsExact(producer.input(0)->elem_type(), elem_type);
    }
    if (std::count(std::begin(kChoosing), std::end(kChoosing),
                   producer.op().op_type) == 0 ||
        &value != producer.output(0)) {
      return false;
    }
    bool any = false;
    for (int i = 0; i < producer.num_inputs(); ++i) {
      const Value* input = producer.input(i);
      if (input == nullptr || input->elem_type() != value.elem_type()) continue;
      if (!Holds(*input, elem_type, depth + 1)) return false;
      any = true;
    }
    return any;
  }

  absl::flat_hash_map<std::pair<const Value*, int32_t>, bool> known_;
};

}  // namespace

void CancelCasts(absl::Span<Node* const> casts, Rewriter& rewriter) {
  const absl::flat_hash_set<const Node*> ours(casts.begin(), casts.end());
  Canceller canceller;
  for (Node* cast : casts) {
    // The one before may have been taken along with its last reader.
    Value* between = cast->input(0);
    Value* result = cast->output(0);
    if (between == nullptr || result == nullptr || !result->has_uses() ||
        result->IsPinned()) {
      continue;
    }
    const Node* first = between->producer();
    if (first == nullptr || !ours.contains(first)) continue;
    Value* source = first->input(0);
    const int32_t type = source->elem_type();
    if (type == 0 || type != result->elem_type()) continue;
    if (CastIsExact(type, between->elem_type()) ||
        canceller.Holds(*source, between->elem_type())) {
      rewriter.ReplaceAllUses(*result, *source);
      rewriter.Erase(*cast);
    }
  }
}

}  // namespace onnx_legalize
