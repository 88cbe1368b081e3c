// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/triangle_mask.h"

#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace onnx_legalize {

using onnx::TensorProto;

bool Triangle::Keeps(int64_t row, int64_t column) const {
  return upper ? column - row >= *k : column - row <= *k;
}

bool Triangle::KeepsAll() const {
  if (height == 0 || width == 0) return true;
  if (!k.has_value()) return false;
  return upper ? height.has_value() && *k <= 1 - *height
               : width.has_value() && *k >= *width - 1;
}

Value* ConstantMask(const Triangle& triangle, Rewriter& rewriter) {
  const auto& [upper, k, height, width] = triangle;
  if (!k.has_value() || !height.has_value() || !width.has_value() ||
      *height > kMaxConstantBytes / *width) {
    return nullptr;
  }
  std::string mask(*height * *width, '\0');
  for (int64_t row = 0; row < *height; ++row) {
    for (int64_t column = 0; column < *width; ++column) {
      mask[row * *width + column] = triangle.Keeps(row, column) ? 1 : 0;
    }
  }
  return rewriter.Constant(TensorProto::BOOL, {*height, *width},
                           std::move(mask), "mask");
}

namespace {

// Emits the mask of a triangle that isn't known before the model runs.
class MaskBuilder {
 public:
  MaskBuilder(const Node& node, const Triangle& triangle, Rewriter& rewriter)
      : node_(node), triangle_(triangle), rewriter_(rewriter) {}

  Value* Build() {
    Value* rows = Indices(2, triangle_.height);
    Value* columns = Indices(1, triangle_.width);
    if (triangle_.k == 0) return Compare(rows, columns);
    Value* diagonal = rewriter_.Emit("Sub", {columns, rows}, {}, "diagonal");
    Value* k = node_.input(1);
    if (triangle_.k.has_value()) k = rewriter_.Int64Scalar(*triangle_.k, "k");
    return Compare(k, diagonal);
  }

 private:
  // Whether the diagonal is on the side of `bound` that is kept.
  Value* Compare(Value* bound, Value* diagonal) {
    if (!triangle_.upper) std::swap(bound, diagonal);
    return rewriter_.Emit("LessOrEqual", {bound, diagonal}, {}, "mask");
  }

  // 0, 1, ... along the dimension `from_end` places before the end of the
  // input's shape: int64[H, 1] for rows, int64[W] for columns.
  Value* Indices(int from_end, std::optional<int64_t> extent) {
    const bool is_row = from_end == 2;
    const char* const hint = is_row ? "rows" : "columns";
    constexpr int64_t kMaxIndices = kMaxConstantBytes / sizeof(int64_t);
    if (extent.has_value() && *extent <= kMaxIndices) {
      std::vector<int64_t> indices(*extent);
      std::iota(indices.begin(), indices.end(), 0);
      const std::vector<int64_t> dims =
          is_row ? std::vector<int64_t>{*extent, 1} : std::vector{*extent};
      std::string raw(reinterpret_cast<const char*>(indices.data()),
                      indices.size() * sizeof(int64_t));
      return rewriter_.Constant(TensorProto::INT64, dims, std::move(raw), hint);
    }
    Value* limit = extent.has_value() ? rewriter_.Int64Scalar(*extent, "extent")
                                      : Extent(from_end);
    if (zero_ == nullptr) zero_ = rewriter_.Int64Scalar(0, "zero");
    if (one_ == nullptr) one_ = rewriter_.Int64Scalar(1, "one");
    Value* range =
        rewriter_.Emit("Range", {zero_, limit, one_}, {}, is_row ? "" : hint);
    if (!is_row) return range;
    return rewriter_.Emit("Unsqueeze", {range, rewriter_.Int64s({1}, "axes")},
                          {}, hint);
  }

  Value* Extent(int from_end) {
    Value& x = *node_.input(0);
    if (shape_ == nullptr) shape_ = rewriter_.Emit("Shape", {&x});
    // Gather takes a negative index from the end.
    const int axis = x.rank().value_or(0) - from_end;
    return rewriter_.Emit(
        "Gather", {shape_, rewriter_.Int64Scalar(axis, "axis")}, {}, "extent");
  }

  const Node& node_;
  const Triangle& triangle_;
  Rewriter& rewriter_;
  Value* shape_ = nullptr;
  Value* zero_ = nullptr;
  Value* one_ = nullptr;
};

}  // namespace

Value* ComputedMask(const Node& trilu, const Triangle& triangle,
                    Rewriter& rewriter) {
  return MaskBuilder(trilu, triangle, rewriter).Build();
}

}  // namespace onnx_legalize
