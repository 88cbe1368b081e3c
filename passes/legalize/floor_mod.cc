// SPDX-License-Identifier: Apache-2.0
//
// Mod of floats with fmod = 0, which kernels have for integers only: the
// remainder takes the divisor's sign.
//
//   before:  z = Mod <fmod = 0> (x, y)                       # floats
//   after:   r = Mod <fmod = 1> (x, y)                       # has x's sign
//            s = Sign (y)
//            z = Abs (r + y where Sign (r) * s < 0, else r) * s
//
// So a zero gets y's sign (Mod-28), which a Where of ONNX Runtime may lose.
// 16-bit floats go through float, where the sum is exact before it is rounded.
//
// Declines integers and fmod = 1.

#include <algorithm>
#include <optional>
#include <string>

#include "passes/legalize/body.h"

namespace onnx_legalize {

using onnx::TensorProto;

std::optional<std::string> FloorModOfFloats(Body& b) {
  const int32_t type = b.Type(0);
  const bool half =
      type == TensorProto::FLOAT16 || type == TensorProto::BFLOAT16;
  if (!half && type != TensorProto::FLOAT && type != TensorProto::DOUBLE) {
    return "only the remainder of floats is computed by fmod";
  }
  if (b.node().Int("fmod", 0) != 0) return "it is fmod already";
  // A step from Mod-13 to Mod-10 that led here isn't taken twice.
  b.SetOpset(std::min(b.node().op().version, Body::kOpset));
  const int32_t wide = half ? static_cast<int32_t>(TensorProto::FLOAT) : type;
  const Ref x = half ? b.Cast(b.In(0), wide) : b.In(0);
  const Ref y = half ? b.Cast(b.In(1), wide) : b.In(1);
  const Ref r = b.Op("Mod", {x, y}, {{"fmod", 1}});
  const Ref sign = b.Op("Sign", {y});
  const Ref differs =
      b.Op("Less", {b.Mul(b.Op("Sign", {r}), sign), b.Typed(0, wide)});
  const Ref size = b.Op("Abs", {b.Where(differs, b.Add(r, y), r)});
  const Ref z = b.Mul(size, sign);
  b.Return({half ? b.Cast(z, type) : z});
  return std::nullopt;
}

}  // namespace onnx_legalize
