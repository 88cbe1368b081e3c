// SPDX-License-Identifier: Apache-2.0
//
// Version steps and lowerings of Scatter, ScatterElements and ScatterND: what
// reduces is gathered, reduced and put back, one element of a place at a time.
//
//   before:  y = ScatterElements-16 <axis = 0, reduction = "add"> (x, i, u)
//   after:   a = GatherElements (x, i[0:1])        # no place comes twice
//            b = ScatterElements-13 (x, i[0:1], Add (a, u[0:1]))
//            ...                                   # and for i[1:2] etc.
//
// A Loop does so for many updates, or a number that is computed. Declines ranks
// that are unknown.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

// Nodes are a few for each; more are left to a Loop.
constexpr int64_t kMaxUpdates = 64;

std::string Reduction(const Body& b) {
  return b.node().String("reduction", "none");
}

Ref Combine(Body& b, const Ref& old, const Ref& update) {
  const std::string reduction = Reduction(b);
  const int32_t type = b.Type(0);
  if (reduction == "add") {
    return type == TensorProto::BOOL ? b.Op("Or", {old, update})
                                     : b.Add(old, update);
  }
  if (reduction == "mul") {
    return type == TensorProto::BOOL ? b.Op("And", {old, update})
                                     : b.Mul(old, update);
  }
  return b.Op(reduction == "max" ? "Max" : "Min", {old, update});
}

bool IsKnownReduction(const std::string& reduction) {
  return reduction == "add" || reduction == "mul" || reduction == "max" ||
         reduction == "min";
}

// A Loop that reduces the updates one after the other: `indices` and `updates`
// along `axis`, of which there are `count`.
Ref LoopOverUpdates(Body& b, const Ref& indices, const Ref& updates,
                    const Ref& count, int64_t axis) {
  const bool nd = b.node().Is("ScatterND");
  const Ref one = b.Ints({1});
  onnx::AttributeProto body;
  body.set_name("body");
  body.set_type(onnx::AttributeProto::GRAPH);
  onnx::GraphProto& graph = *body.mutable_g();
  graph.set_name("update");
  const auto declare = [](onnx::ValueInfoProto* value, const char* name,
                          int32_t type, bool scalar) {
    value->set_name(name);
    auto* tensor = value->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    if (scalar) tensor->mutable_shape();
  };
  declare(graph.add_input(), "scatter_i", TensorProto::INT64, true);
  declare(graph.add_input(), "scatter_go", TensorProto::BOOL, true);
  declare(graph.add_input(), "scatter_y", b.Type(0), false);
  declare(graph.add_output(), "scatter_on", TensorProto::BOOL, true);
  declare(graph.add_output(), "scatter_next", b.Type(0), false);
  const auto op = [&](const char* type, const Refs& inputs, const char* output,
                      bool has_axis) {
    onnx::NodeProto* node = graph.add_node();
    node->set_op_type(type);
    for (const Ref& input : inputs) node->add_input(input);
    node->add_output(output);
    if (has_axis) *node->add_attribute() = AttributeInit("axis", axis).proto;
  };
  const std::string reduction = Reduction(b);
  const bool is_bool = b.Type(0) == TensorProto::BOOL;
  const char* combine = reduction == "add"   ? (is_bool ? "Or" : "Add")
                        : reduction == "mul" ? (is_bool ? "And" : "Mul")
                        : reduction == "max" ? "Max"
                                             : "Min";
  op("Reshape", {"scatter_i", one}, "scatter_at", false);
  op("Gather", {indices, "scatter_at"}, "scatter_index", true);
  op("Gather", {updates, "scatter_at"}, "scatter_update", true);
  op(nd ? "GatherND" : "GatherElements", {"scatter_y", "scatter_index"},
     "scatter_old", !nd);
  op(combine, {"scatter_old", "scatter_update"}, "scatter_new", false);
  op(nd ? "ScatterND" : "ScatterElements",
     {"scatter_y", "scatter_index", "scatter_new"}, "scatter_next", !nd);
  op("Identity", {"scatter_go"}, "scatter_on", false);
  const Ref go = b.Typed(1, TensorProto::BOOL);
  return b.Op("Loop", {count, go, b.In(0)}, {AttributeInit(std::move(body))});
}

}  // namespace

// 18 to 16: without max and min.
std::optional<std::string> ScatterTo16(Body& b) {
  const std::string reduction = Reduction(b);
  if (reduction == "max" || reduction == "min") {
    return "older versions don't reduce by max or min";
  }
  b.SetOpset(16);
  b.Return({b.Op(b.node().op().op_type, {b.In(0), b.In(1), b.In(2)},
                 b.AttributesWithout())});
  return std::nullopt;
}

std::optional<std::string> ScatterTo18(Body& b) {
  b.SetOpset(18);
  b.Return({b.Op(b.node().op().op_type, {b.In(0), b.In(1), b.In(2)},
                 b.AttributesWithout())});
  return std::nullopt;
}

