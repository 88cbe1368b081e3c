// SPDX-License-Identifier: Apache-2.0

#include "ops/float_bits.h"

#include <gtest/gtest.h>

#include <cmath>

namespace onnx_legalize {
namespace {

TEST(FloatBitsTest, EveryHalfComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = HalfToFloat(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(HalfToFloat(FloatToHalf(value)))) << bits;
    } else {
      EXPECT_EQ(FloatToHalf(value), bits);
    }
  }
}

TEST(FloatBitsTest, HalfRoundsToNearestEven) {
  EXPECT_EQ(FloatToHalf(0.0f), 0);
  EXPECT_EQ(FloatToHalf(-0.0f), 0x8000);
  EXPECT_EQ(FloatToHalf(1.0f + 1.0f / 2048), 0x3c00);
  EXPECT_EQ(FloatToHalf(1.0f + 3.0f / 2048), 0x3c02);
  EXPECT_EQ(FloatToHalf(65519.0f), 0x7bff);
  EXPECT_EQ(FloatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(FloatToHalf(std::ldexp(1.0f, -25)), 0);
  EXPECT_EQ(FloatToHalf(std::ldexp(1.5f, -25)), 1);
}

TEST(FloatBitsTest, EveryBfloat16ComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = Bfloat16ToFloat(static_cast<uint16_t>(bits));
    if (!std::isnan(value)) {
      EXPECT_EQ(FloatToBfloat16(value), bits);
    }
  }
}

}  // namespace
}  // namespace onnx_legalize
