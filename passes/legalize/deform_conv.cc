// SPDX-License-Identifier: Apache-2.0
//
// DeformConv by gathers and a product.
//
//   before:  y = DeformConv (x, w, offset, bias, mask)      # x: [N, C, H, W]
//   after:   p = Pad (x, a ring of zeros), flat     # [N, C, (H + 2) (W + 2)]
//            h = rows of the taps + their offsets, v = columns likewise
//            s = sum over the four neighbours of
//                weight * GatherElements (p, index) * mask   # [N, C, K * Q]
//            y = MatMul (w, s) + bias                 # of each group
//
// K is the number of taps of the kernel and Q that of positions. Neighbours
// beyond the border are 0: they are those of the ring.
//
// Declines other than two spatial axes, a kernel of unknown shape, and other
// element types than floats. 16-bit floats are computed in float.

#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"
#include "passes/legalize/lengths.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

constexpr int kX = 0, kW = 1, kOffset = 2, kBias = 3, kMask = 4;
constexpr int64_t kRing = 1;

// A coordinate's two neighbours: places within the ring and weights.
struct Neighbours {
  Ref low, high;                // int64 [N, K, OH, OW]
  Ref low_weight, high_weight;  // of the element type
};

class DeformedConv {
 public:
  DeformedConv(Body& b, int32_t type, std::vector<int64_t> kernel)
      : b_(b), n_(b), type_(type), kernel_(std::move(kernel)) {
    groups_ = b.node().Int("offset_group", 1);
    taps_ = kernel_[0] * kernel_[1];
    batch_ = n_.Mul(n_.Of(kX, 0), groups_);
    group_channels_ = n_.Div(n_.Of(kX, 1), groups_);
    rows_ = n_.Of(kOffset, 2);
    columns_ = n_.Of(kOffset, 3);
  }

  Ref Run() {
    const Length padded_h = n_.Add(n_.Of(kX, 2), 2 * kRing);
    const Length padded_w = n_.Add(n_.Of(kX, 3), 2 * kRing);
    const Ref ring =
        b_.Op("Pad", {In(kX), b_.Ints({0, 0, kRing, kRing, 0, 0, kRing, kRing}),
                      b_.Typed(0, type_)});
    flat_ =
        n_.Reshape(ring, {batch_, group_channels_, n_.Mul(padded_h, padded_w)});
    const Ref offset =
        n_.Reshape(In(kOffset), {batch_, taps_, 2, rows_, columns_});
    const Neighbours h = Around(Coordinate(offset, 0), n_.Of(kX, 2));
    const Neighbours w = Around(Coordinate(offset, 1), n_.Of(kX, 3));
    const Ref row_low = b_.Mul(h.low, n_.Get(padded_w));
    const Ref row_high = b_.Mul(h.high, n_.Get(padded_w));
    Ref s = Tap(row_low, w.low, h.low_weight, w.low_weight);
    s = b_.Add(s, Tap(row_low, w.high, h.low_weight, w.high_weight));
    s = b_.Add(s, Tap(row_high, w.low, h.high_weight, w.low_weight));
    s = b_.Add(s, Tap(row_high, w.high, h.high_weight, w.high_weight));
    if (b_.Has(kMask)) {
      s = b_.Mul(s, n_.Reshape(In(kMask), {batch_, 1, Samples()}));
    }
    return Product(s);
  }

 private:
  Ref In(int i) {
    return b_.Type(i) == type_ ? b_.In(i) : b_.Cast(b_.In(i), type_);
  }
  Length Samples() { return n_.Product({taps_, rows_, columns_}); }

  // Where the taps lie along an axis, in pixels.
  Ref Coordinate(const Ref& offset, int axis) {
    const std::vector<int64_t> strides = List("strides", 2, 1);
    const std::vector<int64_t> dilations = List("dilations", 2, 1);
    const std::vector<int64_t> pads = List("pads", 4, 0);
    std::vector<double> of_tap;
    for (int64_t i = 0; i < kernel_[0]; ++i) {
      for (int64_t j = 0; j < kernel_[1]; ++j) {
        of_tap.push_back(
            static_cast<double>((axis == 0 ? i : j) * dilations[axis]) -
            static_cast<double>(pads[axis]));
      }
    }
    const Length& count = axis == 0 ? rows_ : columns_;
    Ref place =
        b_.Op("Range", {b_.Int(0), b_.Squeeze(n_.Get(count), {0}), b_.Int(1)});
    place = b_.Cast(b_.Mul(place, b_.Int(strides[axis])), type_);
    if (axis == 0) place = b_.Unsqueeze(place, {1});
    const Ref start = b_.Add(b_.Typed(of_tap, {taps_, 1, 1}, type_), place);
    return b_.Add(b_.At(offset, axis, 2), start);
  }

