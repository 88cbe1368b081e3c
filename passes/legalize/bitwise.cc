// SPDX-License-Identifier: Apache-2.0
//
// BitwiseAnd, -Or, -Xor and -Not by arithmetic in int64.
//
//   before:  z = BitwiseAnd (x, y)
//   after:   bit i of x: Mod (x, 2^(i+1)) >= 2^i, along a new last axis
//            z = ReduceSum (And (bits of x, bits of y) * 2^i)
//
// x | y is x + y - (x & y), x ^ y is x + y - 2 (x & y), ~x is all ones - x. All
// stay within the type's range: ONNX Runtime takes a Cast there and back for
// none. 64 bits go as two halves. The bits take as many times the memory.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/element_bits.h"
#include "ops/exact_cast.h"
#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

// The bits that both have, at most 32, as a number: negative where they are
// `is_signed` and both have the highest.
Ref CommonBits(Body& b, const Ref& x, const Ref& y, int bits, bool is_signed) {
  std::vector<int64_t> powers, weights, next;
  for (int i = 0; i < bits; ++i) {
    powers.push_back(int64_t{1} << i);
    next.push_back(int64_t{2} << i);
  }
  weights = powers;
  if (is_signed) weights.back() = -weights.back();
  const Ref power = b.Ints(powers);
  const auto bits_of = [&](const Ref& v) {
    const Ref rest = b.Op("Mod", {b.Unsqueeze(v, {-1}), b.Ints(next)});
    return b.Op("Not", {b.Op("Less", {rest, power})});
  };
  const Ref both =
      b.Cast(b.Op("And", {bits_of(x), bits_of(y)}), TensorProto::INT64);
  return b.ReduceSum(b.Mul(both, is_signed ? b.Ints(weights) : power), {-1},
                     /*keepdims=*/false);
}

// v as high * 2^32 + low with 0 <= low < 2^32.
std::pair<Ref, Ref> Halves(Body& b, const Ref& v, const Ref& unit) {
  const Ref low = b.Op("Mod", {v, unit});
  return {b.Div(b.Sub(v, low), unit), low};
}

Ref BitsOfBoth(Body& b, const Ref& x, const Ref& y, int bits, bool is_signed) {
  if (bits < 64) return CommonBits(b, x, y, bits, is_signed);
  constexpr int kHalf = 32;
  const Ref unit = b.Int(int64_t{1} << kHalf);
  const auto [x_high, x_low] = Halves(b, x, unit);
  const auto [y_high, y_low] = Halves(b, y, unit);
  return b.Add(b.Mul(CommonBits(b, x_high, y_high, kHalf, true), unit),
               CommonBits(b, x_low, y_low, kHalf, false));
}

// Of an integer type: it has negative values, which uint64 doesn't hold.
bool IsSigned(int32_t type) { return !CastIsExact(type, TensorProto::UINT64); }

enum class Operation { kAnd, kOr, kXor };

std::optional<std::string> Bitwise(Body& b, Operation operation) {
  const int32_t type = b.Type(0);
  if (!IsIntegerElemType(type) || ElementBits(type) < 8) {
    return "only whole bytes of integers are split into bits";
  }
  const Ref x = b.Cast(b.In(0), TensorProto::INT64);
  const Ref y = b.Cast(b.In(1), TensorProto::INT64);
  Ref z = BitsOfBoth(b, x, y, ElementBits(type), IsSigned(type));
  if (operation == Operation::kOr) {
    z = b.Sub(b.Add(x, y), z);
  } else if (operation == Operation::kXor) {
    z = b.Sub(b.Add(x, y), b.Mul(z, b.Int(2)));
  }
  b.Return({b.Cast(z, type)});
  return std::nullopt;
}

}  // namespace

std::optional<std::string> BitwiseAndByArithmetic(Body& b) {
  return Bitwise(b, Operation::kAnd);
}
std::optional<std::string> BitwiseOrByArithmetic(Body& b) {
  return Bitwise(b, Operation::kOr);
}
std::optional<std::string> BitwiseXorByArithmetic(Body& b) {
  return Bitwise(b, Operation::kXor);
}

std::optional<std::string> BitwiseNotByArithmetic(Body& b) {
  const int32_t type = b.Type(0);
  if (!IsIntegerElemType(type) || ElementBits(type) < 8) {
    return "only whole bytes of integers are split into bits";
  }
  const Ref x = b.Cast(b.In(0), TensorProto::INT64);
  const int bits = ElementBits(type);
  const int64_t ones =
      IsSigned(type) || bits == 64 ? -1 : (int64_t{1} << bits) - 1;
  b.Return({b.Cast(b.Sub(b.Int(ones), x), type)});
  return std::nullopt;
}

}  // namespace onnx_legalize
