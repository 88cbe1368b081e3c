// SPDX-License-Identifier: Apache-2.0
//
// Runs every case of tests/golden/<pass>/<case>.onnxtxt (format: the README
// there). For each: parse the text; check it with onnx's checker; read it with
// our reader; run the passes; verify; write, once splicing what hasn't changed
// and once encoding all anew; check the result with onnx's checker; hold
// "changed" against the bytes; run again, which must change nothing; and
// compare text and report with what the file expects.
//
// With ONNX_LEGALIZE_UPDATE_GOLDENS set (tests/update_goldens.py does that) the
// expectations are rewritten from what came out; nothing else is relaxed.

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "ir/verifier.h"
#include "ir/writer.h"
#include "onnx_legalize/legalize.h"
#include "tests/support/golden_case.h"
#include "tests/support/onnx_text.h"

namespace onnx_legalize {
namespace {

const char kRoot[] = ONNX_LEGALIZE_TESTDATA "/golden";

class GoldenTest : public testing::TestWithParam<std::string> {
 protected:
  // The case's outcome as its file would state it; adds test failures for what
  // no case may do.
  std::string Outcome(const GoldenCase& golden, const onnx::ModelProto& input);
  // What a second run of the passes does to the result of the first.
  void ExpectUnchanged(const std::string& bytes, Options options);
};

std::string GoldenTest::Outcome(const GoldenCase& golden,
                                const onnx::ModelProto& input) {
  const std::string before = input.SerializeAsString();
  auto model = ParseModel(before);
  if (!model.ok()) {
    return absl::StrCat("---- error\n", model.status().message(), "\n");
  }
  const auto report = Legalize(*model, golden.options);
  if (!report.ok()) {
    return absl::StrCat("---- error\n", report.status().message(), "\n");
  }
  const absl::Status verified = Verify(**model);
  EXPECT_TRUE(verified.ok()) << verified;
  const auto after = SerializeModel(**model);
  if (!after.ok()) {
    ADD_FAILURE() << after.status();
    return "";
  }
  EXPECT_EQ(report->changed, *after != before) << "\"changed\" isn't honest";
  std::string outcome = "---- output\n";
  onnx::ModelProto output;
  EXPECT_TRUE(output.ParseFromString(*after));
  onnx::ModelProto reencoded;
  EXPECT_TRUE(reencoded.ParseFromString(SerializeReencoded(**model)));
  EXPECT_TRUE(reencoded.SerializeAsString() == output.SerializeAsString())
      << "encoded anew, the model means something else";
  if (*after == before) {
    absl::StrAppend(&outcome, "unchanged\n");
  } else {
    // What onnx accepted before must be acceptable after.
    for (const bool full : {false, true}) {
      if (!CheckModel(input, full).ok()) continue;
      const absl::Status checked = CheckModel(output, full);
      EXPECT_TRUE(checked.ok()) << checked;
    }
    ExpectUnchanged(*after, golden.options);
    const auto text = PrintText(output);
    EXPECT_TRUE(text.ok()) << text.status();
    if (text.ok()) absl::StrAppend(&outcome, *text, "\n");
  }
  const std::string lines = ReportText(*report);
  if (!lines.empty()) absl::StrAppend(&outcome, "---- report\n", lines);
  return outcome;
}

void GoldenTest::ExpectUnchanged(const std::string& bytes, Options options) {
  options.derived_inputs.clear();  // The first run has removed those inputs.
  auto model = ParseModel(bytes);
  ASSERT_TRUE(model.ok()) << model.status();
  const auto report = Legalize(*model, options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->changed) << "the second run changes its own result";
  const auto again = SerializeModel(**model);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(*again == bytes);
}

TEST_P(GoldenTest, Matches) {
  const auto golden = ReadGolden(kRoot, GetParam());
  ASSERT_TRUE(golden.ok()) << golden.status();
  const auto input = ParseText(golden->input);
  ASSERT_TRUE(input.ok()) << golden->path << ": " << input.status();
  const absl::Status checked = CheckModel(*input, /*full=*/false);
  if (golden->invalid.empty()) {
    ASSERT_TRUE(checked.ok()) << golden->path << ": " << checked;
  } else {
    ASSERT_FALSE(checked.ok()) << "marked as invalid, but onnx accepts it";
  }
  const std::string outcome = Outcome(*golden, *input);
  if (std::getenv("ONNX_LEGALIZE_UPDATE_GOLDENS") != nullptr) {
    const absl::Status written = WriteExpected(*golden, outcome);
    ASSERT_TRUE(written.ok()) << written;
    return;
  }
  EXPECT_EQ(outcome, golden->expected) << golden->path;
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Golden, GoldenTest,
                         testing::ValuesIn(GoldenNames(kRoot)), TestName);

}  // namespace
}  // namespace onnx_legalize