  std::vector<int64_t> List(const char* name, size_t size, int64_t fallback) {
    std::vector<int64_t> values = b_.node().Ints(name);
    values.resize(size, fallback);
    return values;
  }

  // Beyond -1 and `size` all is 0, as there, and so are those two.
  Neighbours Around(const Ref& at, const Length& size) {
    const Ref floor = b_.Op("Floor", {at});
    Neighbours around;
    around.high_weight = b_.Sub(at, floor);
    around.low_weight = b_.Sub(b_.Typed(1, type_), around.high_weight);
    const Ref one = b_.Typed(1, type_);
    const Ref last = b_.Cast(n_.Get(n_.Add(size, 1)), type_);
    const Ref low = b_.Add(floor, one);  // Within the ring.
    const Ref high = b_.Add(low, one);
    const auto place = [&](const Ref& x) {
      const Ref within =
          b_.Op("Min", {b_.Op("Max", {x, b_.Typed(0, type_)}), last});
      return b_.Cast(within, TensorProto::INT64);
    };
    around.low = place(low);
    around.high = place(high);
    return around;
  }

  // One neighbour of every sample: [N, C, K * Q].
  Ref Tap(const Ref& row, const Ref& column, const Ref& row_weight,
          const Ref& column_weight) {
    const std::vector<Length> one_channel = {batch_, 1, Samples()};
    const Ref index = n_.Reshape(b_.Add(row, column), one_channel);
    const Ref weight =
        n_.Reshape(b_.Mul(row_weight, column_weight), one_channel);
    const Ref shape = n_.Shape({batch_, group_channels_, Samples()});
    const Ref value =
        b_.Op("GatherElements", {flat_, b_.Op("Expand", {index, shape})},
              {{"axis", 2}});
    return b_.Mul(value, weight);
  }

  // The kernel's product with the samples.
  Ref Product(const Ref& samples) {
    const int64_t groups = b_.node().Int("group", 1);
    const Length inner = n_.Mul(n_.Of(kW, 1), taps_);
    const Length outputs = n_.Of(kW, 0);
    const Length positions = n_.Mul(rows_, columns_);
    const Length batch = n_.Of(kX, 0);
    const Ref x = n_.Reshape(samples, {batch, groups, inner, positions});
    const Ref w = n_.Reshape(In(kW), {groups, n_.Div(outputs, groups), inner});
    const Ref product = b_.Op("MatMul", {w, x});
    const Ref y = n_.Reshape(product, {batch, outputs, rows_, columns_});
    if (!b_.Has(kBias)) return y;
    return b_.Add(y, b_.Unsqueeze(In(kBias), {1, 2}));
  }

  Body& b_;
  Lengths n_;
  const int32_t type_;
  const std::vector<int64_t> kernel_;
  int64_t groups_ = 1, taps_ = 0;  // Offset groups count as batches.
  Length batch_{0}, group_channels_{0}, rows_{0}, columns_{0};
  Ref flat_;
};

}  // namespace

std::optional<std::string> DeformConvByGather(Body& b) {
  if (b.Rank(kX) != 4) return "only two spatial axes are sampled by gathers";
  const int32_t given = b.Type(kX);
  const bool half =
      given == TensorProto::FLOAT16 || given == TensorProto::BFLOAT16;
  if (!half && given != TensorProto::FLOAT && given != TensorProto::DOUBLE) {
    return "only floats are interpolated";
  }
  std::vector<int64_t> kernel = b.node().Ints("kernel_shape");
  if (kernel.empty() && b.Dim(kW, 2).has_value() && b.Dim(kW, 3).has_value()) {
    kernel = {*b.Dim(kW, 2), *b.Dim(kW, 3)};
  }
  if (kernel.size() != 2) return "the shape of the kernel isn't known";
  const int32_t type = half ? int32_t{TensorProto::FLOAT} : given;
  const Ref y = DeformedConv(b, type, kernel).Run();
  b.Return({half ? b.Cast(y, given) : y});
  return std::nullopt;
}

}  // namespace onnx_legalize
