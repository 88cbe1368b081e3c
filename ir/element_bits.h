// SPDX-License-Identifier: Apache-2.0

#ifndef ONNX_LEGALIZE_IR_ELEMENT_BITS_H_
#define ONNX_LEGALIZE_IR_ELEMENT_BITS_H_

#include <cstdint>

namespace onnx_legalize {

// Bits of an element in raw_data and external data; 0 for strings and unknown
// types.
int ElementBits(int32_t elem_type);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_IR_ELEMENT_BITS_H_
