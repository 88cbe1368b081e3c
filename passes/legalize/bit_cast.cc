// SPDX-License-Identifier: Apache-2.0
//
// BitCast-26 between integers: a Cast keeps the bits of one as wide.
//
//   before:  y = BitCast <to = uint32> (x)      # x: int32
//   after:   y = Cast <to = uint32> (x)
//
// A cast to the type itself leaves nothing. Declines floats and bool, whose
// bits no older operator shows.

#include <optional>
#include <string>

#include "ir/element_bits.h"
#include "ops/exact_cast.h"
#include "passes/legalize/body.h"

namespace onnx_legalize {

std::optional<std::string> BitCastOfIntegers(Body& b) {
  const int32_t from = b.Type(0);
  const int32_t to = static_cast<int32_t>(b.node().Int("to", 0));
  if (from == to && from != 0) {
    b.Return({b.In(0)});
    return std::nullopt;
  }
  if (!IsIntegerElemType(from) || !IsIntegerElemType(to) ||
      ElementBits(from) != ElementBits(to)) {
    return "only between integers as wide a Cast keeps the bits";
  }
  b.Return({b.Cast(b.In(0), to)});
  return std::nullopt;
}

}  // namespace onnx_legalize
