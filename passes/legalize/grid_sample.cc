// SPDX-License-Identifier: Apache-2.0
//
// GridSample of any rank by gathers.
//
//   before:  y = GridSample <mode = "linear"> (x, grid)     # x: [N, C, H, W]
//   after:   u = pixel coordinates of the grid, by axis      # [N, 1, Q]
//            i = Floor (u), f = u - i
//            y = sum over taps of weight (f) * GatherElements (x flat, index)
//            reshaped to [N, C, H_out, W_out]
//
// As GridSample-20 says: coordinates beyond the border are clipped ("border")
// or reflected first, nearest rounds half to even, and a tap beyond the border
// is 0, the edge, or reflected. linear has 2 taps an axis, cubic 4 (Keys, a =
// -0.75).
//
// A coordinate that is no number still gathers a tap that exists.
//
// Declines an unknown rank, linear and cubic of other than floats, and strings
// and complex numbers with zeros beyond the border.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/legalize/body.h"
#include "passes/legalize/lengths.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

constexpr int32_t kFloat = TensorProto::FLOAT;

constexpr int kX = 0, kGrid = 1;

enum class Outside { kZeros, kBorder, kReflection };

// One tap along an axis.
struct Tap {
  Ref index;   // int64 [N, 1, Q], within the axis.
  Ref inside;  // bool [N, 1, Q]; "" where every tap counts.
  Ref weight;  // float [N, 1, Q]; "" for 1.
};

class Sampler {
 public:
  Sampler(Body& b, Outside padding, bool align_corners)
      : b_(b), padding_(padding), align_(align_corners) {}

  // The coordinate of the grid's component `n` in pixels of an axis of `size`.
  Ref Pixels(const Ref& n, const Ref& size) {
    const Ref one = b_.Float(1), half = b_.Float(0.5);
    const Ref up = b_.Add(n, one);
    if (align_) return b_.Mul(b_.Mul(up, half), b_.Sub(size, one));
    return b_.Mul(b_.Sub(b_.Mul(up, size), one), half);
  }

  // A coordinate beyond the border, brought within.
  Ref WithinBorder(const Ref& x, const Ref& size) {
    if (padding_ == Outside::kZeros) return x;
    const auto [low, high] = Border(size);
    const Ref beyond =
        b_.Op("Or", {b_.Op("Less", {x, low}), b_.Op("Greater", {x, high})});
    const Ref moved =
        padding_ == Outside::kBorder ? Clamp(x, size) : Reflect(x, size);
    return b_.Where(beyond, moved, x);
  }

  // The taps of a mode at coordinate x.
  std::vector<Tap> Taps(const std::string& mode, Ref x, const Ref& size) {
    if (mode == "nearest") {
      x = WithinBorder(b_.Op("Round", {x}), size);
      return {At(x, size, "")};
    }
    x = WithinBorder(x, size);
    const Ref base = b_.Op("Floor", {x});
    const Ref f = b_.Sub(x, base);
    const Ref g = b_.Sub(b_.Float(1), f);
    if (mode == "linear") {
      return {At(base, size, g), At(b_.Add(base, b_.Float(1)), size, f)};
    }
    const std::vector<Ref> weights = {Outer(f), Inner(f), Inner(g), Outer(g)};
    std::vector<Tap> taps;
    for (int i = 0; i < 4; ++i) {
      taps.push_back(At(b_.Add(base, b_.Float(i - 1)), size, weights[i]));
    }
    return taps;
  }

 private:
  std::pair<Ref, Ref> Border(const Ref& size) {
    if (align_) return {b_.Float(0), b_.Sub(size, b_.Float(1))};
    return {b_.Float(-0.5), b_.Sub(size, b_.Float(0.5))};
  }

  // NaN becomes 0, which Max doesn't promise.
  Ref Clamp(const Ref& x, const Ref& size) {
    const Ref zero = b_.Float(0);
    const Ref raised = b_.Where(b_.Op("Greater", {x, zero}), x, zero);
    return b_.Op("Min", {raised, b_.Sub(size, b_.Float(1))});
  }

