// SPDX-License-Identifier: Apache-2.0
//
// Version steps and lowerings of QuantizeLinear and DequantizeLinear: types by
// zero points, and scales of an axis or of blocks in floats.
//
//   before:  y = DequantizeLinear-21 <axis = 1, block_size = 2> (x, s, z)
//   after:   a = Sub (Cast (x), Cast (Gather (z, [0,0,1,1])))
//            y = Mul (a, Gather (s, [0,0,1,1]))
//
// Declines quantized types of fewer than 8 bits and of 8-bit floats, and scales
// of unknown rank.

#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

bool Quantizes(const Body& b) {
  return b.node().op().op_type == "QuantizeLinear";
}

bool IsScalar(const Body& b, int i) {
  return b.Rank(i) == 0 || (b.Rank(i) == 1 && b.Dim(i, 0) == 1);
}

// The type of quantized elements.
int32_t QuantizedType(const Body& b) {
  if (!Quantizes(b)) return b.Type(0);
  if (b.Has(2)) return b.Type(2);
  const int64_t type = b.node().Int("output_dtype", 0);
  return type != 0 ? static_cast<int32_t>(type) : TensorProto::UINT8;
}

// Of a type with a known range that is no smaller than a byte.
bool RangeOf(int32_t type, double* low, double* high) {
  switch (type) {
    case TensorProto::INT8:
      return *low = -128, *high = 127, true;
    case TensorProto::UINT8:
      return *low = 0, *high = 255, true;
    case TensorProto::INT16:
      return *low = -32768, *high = 32767, true;
    case TensorProto::UINT16:
      return *low = 0, *high = 65535, true;
    default:
      return false;
  }
}

// How scale and zero point are brought to the tensor's shape.
struct Spread {
  bool scalar = false;
  std::vector<int64_t> unsqueezed;  // Axes, of a scale of one axis.
  int64_t axis = -1;                // Of blocks.
  int64_t block = 0;
};

std::optional<std::string> SpreadOf(const Body& b, Spread* spread) {
  spread->block = b.node().Int("block_size", 0);
  int64_t axis = b.node().Int("axis", 1);
  const auto rank = b.Rank(0);
  if (spread->block == 0 && IsScalar(b, 1)) {
    spread->scalar = true;
    return std::nullopt;
  }
  if (!rank.has_value() || !b.Rank(1).has_value()) return "a rank is unknown";
  if (axis < 0) axis += *rank;
  if (axis < 0 || axis >= *rank) return "the axis is out of range";
  spread->axis = axis;
  if (spread->block == 0 && b.Rank(1) != 1) return "the scale has no one axis";
  for (int64_t i = axis + 1; i < *rank; ++i) {
    spread->unsqueezed.push_back(i - axis);
  }
  return std::nullopt;
}

Ref Apply(Body& b, const Spread& spread, int input) {
  const Ref x = b.Cast(b.In(input), TensorProto::FLOAT);
  if (spread.scalar) return b.Rank(input) == 1 ? b.Squeeze(x, {0}) : x;
  if (spread.block == 0) {
    return spread.unsqueezed.empty() ? x : b.Unsqueeze(x, spread.unsqueezed);
  }
  const auto dim = b.Dim(0, static_cast<int>(spread.axis));
  if (dim.has_value()) {
    std::vector<int64_t> block_of;
    for (int64_t i = 0; i < *dim; ++i) block_of.push_back(i / spread.block);
    return b.Gather(x, b.Ints(block_of), spread.axis);
  }
  const Ref n = b.At(b.ShapeOf(b.In(0)), spread.axis);
  const Ref i = b.Op("Range", {b.Int(0), n, b.Int(1)});
  return b.Gather(x, b.Div(i, b.Int(spread.block)), spread.axis);
}

constexpr char kSmallType[] =
    "quantized elements aren't integers of 8 or 16 bits";

}  // namespace

std::optional<std::string> QuantizeInFloats(Body& b) {
  double low, high;
  const int32_t type = QuantizedType(b);
  Spread spread;
  if (!RangeOf(type, &low, &high)) return kSmallType;
  if (auto fault = SpreadOf(b, &spread)) return fault;
  const Ref x = b.Cast(b.In(0), TensorProto::FLOAT);
  Ref y = b.Op("Round", {b.Div(x, Apply(b, spread, 1))});
  if (b.Has(2)) y = b.Add(y, Apply(b, spread, 2));
  y = b.Op("Clip", {y, b.Float(low), b.Float(high)});
  b.Return({b.Cast(y, type)});
  const int64_t precision = b.node().Int("precision", TensorProto::FLOAT);
  if (b.Type(0) == TensorProto::FLOAT && b.Type(1) == TensorProto::FLOAT &&
      (precision == 0 || precision == TensorProto::FLOAT)) {
    b.SetExactness(Exactness::kExact);
  }
  return std::nullopt;
}

