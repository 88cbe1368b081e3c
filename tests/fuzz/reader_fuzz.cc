// SPDX-License-Identifier: Apache-2.0
//
// Any bytes at all: reading gives a model or an error, and of a model nothing
// is lost (round_trip.h).

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto model = onnx_legalize::ParseModel(
      std::string(reinterpret_cast<const char*>(data), size));
  if (!model.ok()) return 0;
  const absl::Status status = onnx_legalize::CheckRoundTrip(**model);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::abort();
  }
  return 0;
}
