// SPDX-License-Identifier: Apache-2.0
//
// Lowerings that are functions: those of functions/*.onnxtxt and of users'
// --lowerings files, and the bodies that operators' schemas have.
//
//   before:  y = Mish (x)
//   after:   s = Softplus (x)   t = Tanh (s)   y = Mul (x, t)
//
// A function in text is named after the operator that it replaces, and its
// domain is the operator's. Its doc_string may hold, separated by ';': a range
// of the operator's since_versions ("versions 18-22", "versions 18-"), how
// faithful it is ("exact", "equivalent", "inexact"; equivalent if it doesn't
// say), and a summary. An opset import says what its nodes are read at.
//
// Declines a schema's body that can't be had at any opset, and a node that
// leaves out what the function has no default for.

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/writer.h"
#include "ops/onnx_boundary.h"
#include "ops/schema.h"
#include "ops/tensor_proto.h"
#include "passes/legalize/candidates.h"
#include "passes/legalize/search.h"
#include "passes/legalize/text_functions.h"

namespace onnx_legalize {
namespace {

using onnx::AttributeProto;

absl::Status BindNodes(
    google::protobuf::RepeatedPtrField<onnx::NodeProto>* nodes,
    const absl::flat_hash_map<std::string, AttributeProto>& values) {
  for (onnx::NodeProto& node : *nodes) {
    auto* attributes = node.mutable_attribute();
    for (int i = 0; i < attributes->size();) {
      AttributeProto& attribute = *attributes->Mutable(i);
      if (attribute.has_g()) {
        auto s = BindNodes(attribute.mutable_g()->mutable_node(), values);
        if (!s.ok()) return s;
      }
      if (attribute.ref_attr_name().empty()) {
        ++i;
        continue;
      }
      auto it = values.find(attribute.ref_attr_name());
      if (it == values.end()) {
        attributes->DeleteSubrange(i, 1);
        continue;
      }
      const std::string name = attribute.name();
      attribute = it->second;
      attribute.set_name(name);
      ++i;
    }
  }
  return absl::OkStatus();
}

// What a schema's builder may ask about a node.
class BuildContext final : public onnx::FunctionBodyBuildContext {
 public:
  explicit BuildContext(const Node& node) : node_(node) {
    for (const Attribute* attribute : node.attributes()) {
      attributes_[attribute->name()] = AttributeToProto(*attribute);
    }
  }
  const AttributeProto* getAttribute(const std::string& name) const override {
    auto it = attributes_.find(name);
    return it == attributes_.end() ? nullptr : &it->second;
  }
  bool hasInput(int i) const override { return node_.input(i) != nullptr; }
  bool hasOutput(int i) const override { return node_.output(i) != nullptr; }
  const onnx::TypeProto* getInputType(int i) const override {
    const Value* value = node_.input(i);
    if (value == nullptr ||
        value->type().value_case() == onnx::TypeProto::VALUE_NOT_SET) {
      return nullptr;
    }
    return &value->type();
  }

 private:
  const Node& node_;
  absl::flat_hash_map<std::string, AttributeProto> attributes_;
};

// A graph among the attributes reads values from outside of it.
bool CapturesValues(const Graph& graph, const Graph& outermost) {
  for (const Node* n = graph.first_node(); n != nullptr; n = n->next()) {
    for (int i = 0; i < n->num_inputs(); ++i) {
      if (n->input(i) == nullptr) continue;
      const Graph* home = n->input(i)->graph();
      while (home != nullptr && home != &outermost) home = home->parent();
      if (home == nullptr) return true;
    }
    for (const Attribute* attribute : n->attributes()) {
      for (const Graph* inner : attribute->graphs()) {
        if (CapturesValues(*inner, outermost)) return true;
      }
    }
  }
  return false;
}

// Domains that the body's nodes are of and its imports leave out are read as
// the node's own scope reads them.
void CompleteImports(const Node& node, onnx::FunctionProto* body) {
  std::vector<std::string> domains = {""};
  for (const auto& inner : body->node()) domains.push_back(inner.domain());
  for (const std::string& domain : domains) {
    const auto& imports = body->opset_import();
    const bool known = std::any_of(
        imports.begin(), imports.end(),
        [&](const auto& import) { return import.domain() == domain; });
    const int version = node.graph()->opset_version(domain);
    if (known || version == 0) continue;
    auto* import = body->add_opset_import();
    import->set_domain(domain);
    import->set_version(version);
  }
}

class SchemaFunction final : public Candidate {
 public:
  SchemaFunction(const Operator& op, const onnx::OpSchema& schema)
      : Candidate(absl::StrCat("expands ", op.op_type,
                               " as its specification defines it"),
                  Direction::kAny, Exactness::kEquivalent),
        schema_(schema) {}

