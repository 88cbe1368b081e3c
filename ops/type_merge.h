// SPDX-License-Identifier: Apache-2.0
//
// Comparing and combining what two sources say about one type.

#ifndef ONNX_LEGALIZE_OPS_TYPE_MERGE_H_
#define ONNX_LEGALIZE_OPS_TYPE_MERGE_H_

#include <onnx/onnx_pb.h>

namespace onnx_legalize {

// Nothing that one of them states is denied by the other. Names of dimensions
// are no statement: `N` and `M` may be the same number.
bool Compatible(const onnx::TypeProto& a, const onnx::TypeProto& b);

// Adds to `type` what `other`, which must be compatible, knows and `type`
// doesn't: element types, ranks, dimensions; a name only for a dimension that
// has neither number nor name. Returns whether anything was added.
bool Refine(const onnx::TypeProto& other, onnx::TypeProto* type);

// `type` says more than `declared`, which must be compatible: an element type,
// a rank or the number of a dimension. Names don't count.
bool MoreSpecific(const onnx::TypeProto& type, const onnx::TypeProto& declared);

// Gives dimensions of `type` that have neither number nor name the names that
// they have in `other`, where the ranks agree.
void CarryNames(const onnx::TypeProto& other, onnx::TypeProto* type);

// Drops from `type` what `other` doesn't state too; all of it where the kind
// differs.
void Intersect(const onnx::TypeProto& other, onnx::TypeProto* type);

// Takes back what inference can't have meant: negative dimensions.
void DropNonsense(onnx::TypeProto* type);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_TYPE_MERGE_H_