std::optional<std::string> DequantizeInFloats(Body& b) {
  double low, high;
  const int32_t type = b.Type(0);
  Spread spread;
  if (!RangeOf(type, &low, &high) && type != TensorProto::INT32) {
    return kSmallType;
  }
  if (auto fault = SpreadOf(b, &spread)) return fault;
  const int32_t out = b.OutType(0) != 0 ? b.OutType(0) : b.Type(1);
  Ref y = b.Cast(b.In(0), TensorProto::FLOAT);
  if (b.Has(2)) y = b.Sub(y, Apply(b, spread, 2));
  y = b.Mul(y, Apply(b, spread, 1));
  b.Return({out == TensorProto::FLOAT ? y : b.Cast(y, out)});
  if (type != TensorProto::INT32) b.SetExactness(Exactness::kExact);
  return std::nullopt;
}

// Says the quantized type by a zero point: older versions have no output_dtype,
// and some runtimes don't take a node without one.
std::optional<std::string> QuantizeSaysZeroPoint(Body& b) {
  const int32_t type = QuantizedType(b);
  if (b.Has(2) && b.node().Int("output_dtype", 0) == 0) {
    return "it has a zero point and no output_dtype";
  }
  Ref zero = b.In(2);
  if (!b.Has(2)) {
    double low, high;
    if (!RangeOf(type, &low, &high)) return kSmallType;
    const auto shape = b.Shape(1);
    zero = b.Typed(0, type);
    if (shape.has_value()) {
      int64_t size = 1;
      for (int64_t dim : *shape) size *= dim;
      zero = b.Typed(std::vector<double>(size, 0), *shape, type);
    } else {
      zero = b.Op("Expand", {zero, b.ShapeOf(b.In(1))});
    }
  }
  b.SetOpset(b.node().op().version);
  b.Return({b.Op("QuantizeLinear", {b.In(0), b.In(1), zero},
                 b.AttributesWithout({"output_dtype"}))});
  return std::nullopt;
}

// 23 to 21.
std::optional<std::string> QuantizeWithoutPrecision(Body& b) {
  const int64_t precision = b.node().Int("precision", 0);
  if (precision != 0 && (precision != b.Type(0) || precision != b.Type(1))) {
    return "older QuantizeLinear has no precision";
  }
  b.SetOpset(21);
  b.Return({b.Op("QuantizeLinear", {b.In(0), b.In(1), b.In(2)},
                 b.AttributesWithout({"precision"}))});
  return std::nullopt;
}

std::optional<std::string> DequantizeWithoutOutputType(Body& b) {
  const int32_t out = b.OutType(0);
  if (out == 0 || b.Type(1) == 0) return "a type is unknown";
  const Attributes attributes = b.AttributesWithout({"output_dtype"});
  b.SetOpset(21);
  if (out == b.Type(1)) {
    b.Return(
        {b.Op("DequantizeLinear", {b.In(0), b.In(1), b.In(2)}, attributes)});
    return std::nullopt;
  }
  const Ref scale = b.Cast(b.In(1), TensorProto::FLOAT);
  const Ref y = b.Op("DequantizeLinear", {b.In(0), scale, b.In(2)}, attributes);
  b.Return({out == TensorProto::FLOAT ? y : b.Cast(y, out)});
  return std::nullopt;
}

// 19 to 13: the scale may only be float there.
std::optional<std::string> QuantizeTo13(Body& b) {
  b.Return({b.Op(b.node().op().op_type, {b.In(0), b.In(1), b.In(2)},
                 b.AttributesWithout({"saturate"}))});
  return std::nullopt;
}

// 13 to 10: one scale for all.
std::optional<std::string> QuantizeTo10(Body& b) {
  if (!IsScalar(b, 1)) return "older versions have no scale of an axis";
  b.SetOpset(10);
  b.Return({b.Op(b.node().op().op_type, {b.In(0), b.In(1), b.In(2)})});
  return std::nullopt;
}

// 10 to 13, 13 to 19 and 21 to 23 change nothing.
std::optional<std::string> QuantizeUp(Body& b) {
  const int version = b.node().op().version;
  b.SetOpset(version < 13 ? 13 : version < 19 ? 19 : 23);
  b.Return({b.Op(b.node().op().op_type, {b.In(0), b.In(1), b.In(2)},
                 b.AttributesWithout())});
  return std::nullopt;
}

}  // namespace onnx_legalize
