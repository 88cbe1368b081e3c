// SPDX-License-Identifier: Apache-2.0

#include "ops/exact_cast.h"

#include <onnx/onnx_pb.h>

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

// What a number type holds: integers up to 2^digits exactly, with a sign or
// not; fractions with an exponent of some width.
struct NumberType {
  int digits = 0;  // 0: no number type that we cast.
  bool is_signed = false;
  int exponent = 0;
};

NumberType NumberTypeOf(int32_t elem_type) {
  switch (elem_type) {
    case TensorProto::BOOL:
      return {1, false, 0};
    case TensorProto::UINT8:
      return {8, false, 0};
    case TensorProto::INT8:
      return {7, true, 0};
    case TensorProto::UINT16:
      return {16, false, 0};
    case TensorProto::INT16:
      return {15, true, 0};
    case TensorProto::UINT32:
      return {32, false, 0};
    case TensorProto::INT32:
      return {31, true, 0};
    case TensorProto::UINT64:
      return {64, false, 0};
    case TensorProto::INT64:
      return {63, true, 0};
    case TensorProto::FLOAT16:
      return {11, true, 5};
    case TensorProto::BFLOAT16:
      return {8, true, 8};
    case TensorProto::FLOAT:
      return {24, true, 8};
    case TensorProto::DOUBLE:
      return {53, true, 11};
    default:
      return {};
  }
}

}  // namespace

bool CastIsExact(int32_t from, int32_t to) {
  if (from == to) return true;
  const NumberType a = NumberTypeOf(from);
  const NumberType b = NumberTypeOf(to);
  // To bool, everything but 0 becomes true.
  if (a.digits == 0 || b.digits == 0 || to == TensorProto::BOOL) return false;
  return a.digits <= b.digits && a.is_signed <= b.is_signed &&
         a.exponent <= b.exponent;
}

absl::Span<const int32_t> CastTargets() {
  static constexpr int32_t kTargets[] = {
      TensorProto::UINT8,  TensorProto::INT8,   TensorProto::INT16,
      TensorProto::UINT16, TensorProto::INT32,  TensorProto::UINT32,
      TensorProto::INT64,  TensorProto::UINT64, TensorProto::FLOAT16,
      TensorProto::FLOAT,  TensorProto::DOUBLE,
  };
  return kTargets;
}

bool IsIntegerElemType(int32_t elem_type) {
  const NumberType n = NumberTypeOf(elem_type);
  return n.digits > 1 && n.exponent == 0;
}

}  // namespace onnx_legalize
