// SPDX-License-Identifier: Apache-2.0
//
// Any model that reads: the default pipeline ends, verifies after every pass,
// and what it writes reads again.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "ir/verifier.h"
#include "onnx_legalize/legalize.h"

namespace onnx_legalize {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

void Run(const std::string& bytes) {
  auto model = ParseModel(bytes);
  if (!model.ok()) return;
  Options options;
  options.verify_each = true;
  auto report = Legalize(*model, options);
  if (!report.ok()) {
    // --verify-each reports a fault of ours as an internal error.
    Require(report.status().code() != absl::StatusCode::kInternal);
    return;
  }
  auto written = SerializeModel(**model);
  Require(written.ok());
  auto again = ParseModel(*written);
  Require(again.ok() && Verify(**again).ok());
  Require((*written == bytes) == !report->changed);
}

}  // namespace
}  // namespace onnx_legalize

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  onnx_legalize::Run(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
