// SPDX-License-Identifier: Apache-2.0

#include "ir/writer.h"

#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/external_data.h"
#include "ir/storage.h"
#include "ir/wire.h"
#include "onnx_legalize/legalize.h"

namespace onnx_legalize {

// Builds the plan. One object an output.
class ModelWriter {
 public:
  // `reencode`: splice nothing but tensor elements.
  ModelWriter(const Model& model, const Relocations& relocations, bool reencode)
      : relocations_(relocations), reencode_(reencode) {
    if (!model.changed_ && !reencode) {
      Append(model.source_);
      return;
    }
    AppendShell(*model.shell_);
    size_t graph = Begin();
    WriteGraph(*model.graph_);
    End(graph, kModelGraph);
    for (const Function* function : model.functions_) {
      size_t begin = Begin();
      WriteFunction(*function);
      End(begin, kModelFunctions);
    }
  }

  // A plan of one attribute only.
  ModelWriter(const Attribute& attribute, const Relocations& relocations)
      : relocations_(relocations), reencode_(false) {
    WriteAttribute(attribute);
  }

  // A plan of one function only.
  ModelWriter(const Function& function, const Relocations& relocations)
      : relocations_(relocations), reencode_(false) {
    WriteFunction(function);
  }

  absl::Span<const absl::string_view> pieces() const { return pieces_; }
  static const FileBytes* SourceOf(const Model& model) {
    return model.storage_->file.get();
  }
  static const Model::Storage& StorageOf(const Model& model) {
    return *model.storage_;
  }

 private:
  // Field numbers (onnx.proto).
  static constexpr int kModelGraph = 7;
  static constexpr int kModelFunctions = 25;
  static constexpr int kGraphNode = 1;
  static constexpr int kGraphInitializer = 5;
  static constexpr int kGraphInput = 11;
  static constexpr int kGraphOutput = 12;
  static constexpr int kGraphValueInfo = 13;
  static constexpr int kFunctionNode = 7;
  static constexpr int kFunctionValueInfo = 12;
  static constexpr int kNodeAttribute = 5;
  static constexpr int kAttributeTensor = 5;
  static constexpr int kAttributeGraph = 6;
  static constexpr int kAttributeTensors = 10;
  static constexpr int kAttributeGraphs = 11;

  // Appends bytes that outlive the plan; neighbours in memory become one piece.
  void Append(absl::string_view bytes) {
    if (bytes.empty()) return;
    total_ += bytes.size();
    if (!pieces_.empty() && !pieces_.back().empty() &&
        pieces_.back().data() + pieces_.back().size() == bytes.data()) {
      pieces_.back() = absl::string_view(pieces_.back().data(),
                                         pieces_.back().size() + bytes.size());
    } else {
      pieces_.push_back(bytes);
    }
  }
  void AppendOwned(std::string bytes) {
    owned_.push_back(std::move(bytes));
    Append(owned_.back());
  }
  template <typename Proto>
  void AppendShell(const Proto& proto) {
    AppendOwned(proto.SerializeAsString());
  }

  // A message of yet unknown length: an empty piece stands for its header.
  size_t Begin() {
    starts_.push_back(total_);
    pieces_.emplace_back();
    return pieces_.size() - 1;
  }
  void End(size_t begin, int field_number) {
    std::string header;
    AppendLengthHeader(field_number, total_ - starts_.back(), &header);
    starts_.pop_back();
    total_ += header.size();
    owned_.push_back(std::move(header));
    pieces_[begin] = owned_.back();
  }

  static absl::string_view ContentOf(absl::string_view record) {
    WireField field;
    WireCursor(record).Next(&field);
    return field.content;
  }

