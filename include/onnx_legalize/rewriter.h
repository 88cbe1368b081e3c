// SPDX-License-Identifier: Apache-2.0
//
// Rewriter: the only thing that changes a model.
//
// It keeps use lists, topological order, names, types, metadata and the marks
// of what must be written anew. A pass that replaces a node does, in order:
//
//   rewriter.SetAnchor(node);                       // new nodes stand before
//   it Value* shape = rewriter.Emit("Shape", {x});     // typed at once by
//   inference Value* y = rewriter.Emit("Reshape", {x, shape});
//   rewriter.Replace(node, {y});                    // y takes the output's
//   name
//
// Replace and Erase also remove what they leave without a reader (nodes that
// have no effect of their own, and initializers), so that no debris stays.

#ifndef ONNX_LEGALIZE_REWRITER_H_
#define ONNX_LEGALIZE_REWRITER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_legalize/graph.h"

namespace onnx_legalize {

// What Emit and SetAttribute take: `{"axis", int64_t{1}}` and the like.
struct AttributeInit {
  AttributeInit(absl::string_view name, int64_t value);
  AttributeInit(absl::string_view name, int value)
      : AttributeInit(name, static_cast<int64_t>(value)) {}
  AttributeInit(absl::string_view name, float value);
  AttributeInit(absl::string_view name, const char* value);
  AttributeInit(absl::string_view name, const std::string& value);
  AttributeInit(absl::string_view name, const std::vector<int64_t>& value);
  // A tensor attribute: elements in ONNX's raw_data layout (little endian).
  AttributeInit(absl::string_view name, int32_t elem_type,
                const std::vector<int64_t>& dims, std::string raw);
  explicit AttributeInit(onnx::AttributeProto attribute);
  onnx::AttributeProto proto;
};

// Is told of every change, e.g. to infer the types of new nodes and to visit
// them.
class RewriteListener {
 public:
  virtual ~RewriteListener() = default;
  virtual void NodeInserted(Node& node) = 0;
  // Inputs, attributes or operator have changed.
  virtual void NodeModified(Node& node) = 0;
  // About to go; its memory stays valid until the model is freed.
  virtual void NodeErased(Node& node) = 0;
};

class Rewriter {
 public:
  explicit Rewriter(Model& model, RewriteListener* listener = nullptr)
      : model_(model), listener_(listener) {}
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;

  Model& model() const { return model_; }

  // --- Adding nodes
  // ----------------------------------------------------------- From now on new
  // nodes are inserted before `node`, in its graph, named after it, and take
  // over its doc_string and metadata_props.
  void SetAnchor(Node& node);
  // From now on new nodes are inserted at the front of `graph`, named after
  // `name`.
  void SetAnchorAtFront(Graph& graph, absl::string_view name);

  // The same at the end of `graph`, where all of its values are defined.
  void SetAnchorAtEnd(Graph& graph, absl::string_view name);

  // Inserts a node of ai.onnx, at the opset version of the scope, with one
  // output, and returns that output. Absent optional inputs are null; trailing
  // ones are left out. `hint` goes into names; "" means the op_type.
  Value* Emit(absl::string_view op_type, absl::Span<Value* const> inputs,
              absl::Span<const AttributeInit> attributes = {},
              absl::string_view hint = "");
  // The same with `num_outputs` outputs (>= 1), in any domain that the scope
  // imports; returns the node.
  Node* EmitNode(absl::string_view domain, absl::string_view op_type,
                 absl::Span<Value* const> inputs, int num_outputs,
                 absl::Span<const AttributeInit> attributes = {},
                 absl::string_view hint = "");
  // Inserts the nodes of `body`, subgraphs included, read at the body's opset
  // imports, and returns its outputs, null where it makes none of that name.
  // `inputs` are for the body's parameters;
  // those that are null or missing are absent. No attribute may be a reference.
  absl::StatusOr<std::vector<Value*>> EmitBody(const onnx::FunctionProto& body,
                                               absl::Span<Value* const> inputs);
  // Constant nodes, which are valid in every IR version, subgraph and function.
  // Only where Constant is too old for the type (all but floats below opset 9),
  // an initializer of the main graph.
  Value* Int64s(absl::Span<const int64_t> values,
                absl::string_view hint = "const");  // [values.size()]
  Value* Int64Scalar(int64_t value, absl::string_view hint = "const");  // []
  // `raw`: elements in ONNX's raw_data layout.
  Value* Constant(int32_t elem_type, absl::Span<const int64_t> dims,
                  std::string raw, absl::string_view hint = "const");

