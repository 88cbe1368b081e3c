// SPDX-License-Identifier: Apache-2.0
//
// Version steps of QLinearMatMul, and its formula.
//
//   before:  y = QLinearMatMul (a, sa, za, b, sb, zb, sy, zy)
//   after:   c = MatMul (Sub (a, za), Sub (b, zb))       # int32
//            y = Clip (Round (Add (Mul (c, sa * sb / sy), zy)))
//
// Declines scales of unknown shape, and elements that aren't 8-bit integers.

#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

constexpr int kA = 0, kAScale = 1, kAZero = 2, kB = 3, kBScale = 4, kBZero = 5,
              kYScale = 6, kYZero = 7;

bool IsByte(int32_t type) {
  return type == TensorProto::INT8 || type == TensorProto::UINT8;
}

Refs AllInputs(const Body& b) {
  Refs inputs;
  for (int i = 0; i < b.num_inputs(); ++i) inputs.push_back(b.In(i));
  return inputs;
}

// A scale or zero point of rows or of all, so that it broadcasts to them.
Ref OfRows(Body& b, int i, int32_t type) {
  const Ref x = b.Cast(b.In(i), type);
  return b.Rank(i) == 1 && b.Dim(i, 0) != 1 ? b.Unsqueeze(x, {1}) : x;
}

}  // namespace

std::optional<std::string> QLinearMatMulTo10(Body& b) {
  b.SetOpset(10);
  b.Return({b.Op("QLinearMatMul", AllInputs(b))});
  return std::nullopt;
}

std::optional<std::string> QLinearMatMulTo21(Body& b) {
  b.SetOpset(21);
  b.Return({b.Op("QLinearMatMul", AllInputs(b))});
  return std::nullopt;
}

std::optional<std::string> QLinearMatMulByFormula(Body& b) {
  const int32_t type = b.Type(kYZero);
  if (!IsByte(b.Type(kA)) || !IsByte(b.Type(kB)) || !IsByte(type)) {
    return "only 8-bit integers are multiplied";
  }
  for (int i : {kAScale, kAZero, kBScale, kBZero, kYScale, kYZero}) {
    const auto rank = b.Rank(i);
    if (!rank.has_value() || (rank == 1 && !b.Dim(i, 0).has_value())) {
      return "the shape of a scale or zero point is unknown";
    }
    const bool of_rows = rank == 1 && b.Dim(i, 0) != 1;
    if (of_rows && (!b.Rank(kA).has_value() || *b.Rank(kA) < 2)) {
      return "a vector has no rows to scale";
    }
  }
  const int32_t int32 = TensorProto::INT32, real = TensorProto::FLOAT,
                wide = TensorProto::DOUBLE;
  const Ref x = b.Sub(b.Cast(b.In(kA), int32), OfRows(b, kAZero, int32));
  const Ref w = b.Sub(b.Cast(b.In(kB), int32), b.Cast(b.In(kBZero), int32));
  const Ref product = b.Cast(b.Op("MatMul", {x, w}), wide);
  const Ref scale =
      b.Div(b.Mul(OfRows(b, kAScale, real), b.Cast(b.In(kBScale), real)),
            OfRows(b, kYScale, real));
  const Ref y = b.Op("Round", {b.Add(b.Mul(product, b.Cast(scale, wide)),
                                     OfRows(b, kYZero, wide))});
  const bool is_signed = type == TensorProto::INT8;
  const Ref low = b.Typed(is_signed ? -128 : 0, wide);
  const Ref high = b.Typed(is_signed ? 127 : 255, wide);
  b.Return({b.Cast(b.Op("Clip", {y, low, high}), type)});
  return std::nullopt;
}

}  // namespace onnx_legalize
