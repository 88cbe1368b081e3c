// SPDX-License-Identifier: Apache-2.0
//
// repair-types: makes nodes valid whose operands have types that the
// specification forbids, by exact casts.
//
//   before:  s = Concat(n: int32[1], m: int64[2])     y = Reshape(x, s)
//   after:   c = Cast<int64>(n)   s = Concat(c, m)    y = Reshape(x, s)
//
//   before:  y = Relu(x: int32)  at opset 12
//   after:   y = Max(x, 0)
//
// Operands that must agree are widened to the widest among them, as the
// frameworks do that exporters forget to follow; an operand that must have a
// given type (Reshape's shape) is widened to it. Consumers of a widened result
// are repaired in turn. An output of a graph keeps its declared element type by
// a Cast back, and stale declarations of inner values are put right.
//
// Declines where no exact cast does it (int64 with float), where one would
// change what the result is (float16 with bfloat16), where an operator doesn't
// know the type at all and no exact equivalent is at hand, and below opset 6,
// whose Cast is another.

#include <memory>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "onnx_legalize/pass.h"
#include "ops/exact_cast.h"
#include "ops/schema.h"
#include "passes/declared_type.h"
#include "passes/legalize/integer_equivalent.h"
#include "passes/legalize/repair_plan.h"
#include "passes/registry.h"
#include "passes/report.h"

namespace onnx_legalize {
namespace {

constexpr int kOldestCast = 6;

class RepairTypes final : public Pass {
 public:
  absl::StatusOr<bool> Run(PassContext& context) override {
    const std::vector<Signature> before = Signatures(context.model);
    casts_.clear();
    int64_t total = 0, repaired;
    // Again while something changes: a subgraph's repair may concern nodes
    // behind it. Each repair makes a node valid for good, so this ends.
    do {
      declines_.clear();
      repaired = 0;
      for (Graph* graph : AllGraphs(context.model)) {
        repaired += VisitGraph(*graph, context);
      }
      total += repaired;
    } while (repaired > 0 && total <= kMaxRepairs);
    for (const auto& [node, reason] : declines_)
      Decline(*node, reason, context);
    if (total == 0) return false;
    for (const Signature& signature : before) KeepType(signature, context);
    for (Graph* graph : AllGraphs(context.model)) {
      UpdateDeclarations(*graph, context);
    }
    return true;
  }

 private:
  // Far more than a model has; a guard against repairs that undo each other.
  static constexpr int64_t kMaxRepairs = 10000000;

  // An output of a graph and its element type before anything was repaired: as
  // it is declared (0: not), and as inference had it.
  struct Signature {
    Graph* graph;
    int index;
    int32_t declared;
    int32_t known;
  };

  static std::vector<Signature> Signatures(const Model& model) {
    std::vector<Signature> signatures;
    for (Graph* graph : AllGraphs(model)) {
      for (int i = 0; i < graph->num_outputs(); ++i) {
        const ValueInfo& info = graph->output_infos()[i];
        signatures.push_back({graph, i,
                              DeclaredType(info).tensor_type().elem_type(),
                              graph->output(i)->elem_type()});
      }
    }
    return signatures;
  }

  int64_t VisitGraph(Graph& graph, PassContext& context) {
    int64_t repaired = 0;
    Node* next;
    for (Node* n = graph.first_node(); n != nullptr; n = next) {
      next = n->next();
      if (TypeConstraintFault(*n)) repaired += Repair(*n, context);
    }
    return repaired;
  }

  bool Repair(Node& node, PassContext& context) {
    const std::string label = NodeLabel(node);
    const std::string op = OpLabel(node.op());
    if (auto fault = ArityFault(node)) {
      declines_.emplace_back(&node, *std::move(fault));
      return false;
    }
    const RepairPlan plan = PlanRepair(node);
    std::string what;
    if (node.graph()->opset_version("") < kOldestCast) {
      declines_.emplace_back(&node, "the model's opset has no Cast to use");
      return false;
    }
    if (plan.reason.empty()) {
      what = InsertCasts(node, plan, context);
    } else if (HasIntegerEquivalent(node)) {
      what = ReplaceByIntegerEquivalent(node, context.rewriter);
    } else {
      declines_.emplace_back(&node, plan.reason);
      return false;
    }
    context.report.rewrites.push_back(
        {std::string(name()), label, op, what, Exactness::kExact});
    return true;
  }

