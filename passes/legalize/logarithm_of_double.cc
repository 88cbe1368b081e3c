// SPDX-License-Identifier: Apache-2.0
//
// Log of double by double arithmetic: ONNX Runtime 1.4 has it for float.
//
//   before:  y = Log (x)                                  # x: double
//   after:   m = x / 2^k, between about 1 / sqrt (2) and sqrt (2)
//            s = (m - 1) / (m + 1)
//            y = k * log (2) + 2 * (s + s^3 / 3 + s^5 / 5 + ...)
//
// x is brought into float's range by powers of two first, so that the Log of
// float tells k. log (2) is added in two parts, of which the first has so few
// bits that its multiples by k are exact. The series ends below the rounding.
//
// What isn't positive and finite takes log (sign (x)) + x instead: -infinity,
// NaN or infinity.
//
// Declines other element types.

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

constexpr int32_t kFloat = onnx::TensorProto::FLOAT;
constexpr int32_t kDouble = onnx::TensorProto::DOUBLE;
constexpr int32_t kInt64 = onnx::TensorProto::INT64;

// m * 2^exponent is the x that it began with.
struct Scaled {
  Ref m, exponent;  // double, int64
};

// Divides by 2^shift where m is 2^shift or more (or multiplies where it is less
// than 2^-shift).
Scaled Step(Body& b, const Scaled& x, int shift, bool down) {
  const Ref limit = b.Typed(std::ldexp(1.0, down ? shift : -shift), kDouble);
  Ref beyond = b.Op("Less", {x.m, limit});
  if (down) beyond = b.Op("Not", {beyond});
  const Ref index = b.Cast(beyond, kInt64);
  const Ref factor = b.Gather(
      b.Typed({1, std::ldexp(1.0, down ? -shift : shift)}, {2}, kDouble), index,
      0);
  const Ref change = b.Mul(index, b.Int(down ? shift : -shift));
  return {b.Mul(x.m, factor), b.Add(x.exponent, change)};
}

// m in (0.70, 1.42)
Scaled Normalized(Body& b, const Ref& x) {
  Scaled y = {x, b.Int(0)};
  for (const int shift : {512, 256, 128, 64}) y = Step(b, y, shift, true);
  // Twice, as subnormal numbers go down to 2^-1074.
  for (const int shift : {512, 512, 256, 128, 64}) y = Step(b, y, shift, false);
  // From 2^-64 to 2^64 is left, well in the range of float; a Cast to integers
  // rounds to zero.
  constexpr int kMost = 66;
  constexpr double kLog2E = 1.44269504088896340736;
  const Ref log2 = b.Mul(b.Op("Log", {b.Cast(y.m, kFloat)}), b.Float(kLog2E));
  const Ref place =
      b.Cast(b.Add(log2, b.Float(kMost + 0.5)), kInt64);  // k + kMost
  std::vector<double> powers;
  for (int k = -kMost; k <= kMost; ++k) powers.push_back(std::ldexp(1.0, -k));
  const int64_t size = static_cast<int64_t>(powers.size());
  const Ref factor = b.Gather(b.Typed(powers, {size}, kDouble), place, 0);
  return {b.Mul(y.m, factor), b.Add(y.exponent, b.Sub(place, b.Int(kMost)))};
}

}  // namespace

std::optional<std::string> LogOfDouble(Body& b) {
  if (b.Type(0) != kDouble) return "only the Log of double is computed";
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kLn2High = 6.93147180369123816490e-01;  // 32 bits of log (2)
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  const auto constant = [&](double value) { return b.Typed(value, kDouble); };
  const Ref x = b.In(0), one = constant(1);
  const Ref ordinary = b.Op("And", {b.Op("Greater", {x, constant(0)}),
                                    b.Op("Less", {x, constant(kInfinity)})});
  const Scaled scaled = Normalized(b, b.Where(ordinary, x, one));
  const Ref s = b.Div(b.Sub(scaled.m, one), b.Add(scaled.m, one));
  const Ref z = b.Mul(s, s);
  // |s| < 0.18: the 13th term is less than 2^-62 of the first.
  constexpr int kTerms = 13;
  Ref series = constant(2.0 / (2 * kTerms - 1));
  for (int i = kTerms - 1; i-- > 0;) {
    series = b.Add(b.Mul(series, z), constant(2.0 / (2 * i + 1)));
  }
  const Ref k = b.Cast(scaled.exponent, kDouble);
  const Ref low = b.Add(b.Mul(s, series), b.Mul(k, constant(kLn2Low)));
  const Ref logarithm = b.Add(b.Mul(k, constant(kLn2High)), low);
  const Ref sign = b.Cast(b.Op("Sign", {x}), kFloat);
  const Ref limit = b.Add(b.Cast(b.Op("Log", {sign}), kDouble), x);
  b.Return({b.Where(ordinary, logarithm, limit)});
  return std::nullopt;
}

}  // namespace onnx_legalize
