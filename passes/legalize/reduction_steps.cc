// SPDX-License-Identifier: Apache-2.0
//
// Version steps and lowerings of reductions: axes as an attribute or as an
// input, axes that are computed, none at all, and tensors without elements.
//
//   before:  y = ReduceMax-18 (x, axes)         # x: [2,3]; axes: computed
//   after:   i = Reshape (x, [m0,k0,m1,k1])     # an axis d that goes: m=1, k=d
//            y = ReduceMax-13 <axes = [1,3]> (i)
//
// Declines computed axes where the rank is unknown.

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/legalize/body.h"
#include "passes/legalize/computed_axes.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

bool KeepDims(const Body& b) { return b.node().Int("keepdims", 1) != 0; }

// Axes as the node has them, of either form; nullopt where they are computed.
std::optional<std::vector<int64_t>> NodeAxes(const Body& b) {
  if (b.Has(1)) return KnownAxes(b, 1);
  return b.node().Ints("axes");
}

bool ReducesNothing(const Body& b) {
  const auto axes = NodeAxes(b);
  return axes.has_value() && axes->empty() &&
         b.node().Int("noop_with_empty_axes", 0) != 0;
}

// The opset of the newest form that has axes as an attribute, or the oldest
// that has them as an input.
int AttributeOpset(const Body& b) {
  return b.node().op().op_type == "ReduceSum" ? 11 : 13;
}
int InputOpset(const Body& b) {
  return b.node().op().op_type == "ReduceSum" ? 13 : 18;
}

// A reduction over constant axes, of the form with the axes as an attribute
// where that is what the body's opset has.
Ref Reduce(Body& b, const Ref& x, const std::vector<int64_t>& axes,
           bool keepdims) {
  const std::string& op = b.node().op().op_type;
  if (b.opset() >= InputOpset(b)) {
    return b.Op(op, {x, b.Ints(axes)}, {{"keepdims", keepdims ? 1 : 0}});
  }
  return b.Op(op, {x}, {{"axes", axes}, {"keepdims", keepdims ? 1 : 0}});
}

// What the reduction of nothing is; nullopt where that is undefined.
std::optional<double> NeutralValue(const std::string& op, int32_t type) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool is_float =
      type == TensorProto::FLOAT || type == TensorProto::DOUBLE ||
      type == TensorProto::FLOAT16 || type == TensorProto::BFLOAT16;
  if (op == "ReduceSum" || op == "ReduceL1" || op == "ReduceL2" ||
      op == "ReduceSumSquare") {
    return 0;
  }
  if (op == "ReduceProd") return 1;
  if (op == "ReduceMean") {
    return is_float
               ? std::optional<double>(std::numeric_limits<double>::quiet_NaN())
               : std::nullopt;
  }
  if (is_float) return op == "ReduceMin" ? kInfinity : -kInfinity;
  const bool is_min = op == "ReduceMin";
  switch (type) {
    case TensorProto::BOOL:
      return is_min ? 1 : 0;
    case TensorProto::INT8:
      return is_min ? 127 : -128;
    case TensorProto::UINT8:
      return is_min ? 255 : 0;
    case TensorProto::INT32:
      return is_min ? std::numeric_limits<int32_t>::max()
                    : std::numeric_limits<int32_t>::min();
    case TensorProto::UINT32:
      return is_min ? std::numeric_limits<uint32_t>::max() : 0;
    default:  // The greatest 64-bit ones are no doubles.
      if (!is_min && type == TensorProto::UINT64) return 0;
      return std::nullopt;
  }
}

// int64 [r], or fewer without keepdims: the shape of the result.
Ref ResultShape(Body& b, const Ref& shape, const Ref& mask) {
  if (KeepDims(b)) return b.Where(mask, b.Int(1), shape);
  return b.Op("Compress", {shape, b.Op("Not", {mask})}, {{"axis", 0}});
}

// Bool [r]: which axes go; the axes are an input.
Ref ReducedMask(Body& b, int rank) {
  const Ref mask = AxesMask(b, b.In(1), "", rank);
  if (b.node().Int("noop_with_empty_axes", 0) != 0) return mask;
  const Ref none = b.Op("Equal", {b.Op("Size", {b.In(1)}), b.Int(0)});
  return b.Op("Or", {mask, none});
}

}  // namespace

std::optional<std::string> ReduceAxesToAttribute(Body& b) {
  if (ReducesNothing(b)) return "no axis is reduced";
  const auto axes = NodeAxes(b);
  if (!axes.has_value()) return "the axes are computed at run time";
  Attributes attributes = b.AttributesWithout({"noop_with_empty_axes"});
  if (!axes->empty()) attributes.push_back({"axes", *axes});
  b.SetOpset(AttributeOpset(b));
  b.Return({b.Op(b.node().op().op_type, {b.In(0)}, attributes)});
  return std::nullopt;
}

