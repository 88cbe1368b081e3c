// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/fourier_matrix.h"

#include <cmath>
#include <string>
#include <vector>

#include "passes/legalize/computed_axes.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

constexpr double kTwoPi = 6.283185307179586476925286766559;
// What a table of this many elements takes isn't worth a constant.
constexpr int64_t kMaxTable = 1 << 20;

// cos (2 pi i / length), exact where it is 0, 1 or -1.
double CosineAt(int64_t i, int64_t length) {
  if (i == 0) return 1;
  if (2 * i == length) return -1;
  if (4 * i == length || 4 * i == 3 * length) return 0;
  return std::cos(kTwoPi * static_cast<double>(i) /
                  static_cast<double>(length));
}

double SineAt(int64_t i, int64_t length) {
  if (i == 0 || 2 * i == length) return 0;
  if (4 * i == length) return 1;
  if (4 * i == 3 * length) return -1;
  return std::sin(kTwoPi * static_cast<double>(i) /
                  static_cast<double>(length));
}

// One period of both.
Waves Period(Body& b, const Length& length, int32_t type) {
  if (length.known.has_value() && *length.known <= kMaxTable) {
    std::vector<double> cosine, sine;
    for (int64_t i = 0; i < *length.known; ++i) {
      cosine.push_back(CosineAt(i, *length.known));
      sine.push_back(SineAt(i, *length.known));
    }
    return {b.Typed(cosine, {*length.known}, type),
            b.Typed(sine, {*length.known}, type)};
  }
  const Ref n = b.Op("Range", {b.Int(0), AsScalar(b, length), b.Int(1)});
  const Ref angle = b.Div(b.Mul(b.Cast(n, type), b.Typed(kTwoPi, type)),
                          AsFloat(b, length, type));
  return {b.Op("Cos", {angle}), b.Op("Sin", {angle})};
}

}  // namespace

Length KnownLength(int64_t value) { return {value, ""}; }

Length LengthFromInput(Body& b, int i) {
  const auto known = b.KnownInts(i);
  if (known.has_value() && known->size() == 1) return KnownLength((*known)[0]);
  const Ref value = b.Cast(b.In(i), TensorProto::INT64);
  return {std::nullopt,
          b.Rank(i) == 0 ? value : b.Reshape(value, std::vector<int64_t>())};
}

Length LengthOfAxis(Body& b, const Ref& x, int64_t axis,
                    std::optional<int64_t> known) {
  if (known.has_value()) return KnownLength(*known);
  return {std::nullopt, b.At(b.ShapeOf(x), axis)};
}

Length Unique(Body& b, const Length& length) {
  if (length.known.has_value()) return KnownLength(*length.known / 2 + 1);
  return {std::nullopt, b.Add(b.Div(length.computed, b.Int(2)), b.Int(1))};
}

Ref AsScalar(Body& b, const Length& length) {
  return length.known.has_value() ? b.Int(*length.known) : length.computed;
}

Ref AsVector(Body& b, const Length& length) {
  return length.known.has_value() ? b.Ints({*length.known})
                                  : b.Unsqueeze(length.computed, {0});
}

Ref AsFloat(Body& b, const Length& length, int32_t type) {
  return length.known.has_value()
             ? b.Typed(static_cast<double>(*length.known), type)
             : b.Cast(length.computed, type);
}

Ref Places(Body& b, const Length& length) {
  return Iota(b, length.computed, length.known);
}

Parts SplitParts(Body& b, int32_t type) {
  const int64_t last = *b.Rank(0) - 1;
  const Ref x = b.Type(0) == type ? b.In(0) : b.Cast(b.In(0), type);
  const auto parts = b.Dim(0, static_cast<int>(last));
  if (parts == 1) return {b.Squeeze(x, {last}), ""};
  if (parts == 2) return {b.At(x, 0, last), b.At(x, 1, last)};
  // Zeros behind a real part are its imaginary part, behind both are nothing.
  const Ref real = b.Slice(x, last, 0, 1);
  const Ref zeros = b.Op("Expand", {b.Typed(0, type), b.ShapeOf(real)});
  const Ref padded = b.Concat({x, zeros}, last);
  return {b.At(padded, 0, last), b.At(padded, 1, last)};
}

Ref JoinParts(Body& b, const Parts& parts, int64_t rank) {
  return b.Concat(
      {b.Unsqueeze(parts.real, {rank}), b.Unsqueeze(parts.imaginary, {rank})},
      rank);
}

Waves WavesOf(Body& b, const Ref& n, const Ref& k, const Length& length,
              int32_t type) {
  const Waves period = Period(b, length, type);
  const Ref product = b.Mul(b.Unsqueeze(n, {1}), k);
  const Ref place = b.Op("Mod", {product, AsScalar(b, length)});
  return {b.Gather(period.cosine, place, 0), b.Gather(period.sine, place, 0)};
}

Parts Transform(Body& b, const Parts& x, const Waves& waves, bool inverse) {
  const auto times = [&](const Ref& a, const Ref& matrix) {
    return b.Op("MatMul", {a, matrix});
  };
  Parts y;
  y.real = times(x.real, waves.cosine);
  const Ref cross = times(x.real, waves.sine);
  if (x.imaginary.empty()) {
    y.imaginary = inverse ? cross : b.Op("Neg", {cross});
    return y;
  }
  const Ref sines = times(x.imaginary, waves.sine);
  const Ref cosines = times(x.imaginary, waves.cosine);
  y.real = inverse ? b.Sub(y.real, sines) : b.Add(y.real, sines);
  y.imaginary = inverse ? b.Add(cosines, cross) : b.Sub(cosines, cross);
  return y;
}

}  // namespace onnx_legalize
