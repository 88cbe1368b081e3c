// SPDX-License-Identifier: Apache-2.0
//
// Which opset versions a model is to import on its target.

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_OPSET_CHOICE_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_OPSET_CHOICE_H_

#include <vector>

#include "onnx_legalize/legalize.h"
#include "targets/legality.h"

namespace onnx_legalize {

// Imports to try, best first: the model's own if every node is legal as it is;
// then those that leave the least to lower, the target's newest among them.
std::vector<OpsetImports> ChooseOpsets(const Target& target,
                                       const Options& options,
                                       const Model& model);

// The versions that the model imports of domains that schemas are known of.
OpsetImports ModelImports(const Model& model);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_OPSET_CHOICE_H_
