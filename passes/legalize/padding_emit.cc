// SPDX-License-Identifier: Apache-2.0
//
// From opset 11 on Pad takes its amounts as an input. Below it takes them as an
// attribute and only pads floats, so that what it can't do there is done by
// concatenating blocks of padding (Expand, from opset 8 on). Integer arithmetic
// on shapes keeps to what runtimes had kernels for from the beginning: int64
// Max came with opset 12, so max(0, t) is written (t + |t|) / 2.

#include "passes/legalize/padding_emit.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "absl/strings/str_cat.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

// One element in ONNX's raw_data layout.
struct Element {
  int32_t type;
  absl::string_view zero, one, lowest;
};

constexpr absl::string_view Bytes(const char* bytes, size_t size) {
  return absl::string_view(bytes, size);
}

// The types that convolutions and pools come in. Lowest is -infinity where the
// type has it: no cell of the input is below it.
const Element* FindElement(int32_t type) {
  static constexpr Element kElements[] = {
      {TensorProto::FLOAT, Bytes("\0\0\0\0", 4), Bytes("\0\0\x80\x3f", 4),
       Bytes("\0\0\x80\xff", 4)},
      {TensorProto::DOUBLE, Bytes("\0\0\0\0\0\0\0\0", 8),
       Bytes("\0\0\0\0\0\0\xf0\x3f", 8), Bytes("\0\0\0\0\0\0\xf0\xff", 8)},
      {TensorProto::FLOAT16, Bytes("\0\0", 2), Bytes("\0\x3c", 2),
       Bytes("\0\xfc", 2)},
      {TensorProto::BFLOAT16, Bytes("\0\0", 2), Bytes("\x80\x3f", 2),
       Bytes("\x80\xff", 2)},
      {TensorProto::INT8, Bytes("\0", 1), Bytes("\1", 1), Bytes("\x80", 1)},
      {TensorProto::UINT8, Bytes("\0", 1), Bytes("\1", 1), Bytes("\0", 1)},
  };
  for (const Element& element : kElements) {
    if (element.type == type) return &element;
  }
  return nullptr;
}

bool IsFloat(int32_t type) {
  return type == TensorProto::FLOAT || type == TensorProto::DOUBLE ||
         type == TensorProto::FLOAT16;
}

// Whether Pad itself does it. Where not, blocks do what is computed at run
// time.
bool HasPad(const PadRequest& request) {
  if (request.opset >= 11) return true;
  return request.opset >= 2 && !request.at_run_time &&
         IsFloat(request.elem_type);
}

// The value of the padding as a scalar; null for Pad's default, zero.
Value* EmitFillScalar(const PadRequest& request, Rewriter& rewriter) {
  if (request.fill == Fill::kLowest) {
    const Element* element = FindElement(request.elem_type);
    return rewriter.Constant(element->type, {}, std::string(element->lowest),
                             "pad_value");
  }
  Value* zero_point = request.zero_point;
  if (zero_point == nullptr) return nullptr;
  if (zero_point->rank() == 0) return zero_point;
  // Runtimes also take a zero point of shape [1].
  return rewriter.Emit("Squeeze", {zero_point}, {}, "pad_value");
}

std::vector<int64_t> Range(int64_t first, int64_t count) {
  std::vector<int64_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

Value* EmitPadNode(Value& x, const PadAmounts& amounts,
                   const PadRequest& request, Rewriter& rewriter) {
  const size_t rank = amounts.pads.size() / 2;
  std::vector<int64_t> pads(2 * (rank + 2));
  std::copy_n(amounts.pads.begin(), rank, pads.begin() + 2);
  std::copy_n(amounts.pads.begin() + rank, rank, pads.begin() + rank + 4);
  if (request.opset < 11) {
    std::vector<AttributeInit> attributes = {{"pads", pads}};
    if (request.fill == Fill::kLowest) {
      attributes.emplace_back("value", -std::numeric_limits<float>::infinity());
    }
    return rewriter.Emit("Pad", {&x}, attributes);
  }
  Value* amount;
  if (amounts.at_run_time()) {
    Value* none = rewriter.Int64s({0, 0});  // Batch and channels.
    amount = rewriter.Emit("Concat", {none, amounts.begins, none, amounts.ends},
                           {{"axis", 0}}, "pads");
  } else {
    amount = rewriter.Int64s(pads, "pads");
  }
  Value* value = EmitFillScalar(request, rewriter);
  return rewriter.Emit("Pad", {&x, amount, value});
}

// A block of `amount` (int64 [rank]) entry `i` cells along axis i + 2 of `x`.
Value* EmitBlock(Value& x, Value* value, Value* amounts, int i, int rank,
                 Rewriter& rewriter) {
  const auto ints = [&](absl::Span<const int64_t> values) {
    return rewriter.Int64s(values);
  };
  Value* shape = rewriter.Emit("Shape", {&x});
  std::vector<Value*> parts = {
      rewriter.Emit("Gather", {shape, ints(Range(0, i + 2))}),
      rewriter.Emit("Gather", {amounts, ints({i})})};
  if (i + 1 < rank) {
    parts.push_back(
        rewriter.Emit("Gather", {shape, ints(Range(i + 3, rank - i - 1))}));
  }
  Value* block = rewriter.Emit("Concat", parts, {{"axis", 0}});
  return rewriter.Emit("Expand", {value, block}, {}, "block");
}

Value* EmitBlocks(Value& x, const PadAmounts& amounts,
                  const PadRequest& request, Rewriter& rewriter) {
  Value* value = EmitFillScalar(request, rewriter);
  if (value == nullptr) {
    const Element* element = FindElement(request.elem_type);
    value = rewriter.Constant(element->type, {}, std::string(element->zero),
                              "pad_value");
  }
  const int rank = static_cast<int>(amounts.pads.size()) / 2;
  Value* padded = &x;
  for (int i = 0; i < rank; ++i) {
    Value* begin = EmitBlock(*padded, value, amounts.begins, i, rank, rewriter);
    Value* end = EmitBlock(*padded, value, amounts.ends, i, rank, rewriter);
    padded = rewriter.Emit("Concat", {begin, padded, end}, {{"axis", i + 2}},
                           "padded");
  }
  return padded;
}

}  // namespace

