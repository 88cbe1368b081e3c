// SPDX-License-Identifier: Apache-2.0
//
// Version steps up of operators as they were before opset 7: broadcast and axis
// attributes, consumed_inputs, and what became inputs.
//
//   before:  y = Add-6 <broadcast = 1, axis = 1> (x, b)   # x: [N,C,H,W]; b:
//   [C] after:   y = Add-7 (x, Unsqueeze (b))                 # b: [C,1,1]
//
// Declines an axis where ranks are unknown.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

// Input 1 with as many trailing ones as put its first axis at `axis` of input
// 0; "" where a rank is unknown. At opset 7.
Ref AlignedAt(Body& b, int64_t axis) {
  const auto rank = b.Rank(0), small = b.Rank(1);
  if (!rank.has_value() || !small.has_value()) return "";
  if (axis < 0) axis += *rank;
  const int64_t trailing = *rank - axis - *small;
  if (axis < 0 || trailing < 0) return "";
  if (trailing == 0 || *small == 0) return b.In(1);
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < trailing; ++i) axes.push_back(*small + i);
  return b.Op("Unsqueeze", {b.In(1)}, {{"axes", axes}});
}

// "FLOAT" -> 1, as Cast-1 spells types.
int32_t TypeOfName(const std::string& name) {
  onnx::TensorProto::DataType type;
  if (onnx::TensorProto::DataType_Parse(absl::AsciiStrToUpper(name), &type)) {
    return type;
  }
  return 0;
}

}  // namespace

// Add, Sub, Mul, Div, Pow, And, Or, Xor, Equal, Greater, Less before 7.
std::optional<std::string> BroadcastAttributesToShapes(Body& b) {
  const bool broadcasts = b.node().Int("broadcast", 0) != 0;
  b.SetOpset(7);
  Ref other = b.In(1);
  if (broadcasts && b.node().HasAttribute("axis")) {
    other = AlignedAt(b, b.node().Int("axis", 0));
    if (other.empty()) return "it broadcasts from an axis of unknown rank";
  }
  b.Return({b.Op(b.node().op().op_type, {b.In(0), other})});
  return std::nullopt;
}

// PRelu before 7: a slope of one axis is of the channels.
std::optional<std::string> PReluSlopeToShape(Body& b) {
  b.SetOpset(7);
  if (!b.Rank(0).has_value() || !b.Rank(1).has_value()) {
    return "a rank is unknown";
  }
  Ref slope = b.In(1);
  if (b.Rank(1) == 1 && b.Dim(1, 0) != 1 && *b.Rank(0) > 1) {
    slope = AlignedAt(b, 1);
  }
  b.Return({b.Op("PRelu", {b.In(0), slope})});
  return std::nullopt;
}

// Gemm before 7: C broadcasts as it does since.
std::optional<std::string> GemmTo7(Body& b) {
  b.SetOpset(7);
  b.Return({b.Op("Gemm", {b.In(0), b.In(1), b.In(2)},
                 b.AttributesWithout({"broadcast"}))});
  return std::nullopt;
}

// 1 to 6: consumed_inputs, a hint.
std::optional<std::string> DropConsumedInputs(Body& b) {
  Attributes attributes = b.AttributesWithout({"consumed_inputs"});
  if (b.node().Is("Selu")) {
    // Defaults have more digits since 6.
    if (!b.node().HasAttribute("alpha"))
      attributes.push_back({"alpha", 1.6732F});
    if (!b.node().HasAttribute("gamma"))
      attributes.push_back({"gamma", 1.0507F});
  }
  Refs inputs;
  for (int i = 0; i < b.num_inputs(); ++i) inputs.push_back(b.In(i));
  b.SetOpset(6);
  b.Return({b.Op(b.node().op().op_type, inputs, attributes)});
  return std::nullopt;
}

// Max, Min, Sum, Mean 6 to 8: they broadcast since.
std::optional<std::string> VariadicTo8(Body& b) {
  Refs inputs;
  for (int i = 0; i < b.num_inputs(); ++i) inputs.push_back(b.In(i));
  b.SetOpset(8);
  b.Return({b.Op(b.node().op().op_type, inputs)});
  return std::nullopt;
}

// 8 to 6, where nothing is broadcast.
std::optional<std::string> VariadicTo6(Body& b) {
  Refs inputs;
  const auto shape = b.Shape(0);
  for (int i = 0; i < b.num_inputs(); ++i) {
    if (i > 0 && (!shape.has_value() || b.Shape(i) != shape)) {
      return "older versions don't broadcast";
    }
    inputs.push_back(b.In(i));
  }
  b.SetOpset(6);
  b.Return({b.Op(b.node().op().op_type, inputs)});
  return std::nullopt;
}

