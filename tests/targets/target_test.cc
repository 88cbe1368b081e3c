// SPDX-License-Identifier: Apache-2.0

#include "targets/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace onnx_legalize {
namespace {

using testing::HasSubstr;

TEST(TargetTest, KnowsPortableAndOnnxRuntime) {
  auto portable = FindTarget("portable");
  ASSERT_TRUE(portable.ok());
  EXPECT_EQ(portable->name, "portable");
  EXPECT_EQ(portable->note, "");
  auto runtime = FindTarget("onnxruntime-1.14.1");
  ASSERT_TRUE(runtime.ok());
  EXPECT_EQ(runtime->name, "onnxruntime-1.14.1");
  EXPECT_THAT(runtime->note, HasSubstr("served as 'portable'"));
}

TEST(TargetTest, RefusesOthersWithASuggestion) {
  EXPECT_THAT(FindTarget("portabel").status().message(),
              HasSubstr("did you mean 'portable'?"));
  EXPECT_THAT(FindTarget("onnxruntime-").status().message(),
              HasSubstr("no target is named"));
  EXPECT_THAT(FindTarget("./mine.json").status().message(),
              HasSubstr("profile file"));
  EXPECT_FALSE(FindTarget("").ok());
}

}  // namespace
}  // namespace onnx_legalize
