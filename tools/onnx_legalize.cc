// SPDX-License-Identifier: Apache-2.0
//
// onnx-legalize: reads a model, legalizes it for a target, and writes it.

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ir/file_system.h"
#include "ir/writer.h"
#include "onnx_legalize/legalize.h"
#include "tools/arguments.h"
#include "tools/one_line.h"
#include "tools/report_text.h"

namespace onnx_legalize {
namespace {

enum ExitStatus { kLegal = 0, kFailed = 1, kUsage = 2, kIllegal = 3 };

constexpr absl::string_view kStandard = "-";

// Text is best effort: a reader that went away is no failure of the job.
void Print(std::FILE* stream, absl::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

void PrintError(absl::string_view message) {
  Print(stderr, absl::StrCat("onnx-legalize: error: ", OneLine(message), "\n"));
}

bool WantsColor(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  if (term == nullptr || absl::string_view(term) == "dumb") return false;
  return isatty(fileno(stream)) == 1;
}

absl::StatusOr<std::unique_ptr<Model>> Read(const Arguments& arguments) {
  const ReadOptions& options = arguments.options.read;
  if (arguments.input != kStandard) return ReadModel(arguments.input, options);
  auto bytes = FileBytes::ReadAll(STDIN_FILENO, "standard input");
  if (!bytes.ok()) return bytes.status();
  return ParseModel(std::string((*bytes)->bytes()), std::nullopt, options);
}

bool HasExternalData(const Model& model) {
  for (const Graph* graph : AllGraphs(model)) {
    for (const Value* value : graph->initializers()) {
      const Tensor* tensor = value->initializer();
      if (tensor != nullptr && tensor->is_external()) return true;
    }
  }
  return false;
}

absl::Status WriteReport(const std::string& path, const Report& report) {
  const std::string json = report.ToJson();
  if (path == kStandard) {
    return WriteToDescriptor(STDOUT_FILENO, {json}, "standard output");
  }
  return WriteFileAtomically(path, {json}, nullptr);
}

absl::Status Write(const Model& model, const std::string& path) {
  if (path != kStandard) return WriteModel(model, path);
  return WriteModelToDescriptor(model, STDOUT_FILENO, "standard output");
}

// The report goes first, so that a model is never written without the report
// that was asked for.
absl::Status WriteAll(const Arguments& arguments, const Model& model,
                      const Report& report, bool write_model) {
  if (!arguments.report.empty()) {
    absl::Status s = WriteReport(arguments.report, report);
    if (!s.ok()) return s;
  }
  if (!write_model) return absl::OkStatus();
  absl::Status status = Write(model, arguments.output);
  if (!status.ok() && IsRegularFile(arguments.report)) {
    RemoveFile(arguments.report);  // It tells of a model that isn't there.
  }
  return status;
}

std::string Outcome(const Arguments& arguments, const Report& report,
                    bool written) {
  if (!written) {
    return arguments.analyze ? "Only analyzed: nothing is written.\n" : "";
  }
  const std::string where =
      arguments.output == kStandard
          ? "standard output"
          : absl::StrCat("'", OneLine(arguments.output), "'");
  return absl::StrCat("Written to ", where, report.changed ? "" : ", unchanged",
                      ".\n");
}

int Run(const Arguments& arguments) {
  if (arguments.output == kStandard && isatty(STDOUT_FILENO) == 1) {
    PrintError("a model is no text for a terminal; name a file as OUT");
    return kUsage;
  }
  absl::StatusOr<std::unique_ptr<Model>> model = Read(arguments);
  absl::StatusOr<Report> report =
      model.ok() ? Legalize(*model, arguments.options) : model.status();
  if (!report.ok()) {
    PrintError(report.status().message());
    return kFailed;
  }
  if (arguments.output == kStandard && HasExternalData(**model)) {
    report->warnings.push_back(
        "the model on standard output refers to external data beside the one "
        "that was read");
  }
  const bool write_model = !arguments.analyze &&
                           (report->legal() || arguments.options.allow_illegal);
  absl::Status status = WriteAll(arguments, **model, *report, write_model);
  if (!status.ok()) {
    PrintError(status.message());
    return kFailed;
  }
  if (!arguments.quiet) {
    const bool data_on_stdout =
        arguments.output == kStandard || arguments.report == kStandard;
    std::FILE* stream = data_on_stdout ? stderr : stdout;
    Print(stream, absl::StrCat(ReportText(*report, {WantsColor(stream),
                                                    arguments.verbose}),
                               Outcome(arguments, *report, write_model)));
  }
  if (report->legal()) return kLegal;
  PrintError(absl::StrCat(
      report->illegal.size(), " node",
      report->illegal.size() == 1 ? " stays" : "s stay", " illegal on '",
      report->target, "'",
      write_model || arguments.analyze
          ? ""
          : "; nothing is written (--allow-illegal writes it anyway)"));
  Print(stderr, IllegalText(*report));
  return kIllegal;
}

int Main(int argc, char** argv) {
  // A closed pipe or a file limit is an error of the write, not the end.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  absl::StatusOr<Arguments> arguments = ParseArguments(argc, argv);
  if (!arguments.ok()) {
    PrintError(absl::StrCat(arguments.status().message(), " (see --help)"));
    return kUsage;
  }
  if (!arguments->answer.empty()) {
    Print(stdout, arguments->answer);
    return kLegal;
  }
  return Run(*arguments);
}

}  // namespace
}  // namespace onnx_legalize

int main(int argc, char** argv) { return onnx_legalize::Main(argc, argv); }
