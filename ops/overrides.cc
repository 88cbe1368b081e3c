// SPDX-License-Identifier: Apache-2.0
//
// Facts: ONNX Runtime 1.32 and the reference evaluator on grids of kernel,
// stride, pads and size, at each schema version (tests/ops/overrides_test.cc
// has the ones that tell schemas and runtimes apart).

#include "ops/overrides.h"

#include <algorithm>
#include <optional>

#include "ops/overrides_window.h"

namespace onnx_legalize {
namespace {

using onnx::TensorShapeProto;
using Dimension = TensorShapeProto::Dimension;

// --- Reshape -----------------------------------------------------------------

// Takes `dim` out of what is still to be accounted for.
bool Cancel(const Dimension& dim, int64_t* number,
            std::vector<std::string>* names) {
  if (dim.has_dim_value()) {
    if (dim.dim_value() <= 0 || *number % dim.dim_value() != 0) return false;
    *number /= dim.dim_value();
    return true;
  }
  auto it = std::find(names->begin(), names->end(), dim.dim_param());
  if (!dim.has_dim_param() || it == names->end()) return false;
  names->erase(it);
  return true;
}

// Reshape: the dimension that -1 stands for, where names cancel:
// [N,T,512] -> [N,-1,8,64] makes -1 T. The schema only divides numbers.
void CorrectReshape(const Node& node, TypeScope& scope,
                    onnx::TypeProto* output) {
  const TensorShapeProto* input = scope.ShapeOf(node.input(0));
  const TensorShapeProto* wanted =
      node.input(1) != nullptr ? scope.ElementsOf(*node.input(1)) : nullptr;
  if (input == nullptr || wanted == nullptr || !output->has_tensor_type() ||
      output->tensor_type().shape().dim_size() != wanted->dim_size()) {
    return;
  }
  TensorShapeProto* shape = output->mutable_tensor_type()->mutable_shape();
  int open = -1;
  for (int i = 0; i < shape->dim_size(); ++i) {
    if (wanted->dim(i).has_dim_value() && wanted->dim(i).dim_value() == -1) {
      open = i;
    }
  }
  if (open < 0 || shape->dim(open).has_dim_value()) return;
  int64_t number = 1;
  std::vector<std::string> names;
  for (const Dimension& d : input->dim()) {
    if (d.has_dim_param()) {
      names.push_back(d.dim_param());
    } else if (!d.has_dim_value() || d.dim_value() <= 0 ||
               __builtin_mul_overflow(number, d.dim_value(), &number)) {
      return;
    }
  }
  for (int i = 0; i < shape->dim_size(); ++i) {
    if (i != open && !Cancel(shape->dim(i), &number, &names)) return;
  }
  if (names.empty()) {
    shape->mutable_dim(open)->set_dim_value(number);
  } else if (names.size() == 1 && number == 1) {
    shape->mutable_dim(open)->set_dim_param(names[0]);
  }
}

// --- Windows -----------------------------------------------------------------

// How many places a pooling window takes along one axis with ceil_mode. The
// last one must start inside the input or its left padding, a rule that schemas
// before opset 19 (AveragePool), 22 (MaxPool, LpPool) don't know.
std::optional<int64_t> CeilWindows(int64_t size, const WindowAxis& w) {
  const int64_t room = size + w.pad_begin + w.pad_end - w.effective_kernel;
  if (room < 0) return std::nullopt;
  int64_t windows = (room + w.stride - 1) / w.stride + 1;
  if ((windows - 1) * w.stride >= size + w.pad_begin) --windows;
  return windows;
}

// What the axis of an input of dimension `in` becomes; nullopt: leave it.
std::optional<Dimension> ConvOrPoolDim(const Dimension& in,
                                       const Window& window, int i) {
  const WindowAxis& w = window.axes[i];
  Dimension out;
  if (window.same) {
    if (in.has_dim_value()) {
      out.set_dim_value((in.dim_value() + w.stride - 1) / w.stride);
    } else if (w.stride == 1) {
      out = in;
    }
    return out;
  }
  if (!window.ceil_mode || !in.has_dim_value()) return std::nullopt;
  const std::optional<int64_t> windows = CeilWindows(in.dim_value(), w);
  if (windows) out.set_dim_value(*windows);
  return out;
}

// ConvTranspose: SAME makes stride * in, output_padding included; the schema
// adds output_padding on top. Where the kernel is shorter than the stride the
// total padding would be negative: runtimes clamp it to 0, the specification
// doesn't, so that nothing is said. `output_shape` is the output's shape, also
// where it is below the input's (the schema then stops half-way).
std::optional<Dimension> ConvTransposeDim(const Dimension& in,
                                          const Window& window, int i) {
  const WindowAxis& w = window.axes[i];
  Dimension out;
  if (!window.output_shape.empty()) {
    out.set_dim_value(window.output_shape[i]);
    return out;
  }
  if (!window.same) return std::nullopt;
  if (w.effective_kernel + w.output_padding < w.stride) return out;
  if (in.has_dim_value()) {
    out.set_dim_value(in.dim_value() * w.stride);
  } else if (w.stride == 1) {
    out = in;
  }
  return out;
}

void CorrectWindows(Override kind, const Node& node, TypeScope& scope,
                    std::vector<onnx::TypeProto>& outputs) {
  const std::optional<Window> window = ReadWindow(kind, node, scope);
  if (!window) return;
  const TensorShapeProto* input = scope.ShapeOf(node.input(0));
  const int rank = static_cast<int>(window->axes.size()) + 2;
  for (onnx::TypeProto& output : outputs) {
    if (!output.has_tensor_type() || input == nullptr) continue;
    TensorShapeProto* shape = output.mutable_tensor_type()->mutable_shape();
    if (shape->dim_size() == 0) {  // Sizes of a kernel that aren't known.
      *shape->add_dim() = input->dim(0);
      if (kind == Override::kPool) *shape->add_dim() = input->dim(1);
    }
    while (shape->dim_size() < rank) shape->add_dim();
    for (int i = 0; i + 2 < rank; ++i) {
      const Dimension& in = input->dim(i + 2);
      const std::optional<Dimension> dim =
          kind == Override::kConvTranspose ? ConvTransposeDim(in, *window, i)
                                           : ConvOrPoolDim(in, *window, i);
      if (dim) *shape->mutable_dim(i + 2) = *dim;
    }
  }
}

}  // namespace

Override OverrideFor(const Operator& op) {
  if (!op.domain.empty()) return Override::kNone;
  const std::string& type = op.op_type;
  if (type == "Conv" || type == "ConvInteger" || type == "QLinearConv") {
    return Override::kConv;
  }
  if (type == "MaxPool" || type == "AveragePool" || type == "LpPool") {
    return Override::kPool;
  }
  if (type == "ConvTranspose") return Override::kConvTranspose;
  if (type == "Reshape" && op.version >= 5) return Override::kReshape;
  return Override::kNone;
}

AttributeFilter::AttributeFilter(Override kind, const Node& node,
                                 const TypeScope& scope) {
  if (kind == Override::kNone || kind == Override::kReshape) return;
  const std::string auto_pad = AutoPad(node, scope);
  hide_pads_ = !auto_pad.empty() && auto_pad != "NOTSET";
  hide_ceil_mode_ = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
}

bool AttributeFilter::Hides(const Node&, const std::string& name) const {
  return (hide_pads_ && name == "pads") ||
         (hide_ceil_mode_ && name == "ceil_mode");
}

void CorrectOutputs(Override kind, const Node& node, TypeScope& scope,
                    std::vector<onnx::TypeProto>& outputs) {
  if (kind == Override::kNone || outputs.empty()) return;
  if (kind == Override::kReshape) {
    CorrectReshape(node, scope, &outputs[0]);
  } else {
    CorrectWindows(kind, node, scope, outputs);
  }
}

}  // namespace onnx_legalize
