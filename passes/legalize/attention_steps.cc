// SPDX-License-Identifier: Apache-2.0
//
// Version steps between Attention-23 and Attention-24.
//
//   before:  y = Attention-24 (q, k, v, mask)     # mask: as long as k
//   after:   y = Attention-23 (q, k, v, mask)
//
// Declines a mask that may be shorter than the keys, which 24 pads and 23
// broadcasts, and going down with nonpad_kv_seqlen.

#include <optional>
#include <string>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

constexpr int kMask = 3, kPastKey = 4, kNonPad = 6;

// The mask, if there is one, is as long as the keys.
bool MaskIsWhole(const Body& b) {
  if (!b.Has(kMask)) return true;
  const std::optional<int> rank = b.Rank(kMask);
  if (!rank.has_value() || *rank < 2 || !b.Rank(1).has_value()) return false;
  const auto fresh = b.Dim(1, *b.Rank(1) - 2);
  const auto past = b.Has(kPastKey) ? b.Dim(kPastKey, 2) : 0;
  const auto length = b.Dim(kMask, *rank - 1);
  return length && fresh && past && *length == *fresh + *past;
}

std::optional<std::string> ReadAs(Body& b, int version) {
  if (!MaskIsWhole(b)) {
    return "Attention-24 pads a mask that is shorter than the keys, "
           "Attention-23 broadcasts it, and this one may be";
  }
  if (version == 23 && b.Has(kNonPad)) {
    return "Attention-23 has no nonpad_kv_seqlen";
  }
  b.SetOpset(version);
  Refs inputs;
  for (int i = 0; i < b.num_inputs(); ++i) inputs.push_back(b.In(i));
  const int count = b.node().num_outputs();
  const Refs made = b.OpN("Attention", inputs, count, b.AttributesWithout());
  Refs outputs;
  for (int i = 0; i < count; ++i) {
    outputs.push_back(b.OutputUsed(i) ? made[i] : "");
  }
  b.Return(outputs);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> AttentionTo23(Body& b) { return ReadAs(b, 23); }
std::optional<std::string> AttentionTo24(Body& b) { return ReadAs(b, 24); }

}  // namespace onnx_legalize
