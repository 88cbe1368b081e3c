// SPDX-License-Identifier: Apache-2.0
//
// QLinearConv of int8 by kernels for uint8, and by its formula.
//
//   before:  y = QLinearConv (x, xs, xz, w, ws, wz, ys, yz)      # int8
//   after:   u = Cast (Cast (x, int32) + 128, uint8), w and zero points
//   likewise
//            v = QLinearConv (u, xs, uz, t, ws, tz, ys, vz)      # uint8
//            y = Cast (Cast (v, int32) - 128, int8)
//
//   or:      c = ConvInteger (x, w, xz, wz) + bias               # int32
//            y = Clip (Round (Mul (c, xs * ws / ys) + yz))
//
// Weights are moved too: on processors without VNNI, ONNX Runtime's sums of
// uint8 data with int8 weights saturate at 16 bits.
//
// Declines elements that aren't 8-bit integers, and, by the formula, weights of
// unknown rank.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

constexpr int kX = 0, kXScale = 1, kXZero = 2, kW = 3, kWScale = 4, kWZero = 5,
              kYScale = 6, kYZero = 7, kBias = 8;
constexpr int32_t kInt8 = TensorProto::INT8, kUint8 = TensorProto::UINT8,
                  kInt32 = TensorProto::INT32, kWide = TensorProto::DOUBLE;

bool IsByte(int32_t type) { return type == kInt8 || type == kUint8; }

// int8 moved up to uint8; uint8 stays.
Ref Unsigned(Body& b, int i) {
  if (b.Type(i) != kInt8) return b.In(i);
  return b.Cast(b.Add(b.Cast(b.In(i), kInt32), b.Typed(128, kInt32)), kUint8);
}

// One scale and zero point hold for all of the weights. (ONNX Runtime 1.4 reads
// the first ones only.)
bool WeightsAreUniform(const Body& b) {
  for (int i : {kWScale, kWZero}) {
    if (b.Rank(i) != 0 && b.Dim(i, 0) != 1) return false;
  }
  return true;
}

Refs AllInputs(const Body& b) {
  Refs inputs;
  for (int i = 0; i < b.num_inputs(); ++i) inputs.push_back(b.In(i));
  return inputs;
}

// Scales or zero points of channels, so that they broadcast to a convolution.
Ref OfChannels(Body& b, int i, int32_t type, int spatial_rank) {
  const Ref x = b.Cast(b.In(i), type);
  if (b.Rank(i) != 1) return x;
  std::vector<int64_t> axes;
  for (int axis = 1; axis <= spatial_rank; ++axis) axes.push_back(axis);
  return b.Unsqueeze(x, axes);
}

// The weights' zero point, a scalar where it is the same for all channels.
Ref UniformZero(Body& b) {
  const auto known = b.KnownInts(kWZero);
  const bool equal = known.has_value() && !known->empty() &&
                     std::count(known->begin(), known->end(), known->front()) ==
                         static_cast<int64_t>(known->size());
  if (b.Rank(kWZero) != 1) return b.In(kWZero);
  if (equal) {
    return b.Typed(static_cast<double>(known->front()), b.Type(kWZero));
  }
  if (b.Dim(kWZero, 0) != 1) return b.In(kWZero);
  return b.Squeeze(b.In(kWZero), {0});
}

}  // namespace

std::optional<std::string> QLinearConvOfUint8(Body& b) {
  const std::vector<int> bytes = {kX, kXZero, kW, kWZero, kYZero};
  const bool any = std::any_of(bytes.begin(), bytes.end(),
                               [&](int i) { return b.Type(i) == kInt8; });
  if (!any) return "all is uint8 already";
  if (!WeightsAreUniform(b)) {
    return "not all kernels take scales of channels with uint8 weights";
  }
  Refs inputs = AllInputs(b);
  for (int i : bytes) inputs[i] = Unsigned(b, i);
  const Ref y = b.Op("QLinearConv", inputs, b.AttributesWithout());
  if (b.Type(kYZero) != kInt8) {
    b.Return({y});
    return std::nullopt;
  }
  const Ref moved = b.Sub(b.Cast(y, kInt32), b.Typed(128, kInt32));
  b.Return({b.Cast(moved, kInt8)});
  return std::nullopt;
}

std::optional<std::string> QLinearConvByFormula(Body& b) {
  const int32_t type = b.Type(kYZero);
  if (!IsByte(b.Type(kX)) || !IsByte(b.Type(kW)) || !IsByte(type)) {
    return "only 8-bit integers are convolved";
  }
  const std::optional<int> rank =
      b.Rank(kW).has_value() ? b.Rank(kW) : b.Rank(kX);
  if (!rank.has_value() || *rank < 3) return "the rank isn't known";
  for (int i : {kWScale, kWZero}) {
    if (!b.Rank(i).has_value()) return "the rank of a scale isn't known";
  }
  const int axes = *rank - 2;
  const Ref w_zero = UniformZero(b);
  const auto scalar = [&](int i) {
    return b.Rank(i) == 0 ? b.In(i) : b.Op("Reshape", {b.In(i), b.Ints({})});
  };
  Ref sum = b.Op("ConvInteger", {b.In(kX), b.In(kW), scalar(kXZero), w_zero},
                 b.AttributesWithout());
  if (b.Has(kBias)) sum = b.Add(sum, OfChannels(b, kBias, kInt32, axes));
  const int32_t real = TensorProto::FLOAT;
  const Ref scale = b.Div(
      b.Mul(b.Cast(scalar(kXScale), real), OfChannels(b, kWScale, real, axes)),
      b.Cast(scalar(kYScale), real));
  const Ref y =
      b.Op("Round", {b.Add(b.Mul(b.Cast(sum, kWide), b.Cast(scale, kWide)),
                           b.Cast(scalar(kYZero), kWide))});
  const Ref low = b.Typed(type == kInt8 ? -128 : 0, kWide);
  const Ref high = b.Typed(type == kInt8 ? 127 : 255, kWide);
  b.Return({b.Cast(b.Op("Clip", {y, low, high}), type)});
  return std::nullopt;
}

}  // namespace onnx_legalize