std::optional<std::string> ScatterElementsReduces(Body& b) {
  const std::string reduction = Reduction(b);
  if (!IsKnownReduction(reduction)) return "it doesn't reduce";
  const auto rank = b.Rank(1);
  if (!rank.has_value() || *rank == 0) return "the rank is unknown";
  int64_t axis = b.node().Int("axis", 0);
  if (axis < 0) axis += *rank;
  if (axis < 0 || axis >= *rank) return "the axis is out of range";
  auto count = b.Dim(1, static_cast<int>(axis));
  if (!count.has_value()) count = b.Dim(2, static_cast<int>(axis));
  if (!count.has_value() || *count > kMaxUpdates) {
    if (b.Type(0) == 0) return "the type is unknown";
    const Ref number = b.At(b.ShapeOf(b.In(1)), axis);
    b.Return({LoopOverUpdates(b, b.In(1), b.In(2), number, axis)});
    return std::nullopt;
  }
  Ref y = b.In(0);
  for (int64_t i = 0; i < *count; ++i) {
    const bool all = *count == 1;
    const Ref at = all ? b.In(1) : b.Slice(b.In(1), axis, i, i + 1);
    const Ref update = all ? b.In(2) : b.Slice(b.In(2), axis, i, i + 1);
    const Ref old = b.Op("GatherElements", {y, at}, {{"axis", axis}});
    y = b.Op("ScatterElements", {y, at, Combine(b, old, update)},
             {{"axis", axis}});
  }
  b.Return({*count == 0 ? b.Op("Identity", {y}) : y});
  return std::nullopt;
}

std::optional<std::string> ScatterNdReduces(Body& b) {
  if (!IsKnownReduction(Reduction(b))) return "it doesn't reduce";
  const auto rank = b.Rank(1), update_rank = b.Rank(2);
  if (!rank.has_value() || *rank == 0 || !update_rank.has_value()) {
    return "the rank is unknown";
  }
  const auto depth = b.Dim(1, *rank - 1);
  if (!depth.has_value()) return "the length of an index isn't known";
  if (b.Type(0) == 0) return "the type is unknown";
  std::optional<int64_t> count = 1;
  for (int i = 0; i + 1 < *rank; ++i) {
    const auto dim = b.Dim(1, i);
    count = count.has_value() && dim.has_value()
                ? std::optional<int64_t>(*count * *dim)
                : std::nullopt;
  }
  if (count == 0) {
    b.Return({b.Op("Identity", {b.In(0)})});
    return std::nullopt;
  }
  // Indices as [count, depth], updates as [count, ...].
  const Ref total = count.has_value()
                        ? b.Ints({*count})
                        : b.Div(b.Unsqueeze(b.Op("Size", {b.In(1)}), {0}),
                                b.Ints({std::max<int64_t>(*depth, 1)}));
  const Ref indices =
      b.Op("Reshape", {b.In(1), b.Concat({total, b.Ints({*depth})}, 0)});
  const Ref rest = b.Op("Slice", {b.ShapeOf(b.In(2)), b.Ints({*rank - 1}),
                                  b.Ints({*update_rank}), b.Ints({0})});
  const Ref updates = b.Op("Reshape", {b.In(2), b.Concat({total, rest}, 0)});
  if (!count.has_value() || *count > kMaxUpdates) {
    if (*depth == 0) return "its indices have no elements";
    const Ref number = b.Squeeze(total, {0});
    b.Return({LoopOverUpdates(b, indices, updates, number, 0)});
    return std::nullopt;
  }
  Ref y = b.In(0);
  for (int64_t i = 0; i < *count; ++i) {
    const Ref at = b.Slice(indices, 0, i, i + 1);
    const Ref old = b.Op("GatherND", {y, at});
    const Ref update = b.Slice(updates, 0, i, i + 1);
    y = b.Op("ScatterND", {y, at, Combine(b, old, update)});
  }
  b.Return({y});
  return std::nullopt;
}

// Scatter-9 is ScatterElements-11 with no negative indices.
std::optional<std::string> ScatterToElements(Body& b) {
  b.SetOpset(11);
  b.Return({b.Op("ScatterElements", {b.In(0), b.In(1), b.In(2)},
                 b.AttributesWithout())});
  return std::nullopt;
}

std::optional<std::string> ScatterElementsTo9(Body& b) {
  const auto indices = b.KnownInts(1);
  const bool positive =
      indices.has_value() && std::all_of(indices->begin(), indices->end(),
                                         [](int64_t i) { return i >= 0; });
  int64_t axis = b.node().Int("axis", 0);
  if (axis < 0 && !b.Rank(0).has_value()) return "the rank is unknown";
  if (axis < 0) axis += *b.Rank(0);
  Ref at = b.In(1);
  if (!positive) {
    at = b.Cast(at, TensorProto::INT64);
    const Ref n = b.Gather(b.ShapeOf(b.In(0)), b.Ints({axis}), 0);
    at = b.Where(b.Op("Less", {at, b.Int(0)}), b.Add(at, n), at);
  }
  b.SetOpset(9);
  b.Return({b.Op("Scatter", {b.In(0), at, b.In(2)}, {{"axis", axis}})});
  return std::nullopt;
}

// Negative indices for runtimes that don't take them.
std::optional<std::string> ScatterNdCountsFromFront(Body& b) {
  if (Reduction(b) != "none") return "it reduces";
  const auto known = b.KnownInts(1);
  if (known.has_value() && std::all_of(known->begin(), known->end(),
                                       [](int64_t i) { return i >= 0; })) {
    return "no index is negative";
  }
  const auto rank = b.Rank(1);
  const auto depth =
      rank.has_value() && *rank > 0 ? b.Dim(1, *rank - 1) : std::nullopt;
  if (!depth.has_value()) return "the length of an index isn't known";
  const Ref dims = b.Slice(b.ShapeOf(b.In(0)), 0, 0, *depth);
  const Ref at =
      b.Where(b.Op("Less", {b.In(1), b.Int(0)}), b.Add(b.In(1), dims), b.In(1));
  b.Return({b.Op("ScatterND", {b.In(0), at, b.In(2)})});
  return std::nullopt;
}

}  // namespace onnx_legalize
