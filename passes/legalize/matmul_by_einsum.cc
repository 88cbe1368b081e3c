// SPDX-License-Identifier: Apache-2.0
//
// MatMul as an Einsum, which runtimes don't join with its neighbours: ONNX
// Runtime 1.8 to 1.20 make one node of Transpose and MatMul of doubles, for
// which they have no kernel.
//
//   before:  y = MatMul (a, b)       # a: double[2,3,4], b: double[5,2,4,3]
//   after:   y = Einsum <equation = "bij,abjk->abik"> (a, b)
//
// Declines unknown ranks.

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "passes/legalize/body.h"

namespace onnx_legalize {

std::optional<std::string> MatMulByEinsum(Body& b) {
  const std::optional<int> left = b.Rank(0), right = b.Rank(1);
  if (!left.has_value() || !right.has_value()) return "a rank isn't known";
  if (*left < 1 || *right < 1) return "takes no scalars";
  const int batch = std::max({*left, *right, 2}) - 2;
  const std::string letters = "abcdefghlmnopqrstuvwxyz";  // i, j, k are taken.
  if (batch > static_cast<int>(letters.size())) return "too many dimensions";
  const std::string all = letters.substr(0, batch);
  const auto of = [&](int rank) {
    return rank > 2 ? all.substr(all.size() - (rank - 2)) : "";
  };
  const std::string equation =
      absl::StrCat(of(*left), *left > 1 ? "ij" : "j", ",", of(*right),
                   *right > 1 ? "jk" : "j", "->", all, *left > 1 ? "i" : "",
                   *right > 1 ? "k" : "");
  b.Return({b.Op("Einsum", {b.In(0), b.In(1)}, {{"equation", equation}})});
  return std::nullopt;
}

}  // namespace onnx_legalize
