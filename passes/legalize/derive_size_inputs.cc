// SPDX-License-Identifier: Apache-2.0
//
// derive-size-inputs: removes a scalar input that only restates a dimension of
// another input, and derives its value by Shape inside the graph.
//
//   before:  inputs data, data:size0       y = Expand(z, Cast(data:size0))
//   after:   input data                    data:size0 = Gather(Shape(data), 0)
//                                          y = Expand(z, Cast(data:size0))
//
// RETURNN names them `X:sizeAXIS`; others are named in Options::derived_inputs.
// Where X isn't an input, the one data input that there is stands in for the
// batch axis. Sequence lengths (`X:sizeAXIS` of rank 1 and more) are real
// inputs: they stay, but one whose X isn't an input is renamed after the only
// data input. Length outputs that are dummies are reported.
//
// Declines where its rank is not declared, it is no integer scalar, has a
// default value, or is named by training info; where X is no tensor input or
// has no such axis; where X is missing and several inputs or none could be
// meant, or the axis isn't the batch's. The input then stays, and a warning
// says why and how to ask.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "onnx_legalize/graph.h"
#include "onnx_legalize/legalize.h"
#include "onnx_legalize/pass.h"
#include "onnx_legalize/rewriter.h"
#include "ops/exact_cast.h"
#include "passes/legalize/dummy_lengths.h"
#include "passes/legalize/size_input.h"
#include "passes/registry.h"

namespace onnx_legalize {
namespace {

// Works on the inputs of one main graph.
class SizeInputs {
 public:
  SizeInputs(PassContext& context, absl::string_view pass)
      : context_(context),
        graph_(context.model.graph()),
        report_(context.report),
        pass_(pass) {}

  absl::Status DeriveNamedByUser();
  void DeriveNamedAsSizes();
  bool changed() const { return changed_; }

 private:
  void ConsiderScalar(Value& input, const SizeName& name);
  void ConsiderLengths(Value& lengths, const SizeName& name);

  std::string Candidates() const;
  void Derive(Value& input, const Dimension& dimension, absl::string_view why);
  Value* EmitIndex(int index, SizeForm form);
  void RemoveUnused(Value& input);
  void Decline(const Value& input, absl::string_view reason);
  void Record(absl::string_view input, std::string what);

  PassContext& context_;
  Graph& graph_;
  Report& report_;
  const std::string pass_;
  std::vector<Value*> data_inputs_;  // Whose batch size could be meant.
  bool changed_ = false;
};

absl::Status SizeInputs::DeriveNamedByUser() {
  for (const Options::DerivedInput& wanted : context_.options.derived_inputs) {
    if (IsAlreadyDerived(graph_, wanted)) continue;
    absl::StatusOr<Dimension> dimension = ResolveDerivation(graph_, wanted);
    if (!dimension.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "can't derive '", wanted.input, "' from axis ", wanted.axis, " of '",
          wanted.value, "': ", dimension.status().message()));
    }
    Value& input = *FindInput(graph_, wanted.input);
    if (input.has_uses()) {
      Derive(input, *dimension, "as asked for");
    } else {
      RemoveUnused(input);
    }
  }
  return absl::OkStatus();
}

void SizeInputs::DeriveNamedAsSizes() {
  std::vector<std::pair<Value*, SizeName>> sizes;
  for (int i = 0; i < graph_.num_inputs(); ++i) {
    Value& input = *graph_.input(i);
    const SizeForm form = SizeFormOf(input);
    if (const auto name = ParseSizeName(input.name()); name.has_value()) {
      sizes.emplace_back(&input, *name);
    } else if (IsTensor(input) && !HasDefault(input) &&
               (form == SizeForm::kLengths || form == SizeForm::kUnknown)) {
      data_inputs_.push_back(&input);
    }
  }
  for (auto& [input, name] : sizes) {
    const SizeForm form = SizeFormOf(*input);
    // A [1] that isn't the batch's is taken for the length of one sequence.
    if (form == SizeForm::kLengths ||
        (form == SizeForm::kOne && name.axis > 0)) {
      ConsiderLengths(*input, name);
    } else if (name.axis == 0 || form == SizeForm::kScalar ||
               FindInput(graph_, name.tensor) == nullptr) {
      ConsiderScalar(*input, name);
    }
  }
}

void SizeInputs::ConsiderScalar(Value& input, const SizeName& name) {
  if (std::string reason = UnfitReason(input); !reason.empty()) {
    return Decline(input, reason);
  }
  if (HasDefault(input)) {
    return Decline(input, "its default value need not be the dimension");
  }
  if (!input.has_uses()) return RemoveUnused(input);
  Dimension dimension{FindInput(graph_, name.tensor), name.axis};
  std::string why = "as its name says";
  if (dimension.tensor == nullptr) {
    const std::string missing =
        absl::StrCat("'", name.tensor, "' is not an input of the model");
    if (name.axis != 0) {
      return Decline(input, absl::StrCat(missing,
                                         ", and only the batch (axis 0) "
                                         "can be taken from another"));
    }
    if (graph_.FindValue(name.tensor) != nullptr) {
      return Decline(input, absl::StrCat(missing, " but a value inside it"));
    }
    if (data_inputs_.size() != 1) {
      return Decline(input, absl::StrCat(missing, ", and ", Candidates()));
    }
    dimension.tensor = data_inputs_[0];
    const std::string reason = NotBatchFirstReason(graph_, *dimension.tensor);
    if (!reason.empty()) {
      return Decline(input, absl::StrCat(missing, ", and ", reason));
    }
    why = absl::StrCat(missing, " and '", dimension.tensor->name(),
                       "' is the only data input");
  }
  if (std::string reason = MissingReason(dimension); !reason.empty()) {
    return Decline(input, reason);
  }
  if (dimension.tensor->name() != name.tensor) {
    report_.notes.push_back(absl::StrCat("input '", input.name(),
                                         "' was taken for the batch size of '",
                                         dimension.tensor->name(), "': ", why));
  }
  Derive(input, dimension, why);
}

