// SPDX-License-Identifier: Apache-2.0
//
// DFT as a product with matrices of cosines and sines, whatever is computed:
// the axis, the length, the shape. dft.cc writes the matrices out where all is
// known.
//
//   before:  y = DFT (x)                             # x: [batch,n,1]
//   after:   r = MatMul (x, cos (2 pi n k / N))   i = -MatMul (x, sin (...))
//            y = Concat <axis = -1> (r, i)
//
// The axis is moved to the end: by Transpose, or where it is computed by
// Reshape to what is before it, the axis, and what is behind it. A signal that
// is longer than the transform loses its end; for one that is shorter the
// matrix has fewer rows. Inverse and one-sided (irfft), a frequency stands also
// for its conjugate: it counts twice, except the first and that of N / 2.
//
// It is computed in double, or in float where that isn't to be had.
//
// Declines an unknown rank.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/legalize/body.h"
#include "passes/legalize/computed_axes.h"
#include "passes/legalize/fourier_matrix.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

constexpr int kAxisIsInput = 20;

// The signal's axes: all of the input's but the last.
class SignalAxes {
 public:
  SignalAxes(Body& b, int64_t count) : b_(b), count_(count) {}

  // False where the axis is none of the signal's.
  bool Read() {
    const bool is_input = b_.node().op().version >= kAxisIsInput;
    if (is_input && b_.Has(2)) {
      const auto known = b_.KnownInts(2);
      if (!known.has_value() || known->size() != 1) {
        ReadComputed();
        return true;
      }
      axis_ = (*known)[0];
    } else {
      axis_ = is_input ? -2 : b_.node().Int("axis", 1);
    }
    if (*axis_ < 0) *axis_ += count_ + 1;
    return *axis_ >= 0 && *axis_ < count_;
  }

  Length AxisLength() {
    if (axis_.has_value()) {
      return LengthOfAxis(b_, b_.In(0), *axis_,
                          b_.Dim(0, static_cast<int>(*axis_)));
    }
    return {std::nullopt, b_.Gather(dims_, computed_, 0)};
  }

  // Of what AxisToEnd gives.
  int64_t RankWithAxisLast() const {
    if (!axis_.has_value()) return 4;
    return Stands() ? count_ : count_ + 1;
  }

  // What is transposed gets an axis of 1 before the last one: ONNX Runtime 1.14
  // would fuse a transposition into MatMul, also in double, which then has no
  // kernel.
  Ref AxisToEnd(const Ref& x) {
    if (axis_.has_value()) {
      return Stands() ? x : b_.Unsqueeze(Swap(x), {count_ - 1});
    }
    const Ref shape = b_.Concat({before_, length_, behind_}, 0);
    return b_.Unsqueeze(
        b_.Transpose(ReshapeTo(b_, x, shape, zeros_), {0, 2, 1}), {2});
  }

  Ref AxisBack(const Ref& y, const Length& length) {
    if (axis_.has_value()) {
      return Stands() ? y : Swap(b_.Squeeze(y, {count_ - 1}));
    }
    const Ref shape = b_.Where(is_axis_, AsScalar(b_, length), dims_);
    const Ref back = b_.Transpose(b_.Squeeze(y, {2}), {0, 2, 1});
    return ReshapeTo(b_, back, shape, zeros_);
  }

 private:
  void ReadComputed() {
    const Ref axis = b_.Rank(2) == 0
                         ? b_.In(2)
                         : b_.Reshape(b_.In(2), std::vector<int64_t>());
    computed_ = b_.Op("Mod", {axis, b_.Int(count_ + 1)});
    dims_ = b_.Slice(b_.ShapeOf(b_.In(0)), 0, 0, count_);
    const Ref places = Iota(b_, "", count_);
    is_axis_ = b_.Op("Equal", {places, computed_});
    before_ = Product(b_.Op("Less", {places, computed_}));
    behind_ = Product(b_.Op("Less", {computed_, places}));
    length_ = b_.Unsqueeze(AxisLength().computed, {0});
    zeros_ = MayHaveZeros(b_, 0);
  }

  Ref Product(const Ref& mask) {
    return b_.Op("ReduceProd", {b_.Where(mask, dims_, b_.Int(1))},
                 {{"axes", std::vector<int64_t>{0}}, {"keepdims", 1}});
  }