  void WriteGraph(const Graph& graph) {
    if (!graph.dirty_ && !reencode_) {
      Append(graph.source_);
      return;
    }
    WriteNodes(graph, kGraphNode);
    AppendShell(*graph.shell_);
    for (const Value* value : graph.initializers_) {
      if (value->is_sparse_initializer_) {
        Append(graph.sparse_records_.at(value));
        continue;
      }
      size_t begin = Begin();
      WriteTensor(*value->initializer_);
      End(begin, kGraphInitializer);
    }
    for (const ValueInfo& info : graph.inputs_) {
      WriteValueInfo(info, kGraphInput);
    }
    for (const ValueInfo& info : graph.outputs_) {
      WriteValueInfo(info, kGraphOutput);
    }
    for (const ValueInfo& info : graph.value_infos_) {
      WriteValueInfo(info, kGraphValueInfo);
    }
  }

  void WriteFunction(const Function& function) {
    if (!function.body_->dirty_ && !reencode_) {
      Append(function.record_);
      return;
    }
    AppendShell(*function.shell_);
    WriteNodes(*function.body_, kFunctionNode);
    for (const ValueInfo& info : function.body_->value_infos_) {
      WriteValueInfo(info, kFunctionValueInfo);
    }
  }

  void WriteNodes(const Graph& graph, int field_number) {
    for (const Node* n = graph.first_; n != nullptr; n = n->next_) {
      if (!n->dirty_ && !reencode_) {
        Append(n->record_);
        continue;
      }
      size_t begin = Begin();
      WriteNode(*n);
      End(begin, field_number);
    }
  }

  void WriteNode(const Node& node) {
    onnx::NodeProto proto;
    FillNodeShell(node, &proto);
    AppendShell(proto);
    for (const Attribute* attribute : node.attributes_) {
      bool clean = !attribute->record_.empty() && !reencode_;
      for (const Graph* graph : attribute->graphs_) clean &= !graph->dirty_;
      if (clean) {
        Append(attribute->record_);
        continue;
      }
      size_t begin = Begin();
      WriteAttribute(*attribute);
      End(begin, kNodeAttribute);
    }
  }

  // A node that was read keeps all that it had; a new one takes over only what
  // describes the node that it stands for.
  static void FillNodeShell(const Node& node, onnx::NodeProto* proto) {
    if (!node.record_.empty()) {
      std::string rest;
      WireCursor cursor(ContentOf(node.record_));
      WireField field;
      while (cursor.Next(&field)) {
        if (field.number == kNodeAttribute && field.type == kLengthDelimited) {
          continue;
        }
        rest.append(field.record.data(), field.record.size());
      }
      proto->ParseFromString(rest);
    }
    if (node.is_new_) {
      onnx::NodeProto kept;
      if (proto->has_doc_string()) kept.set_doc_string(proto->doc_string());
      *kept.mutable_metadata_props() = proto->metadata_props();
      *proto = std::move(kept);
    }
    proto->clear_input();
    for (int i = 0; i < node.num_inputs_; ++i) {
      const Value* value = node.inputs_[i].value;
      const absl::string_view name = value != nullptr ? value->name_ : "";
      proto->add_input(name.data(), name.size());
    }
    proto->clear_output();
    for (const Value* value : node.outputs_) {
      const absl::string_view name = value != nullptr ? value->name_ : "";
      proto->add_output(name.data(), name.size());
    }
    if (proto->name() != node.name_) {
      proto->set_name(node.name_.data(), node.name_.size());
    }
    if (proto->op_type() != node.op_->op_type) {
      proto->set_op_type(node.op_->op_type);
    }
    if (CanonicalDomain(proto->domain()) != node.op_->domain) {
      proto->set_domain(node.op_->domain);
    }
    if (proto->overload() != node.op_->overload) {
      proto->set_overload(node.op_->overload);
    }
  }

  void WriteAttribute(const Attribute& attribute) {
    AppendShell(*attribute.proto_);
    const bool tensors = attribute.type() == onnx::AttributeProto::TENSORS;
    for (const Tensor* tensor : attribute.tensors_) {
      size_t begin = Begin();
      WriteTensor(*tensor);
      End(begin, tensors ? kAttributeTensors : kAttributeTensor);
    }
    const bool graphs = attribute.type() == onnx::AttributeProto::GRAPHS;
    for (const Graph* graph : attribute.graphs_) {
      size_t begin = Begin();
      WriteGraph(*graph);
      End(begin, graphs ? kAttributeGraphs : kAttributeGraph);
    }
  }

