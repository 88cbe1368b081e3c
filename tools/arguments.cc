// SPDX-License-Identifier: Apache-2.0

#include "tools/arguments.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "ir/file_system.h"
#include "ir/spelling.h"
#include "targets/target.h"
#include "tools/pass_list.h"

namespace onnx_legalize {
namespace {

// What CLI11 hands over as text, to be parsed further.
struct RawArguments {
  std::vector<std::string> passes;
  std::vector<std::string> input_shapes;
  std::vector<std::string> derived_inputs;
  std::string padding = "auto";
  std::string list_passes;
  bool list_targets = false;
  std::string show_target;
};

constexpr char kDescription[] =
    "Rewrites an ONNX model until the target can run it, and changes nothing "
    "else.";
constexpr char kFooter[] =
    "Exit status: 0 written and legal on the target; 1 bad input or I/O, "
    "nothing\nwritten; 2 mistake in usage; 3 something stays illegal, nothing "
    "written unless\n--allow-illegal.";

void DeclareOptions(CLI::App& app, Arguments& arguments, RawArguments& raw) {
  FileOptions& options = arguments.options;
  app.add_option("IN", arguments.input, "Model to read; - is standard input")
      ->type_name("");
  app.add_option("OUT", arguments.output,
                 "Model to write; - is standard output")
      ->type_name("");
  app.add_option("--target", options.target,
                 "What to legalize for: portable (the default), opset:N, a "
                 "measured runtime such as onnxruntime-1.14.1, or the file of "
                 "a profile")
      ->type_name("NAME|FILE");
  app.add_flag("--list-targets", raw.list_targets, "List the targets and exit");
  app.add_option("--show-target", raw.show_target,
                 "Print a target's profile and exit")
      ->type_name("NAME|FILE");
  app.add_option("--opset", options.opset,
                 "Make the output's ai.onnx opset exactly N, from 7 on")
      ->type_name("N");
  app.add_flag("--allow-inexact", options.allow_inexact,
               "Allow rewrites that change values beyond rounding");
  app.add_option("--lowerings", options.lowerings,
                 "Functions in ONNX's text syntax that replace operators")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--input-shape", raw.input_shapes,
                 "Fix an input's shape, e.g. data:1,3,224,224; -1 leaves a "
                 "dimension as it is")
      ->type_name("NAME:DIMS")
      ->allow_extra_args(false);
  app.add_option("--derive-input", raw.derived_inputs,
                 "Remove a scalar input that restates a dimension, e.g. "
                 "batch=data:0")
      ->type_name("INPUT=NAME:AXIS")
      ->allow_extra_args(false);
  app.add_option("--padding", raw.padding,
                 "Where asymmetric padding goes: auto (the default), attribute "
                 "or node")
      ->type_name("WHERE");
  app.add_option("--passes", raw.passes,
                 "Run these passes instead of the target's; none runs nothing")
      ->type_name("A,B")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--skip-pass", options.skip_passes, "Leave a pass out")
      ->type_name("PASS")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--list-passes", raw.list_passes,
               "List the passes and exit; =markdown for the documentation");
  app.add_option("--report", arguments.report,
                 "Write what was done as JSON; - is standard output")
      ->type_name("FILE");
  app.add_flag("--analyze", arguments.analyze,
               "Only say what would be done; takes no OUT");
  app.add_flag("--explain", options.explain,
               "Say why a pass leaves a node alone that it is about");
  app.add_flag("--strict", options.strict,
               "Take a wrongly declared type for an error instead of "
               "correcting it");
  app.add_flag("--verify-each", options.verify_each,
               "Verify the graph after every pass");
  app.add_flag("--allow-illegal", options.allow_illegal,
               "Write the model even if something stays illegal");
  app.add_flag("--allow-external-symlinks",
               options.read.allow_external_symlinks,
               "Follow external data through symlinks that leave the model's "
               "folder");
  CLI::Option* quiet =
      app.add_flag("-q,--quiet", arguments.quiet, "Print nothing but errors");
  app.add_flag("-v,--verbose", arguments.verbose,
               "Print every rewrite, and the time of every pass")
      ->excludes(quiet);
}

absl::Status BadValue(absl::string_view flag, absl::string_view value,
                      absl::string_view wanted) {
  return absl::InvalidArgumentError(
      absl::StrCat(flag, " '", value, "': expected ", wanted));
}

// Splits "name:rest" at the last colon, since names of values hold colons.
bool SplitAtLastColon(absl::string_view text, absl::string_view& name,
                      absl::string_view& rest) {
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos || colon == 0) return false;
  name = text.substr(0, colon);
  rest = text.substr(colon + 1);
  return true;
}

absl::Status ParseInputShape(const std::string& text, Options& options) {
  constexpr absl::string_view kWanted = "NAME:DIMS, e.g. data:1,3,224,224";
  absl::string_view name, dims;
  if (!SplitAtLastColon(text, name, dims)) {
    return BadValue("--input-shape", text, kWanted);
  }
  std::vector<int64_t> shape;
  if (!dims.empty()) {  // "x:" is a scalar.
    for (absl::string_view part : absl::StrSplit(dims, ',')) {
      int64_t dim;
      if (!absl::SimpleAtoi(part, &dim) || dim < -1) {
        return BadValue("--input-shape", text, kWanted);
      }
      shape.push_back(dim);
    }
  }
  for (const auto& [other, unused] : options.input_shapes) {
    if (other == name) {
      return absl::InvalidArgumentError(
          absl::StrCat("--input-shape is given twice for '", name, "'"));
    }
  }
  options.input_shapes.emplace_back(std::string(name), std::move(shape));
  return absl::OkStatus();
}

