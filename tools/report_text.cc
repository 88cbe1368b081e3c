// SPDX-License-Identifier: Apache-2.0

#include "tools/report_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/one_line.h"

namespace onnx_legalize {
namespace {

// Without -v: nodes named for one kind of rewrite, and kinds listed for a pass.
constexpr size_t kMaxNodes = 3;
constexpr size_t kMaxKinds = 10;

constexpr char kBold[] = "\033[1m";
constexpr char kGreen[] = "\033[32m";
constexpr char kYellow[] = "\033[33m";
constexpr char kReset[] = "\033[0m";

class Renderer {
 public:
  Renderer(const Report& report, const TextStyle& style)
      : report_(report), style_(style) {}

  std::string Render() {
    OpTable();
    Rewrites();
    if (style_.verbose) Times();
    List("Left alone", report_.explanations, "");
    List("Notes", report_.notes, "");
    List("Warnings", report_.warnings, kYellow);
    return std::move(text_);
  }

 private:
  std::string Painted(const char* color, absl::string_view text) const {
    if (!style_.color || *color == '\0') return std::string(text);
    return absl::StrCat(color, text, kReset);
  }

  void Heading(absl::string_view title) {
    absl::StrAppend(&text_, Painted(kBold, title), "\n");
  }

  // Rewrites that are alike.
  struct Kind {
    const RewriteRecord* first;
    std::vector<std::string> nodes;  // Quoted; without -v only some.
    int64_t count;
  };
  std::vector<Kind> Kinds() const;  // In order of the first of each.

  void OpTable();
  void OpRow(absl::string_view op, int64_t before, int64_t after, int width);
  void Rewrites();
  void Times();
  void List(absl::string_view title, const std::vector<std::string>& lines,
            const char* color);

  const Report& report_;
  const TextStyle style_;
  std::string text_;
};

void Renderer::OpTable() {
  std::set<std::string> ops;
  int64_t before = 0, after = 0;
  for (const auto& [op, count] : report_.ops_before) {
    ops.insert(op);
    before += count;
  }
  for (const auto& [op, count] : report_.ops_after) {
    ops.insert(op);
    after += count;
  }
  constexpr absl::string_view kTotal = "Total";
  size_t width = kTotal.size();
  for (const std::string& op : ops) width = std::max(width, op.size());
  const int w = static_cast<int>(width);
  Heading(absl::StrFormat("%-*s  %7s  %7s", w, "Op", "before", "after"));
  const auto count = [](const std::map<std::string, int64_t>& counts,
                        const std::string& op) {
    const auto it = counts.find(op);
    return it == counts.end() ? 0 : it->second;
  };
  for (const std::string& op : ops) {
    OpRow(op, count(report_.ops_before, op), count(report_.ops_after, op), w);
  }
  OpRow(kTotal, before, after, w);
}

void Renderer::OpRow(absl::string_view op, int64_t before, int64_t after,
                     int width) {
  std::string row =
      absl::StrFormat("%-*s  %7d  %7d", width, OneLine(op), before, after);
  if (before != after) {
    absl::StrAppendFormat(&row, "  %+d", after - before);
    row = Painted(after < before ? kGreen : kYellow, row);
  }
  absl::StrAppend(&text_, row, "\n");
}

std::vector<Renderer::Kind> Renderer::Kinds() const {
  std::vector<Kind> kinds;
  std::map<std::tuple<std::string, std::string, std::string, Exactness>, size_t>
      index;
  for (const RewriteRecord& r : report_.rewrites) {
    const auto [it, is_new] =
        index.try_emplace({r.pass, r.op, r.what, r.exactness}, kinds.size());
    if (is_new) kinds.push_back({&r, {}, 0});
    Kind& kind = kinds[it->second];
    ++kind.count;
    if (!r.node.empty() && (style_.verbose || kind.nodes.size() < kMaxNodes)) {
      kind.nodes.push_back(absl::StrCat("'", OneLine(r.node), "'"));
    }
  }
  return kinds;
}

void Renderer::Rewrites() {
  if (report_.rewrites.empty()) return;
  Heading("Rewritten");
  std::map<std::string, size_t> kinds_of_pass;
  for (const Kind& kind : Kinds()) {
    const RewriteRecord& r = *kind.first;
    if (++kinds_of_pass[r.pass] > kMaxKinds && !style_.verbose) continue;
    absl::StrAppend(&text_, "  ", r.pass, ": ");
    if (!r.op.empty()) absl::StrAppend(&text_, kind.count, " ", r.op, ": ");
    absl::StrAppend(&text_, OneLine(r.what), " [", ExactnessName(r.exactness),
                    "]\n");
    if (kind.nodes.empty()) continue;
    absl::StrAppend(&text_, "    ", absl::StrJoin(kind.nodes, ", "));
    const int64_t rest = kind.count - static_cast<int64_t>(kind.nodes.size());
    if (rest > 0) absl::StrAppend(&text_, " and ", rest, " more");
    absl::StrAppend(&text_, "\n");
  }
  if (style_.verbose) return;
  for (const auto& [pass, count] : kinds_of_pass) {
    if (count <= kMaxKinds) continue;
    absl::StrAppend(&text_, "  ", pass, ": and ", count - kMaxKinds,
                    " other kinds of rewrite (-v shows all)\n");
  }
}

void Renderer::Times() {
  if (report_.passes.empty()) return;
  Heading("Passes");
  for (const PassStatistics& pass : report_.passes) {
    absl::StrAppendFormat(
        &text_, "  %-24s %8.2f ms  %s\n", pass.pass, pass.seconds * 1e3,
        pass.changed ? absl::StrCat(pass.rewrites, " rewrites") : "no change");
  }
}

void Renderer::List(absl::string_view title,
                    const std::vector<std::string>& lines, const char* color) {
  if (lines.empty()) return;
  Heading(title);
  for (const std::string& line : lines) {
    absl::StrAppend(&text_, "  ", Painted(color, OneLine(line)), "\n");
  }
}

}  // namespace

std::string ReportText(const Report& report, const TextStyle& style) {
  return Renderer(report, style).Render();
}

std::string IllegalText(const Report& report) {
  std::string text;
  for (const IllegalNode& node : report.illegal) {
    absl::StrAppend(
        &text, "  ",
        OneLine(absl::StrCat(node.op, "-", node.version, " '", node.node, "' (",
                             node.types, "): ", node.reason)),
        "\n");
  }
  return text;
}

}  // namespace onnx_legalize
