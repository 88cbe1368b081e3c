// SPDX-License-Identifier: Apache-2.0
//
// ConvTranspose with output_shape or auto_pad=SAME: the whole result, cropped
// or padded to that shape.
//
//   before:  y = ConvTranspose <output_shape = [10, 8]> (x, w, bias)
//   after:   f = ConvTranspose (x, w)                      # say [.., 9, 9]
//            y = Pad (Slice (f, ...), ...) + bias
//
// Of what is too much (or, below 0, missing), SAME_UPPER takes the smaller
// half from the front; otherwise the end has it, as ConvTranspose-11 says. All
// that decompose-auto-pad can write as pads is gone before.
//
// Declines an unknown rank, and where nothing of this is asked for.

#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"
#include "passes/legalize/lengths.h"
#include "passes/legalize/padding.h"

namespace onnx_legalize {
namespace {

constexpr int kX = 0, kWeight = 1, kBias = 2;

struct Ends {
  Length begin{0}, end{0};
};

// Half of what may be negative, rounded down.
Length HalfDown(Body& b, Lengths& n, const Length& total) {
  if (total.known.has_value()) {
    return (*total.known - (*total.known % 2 != 0 && *total.known < 0)) / 2;
  }
  const Ref two = b.Ints({2});
  const Ref even = b.Sub(total.ref, b.Op("Mod", {total.ref, two}));
  return n.Div(Length(even), 2);
}

// The size of the whole result along an axis.
Length WholeSize(const Body& b, Lengths& n, int axis, int64_t stride,
                 int64_t dilation, int64_t output_padding) {
  const std::vector<int64_t> kernel = b.node().Ints("kernel_shape");
  const Length taps =
      kernel.empty() ? n.Of(kWeight, axis + 2) : Length(kernel[axis]);
  const Length reach = n.Mul(n.Sub(taps, 1), dilation);
  const Length last = n.Mul(n.Sub(n.Of(kX, axis + 2), 1), stride);
  return n.Add(n.Add(last, reach), output_padding + 1);
}

// Crops what is positive of `ends` and pads what is negative.
Ref Fit(Body& b, Lengths& n, Ref x, const std::vector<Length>& sizes,
        const std::vector<Ends>& ends, bool* padded) {
  const size_t rank = ends.size();
  std::vector<Length> starts, stops, pads(2 * (rank + 2), Length(0));
  std::vector<int64_t> axes;
  bool cropped = false;
  *padded = false;
  for (size_t i = 0; i < rank; ++i) {
    const auto& [begin, end] = ends[i];
    axes.push_back(static_cast<int64_t>(i) + 2);
    starts.push_back(n.Max(begin, 0));
    stops.push_back(n.Sub(sizes[i], n.Max(end, 0)));
    pads[i + 2] = n.Max(n.Sub(0, begin), 0);
    pads[rank + 4 + i] = n.Max(n.Sub(0, end), 0);
    cropped |= begin.known.value_or(1) > 0 || end.known.value_or(1) > 0;
    *padded |= begin.known.value_or(-1) < 0 || end.known.value_or(-1) < 0;
  }
  if (cropped) {
    x = b.Op("Slice", {x, n.Shape(starts), n.Shape(stops), b.Ints(axes)});
  }
  return *padded ? b.Op("Pad", {x, n.Shape(pads)}) : x;
}

}  // namespace

std::optional<std::string> ConvTransposeThenFit(Body& b) {
  const Node& node = b.node();
  const auto mode = ParseAutoPad(node.String("auto_pad", ""));
  std::vector<int64_t> shape = node.Ints("output_shape");
  if (!mode.has_value()) return "auto_pad means nothing";
  if (!IsSame(*mode) && shape.empty()) return "its kernel crops by pads";
  const std::optional<int> rank = b.Rank(kX);
  if (!rank.has_value() || *rank < 3) return "the rank isn't known";
  const int axes = *rank - 2;
  // Some exporters write batch and channels too, which runtimes skip.
  if (static_cast<int>(shape.size()) == *rank) {
    shape.erase(shape.begin(), shape.begin() + 2);
  }
  if (!shape.empty() && static_cast<int>(shape.size()) != axes) {
    return "output_shape has another rank";
  }
  const auto list = [&](const char* name, int64_t fallback) {
    std::vector<int64_t> values = node.Ints(name);
    values.resize(axes, fallback);
    return values;
  };
  const auto strides = list("strides", 1), dilations = list("dilations", 1),
             output_padding = list("output_padding", 0);
  Lengths n(b);
  std::vector<Length> sizes;
  std::vector<Ends> ends;
  bool may_pad = false;
  for (int i = 0; i < axes; ++i) {
    sizes.push_back(
        WholeSize(b, n, i, strides[i], dilations[i], output_padding[i]));
    const Length wanted =
        shape.empty() ? n.Mul(n.Of(kX, i + 2), strides[i]) : Length(shape[i]);
    const Length total = n.Sub(sizes[i], wanted);
    const Length half = HalfDown(b, n, total), rest = n.Sub(total, half);
    const bool upper = *mode == AutoPadMode::kSameUpper;
    ends.push_back(upper ? Ends{half, rest} : Ends{rest, half});
    may_pad |= total.known.value_or(-1) < 0;
  }
  Refs inputs = {b.In(kX), b.In(kWeight)};
  if (!may_pad) inputs.push_back(b.In(kBias));
  const Ref whole =
      b.Op("ConvTranspose", inputs,
           b.AttributesWithout({"auto_pad", "pads", "output_shape"}));
  bool padded = false;
  Ref y = Fit(b, n, whole, sizes, ends, &padded);
  if (may_pad && b.Has(kBias)) {
    std::vector<int64_t> spatial;
    for (int i = 1; i <= axes; ++i) spatial.push_back(i);
    y = b.Add(y, b.Unsqueeze(b.In(kBias), spatial));
  }
  b.Return({y});
  return std::nullopt;
}

}  // namespace onnx_legalize
