// SPDX-License-Identifier: Apache-2.0
//
// Col2Im axis by axis: each place of the image gathers what falls on it and
// adds it up.
//
//   before:  y = Col2Im <strides = [2]> (x, [5], [3])      # x: [N, C * 3, 2]
//   after:   b = Reshape (x, [N * C, 3 * 2])      # row k * 2 + j: tap k of j
//            g = Gather <axis = 1> (Pad (b, a zero), [[0,2,1,3,5],[6,6,4,6,6]])
//            y = Reshape (ReduceSum (g, 1), [N, C, 5])
//
// Declines a number of axes that isn't known, bool and strings.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/legalize/body.h"
#include "passes/legalize/lengths.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

constexpr int kX = 0, kImageShape = 1, kBlockShape = 2;

struct Axis {
  int64_t stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;
  // The block, the image, and how many blocks there are.
  Length block{1}, image{0}, count{0};
};

// What a place gathers: rows of [taps, count], and one past them for 0.
struct Sources {
  Ref indices;          // int64 [terms, image], or [image] where `single`.
  bool single = false;  // One term is all that each place has.
  bool padded = true;   // Some place needs the row of zeros.
};

class Folder {
 public:
  Folder(Body& b, std::vector<Axis> axes)
      : b_(b), n_(b), axes_(std::move(axes)) {}

  // `x` is the node's first input, in a type that is added up.
  Ref Run(Ref x) {
    const int rank = static_cast<int>(axes_.size());
    Length taps(1);
    std::vector<Length> y_shape = {n_.Of(kX, 0), 0}, counts, folded;
    for (int i = 0; i < rank; ++i) {
      Axis& axis = axes_[i];
      axis.block = n_.Element(kBlockShape, i);
      axis.image = n_.Element(kImageShape, i);
      const Length span = n_.Mul(n_.Sub(axis.block, 1), axis.dilation);
      const Length room =
          n_.Sub(n_.Add(axis.image, axis.pad_begin + axis.pad_end - 1), span);
      axis.count = n_.Add(n_.Div(room, axis.stride), 1);
      taps = n_.Mul(taps, axis.block);
      y_shape.push_back(axis.image);
      counts.push_back(axis.count);
      folded.push_back(n_.Mul(axis.block, axis.count));
    }
    y_shape[1] = n_.Div(n_.Of(kX, 1), taps);
    const Length planes = n_.Mul(y_shape[0], y_shape[1]);
    if (rank > 1) {
      std::vector<Length> shape = {planes};
      std::vector<int64_t> perm = {0};  // Blocks and counts, axis by axis.
      for (const Axis& axis : axes_) shape.push_back(axis.block);
      shape.insert(shape.end(), counts.begin(), counts.end());
      for (int i = 1; i <= rank; ++i) perm.insert(perm.end(), {i, rank + i});
      x = b_.Transpose(n_.Reshape(x, shape), perm);
    }
    folded.insert(folded.begin(), planes);
    x = n_.Reshape(x, folded);
    for (int i = 0; i < rank; ++i) x = Fold(x, axes_[i], i + 1);
    return n_.Reshape(x, y_shape);
  }

 private:
  Ref Fold(Ref x, const Axis& axis, int at) {
    const bool known = axis.block.known && axis.image.known;
    const Sources sources = known ? KnownSources(axis) : ComputedSources(axis);
    if (sources.padded) {
      std::vector<int64_t> pads(2 * (axes_.size() + 1), 0);
      pads[axes_.size() + 1 + at] = 1;
      x = b_.Op("Pad", {x, b_.Ints(pads)});
    }
    x = b_.Gather(x, sources.indices, at);
    return sources.single ? x : b_.ReduceSum(x, {at}, false);
  }

