// SPDX-License-Identifier: Apache-2.0
//
// Equal-19 of strings where only numbers are compared: strings are equal that
// stand at the same place among all the different ones.
//
//   before:  z = Equal (x, y)                             # strings
//   after:   all = Concat (Reshape (x, [-1]), Reshape (y, [-1]), [""])
//            _, _, place = Unique (all)
//            z = Equal (place of x, place of y)           # int64
//
// The blank string keeps Unique from nothing. Declines other types.

#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {

std::optional<std::string> EqualOfStrings(Body& b) {
  if (b.Type(0) != onnx::TensorProto::STRING) {
    return "only strings are compared by their places";
  }
  const auto flat = [&](int i) {
    return b.Reshape(b.In(i), std::vector<int64_t>{-1});
  };
  const Ref blank =
      b.Op("Constant", {}, {StringsAttribute("value_strings", {""})});
  const Ref all = b.Concat({flat(0), flat(1), blank}, 0);
  constexpr int kOutputs = 3, kPlaces = 2;
  const Ref places = b.OpN("Unique", {all}, kOutputs, {{"sorted", 1}})[kPlaces];
  // Runtimes may have no Shape of strings.
  const auto shape = [&](int i) {
    const auto known = b.Shape(i);
    return known ? b.Ints(*known) : b.ShapeOf(b.In(i));
  };
  const Ref shape_x = shape(0), shape_y = shape(1), start = b.Ints({0});
  const auto size = [&](const Ref& dims) {
    return b.Op("ReduceProd", {dims},
                {{"axes", std::vector<int64_t>{0}}, {"keepdims", 1}});
  };
  const auto of = [&](const Ref& from, const Ref& to, const Ref& dims) {
    return b.Op("Reshape", {b.Op("Slice", {places, from, to, start}), dims});
  };
  const Ref middle = size(shape_x);
  const Ref end = b.Add(middle, size(shape_y));
  b.Return(
      {b.Op("Equal", {of(start, middle, shape_x), of(middle, end, shape_y)})});
  return std::nullopt;
}

}  // namespace onnx_legalize