  bool Stands() const { return axis_ == count_ - 1; }

  Ref Swap(const Ref& x) {
    std::vector<int64_t> perm(count_);
    for (int64_t i = 0; i < count_; ++i) perm[i] = i;
    std::swap(perm[*axis_], perm[count_ - 1]);
    return b_.Transpose(x, perm);
  }

  Body& b_;
  const int64_t count_;
  std::optional<int64_t> axis_;
  // Where the axis is computed: it, dims, and products of dims.
  Ref computed_, dims_, is_axis_, before_, length_, behind_;
  bool zeros_ = false;
};

// Half of a spectrum, so that its real part is all of the signal's.
void CountConjugates(Body& b, const Ref& n, const Length& length, int32_t type,
                     Parts* x) {
  const Ref once =
      b.Op("Or", {b.Op("Equal", {n, b.Int(0)}),
                  b.Op("Equal", {b.Mul(n, b.Int(2)), AsScalar(b, length)})});
  const Ref count = b.Sub(b.Typed(2, type), b.Cast(once, type));
  x->real = b.Mul(x->real, count);
  if (!x->imaginary.empty()) x->imaginary = b.Mul(x->imaginary, count);
}

std::optional<std::string> Dft(Body& b, int32_t type) {
  const auto rank = b.Rank(0);
  if (!rank.has_value()) return "the rank is unknown";
  if (*rank < 2) return "the input has no signal axis";
  const bool inverse = b.node().Int("inverse", 0) != 0;
  const bool onesided = b.node().Int("onesided", 0) != 0;
  const bool to_real = inverse && onesided;
  SignalAxes axes(b, *rank - 1);
  if (!axes.Read()) return "the axis is none of the signal's";
  Length have = axes.AxisLength();
  Length length = have;
  if (b.Has(1)) {
    length = LengthFromInput(b, 1);
  } else if (to_real && have.known.has_value()) {
    length = KnownLength(2 * (*have.known - 1));
  } else if (to_real) {
    length.computed = b.Mul(b.Sub(have.computed, b.Int(1)), b.Int(2));
  }
  if (length.known.has_value() && *length.known < 1) {
    return "the transform's length is 0";
  }
  Parts x = SplitParts(b, type);
  x.real = axes.AxisToEnd(x.real);
  if (!x.imaginary.empty()) x.imaginary = axes.AxisToEnd(x.imaginary);
  // Samples, or frequencies where it is inverse, that the transform takes.
  const Length most = to_real ? Unique(b, length) : length;
  const int64_t last = axes.RankWithAxisLast() - 1;
  const bool fits = have.known && most.known && *have.known <= *most.known;
  if (b.Has(1) && !fits) {
    const auto cut = [&](const Ref& v) {
      return b.Op("Slice", {v, b.Ints({0}), AsVector(b, most), b.Ints({last})});
    };
    x.real = cut(x.real);
    if (!x.imaginary.empty()) x.imaginary = cut(x.imaginary);
    const bool known = have.known.has_value() && most.known.has_value();
    have = LengthOfAxis(b, x.real, last,
                        known ? most.known : std::optional<int64_t>());
  }
  const Ref n = Places(b, have);
  if (to_real) CountConjugates(b, n, length, type, &x);
  const Length result = onesided && !inverse ? Unique(b, length) : length;
  const Waves waves = WavesOf(b, n, Places(b, result), length, type);
  Parts y = Transform(b, x, waves, inverse);
  const auto finish = [&](const Ref& v) {
    return axes.AxisBack(inverse ? b.Div(v, AsFloat(b, length, type)) : v,
                         result);
  };
  y.real = finish(y.real);
  const Ref joined =
      to_real ? b.Unsqueeze(y.real, {*rank - 1})
              : JoinParts(b, {y.real, finish(y.imaginary)}, *rank - 1);
  b.Return({b.Type(0) == type ? joined : b.Cast(joined, b.Type(0))});
  return std::nullopt;
}

}  // namespace

std::optional<std::string> DftOfAnyLength(Body& b) {
  return Dft(b, TensorProto::DOUBLE);
}

std::optional<std::string> DftOfAnyLengthInFloat(Body& b) {
  if (b.Type(0) == TensorProto::DOUBLE) return "float holds fewer digits";
  return Dft(b, TensorProto::FLOAT);
}

}  // namespace onnx_legalize