  absl::StatusOr<Attempt> Apply(Node& node,
                                CandidateContext& context) const override {
    for (const Attribute* attribute : node.attributes()) {
      for (const Graph* graph : attribute->graphs()) {
        if (!CapturesValues(*graph, *graph)) continue;
        return Attempt::Declined(
            absl::StrCat("attribute ", attribute->name(),
                         " is a graph that reads values from outside"));
      }
    }
    const int wanted = context.legality.OpsetOf(node.op().domain);
    absl::StatusOr<onnx::FunctionProto> body = FunctionBody(
        schema_, wanted != 0 ? wanted : node.op().version, BuildContext(node));
    if (!body.ok()) {
      return Attempt::Declined(absl::StrCat("the specification's function: ",
                                            body.status().message()));
    }
    CompleteImports(node, &*body);
    absl::Status s = BindAttributes(node, &schema_, &*body);
    if (!s.ok()) return Attempt::Declined(std::string(s.message()));
    s = ReplaceByBody(node, *body, context.pass.rewriter);
    if (!s.ok()) return s;
    return Attempt::Done(name(), Exactness::kEquivalent);
  }

 private:
  const onnx::OpSchema& schema_;
};

class TextLowering final : public Candidate {
 public:
  explicit TextLowering(const TextFunction& function)
      : Candidate(function.summary, Direction::kAny, function.exactness),
        function_(function) {}

  absl::StatusOr<Attempt> Apply(Node& node,
                                CandidateContext& context) const override {
    if (auto declined = DeclineInexact(exactness(), context)) return *declined;
    onnx::FunctionProto body = function_.proto;
    if (node.num_inputs() > body.input_size()) {
      return Attempt::Declined(
          absl::StrCat("the function takes ", body.input_size(), " inputs"));
    }
    for (const std::string& attribute : body.attribute()) {
      if (!node.HasAttribute(attribute) && SchemaOf(node.op()) == nullptr) {
        return Attempt::Declined(
            absl::StrCat("the function needs the attribute ", attribute));
      }
    }
    absl::Status s = BindAttributes(node, SchemaOf(node.op()), &body);
    if (!s.ok()) return Attempt::Declined(std::string(s.message()));
    s = ReplaceByBody(node, body, context.pass.rewriter);
    if (!s.ok()) return s;
    return Attempt::Done(name(), exactness());
  }

 private:
  const TextFunction& function_;
};

}  // namespace

absl::Status BindAttributes(const Node& node, const onnx::OpSchema* schema,
                            onnx::FunctionProto* body) {
  absl::flat_hash_map<std::string, AttributeProto> values;
  if (schema != nullptr) {
    for (const auto& [name, attribute] : schema->attributes()) {
      if (attribute.default_value.type() != AttributeProto::UNDEFINED) {
        values[name] = attribute.default_value;
      }
    }
  }
  for (const AttributeProto& attribute : body->attribute_proto()) {
    values[attribute.name()] = attribute;
  }
  for (const Attribute* attribute : node.attributes()) {
    // A schema's builder has put it in its place; a body in text can't.
    if (!attribute->graphs().empty()) {
      if (schema != nullptr) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("attribute ", attribute->name(), " is a graph"));
    }
    CopyAttributeProto(*attribute, &values[attribute->name()]);
  }
  return BindNodes(body->mutable_node(), values);
}

absl::Status AddFunctions(const Operator& op, CandidateContext& context,
                          Candidates* candidates) {
  const onnx::OpSchema* schema = SchemaOf(op);
  const int since = schema != nullptr ? schema->since_version() : op.version;
  for (const TextFunction& function : context.pass.search.functions) {
    if (function.Replaces(op, since)) {
      candidates->push_back(std::make_unique<TextLowering>(function));
    }
  }
  if (schema != nullptr &&
      (schema->HasFunction() || schema->HasContextDependentFunction())) {
    candidates->push_back(std::make_unique<SchemaFunction>(op, *schema));
  }
  return absl::OkStatus();
}

}  // namespace onnx_legalize
