// SPDX-License-Identifier: Apache-2.0
//
// 16-bit floats as bits: IEEE 754 binary16 and bfloat16, rounding to nearest
// even.

#ifndef ONNX_LEGALIZE_OPS_FLOAT_BITS_H_
#define ONNX_LEGALIZE_OPS_FLOAT_BITS_H_

#include <cstdint>

namespace onnx_legalize {

uint16_t FloatToHalf(float value);
float HalfToFloat(uint16_t bits);
uint16_t FloatToBfloat16(float value);
float Bfloat16ToFloat(uint16_t bits);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_FLOAT_BITS_H_