std::optional<std::string> ReduceAxesToInput(Body& b) {
  Refs inputs = {b.In(0)};
  const std::vector<int64_t> axes = b.node().Ints("axes");
  if (!axes.empty()) inputs.push_back(b.Ints(axes));
  b.SetOpset(InputOpset(b));
  b.Return(
      {b.Op(b.node().op().op_type, inputs, b.AttributesWithout({"axes"}))});
  return std::nullopt;
}

// Runtimes differ on an axes input that is empty, and on one that is absent
// with noop_with_empty_axes.
std::optional<std::string> ReduceNoAxes(Body& b) {
  const std::string& op = b.node().op().op_type;
  if (!b.Has(1) && b.node().Int("noop_with_empty_axes", 0) == 0) {
    return "it has no axes input";
  }
  const auto axes = NodeAxes(b);
  if (!axes.has_value() || !axes->empty()) return "it reduces some axes";
  if (!ReducesNothing(b)) {
    b.SetOpset(b.node().op().version);
    b.Return(
        {b.Op(op, {b.In(0)}, b.AttributesWithout({"noop_with_empty_axes"}))});
    return std::nullopt;
  }
  if (op == "ReduceSum" || op == "ReduceMax" || op == "ReduceMin" ||
      op == "ReduceMean" || op == "ReduceProd") {
    b.Return({b.Op("Identity", {b.In(0)})});
    return std::nullopt;
  }
  // ReduceL1 etc. still take the absolute value etc. of each element.
  const int64_t last = b.Rank(0).value_or(-1);
  b.Return({Reduce(b, b.Unsqueeze(b.In(0), {last}), {last}, false)});
  return std::nullopt;
}

// ReduceMax and ReduceMin take bool since 20.
std::optional<std::string> ReduceBool(Body& b) {
  if (b.Type(0) != TensorProto::BOOL) return "it is no bool";
  b.SetOpset(b.node().op().version);
  const Ref x = b.Cast(b.In(0), TensorProto::INT32);
  const Ref y =
      b.Op(b.node().op().op_type, {x, b.In(1)}, b.AttributesWithout());
  b.Return({b.Cast(y, TensorProto::BOOL)});
  return std::nullopt;
}

std::optional<std::string> ReduceComputedAxes(Body& b) {
  const auto rank = b.Rank(0);
  if (!b.Has(1) || NodeAxes(b).has_value()) return "the axes are known";
  if (!rank.has_value()) return "the rank is unknown and the axes are computed";
  if (*rank == 0) {
    b.SetOpset(b.node().op().version);
    b.Return({b.Op(b.node().op().op_type, {b.In(0)},
                   b.AttributesWithout({"noop_with_empty_axes"}))});
    return std::nullopt;
  }
  const Ref shape = b.ShapeOf(b.In(0));
  const Ref mask = ReducedMask(b, *rank);
  const Ref kept = b.Where(mask, b.Int(1), shape);
  const Ref gone = b.Where(mask, shape, b.Int(1));
  const Ref pairs = b.Reshape(
      b.Concat({b.Unsqueeze(kept, {1}), b.Unsqueeze(gone, {1})}, 1), {-1});
  std::vector<int64_t> axes;
  for (int i = 0; i < *rank; ++i) axes.push_back(2 * i + 1);
  const bool zeros = MayHaveZeros(b, 0);
  const Ref split = ReshapeTo(b, b.In(0), pairs, zeros);
  Ref y = Reduce(b, split, axes, false);
  if (!KeepDims(b)) {
    y = ReshapeTo(b, y, ResultShape(b, shape, mask), zeros);
  }
  b.Return({y});
  const std::string& op = b.node().op().op_type;
  if (op == "ReduceMax" || op == "ReduceMin") b.SetExactness(Exactness::kExact);
  return std::nullopt;
}

std::optional<std::string> ReduceEmptyTensor(Body& b) {
  const std::string& op = b.node().op().op_type;
  if (!IsEmpty(b, 0)) return "the tensor isn't known to be empty";
  const int32_t type = b.Type(0);
  const int rank = *b.Rank(0);
  const auto axes = NodeAxes(b);
  const auto neutral = NeutralValue(op, type);
  if (!neutral.has_value()) {
    return "what is left of an empty tensor is undefined for its type";
  }
  const Ref shape = b.ShapeOf(b.In(0));
  Ref mask;
  if (!axes.has_value()) {
    mask = ReducedMask(b, rank);
  } else {
    const bool all = axes->empty() && !ReducesNothing(b);
    std::vector<double> bits(rank, all ? 1 : 0);
    for (int64_t axis : *axes) {
      if (axis < -rank || axis >= rank) return "an axis is out of range";
      bits[axis < 0 ? axis + rank : axis] = 1;
    }
    mask = b.Typed(bits, {rank}, TensorProto::BOOL);
  }
  onnx::AttributeProto value;
  value.set_name("value");
  value.set_type(onnx::AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(type);
  value.mutable_t()->add_dims(1);
  value.mutable_t()->set_raw_data(EncodeElements({*neutral}, type));
  b.Return({b.Op("ConstantOfShape", {ResultShape(b, shape, mask)},
                 {AttributeInit(std::move(value))})});
  return std::nullopt;
}

}  // namespace onnx_legalize