  void WriteTensor(const Tensor& tensor) {
    const auto relocated =
        tensor.is_external()
            ? relocations_.find(ExternalLocation(*tensor.header_))
            : relocations_.end();
    if (!tensor.source_.empty() && !reencode_) {
      Append(tensor.source_);
      return;
    }
    if (relocated != relocations_.end()) {
      onnx::TensorProto header = *tensor.header_;
      for (auto& entry : *header.mutable_external_data()) {
        if (entry.key() == "location") entry.set_value(relocated->second);
      }
      AppendShell(header);
    } else {
      AppendShell(*tensor.header_);
    }
    for (const PayloadSpan& span : tensor.payload_) Append(span.record);
  }

  void WriteValueInfo(const ValueInfo& info, int field_number) {
    const Value* value = info.value;
    if (value != nullptr && value->is_erased_) return;
    if (value == nullptr || (!info.dirty && !reencode_)) {
      if (!info.record.empty()) Append(info.record);
      return;
    }
    if (info.record.empty() && !info.dirty) return;  // A function's input.
    onnx::ValueInfoProto proto;
    const absl::string_view content = ContentOf(info.record);
    proto.ParseFromArray(content.data(), static_cast<int>(content.size()));
    if (proto.name() != value->name_) {
      proto.set_name(value->name_.data(), value->name_.size());
    }
    if (info.dirty && value->type_ != nullptr) {
      *proto.mutable_type() = *value->type_;
    }
    size_t begin = Begin();
    AppendShell(proto);
    End(begin, field_number);
  }

  const Relocations& relocations_;
  const bool reencode_;
  std::vector<absl::string_view> pieces_;
  std::deque<std::string> owned_;
  std::vector<size_t> starts_;
  size_t total_ = 0;
};

namespace {

std::string Join(absl::Span<const absl::string_view> pieces) {
  size_t size = 0;
  for (absl::string_view piece : pieces) size += piece.size();
  std::string bytes;
  bytes.reserve(size);
  for (absl::string_view piece : pieces)
    bytes.append(piece.data(), piece.size());
  return bytes;
}

}  // namespace

std::string SerializeReencoded(const Model& model) {
  return Join(ModelWriter(model, {}, true).pieces());
}

absl::StatusOr<std::string> SerializeModel(const Model& model) {
  return Join(ModelWriter(model, {}, false).pieces());
}

onnx::AttributeProto AttributeToProto(const Attribute& attribute) {
  onnx::AttributeProto proto;
  proto.ParseFromString(Join(ModelWriter(attribute, {}).pieces()));
  return proto;
}

onnx::FunctionProto FunctionToProto(const Function& function) {
  onnx::FunctionProto proto;
  proto.ParseFromString(Join(ModelWriter(function, {}).pieces()));
  return proto;
}

absl::Status WriteModelToDescriptor(const Model& model, int fd,
                                    const std::string& name) {
  return WriteToDescriptor(fd, ModelWriter(model, {}, false).pieces(), name);
}

absl::Status WriteModel(const Model& model, const std::string& path) {
  std::vector<std::string> created;
  Relocations relocations;
  absl::Status status;
  if (model.directory()) {
    auto brought = BringExternalData(ModelWriter::StorageOf(model),
                                     *model.directory(), path, &created);
    status = brought.status();
    if (status.ok()) relocations = *std::move(brought);
  }
  if (status.ok()) {
    // Relocated tensors lie anywhere in the tree: encode all of it anew.
    const ModelWriter plan(model, relocations, !relocations.empty());
    status =
        WriteFileAtomically(path, plan.pieces(), ModelWriter::SourceOf(model));
  }
  if (!status.ok()) {
    for (const std::string& file : created) RemoveFile(file);
  }
  return status;
}

}  // namespace onnx_legalize
