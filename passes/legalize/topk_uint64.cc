// SPDX-License-Identifier: Apache-2.0
//
// TopK of uint64, which few runtimes have: its order is that of int64 when the
// first bit is turned.
//
//   before:  v, i = TopK-11 (x, k)                    # x: uint64
//   after:   c = Cast <to = INT64> (x)
//            s = Where (c < 0, c - MIN, c + MIN)
//            _, i = TopK-11 (s, k)   v = GatherElements (x, i)
//
// Declines other types.

#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "passes/legalize/body.h"

namespace onnx_legalize {

using onnx::TensorProto;

std::optional<std::string> TopKOfUint64(Body& b) {
  if (b.Type(0) != TensorProto::UINT64) return "it isn't of uint64";
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  std::string raw(sizeof(kMin), '\0');
  std::memcpy(raw.data(), &kMin, sizeof(kMin));
  const Ref least = b.Raw(TensorProto::INT64, {}, raw);
  // Cast keeps the bits.
  const Ref bits = b.Cast(b.In(0), TensorProto::INT64);
  const Ref turned = b.Where(b.Op("Less", {bits, b.Int(0)}), b.Sub(bits, least),
                             b.Add(bits, least));
  const Ref i = b.OpN("TopK", {turned, b.In(1)}, 2, b.AttributesWithout())[1];
  const int64_t axis = b.node().Int("axis", -1);
  Refs outputs = {b.Op("GatherElements", {b.In(0), i}, {{"axis", axis}}), i};
  outputs.resize(b.node().num_outputs());
  b.Return(outputs);
  return std::nullopt;
}

}  // namespace onnx_legalize
