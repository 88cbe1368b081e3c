// SPDX-License-Identifier: Apache-2.0
//
// MelWeightMatrix-17 by its definition, in double.
//
//   before:  y = MelWeightMatrix (M, N, rate, low, high)    # [N / 2 + 1, M]
//   after:   mel (f) = 2595 * log10 (1 + f / 700)
//            f = the M + 2 frequencies at equal steps of mel from low's on
//            bin = Cast <to = int64> ((N + 1) * f / rate)
//            left, center, right = bin[0:M], bin[1:M+1], bin[2:M+2]
//            y[j] = (j - left) / (center - left)     where left <= j < center
//                   1                                where j = center
//                   (right - j) / (right - center)   where center < j < right

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

constexpr int32_t kDouble = onnx::TensorProto::DOUBLE;
constexpr int32_t kInt64 = onnx::TensorProto::INT64;

Ref Scalar(Body& b, int i, int32_t type) {
  return b.Reshape(b.Cast(b.In(i), type), std::vector<int64_t>());
}

// The bins of M + 2 frequencies, int64 [M + 2].
Ref Bins(Body& b, const Ref& count, const Ref& length) {
  constexpr int kRate = 2, kLow = 3, kHigh = 4;
  const auto constant = [&](double value) { return b.Typed(value, kDouble); };
  const Ref one = constant(1), hertz = constant(700);
  const double nepers = std::log(10.0) / 2595;  // Of one mel.
  const auto mel = [&](int i) {
    const Ref ratio = b.Div(Scalar(b, i, kDouble), hertz);
    return b.Div(b.Op("Log", {b.Add(ratio, one)}), constant(nepers));
  };
  const Ref low = mel(kLow);
  const Ref step = b.Div(b.Sub(mel(kHigh), low), b.Cast(count, kDouble));
  const Ref place = b.Cast(b.Op("Range", {b.Int(0), count, b.Int(1)}), kDouble);
  const Ref mels = b.Add(b.Mul(place, step), low);
  const Ref power = b.Op("Exp", {b.Mul(mels, constant(nepers))});
  const Ref frequency = b.Mul(b.Sub(power, one), hertz);
  const Ref scale = b.Cast(b.Add(length, b.Int(1)), kDouble);
  return b.Cast(b.Div(b.Mul(frequency, scale), Scalar(b, kRate, kDouble)),
                kInt64);
}

}  // namespace

std::optional<std::string> MelWeightsByFormula(Body& b) {
  const Ref one = b.Int(1), two = b.Int(2);
  const Ref filters = Scalar(b, 0, kInt64);
  const Ref length = Scalar(b, 1, kInt64);
  const Ref bins = Bins(b, b.Add(filters, two), length);
  const auto bins_from = [&](int64_t first) {
    const Ref end = b.Unsqueeze(b.Add(filters, b.Int(first)), {0});
    return b.Op("Slice", {bins, b.Ints({first}), end, b.Ints({0})});
  };
  const Ref left = bins_from(0), center = bins_from(1), right = bins_from(2);
  const Ref rows = b.Add(b.Div(length, two), one);
  const Ref j = b.Unsqueeze(b.Op("Range", {b.Int(0), rows, one}), {1});
  const Ref below = b.Op("Less", {j, center});
  const Ref above = b.Op("Greater", {j, center});
  const Ref rises =
      b.Op("And", {b.Op("Not", {b.Op("Less", {j, left})}), below});
  const Ref falls = b.Op("And", {above, b.Op("Less", {j, right})});
  // Where a side has no width, no j is on it.
  const auto share = [&](const Ref& part, const Ref& whole, const Ref& where) {
    const Ref width = b.Op("Max", {whole, one});
    const Ref quotient = b.Div(b.Cast(part, kDouble), b.Cast(width, kDouble));
    return b.Mul(quotient, b.Cast(where, kDouble));
  };
  const Ref rising = share(b.Sub(j, left), b.Sub(center, left), rises);
  const Ref falling = share(b.Sub(right, j), b.Sub(right, center), falls);
  const Ref peak = b.Cast(b.Op("Not", {b.Op("Or", {below, above})}), kDouble);
  const int64_t type =
      b.node().Int("output_datatype", onnx::TensorProto::FLOAT);
  b.Return({b.Cast(b.Add(b.Add(rising, peak), falling),
                   static_cast<int32_t>(type))});
  return std::nullopt;
}

}  // namespace onnx_legalize
