// SPDX-License-Identifier: Apache-2.0

#include "passes/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/ascii.h"
#include "passes/pipelines.h"

namespace onnx_legalize {
namespace {

using testing::HasSubstr;

TEST(RegistryTest, NamesAreKebabCaseSortedAndOnce) {
  absl::string_view last;
  for (const PassInfo& pass : AllPasses()) {
    EXPECT_LT(last, pass.name);
    last = pass.name;
    for (char c : pass.name) {
      EXPECT_TRUE(absl::ascii_islower(c) || c == '-') << pass.name;
    }
    ASSERT_FALSE(pass.summary.empty()) << pass.name;
    EXPECT_EQ(pass.summary.back(), '.') << pass.name;
  }
}

TEST(RegistryTest, CreatesPassesUnderTheirNames) {
  for (const PassInfo& pass : AllPasses()) {
    auto created = CreatePass(pass.name);
    ASSERT_TRUE(created.ok()) << created.status();
    EXPECT_EQ((*created)->name(), pass.name);
  }
}

TEST(RegistryTest, SuggestsForAMisspeltName) {
  const absl::Status s = CreatePass("decompose-trliu").status();
  EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(s.message(), HasSubstr("did you mean 'decompose-trilu'?"));
}

TEST(PipelinesTest, PassesAreRegisteredAndRunOnce) {
  std::set<absl::string_view> seen;
  for (const PipelineStep& step : PortablePipeline()) {
    EXPECT_TRUE(CheckPassName(step.pass).ok()) << step.pass;
    EXPECT_TRUE(seen.insert(step.pass).second) << step.pass;
  }
}

}  // namespace
}  // namespace onnx_legalize
