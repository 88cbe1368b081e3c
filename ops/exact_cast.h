// SPDX-License-Identifier: Apache-2.0
//
// Which casts between element types keep every value.

#ifndef ONNX_LEGALIZE_OPS_EXACT_CAST_H_
#define ONNX_LEGALIZE_OPS_EXACT_CAST_H_

#include <cstdint>

#include "absl/types/span.h"

namespace onnx_legalize {

// Every value of `from` is one of `to`: bool, integers and floats. True for a
// type and itself.
bool CastIsExact(int32_t from, int32_t to);

// Types that casts go to, narrow before wide and integers before floats.
absl::Span<const int32_t> CastTargets();

bool IsIntegerElemType(int32_t elem_type);  // Without bool.

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_EXACT_CAST_H_