  // --- Changing and removing nodes
  // -------------------------------------------- Puts `replacements` (one an
  // output of `node`; null only where that output is absent or unused) in place
  // of node's outputs, and erases node. A replacement made by this or another
  // Rewriter and not yet in such a place takes over the old output's name,
  // declared type and place among graph outputs; for another value, readers are
  // redirected, and where the old name is public (a graph output) an Identity
  // node keeps it.
  void Replace(Node& node, absl::Span<Value* const> replacements);
  // Erases a node whose outputs nobody reads, and then whatever that leaves
  // without readers among the producers of its inputs (not pinned values).
  void Erase(Node& node);
  // Makes `value`, just emitted, the graph output in `output`'s place, under
  // its name and declared as it is; nodes go on reading `output`, under a new
  // name.
  void ReplaceAsGraphOutput(Value& output, Value& value);
  // Redirects readers and graph outputs of `from` to `to`. Outputs of a graph
  // keep `from`'s name by an Identity node where `to` can't take it.
  void ReplaceAllUses(Value& from, Value& to);
  // Appends absent inputs where `i` is past the end. The old input is not
  // erased.
  void SetInput(Node& node, int i, Value* value);
  // Adds or replaces an attribute.
  void SetAttribute(Node& node, const AttributeInit& attribute);
  void RemoveAttribute(Node& node, absl::string_view name);
  // Reads the node at another version of its domain (e.g. Squeeze-13 -> 11).
  void SetOperatorVersion(Node& node, int version);
  // The same where only the name of the version differs: the node means at both
  // what it meant, and needn't be written anew.
  void RelabelOperator(Node& node, int version);
  void Rename(Node& node, absl::string_view name);
  // Erases nodes and initializers that `value`'s last reader has left behind:
  // no-op if it has uses, is an input, or is pinned.
  void EraseIfUnused(Value& value);

  // --- Values and signatures
  // -------------------------------------------------- Records what is known of
  // the type, without changing what will be written.
  void SetKnownType(Value& value, const onnx::TypeProto& type);
  // Writes the known type as the declared one (input, output or value_info).
  void DeclareType(Value& value);
  // Renames a value; `name` must be free (see UniqueValueName).
  void Rename(Value& value, absl::string_view name);
  // Takes an input out of the graph's signature: it must have no uses and no
  // initializer left.
  void RemoveGraphInput(Graph& graph, Value& input);
  // Takes an input, and its default value if it has one, out of the signature;
  // `value`, made by a Rewriter, takes over its name, readers and places among
  // graph outputs.
  void ReplaceGraphInput(Graph& graph, Value& input, Value& value);
  // Drops the initializer of a value without uses; with RemoveGraphInput's help
  // if it is an input too.
  void RemoveInitializer(Value& value);
  // Marks the graph to be written in the order that its nodes have in memory.
  void MarkChanged(Graph& graph);
  // Moves `node` before `position` (same graph).
  void MoveBefore(Node& node, Node& position);

  // --- The model itself
  // --------------------------------------------------
  // Imports `domain` at `version`, or, at 0, not at all. Of the model, not of
  // functions; nodes keep the versions that they are read at.
  void SetOpsetVersion(absl::string_view domain, int version);
  // Takes out imports of domains that no node is of, ai.onnx apart.
  void DropUnusedOpsetImports();
  void SetIrVersion(int64_t version);
  // Removes a function that no node calls.
  void RemoveFunction(Function& function);

  // A name made from `base` that no value of the model has yet.
  std::string UniqueValueName(absl::string_view base);
  std::string UniqueNodeName(absl::string_view base);

 private:
  void InsertBefore(Node& node, Node* position);  // Null: at the end.
  void Unlink(Node& node);
  static void Link(Use& use, Value& value);
  static void Unlink(Use& use);
  void ResizeInputs(Node& node, int count);
  void PutAttribute(Node& node, const AttributeInit& init);
  void Adopt(Node& node, absl::string_view base);
  void AdoptSubgraphs(Node& node, absl::string_view base);
  Tensor* NewTensor(const onnx::TensorProto& proto);
  Value* AddInitializer(const onnx::TensorProto& proto, absl::string_view hint);
  void MarkChanged(Node& node);
  void NotifyModified(Node& node);

  bool CanTakeName(const Value& value, const Value& old) const;
  void TakeName(Value& value, Value& old);
  void MoveUses(Value& from, Value& to);
  void KeepNameByIdentity(Value& from, Value& to);
  void Remove(Node& node, std::vector<Value*>* candidates);
  void Detach(Node& node, std::vector<Value*>* candidates);
  void Forget(Value& value);

  void IndexNames();
  std::string Unique(absl::string_view base,
                     const absl::flat_hash_set<absl::string_view>& taken,
                     absl::flat_hash_map<std::string, int>* counters);
  absl::string_view ClaimValueName(absl::string_view base);
  absl::string_view ClaimNodeName(absl::string_view base);

  Model& model_;
  RewriteListener* listener_;
  Graph* anchor_graph_ = nullptr;
  Node* anchor_ = nullptr;
  std::string anchor_name_;
  absl::string_view anchor_record_;
};

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_REWRITER_H_
