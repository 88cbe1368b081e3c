// SPDX-License-Identifier: Apache-2.0
//
// The main job as a library call: options, input shapes, report, threads.

#include "onnx_legalize/legalize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/onnx_text.h"

namespace onnx_legalize {
namespace {

using testing::HasSubstr;

constexpr char kTrilu[] = R"(
<ir_version: 8, opset_import: ["" : 17]>
g (bool[N, 4] data) => (bool[N, 4] y) { y = Trilu(data) }
)";
constexpr char kStringTrilu[] = R"(
<ir_version: 8, opset_import: ["" : 17]>
g (string[N, 4] data) => (string[N, 4] y) { y = Trilu(data) }
)";

std::string BytesOf(const std::string& text) {
  auto proto = ParseText(text);
  EXPECT_TRUE(proto.ok()) << proto.status();
  return proto->SerializeAsString();
}

struct Outcome {
  absl::Status status;
  Report report;
  std::string bytes;
};

Outcome RunLegalize(const std::string& bytes, const Options& options) {
  auto model = ParseModel(bytes);
  EXPECT_TRUE(model.ok()) << model.status();
  auto report = Legalize(*model, options);
  if (!report.ok()) return {report.status(), {}, ""};
  auto written = SerializeModel(**model);
  EXPECT_TRUE(written.ok()) << written.status();
  return {absl::OkStatus(), *std::move(report), *std::move(written)};
}

TEST(LegalizeTest, RewritesAndReports) {
  const Outcome outcome = RunLegalize(BytesOf(kTrilu), {});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  const Report& report = outcome.report;
  EXPECT_TRUE(report.changed);
  EXPECT_TRUE(report.legal());
  EXPECT_EQ(report.target, "portable");
  EXPECT_EQ(report.ops_before, (std::map<std::string, int64_t>{{"Trilu", 1}}));
  EXPECT_EQ(report.ops_after.count("Trilu"), 0);
  ASSERT_FALSE(report.rewrites.empty());
  EXPECT_EQ(report.rewrites[0].pass, "decompose-trilu");
  EXPECT_EQ(report.rewrites[0].node, "y");
}

TEST(LegalizeTest, SameInputSameBytes) {
  const std::string bytes = BytesOf(kTrilu);
  EXPECT_EQ(RunLegalize(bytes, {}).bytes, RunLegalize(bytes, {}).bytes);
}

TEST(LegalizeTest, WhatStaysIllegalIsListed) {
  const Outcome outcome = RunLegalize(BytesOf(kStringTrilu), {});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  ASSERT_EQ(outcome.report.illegal.size(), 1);
  const IllegalNode& node = outcome.report.illegal[0];
  EXPECT_EQ(node.op, "Trilu");
  EXPECT_EQ(node.node, "y");
  EXPECT_THAT(node.types, HasSubstr("tensor(string)[N,4]"));
  EXPECT_FALSE(node.reason.empty());
}

TEST(LegalizeTest, NoPassLeavesTheBytes) {
  const std::string bytes = BytesOf(kTrilu);
  Options options;
  options.passes = {{"none"}};
  const Outcome outcome = RunLegalize(bytes, options);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_FALSE(outcome.report.changed);
  EXPECT_TRUE(outcome.report.passes.empty());
  EXPECT_TRUE(outcome.bytes == bytes);
}

TEST(LegalizeTest, SkippedPassesDoNotRun) {
  Options options;
  options.skip_passes = {"decompose-trilu"};
  const Outcome outcome = RunLegalize(BytesOf(kTrilu), options);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.report.ops_after.at("Trilu"), 1);
  for (const PassStatistics& pass : outcome.report.passes) {
    EXPECT_NE(pass.pass, "decompose-trilu");
  }
}

TEST(LegalizeTest, RuntimesThatRunItGetTheSameBytes) {
  Options options;
  options.target = "onnxruntime-1.32.0";
  const std::string bytes = BytesOf(kTrilu);
  const Outcome outcome = RunLegalize(bytes, options);
  EXPECT_EQ(outcome.report.target, "onnxruntime-1.32.0");
  EXPECT_FALSE(outcome.report.changed);
  EXPECT_TRUE(outcome.bytes == bytes);
}

