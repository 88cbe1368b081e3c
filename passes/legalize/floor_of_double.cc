// SPDX-License-Identifier: Apache-2.0
//
// Floor and Ceil of double by casts.
//
//   before:  y = Floor (x)                              # x: double
//   after:   t = Cast (Cast (x, int64) + 0, double)     # rounds toward zero
//            f = t - Cast (t > x, double)
//            y = Where (|x| < 2^52 and f < x, f, x)
//
// From 2^52 on every double is an integer. Ceil (x) is -Floor (-x).
//
// Declines other types than double.

#include <optional>
#include <string>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

constexpr int32_t kDouble = onnx::TensorProto::DOUBLE;
constexpr char kOnlyDouble[] = "only double is cast to int64 and back";
constexpr double kAllIntegers = 4503599627370496.0;  // 2^52

Ref FloorOf(Body& b, const Ref& x) {
  // ONNX Runtime 1.4 leaves out casts that follow each other there and back;
  // the sum keeps them apart.
  const Ref integer = b.Add(b.Cast(x, onnx::TensorProto::INT64), b.Int(0));
  const Ref whole = b.Cast(integer, kDouble);
  const Ref above = b.Cast(b.Op("Greater", {whole, x}), kDouble);
  const Ref floor = b.Sub(whole, above);
  const Ref small =
      b.Op("Less", {b.Op("Abs", {x}), b.Typed(kAllIntegers, kDouble)});
  const Ref less = b.Op("Less", {floor, x});
  return b.Where(b.Op("And", {small, less}), floor, x);
}

}  // namespace

std::optional<std::string> FloorOfDouble(Body& b) {
  if (b.Type(0) != kDouble) return kOnlyDouble;
  b.Return({FloorOf(b, b.In(0))});
  return std::nullopt;
}

std::optional<std::string> CeilOfDouble(Body& b) {
  if (b.Type(0) != kDouble) return kOnlyDouble;
  const Ref floor = FloorOf(b, b.Op("Neg", {b.In(0)}));
  b.Return({b.Op("Neg", {floor})});
  return std::nullopt;
}

}  // namespace onnx_legalize
