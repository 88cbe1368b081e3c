// SPDX-License-Identifier: Apache-2.0
//
// Attention by MatMul and Softmax.
//
//   before:  y = Attention-25 <is_causal = 1> (q, k, v, mask)
//   after:   s = MatMul (q * sqrt(scale), transpose(k) * sqrt(scale))
//            y = MatMul (Softmax (s + bias), v)
//
// The bias is 0 where a query may look at a key and -inf elsewhere, plus a mask
// of floats. Queries that share a head of keys (GQA) stand below each other in
// one matrix, so that no key is copied. Rows that look at no key become 0, as
// Attention defines it, where Softmax gives NaN.
//
// The specification's body of Attention-25 takes 79 nodes for this.
//
// Declines types that aren't known or differ between queries and values, rank 3
// without numbers of heads, and heads that don't divide.

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "passes/legalize/body.h"
#include "passes/legalize/lengths.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

constexpr int kMask = 3, kPastKey = 4, kPastValue = 5, kNonPad = 6;

class AttentionLowering {
 public:
  explicit AttentionLowering(Body& b) : b_(b), n_(b), type_(b.Type(0)) {}
  std::optional<std::string> Lower();

 private:
  std::optional<std::string> Decline();
  void Shapes();
  Ref Heads(int i, const Length& heads);
  Ref Scale();
  Ref Scores(const Ref& q, const Ref& k);
  Ref Capped(const Ref& scores);
  Ref Cells(const Length& from, const Length& count);
  void Frontier();
  Ref Padded(const Ref& mask);
  void Mask();
  Ref Bias();
  Ref MaskedRows(const Ref& bias);
  bool RowMayBeMasked() const;
  Ref Probabilities(const Ref& scores, const Ref& bias);
  Ref Weighted(const Ref& probabilities, const Ref& v);
  void Allow(const Ref& where) {
    allowed_ = allowed_.empty() ? where : b_.Op("And", {allowed_, where});
  }
  int64_t Int(absl::string_view name, int64_t otherwise) const {
    return b_.node().Int(name, otherwise);
  }
  Ref Scalar(const Length& a) {
    return a.known ? b_.Int(*a.known) : b_.Squeeze(a.ref, {0});
  }

  Body& b_;
  Lengths n_;
  const int32_t type_;
  bool packed_ = false;  // Rank 3: heads lie in the last axis.
  bool grouped_ = true;  // Several queries' heads share one of the keys'.
  Length q_heads_ = 0, kv_heads_ = 0, group_rows_ = 0;
  Length rows_ = 0, past_ = 0, fresh_ = 0, columns_ = 0;
  Length size_ = 0, v_size_ = 0;
  Ref allowed_;     // bool: which keys a query looks at; "" is all.
  Ref float_mask_;  // Of type_; "" is none.
  Ref non_pad_;     // int64 [batch, 1, 1, 1]
};

std::optional<std::string> AttentionLowering::Decline() {
  if (type_ == 0) return "the type of the queries isn't known";
  if (b_.Type(2) != type_) return "queries and values differ in type";
  if (b_.Has(kMask) && b_.Type(kMask) == 0) {
    return "the type of the mask isn't known";
  }
  if (b_.Has(kPastKey) != b_.Has(kPastValue)) {
    return "past keys and values come together";
  }
  const int64_t q_heads = Int("q_num_heads", 0);
  const int64_t kv_heads = Int("kv_num_heads", 0);
  const std::optional<int> rank = b_.Rank(0);
  if (rank == 3 && (q_heads <= 0 || kv_heads <= 0)) {
    return "rank 3 without numbers of heads";
  }
  packed_ = rank != 4 && q_heads > 0 && kv_heads > 0;
  q_heads_ = packed_ ? Length(q_heads) : n_.Of(0, 1);
  kv_heads_ = packed_ ? Length(kv_heads) : n_.Of(1, 1);
  if (q_heads_.known && kv_heads_.known) {
    if (*kv_heads_.known == 0 || *q_heads_.known % *kv_heads_.known != 0) {
      return "the heads of keys don't divide those of queries";
    }
    grouped_ = *q_heads_.known != *kv_heads_.known;
  }
  return std::nullopt;
}

void AttentionLowering::Shapes() {
  const int rows = packed_ ? 1 : 2;
  rows_ = n_.Of(0, rows);
  fresh_ = n_.Of(1, rows);
  if (b_.Has(kPastKey)) past_ = n_.Of(kPastKey, 2);
  columns_ = n_.Add(past_, fresh_);
  size_ = packed_ ? n_.Div(n_.Of(0, 2), q_heads_) : n_.Of(0, 3);
  v_size_ = packed_ ? n_.Div(n_.Of(2, 2), kv_heads_) : n_.Of(2, 3);
  if (grouped_) {
    group_rows_ = n_.Mul(n_.Div(q_heads_, kv_heads_), rows_);
  }
}

