// SPDX-License-Identifier: Apache-2.0
//
// Bringing external data along to where the model is written.

#include <set>

#include "absl/strings/str_cat.h"
#include "ir/external_data.h"

namespace onnx_legalize {
namespace {

// Both name one place, whether there is a file or not.
bool SamePlace(const std::string& a, const std::string& b) {
  const auto name = [](const std::string& path) {
    return path.substr(path.rfind('/') + 1);  // npos + 1 is 0.
  };
  const auto folder = [](const std::string& path) {
    const std::string directory = DirectoryOf(path);
    return directory.empty() ? std::string(".") : directory;
  };
  return SameFile(a, b) ||
         (name(a) == name(b) && SameFile(folder(a), folder(b)));
}

// A name for `location` that doesn't exist beside `output` yet.
std::string FreeLocation(const std::string& location,
                         const std::string& output) {
  const std::string folder = DirectoryOf(location);
  const std::string file =
      location.substr(folder.empty() ? 0 : folder.size() + 1);
  const size_t slash = output.rfind('/');
  const std::string model =
      output.substr(slash == std::string::npos ? 0 : slash + 1);
  for (int i = 0;; ++i) {
    const std::string name = JoinPath(
        folder,
        absl::StrCat(model, ".", i == 0 ? "" : absl::StrCat(i, "."), file));
    if (!Exists(JoinPath(DirectoryOf(output), name))) return name;
  }
}

}  // namespace

absl::StatusOr<Relocations> BringExternalData(
    const Model::Storage& storage, const std::string& directory,
    const std::string& output, std::vector<std::string>* created) {
  Relocations relocations;
  const std::set<std::string> locations = LocationsOf(ExternalTensors(storage));
  if (IsDeviceOrPipe(output)) return relocations;
  for (const std::string& location : locations) {
    if (SamePlace(output, JoinPath(directory, location))) {
      return absl::InvalidArgumentError(absl::StrCat(
          "can't write ", output, ": the model's own weights lie there"));
    }
  }
  const std::string folder = DirectoryOf(output);
  if (SameFile(directory.empty() ? "." : directory,
               folder.empty() ? "." : folder)) {
    return relocations;
  }
  if (!locations.empty() && !folder.empty() && !Exists(folder)) {
    return absl::NotFoundError(
        absl::StrCat("can't write ", output, ": there is no folder ", folder));
  }
  const std::set<std::string> fixed =
      LocationsOf(storage.fixed_external_tensors);
  for (const std::string& location : locations) {
    const std::string from = JoinPath(directory, location);
    std::string to = JoinPath(folder, location);
    if (Exists(to) || SamePlace(to, output)) {
      if (!SamePlace(to, output) && SameContent(from, to)) continue;
      if (fixed.count(location) > 0) {
        return absl::AlreadyExistsError(absl::StrCat(
            to,
            " exists already, with other content than the model's external "
            "data; write the model to another folder"));
      }
      const std::string name = FreeLocation(location, output);
      relocations[location] = name;
      to = JoinPath(folder, name);
    }
    if (auto s = CopyFileTo(from, to); !s.ok()) return s;
    created->push_back(to);
  }
  return relocations;
}

}  // namespace onnx_legalize