  std::string InsertCasts(Node& node, const RepairPlan& plan,
                          PassContext& context) {
    std::string what = "cast ";
    absl::string_view separator = "";
    for (const RepairPlan::Operand& operand : plan.operands) {
      Value* value = node.input(operand.index);
      absl::StrAppend(&what, separator, "input ", operand.index, " from ",
                      ElemTypeName(value->elem_type()), " to ",
                      ElemTypeName(operand.elem_type));
      separator = ", ";
      context.rewriter.SetInput(node, operand.index,
                                Cast(*value, operand.elem_type, node, context));
    }
    return absl::StrCat(what, ": ", plan.fault);
  }

  // One cast of a value serves all later nodes of the graph.
  Value* Cast(Value& value, int32_t elem_type, Node& node,
              PassContext& context) {
    Value*& cast = casts_[{node.graph(), &value, elem_type}];
    if (cast == nullptr) {
      context.rewriter.SetAnchor(node);
      cast = context.rewriter.Emit("Cast", {&value},
                                   {{"to", static_cast<int64_t>(elem_type)}});
    }
    return cast;
  }

  // An output that a repair has widened is cast back to what it was; what a
  // loop carries, to what it carries in.
  void KeepType(const Signature& signature, PassContext& context) {
    Graph& graph = *signature.graph;
    Value* value = graph.output(signature.index);
    const Value* carried = CarriedInput(graph, signature.index);
    const int32_t wanted =
        carried != nullptr ? carried->elem_type() : signature.declared;
    const int32_t now = value->elem_type();
    // What no repair has changed is not ours: infer-shapes corrects it.
    if (wanted == 0 || now == 0 || now == wanted || now == signature.known ||
        value->producer() == nullptr || value->graph() != &graph) {
      return;
    }
    const Node& producer = *value->producer();
    const std::string label = NodeLabel(producer);
    const std::string op = OpLabel(producer.op());
    const std::string name(value->name());
    Rewriter& rewriter = context.rewriter;
    rewriter.SetAnchorAtEnd(graph, name);
    Value* cast =
        rewriter.Emit("Cast", {value}, {{"to", static_cast<int64_t>(wanted)}});
    rewriter.ReplaceAsGraphOutput(*value, *cast);
    const bool exact = CastIsExact(now, wanted);
    context.report.rewrites.push_back(
        {std::string(this->name()), label, op,
         absl::StrCat("cast the output '", name, "' from ", ElemTypeName(now),
                      " back to ", ElemTypeName(wanted), ", as it is declared"),
         exact ? Exactness::kExact : Exactness::kEquivalent});
    if (!exact) {
      context.report.warnings.push_back(
          absl::StrCat("output '", name, "' is declared ", ElemTypeName(wanted),
                       ", but its operands make it ", ElemTypeName(now),
                       ": numbers that don't fit are cut"));
    }
  }

  // The input that an iteration's output becomes in the next one, or null.
  static const Value* CarriedInput(const Graph& graph, int output) {
    const Node* owner = graph.owner();
    int input = -1, states = 0;
    if (owner != nullptr && owner->Is("Loop")) {
      states = owner->num_inputs() - 2;
      if (output >= 1 && output <= states) input = output + 1;
    } else if (owner != nullptr && owner->Is("Scan")) {
      states = owner->num_inputs() -
               static_cast<int>(owner->Int("num_scan_inputs", 0));
      if (output < states) input = output;
    }
    return input >= 0 && input < graph.num_inputs() ? graph.input(input)
                                                    : nullptr;
  }

  static void UpdateDeclarations(const Graph& graph, PassContext& context) {
    std::vector<Value*> stale;
    const auto collect = [&](absl::Span<const ValueInfo> infos) {
      for (const ValueInfo& info : infos) {
        if (info.value == nullptr || info.value->elem_type() == 0) continue;
        const onnx::TypeProto declared = DeclaredType(info);
        if (declared.has_tensor_type() &&
            declared.tensor_type().elem_type() != info.value->elem_type()) {
          stale.push_back(info.value);
        }
      }
    };
    collect(graph.value_infos());
    if (graph.owner() != nullptr) {
      collect(graph.input_infos());
      collect(graph.output_infos());
    }
    for (Value* value : stale) context.rewriter.DeclareType(*value);
  }

  void Decline(const Node& node, const std::string& reason,
               PassContext& context) {
    if (context.options.explain) {
      context.report.explanations.push_back(
          absl::StrCat(name(), ": ", node.DebugName(), " declined: ", reason));
    }
    context.report.illegal.push_back(MakeIllegalNode(node, reason));
  }

  absl::flat_hash_map<std::tuple<const Graph*, const Value*, int32_t>, Value*>
      casts_;
  std::vector<std::pair<const Node*, std::string>> declines_;
};

}  // namespace

std::unique_ptr<Pass> MakeRepairTypes() {
  return std::make_unique<RepairTypes>();
}

}  // namespace onnx_legalize