absl::Status ParseDerivedInput(const std::string& text, Options& options) {
  constexpr absl::string_view kWanted = "INPUT=NAME:AXIS, e.g. batch=data:0";
  Options::DerivedInput derived;
  const size_t equals = text.find('=');
  absl::string_view name, axis;
  if (equals == std::string::npos || equals == 0 ||
      !SplitAtLastColon(absl::string_view(text).substr(equals + 1), name,
                        axis) ||
      !absl::SimpleAtoi(axis, &derived.axis)) {
    return BadValue("--derive-input", text, kWanted);
  }
  derived.input = text.substr(0, equals);
  derived.value = std::string(name);
  options.derived_inputs.push_back(std::move(derived));
  return absl::OkStatus();
}

absl::Status ParsePadding(const std::string& text, Options& options) {
  if (text == "auto") {
    options.padding = Padding::kAuto;
  } else if (text == "attribute") {
    options.padding = Padding::kAttribute;
  } else if (text == "node") {
    options.padding = Padding::kNode;
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("--padding '", text, "': expected auto, attribute or node",
                     DidYouMean(text, {"auto", "attribute", "node"})));
  }
  return absl::OkStatus();
}

absl::Status ParseRaw(const RawArguments& raw, Arguments& arguments) {
  FileOptions& options = arguments.options;
  if (!raw.passes.empty()) options.passes = raw.passes;
  for (const std::string& text : raw.input_shapes) {
    if (absl::Status s = ParseInputShape(text, options); !s.ok()) return s;
  }
  for (const std::string& text : raw.derived_inputs) {
    if (absl::Status s = ParseDerivedInput(text, options); !s.ok()) return s;
  }
  return ParsePadding(raw.padding, options);
}

// Whether writing to one path changes what is at the other. They needn't exist.
bool SamePlace(const std::string& a, const std::string& b) {
  if (a == b || SameFile(a, b)) return true;
  const auto resolve = [](const std::string& path) {
    const std::string directory = DirectoryOf(path);
    const auto real = RealPath(directory.empty() ? "." : directory);
    const absl::string_view name =
        absl::string_view(path).substr(path.rfind('/') + 1);
    return real.ok() ? JoinPath(*real, name) : path;
  };
  return resolve(a) == resolve(b);
}

absl::Status CheckPaths(const Arguments& arguments) {
  if (arguments.input.empty()) {
    return absl::InvalidArgumentError("IN, the model to read, is missing");
  }
  if (arguments.analyze != arguments.output.empty()) {
    return absl::InvalidArgumentError(
        arguments.analyze ? "--analyze writes nothing and takes no OUT"
                          : "OUT, the model to write, is missing");
  }
  const std::string& report = arguments.report;
  if (report.empty()) return absl::OkStatus();
  // "-" is one place only where both mean standard output.
  const bool over_input = arguments.input != "-" && report != "-" &&
                          SamePlace(report, arguments.input);
  const bool over_output = (arguments.output == "-") == (report == "-") &&
                           !arguments.output.empty() &&
                           SamePlace(report, arguments.output);
  if (over_input || over_output) {
    return absl::InvalidArgumentError(
        absl::StrCat("--report '", report, "' would overwrite the model"));
  }
  return absl::OkStatus();
}

// An argument that there is no place for, with a suggestion for a misspelt
// flag.
absl::Status UnexpectedArgument(const CLI::App& app) {
  const std::string argument = app.remaining().front();
  if (argument[0] != '-') {
    return absl::InvalidArgumentError(
        absl::StrCat("'", argument, "' is one argument too many"));
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  const std::vector<absl::string_view> views(names.begin(), names.end());
  const std::string flag = argument.substr(0, argument.find('='));
  return absl::InvalidArgumentError(
      absl::StrCat("there is no flag '", flag, "'", DidYouMean(flag, views)));
}

}  // namespace

absl::StatusOr<Arguments> ParseArguments(int argc, const char* const* argv) {
  Arguments arguments;
  RawArguments raw;
  CLI::App app(kDescription, "onnx-legalize");
  app.footer(kFooter);
  app.set_version_flag("--version", "onnx-legalize " ONNX_LEGALIZE_VERSION,
                       "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  DeclareOptions(app, arguments, raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    arguments.answer = app.help();
    return arguments;
  } catch (const CLI::CallForVersion& version) {
    arguments.answer = absl::StrCat(version.what(), "\n");
    return arguments;
  } catch (const CLI::ExtrasError&) {
    return UnexpectedArgument(app);
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(error.what());
  }
  if (!raw.list_passes.empty()) {
    constexpr absl::string_view kNoValue = "true";  // CLI11's word for it.
    if (raw.list_passes != kNoValue && raw.list_passes != "markdown") {
      return BadValue("--list-passes", raw.list_passes, "no value or markdown");
    }
    arguments.answer =
        raw.list_passes == kNoValue ? PassListText() : PassListMarkdown();
    return arguments;
  }
  if (raw.list_targets) {
    for (const auto& [name, what] : ListTargets()) {
      absl::StrAppend(&arguments.answer,
                      absl::StrFormat("%-22s %s\n", name, what));
    }
    return arguments;
  }
  if (!raw.show_target.empty()) {
    absl::StatusOr<std::string> shown = ShowTarget(raw.show_target);
    if (!shown.ok()) return shown.status();
    arguments.answer = *std::move(shown);
    return arguments;
  }
  if (absl::Status s = ParseRaw(raw, arguments); !s.ok()) return s;
  if (absl::Status s = CheckPaths(arguments); !s.ok()) return s;
  if (absl::Status s = CheckOptions(arguments.options); !s.ok()) return s;
  return arguments;
}

}  // namespace onnx_legalize
