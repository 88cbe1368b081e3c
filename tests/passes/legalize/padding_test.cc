// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/padding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace onnx_legalize {
namespace {

using testing::ElementsAre;

// Windows that fit into `size` cells.
int64_t WindowsIn(int64_t size, int64_t extent, int64_t stride) {
  return size < extent ? 0 : (size - extent) / stride + 1;
}

// SAME asks for the least padding that gives ceil(size / stride) windows.
TEST(SameTotal, IsTheLeastThatGivesAWindowForEveryStride) {
  for (int64_t stride = 1; stride <= 5; ++stride) {
    for (int64_t extent = 1; extent <= 9; ++extent) {
      for (int64_t size = 1; size <= 24; ++size) {
        const int64_t wanted = (size + stride - 1) / stride;
        int64_t least = 0;
        while (WindowsIn(size + least, extent, stride) < wanted) ++least;
        EXPECT_EQ(SameTotal(size, extent, stride), least)
            << "size " << size << " extent " << extent << " stride " << stride;
        EXPECT_EQ(WindowsIn(size + least, extent, stride), wanted);
      }
    }
  }
}

TEST(SameTotal, OfAnEmptyAxisGivesNoWindow) {
  for (int64_t stride = 1; stride <= 4; ++stride) {
    for (int64_t extent = 1; extent <= 5; ++extent) {
      const int64_t total = SameTotal(0, extent, stride);
      EXPECT_EQ(total, extent > stride ? extent - stride : 0);
      EXPECT_EQ(WindowsIn(total, extent, stride), 0);
    }
  }
}

TEST(SameTotal, DoesNotOverflow) {
  const int64_t huge = INT64_MAX;
  EXPECT_EQ(SameTotal(huge, 3, 1), 2);
  EXPECT_EQ(SameTotal(huge, 3, huge), 0);
  EXPECT_EQ(SameTotal(huge - 1, 3, 4), 1);
}

TEST(SplitTotals, PutsTheOddCellWhereTheModeSays) {
  EXPECT_THAT(SplitTotals({1, 2, 5}, AutoPadMode::kSameUpper),
              ElementsAre(0, 1, 2, 1, 1, 3));
  EXPECT_THAT(SplitTotals({1, 2, 5}, AutoPadMode::kSameLower),
              ElementsAre(1, 1, 3, 0, 1, 2));
  EXPECT_THAT(SplitTotals({3}, AutoPadMode::kNotSet), ElementsAre(2, 1));
  EXPECT_THAT(SplitTotals({}, AutoPadMode::kSameUpper), ElementsAre());
}

TEST(ParseAutoPad, KnowsFourModes) {
  EXPECT_EQ(ParseAutoPad("SAME_UPPER"), AutoPadMode::kSameUpper);
  EXPECT_EQ(ParseAutoPad("SAME_LOWER"), AutoPadMode::kSameLower);
  EXPECT_EQ(ParseAutoPad("VALID"), AutoPadMode::kValid);
  EXPECT_EQ(ParseAutoPad("NOTSET"), AutoPadMode::kNotSet);
  EXPECT_EQ(ParseAutoPad(""), AutoPadMode::kNotSet);
  EXPECT_EQ(ParseAutoPad("SAME"), std::nullopt);
  EXPECT_EQ(ParseAutoPad("same_upper"), std::nullopt);
}

TEST(IsSymmetric, ComparesBeginsWithEnds) {
  EXPECT_TRUE(IsSymmetric({1, 2, 1, 2}));
  EXPECT_FALSE(IsSymmetric({1, 2, 2, 1}));
  EXPECT_TRUE(IsSymmetric({}));
}

TEST(SlidingWindow, ExtentCountsTheGapsOfDilation) {
  const SlidingWindow window{{3, 1, 2}, {1, 1, 1}, {1, 4, 3}};
  EXPECT_EQ(window.extent(0), 3);
  EXPECT_EQ(window.extent(1), 1);
  EXPECT_EQ(window.extent(2), 4);
}

}  // namespace
}  // namespace onnx_legalize
