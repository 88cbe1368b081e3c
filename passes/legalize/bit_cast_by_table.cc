// SPDX-License-Identifier: Apache-2.0
//
// BitCast-26 of bool, whose bytes are 0 and 1, and to the floats of 8 and 16
// bits, all of which fit in a table.
//
//   before:  y = BitCast <to = float16> (x)               # x: int16
//   after:   y = Gather (table, Mod (Cast <to = int64> (x), 65536))
//
// Declines others: no older operator shows a float's bits, nor makes every NaN.

#include <cstdint>
#include <optional>
#include <string>

#include "ir/element_bits.h"
#include "ops/exact_cast.h"
#include "passes/legalize/body.h"

namespace onnx_legalize {

using onnx::TensorProto;

std::optional<std::string> BitCastByTable(Body& b) {
  const int32_t from = b.Type(0);
  const auto to = static_cast<int32_t>(b.node().Int("to", 0));
  if (from == TensorProto::BOOL &&
      (to == TensorProto::UINT8 || to == TensorProto::INT8)) {
    b.Return({b.Cast(b.In(0), to)});
    return std::nullopt;
  }
  constexpr int kByte = 8, kMostBits = 16;
  const int bits = ElementBits(from);
  if (!IsIntegerElemType(from) || IsIntegerElemType(to) ||
      to == TensorProto::BOOL || ElementBits(to) != bits ||
      (bits != kByte && bits != kMostBits)) {
    return "only floats of 8 and 16 bits are looked up by their bits";
  }
  const int64_t size = int64_t{1} << bits;
  std::string table;
  for (int64_t i = 0; i < size; ++i) {
    table.push_back(static_cast<char>(i & 0xFF));
    if (bits == kMostBits) table.push_back(static_cast<char>(i >> kByte));
  }
  const Ref place =
      b.Op("Mod", {b.Cast(b.In(0), TensorProto::INT64), b.Int(size)});
  b.Return({b.Gather(b.Raw(to, {size}, table), place, 0)});
  return std::nullopt;
}

}  // namespace onnx_legalize
