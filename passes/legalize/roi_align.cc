// SPDX-License-Identifier: Apache-2.0
//
// RoiAlign by gathers: for half_pixel, which RoiAlign-10 lacks, mode "max" and
// element types.
//
//   before:  y = RoiAlign <output_height, output_width> (x, rois, batches)
//   after:   h = rows of the samples of each roi        # [R, OH * S]
//            w = columns of the samples of each roi     # [R, OW * T]
//            t = Reshape (Transpose (x), [N * H * W, C])
//            v = sum over the four neighbours of
//                weight * Gather (t, batch, row, column)     # [R, .., .., C]
//            y = Transpose (mean, or maximum, of each bin's samples)
//
// In mode "max" neighbours count apart, as RoiAlign's reference has it. Where
// sampling_ratio is 0, S and T are those of the largest roi, and samples that a
// smaller one doesn't have don't count.
//
// Declines other element types than floats.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"
#include "passes/legalize/lengths.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

constexpr int kX = 0, kRois = 1, kBatches = 2;

// The samples along one axis.
struct Samples {
  int64_t bins = 1;
  Length per_bin{1};            // S
  Ref count;                    // [R, 1]: that the roi has in each bin
  Ref exists;                   // bool [R, 1, S]; "" where all do
  Ref low, high;                // int64 [R, bins * S]
  Ref low_weight, high_weight;  // [R, bins * S]
};

class Aligner {
 public:
  Aligner(Body& b, int32_t type) : b_(b), n_(b), type_(type) {
    const char* fallback =
        b.node().op().version < 16 ? "output_half_pixel" : "half_pixel";
    half_pixel_ = b.node().String("coordinate_transformation_mode", fallback) ==
                  "half_pixel";
    ratio_ = b.node().Int("sampling_ratio", 0);
    max_ = b.node().String("mode", "avg") == "max";
  }

  Ref Run() {
    const Ref scale = Number(b_.node().Float("spatial_scale", 1.0F));
    corners_ = b_.Mul(In(kRois), scale);
    if (half_pixel_) corners_ = b_.Sub(corners_, Number(0.5));
    const Samples h = Along(1, b_.node().Int("output_height", 1), n_.Of(kX, 2));
    const Samples w = Along(0, b_.node().Int("output_width", 1), n_.Of(kX, 3));
    rows_ = n_.Reshape(
        b_.Transpose(In(kX), {0, 2, 3, 1}),
        {n_.Product({n_.Of(kX, 0), n_.Of(kX, 2), n_.Of(kX, 3)}), n_.Of(kX, 1)});
    const Ref batch =
        b_.Unsqueeze(b_.Cast(b_.In(kBatches), TensorProto::INT64), {1});
    const Ref first = b_.Mul(batch, n_.Get(n_.Of(kX, 2)));  // Row of image.
    const Ref width = n_.Get(n_.Of(kX, 3));
    const Ref low = b_.Mul(b_.Add(first, h.low), width);
    const Ref high = b_.Mul(b_.Add(first, h.high), width);
    Ref v = Neighbour(low, w.low, h.low_weight, w.low_weight);
    v = Join(v, Neighbour(low, w.high, h.low_weight, w.high_weight));
    v = Join(v, Neighbour(high, w.low, h.high_weight, w.low_weight));
    v = Join(v, Neighbour(high, w.high, h.high_weight, w.high_weight));
    // [R, OH, S, OW, T, C]
    v = n_.Reshape(v, {n_.Of(kRois, 0), h.bins, h.per_bin, w.bins, w.per_bin,
                       n_.Of(kX, 1)});
    return b_.Transpose(max_ ? Maximum(v, h, w) : Mean(v, h, w), {0, 3, 1, 2});
  }

 private:
  Ref Number(double value) { return b_.Typed(value, type_); }
  Ref In(int i) {
    return b_.Type(i) == type_ ? b_.In(i) : b_.Cast(b_.In(i), type_);
  }
  Ref Join(const Ref& a, const Ref& c) {
    return max_ ? b_.Op("Max", {a, c}) : b_.Add(a, c);
  }
  Ref NotLess(const Ref& a, const Ref& c) {
    return b_.Op("Not", {b_.Op("Less", {a, c})});
  }
  // 0, 1, ... in the element type: [n].
  Ref Iota(const Length& n) {
    return b_.Cast(
        b_.Op("Range", {b_.Int(0), b_.Squeeze(n_.Get(n), {0}), b_.Int(1)}),
        type_);
  }

  // Samples along y (1) or x (0), the places of coordinates in a roi.
  Samples Along(int coordinate, int64_t bins, const Length& size) {
    Samples s;
    s.bins = bins;
    const Ref start = b_.Slice(corners_, 1, coordinate, coordinate + 1);
    const Ref end = b_.Slice(corners_, 1, coordinate + 2, coordinate + 3);
    Ref length = b_.Sub(end, start);  // [R, 1]
    if (!half_pixel_) length = b_.Op("Max", {length, Number(1)});
    const Ref bin = b_.Div(length, Number(static_cast<double>(bins)));
    CountSamples(bin, &s);
    // start + p * bin + (i + 0.5) * bin / count: [R, bins, S]
    const Ref p = b_.Unsqueeze(Iota(bins), {0, 2});
    const Ref i = b_.Add(Iota(s.per_bin), Number(0.5));
    const Ref wide_bin = b_.Unsqueeze(bin, {2});
    const Ref step = b_.Div(b_.Mul(i, wide_bin), b_.Unsqueeze(s.count, {2}));
    const Ref at =
        b_.Add(b_.Add(b_.Unsqueeze(start, {2}), b_.Mul(p, wide_bin)), step);
    Weigh(at, size, &s);
    return s;
  }

