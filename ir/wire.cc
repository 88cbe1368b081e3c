// SPDX-License-Identifier: Apache-2.0

#include "ir/wire.h"

namespace onnx_legalize {
namespace {

// As deep as protobuf itself follows nested groups.
constexpr int kMaxGroupDepth = 100;
constexpr uint64_t kMaxFieldNumber = (1u << 29) - 1;

bool Skip(absl::string_view* bytes, uint64_t n) {
  if (n > bytes->size()) return false;
  bytes->remove_prefix(n);
  return true;
}

// Skips the content of a field whose tag has been read.
bool SkipContent(absl::string_view* bytes, int number, int type, int depth) {
  uint64_t n;
  switch (type) {
    case kVarint:
      return ConsumeVarint(bytes, &n);
    case kFixed64:
      return Skip(bytes, 8);
    case kFixed32:
      return Skip(bytes, 4);
    case kLengthDelimited:
      return ConsumeVarint(bytes, &n) && Skip(bytes, n);
    case kStartGroup:
      if (depth >= kMaxGroupDepth) return false;
      while (ConsumeVarint(bytes, &n)) {
        const int inner = static_cast<int>(n >> 3);
        if ((n >> 3) == 0 || (n >> 3) > kMaxFieldNumber) return false;
        if ((n & 7) == kEndGroup) return inner == number;
        if (!SkipContent(bytes, inner, n & 7, depth + 1)) return false;
      }
      return false;
    default:
      return false;
  }
}

}  // namespace

bool ConsumeVarint(absl::string_view* bytes, uint64_t* value) {
  uint64_t result = 0;
  const size_t limit = bytes->size() < 10 ? bytes->size() : 10;
  for (size_t i = 0; i < limit; ++i) {
    const uint8_t byte = static_cast<uint8_t>((*bytes)[i]);
    result |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes->remove_prefix(i + 1);
      *value = result;
      return true;
    }
  }
  return false;
}

bool WireCursor::Next(WireField* field) {
  if (rest_.empty()) return false;
  absl::string_view bytes = rest_;
  uint64_t tag;
  if (!ConsumeVarint(&bytes, &tag)) return Fail();
  if ((tag >> 3) == 0 || (tag >> 3) > kMaxFieldNumber) return Fail();
  field->number = static_cast<int>(tag >> 3);
  field->type = static_cast<int>(tag & 7);
  if (field->type == kLengthDelimited) {
    uint64_t length;
    if (!ConsumeVarint(&bytes, &length) || length > bytes.size()) return Fail();
    field->content = bytes.substr(0, length);
    bytes.remove_prefix(length);
  } else if (field->type == kVarint) {
    if (!ConsumeVarint(&bytes, &field->varint)) return Fail();
  } else if (!SkipContent(&bytes, field->number, field->type, 0)) {
    return Fail();
  }
  field->record = rest_.substr(0, rest_.size() - bytes.size());
  rest_ = bytes;
  return true;
}

void AppendVarint(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

void AppendLengthHeader(int field_number, uint64_t length, std::string* out) {
  AppendVarint(static_cast<uint64_t>(field_number) << 3 | kLengthDelimited,
               out);
  AppendVarint(length, out);
}

}  // namespace onnx_legalize