// [batch, heads, length, size] of an input.
Ref AttentionLowering::Heads(int i, const Length& heads) {
  if (!packed_) return b_.In(i);
  const Length size = i == 2 ? v_size_ : size_;
  return b_.Transpose(n_.Reshape(b_.In(i), {0, 0, heads, size}), {0, 2, 1, 3});
}

// The root of the scale, computed in float.
Ref AttentionLowering::Scale() {
  if (b_.node().HasAttribute("scale")) {
    return b_.Typed(std::sqrt(b_.node().Float("scale", 1)), type_);
  }
  if (size_.known) {
    const float root = std::sqrt(static_cast<float>(*size_.known));
    return b_.Typed(std::sqrt(1.0F / root), type_);
  }
  const Ref root = b_.Op("Sqrt", {b_.Cast(size_.ref, TensorProto::FLOAT)});
  return b_.Cast(b_.Op("Sqrt", {b_.Div(b_.Float(1), root)}), type_);
}

Ref AttentionLowering::Scores(const Ref& q, const Ref& k) {
  const Ref scale = Scale();
  Ref queries = b_.Mul(q, scale);
  if (grouped_) {
    queries = n_.Reshape(queries, {0, kv_heads_, group_rows_, size_});
  }
  Ref scores;
  if (type_ == TensorProto::DOUBLE) {
    // ONNX Runtime 1.8 to 1.20 fuses Transpose and MatMul of double into what
    // it has no kernel for.
    scores = b_.Op("Einsum", {queries, b_.Mul(k, scale)},
                   {{"equation", "bhid,bhjd->bhij"}});
  } else {
    const Ref keys = b_.Mul(b_.Transpose(k, {0, 1, 3, 2}), scale);
    scores = b_.Op("MatMul", {queries, keys});
  }
  if (!grouped_) return scores;
  return n_.Reshape(scores, {0, q_heads_, rows_, columns_});
}

Ref AttentionLowering::Capped(const Ref& scores) {
  const float cap = b_.node().Float("softcap", 0);
  if (cap == 0) return scores;
  const Ref c = b_.Typed(cap, type_);
  return b_.Mul(b_.Op("Tanh", {b_.Div(scores, c)}), c);
}

// from, from + 1, ... : int64 [count]
Ref AttentionLowering::Cells(const Length& from, const Length& count) {
  return b_.Op("Range", {Scalar(from), Scalar(n_.Add(from, count)), b_.Int(1)});
}

// What causality, windows and the number of keys that are no padding allow.
void AttentionLowering::Frontier() {
  if (b_.Has(kNonPad)) non_pad_ = b_.Unsqueeze(b_.In(kNonPad), {1, 2, 3});
  const int64_t left = Int("left_window_size", -1);
  const int64_t right = Int("right_window_size", -1);
  const bool causal = Int("is_causal", 0) == 1;
  const bool bounded = causal || left >= 0 || right >= 0;
  if (!bounded && non_pad_.empty()) return;
  const Ref columns = Cells(0, columns_);
  if (bounded) {
    // Where a query stands among the keys.
    Ref place = b_.Unsqueeze(Cells(past_, rows_), {1});
    if (!non_pad_.empty()) {
      place = b_.Add(place, b_.Sub(non_pad_, n_.Get(rows_)));
    }
    const Ref behind = b_.Sub(place, columns);
    if (causal || right >= 0) {
      Allow(b_.Op("Less", {b_.Int(causal ? -1 : -right - 1), behind}));
    }
    if (left >= 0) Allow(b_.Op("Less", {behind, b_.Int(left + 1)}));
  }
  if (!non_pad_.empty()) Allow(b_.Op("Less", {columns, non_pad_}));
}

// The mask of floats, as long as the keys: no key beyond it is looked at.
Ref AttentionLowering::Padded(const Ref& mask) {
  if (b_.node().op().version < 24) return mask;  // It broadcasts instead.
  const std::optional<int> rank = b_.Rank(kMask);
  const auto length =
      rank.has_value() ? b_.Dim(kMask, *rank - 1) : std::nullopt;
  if (length.has_value() && length == columns_.known) return mask;
  const Ref shape = b_.ShapeOf(mask);
  const Ref outer = b_.Op("Slice", {shape, b_.Ints({0}), b_.Ints({-1})});
  const Ref have = b_.Op("Gather", {shape, b_.Ints({-1})});
  const Ref lack = b_.Concat({outer, b_.Sub(n_.Get(columns_), have)}, 0);
  const Ref fill = b_.Op("Expand", {b_.Float(0), lack});
  if (b_.Type(kMask) == TensorProto::BOOL) return b_.Concat({mask, fill}, -1);
  const Ref infinite = b_.Float(-std::numeric_limits<double>::infinity());
  return b_.Concat({mask, b_.Cast(b_.Add(fill, infinite), type_)}, -1);
}