  Ref Reflect(const Ref& x, const Ref& size) {
    const auto [low, high] = Border(size);
    // One pixel between aligned corners has no span: whatever comes is clamped.
    const Ref span = b_.Op("Max", {b_.Sub(high, low), b_.Float(1)});
    const Ref distance = b_.Op("Abs", {b_.Sub(x, low)});
    const Ref turns = b_.Op("Floor", {b_.Div(distance, span)});
    const Ref rest = b_.Sub(distance, b_.Mul(turns, span));
    const Ref two = b_.Float(2);
    const Ref odd =
        b_.Sub(turns, b_.Mul(two, b_.Op("Floor", {b_.Div(turns, two)})));
    const Ref is_odd = b_.Op("Greater", {odd, b_.Float(0.5)});
    return b_.Where(is_odd, b_.Sub(high, rest), b_.Add(low, rest));
  }

  Tap At(const Ref& index, const Ref& size, const Ref& weight) {
    Tap tap;
    tap.weight = weight;
    if (padding_ == Outside::kZeros) {
      tap.inside =
          b_.Op("And", {b_.Op("Greater", {index, b_.Float(-0.5)}),
                        b_.Op("Less", {index, b_.Sub(size, b_.Float(0.5))})});
      const Ref within = b_.Where(tap.inside, index, b_.Float(0));
      tap.index = b_.Cast(within, TensorProto::INT64);
      return tap;
    }
    const Ref reflected =
        padding_ == Outside::kReflection ? Reflect(index, size) : index;
    tap.index = b_.Cast(Clamp(reflected, size), TensorProto::INT64);
    return tap;
  }

  // ((a + 2) t - (a + 3)) t^2 + 1 for |t| <= 1.
  Ref Inner(const Ref& t) {
    const Ref s = b_.Sub(b_.Mul(b_.Float(kA + 2), t), b_.Float(kA + 3));
    return b_.Add(b_.Mul(b_.Mul(s, t), t), b_.Float(1));
  }
  // ((a u - 5 a) u + 8 a) u - 4 a with u = t + 1.
  Ref Outer(const Ref& t) {
    const Ref u = b_.Add(t, b_.Float(1));
    const Ref s = b_.Sub(b_.Mul(b_.Float(kA), u), b_.Float(5 * kA));
    const Ref r = b_.Add(b_.Mul(s, u), b_.Float(8 * kA));
    return b_.Sub(b_.Mul(r, u), b_.Float(4 * kA));
  }

  static constexpr double kA = -0.75;
  Body& b_;
  const Outside padding_;
  const bool align_;
};

// The flat input and what combines taps of all axes.
class Gatherer {
 public:
  Gatherer(Body& b, const Ref& x, const std::vector<Length>& shape,
           int32_t type)
      : b_(b), type_(type) {
    Lengths n(b);
    Length places(1);
    for (size_t i = 2; i < shape.size(); ++i) {
      places = n.Mul(places, shape[i]);
      sizes_.push_back(n.Get(shape[i]));
    }
    flat_ = n.Reshape(x, {shape[0], shape[1], places});
    channels_ = n.Shape({1, shape[1], 1});
  }

  // Sum over every combination of one tap an axis, from axis `i` on.
  Ref Sum(const std::vector<std::vector<Tap>>& taps, size_t i, const Ref& index,
          const Ref& inside, const Ref& weight) {
    if (i == taps.size()) return Value(index, inside, weight);
    const Ref row = index.empty() ? "" : b_.Mul(index, sizes_[i]);
    Ref sum;
    for (const Tap& tap : taps[i]) {
      const Ref next = Join("Add", row, tap.index);
      const Ref both = Join("And", inside, tap.inside);
      const Ref product = Join("Mul", weight, tap.weight);
      const Ref part = Sum(taps, i + 1, next, both, product);
      sum = sum.empty() ? part : b_.Add(sum, part);
    }
    return sum;
  }

 private:
  Ref Join(const char* op, const Ref& a, const Ref& b) {
    if (a.empty()) return b;
    return b.empty() ? a : b_.Op(op, {a, b});
  }

