// SPDX-License-Identifier: Apache-2.0
//
// Reading a model: the file, ModelProto and FunctionProto.

#include "ir/reader.h"

#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/external_data.h"

namespace onnx_legalize {
namespace {

// Field numbers of ModelProto and FunctionProto (onnx.proto).
constexpr int kModelGraph = 7;
constexpr int kModelFunctions = 25;
constexpr int kFunctionNode = 7;
constexpr int kFunctionValueInfo = 12;

// Calls `fn` with every value name that the graph reads or declares.
void ForEachName(const onnx::GraphProto& graph,
                 const std::function<void(const std::string&)>& fn) {
  for (const auto& v : graph.input()) fn(v.name());
  for (const auto& v : graph.output()) fn(v.name());
  for (const auto& node : graph.node()) {
    for (const auto& name : node.input()) fn(name);
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) ForEachName(attribute.g(), fn);
      for (const auto& g : attribute.graphs()) ForEachName(g, fn);
    }
  }
}

}  // namespace

ModelReader::ModelReader(std::shared_ptr<FileBytes> file, std::string where,
                         std::optional<std::string> directory,
                         const ReadOptions& options)
    : owned_(new Model),
      model_(owned_.get()),
      where_(std::move(where)),
      options_(options) {
  storage_ = model_->storage_.get();
  storage_->file = std::move(file);
  storage_->where = where_;
  storage_->options = options_;
  model_->source_ = storage_->file->bytes();
  model_->directory_ = std::move(directory);
}

ModelReader::ModelReader(Model& model, std::string where)
    : model_(&model),
      storage_(model.storage_.get()),
      where_(std::move(where)) {}

absl::Status ModelReader::Error(absl::string_view text) const {
  return absl::InvalidArgumentError(absl::StrCat(where_, ": ", text));
}

absl::Status ModelReader::Malformed(const char* position) const {
  return Error(absl::StrCat("is no intact ONNX model: malformed at byte ",
                            position - model_->source_.data(), " of ",
                            model_->source_.size(),
                            "; is the file truncated, or of another format?"));
}

absl::Status ModelReader::ForEachField(absl::string_view message,
                                       const FieldFn& fn) const {
  WireCursor cursor(message);
  WireField field;
  while (cursor.Next(&field)) {
    if (auto s = fn(field); !s.ok()) return s;
  }
  return cursor.ok() ? absl::OkStatus() : Malformed(cursor.position());
}

template <typename Proto>
absl::Status ModelReader::ParseLeaf(absl::string_view bytes,
                                    Proto* proto) const {
  if (bytes.size() > std::numeric_limits<int>::max()) {
    return Error("holds more than 2 GiB of metadata");
  }
  if (!proto->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Error(absl::StrCat("is no intact ONNX model: a malformed ",
                              proto->GetTypeName()));
  }
  return absl::OkStatus();
}
template absl::Status ModelReader::ParseLeaf(absl::string_view,
                                             onnx::GraphProto*) const;
template absl::Status ModelReader::ParseLeaf(absl::string_view,
                                             onnx::ValueInfoProto*) const;
template absl::Status ModelReader::ParseLeaf(absl::string_view,
                                             onnx::AttributeProto*) const;
template absl::Status ModelReader::ParseLeaf(absl::string_view,
                                             onnx::TensorProto*) const;
template absl::Status ModelReader::ParseLeaf(absl::string_view,
                                             onnx::SparseTensorProto*) const;
template absl::Status ModelReader::ParseLeaf(absl::string_view,
                                             onnx::NodeProto*) const;

absl::Status ModelReader::SetOpsetImports() {
  for (const auto& import : model_->shell_->opset_import()) {
    const std::string domain(CanonicalDomain(import.domain()));
    const int version = static_cast<int>(import.version());
    if (import.version() < 0 ||
        import.version() > std::numeric_limits<int>::max()) {
      return Error(absl::StrCat("imports opset version ", import.version(),
                                " of domain '", domain, "'"));
    }
    const int known = model_->opset_version(domain);
    if (known != 0 && known != version) {
      return Error(absl::StrCat("imports domain '", import.domain(),
                                "' twice, at versions ", known, " and ",
                                version));
    }
    if (known == 0) storage_->opset_imports.emplace_back(domain, version);
  }
  return absl::OkStatus();
}

