// SPDX-License-Identifier: Apache-2.0
//
// Writing: a plan of byte ranges, most of them spans of what was read, then one
// pass over it. What hasn't changed is spliced as it was; what has goes through
// protobuf. (WriteModel and SerializeModel: onnx_legalize/legalize.h.)

#ifndef ONNX_LEGALIZE_IR_WRITER_H_
#define ONNX_LEGALIZE_IR_WRITER_H_

#include <string>

#include "onnx_legalize/graph.h"

namespace onnx_legalize {

// The model with every node, attribute, tensor header and value_info encoded
// anew, as if all had changed. For tests: it must mean the same as the source.
std::string SerializeReencoded(const Model& model);

// The attribute with its tensors' elements and its graphs.
onnx::AttributeProto AttributeToProto(const Attribute& attribute);

// The function as it is in memory now.
onnx::FunctionProto FunctionToProto(const Function& function);

// Writes the model to a descriptor such as standard output.
absl::Status WriteModelToDescriptor(const Model& model, int fd,
                                    const std::string& name);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_IR_WRITER_H_