// Sum-8 and Mean-8 as additions, which broadcast since 7.
std::optional<std::string> SumByAdd(Body& b) {
  b.SetOpset(7);
  Ref sum = b.In(0);
  for (int i = 1; i < b.num_inputs(); ++i) sum = b.Add(sum, b.In(i));
  if (b.node().Is("Mean")) {
    if (b.Type(0) == 0) return "the type is unknown";
    sum = b.Div(sum, b.Typed(b.num_inputs(), b.Type(0)));
  } else if (sum == b.In(0)) {
    sum = b.Op("Identity", {sum});
  }
  b.Return({sum});
  return std::nullopt;
}

// Concat-1: its axis is 1 where it isn't said.
std::optional<std::string> ConcatTo4(Body& b) {
  Refs inputs;
  for (int i = 0; i < b.num_inputs(); ++i) inputs.push_back(b.In(i));
  b.SetOpset(4);
  b.Return({b.Op("Concat", inputs, {{"axis", b.node().Int("axis", 1)}})});
  return std::nullopt;
}

std::optional<std::string> ReshapeShapeToInput(Body& b) {
  const Ref shape = b.Ints(b.node().Ints("shape"));
  b.SetOpset(5);
  b.Return({b.Op("Reshape", {b.In(0), shape})});
  return std::nullopt;
}

// Cast-1 names its type.
std::optional<std::string> CastTo6(Body& b) {
  const std::string name = b.node().String("to", "");
  const int32_t type = TypeOfName(name);
  if (type == 0) return "it casts to '" + name + "', which is no type";
  b.SetOpset(6);
  b.Return({b.Op("Cast", {b.In(0)}, {{"to", static_cast<int64_t>(type)}})});
  return std::nullopt;
}

// Tile-1 repeats along one axis.
std::optional<std::string> TileTo6(Body& b) {
  const auto rank = b.Rank(0);
  const auto axis = b.KnownFloats(2), tiles = b.KnownFloats(1);
  if (!rank.has_value() || !axis.has_value() || axis->size() != 1 ||
      !tiles.has_value() || tiles->size() != 1) {
    return "the rank, tiles or axis isn't known";
  }
  std::vector<int64_t> repeats(*rank, 1);
  const int64_t at = static_cast<int64_t>((*axis)[0]);
  if (at < 0 || at >= *rank) return "the axis is out of range";
  repeats[at] = static_cast<int64_t>((*tiles)[0]);
  b.SetOpset(6);
  b.Return({b.Op("Tile", {b.In(0), b.Ints(repeats)})});
  return std::nullopt;
}

// Split-1 may have its sizes as an input.
std::optional<std::string> SplitTo2(Body& b) {
  const int outputs = b.node().num_outputs();
  Attributes attributes = b.AttributesWithout();
  if (b.Has(1)) {
    const auto sizes = b.KnownInts(1);
    if (!sizes.has_value()) return "the sizes are computed at run time";
    attributes = b.AttributesWithout({"split"});
    attributes.push_back({"split", *sizes});
  }
  b.SetOpset(2);
  b.Return(b.OpN("Split", {b.In(0)}, outputs, attributes));
  return std::nullopt;
}

// LpPool-1 and GlobalLpPool-1: p was a float.
std::optional<std::string> LpPoolTo2(Body& b) {
  const float p = b.node().Float("p", 2);
  Attributes attributes = b.AttributesWithout({"p"});
  const int64_t whole = static_cast<int64_t>(p);
  if (static_cast<float>(whole) != p) return "p is no whole number";
  attributes.push_back({"p", whole});
  b.SetOpset(2);
  b.Return({b.Op(b.node().op().op_type, {b.In(0)}, attributes)});
  return std::nullopt;
}

// RNN, GRU, LSTM to 7: output_sequence went.
std::optional<std::string> RecurrentTo7(Body& b) {
  Refs inputs;
  for (int i = 0; i < b.num_inputs(); ++i) inputs.push_back(b.In(i));
  const int outputs = b.node().num_outputs();
  b.SetOpset(7);
  b.Return(b.OpN(b.node().op().op_type, inputs, outputs,
                 b.AttributesWithout({"output_sequence"})));
  return std::nullopt;
}

}  // namespace onnx_legalize
