// SPDX-License-Identifier: Apache-2.0
//
// infer-shapes: writes down the types of values that inference knows.
//
//   before:  x: float[N,3]   h = Relu(x)   y = Transpose(h): float[N,3] (wrong)
//   after:   x: float[N,3]   h: float[N,3] = Relu(x)   y: float[3,N]
//
// What is declared and compatible stays as it is, names of dimensions included,
// except that an inner value's declaration is replaced by a more specific one.
// An incompatible declaration is corrected; of a graph's output with a warning,
// or, under Options::strict, an error.
//
// For a measured runtime, which infers for itself, nothing is added; what is
// wrong is corrected where the model is changed anyway or where the rank or the
// element type is wrong, which some runtimes refuse.
//
// Leaves alone: inputs of the model, which nothing tells better; values inside
// functions, whose types depend on the call; compatible declarations of
// outputs.

#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "onnx_legalize/pass.h"
#include "ops/inference.h"
#include "ops/type_merge.h"
#include "passes/declared_type.h"
#include "passes/registry.h"
#include "targets/target.h"

namespace onnx_legalize {
namespace {

bool IsKnown(const onnx::TypeProto& type) {
  switch (type.value_case()) {
    case onnx::TypeProto::VALUE_NOT_SET:
      return false;
    case onnx::TypeProto::kTensorType:
      return type.tensor_type().elem_type() != 0;
    case onnx::TypeProto::kSparseTensorType:
      return type.sparse_tensor_type().elem_type() != 0;
    case onnx::TypeProto::kSequenceType:
      return IsKnown(type.sequence_type().elem_type());
    case onnx::TypeProto::kOptionalType:
      return IsKnown(type.optional_type().elem_type());
    case onnx::TypeProto::kMapType:
      return type.map_type().key_type() != 0 &&
             IsKnown(type.map_type().value_type());
    default:
      return true;  // Opaque.
  }
}

class InferShapes final : public Pass {
 public:
  absl::StatusOr<bool> Run(PassContext& context) override {
    only_correct_ = !context.target.IsPortable();
    if (!only_correct_) {
      if (absl::Status s = context.types.InferModel(); !s.ok()) return s;
      for (const std::string& failure : context.types.failures()) {
        context.report.warnings.push_back(
            absl::StrCat("no types could be inferred: ", failure));
      }
    }
    added_ = corrected_ = 0;
    for (Graph* graph : AllGraphs(context.model)) {
      if (graph->function() != nullptr) continue;
      if (absl::Status s = VisitSignature(*graph, context); !s.ok()) return s;
      VisitValues(*graph, context);
    }
    if (added_ > 0) {
      Record(context, "",
             absl::StrCat("wrote the types of ", added_,
                          " values that had none or less"));
    }
    return added_ + corrected_ > 0;
  }

 private:
  bool MustCorrect(const onnx::TypeProto& known,
                   const onnx::TypeProto& declared,
                   const PassContext& context) const {
    if (!only_correct_ || context.model.changed()) return true;
    if (!known.has_tensor_type() || !declared.has_tensor_type()) return true;
    const auto& a = known.tensor_type();
    const auto& b = declared.tensor_type();
    return a.elem_type() != b.elem_type() ||
           (a.has_shape() && b.has_shape() &&
            a.shape().dim_size() != b.shape().dim_size());
  }

  absl::Status VisitSignature(const Graph& graph, PassContext& context) {
    const bool is_main = graph.owner() == nullptr;
    for (const ValueInfo& info : graph.output_infos()) {
      // A subgraph may name an outer value as its output, whose type is
      // declared where it is defined.
      if (info.value == nullptr || info.value->graph() != &graph) continue;
      const onnx::TypeProto declared = DeclaredType(info);
      const onnx::TypeProto& known = info.value->type();
      if (!IsKnown(known)) continue;
      if (!Compatible(known, declared)) {
        if (!MustCorrect(known, declared, context)) continue;
        const absl::Status s = CorrectOutput(*info.value, declared, context);
        if (!s.ok()) return s;
      } else if (is_main && !IsKnown(declared) && !only_correct_) {
        context.rewriter.DeclareType(*info.value);
        ++added_;
      }
    }
    if (is_main) return absl::OkStatus();
    for (const ValueInfo& info : graph.input_infos()) {
      const onnx::TypeProto declared = DeclaredType(info);
      if (Compatible(info.value->type(), declared)) continue;
      if (!MustCorrect(info.value->type(), declared, context)) continue;
      Correct(*info.value, declared, context);
    }
    return absl::OkStatus();
  }

  absl::Status CorrectOutput(Value& value, const onnx::TypeProto& declared,
                             PassContext& context) {
    const std::string fault = absl::StrCat(
        "output '", value.name(), "' is declared ", TypeString(declared),
        ", but is ", TypeString(value.type()));
    if (context.options.strict) return absl::InvalidArgumentError(fault);
    context.report.warnings.push_back(absl::StrCat(fault, ": corrected"));
    Correct(value, declared, context);
    return absl::OkStatus();
  }

  void Correct(Value& value, const onnx::TypeProto& declared,
               PassContext& context) {
    ++corrected_;
    Record(context, std::string(value.name()),
           absl::StrCat("corrected the declared type ", TypeString(declared),
                        " to ", TypeString(value.type())));
    context.rewriter.DeclareType(value);
  }

  void VisitValues(const Graph& graph, PassContext& context) {
    absl::flat_hash_map<const Value*, const ValueInfo*> declared;
    for (const ValueInfo& info : graph.value_infos()) {
      if (info.value != nullptr) declared[info.value] = &info;
    }
    absl::flat_hash_set<const Value*> outputs;
    for (const ValueInfo& info : graph.output_infos()) {
      outputs.insert(info.value);
    }
    // Collected first: a new entry may move the others.
    std::vector<Value*> more, wrong;
    for (const Node* n = graph.first_node(); n != nullptr; n = n->next()) {
      for (int i = 0; i < n->num_outputs(); ++i) {
        Value* value = n->output(i);
        if (value == nullptr || !IsKnown(value->type())) continue;
        auto it = declared.find(value);
        if (it == declared.end()) {
          if (!outputs.contains(value)) more.push_back(value);
          continue;
        }
        const onnx::TypeProto type = DeclaredType(*it->second);
        if (!Compatible(value->type(), type)) {
          if (MustCorrect(value->type(), type, context)) wrong.push_back(value);
        } else if (MoreSpecific(value->type(), type)) {
          more.push_back(value);
        }
      }
    }
    for (Value* value : wrong) {
      Correct(*value, DeclaredType(*declared[value]), context);
    }
    if (only_correct_) return;
    for (Value* value : more) context.rewriter.DeclareType(*value);
    added_ += more.size();
  }

  void Record(PassContext& context, std::string value, std::string what) {
    context.report.rewrites.push_back({std::string(name()), std::move(value),
                                       "", std::move(what), Exactness::kExact});
  }

  bool only_correct_ = false;
  int64_t added_ = 0;
  int64_t corrected_ = 0;
};

}  // namespace

std::unique_ptr<Pass> MakeInferShapes() {
  return std::make_unique<InferShapes>();
}

}  // namespace onnx_legalize
