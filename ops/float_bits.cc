// SPDX-License-Identifier: Apache-2.0

#include "ops/float_bits.h"

#include <cmath>
#include <cstring>

namespace onnx_legalize {
namespace {

uint32_t Bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float FromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

constexpr int kHalfMantissa = 10;
constexpr int kHalfMinExponent = -14;
constexpr uint16_t kHalfInfinity = 0x7c00;

}  // namespace

uint16_t FloatToHalf(float value) {
  const uint16_t sign = static_cast<uint16_t>(Bits(value) >> 16 & 0x8000);
  if (std::isnan(value)) return sign | 0x7e00;
  const float magnitude = std::fabs(value);
  if (std::isinf(value) || magnitude >= 65520.0f) return sign | kHalfInfinity;
  if (magnitude == 0) return sign;  // frexp says an exponent of 0.
  int exponent;
  std::frexp(magnitude, &exponent);
  // Units in the last place of a half of this size; nearbyint rounds to even.
  const int unit =
      (exponent - 1 < kHalfMinExponent ? kHalfMinExponent : exponent - 1) -
      kHalfMantissa;
  const float units = std::nearbyint(std::ldexp(magnitude, -unit));
  const int biased = unit + kHalfMantissa - kHalfMinExponent;
  // The implicit bit of a normal number, and what rounding carries, raise the
  // exponent by themselves.
  return static_cast<uint16_t>(
      sign | ((biased << kHalfMantissa) + static_cast<int>(units)));
}

float HalfToFloat(uint16_t bits) {
  const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
  const int exponent = bits >> kHalfMantissa & 0x1f;
  const int mantissa = bits & 0x3ff;
  if (exponent == 0x1f) {
    return mantissa != 0 ? std::nanf("") : sign * HUGE_VALF;
  }
  if (exponent == 0)
    return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa | 0x400), exponent - 25);
}

uint16_t FloatToBfloat16(float value) {
  const uint32_t bits = Bits(value);
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float Bfloat16ToFloat(uint16_t bits) {
  return FromBits(static_cast<uint32_t>(bits) << 16);
}

}  // namespace onnx_legalize
