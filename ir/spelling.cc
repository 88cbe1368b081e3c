// SPDX-License-Identifier: Apache-2.0

#include "ir/spelling.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

namespace onnx_legalize {
namespace {

// Levenshtein distance, one row at a time.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string DidYouMean(absl::string_view name,
                       absl::Span<const absl::string_view> candidates) {
  // Names longer than this are no typing slips, and the cost is quadratic.
  constexpr size_t kLongestName = 256;
  if (name.size() > kLongestName) return "";
  absl::string_view best;
  // A slip every three characters is still the same word.
  size_t best_distance = std::max<size_t>(name.size() / 3, 1) + 1;
  for (absl::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > kLongestName) continue;
    const size_t distance = EditDistance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best.empty() ? "" : absl::StrCat("; did you mean '", best, "'?");
}

}  // namespace onnx_legalize
