// SPDX-License-Identifier: Apache-2.0
//
// ConvInteger of unsigned bytes with one zero point for all: what old kernels
// do.
//
//   before:  y = ConvInteger (x, w, xz, wz)     # x: int8, wz: [M]
//   after:   u = Cast (Cast (x, int32) + 128, uint8)   uz = xz + 128
//            y = ConvInteger (u, w, uz) - wz * ConvInteger (u, ones, uz)
//
// The sum over (x - xz) * (w - wz) is that over (x - xz) * w less wz times that
// over x - xz. Where padding is, x is xz, and both are 0. Sums wrap around
// modulo 2^32 alike.
//
// Declines where nothing of this is to be done, and weights of unknown rank.

#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

constexpr int kX = 0, kW = 1, kXZero = 2, kWZero = 3;
constexpr int32_t kInt = TensorProto::INT32, kByte = TensorProto::UINT8;

// int8 moved up to uint8; other types stay.
Ref Unsigned(Body& b, int i) {
  if (b.Type(i) != TensorProto::INT8) return b.In(i);
  const Ref moved = b.Add(b.Cast(b.In(i), kInt), b.Typed(128, kInt));
  return b.Cast(moved, kByte);
}

// The zero point of what is moved; "" for none.
Ref UnsignedZero(Body& b, int i, int32_t type_of_values) {
  if (b.Has(i)) return Unsigned(b, i);
  return type_of_values == TensorProto::INT8 ? b.Typed(128, kByte) : Ref();
}

}  // namespace

std::optional<std::string> ConvIntegerOfBytes(Body& b) {
  const int32_t int8 = TensorProto::INT8;
  const bool moved = b.Type(kX) == int8 || b.Type(kW) == int8;
  const std::optional<int> rank = b.Rank(kW);
  const bool of_channels = b.Has(kWZero) && b.Rank(kWZero) != 0;
  if (!moved && !of_channels) return "its kernel takes what there is";
  if (!rank.has_value()) return "the rank of the weights isn't known";
  if (b.Has(kWZero) && !b.Rank(kWZero).has_value()) {
    return "the rank of the weights' zero point isn't known";
  }
  const Ref x = Unsigned(b, kX), w = Unsigned(b, kW);
  Ref x_zero = UnsignedZero(b, kXZero, b.Type(kX));
  // A blank one before the other crashes ONNX Runtime 1.4.0.
  if (x_zero.empty()) x_zero = b.Typed(0, kByte);
  const Ref w_zero = UnsignedZero(b, kWZero, b.Type(kW));
  const Attributes attributes = b.AttributesWithout();
  if (!of_channels) {
    b.Return({b.Op("ConvInteger", {x, w, x_zero, w_zero}, attributes)});
    return std::nullopt;
  }
  const Ref all = b.Op("ConvInteger", {x, w, x_zero}, attributes);
  const Ref ones = b.Op("Expand", {b.Typed(1, kByte), b.ShapeOf(w)});
  const Ref sums = b.Op("ConvInteger", {x, ones, x_zero}, attributes);
  std::vector<int64_t> spatial;
  for (int i = 1; i < *rank - 1; ++i) spatial.push_back(i);
  const Ref zero = b.Unsqueeze(b.Cast(w_zero, kInt), spatial);
  b.Return({b.Sub(all, b.Mul(sums, zero))});
  return std::nullopt;
}

}  // namespace onnx_legalize