absl::Status ModelReader::ReadModelProto() {
  std::string rest;
  std::vector<absl::string_view> graphs, functions;
  if (auto s = ForEachField(
          model_->source_,
          [&](const WireField& field) {
            const bool message = field.type == kLengthDelimited;
            if (message && field.number == kModelGraph) {
              graphs.push_back(field.content);
            } else if (message && field.number == kModelFunctions) {
              functions.push_back(field.content);
            } else {
              rest.append(field.record.data(), field.record.size());
            }
            return absl::OkStatus();
          });
      !s.ok()) {
    return s;
  }
  model_->shell_ = storage_->NewProto<onnx::ModelProto>();
  if (!model_->shell_->ParseFromString(rest)) {
    return Error("is no ONNX model: its header is malformed");
  }
  if (graphs.empty() || model_->shell_->ir_version() == 0) {
    return Error(absl::StrCat("is no ONNX model: it has no ",
                              graphs.empty() ? "graph" : "ir_version"));
  }
  if (graphs.size() > 1) return Error("has more than one graph");
  // There since IR 3; exporters write it last, so that truncated files lack it.
  if (model_->shell_->opset_import().empty() &&
      model_->shell_->ir_version() >= 3) {
    return Error("has no opset_import; is the file truncated?");
  }
  if (auto s = SetOpsetImports(); !s.ok()) return s;
  for (absl::string_view content : functions) {
    Function* function = Model::Storage::Append(storage_->functions);
    model_->functions_.push_back(function);
    if (auto s = ReadFunction(content, function); !s.ok()) return s;
  }
  if (auto s = CheckFunctionNames(); !s.ok()) return s;
  model_->graph_ = Model::Storage::Append(storage_->graphs);
  if (auto s = ReadGraph(graphs[0], model_->graph_, nullptr, nullptr, 0);
      !s.ok()) {
    return s;
  }
  return PinNames();
}

absl::Status ModelReader::CheckFunctionNames() const {
  std::set<std::tuple<absl::string_view, absl::string_view, absl::string_view>>
      seen;
  for (const Function* f : model_->functions_) {
    if (!seen.emplace(f->domain(), f->name(), f->overload()).second) {
      return Error(absl::StrCat("two functions '", f->name(), "' in domain '",
                                f->domain(), "' with overload '", f->overload(),
                                "'"));
    }
  }
  return absl::OkStatus();
}

absl::Status ModelReader::ReadFunctionShell(absl::string_view content,
                                            Function* function,
                                            Records* records) {
  std::string rest;
  if (auto s = ForEachField(
          content,
          [&](const WireField& field) {
            const bool message = field.type == kLengthDelimited;
            if (message && field.number == kFunctionNode) {
              records->nodes.push_back(field);
            } else if (message && field.number == kFunctionValueInfo) {
              records->value_infos.push_back(field);
            } else {
              rest.append(field.record.data(), field.record.size());
            }
            return absl::OkStatus();
          });
      !s.ok()) {
    return s;
  }
  function->shell_ = storage_->NewProto<onnx::FunctionProto>();
  if (!function->shell_->ParseFromString(rest)) {
    return Error("is no intact ONNX model: a malformed FunctionProto");
  }
  for (const auto& attribute : function->shell_->attribute_proto()) {
    CollectExternalTensors(attribute, &storage_->fixed_external_tensors);
  }
  for (const auto& import : function->shell_->opset_import()) {
    const std::string domain(CanonicalDomain(import.domain()));
    function->opset_imports_[domain] = static_cast<int>(import.version());
  }
  Graph* body = Model::Storage::Append(storage_->graphs);
  function->body_ = body;
  function->record_ = content;
  body->model_ = model_;
  body->function_ = function;
  body->shell_ = storage_->NewProto<onnx::GraphProto>();
  return absl::OkStatus();
}