void AttentionLowering::Mask() {
  if (!b_.Has(kMask)) return;
  if (b_.Type(kMask) != TensorProto::BOOL) {
    float_mask_ = b_.In(kMask);
    if (b_.Type(kMask) != type_) float_mask_ = b_.Cast(float_mask_, type_);
    float_mask_ = Padded(float_mask_);
    return;
  }
  const Ref mask = b_.Cast(b_.In(kMask), TensorProto::FLOAT);
  const Ref padded = Padded(mask);
  Allow(padded == mask ? b_.In(kMask) : b_.Cast(padded, TensorProto::BOOL));
}

Ref AttentionLowering::Bias() {
  if (allowed_.empty()) return float_mask_;
  const Ref infinite = b_.Float(-std::numeric_limits<double>::infinity());
  Ref bias = b_.Where(allowed_, b_.Float(0), infinite);
  if (type_ != TensorProto::FLOAT) bias = b_.Cast(bias, type_);
  return float_mask_.empty() ? bias : b_.Add(float_mask_, bias);
}

// Whether a query may have no key to look at. A past is never negative, so that
// the first key is always in sight, if no left end of a window hides it; then
// the key at the query's own place is, if there is one.
bool AttentionLowering::RowMayBeMasked() const {
  if (b_.Has(kMask) || b_.Has(kNonPad)) return true;
  if (Int("left_window_size", -1) < 0) return false;
  return !rows_.known || !fresh_.known || *rows_.known > *fresh_.known;
}

// bool [..., rows, 1]: every key's bias is -inf.
Ref AttentionLowering::MaskedRows(const Ref& bias) {
  const Attributes last = {{"axes", std::vector<int64_t>{-1}},
                           {"keepdims", int64_t{1}}};
  const Ref half = b_.Float(0.5);
  if (float_mask_.empty()) {
    const Ref ones = b_.Cast(allowed_, TensorProto::FLOAT);
    return b_.Op("Less", {b_.Op("ReduceMax", {ones}, last), half});
  }
  const bool wide = type_ == TensorProto::DOUBLE;
  const bool narrow = !wide && type_ != TensorProto::FLOAT;
  const Ref x = narrow ? b_.Cast(bias, TensorProto::FLOAT) : bias;
  const Ref lowest = wide ? b_.Typed(std::numeric_limits<double>::lowest(),
                                     TensorProto::DOUBLE)
                          : b_.Float(std::numeric_limits<float>::lowest());
  const Ref ones = b_.Cast(b_.Op("Less", {x, lowest}), TensorProto::FLOAT);
  return b_.Op("Less", {half, b_.Op("ReduceMin", {ones}, last)});
}

Ref AttentionLowering::Probabilities(const Ref& scores, const Ref& bias) {
  const auto precision = static_cast<int32_t>(Int("softmax_precision", type_));
  const Ref x = precision == type_ ? scores : b_.Cast(scores, precision);
  Ref y = b_.Op("Softmax", {x}, {{"axis", int64_t{-1}}});
  if (precision != type_) y = b_.Cast(y, type_);
  if (bias.empty() || !RowMayBeMasked()) return y;
  return b_.Where(MaskedRows(bias), b_.Typed(0, type_), y);
}

Ref AttentionLowering::Weighted(const Ref& probabilities, const Ref& v) {
  Ref p = probabilities;
  if (grouped_) p = n_.Reshape(p, {0, kv_heads_, group_rows_, columns_});
  Ref y = b_.Op("MatMul", {p, v});
  if (grouped_) y = n_.Reshape(y, {0, q_heads_, rows_, v_size_});
  if (!packed_) return y;
  return n_.Reshape(b_.Transpose(y, {0, 2, 1, 3}),
                    {0, 0, n_.Mul(q_heads_, v_size_)});
}

std::optional<std::string> AttentionLowering::Lower() {
  if (auto why = Decline()) return why;
  Shapes();
  const Ref q = Heads(0, q_heads_);
  Ref k = Heads(1, kv_heads_), v = Heads(2, kv_heads_);
  if (b_.Has(kPastKey)) {
    k = b_.Concat({b_.In(kPastKey), k}, 2);
    v = b_.Concat({b_.In(kPastValue), v}, 2);
  }
  const Ref scores = Scores(q, k);
  const Ref capped = Capped(scores);
  Mask();
  Frontier();
  const Ref bias = Bias();
  const Ref biased = bias.empty() ? capped : b_.Add(capped, bias);
  const Ref probabilities = Probabilities(biased, bias);
  const Ref y = Weighted(probabilities, v);
  const int64_t mode = Int("qk_matmul_output_mode", 0);
  const Ref shown = mode == 3   ? probabilities
                    : mode == 2 ? biased
                    : mode == 1 ? capped
                                : scores;
  const Refs all = {y, k, v, shown};
  Refs outputs;
  for (int i = 0; i < b_.node().num_outputs(); ++i) {
    outputs.push_back(b_.OutputUsed(i) ? all[i] : "");
  }
  b_.Return(outputs);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> AttentionByMatMul(Body& b) {
  return AttentionLowering(b).Lower();
}

}  // namespace onnx_legalize
