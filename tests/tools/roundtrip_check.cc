// SPDX-License-Identifier: Apache-2.0
//
// roundtrip_check PATH...: reads each model (a folder stands for the *.onnx
// files below it) and checks that reading and writing lose nothing
// (round_trip.h). Prints a line for each fault, and a count; exits 1 if there
// was a fault.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/round_trip.h"

namespace onnx_legalize {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> FilesOf(int argc, char** argv) {
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      files.push_back(argv[i]);
      continue;
    }
    const size_t first = files.size();
    for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
      if (entry.path().extension() == ".onnx") files.push_back(entry.path());
    }
    std::sort(files.begin() + first, files.end());
  }
  return files;
}

int Main(int argc, char** argv) {
  const std::vector<std::string> files = FilesOf(argc, argv);
  int faults = 0;
  for (const std::string& file : files) {
    auto model = ReadModel(file);
    const absl::Status status =
        model.ok() ? CheckRoundTrip(**model) : model.status();
    if (status.ok()) continue;
    ++faults;
    std::printf("%s: %s\n", file.c_str(), status.ToString().c_str());
  }
  std::printf("%zu models, %d faults\n", files.size(), faults);
  return faults > 0 || files.empty() ? 1 : 0;
}

}  // namespace
}  // namespace onnx_legalize

int main(int argc, char** argv) { return onnx_legalize::Main(argc, argv); }
