// SPDX-License-Identifier: Apache-2.0
//
// External data: tensors whose elements lie in other files, named relative to
// the model's folder. Source: onnx/docs/ExternalData.md.

#ifndef ONNX_LEGALIZE_IR_EXTERNAL_DATA_H_
#define ONNX_LEGALIZE_IR_EXTERNAL_DATA_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/storage.h"

namespace onnx_legalize {

// The `location` entry; "" if there is none.
std::string ExternalLocation(const onnx::TensorProto& tensor);

// Appends the tensors with external data that the proto holds at any depth.
void CollectExternalTensors(const onnx::AttributeProto& attribute,
                            std::vector<const onnx::TensorProto*>* tensors);
void CollectExternalTensors(const onnx::GraphProto& graph,
                            std::vector<const onnx::TensorProto*>* tensors);

// All tensors of the model with external data, and the files that tensors name.
std::vector<const onnx::TensorProto*> ExternalTensors(
    const Model::Storage& storage);
std::set<std::string> LocationsOf(
    const std::vector<const onnx::TensorProto*>& tensors);

// Every location must lie in the model's folder (by its name, and by where its
// symlinks lead unless allowed), exist, and hold the bytes asked for.
absl::Status CheckExternalData(const Model::Storage& storage,
                               const std::optional<std::string>& directory,
                               bool allow_symlinks);

// Old location -> the one to write, for those that change.
using Relocations = absl::flat_hash_map<std::string, std::string>;

// Brings external files to `output`'s folder, where it isn't the model's own,
// and says which had to be named anew because another file has the name. Where
// `output` is a device or a pipe there is no such folder, and they stay.
// Appends what it created to `created`.
absl::StatusOr<Relocations> BringExternalData(
    const Model::Storage& storage, const std::string& directory,
    const std::string& output, std::vector<std::string>* created);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_IR_EXTERNAL_DATA_H_