TEST(CheckOptionsTest, RefusesWhatNoModelCouldMakeRight) {
  const auto message = [](const auto& set) {
    Options options;
    set(options);
    return std::string(CheckOptions(options).message());
  };
  EXPECT_EQ(message([](Options&) {}), "");
  EXPECT_THAT(message([](Options& o) { o.target = "portble"; }),
              HasSubstr("did you mean 'portable'?"));
  EXPECT_THAT(message([](Options& o) { o.passes = {{"infer-shape"}}; }),
              HasSubstr("did you mean 'infer-shapes'?"));
  EXPECT_THAT(message([](Options& o) { o.skip_passes = {"infer-shape"}; }),
              HasSubstr("did you mean 'infer-shapes'?"));
  EXPECT_THAT(message([](Options& o) { o.passes.emplace(); }),
              HasSubstr("empty"));
  EXPECT_THAT(message([](Options& o) {
                o.passes = {{"none", "infer-shapes"}};
              }),
              HasSubstr("stands alone"));
  EXPECT_THAT(message([](Options& o) {
                o.derived_inputs = {{"batch", "data", 0}};
                o.skip_passes = {"derive-size-inputs"};
              }),
              HasSubstr("derive-size-inputs"));
}

TEST(LegalizeFileTest, WritesWhatIsLegalOnly) {
  const std::string in = testing::TempDir() + "/legalize_file_in.onnx";
  const std::string out = testing::TempDir() + "/legalize_file_out.onnx";
  std::remove(out.c_str());
  std::ofstream(in, std::ios::binary) << BytesOf(kStringTrilu);
  FileOptions options;
  auto report = LegalizeFile(in, out, options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->legal());
  EXPECT_FALSE(ReadModel(out).ok());
  options.allow_illegal = true;
  EXPECT_FALSE(LegalizeFile(in, out, options)->legal());
  EXPECT_TRUE(ReadModel(out).ok());
  std::ofstream(in, std::ios::binary) << BytesOf(kTrilu);
  EXPECT_TRUE(LegalizeFile(in, out, {})->legal());
  auto written = ReadModel(out);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_FALSE((*written)->graph().first_node()->Is("Trilu"));
  EXPECT_FALSE(LegalizeFile(in + ".none", out, {}).ok());
}

class InputShapeTest : public testing::Test {
 protected:
  Outcome With(absl::string_view type, const std::string& name,
               const std::vector<int64_t>& shape) {
    Options options;
    options.input_shapes = {{name, shape}};
    return RunLegalize(
        BytesOf(absl::StrCat("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                             "g (",
                             type,
                             " data) => (float y) { y = ReduceSum(data) }")),
        options);
  }
  static std::string InputType(const std::string& bytes) {
    auto model = ParseModel(bytes);
    return TypeString((*model)->graph().input(0)->type());
  }
};

TEST_F(InputShapeTest, FixesDimensions) {
  const Outcome outcome = With("float[N, 3, W]", "data", {2, 3, -1});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(InputType(outcome.bytes), "tensor(float)[2,3,W]");
  EXPECT_TRUE(outcome.report.changed);
  EXPECT_FALSE(outcome.report.notes.empty());
}

TEST_F(InputShapeTest, GivesARankWhereThereIsNone) {
  const Outcome outcome = With("float", "data", {});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  const Outcome known = With("float[]", "data", {2, -1});
  ASSERT_TRUE(known.status.ok()) << known.status;
  EXPECT_EQ(InputType(known.bytes), "tensor(float)[2,?]");
}

TEST_F(InputShapeTest, SaysNothingWhereNothingChanges) {
  const Outcome outcome = With("float[2, 3]", "data", {2, 3});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_TRUE(outcome.report.notes.empty());
}

TEST_F(InputShapeTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(With("float[2, 3]", "date", {2, 3}).status.message(),
              HasSubstr("did you mean 'data'?"));
  EXPECT_THAT(With("float[2, 3]", "data", {2, 3, 4}).status.message(),
              HasSubstr("has 2 dimensions"));
  EXPECT_THAT(With("float[2, 3]", "data", {2, 4}).status.message(),
              HasSubstr("is 3 in dimension 1, which 4 contradicts"));
}

TEST(ReportTest, JsonHoldsTheFacts) {
  const Outcome outcome = RunLegalize(BytesOf(kStringTrilu), {});
  const auto json = nlohmann::json::parse(outcome.report.ToJson());
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["legal"], false);
  EXPECT_EQ(json["ops_before"]["Trilu"], 1);
  EXPECT_EQ(json["illegal"][0]["op"], "Trilu");
  EXPECT_EQ(json["passes"].size(), outcome.report.passes.size());
}

TEST(ReportTest, JsonSurvivesNamesThatAreNotUtf8) {
  Report report;
  report.notes = {"\xff\xfe"};
  EXPECT_NO_THROW(nlohmann::json::parse(report.ToJson()));
}

TEST(ThreadsTest, DistinctModelsMayBeLegalizedAtOnce) {
  const std::string bytes = BytesOf(kTrilu);
  const std::string expected = RunLegalize(bytes, {}).bytes;
  std::vector<std::string> results(4);
  std::vector<std::thread> threads;
  for (std::string& result : results) {
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) result = RunLegalize(bytes, {}).bytes;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& result : results) EXPECT_TRUE(result == expected);
}

}  // namespace
}  // namespace onnx_legalize