  Ref Value(const Ref& index, const Ref& inside, const Ref& weight) {
    Ref v = b_.Op("GatherElements",
                  {flat_, b_.Op("Expand", {index, channels_})}, {{"axis", 2}});
    if (!inside.empty()) v = b_.Where(inside, v, b_.Typed(0, type_));
    if (weight.empty()) return v;
    return b_.Mul(v, type_ == kFloat ? weight : b_.Cast(weight, type_));
  }

  Body& b_;
  const int32_t type_;
  Ref flat_;                // [N, C, P]
  Ref channels_;            // [1, C, 1]
  std::vector<Ref> sizes_;  // int64 [1]
};

std::string ModeOf(const Node& node) {
  const std::string mode = node.String("mode", "linear");
  if (mode == "bilinear") return "linear";  // As GridSample-16 calls them.
  return mode == "bicubic" ? "cubic" : mode;
}

Outside PaddingOf(const Node& node) {
  const std::string padding = node.String("padding_mode", "zeros");
  if (padding == "border") return Outside::kBorder;
  return padding == "reflection" ? Outside::kReflection : Outside::kZeros;
}

// Of the input, the grid and the output, which are of one rank.
std::optional<int> RankOf(const Body& b) {
  if (b.node().op().version < 20) return 4;  // GridSample-16 knows no other.
  for (int i : {kX, kGrid}) {
    if (const std::optional<int> rank = b.Rank(i)) return rank;
  }
  return b.OutRank(0);
}

// Of every axis of `shape`, at each point of the grid.
std::vector<std::vector<Tap>> TapsOf(Body& b, const std::string& mode,
                                     Outside padding,
                                     const std::vector<Length>& shape) {
  const Ref grid = b.Cast(b.In(kGrid), kFloat);
  Sampler sampler(b, padding, b.node().Int("align_corners", 0) != 0);
  const int axes = static_cast<int>(shape.size()) - 2;
  std::vector<std::vector<Tap>> taps;
  for (int i = 0; i < axes; ++i) {
    // The grid names the last axis first.
    const Ref of_axis = b.At(grid, axes - 1 - i, axes + 1);
    const Ref x = b.Unsqueeze(b.Op("Flatten", {of_axis}), {1});  // [N, 1, Q]
    const Length& pixels = shape[i + 2];
    const Ref size = pixels.known.has_value()
                         ? b.Float(static_cast<double>(*pixels.known))
                         : b.Cast(pixels.ref, kFloat);
    taps.push_back(sampler.Taps(mode, sampler.Pixels(x, size), size));
  }
  return taps;
}

}  // namespace

std::optional<std::string> GridSampleByGather(Body& b) {
  const std::optional<int> rank = RankOf(b);
  if (!rank.has_value() || *rank < 3) return "the rank isn't known";
  const std::string mode = ModeOf(b.node());
  const Outside padding = PaddingOf(b.node());
  int32_t type = b.Type(kX);
  const bool half =
      type == TensorProto::FLOAT16 || type == TensorProto::BFLOAT16;
  const bool real = half || type == kFloat || type == TensorProto::DOUBLE;
  if (type == 0 || (!real && mode != "nearest")) {
    return "only floats are interpolated by a formula";
  }
  const bool no_number = type == TensorProto::STRING ||
                         type == TensorProto::COMPLEX64 ||
                         type == TensorProto::COMPLEX128;
  if (no_number && padding == Outside::kZeros) {
    return "strings and complex numbers have no zero";
  }
  const bool cast = half && mode != "nearest";
  const Ref x = cast ? b.Cast(b.In(kX), kFloat) : b.In(kX);
  if (cast) type = kFloat;
  Lengths n(b);
  std::vector<Length> x_shape;
  for (int i = 0; i < *rank; ++i) x_shape.push_back(n.Of(kX, i));
  const auto taps = TapsOf(b, mode, padding, x_shape);
  Ref y = Gatherer(b, x, x_shape, type).Sum(taps, 0, "", "", "");
  if (cast) y = b.Cast(y, b.Type(kX));
  std::vector<Length> y_shape = {0, 0};  // As they are.
  for (int i = 1; i < *rank - 1; ++i) y_shape.push_back(n.Of(kGrid, i));
  b.Return({n.Reshape(y, y_shape)});
  return std::nullopt;
}

}  // namespace onnx_legalize
