// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/lengths.h"

#include <algorithm>

namespace onnx_legalize {

Length Lengths::Of(int i, int axis) {
  const std::optional<int64_t> known = b_.Dim(i, axis);
  if (known.has_value()) return Length(*known);
  return Length(b_.DimOf(b_.In(i), axis));
}

Length Lengths::Element(int i, int index) {
  const auto known = b_.KnownInts(i);
  if (known.has_value() && index < static_cast<int>(known->size())) {
    return Length((*known)[index]);
  }
  return Length(b_.Slice(b_.In(i), 0, index, index + 1));
}

Length Lengths::Add(const Length& a, const Length& b) {
  if (a.known && b.known) return Length(*a.known + *b.known);
  if (b.known == 0) return a;
  if (a.known == 0) return b;
  return Length(b_.Add(Get(a), Get(b)));
}

Length Lengths::Sub(const Length& a, const Length& b) {
  if (a.known && b.known) return Length(*a.known - *b.known);
  if (b.known == 0) return a;
  return Length(b_.Sub(Get(a), Get(b)));
}

Length Lengths::Mul(const Length& a, const Length& b) {
  if (a.known && b.known) return Length(*a.known * *b.known);
  if (b.known == 1) return a;
  if (a.known == 1) return b;
  return Length(b_.Mul(Get(a), Get(b)));
}

Length Lengths::Div(const Length& a, const Length& b) {
  if (b.known == 1) return a;
  if (a.known && b.known.value_or(0) != 0) return Length(*a.known / *b.known);
  return Length(b_.Div(Get(a), Get(b)));
}

Length Lengths::Max(const Length& a, const Length& b) {
  if (a.known && b.known) return Length(std::max(*a.known, *b.known));
  return Length(b_.Op("Max", {Get(a), Get(b)}));
}

Length Lengths::Product(const std::vector<Length>& factors) {
  Length product(1);
  for (const Length& factor : factors) product = Mul(product, factor);
  return product;
}

Ref Lengths::Get(const Length& a) {
  return a.known.has_value() ? b_.Ints({*a.known}) : a.ref;
}

Ref Lengths::Shape(const std::vector<Length>& lengths) {
  Refs parts;
  std::vector<int64_t> run;  // Known ones that follow each other.
  const auto flush = [&] {
    if (!run.empty()) parts.push_back(b_.Ints(run));
    run.clear();
  };
  for (const Length& length : lengths) {
    if (length.known.has_value()) {
      run.push_back(*length.known);
    } else {
      flush();
      parts.push_back(length.ref);
    }
  }
  flush();
  return parts.size() == 1 ? parts[0] : b_.Concat(parts, 0);
}

}  // namespace onnx_legalize
