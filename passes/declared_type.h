// SPDX-License-Identifier: Apache-2.0
//
// What the model declares of a value's type, as opposed to what is known of it.

#ifndef ONNX_LEGALIZE_PASSES_DECLARED_TYPE_H_
#define ONNX_LEGALIZE_PASSES_DECLARED_TYPE_H_

#include "onnx_legalize/graph.h"

namespace onnx_legalize {

// The type that will be written for this entry as it stands; no value case set
// where it declares none.
onnx::TypeProto DeclaredType(const ValueInfo& info);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_DECLARED_TYPE_H_
