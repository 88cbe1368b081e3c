// SPDX-License-Identifier: Apache-2.0
//
// Version steps and lowerings of BatchNormalization, Dropout and
// GroupNormalization.
//
//   before:  y = BatchNormalization-15 <training_mode = 0> (x, s, b, m, v)
//   after:   y = BatchNormalization-9 (x, s, b, m, v)
//
// Declines Dropout that draws random numbers, and outputs for training of
// BatchNormalization before 14.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"
#include "passes/legalize/computed_axes.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

bool UsesMoreOutputs(const Body& b) {
  for (int i = 1; i < b.node().num_outputs(); ++i) {
    if (b.OutputUsed(i)) return true;
  }
  return false;
}

bool Trains(const Body& b) { return b.node().Int("training_mode", 0) != 0; }

Refs FiveInputs(const Body& b) {
  return {b.In(0), b.In(1), b.In(2), b.In(3), b.In(4)};
}

// A parameter of one axis, [C], as [C,1,..] for x of the node's rank.
Ref PerChannel(Body& b, const Ref& x, int rank) {
  std::vector<int64_t> axes;
  for (int i = 1; i + 1 < rank; ++i) axes.push_back(i);
  return axes.empty() ? x : b.Unsqueeze(x, axes);
}

}  // namespace

// 14 to 9 and 15 to 14.
std::optional<std::string> BatchNormDown(Body& b) {
  if (Trains(b)) return "older versions have no training_mode";
  if (UsesMoreOutputs(b)) return "its outputs for training are used";
  for (int i = 1; i < 5; ++i) {
    if (b.Type(i) != b.Type(0)) {
      return "older versions take inputs of one type only";
    }
  }
  if (b.node().op().version >= 15) {
    b.SetOpset(14);
    b.Return(
        {b.Op("BatchNormalization", FiveInputs(b), b.AttributesWithout())});
    return std::nullopt;
  }
  b.SetOpset(9);
  b.Return({b.Op("BatchNormalization", FiveInputs(b),
                 b.AttributesWithout({"training_mode"}))});
  return std::nullopt;
}

// 9 to 7.
std::optional<std::string> BatchNormTo7(Body& b) {
  if (UsesMoreOutputs(b)) return "its outputs for training are used";
  b.SetOpset(7);
  b.Return({b.Op("BatchNormalization", FiveInputs(b), b.AttributesWithout())});
  return std::nullopt;
}

// 1, 6, 7 and 9 to 14, 14 to 15.
std::optional<std::string> BatchNormUp(Body& b) {
  const int version = b.node().op().version;
  if (version < 7 && b.node().Int("is_test", 0) == 0) {
    return "it is for training, without is_test";
  }
  if (version < 9 && b.node().Int("spatial", 1) == 0) {
    return "newer versions have no spatial = 0";
  }
  if (UsesMoreOutputs(b)) return "its outputs for training are used";
  b.SetOpset(15);
  b.Return(
      {b.Op("BatchNormalization", FiveInputs(b),
            b.AttributesWithout({"is_test", "spatial", "consumed_inputs"}))});
  return std::nullopt;
}

