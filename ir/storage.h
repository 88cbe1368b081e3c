// SPDX-License-Identifier: Apache-2.0
//
// What a Model owns: the bytes it was read from and all of its objects, whose
// addresses never change and which are freed together.

#ifndef ONNX_LEGALIZE_IR_STORAGE_H_
#define ONNX_LEGALIZE_IR_STORAGE_H_

#include <google/protobuf/arena.h>

#include <deque>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/file_system.h"
#include "onnx_legalize/graph.h"
#include "onnx_legalize/legalize.h"

namespace onnx_legalize {

// "ai.onnx" and "" are one domain.
inline absl::string_view CanonicalDomain(absl::string_view domain) {
  return domain == "ai.onnx" ? absl::string_view() : domain;
}

struct Model::Storage {
  // `count` unlinked uses that stay where they are.
  Use* NewUses(int count) {
    if (count == 0) return nullptr;
    if (use_blocks.empty() || block_left < count) {
      block_left = count > kUseBlock ? count : kUseBlock;
      use_blocks.push_back(std::make_unique<Use[]>(block_left));
      next_use = use_blocks.back().get();
    }
    Use* uses = next_use;
    next_use += count;
    block_left -= count;
    return uses;
  }
  template <typename Proto>
  Proto* NewProto() {
    return google::protobuf::Arena::CreateMessage<Proto>(&arena);
  }
  onnx::TypeProto* NewTypeOf(const Tensor& tensor) {
    auto* type = NewProto<onnx::TypeProto>();
    type->mutable_tensor_type()->set_elem_type(tensor.elem_type());
    auto* shape = type->mutable_tensor_type()->mutable_shape();
    for (int64_t d : tensor.dims()) shape->add_dim()->set_dim_value(d);
    return type;
  }
  template <typename T>
  static T* Append(std::deque<T>& objects) {
    objects.emplace_back();
    return &objects.back();
  }

  static constexpr int kUseBlock = 4096;

  std::shared_ptr<FileBytes> file;  // Shared with models read anew from it.
  std::string where;                // Names the source in messages.
  ReadOptions options;
  google::protobuf::Arena arena;
  std::deque<Node> nodes;
  std::deque<Value> values;
  std::deque<Attribute> attributes;
  std::deque<Tensor> tensors;
  std::deque<Graph> graphs;
  std::deque<Function> functions;
  std::deque<Operator> operators;
  std::deque<std::string> strings;
  std::vector<std::unique_ptr<Use[]>> use_blocks;
  Use* next_use = nullptr;
  int block_left = 0;

  using OperatorKey =
      std::tuple<absl::string_view, absl::string_view, absl::string_view, int>;
  absl::flat_hash_map<OperatorKey, const Operator*> operator_index;
  std::vector<std::pair<std::string, int>> opset_imports;
  // Tensors whose elements lie in other files. Their locations can be
  // rewritten.
  std::vector<Tensor*> external_tensors;
  // The same in what is kept as bytes (sparse tensors, training info, defaults
  // of function attributes), where they can't.
  std::vector<const onnx::TensorProto*> fixed_external_tensors;

  // For unique names; filled when the first one is asked for.
  bool names_indexed = false;
  absl::flat_hash_set<absl::string_view> value_names;
  absl::flat_hash_set<absl::string_view> node_names;
  absl::flat_hash_map<std::string, int> value_name_counters;
  absl::flat_hash_map<std::string, int> node_name_counters;
};

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_IR_STORAGE_H_
