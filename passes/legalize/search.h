// SPDX-License-Identifier: Apache-2.0
//
// Search: what is learned from one attempt at a model for the next. A choice
// that led to a node that nothing can lower is not made again; the model is
// then read anew and legalized from the start.

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_SEARCH_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_SEARCH_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "passes/legalize/text_functions.h"
#include "targets/legality.h"

namespace onnx_legalize {

struct Search {
  // Users' functions first, then ours.
  std::vector<TextFunction> functions;
  // The opset imports of this attempt.
  OpsetImports imports;
  // Those to try after this, best first.
  std::vector<OpsetImports> other_imports;
  // Choices that lead nowhere: "lowering | operator and types".
  absl::flat_hash_set<std::string> dead_ends;
  // What this attempt adds to them.
  std::vector<std::string> new_dead_ends;
};

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_SEARCH_H_
