// SPDX-License-Identifier: Apache-2.0
//
// Sin, Cos and Tan of double by double arithmetic: runtimes have them for
// float.
//
//   before:  y = Cos (x)                       # x: double
//   after:   k = Cast <to = int64> (x * (2 / pi))    r = x + (0 - k) * (pi / 2)
//            c, s = polynomials in r * r       # cosine and sine of r
//            q = Mod (k, 4)                    # the quadrant
//            y = (|q - 2| - 1) * c + (|q - 1| - 1) * s
//
// pi / 2 is subtracted in three parts (Cody and Waite 1980), the first two of
// which have so few bits that their multiples by |k| < 2^20 are exact: for
// |x| < 10^6 the result is right to about 1e-15. The polynomials are Taylor's,
// to where they end below the rounding on |r| <= pi / 2. Infinity gives NaN.
//
// Declines other element types.

#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

constexpr int32_t kDouble = onnx::TensorProto::DOUBLE;

Ref Constant(Body& b, double value) { return b.Typed(value, kDouble); }

// sum of coefficients[i] * z^i
Ref Polynomial(Body& b, const Ref& z, const std::vector<double>& coefficients) {
  Ref sum = Constant(b, coefficients.back());
  for (size_t i = coefficients.size() - 1; i-- > 0;) {
    sum = b.Add(b.Mul(sum, z), Constant(b, coefficients[i]));
  }
  return sum;
}

struct SineAndCosine {
  Ref sine, cosine;
};

SineAndCosine SineAndCosineOf(Body& b, const Ref& x) {
  constexpr double kTwoOverPi = 0.63661977236758134308;
  // 33 bits of pi / 2, 33 more, and the rest.
  constexpr double kHalfPi1 = 1.57079632673412561417e+00;
  constexpr double kHalfPi2 = 6.07710050630396597660e-11;
  constexpr double kHalfPi3 = 2.02226624879595063154e-21;
  constexpr int32_t kInt64 = onnx::TensorProto::INT64;
  const Ref whole = b.Cast(b.Mul(x, Constant(b, kTwoOverPi)), kInt64);
  // Negated before it is cast back: ONNX Runtime 1.4 takes a Cast there and
  // back for nothing.
  const Ref k = b.Cast(b.Sub(b.Int(0), whole), kDouble);
  Ref r = b.Add(x, b.Sub(x, x));  // NaN where x is infinite.
  for (double part : {kHalfPi1, kHalfPi2, kHalfPi3}) {
    r = b.Add(r, b.Mul(k, Constant(b, part)));
  }
  const Ref z = b.Mul(r, r);
  std::vector<double> sine = {1}, cosine = {1};
  constexpr int kTerms = 13;
  for (int i = 1; i < kTerms; ++i) {
    sine.push_back(-sine.back() / (2 * i * (2 * i + 1)));
    cosine.push_back(-cosine.back() / ((2 * i - 1) * 2 * i));
  }
  const Ref s = b.Mul(r, Polynomial(b, z, sine));
  const Ref c = Polynomial(b, z, cosine);
  const Ref q = b.Cast(b.Op("Mod", {whole, b.Int(4)}), kDouble);
  const auto distance = [&](double from) {
    return b.Sub(b.Op("Abs", {b.Sub(q, Constant(b, from))}), Constant(b, 1));
  };
  const Ref even = distance(2);  // 1, 0, -1, 0 in the four quadrants.
  const Ref odd = distance(1);   // 0, -1, 0, 1
  return {b.Sub(b.Mul(even, s), b.Mul(odd, c)),
          b.Add(b.Mul(even, c), b.Mul(odd, s))};
}

std::optional<std::string> NotDouble(const Body& b) {
  if (b.Type(0) == kDouble) return std::nullopt;
  return "only of double it is computed by arithmetic";
}

}  // namespace

std::optional<std::string> SinOfDouble(Body& b) {
  if (auto declined = NotDouble(b)) return declined;
  b.Return({SineAndCosineOf(b, b.In(0)).sine});
  return std::nullopt;
}

std::optional<std::string> CosOfDouble(Body& b) {
  if (auto declined = NotDouble(b)) return declined;
  b.Return({SineAndCosineOf(b, b.In(0)).cosine});
  return std::nullopt;
}

std::optional<std::string> TanOfDouble(Body& b) {
  if (auto declined = NotDouble(b)) return declined;
  const SineAndCosine both = SineAndCosineOf(b, b.In(0));
  b.Return({b.Div(both.sine, both.cosine)});
  return std::nullopt;
}

}  // namespace onnx_legalize
