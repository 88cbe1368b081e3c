// SPDX-License-Identifier: Apache-2.0
//
// ModelReader: from bytes to a Model. Internal to ir/.
//
// Messages that hold nodes, tensors or graphs are walked by hand: what is kept
// as an object is split off, and the rest (names, metadata, unknown fields) is
// parsed by protobuf as the message's "shell". Tensor elements are never
// copied.

#ifndef ONNX_LEGALIZE_IR_READER_H_
#define ONNX_LEGALIZE_IR_READER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/storage.h"
#include "ir/wire.h"
#include "onnx_legalize/legalize.h"

namespace onnx_legalize {

class ModelReader {
 public:
  // `where` names the source in messages.
  ModelReader(std::shared_ptr<FileBytes> file, std::string where,
              std::optional<std::string> directory, const ReadOptions& options);
  absl::StatusOr<std::unique_ptr<Model>> Read();

  static absl::StatusOr<std::unique_ptr<Model>> Reread(const Model& model);

  // Reads the nodes of `body` into a new graph that belongs to `model` but is
  // in no place of it yet. Names that the nodes read and don't make are looked
  // up in `bindings`; "" stays absent. Nodes are read at the body's imports.
  static absl::StatusOr<Graph*> ReadNodes(
      Model& model, const onnx::FunctionProto& body,
      const absl::flat_hash_map<std::string, Value*>& bindings);

 private:
  // For ReadNodes: adds to a model that there is.
  ModelReader(Model& model, std::string where);
  // Graphs that a name is looked up in, innermost first.
  struct Scope {
    Graph* graph;
    const Scope* outer;  // Null in a main graph and a function body.
    Node* owner;         // The node in `outer->graph` that holds `graph`.
  };
  // The records of a graph or function body, by kind.
  struct Records {
    std::vector<WireField> nodes, initializers, sparse_initializers, inputs,
        outputs, value_infos;
  };
  using FieldFn = std::function<absl::Status(const WireField&)>;

  // reader.cc
  absl::Status ReadModelProto();
  absl::Status ReadFunction(absl::string_view content, Function* function);
  absl::Status ReadFunctionShell(absl::string_view content, Function* function,
                                 Records* records);
  absl::Status SetOpsetImports();
  absl::Status CheckFunctionNames() const;
  absl::Status PinNames();
  absl::Status Error(absl::string_view text) const;
  absl::Status Malformed(const char* position) const;
  absl::Status ForEachField(absl::string_view message, const FieldFn& fn) const;
  template <typename Proto>
  absl::Status ParseLeaf(absl::string_view bytes, Proto* proto) const;

  // graph_reader.cc: graphs and their signatures
  absl::Status ReadGraph(absl::string_view content, Graph* graph,
                         const Scope* outer, Node* owner, int depth);
  absl::Status ReadBody(const Records& records, const Scope& scope, int depth);
  absl::Status ReadInputs(const Records& records, Graph* graph);
  absl::Status ReadInitializers(const Records& records, Graph* graph);
  absl::Status ReadOutputs(const Records& records, const Scope& scope);
  absl::Status ReadValueInfos(const Records& records, Graph* graph);
  absl::Status ReadValueInfo(const WireField& record, ValueInfo* info,
                             std::string* name, onnx::TypeProto** type);
  absl::Status DefineValue(absl::string_view name, Graph* graph, Value** value);
  absl::Status AddOutput(absl::string_view name, const Scope& scope,
                         const ValueInfo& info);

  // node_reader.cc: nodes, attributes, tensors
  absl::Status ReadNodeHead(const WireField& record, Graph* graph,
                            std::vector<absl::string_view>* inputs);
  absl::Status ResolveInputs(Node* node, absl::Span<const absl::string_view>,
                             const Scope& scope);
  absl::Status ReadAttributes(Node* node, const Scope& scope, int depth);
  absl::Status ReadAttribute(const WireField& record, Node* node,
                             const Scope& scope, int depth);
  absl::Status ReadSparseTensor(absl::string_view content,
                                absl::string_view* name);
  absl::Status ReadTensor(absl::string_view content, Tensor* tensor);
  // The same for a tensor that the model keeps.
  absl::Status ReadOwnedTensor(absl::string_view content, Tensor* tensor);
  Value* Resolve(absl::string_view name, const Scope& scope);
  void LinkUse(Use* use, Value* value);

  // topological_sort.cc
  absl::Status SortNodes(Graph* graph);
  template <typename Fn>
  void ForEachProducer(const Graph* graph, const Node* node, Fn fn);

  std::unique_ptr<Model> owned_;  // Null for ReadNodes.
  Model* model_;
  Model::Storage* storage_;
  std::string where_;
  ReadOptions options_;
  onnx::NodeProto scratch_node_;
  // Nodes whose subgraphs read values of the node's own graph: their producers.
  absl::flat_hash_map<const Node*, std::vector<Node*>> captures_;
};

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_IR_READER_H_
