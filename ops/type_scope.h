// SPDX-License-Identifier: Apache-2.0
//
// What inference knows while it runs: types and known elements of values. The
// main scope keeps types in the values themselves. A call of a model-local
// function has a scope of its own, since each call may give the body's values
// other types.

#ifndef ONNX_LEGALIZE_OPS_TYPE_SCOPE_H_
#define ONNX_LEGALIZE_OPS_TYPE_SCOPE_H_

#include <memory>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "onnx_legalize/graph.h"
#include "onnx_legalize/rewriter.h"

namespace onnx_legalize {

// An attribute as its node sees it: ours, or a function's default.
struct BoundAttribute {
  const Attribute* ours = nullptr;
  const onnx::AttributeProto* plain = nullptr;
  bool absent() const { return ours == nullptr && plain == nullptr; }
};

class TypeScope {
 public:
  // The main scope; it writes types through `rewriter`.
  explicit TypeScope(Rewriter& rewriter) : rewriter_(&rewriter) {}
  // The scope of `call`, a node in `caller`'s scope, to `function`. Inputs are
  // bound.
  TypeScope(TypeScope& caller, const Node& call, const Function& function);
  TypeScope(const TypeScope&) = delete;
  TypeScope& operator=(const TypeScope&) = delete;

  bool is_call() const { return function_ != nullptr; }
  int depth() const { return depth_; }
  // `function` is being called here or further out.
  bool IsActive(const Function& function) const;

  // Null where nothing is known. Stays valid while the scope lives; what it
  // points to may be refined.
  const onnx::TypeProto* TypeOf(const Value& value) const;
  void SetType(Value& value, const onnx::TypeProto& type);
  // The shape of a dense tensor, or null; of no value, too.
  const onnx::TensorShapeProto* ShapeOf(const Value* value) const;

  // The elements of an integer or bool tensor of rank 0 or 1 as dimensions:
  // numbers, names or unknown. Null where not even their count is known.
  const onnx::TensorShapeProto* ElementsOf(const Value& value);
  // Null takes back what was known. Returns whether that is news.
  bool SetElements(const Value& value, const onnx::TensorShapeProto* elements);

  // The tensor of a small constant, or of elements that are all known; else
  // null.
  const onnx::TensorProto* ConstantOf(const Value& value);

  // A function's parameter that the call leaves out.
  bool IsAbsent(const Value& value) const { return absent_.contains(&value); }

  // Follows references to the call's attributes.
  BoundAttribute Resolve(const Attribute& attribute) const;

  const absl::flat_hash_map<const Value*, std::unique_ptr<onnx::TypeProto>>&
  call_types() const {
    return types_;
  }

 private:
  void BindInputs(const Node& call);
  std::unique_ptr<onnx::TensorProto> MakeConstant(const Value& value);

  Rewriter* rewriter_ = nullptr;  // Of the main scope.
  TypeScope* caller_ = nullptr;
  const Node* call_ = nullptr;
  const Function* function_ = nullptr;
  int depth_ = 0;
  absl::flat_hash_map<const Value*, std::unique_ptr<onnx::TypeProto>> types_;
  absl::flat_hash_map<const Value*, std::unique_ptr<onnx::TensorShapeProto>>
      elements_;
  absl::flat_hash_map<const Value*, std::unique_ptr<onnx::TensorProto>>
      constants_;
  absl::flat_hash_set<const Value*> absent_;
  absl::flat_hash_map<const Value*, const Value*> actuals_;
};

// Elements of an output of this type can be what was propagated: an int64,
// int32 or bool tensor of rank 0 or 1 with as many. Elements that would have
// wrapped around become unknown.
bool FitElements(const onnx::TypeProto* type, onnx::TensorShapeProto* elements);

// All elements as numbers; nullopt where one isn't known.
std::optional<std::vector<int64_t>> Numbers(
    const onnx::TensorShapeProto& elements);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_OPS_TYPE_SCOPE_H_
