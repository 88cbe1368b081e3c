// SPDX-License-Identifier: Apache-2.0
//
// That reading and writing lose nothing, as one check for tests and fuzzers.

#ifndef ONNX_LEGALIZE_TESTS_ROUND_TRIP_H_
#define ONNX_LEGALIZE_TESTS_ROUND_TRIP_H_

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/message_differencer.h>
#include <onnx/onnx_pb.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/verifier.h"
#include "ir/writer.h"
#include "onnx_legalize/legalize.h"

namespace onnx_legalize {

// What protobuf makes of `bytes`, so that field order and padding don't count
// but unknown fields and the bits of a NaN do. False if it can't parse them.
inline bool Canonicalize(absl::string_view bytes, onnx::ModelProto* proto,
                         std::string* canonical) {
  google::protobuf::io::ArrayInputStream array(bytes.data(),
                                               static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream input(&array);
  input.SetRecursionLimit(1000);
  if (!proto->ParseFromCodedStream(&input)) return false;
  google::protobuf::io::StringOutputStream stream(canonical);
  google::protobuf::io::CodedOutputStream output(&stream);
  output.SetSerializationDeterministic(true);
  return proto->SerializeToCodedStream(&output);
}

// Written unchanged, `model` is the bytes that it was read from; written anew
// from the graph, it is the same message, and stays the same bytes from then
// on. Where protobuf can't parse the model at all there is nothing to compare.
inline absl::Status CheckRoundTrip(const Model& model) {
  if (auto s = Verify(model); !s.ok()) return s;
  auto unchanged = SerializeModel(model);
  if (!unchanged.ok()) return unchanged.status();
  if (*unchanged != model.source()) {
    return absl::InternalError("unchanged, but not the same bytes");
  }
  onnx::ModelProto before, after;
  std::string canonical_before, canonical_after;
  if (!Canonicalize(model.source(), &before, &canonical_before)) {
    return absl::OkStatus();
  }
  const std::string anew = SerializeReencoded(model);
  if (!Canonicalize(anew, &after, &canonical_after)) {
    return absl::InternalError("written anew: protobuf can't parse it");
  }
  // Nodes that stood out of order are written in order.
  const bool reordered = !model.import_notes().empty() &&
                         canonical_before.size() == canonical_after.size();
  if (canonical_before != canonical_after && !reordered) {
    std::string report;
    google::protobuf::util::MessageDifferencer differencer;
    differencer.ReportDifferencesToString(&report);
    differencer.Compare(before, after);
    return absl::InternalError(
        absl::StrCat("written anew, but not the same: ",
                     report.empty() ? "bits of a number" : report));
  }
  auto again = ParseModel(anew, model.directory());
  if (!again.ok()) return again.status();
  if (SerializeReencoded(**again) != anew) {
    return absl::InternalError("written anew twice, but not the same bytes");
  }
  return absl::OkStatus();
}

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_TESTS_ROUND_TRIP_H_
