// SPDX-License-Identifier: Apache-2.0
//
// The graph in memory: Model, Graph, Node, Value, Attribute, Tensor, Function.
//
// A Model owns everything that hangs from it and frees it together. All of the
// classes here are read-only to users: only the Rewriter (rewriter.h) changes a
// model. Strings and tensor payloads are views of the bytes that the model was
// read from (usually a mapped file), which the model keeps alive.
//
// Source: ONNX IR specification (onnx/docs/IR.md), onnx.proto, IR versions
// 3-13.

#ifndef ONNX_LEGALIZE_GRAPH_H_
#define ONNX_LEGALIZE_GRAPH_H_

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnx_legalize {

class Attribute;
class Function;
class Graph;
class Model;
class ModelReader;
class Node;
class Rewriter;
class Tensor;
class Value;

// An operator as a node names it. Interned: two nodes of one model that name
// the same operator share one Operator, so that `&a.op() == &b.op()` compares
// them and `index` addresses tables.
struct Operator {
  std::string domain;    // "" is ai.onnx, which is never written out.
  std::string op_type;   // e.g. "Conv".
  std::string overload;  // Of a model-local function; usually "".
  // The opset version that the node is read at: its scope's import of `domain`,
  // or 0 where the domain isn't imported. The schema in force is the newest
  // whose since_version is not above it.
  int version = 0;
  int index = 0;  // Dense, from 0, in order of first use.
};

// One place that reads a Value: input `index` of `node`, or, where `node` is
// null, output `index` of `graph`. Uses of a value form a doubly linked list.
struct Use {
  Value* value = nullptr;  // Null for an absent optional input.
  Node* node = nullptr;
  Graph* graph = nullptr;
  int index = 0;
  Use* prev = nullptr;
  Use* next = nullptr;
};

// Bytes of the model file that carry a tensor's elements. `field` is the number
// in TensorProto (9 is raw_data). `record` is one record with its tag, or a run
// of records of a field that isn't packed (string_data; old files' *_data):
// then `bytes` is empty. Otherwise `bytes` is the record's content.
struct PayloadSpan {
  int field = 0;
  absl::string_view bytes;
  absl::string_view record;
};

// A dense tensor: an initializer or an attribute's value. Its elements are
// never copied: see tensor_data.h for decoding them.
class Tensor {
 public:
  // Everything of the TensorProto but its elements.
  const onnx::TensorProto& header() const { return *header_; }
  int32_t elem_type() const { return header_->data_type(); }
  int rank() const { return header_->dims_size(); }
  absl::Span<const int64_t> dims() const {
    return absl::MakeConstSpan(header_->dims().data(), header_->dims_size());
  }
  // The product of dims; -1 where a dim is negative or the product overflows.
  int64_t num_elements() const;
  bool is_external() const {
    return header_->data_location() == onnx::TensorProto::EXTERNAL;
  }
  absl::Span<const PayloadSpan> payload() const { return payload_; }
  // Bytes that the elements take in the model file, tags included.
  size_t payload_size() const;

 private:
  friend class ModelReader;
  friend class ModelWriter;
  friend class Model;
  friend class Rewriter;
  onnx::TensorProto* header_ = nullptr;
  std::vector<PayloadSpan> payload_;
  absl::string_view source_;  // The whole TensorProto; empty once dirty.
};

// A named attribute of a node. The proto holds all but tensors and graphs,
// which are objects of this model.
class Attribute {
 public:
  const std::string& name() const { return proto_->name(); }
  onnx::AttributeProto::AttributeType type() const { return proto_->type(); }
  // Inside a function body: the function's attribute whose value this takes.
  const std::string& ref_attr_name() const { return proto_->ref_attr_name(); }
  bool is_reference() const { return !proto_->ref_attr_name().empty(); }
  const onnx::AttributeProto& proto() const { return *proto_; }
  const Tensor* tensor() const {
    return tensors_.empty() ? nullptr : tensors_[0];
  }
  Graph* graph() const { return graphs_.empty() ? nullptr : graphs_[0]; }
  absl::Span<Tensor* const> tensors() const { return tensors_; }
  absl::Span<Graph* const> graphs() const { return graphs_; }

 private:
  friend class ModelReader;
  friend class ModelWriter;
  friend class Rewriter;
  onnx::AttributeProto* proto_ =
      nullptr;                    // Fields t, g, tensors, graphs empty.
  std::vector<Tensor*> tensors_;  // Of t, or of tensors.
  std::vector<Graph*> graphs_;    // Of g, or of graphs.
  absl::string_view record_;      // In NodeProto, with tag; empty once dirty.
};

// A name that carries data: a graph input, an initializer, or a node's output.
class Value {
 public:
  absl::string_view name() const { return name_; }
  Graph* graph() const { return graph_; }       // Where it is defined.
  Node* producer() const { return producer_; }  // Null unless a node makes it.
  int output_index() const { return output_index_; }
  bool IsGraphInput() const { return is_input_; }
  // Listed as an output of a graph, subgraph or function.
  bool IsGraphOutput() const;
  // Named by training info or a quantization annotation: keeps its name and its
  // place even if nothing else reads it.
  bool IsPinned() const { return is_pinned_; }
  // The initializer of this name, overridable or not; else null.
  const Tensor* initializer() const { return initializer_; }
  bool IsSparseInitializer() const { return is_sparse_initializer_; }
  // The initializer where callers can't override it: in IR 3 always, from IR 4
  // on when it isn't also a graph input. (For Constant nodes too:
  // ops/constant.h.)
  const Tensor* ConstantInitializer() const;

  // What is known of the type: declared, inferred, or both. No value case set:
  // nothing is known. For dense and sparse tensors elem_type 0 is unknown, and
  // an absent shape means unknown rank.
  const onnx::TypeProto& type() const;
  // Element type of a dense tensor; 0 (UNDEFINED) if unknown or no tensor.
  int32_t elem_type() const;
  // Rank of a dense tensor; nullopt if unknown or no tensor.
  std::optional<int> rank() const;
  // Dimension `i` (0 <= i < rank) where it is a known number.
  std::optional<int64_t> dim(int i) const;
  // All dimensions, where rank and every dimension are known.
  std::optional<std::vector<int64_t>> static_shape() const;

  // Readers: `for (const Use* u = v.first_use(); u != nullptr; u = u->next)`.
  const Use* first_use() const { return first_use_; }
  bool has_uses() const { return first_use_ != nullptr; }

 private:
  friend class ModelReader;
  friend class ModelWriter;
  friend class Model;
  friend class Graph;
  friend class Rewriter;
  absl::string_view name_;
  Graph* graph_ = nullptr;
  Node* producer_ = nullptr;
  int output_index_ = 0;
  bool is_input_ = false;
  bool is_pinned_ = false;
  bool is_sparse_initializer_ = false;
  bool is_new_ = false;     // Made by a Rewriter; may take a replaced name.
  bool is_erased_ = false;  // No longer in the graph.
  int info_index_ = -1;     // Of its entry in Graph::value_infos_.
  Tensor* initializer_ = nullptr;
  onnx::TypeProto* type_ = nullptr;
  Use* first_use_ = nullptr;
};

// One operator call.
class Node {
 public:
  const Operator& op() const { return *op_; }
  // True for an operator of ai.onnx with this op_type.
  bool Is(absl::string_view op_type) const {
    return op_->domain.empty() && op_->op_type == op_type;
  }
  absl::string_view name() const { return name_; }  // "" if unnamed.
  Graph* graph() const { return graph_; }
  Node* prev() const { return prev_; }
  Node* next() const { return next_; }

  int num_inputs() const { return num_inputs_; }
  // Input `i`; null where it is absent or the node has fewer inputs.
  Value* input(int i) const {
    return i < num_inputs_ ? inputs_[i].value : nullptr;
  }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  // Output `i`; null where it is absent or the node has fewer outputs.
  Value* output(int i) const {
    return i < num_outputs() ? outputs_[i] : nullptr;
  }

  absl::Span<Attribute* const> attributes() const { return attributes_; }
  // The attribute of that name, or null.
  const Attribute* attribute(absl::string_view name) const;
  bool HasAttribute(absl::string_view name) const {
    return attribute(name) != nullptr;
  }
  // Values of attributes, or the default where the attribute is absent. Must
  // not be asked of a reference (see HasAttributeReference).
  int64_t Int(absl::string_view name, int64_t default_value) const;
  float Float(absl::string_view name, float default_value) const;
  std::string String(absl::string_view name,
                     absl::string_view default_value) const;
  std::vector<int64_t> Ints(absl::string_view name) const;  // {} if absent.
  // Inside a function body: some attribute takes its value from the call.
  bool HasAttributeReference() const;

  // "Conv node 'stem/conv'", or, unnamed, "Conv node making 'y'".
  std::string DebugName() const;

 private:
  friend class ModelReader;
  friend class ModelWriter;
  friend class Model;
  friend class Graph;
  friend class Rewriter;
  const Operator* op_ = nullptr;
  absl::string_view name_;
  Graph* graph_ = nullptr;
  Node* prev_ = nullptr;
  Node* next_ = nullptr;
  Use* inputs_ = nullptr;
  int num_inputs_ = 0;
  int position_ = 0;     // In the file, among its graph's nodes.
  bool dirty_ = false;   // Itself or something in its subgraphs has changed.
  bool is_new_ = false;  // Made by a Rewriter.
  std::vector<Value*> outputs_;
  std::vector<Attribute*> attributes_;
  // NodeProto record as read, with tag. For a new node: of the node it
  // replaces, whose doc_string, metadata_props and unknown fields it takes
  // over.
  absl::string_view record_;
};

// What a graph, subgraph or function body declares about a value's type:
// an entry of GraphProto.input, output or value_info.
struct ValueInfo {
  Value* value = nullptr;    // Null for an entry of no value: kept as it is.
  absl::string_view record;  // As read, with tag.
  bool dirty = false;        // Type or name are to be written anew.
};

// A main graph, a subgraph (an attribute of If, Loop, Scan, ...) or the body of
// a function. Nodes stand in topological order.
class Graph {
 public:
  Model& model() const { return *model_; }
  // The node and scope that a subgraph belongs to; null for others.
  Node* owner() const { return owner_; }
  Graph* parent() const { return owner_ ? owner_->graph() : nullptr; }
  // The function whose body this graph is in; null in the main graph.
  Function* function() const { return function_; }
  absl::string_view name() const { return shell_->name(); }

  Node* first_node() const { return first_; }
  Node* last_node() const { return last_; }
  int64_t num_nodes() const { return num_nodes_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  Value* input(int i) const { return inputs_[i].value; }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  Value* output(int i) const { return output_uses_[i]->value; }
  // Values that have an initializer (dense or sparse), in file order.
  absl::Span<Value* const> initializers() const { return initializers_; }
  // What is declared of inputs, outputs and other values, in file order.
  absl::Span<const ValueInfo> input_infos() const { return inputs_; }
  absl::Span<const ValueInfo> output_infos() const { return outputs_; }
  absl::Span<const ValueInfo> value_infos() const { return value_infos_; }
  // The value of that name defined in this graph (not in enclosing ones).
  Value* FindValue(absl::string_view name) const;
  // The version that this scope imports `domain` at; 0 if it doesn't.
  int opset_version(absl::string_view domain) const;
  // Something in it, or in a subgraph below, differs from what was read.
  bool changed() const { return dirty_; }
  // Nodes stood out of order in the file; they are sorted in memory.
  bool was_sorted() const { return was_sorted_; }

 private:
  friend class ModelReader;
  friend class ModelWriter;
  friend class Model;
  friend class Rewriter;
  Model* model_ = nullptr;
  Node* owner_ = nullptr;
  Function* function_ = nullptr;
  onnx::GraphProto* shell_ = nullptr;  // All but what this object holds.
  Node* first_ = nullptr;
  Node* last_ = nullptr;
  int64_t num_nodes_ = 0;
  std::vector<ValueInfo> inputs_;
  std::vector<ValueInfo> outputs_;
  std::vector<Use*> output_uses_;
  std::vector<ValueInfo> value_infos_;
  std::vector<Value*> initializers_;
  // With tag, as read; keyed by the value that the sparse tensor initializes.
  absl::flat_hash_map<const Value*, absl::string_view> sparse_records_;
  absl::flat_hash_map<absl::string_view, Value*> values_;
  bool dirty_ = false;
  bool was_sorted_ = false;
  absl::string_view source_;  // The whole GraphProto as read.
};

// A model-local function.
class Function {
 public:
  absl::string_view name() const { return shell_->name(); }
  absl::string_view domain() const { return shell_->domain(); }
  absl::string_view overload() const { return shell_->overload(); }
  Graph& body() const { return *body_; }
  // All of the FunctionProto but its nodes and value_info.
  const onnx::FunctionProto& header() const { return *shell_; }
  int opset_version(absl::string_view domain) const;  // 0: not imported.

 private:
  friend class ModelReader;
  friend class ModelWriter;
  friend class Model;
  friend class Rewriter;
  onnx::FunctionProto* shell_ = nullptr;
  Graph* body_ = nullptr;
  absl::flat_hash_map<std::string, int> opset_imports_;
  absl::string_view record_;
};

// A model: the main graph, model-local functions, opset imports and all else.
class Model {
 public:
  ~Model();
  Model(const Model&) = delete;
  struct Storage;  // Internal: ir/storage.h.
  Model& operator=(const Model&) = delete;

  Graph& graph() const { return *graph_; }
  int64_t ir_version() const { return shell_->ir_version(); }
  absl::Span<Function* const> functions() const { return functions_; }
  // The model-local function that `op` names, or null.
  Function* FindFunction(const Operator& op) const;
  // All of the ModelProto but the graph and the functions.
  const onnx::ModelProto& header() const { return *shell_; }
  int opset_version(absl::string_view domain) const;  // 0: not imported.
  // Every operator that a node of this model names or named, by
  // Operator::index.
  absl::Span<const Operator* const> operators() const { return operators_; }
  // Folder that external data is relative to; "" is the working directory;
  // nullopt where there is none (the model came from bytes or a pipe).
  const std::optional<std::string>& directory() const { return directory_; }
  // The bytes that the model was read from.
  absl::string_view source() const { return source_; }
  // The model differs from what was read.
  bool changed() const { return changed_; }
  // What the reader had to put right in memory: nodes that stood out of order.
  // (The pass repair-structure makes it last and reports it.)
  absl::Span<const std::string> import_notes() const { return import_notes_; }

 private:
  friend class ModelReader;
  friend class ModelWriter;
  friend class Rewriter;
  Model();
  const Operator* InternOperator(absl::string_view domain,
                                 absl::string_view op_type,
                                 absl::string_view overload, int version);
  absl::string_view Intern(absl::string_view text);  // A copy that lives on.
  std::unique_ptr<Storage> storage_;
  onnx::ModelProto* shell_ = nullptr;
  Graph* graph_ = nullptr;
  std::vector<Function*> functions_;
  std::vector<const Operator*> operators_;
  std::optional<std::string> directory_;
  absl::string_view source_;
  std::vector<std::string> import_notes_;
  bool changed_ = false;
};

// The main graph, every subgraph below it (outer before inner), then each
// function body with its subgraphs.
std::vector<Graph*> AllGraphs(const Model& model);

// `tensor(float)[2,N,?]`, `seq(tensor(int64))`, `unknown`; for messages.
std::string TypeString(const onnx::TypeProto& type);
// `float`, `int64`, `float8e4m3fn`, ...; `undefined`.
std::string ElemTypeName(int32_t elem_type);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_GRAPH_H_
