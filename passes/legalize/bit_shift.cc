// SPDX-License-Identifier: Apache-2.0
//
// BitShift of signed integers and uint16 by arithmetic in int64.
//
//   before:  z = BitShift <direction = "RIGHT"> (x, y)       # int8
//   after:   p = Gather ([1, 2, 4, ...], y)
//            z = (x - Mod (x, p)) / p                        # floor (x / p)
//
// To the left it is x * p, moved into the type's range. Where y is negative or
// not below the width, BitShift-28 gives the sign's extension: -1 for a
// negative x shifted right, else 0.
//
// Declines the unsigned types that kernels are for.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/element_bits.h"
#include "passes/legalize/body.h"

namespace onnx_legalize {

using onnx::TensorProto;

std::optional<std::string> BitShiftByArithmetic(Body& b) {
  const int32_t type = b.Type(0);
  if (type != TensorProto::INT8 && type != TensorProto::INT16 &&
      type != TensorProto::INT32 && type != TensorProto::INT64 &&
      type != TensorProto::UINT16) {
    return "only signed integers and uint16 are shifted by arithmetic";
  }
  const bool left = b.node().String("direction", "") == "LEFT";
  const int bits = ElementBits(type);
  // Right by 63 is what the sign's extension gives; 2^63 is no int64.
  const int limit = !left && bits == 64 ? 63 : bits;
  std::vector<int64_t> powers;
  for (int i = 0; i < limit; ++i) {
    powers.push_back(static_cast<int64_t>(uint64_t{1} << i));
  }
  const Ref x = b.Cast(b.In(0), TensorProto::INT64);
  const Ref y = b.Cast(b.In(1), TensorProto::INT64);
  const Ref zero = b.Int(0);
  const Ref valid = b.Op("And", {b.Op("Not", {b.Op("Less", {y, zero})}),
                                 b.Op("Less", {y, b.Int(limit)})});
  const Ref power = b.Gather(b.Ints(powers), b.Where(valid, y, zero), 0);
  Ref shifted, beyond = zero;
  if (left) {
    shifted = b.Mul(x, power);
    // Into the type's range: ONNX Runtime takes a Cast there and back for none.
    if (bits < 64) {
      const Ref half =
          b.Int(type == TensorProto::UINT16 ? 0 : int64_t{1} << (bits - 1));
      shifted = b.Sub(
          b.Op("Mod", {b.Add(shifted, half), b.Int(int64_t{1} << bits)}), half);
    }
  } else {
    shifted = b.Div(b.Sub(x, b.Op("Mod", {x, power})), power);
    beyond = b.Where(b.Op("Less", {x, zero}), b.Int(-1), zero);
  }
  b.Return({b.Cast(b.Where(valid, shifted, beyond), type)});
  return std::nullopt;
}

}  // namespace onnx_legalize
