// SPDX-License-Identifier: Apache-2.0
//
// RNN, GRU and LSTM with layout = 1 (batch first) as layout = 0 between
// transpositions.
//
//   before:  Y, Y_h = GRU <layout = 1> (X, W, R, , , initial_h)
//   after:   X0 = Transpose <perm = [1, 0, 2]> (X), initial_h alike
//            Y0, Y0_h = GRU (X0, W, R, , , H0)
//            Y = Transpose <perm = [2, 0, 1, 3]> (Y0)
//            Y_h = Transpose <perm = [1, 0, 2]> (Y0_h)
//
// Declines layout = 0, which needs none of this.

#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {

std::optional<std::string> RecurrentTimeFirst(Body& b) {
  if (b.node().Int("layout", 0) == 0) return "its layout is 0 already";
  const std::vector<int64_t> swap = {1, 0, 2};
  constexpr int kX = 0, kInitialH = 5, kInitialC = 6;
  Refs inputs;
  for (int i = 0; i < b.num_inputs(); ++i) {
    const bool batched = i == kX || i == kInitialH || i == kInitialC;
    inputs.push_back(b.Has(i) && batched ? b.Transpose(b.In(i), swap)
                                         : b.In(i));
  }
  b.SetOpset(b.node().op().version);
  Refs outputs = b.OpN(b.node().op().op_type, inputs, b.node().num_outputs(),
                       b.AttributesWithout({"layout"}));
  for (int i = 0; i < b.node().num_outputs(); ++i) {
    if (b.node().output(i) == nullptr) {
      outputs[i] = "";
    } else {
      outputs[i] = i == 0 ? b.Transpose(outputs[i], {2, 0, 1, 3})
                          : b.Transpose(outputs[i], swap);
    }
  }
  b.Return(outputs);
  return std::nullopt;
}

}  // namespace onnx_legalize
