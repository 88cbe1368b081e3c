// SPDX-License-Identifier: Apache-2.0

#include "passes/declared_type.h"

#include "ir/wire.h"

namespace onnx_legalize {

onnx::TypeProto DeclaredType(const ValueInfo& info) {
  if (info.dirty && info.value != nullptr &&
      info.value->type().value_case() != onnx::TypeProto::VALUE_NOT_SET) {
    return info.value->type();
  }
  WireField record;
  onnx::ValueInfoProto proto;
  if (WireCursor(info.record).Next(&record)) {
    proto.ParseFromArray(record.content.data(),
                         static_cast<int>(record.content.size()));
  }
  return proto.type();
}

}  // namespace onnx_legalize
