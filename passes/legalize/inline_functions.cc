// SPDX-License-Identifier: Apache-2.0
//
// inline-functions: replaces calls of model-local functions that the target
// can't run as they are by the functions' nodes.
//
//   before:  y = local.Scaled <by = 2.0> (x)
//            local.Scaled <by> (a) => (b) { f = Constant <value_float = @by> ()
//                                           b = Mul (a, f) }
//   after:   f = Constant <value_float = 2.0> ()   y = Mul (x, f)
//
// All functions go if the target runs none or is older than what some function
// has (defaults of attributes, an overload), if the model's opsets change, or
// if a node of some function is illegal; unused ones go with them. Otherwise
// all stay. For the portable target and on no target that runs them they stay.
//
// Declines a call with an attribute that is a graph, and functions that call
// each other without end.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/writer.h"
#include "onnx_legalize/pass.h"
#include "passes/legalize/candidates.h"
#include "passes/legalize/search.h"
#include "passes/report.h"

namespace onnx_legalize {
namespace {

// More calls than any model has; functions that call others twice each, many
// deep, would fill the memory.
constexpr int64_t kMaxCalls = 1'000'000;

// IR versions since which functions have defaults of attributes, and overloads.
// Older runtimes read such functions as if they had none.
constexpr int64_t kDefaultsIr = 9;
constexpr int64_t kOverloadIr = 10;

bool IsRead(const Function& function, const Profile& profile) {
  return (function.header().attribute_proto_size() == 0 ||
          profile.ir_version >= kDefaultsIr) &&
         (function.overload().empty() || profile.ir_version >= kOverloadIr);
}

bool FunctionsCanStay(PassContext& context) {
  const Profile* profile = context.target.profile.get();
  if (profile != nullptr && !profile->functions) return false;
  if (context.target.IsPortable() && context.options.opset == 0) return true;
  for (const auto& [domain, version] : context.search.imports) {
    const int have = context.model.opset_version(domain);
    if (have != 0 && have != version) return false;
  }
  Legality legality(context.target, context.model, context.search.imports);
  for (const Function* function : context.model.functions()) {
    if (profile != nullptr && !IsRead(*function, *profile)) return false;
    for (const auto& [domain, version] : context.search.imports) {
      const int have = function->opset_version(domain);
      if (have != 0 && have != version) return false;
    }
    for (const Node* n = function->body().first_node(); n != nullptr;
         n = n->next()) {
      if (legality.Fault(*n).has_value()) return false;
    }
  }
  return true;
}

// The first call in the main graph and its subgraphs, from `from` on.
void CollectCalls(Graph& graph, std::vector<Node*>* calls) {
  for (Node* n = graph.first_node(); n != nullptr; n = n->next()) {
    if (graph.model().FindFunction(n->op()) != nullptr) calls->push_back(n);
    for (const Attribute* attribute : n->attributes()) {
      for (Graph* inner : attribute->graphs()) CollectCalls(*inner, calls);
    }
  }
}

class InlineFunctions final : public Pass {
 public:
  absl::StatusOr<bool> Run(PassContext& context) override {
    if (context.model.functions().empty() || FunctionsCanStay(context)) {
      return false;
    }
    int64_t calls_left = kMaxCalls;
    bool changed = false;
    for (;;) {
      std::vector<Node*> calls;
      CollectCalls(context.model.graph(), &calls);
      if (calls.empty()) break;
      for (Node* call : calls) {
        if (--calls_left < 0) {
          return absl::InvalidArgumentError(
              absl::StrCat("functions call each other without end, or more "
                           "than ",
                           kMaxCalls, " times"));
        }
        const std::string label = NodeLabel(*call);
        const std::string op = OpLabel(call->op());
        const Function& function = *context.model.FindFunction(call->op());
        onnx::FunctionProto body = FunctionToProto(function);
        absl::Status s = BindAttributes(*call, nullptr, &body);
        if (!s.ok()) {
          context.report.illegal.push_back(
              MakeIllegalNode(*call, std::string(s.message())));
          return changed;
        }
        context.rewriter.SetAnchor(*call);
        s = ReplaceByBody(*call, body, context.rewriter);
        if (!s.ok()) return s;
        context.report.rewrites.push_back({std::string(name()), label, op,
                                           "inlines the function's nodes",
                                           Exactness::kExact});
        changed = true;
      }
    }
    while (!context.model.functions().empty()) {
      context.rewriter.RemoveFunction(*context.model.functions()[0]);
      changed = true;
    }
    context.rewriter.DropUnusedOpsetImports();
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeInlineFunctions() {
  return std::make_unique<InlineFunctions>();
}

}  // namespace onnx_legalize
