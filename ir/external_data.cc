// SPDX-License-Identifier: Apache-2.0

#include "ir/external_data.h"

#include <limits>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/element_bits.h"

namespace onnx_legalize {
namespace {

std::string Entry(const onnx::TensorProto& tensor, absl::string_view key) {
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == key) return entry.value();
  }
  return "";
}

// Readers of a key that is given twice don't agree on which one counts.
absl::Status CheckKeysOnce(const onnx::TensorProto& tensor) {
  std::set<std::string> keys;
  for (const auto& entry : tensor.external_data()) {
    if (!keys.insert(entry.key()).second) {
      return absl::InvalidArgumentError(absl::StrCat("tensor '", tensor.name(),
                                                     "': external data gives '",
                                                     entry.key(), "' twice"));
    }
  }
  return absl::OkStatus();
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

// Bytes that the tensor's elements take; more than any file has where that is
// beyond 64 bits.
uint64_t ElementBytes(const onnx::TensorProto& tensor) {
  uint64_t bits = ElementBits(tensor.data_type());
  for (int64_t dim : tensor.dims()) {
    if (dim < 0 ||
        __builtin_mul_overflow(bits, static_cast<uint64_t>(dim), &bits)) {
      return std::numeric_limits<uint64_t>::max();
    }
  }
  return bits / 8 + (bits % 8 != 0);
}

// The elements must lie within the file: all of the range from `offset` on that
// `length`, or else the tensor's shape, gives.
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
  if (Entry(tensor, keys[1]).empty()) range[1] = ElementBytes(tensor);
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

void CollectOne(const onnx::TensorProto& tensor,
                std::vector<const onnx::TensorProto*>* tensors) {
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    tensors->push_back(&tensor);
  }
}

void CollectSparse(const onnx::SparseTensorProto& sparse,
                   std::vector<const onnx::TensorProto*>* tensors) {
  CollectOne(sparse.values(), tensors);
  CollectOne(sparse.indices(), tensors);
}

}  // namespace

std::string ExternalLocation(const onnx::TensorProto& tensor) {
  return Entry(tensor, "location");
}

void CollectExternalTensors(const onnx::AttributeProto& attribute,
                            std::vector<const onnx::TensorProto*>* tensors) {
  if (attribute.has_t()) CollectOne(attribute.t(), tensors);
  for (const auto& t : attribute.tensors()) CollectOne(t, tensors);
  if (attribute.has_sparse_tensor()) {
    CollectSparse(attribute.sparse_tensor(), tensors);
  }
  for (const auto& t : attribute.sparse_tensors()) CollectSparse(t, tensors);
  if (attribute.has_g()) CollectExternalTensors(attribute.g(), tensors);
  for (const auto& g : attribute.graphs()) CollectExternalTensors(g, tensors);
}

void CollectExternalTensors(const onnx::GraphProto& graph,
                            std::vector<const onnx::TensorProto*>* tensors) {
  for (const auto& t : graph.initializer()) CollectOne(t, tensors);
  for (const auto& t : graph.sparse_initializer()) CollectSparse(t, tensors);
  for (const auto& node : graph.node()) {
    for (const auto& attribute : node.attribute()) {
      CollectExternalTensors(attribute, tensors);
    }
  }
}

std::vector<const onnx::TensorProto*> ExternalTensors(
    const Model::Storage& storage) {
  std::vector<const onnx::TensorProto*> tensors =
      storage.fixed_external_tensors;
  for (const Tensor* tensor : storage.external_tensors) {
    tensors.push_back(&tensor->header());
  }
  return tensors;
}

std::set<std::string> LocationsOf(
    const std::vector<const onnx::TensorProto*>& tensors) {
  std::set<std::string> locations;
  for (const onnx::TensorProto* tensor : tensors) {
    locations.insert(ExternalLocation(*tensor));
  }
  return locations;
}

absl::Status CheckExternalData(const Model::Storage& storage,
                               const std::optional<std::string>& directory,
                               bool allow_symlinks) {
  const auto tensors = ExternalTensors(storage);
  const std::set<std::string> locations = LocationsOf(tensors);
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
  for (const onnx::TensorProto* tensor : tensors) {
    if (auto s = CheckKeysOnce(*tensor); !s.ok()) return s;
    if (auto s = CheckRange(*tensor, *directory); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace onnx_legalize
