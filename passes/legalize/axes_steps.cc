// SPDX-License-Identifier: Apache-2.0
//
// Version steps of Squeeze, Unsqueeze and reductions: axes as an attribute or
// as an input.
//
//   before:  y = Squeeze-13 (x, axes)          # axes: constant
//   after:   y = Squeeze-11 <axes = [...]> (x)
//
// Declines going down where the axes are computed at run time.

#include <optional>
#include <string>

#include "passes/legalize/body.h"

namespace onnx_legalize {
namespace {

constexpr char kRunTimeAxes[] =
    "the axes are computed at run time, which older versions don't take";

std::optional<std::string> AxesToAttribute(Body& b, int opset) {
  const std::string& op = b.node().op().op_type;
  Attributes attributes = b.AttributesWithout();
  if (b.Has(1)) {
    const auto axes = b.KnownInts(1);
    if (!axes.has_value()) return kRunTimeAxes;
    attributes.push_back({"axes", *axes});
  }
  b.SetOpset(opset);
  b.Return({b.Op(op, {b.In(0)}, attributes)});
  return std::nullopt;
}

std::optional<std::string> AxesToInput(Body& b, int opset) {
  const std::string& op = b.node().op().op_type;
  b.SetOpset(opset);
  Refs inputs = {b.In(0)};
  if (b.node().HasAttribute("axes")) {
    inputs.push_back(b.Ints(b.node().Ints("axes")));
  }
  b.Return({b.Op(op, inputs, b.AttributesWithout({"axes"}))});
  return std::nullopt;
}

}  // namespace

std::optional<std::string> SqueezeAxesToAttribute(Body& b) {
  return AxesToAttribute(b, 11);
}
std::optional<std::string> SqueezeAxesToInput(Body& b) {
  return AxesToInput(b, 13);
}
std::optional<std::string> UnsqueezeAxesToAttribute(Body& b) {
  return AxesToAttribute(b, 11);
}
std::optional<std::string> UnsqueezeAxesToInput(Body& b) {
  return AxesToInput(b, 13);
}

}  // namespace onnx_legalize