absl::Status ModelReader::ReadFunction(absl::string_view content,
                                       Function* function) {
  Records records;
  if (auto s = ReadFunctionShell(content, function, &records); !s.ok()) {
    return s;
  }
  Graph* body = function->body_;
  for (const std::string& name : function->shell_->input()) {
    Value* value;
    if (auto s = DefineValue(name, body, &value); !s.ok()) return s;
    value->is_input_ = true;
    body->inputs_.push_back({value, {}, false});
  }
  const Scope scope{body, nullptr, nullptr};
  if (auto s = ReadBody(records, scope, 0); !s.ok()) return s;
  for (const std::string& name : function->shell_->output()) {
    if (auto s = AddOutput(name, scope, {}); !s.ok()) return s;
  }
  return absl::OkStatus();
}

// Training info and quantization annotations stay as bytes, so that the values
// they name must keep their names.
absl::Status ModelReader::PinNames() {
  const auto pin = [](Graph& graph, const std::string& name) {
    if (Value* value = graph.FindValue(name)) value->is_pinned_ = true;
  };
  const auto pin_main = [&](const std::string& name) {
    pin(*model_->graph_, name);
  };
  for (const auto& info : model_->shell_->training_info()) {
    ForEachName(info.algorithm(), pin_main);
    ForEachName(info.initialization(), pin_main);
    for (const auto* bindings :
         {&info.initialization_binding(), &info.update_binding()}) {
      for (const auto& binding : *bindings) {
        pin_main(binding.key());
        pin_main(binding.value());
      }
    }
    for (const auto* graph : {&info.algorithm(), &info.initialization()}) {
      for (const auto& tensor : graph->initializer()) pin_main(tensor.name());
      CollectExternalTensors(*graph, &storage_->fixed_external_tensors);
    }
  }
  for (Graph* graph : AllGraphs(*model_)) {
    for (const auto& annotation : graph->shell_->quantization_annotation()) {
      pin(*graph, annotation.tensor_name());
      for (const auto& entry : annotation.quant_parameter_tensor_names()) {
        pin(*graph, entry.value());
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Model>> ModelReader::Read() {
  if (model_->source_.empty()) {
    return Error("is empty; give the path of an ONNX model");
  }
  if (auto s = ReadModelProto(); !s.ok()) return s;
  if (auto s = CheckExternalData(*storage_, model_->directory_,
                                 options_.allow_external_symlinks);
      !s.ok()) {
    return Error(s.message());
  }
  return std::move(owned_);
}

absl::StatusOr<Graph*> ModelReader::ReadNodes(
    Model& model, const onnx::FunctionProto& body,
    const absl::flat_hash_map<std::string, Value*>& bindings) {
  ModelReader reader(model, absl::StrCat("the body of '", body.name(), "'"));
  Function* function = Model::Storage::Append(model.storage_->functions);
  // Kept by the model: attributes are views of it.
  model.storage_->strings.push_back(body.SerializeAsString());
  const absl::string_view content = model.storage_->strings.back();
  Records records;
  if (auto s = reader.ReadFunctionShell(content, function, &records); !s.ok()) {
    return s;
  }
  records.value_infos.clear();
  Graph* graph = function->body_;
  for (const auto& [name, value] : bindings) graph->values_[name] = value;
  const Scope scope{graph, nullptr, nullptr};
  if (auto s = reader.ReadBody(records, scope, 0); !s.ok()) return s;
  return graph;
}

absl::StatusOr<std::unique_ptr<Model>> ReadModel(const std::string& path,
                                                 const ReadOptions& options) {
  auto file = FileBytes::Open(path);
  if (!file.ok()) return file.status();
  // What comes through a pipe has no folder that its data could lie in.
  std::optional<std::string> directory;
  if ((*file)->fd() >= 0) directory = DirectoryOf(path);
  return ModelReader(*std::move(file), path, std::move(directory), options)
      .Read();
}

absl::StatusOr<std::unique_ptr<Model>> ModelReader::Reread(const Model& model) {
  return ModelReader(model.storage_->file, model.storage_->where,
                     model.directory_, model.storage_->options)
      .Read();
}

absl::StatusOr<std::unique_ptr<Model>> RereadModel(const Model& model) {
  return ModelReader::Reread(model);
}

absl::StatusOr<std::unique_ptr<Model>> ParseModel(
    std::string bytes, std::optional<std::string> directory,
    const ReadOptions& options) {
  return ModelReader(FileBytes::Own(std::move(bytes)), "model",
                     std::move(directory), options)
      .Read();
}

}  // namespace onnx_legalize
