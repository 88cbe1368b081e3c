// SPDX-License-Identifier: Apache-2.0

#include "targets/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace onnx_legalize {
namespace {

using testing::HasSubstr;

TEST(TargetTest, KnowsPortable) {
  auto portable = FindTarget("portable");
  ASSERT_TRUE(portable.ok());
  EXPECT_EQ(portable->name, "portable");
  EXPECT_TRUE(portable->IsPortable());
  EXPECT_EQ(portable->note, "");
}

TEST(TargetTest, EveryShippedProfileParsesUnderItsName) {
  EXPECT_GE(EmbeddedProfiles().size(), 9u);
  for (const auto& [name, json] : EmbeddedProfiles()) {
    auto target = FindTarget(name);
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_EQ(target->name, name);
    EXPECT_FALSE(target->IsPortable());
    EXPECT_GE(target->profile->opsets.at(""), 12);
    EXPECT_GE(target->profile->ir_version, 7);
    EXPECT_NE(target->profile->Find("", "Conv"), nullptr);
  }
}

TEST(TargetTest, ProfileSaysWhatWasMeasured) {
  auto old = FindTarget("onnxruntime-1.4.0");
  ASSERT_TRUE(old.ok());
  EXPECT_EQ(old->profile->opsets.at(""), 12);
  EXPECT_EQ(old->profile->Find("", "GridSample"), nullptr);
  EXPECT_EQ(old->profile->Find("com.example", "Conv"), nullptr);
}

TEST(TargetTest, OpsetTargetsGoFromSevenToTheNewest) {
  auto target = FindTarget("opset:13");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->opset, 13);
  EXPECT_FALSE(target->IsPortable());
  EXPECT_THAT(FindTarget("opset:6").status().message(), HasSubstr("go from 7"));
  EXPECT_FALSE(FindTarget("opset:99").ok());
  EXPECT_FALSE(FindTarget("opset:").ok());
  EXPECT_FALSE(FindTarget("opset:x").ok());
}

TEST(TargetTest, RefusesOthersWithASuggestion) {
  EXPECT_THAT(FindTarget("portabel").status().message(),
              HasSubstr("did you mean 'portable'?"));
  EXPECT_THAT(FindTarget("onnxruntime-1.14.2").status().message(),
              HasSubstr("did you mean 'onnxruntime-1.14.1'?"));
  EXPECT_FALSE(FindTarget("./there-is-no-such.json").ok());
  EXPECT_FALSE(FindTarget("").ok());
}

TEST(ProfileTest, RefusesWhatIsNoProfile) {
  EXPECT_THAT(ParseProfile("[]", "mine.json").status().message(),
              HasSubstr("mine.json: not a target profile"));
  EXPECT_THAT(ParseProfile("{", "x").status().message(),
              HasSubstr("no JSON object"));
  EXPECT_THAT(ParseProfile(R"({"schema": 99})", "x").status().message(),
              HasSubstr("measure it again"));
  EXPECT_THAT(ParseProfile(R"({"schema": 1, "name": "n", "ir_version": 8,
                               "opsets": {}, "operators": {},
                               "constraints": []})",
                           "x")
                  .status()
                  .message(),
              HasSubstr("no 'ai.onnx'"));
}

TEST(TargetTest, ListsAndShows) {
  const auto targets = ListTargets();
  const auto has = [&](const std::string& name) {
    return std::any_of(targets.begin(), targets.end(),
                       [&](const auto& t) { return t.first == name; });
  };
  EXPECT_TRUE(has("portable"));
  EXPECT_TRUE(has("opset:N"));
  EXPECT_TRUE(has("onnxruntime-1.8.1"));
  EXPECT_THAT(*ShowTarget("onnxruntime-1.8.1"), HasSubstr("\"operators\""));
  EXPECT_THAT(*ShowTarget("opset:12"), HasSubstr("12"));
  EXPECT_FALSE(ShowTarget("nothing").ok());
}

}  // namespace
}  // namespace onnx_legalize
