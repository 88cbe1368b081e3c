// SPDX-License-Identifier: Apache-2.0

#include "ir/external_data.h"

#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace onnx_legalize {
namespace {

std::string Entry(const onnx::TensorProto& tensor, absl::string_view key) {
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == key) return entry.value();
  }
  return "";
}

// Refuses a location that by its name alone may leave the folder.
absl::Status CheckLocationName(const std::string& location) {
  const auto refuse = [&](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("external data location '", location, "' ", why,
                     "; it must name a file in the model's folder"));
  };
  if (location.empty()) return refuse("is empty");
  if (location[0] == '/') return refuse("is absolute");
  if (location.find('\0') != std::string::npos) return refuse("holds a NUL");
  for (absl::string_view part : absl::StrSplit(location, '/')) {
    if (part == "..") return refuse("leaves the model's folder");
  }
  return absl::OkStatus();
}

absl::Status CheckFile(const std::string& location,
                       const std::string& directory, bool allow_symlinks) {
  const std::string path = JoinPath(directory, location);
  if (!IsRegularFile(path)) {
    return absl::NotFoundError(
        absl::StrCat("external data file '", path,
                     Exists(path) ? "' is no regular file" : "' does not exist",
                     "; keep it in the model's folder"));
  }
  if (allow_symlinks) return absl::OkStatus();
  auto real_directory = RealPath(directory);
  auto real_path = RealPath(path);
  if (!real_directory.ok()) return real_directory.status();
  if (!real_path.ok()) return real_path.status();
  const std::string inside =
      *real_directory == "/" ? "/" : absl::StrCat(*real_directory, "/");
  if (!absl::StartsWith(*real_path, inside)) {
    return absl::PermissionDeniedError(absl::StrCat(
        "external data file '", path, "' leads out of the model's folder to ",
        *real_path, "; --allow-external-symlinks permits it"));
  }
  return absl::OkStatus();
}

// offset and length, where given, must lie within the file.
absl::Status CheckRange(const onnx::TensorProto& tensor,
                        const std::string& directory) {
  const std::string location = ExternalLocation(tensor);
  uint64_t range[2] = {0, 0};
  const char* const keys[2] = {"offset", "length"};
  for (int i = 0; i < 2; ++i) {
    const std::string text = Entry(tensor, keys[i]);
    if (!text.empty() && !absl::SimpleAtoi(text, &range[i])) {
      return absl::InvalidArgumentError(
          absl::StrCat("tensor '", tensor.name(), "': external data ", keys[i],
                       " '", text, "' is no number"));
    }
  }
  auto size = FileSize(JoinPath(directory, location));
  if (!size.ok()) return size.status();
  if (range[0] > *size || range[1] > *size - range[0]) {
    return absl::OutOfRangeError(absl::StrCat(
        "tensor '", tensor.name(), "' lies at ", range[0], "+", range[1],
        " of external data file '", location, "', which has only ", *size,
        " bytes; is the file truncated?"));
  }
  return absl::OkStatus();
}

std::set<std::string> Locations(const Model::Storage& storage) {
  std::set<std::string> locations(storage.fixed_external_locations.begin(),
                                  storage.fixed_external_locations.end());
  for (const Tensor* tensor : storage.external_tensors) {
    locations.insert(ExternalLocation(tensor->header()));
  }
  return locations;
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

std::string ExternalLocation(const onnx::TensorProto& tensor) {
  return Entry(tensor, "location");
}

absl::Status CheckExternalData(const Model::Storage& storage,
                               const std::optional<std::string>& directory,
                               bool allow_symlinks) {
  const std::set<std::string> locations = Locations(storage);
  if (locations.empty()) return absl::OkStatus();
  if (!directory) {
    return absl::FailedPreconditionError(absl::StrCat(
        "its weights lie in the external file '", *locations.begin(),
        "', which a model from a pipe or from bytes can't name; give the "
        "model's path"));
  }
  for (const std::string& location : locations) {
    if (auto s = CheckLocationName(location); !s.ok()) return s;
    if (auto s = CheckFile(location, *directory, allow_symlinks); !s.ok()) {
      return s;
    }
  }
  for (const Tensor* tensor : storage.external_tensors) {
    if (auto s = CheckRange(tensor->header(), *directory); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::StatusOr<Relocations> BringExternalData(
    const Model::Storage& storage, const std::string& directory,
    const std::string& output, std::vector<std::string>* created) {
  Relocations relocations;
  const std::string folder = DirectoryOf(output);
  if (SameFile(directory.empty() ? "." : directory,
               folder.empty() ? "." : folder)) {
    return relocations;
  }
  if (!folder.empty() && !Exists(folder)) {
    return absl::NotFoundError(
        absl::StrCat("can't write ", output, ": there is no folder ", folder));
  }
  const std::set<std::string> fixed(storage.fixed_external_locations.begin(),
                                    storage.fixed_external_locations.end());
  for (const std::string& location : Locations(storage)) {
    const std::string from = JoinPath(directory, location);
    std::string to = JoinPath(folder, location);
    if (Exists(to)) {
      if (SameContent(from, to)) continue;
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