  void CountSamples(const Ref& bin, Samples* s) {
    if (ratio_ > 0) {
      s->per_bin = ratio_;
      s->count = b_.Typed({static_cast<double>(ratio_)}, {1, 1}, type_);
      return;
    }
    const Ref count = b_.Op("Ceil", {bin});
    // With one more roi, of one sample, there is a largest.
    const Ref one = b_.Typed({1}, {1, 1}, type_);
    const Ref counts = b_.Cast(b_.Concat({count, one}, 0), TensorProto::FLOAT);
    const Ref most =
        b_.Op("ReduceMax", {counts},
              {{"axes", std::vector<int64_t>{0, 1}}, {"keepdims", 0}});
    s->per_bin = Length(b_.Unsqueeze(b_.Cast(most, TensorProto::INT64), {0}));
    s->exists = b_.Op("Less", {Iota(s->per_bin), b_.Unsqueeze(count, {2})});
    s->count = b_.Op("Max", {count, Number(1)});
  }

  // The neighbours of coordinates `at` [R, bins, S], and their weights.
  void Weigh(const Ref& at, const Length& size, Samples* s) {
    const Ref length = b_.Cast(n_.Get(size), type_);
    const Ref last = b_.Sub(length, Number(1));
    // From -1 to the size all counts.
    Ref inside = b_.Op("And", {NotLess(at, Number(-1)),
                               b_.Op("Not", {b_.Op("Greater", {at, length})})});
    if (!s->exists.empty()) inside = b_.Op("And", {inside, s->exists});
    const Ref counts = b_.Cast(inside, type_);
    const Ref y = b_.Op("Min", {b_.Op("Max", {at, Number(0)}), last});
    const Ref low = b_.Op("Floor", {y});
    const Ref high = b_.Op("Min", {b_.Add(low, Number(1)), last});
    const Ref rest = b_.Sub(y, low);
    const std::vector<Length> flat = {n_.Of(kRois, 0),
                                      n_.Mul(s->per_bin, s->bins)};
    const auto place = [&](const Ref& x) {
      return n_.Reshape(b_.Cast(x, TensorProto::INT64), flat);
    };
    s->low = place(low);
    s->high = place(high);
    s->high_weight = n_.Reshape(b_.Mul(rest, counts), flat);
    s->low_weight = n_.Reshape(b_.Mul(b_.Sub(Number(1), rest), counts), flat);
  }

  // [R, OH * S, OW * T, C]
  Ref Neighbour(const Ref& row, const Ref& column, const Ref& row_weight,
                const Ref& column_weight) {
    const Ref index = b_.Add(b_.Unsqueeze(row, {2}), b_.Unsqueeze(column, {1}));
    const Ref weight =
        b_.Mul(b_.Unsqueeze(row_weight, {2}), b_.Unsqueeze(column_weight, {1}));
    return b_.Mul(b_.Gather(rows_, index, 0), b_.Unsqueeze(weight, {3}));
  }

  Ref Mean(const Ref& v, const Samples& h, const Samples& w) {
    const Ref sum = b_.ReduceSum(v, {2, 4}, false);  // [R, OH, OW, C]
    const Ref count = b_.Unsqueeze(b_.Mul(h.count, w.count), {2, 3});
    return b_.Div(sum, count);
  }

  Ref Maximum(Ref v, const Samples& h, const Samples& w) {
    const Attributes axes = {{"axes", std::vector<int64_t>{2, 4}},
                             {"keepdims", 0}};
    if (h.exists.empty()) return b_.Op("ReduceMax", {v}, axes);
    const Ref exists = b_.Op("And", {b_.Unsqueeze(h.exists, {3, 4, 5}),
                                     b_.Unsqueeze(w.exists, {2, 3, 5})});
    v = b_.Where(exists, v, Number(-std::numeric_limits<double>::infinity()));
    // A roi of no sample has 0.
    const Ref some = b_.Slice(b_.Slice(exists, 2, 0, 1), 4, 0, 1);
    return b_.Where(b_.Squeeze(some, {2, 4}), b_.Op("ReduceMax", {v}, axes),
                    Number(0));
  }

  Body& b_;
  Lengths n_;
  const int32_t type_;
  bool half_pixel_ = false, max_ = false;
  int64_t ratio_ = 0;
  Ref corners_;  // Of the rois, in pixels: [R, 4].
  Ref rows_;     // Of channels: [N * H * W, C].
};

}  // namespace

std::optional<std::string> RoiAlignByGather(Body& b) {
  const int32_t given = b.Type(kX);
  const bool half =
      given == TensorProto::FLOAT16 || given == TensorProto::BFLOAT16;
  if (!half && given != TensorProto::FLOAT && given != TensorProto::DOUBLE) {
    return "only floats are interpolated";
  }
  const int32_t type = half ? int32_t{TensorProto::FLOAT} : given;
  const Ref y = Aligner(b, type).Run();
  b.Return({half ? b.Cast(y, given) : y});
  return std::nullopt;
}

}  // namespace onnx_legalize