  Sources KnownSources(const Axis& axis) {
    const int64_t image = *axis.image.known, count = *axis.count.known;
    const int64_t block = *axis.block.known;
    std::vector<std::vector<int64_t>> of_place(image);
    size_t terms = 1;
    for (int64_t p = 0; p < image; ++p) {
      for (int64_t tap = 0; tap < block; ++tap) {
        const int64_t from = p + axis.pad_begin - tap * axis.dilation;
        if (from < 0 || from % axis.stride != 0) continue;
        const int64_t j = from / axis.stride;
        if (j < count) of_place[p].push_back(tap * count + j);
      }
      terms = std::max(terms, of_place[p].size());
    }
    Sources sources;
    sources.single = terms == 1;
    sources.padded = false;
    std::vector<double> indices;
    for (size_t i = 0; i < terms; ++i) {
      for (const std::vector<int64_t>& rows : of_place) {
        sources.padded |= i >= rows.size();
        const int64_t row = i < rows.size() ? rows[i] : block * count;
        indices.push_back(static_cast<double>(row));
      }
    }
    std::vector<int64_t> shape = {static_cast<int64_t>(terms), image};
    if (sources.single) shape = {image};
    sources.indices = b_.Typed(indices, shape, TensorProto::INT64);
    return sources;
  }

  Ref Range(const Length& count) {
    return b_.Op("Range",
                 {b_.Int(0), b_.Squeeze(n_.Get(count), {0}), b_.Int(1)});
  }

  Sources ComputedSources(const Axis& axis) {
    const Ref tap = b_.Unsqueeze(Range(axis.block), {1});  // [block, 1]
    const Ref place = b_.Add(Range(axis.image), b_.Int(axis.pad_begin));
    const Ref from = b_.Sub(place, b_.Mul(tap, b_.Int(axis.dilation)));
    const Ref stride = b_.Int(axis.stride), count = n_.Get(axis.count);
    const Ref j = b_.Div(from, stride);
    const Ref none = b_.Op("Or", {b_.Op("Less", {from, b_.Int(0)}),
                                  b_.Op("Not", {b_.Op("Less", {j, count})})});
    const Ref exact = b_.Op("Equal", {b_.Mul(j, stride), from});
    const Ref hit = b_.Op("And", {exact, b_.Op("Not", {none})});
    const Ref zero = n_.Get(n_.Mul(axis.block, axis.count));
    return {b_.Where(hit, b_.Add(b_.Mul(tap, count), j), zero)};
  }

  Body& b_;
  Lengths n_;
  std::vector<Axis> axes_;
};

// ReduceSum takes no integer of less than 32 bits; they wrap around alike.
int32_t SumType(int32_t type) {
  switch (type) {
    case TensorProto::INT8:
    case TensorProto::UINT8:
    case TensorProto::INT16:
    case TensorProto::UINT16:
      return TensorProto::INT32;
    default:
      return type;
  }
}

// The number of axes of the image, by whatever tells.
std::optional<int64_t> SpatialRank(const Body& b) {
  for (int i : {kImageShape, kBlockShape}) {
    if (const auto count = b.Dim(i, 0)) return count;
  }
  for (const char* name : {"strides", "dilations"}) {
    const auto size = static_cast<int64_t>(b.node().Ints(name).size());
    if (size > 0) return size;
  }
  const std::optional<int> rank = b.OutRank(0);
  if (rank.has_value()) return *rank - 2;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> Col2ImByGather(Body& b) {
  const int32_t type = b.Type(kX);
  if (type == TensorProto::BOOL || type == TensorProto::STRING) {
    return "only numbers are added";
  }
  const std::optional<int64_t> rank = SpatialRank(b);
  if (!rank.has_value() || *rank < 1) {
    return "the number of the image's axes isn't known";
  }
  const auto list = [&](const char* name, size_t size, int64_t fallback) {
    std::vector<int64_t> values = b.node().Ints(name);
    values.resize(size, fallback);
    return values;
  };
  const std::vector<int64_t> strides = list("strides", *rank, 1);
  const std::vector<int64_t> dilations = list("dilations", *rank, 1);
  const std::vector<int64_t> pads = list("pads", 2 * *rank, 0);
  std::vector<Axis> axes(*rank);
  for (int64_t i = 0; i < *rank; ++i) {
    Axis& axis = axes[i];
    axis.stride = strides[i];
    axis.dilation = dilations[i];
    axis.pad_begin = pads[i];
    axis.pad_end = pads[i + *rank];
    if (axis.stride < 1 || axis.dilation < 1 || axis.pad_begin < 0 ||
        axis.pad_end < 0) {
      return "its blocks are malformed";
    }
  }
  const int32_t sum = SumType(type);
  const Ref x = sum == type ? b.In(kX) : b.Cast(b.In(kX), sum);
  const Ref y = Folder(b, std::move(axes)).Run(x);
  b.Return({sum == type ? y : b.Cast(y, type)});
  return std::nullopt;
}

}  // namespace onnx_legalize