void SizeInputs::ConsiderLengths(Value& lengths, const SizeName& name) {
  const Value* tensor = FindInput(graph_, name.tensor);
  if (tensor != nullptr && SizeFormOf(lengths) == SizeForm::kOne &&
      tensor->rank().value_or(0) > 0 && tensor->dim(0) != 1) {
    report_.notes.push_back(absl::StrCat(
        "input '", lengths.name(),
        "' of shape [1] was taken for the length of "
        "a sequence; if it restates an axis, say so with --derive-input ",
        lengths.name(), "=", name.tensor, ":", name.axis));
  }
  // An output of the graph would change its name too. What axis 0 of another
  // tensor has lengths of says nothing of a tensor whose axis 0 is the batch.
  if (name.axis == 0 || graph_.FindValue(name.tensor) != nullptr ||
      lengths.IsPinned() || lengths.IsGraphOutput() || HasDefault(lengths) ||
      !IsIntegerElemType(lengths.elem_type())) {
    return;
  }
  std::string problem;
  if (data_inputs_.size() != 1) {
    problem = Candidates();
  } else {
    const Value& data = *data_inputs_[0];
    const std::string old_name(lengths.name());
    const std::string new_name = absl::StrCat(data.name(), ":size", name.axis);
    problem = MissingReason({data_inputs_[0], name.axis});
    if (problem.empty()) problem = NotBatchFirstReason(graph_, data);
    if (problem.empty()) {
      // Any value's, in subgraphs too.
      if (context_.rewriter.UniqueValueName(new_name) == new_name) {
        context_.rewriter.Rename(lengths, new_name);
        return Record(old_name,
                      absl::StrCat("renamed the input to '", new_name, "': '",
                                   name.tensor, "' is not an input and '",
                                   data.name(), "' is the only data input"));
      }
      problem = absl::StrCat("'", new_name, "' is taken");
    }
  }
  report_.notes.push_back(
      absl::StrCat("input '", lengths.name(), "' keeps its name, though '",
                   name.tensor, "' is not an input: ", problem));
}

std::string SizeInputs::Candidates() const {
  if (data_inputs_.empty()) return "no other input could be meant";
  return absl::StrCat("several could be meant (",
                      absl::StrJoin(data_inputs_, ", ",
                                    [](std::string* out, const Value* input) {
                                      absl::StrAppend(out, input->name());
                                    }),
                      ")");
}

void SizeInputs::Derive(Value& input, const Dimension& dimension,
                        absl::string_view why) {
  Rewriter& rewriter = context_.rewriter;
  const std::string name(input.name());
  // Before every reader; captures in subgraphs read it like any outer value.
  rewriter.SetAnchorAtFront(graph_, name);
  Value* shape = rewriter.Emit("Shape", {dimension.tensor});
  // Gather's output has the rank of its indices.
  Value* axis = EmitIndex(dimension.axis, SizeFormOf(input));
  Value* size = rewriter.Emit("Gather", {shape, axis}, {{"axis", 0}});
  if (input.elem_type() != onnx::TensorProto::INT64) {
    size = rewriter.Emit("Cast", {size}, {{"to", input.elem_type()}});
  }
  rewriter.ReplaceGraphInput(graph_, input, *size);
  Record(name, absl::StrCat("removed the input and derived it as axis ",
                            dimension.axis, " of the shape of '",
                            dimension.tensor->name(), "' (", why, ")"));
}

Value* SizeInputs::EmitIndex(int index, SizeForm form) {
  Rewriter& rewriter = context_.rewriter;
  return form == SizeForm::kOne ? rewriter.Int64s({index})
                                : rewriter.Int64Scalar(index);
}

void SizeInputs::RemoveUnused(Value& input) {
  const std::string name(input.name());
  if (HasDefault(input)) {
    context_.rewriter.RemoveInitializer(input);
  } else {
    context_.rewriter.RemoveGraphInput(graph_, input);
  }
  Record(name, "removed the input, which nothing reads");
}

void SizeInputs::Decline(const Value& input, absl::string_view reason) {
  const std::string why =
      absl::StrCat("size input '", input.name(), "' stays: ", reason);
  report_.warnings.push_back(
      absl::StrCat(why,
                   "; if it restates an axis of an input, say which with "
                   "--derive-input ",
                   input.name(), "=INPUT:AXIS"));
  if (context_.options.explain) {
    report_.explanations.push_back(absl::StrCat(pass_, ": ", why));
  }
}

void SizeInputs::Record(absl::string_view input, std::string what) {
  changed_ = true;
  report_.rewrites.push_back(
      {pass_, std::string(input), "", std::move(what), Exactness::kExact});
}

class DeriveSizeInputs final : public Pass {
 public:
  absl::StatusOr<bool> Run(PassContext& context) override {
    SizeInputs sizes(context, name());
    if (absl::Status s = sizes.DeriveNamedByUser(); !s.ok()) return s;
    sizes.DeriveNamedAsSizes();
    ReportDummyLengths(context.model.graph(), context.report);
    return sizes.changed();
  }
};

}  // namespace

std::unique_ptr<Pass> MakeDeriveSizeInputs() {
  return std::make_unique<DeriveSizeInputs>();
}

}  // namespace onnx_legalize
