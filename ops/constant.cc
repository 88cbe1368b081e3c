// SPDX-License-Identifier: Apache-2.0

#include "ops/constant.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "ir/element_bits.h"
#include "ops/float_bits.h"
#include "ops/tensor_proto.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

// One value of a typed field, cut to the element's width.
template <typename T>
void AppendLittleEndian(T value, int bytes, std::string* raw) {
  char buffer[sizeof(T)];
  std::memcpy(buffer, &value, sizeof(T));
  raw->append(buffer, bytes);
}

template <typename Field>
std::string FieldElements(const Field& field, int bytes) {
  std::string raw;
  raw.reserve(field.size() * bytes);
  for (const auto value : field) AppendLittleEndian(value, bytes, &raw);
  return raw;
}

// From the field that onnx.proto prescribes for the element type.
std::string TypedElements(const TensorProto& proto) {
  switch (proto.data_type()) {
    case TensorProto::FLOAT:
    case TensorProto::COMPLEX64:
      return FieldElements(proto.float_data(), 4);
    case TensorProto::DOUBLE:
    case TensorProto::COMPLEX128:
      return FieldElements(proto.double_data(), 8);
    case TensorProto::INT64:
      return FieldElements(proto.int64_data(), 8);
    case TensorProto::UINT32:
      return FieldElements(proto.uint64_data(), 4);
    case TensorProto::UINT64:
      return FieldElements(proto.uint64_data(), 8);
    default: {
      // int32_data; elements narrower than a byte are packed as in raw_data.
      const int bits = ElementBits(proto.data_type());
      return FieldElements(proto.int32_data(), bits < 8 ? 1 : bits / 8);
    }
  }
}

int64_t DecodeInteger(const char* bytes, int32_t elem_type) {
  const auto as = [bytes](auto value) {
    std::memcpy(&value, bytes, sizeof(value));
    return static_cast<int64_t>(value);
  };
  switch (elem_type) {
    case TensorProto::BOOL:
      return *bytes != 0 ? 1 : 0;
    case TensorProto::INT8:
      return as(int8_t{});
    case TensorProto::UINT8:
      return as(uint8_t{});
    case TensorProto::INT16:
      return as(int16_t{});
    case TensorProto::UINT16:
      return as(uint16_t{});
    case TensorProto::INT32:
      return as(int32_t{});
    case TensorProto::UINT32:
      return as(uint32_t{});
    default:
      return as(int64_t{});
  }
}

bool IsInteger(int32_t elem_type) {
  switch (elem_type) {
    case TensorProto::BOOL:
    case TensorProto::INT8:
    case TensorProto::UINT8:
    case TensorProto::INT16:
    case TensorProto::UINT16:
    case TensorProto::INT32:
    case TensorProto::UINT32:
    case TensorProto::INT64:
      return true;
    default:
      return false;  // uint64 may not fit.
  }
}

bool IsConstantNode(const Value& value) {
  return value.producer() != nullptr && value.producer()->Is("Constant") &&
         value.output_index() == 0 &&
         !value.producer()->HasAttributeReference();
}

}  // namespace

const Tensor* ConstantTensor(const Value& value) {
  if (const Tensor* tensor = value.ConstantInitializer()) return tensor;
  if (!IsConstantNode(value)) return nullptr;
  const Attribute* attribute = value.producer()->attribute("value");
  return attribute != nullptr ? attribute->tensor() : nullptr;
}

std::optional<std::vector<int64_t>> IntegerElements(const Tensor& tensor,
                                                    int64_t max_elements) {
  const int64_t count = tensor.num_elements();
  if (!IsInteger(tensor.elem_type()) || count < 0 || count > max_elements) {
    return std::nullopt;
  }
  const absl::StatusOr<std::string> raw = RawElements(tensor);
  if (!raw.ok()) return std::nullopt;
  const int bytes = ElementBits(tensor.elem_type()) / 8;
  std::vector<int64_t> ints(count);
  for (int64_t i = 0; i < count; ++i) {
    ints[i] = DecodeInteger(raw->data() + i * bytes, tensor.elem_type());
  }
  return ints;
}

std::optional<std::vector<double>> FloatElements(const Tensor& tensor,
                                                 int64_t max_elements) {
  if (auto ints = IntegerElements(tensor, max_elements)) {
    return std::vector<double>(ints->begin(), ints->end());
  }
  const int32_t type = tensor.elem_type();
  const int64_t count = tensor.num_elements();
  if ((type != TensorProto::FLOAT && type != TensorProto::DOUBLE &&
       type != TensorProto::FLOAT16 && type != TensorProto::BFLOAT16) ||
      count < 0 || count > max_elements) {
    return std::nullopt;
  }
  const absl::StatusOr<std::string> raw = RawElements(tensor);
  if (!raw.ok()) return std::nullopt;
  const auto read = [&](int64_t i, auto element) {
    std::memcpy(&element, raw->data() + i * sizeof(element), sizeof(element));
    return element;
  };
  std::vector<double> values(count);
  for (int64_t i = 0; i < count; ++i) {
    values[i] = type == TensorProto::FLOAT    ? read(i, float{})
                : type == TensorProto::DOUBLE ? read(i, double{})
                : type == TensorProto::FLOAT16
                    ? HalfToFloat(read(i, uint16_t{}))
                    : Bfloat16ToFloat(read(i, uint16_t{}));
  }
  return values;
}

std::optional<std::vector<int64_t>> ConstantInts(const Value& value,
                                                 int64_t max_elements) {
  if (const Tensor* tensor = ConstantTensor(value)) {
    return IntegerElements(*tensor, max_elements);
  }
  if (!IsConstantNode(value)) return std::nullopt;
  const Node& node = *value.producer();
  if (const Attribute* a = node.attribute("value_int")) {
    return std::vector<int64_t>{a->proto().i()};
  }
  if (node.HasAttribute("value_ints")) {
    std::vector<int64_t> ints = node.Ints("value_ints");
    if (static_cast<int64_t>(ints.size()) <= max_elements) return ints;
  }
  return std::nullopt;
}

absl::StatusOr<std::string> RawElements(const Tensor& tensor) {
  const int bits = ElementBits(tensor.elem_type());
  const int64_t count = tensor.num_elements();
  if (bits == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("elements of type ", ElemTypeName(tensor.elem_type()),
                     " have no bytes"));
  }
  if (tensor.is_external()) {
    return absl::InvalidArgumentError("the elements are in another file");
  }
  int64_t size = 0;
  if (count < 0 || __builtin_mul_overflow(count, bits, &size)) {
    return absl::InvalidArgumentError("the tensor's dims are no size");
  }
  size = (size + 7) / 8;
  const auto mismatch = [&] {
    return absl::InvalidArgumentError(absl::StrCat(
        "the payload doesn't fit the tensor's ", count, " elements"));
  };
  for (const PayloadSpan& span : tensor.payload()) {
    if (span.field != TensorProto::kRawDataFieldNumber) continue;
    if (static_cast<int64_t>(span.bytes.size()) != size) return mismatch();
    return std::string(span.bytes);
  }
  std::string payload;
  for (const PayloadSpan& span : tensor.payload()) {
    payload.append(span.record.data(), span.record.size());
  }
  TensorProto proto;
  if (!proto.ParseFromString(payload)) return mismatch();
  proto.set_data_type(tensor.elem_type());
  std::string raw = TypedElements(proto);
  if (static_cast<int64_t>(raw.size()) != size) return mismatch();
  return raw;
}

}  // namespace onnx_legalize
