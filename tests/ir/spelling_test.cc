// SPDX-License-Identifier: Apache-2.0

#include "ir/spelling.h"

#include <gtest/gtest.h>

#include <string>

namespace onnx_legalize {
namespace {

TEST(SpellingTest, SuggestsTheNearest) {
  EXPECT_EQ(DidYouMean("portabel", {"portable", "onnxruntime-1.14.1"}),
            "; did you mean 'portable'?");
  EXPECT_EQ(DidYouMean("dta", {"date", "data"}), "; did you mean 'data'?");
  EXPECT_EQ(DidYouMean("b", {"a"}), "; did you mean 'a'?");
}

TEST(SpellingTest, SuggestsNothingFarOff) {
  EXPECT_EQ(DidYouMean("tensorrt", {"portable", "onnxruntime-1.14.1"}), "");
  EXPECT_EQ(DidYouMean("x", {}), "");
  EXPECT_EQ(DidYouMean("", {"abc"}), "");
  EXPECT_EQ(DidYouMean(std::string(100000, 'a'), {std::string(99999, 'a')}),
            "");
}

}  // namespace
}  // namespace onnx_legalize
