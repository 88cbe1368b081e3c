// SPDX-License-Identifier: Apache-2.0
//
// DFT as a product with matrices of cosines and sines.
//
//   before:  y = DFT (x, length, axis)           # x: [B, N, 1] or [B, N, 2]
//   after:   re = x[..., 0] cos(2 pi n k / L) + x[..., 1] sin(2 pi n k / L)
//            im = x[..., 1] cos(2 pi n k / L) - x[..., 0] sin(2 pi n k / L)
//            y = Concat (re, im), the axis moved last and back
//
// The inverse turns the sign and divides by L. onesided keeps k <= L / 2; with
// inverse (DFT-20) it reads a one-sided spectrum and gives the real signal.
//
// Declines other types than float and double, an unknown rank, axis, or length.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

constexpr int64_t kMaxElements = 1 << 22;

struct Plan {
  int64_t rank = 0, axis = 0;
  int64_t length = 0;  // Of the transform.
  int64_t used = 0;    // Elements along the axis that are read.
  int64_t made = 0;    // Elements that are made.
  bool inverse = false, complex_input = false, real_output = false;
};

std::optional<std::string> ReadPlan(const Body& b, Plan* plan) {
  const Node& node = b.node();
  if (!b.Rank(0).has_value()) return "the rank isn't known";
  plan->rank = *b.Rank(0);
  int64_t axis = node.Int("axis", 1);  // DFT-17
  if (b.Has(2)) {
    const auto known = b.KnownInts(2);
    if (!known.has_value() || known->size() != 1) {
      return "the axis is computed at run time";
    }
    axis = (*known)[0];
  } else if (node.op().version >= 20) {
    axis = -2;
  }
  plan->axis = axis < 0 ? axis + plan->rank : axis;
  if (plan->axis < 0 || plan->axis >= plan->rank - 1) {
    return "the axis is none of the signal's";
  }
  const auto size = b.Dim(0, static_cast<int>(plan->axis));
  const auto parts = b.Dim(0, static_cast<int>(plan->rank) - 1);
  if (!size.has_value() || !parts.has_value()) {
    return "the signal's length isn't known";
  }
  plan->inverse = node.Int("inverse", 0) != 0;
  const bool onesided = node.Int("onesided", 0) != 0;
  plan->complex_input = *parts == 2;
  plan->real_output = plan->inverse && onesided;
  plan->length = plan->real_output ? 2 * (*size - 1) : *size;
  if (b.Has(1)) {
    const auto known = b.KnownInts(1);
    if (!known.has_value() || known->size() != 1) {
      return "the transform's length is computed at run time";
    }
    plan->length = (*known)[0];
  }
  if (plan->length < 1) return "the transform has no elements";
  const int64_t half = plan->length / 2 + 1;
  plan->used = std::min(*size, plan->real_output ? half : plan->length);
  plan->made = onesided && !plan->inverse ? half : plan->length;
  if (plan->used * plan->made > kMaxElements) {
    return "the matrices would be too large";
  }
  return std::nullopt;
}

// [used, made] of f(2 pi n k / L), scaled.
Ref Matrix(Body& b, const Plan& plan, double (*f)(double)) {
  std::vector<double> values;
  for (int64_t n = 0; n < plan.used; ++n) {
    // A one-sided spectrum stands for its mirror image too.
    double scale = plan.inverse ? 1.0 / static_cast<double>(plan.length) : 1.0;
    const bool alone = n == 0 || 2 * n == plan.length;
    if (plan.real_output && !alone) scale *= 2;
    for (int64_t k = 0; k < plan.made; ++k) {
      const double turn = static_cast<double>(n * k % plan.length) /
                          static_cast<double>(plan.length);
      values.push_back(scale * f(2 * M_PI * turn));
    }
  }
  return b.Typed(values, {plan.used, plan.made}, b.Type(0));
}

}  // namespace

std::optional<std::string> DftByMatrices(Body& b) {
  if (b.Type(0) != onnx::TensorProto::FLOAT &&
      b.Type(0) != onnx::TensorProto::DOUBLE) {
    return "only of float and double it is a product of matrices";
  }
  Plan plan;
  if (auto declined = ReadPlan(b, &plan)) return declined;
  const int64_t last = plan.rank - 1;
  // The signal's axis last, without the parts.
  std::vector<int64_t> perm;
  for (int64_t i = 0; i < last; ++i) {
    if (i != plan.axis) perm.push_back(i);
  }
  perm.push_back(plan.axis);
  const Ref x = b.Slice(b.In(0), plan.axis, 0, plan.used);
  const Ref cosines = Matrix(b, plan, [](double a) { return std::cos(a); });
  const Ref sines = Matrix(b, plan, [](double a) { return std::sin(a); });
  const auto times = [&](const Ref& part, const Ref& matrix) {
    return b.Op("MatMul", {part, matrix});
  };
  const Ref re = b.Transpose(b.At(x, 0, last), perm);
  Ref out_re = times(re, cosines);
  Ref out_im = times(re, sines);
  if (!plan.inverse) out_im = b.Op("Neg", {out_im});
  if (plan.complex_input) {
    const Ref im = b.Transpose(b.At(x, 1, last), perm);
    const Ref cross = times(im, sines);
    out_re = plan.inverse ? b.Sub(out_re, cross) : b.Add(out_re, cross);
    out_im = b.Add(out_im, times(im, cosines));
  }
  std::vector<int64_t> back(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) back[perm[i]] = i;
  const auto finish = [&](const Ref& part) {
    return b.Unsqueeze(b.Transpose(part, back), {last});
  };
  b.Return({plan.real_output
                ? finish(out_re)
                : b.Concat({finish(out_re), finish(out_im)}, last)});
  return std::nullopt;
}

}  // namespace onnx_legalize