std::optional<std::string> BatchNormByFormula(Body& b) {
  const int version = b.node().op().version;
  const auto rank = b.Rank(0);
  if (version < 7 && b.node().Int("is_test", 0) == 0) {
    return "it is for training, without is_test";
  }
  if (version < 14 && UsesMoreOutputs(b)) {
    return "its outputs for training are used";
  }
  if (!rank.has_value() || b.Type(0) == 0) return "the rank is unknown";
  const bool by_element = version < 9 && b.node().Int("spatial", 1) == 0;
  // Sums in double where an input is double, in float otherwise.
  int32_t type = TensorProto::FLOAT;
  for (int i = 0; i < 5; ++i) {
    if (b.Type(i) == TensorProto::DOUBLE) type = TensorProto::DOUBLE;
  }
  const auto as = [&](const Ref& x, int32_t from, int32_t to) {
    return from == to ? x : b.Cast(x, to);
  };
  const auto parameter = [&](int i) {
    const Ref x = as(b.In(i), b.Type(i), type);
    return by_element ? x : PerChannel(b, x, *rank);
  };
  const Ref x = as(b.In(0), b.Type(0), type);
  Ref mean = parameter(3), variance = parameter(4);
  Refs outputs = {""};
  if (Trains(b)) {
    std::vector<int64_t> axes = {0};
    for (int i = 2; i < *rank; ++i) axes.push_back(i);
    const Attributes over = {{"axes", axes}, {"keepdims", 1}};
    mean = b.Op("ReduceMean", {x}, over);
    const Ref off = b.Sub(x, mean);
    variance = b.Op("ReduceMean", {b.Mul(off, off)}, over);
    const double momentum = b.node().Float("momentum", 0.9F);
    const auto running = [&](int i, const Ref& current) {
      const Ref flat = b.Reshape(current, {-1});
      const Ref mixed =
          b.Add(b.Mul(as(b.In(i), b.Type(i), type), b.Typed(momentum, type)),
                b.Mul(flat, b.Typed(1 - momentum, type)));
      return as(mixed, type, b.Type(i));
    };
    outputs.push_back(b.OutputUsed(1) ? running(3, mean) : Ref());
    outputs.push_back(b.OutputUsed(2) ? running(4, variance) : Ref());
  }
  const Ref epsilon = b.Typed(b.node().Float("epsilon", 1e-5F), type);
  const Ref deviation = b.Op("Sqrt", {b.Add(variance, epsilon)});
  const Ref y = b.Add(b.Div(b.Mul(parameter(1), b.Sub(x, mean)), deviation),
                      parameter(2));
  outputs[0] = as(y, type, b.Type(0));
  outputs.resize(b.node().num_outputs());
  b.Return(outputs);
  return std::nullopt;
}

// Dropout that drops nothing.
std::optional<std::string> DropoutAsIdentity(Body& b) {
  const int version = b.node().op().version;
  const auto known = [&](int i) {
    const auto ints = b.KnownInts(i);
    if (ints.has_value() && ints->size() == 1) {
      return std::optional<double>(static_cast<double>((*ints)[0]));
    }
    const auto floats = b.KnownFloats(i);
    return floats.has_value() && floats->size() == 1
               ? std::optional<double>((*floats)[0])
               : std::nullopt;
  };
  const bool no_ratio = version >= 12 ? b.Has(1) && known(1) == 0
                                      : b.node().HasAttribute("ratio") &&
                                            b.node().Float("ratio", 0.5F) == 0;
  const bool infers = version >= 12  ? !b.Has(2) || known(2) == 0
                      : version >= 7 ? true
                                     : b.node().Int("is_test", 0) != 0;
  if (!infers && !no_ratio) return "it draws random numbers in training mode";
  Refs outputs = {b.Op("Identity", {b.In(0)})};
  if (b.OutputUsed(1)) {
    if (version < 10) return "what its mask is isn't said";
    const Ref yes = b.Typed(1, TensorProto::BOOL);
    outputs.push_back(b.Op("Expand", {yes, b.ShapeOf(b.In(0))}));
  }
  outputs.resize(b.node().num_outputs());
  b.Return(outputs);
  return std::nullopt;
}

// 1, 6, 7 and 10 to 12.
std::optional<std::string> DropoutRatioToInput(Body& b) {
  const int version = b.node().op().version;
  const int outputs = b.node().num_outputs();
  if (version < 7 && b.node().Int("is_test", 0) == 0) {
    return "it draws random numbers, without is_test";
  }
  if (version < 10 && b.OutputUsed(1)) return "what its mask is isn't said";
  const Ref ratio = b.Float(b.node().Float("ratio", 0.5F));
  b.SetOpset(12);
  Refs made = b.OpN("Dropout", {b.In(0), ratio}, outputs);
  b.Return(made);
  return std::nullopt;
}

// 18 to 21: scale and bias of a group become those of its channels.
std::optional<std::string> GroupNormPerChannel(Body& b) {
  const int64_t groups = b.node().Int("num_groups", 1);
  const Ref channels = b.DimOf(b.In(0), 1);
  const Ref shape =
      b.Concat({b.Ints({groups}), b.Div(channels, b.Ints({groups}))}, 0);
  const auto spread = [&](int i) {
    return b.Reshape(b.Op("Expand", {b.Unsqueeze(b.In(i), {1}), shape}), {-1});
  };
  const Ref scale = spread(1), bias = spread(2);
  b.SetOpset(21);
  b.Return({b.Op("GroupNormalization", {b.In(0), scale, bias},
                 b.AttributesWithout())});
  return std::nullopt;
}

}  // namespace onnx_legalize
