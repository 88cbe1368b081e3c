// SPDX-License-Identifier: Apache-2.0
//
// Protobuf's wire format, as far as the reader and the writer walk it by hand.
// Source: protobuf "Encoding" documentation.

#ifndef ONNX_LEGALIZE_IR_WIRE_H_
#define ONNX_LEGALIZE_IR_WIRE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace onnx_legalize {

enum WireType {
  kVarint = 0,
  kFixed64 = 1,
  kLengthDelimited = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

struct WireField {
  int number = 0;
  int type = kVarint;
  uint64_t varint = 0;        // Of a varint field.
  absl::string_view content;  // Of a length-delimited field.
  absl::string_view record;   // Tag and all.
};

// Steps through the fields of one message.
class WireCursor {
 public:
  explicit WireCursor(absl::string_view message) : rest_(message) {}
  // False at the end and at a fault; tell them apart by ok().
  bool Next(WireField* field);
  bool ok() const { return ok_; }
  // Where the walk has come to (at a fault: the record at fault).
  const char* position() const { return rest_.data(); }

 private:
  bool Fail() {
    ok_ = false;
    return false;
  }
  absl::string_view rest_;
  bool ok_ = true;
};

// Reads a varint off the front of `bytes`; false where there is none.
bool ConsumeVarint(absl::string_view* bytes, uint64_t* value);
void AppendVarint(uint64_t value, std::string* out);
// Tag and length of a length-delimited field.
void AppendLengthHeader(int field_number, uint64_t length, std::string* out);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_IR_WIRE_H_
