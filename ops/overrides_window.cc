// SPDX-License-Identifier: Apache-2.0

#include "ops/overrides_window.h"

#include <algorithm>

namespace onnx_legalize {
namespace {

// Numbers of this size can be multiplied and added without overflow.
constexpr int64_t kMaxSize = int64_t{1} << 30;

const onnx::AttributeProto* Find(const Node& node, const TypeScope& scope,
                                 absl::string_view name) {
  const Attribute* attribute = node.attribute(name);
  if (attribute == nullptr) return nullptr;
  const BoundAttribute bound = scope.Resolve(*attribute);
  return bound.ours != nullptr ? &bound.ours->proto() : bound.plain;
}

// A list attribute of `count` numbers in [low, kMaxSize], `fallback` each where
// it is absent.
bool ReadList(const Node& node, const TypeScope& scope, absl::string_view name,
              int count, int64_t fallback, int64_t low,
              std::vector<int64_t>* list) {
  const onnx::AttributeProto* proto = Find(node, scope, name);
  if (proto == nullptr) {
    list->assign(count, fallback);
    return true;
  }
  list->assign(proto->ints().begin(), proto->ints().end());
  return static_cast<int>(list->size()) == count &&
         std::all_of(list->begin(), list->end(),
                     [&](int64_t n) { return n >= low && n <= kMaxSize; });
}

// From kernel_shape or the weights.
bool ReadKernel(Override kind, const Node& node, const TypeScope& scope,
                int axes, std::vector<int64_t>* kernel) {
  if (kind == Override::kPool || node.HasAttribute("kernel_shape")) {
    return node.HasAttribute("kernel_shape") &&
           ReadList(node, scope, "kernel_shape", axes, 1, 1, kernel);
  }
  const int weights = node.op().op_type == "QLinearConv" ? 3 : 1;
  const onnx::TensorShapeProto* shape = scope.ShapeOf(node.input(weights));
  if (shape == nullptr || shape->dim_size() != axes + 2) return false;
  for (int i = 0; i < axes; ++i) {
    const auto& d = shape->dim(i + 2);
    if (!d.has_dim_value() || d.dim_value() < 1 || d.dim_value() > kMaxSize) {
      return false;
    }
    kernel->push_back(d.dim_value());
  }
  return true;
}

bool SaneInput(const onnx::TensorShapeProto& shape) {
  return std::all_of(shape.dim().begin(), shape.dim().end(), [](const auto& d) {
    return !d.has_dim_value() ||
           (d.dim_value() >= 0 && d.dim_value() <= kMaxSize);
  });
}

}  // namespace

std::string AutoPad(const Node& node, const TypeScope& scope) {
  const onnx::AttributeProto* proto = Find(node, scope, "auto_pad");
  return proto != nullptr ? proto->s() : "";
}

std::optional<Window> ReadWindow(Override kind, const Node& node,
                                 const TypeScope& scope) {
  const onnx::TensorShapeProto* input = scope.ShapeOf(node.input(0));
  if (input == nullptr || input->dim_size() < 3 || !SaneInput(*input)) {
    return std::nullopt;
  }
  const int axes = input->dim_size() - 2;
  Window window;
  std::vector<int64_t> kernel, strides, dilations, pads, output_padding;
  const std::string auto_pad = AutoPad(node, scope);
  window.same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (!ReadKernel(kind, node, scope, axes, &kernel) ||
      !ReadList(node, scope, "strides", axes, 1, 1, &strides) ||
      !ReadList(node, scope, "dilations", axes, 1, 1, &dilations) ||
      !ReadList(node, scope, "output_padding", axes, 0, 0, &output_padding)) {
    return std::nullopt;
  }
  if (auto_pad.empty() || auto_pad == "NOTSET") {
    if (!ReadList(node, scope, "pads", 2 * axes, 0, 0, &pads)) {
      return std::nullopt;
    }
  } else {
    pads.assign(2 * axes, 0);
  }
  if (kind == Override::kConvTranspose && node.HasAttribute("output_shape") &&
      !ReadList(node, scope, "output_shape", axes, 0, 0,
                &window.output_shape)) {
    return std::nullopt;
  }
  const onnx::AttributeProto* ceil_mode = Find(node, scope, "ceil_mode");
  window.ceil_mode =
      kind == Override::kPool && ceil_mode != nullptr && ceil_mode->i() == 1;
  for (int i = 0; i < axes; ++i) {
    window.axes.push_back({strides[i], (kernel[i] - 1) * dilations[i] + 1,
                           pads[i], pads[i + axes], output_padding[i]});
  }
  return window;
}

}  // namespace onnx_legalize