std::optional<std::string> PadFault(const PadRequest& request) {
  const bool has_pad = HasPad(request);
  if (!has_pad && !request.at_run_time) {
    return absl::StrCat("Pad of opset ", request.opset, " has no element type ",
                        ElemTypeName(request.elem_type));
  }
  // Only a zero needs no type to be written: it is Pad's default.
  const bool needs_type = request.ones || request.fill == Fill::kLowest ||
                          (!has_pad && request.zero_point == nullptr);
  if (needs_type && FindElement(request.elem_type) == nullptr) {
    return absl::StrCat("no padding value is known for element type ",
                        ElemTypeName(request.elem_type));
  }
  if ((!has_pad || request.ones) && request.opset < 8) {
    return absl::StrCat("opset ", request.opset,
                        " has no Expand to build the padding with");
  }
  return std::nullopt;
}

PadAmounts EmitSamePads(Value& x, const SlidingWindow& window, AutoPadMode mode,
                        Rewriter& rewriter) {
  const auto ints = [&](absl::Span<const int64_t> values) {
    return rewriter.Int64s(values);
  };
  const int rank = window.rank();
  std::vector<int64_t> round_up, beyond;
  bool may_be_negative = false;
  for (int i = 0; i < rank; ++i) {
    round_up.push_back(window.strides[i] - 1);
    beyond.push_back(window.extent(i) - window.strides[i]);
    may_be_negative |= beyond.back() < 0;
  }
  Value* shape = rewriter.Emit("Shape", {&x});
  Value* size = rewriter.Emit("Gather", {shape, ints(Range(2, rank))});
  // total = ceil(size / stride) * stride - size + (extent - stride)
  Value* stride = ints(window.strides);
  Value* total = rewriter.Emit("Add", {size, ints(round_up)});
  total = rewriter.Emit("Div", {total, stride});
  total = rewriter.Emit("Mul", {total, stride});
  total = rewriter.Emit("Sub", {total, size});
  total = rewriter.Emit("Add", {total, ints(beyond)});
  Value* two = ints({2});
  if (may_be_negative) {
    Value* magnitude = rewriter.Emit("Abs", {total});
    total = rewriter.Emit("Add", {total, magnitude});
    total = rewriter.Emit("Div", {total, two});
  }
  Value* half = rewriter.Emit("Div", {total, two});
  Value* rest = rewriter.Emit("Sub", {total, half});
  PadAmounts amounts;
  amounts.pads.resize(2 * rank);
  const bool upper = mode == AutoPadMode::kSameUpper;
  amounts.begins = upper ? half : rest;
  amounts.ends = upper ? rest : half;
  return amounts;
}

Value* EmitPadded(Value& x, const PadAmounts& amounts,
                  const PadRequest& request, Rewriter& rewriter) {
  return HasPad(request) ? EmitPadNode(x, amounts, request, rewriter)
                         : EmitBlocks(x, amounts, request, rewriter);
}

Value* EmitOnes(Value& x, int spatial_rank, Rewriter& rewriter) {
  const Element* element = FindElement(x.elem_type());
  Value* one =
      rewriter.Constant(element->type, {}, std::string(element->one), "one");
  Value* shape = rewriter.Emit("Shape", {&x});
  Value* sizes =
      rewriter.Emit("Gather", {shape, rewriter.Int64s(Range(2, spatial_rank))});
  shape =
      rewriter.Emit("Concat", {rewriter.Int64s({1, 1}), sizes}, {{"axis", 0}});
  return rewriter.Emit("Expand", {one, shape}, {}, "ones");
}

std::vector<AttributeInit> AttributesWithout(
    const Node& node, std::initializer_list<absl::string_view> names) {
  std::vector<AttributeInit> kept;
  for (const Attribute* attribute : node.attributes()) {
    const bool dropped = std::any_of(
        names.begin(), names.end(),
        [&](absl::string_view name) { return attribute->name() == name; });
    if (dropped) continue;
    AttributeInit copy(attribute->name(), 0);
    copy.proto = attribute->proto();
    kept.push_back(copy);
  }
  return kept;
}

}  // namespace onnx_legalize
