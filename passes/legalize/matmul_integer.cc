// SPDX-License-Identifier: Apache-2.0
//
// MatMulInteger of unsigned bytes with one zero point for all, which is what
// every kernel does well, or by MatMul of int32.
//
//   before:  y = MatMulInteger (a, b, az, bz)     # a: int8, bz: [N]
//   after:   u = Cast (Cast (a, int32) + 128, uint8)   uz = az + 128
//            y = MatMulInteger (u, b, uz) - bz * ReduceSum (u - uz, last axis)
//                                                 # b, bz moved like a where
//                                                 int8
//   or:      y = MatMul (Cast (a, int32) - az, Cast (b, int32) - bz)
//
// The sum over (a - az) * (b - bz) is that over (a - az) * b less bz times that
// over a - az. Sums wrap around modulo 2^32 alike.
//
// The first declines where nothing of this is to be done and zero points of
// rows; both decline unknown ranks that they depend on.

#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

constexpr int kA = 0, kB = 1, kAZero = 2, kBZero = 3;
constexpr int32_t kInt = TensorProto::INT32, kByte = TensorProto::UINT8;

bool OneElement(const Body& b, int i) {
  const auto shape = b.Shape(i);
  if (!shape.has_value()) return false;
  for (int64_t dim : *shape) {
    if (dim != 1) return false;
  }
  return true;
}

// A zero point of one element as a scalar.
Ref Scalar(Body& b, int i) {
  if (b.Rank(i) == 0) return b.In(i);
  return b.Op("Reshape", {b.In(i), b.Ints({})});
}

// int8 moved up to uint8; other types stay. Also where the kernel has int8:
// ONNX Runtime adds pairs of products of uint8 and int8 in 16 bits, saturating,
// on CPUs without VNNI.
Ref Unsigned(Body& b, const Ref& x, int32_t type) {
  if (type != TensorProto::INT8) return x;
  return b.Cast(b.Add(b.Cast(x, kInt), b.Typed(128, kInt)), kByte);
}

// Zero point `i`, a scalar where it has one element, of an operand of `type`
// that Unsigned moved; "" for none.
Ref UnsignedZero(Body& b, int i, int32_t type) {
  if (!b.Has(i)) {
    return type == TensorProto::INT8 ? b.Typed(128, kByte) : Ref();
  }
  return Unsigned(b, OneElement(b, i) ? Scalar(b, i) : b.In(i), type);
}

}  // namespace

std::optional<std::string> MatMulIntegerOfBytes(Body& b) {
  const bool moved = b.Type(kA) == TensorProto::INT8;
  if (b.Has(kAZero) && !OneElement(b, kAZero)) {
    return "its rows may have zero points of their own";
  }
  const bool of_columns = b.Has(kBZero) && !OneElement(b, kBZero);
  const bool shaped = (b.Has(kAZero) && b.Rank(kAZero) != 0) ||
                      (b.Has(kBZero) && b.Rank(kBZero) != 0);
  if (!moved && !shaped) return "its kernel takes what there is";
  // A vector leaves an axis of the result out, which zero points of columns
  // that aren't [N] would bring back.
  if (of_columns && (b.Rank(kB).value_or(1) < 2 ||
                     (b.Rank(kBZero) != 1 && b.Rank(kA).value_or(1) < 2))) {
    return "an operand is a vector or of unknown rank";
  }
  const Ref a = Unsigned(b, b.In(kA), b.Type(kA));
  const Ref other = Unsigned(b, b.In(kB), b.Type(kB));
  Ref a_zero = UnsignedZero(b, kAZero, b.Type(kA));
  if (a_zero.empty()) a_zero = b.Typed(0, kByte);
  const Ref b_zero = UnsignedZero(b, kBZero, b.Type(kB));
  if (!of_columns) {
    b.Return({b.Op("MatMulInteger", {a, other, a_zero, b_zero})});
    return std::nullopt;
  }
  const Ref all = b.Op("MatMulInteger", {a, other, a_zero});
  const Ref values = b.Sub(b.Cast(a, kInt), b.Cast(a_zero, kInt));
  const Ref sums = b.ReduceSum(values, {-1}, true);
  b.Return({b.Sub(all, b.Mul(sums, b.Cast(b_zero, kInt)))});
  return std::nullopt;
}

std::optional<std::string> MatMulIntegerByMatMul(Body& b) {
  Ref left = b.Cast(b.In(kA), kInt), right = b.Cast(b.In(kB), kInt);
  if (b.Has(kAZero)) {
    Ref zero = b.Cast(b.In(kAZero), kInt);
    const std::optional<int> rank = b.Rank(kA), zero_rank = b.Rank(kAZero);
    if (!rank.has_value() || !zero_rank.has_value()) {
      return "the rank of the first operand isn't known";
    }
    // [M] is a column; a vector's one is as good as it stands.
    if (*zero_rank == 1 && *rank > 1) zero = b.Unsqueeze(zero, {1});
    left = b.Sub(left, zero);
  }
  if (b.Has(kBZero)) right = b.Sub(right, b.Cast(b.In(kBZero), kInt));
  b.Return({b.Op("MatMul", {left, right})});
  return std::nullopt;
}

}  // namespace onnx_legalize
