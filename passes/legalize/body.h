// SPDX-License-Identifier: Apache-2.0
//
// Body: what a lowering writes: the nodes that take one node's place. Nothing
// of the model changes until the driver inserts a finished body, so that a
// lowering may decline at any point.
//
//   std::optional<std::string> LowerMish(Body& b) {
//     const Ref x = b.In(0);
//     b.Return({b.Op("Mul", {x, b.Op("Tanh", {b.Op("Softplus", {x})})})});
//     return std::nullopt;
//   }

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_BODY_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_BODY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx_legalize/graph.h"
#include "onnx_legalize/legalize.h"
#include "onnx_legalize/rewriter.h"
#include "ops/inference.h"

namespace onnx_legalize {

// A value of a body, by name; "" is an absent optional input.
using Ref = std::string;
using Refs = std::vector<Ref>;
using Attributes = std::vector<AttributeInit>;

// An attribute that holds a list of floats or of strings, or another's copy.
AttributeInit FloatsAttribute(absl::string_view name,
                              const std::vector<float>& values);
AttributeInit StringsAttribute(absl::string_view name,
                               const std::vector<std::string>& values);

class Body {
 public:
  // What is emitted is of opset 13 unless the lowering says SetOpset, whatever
  // the model's opset: the driver steps it up or down.
  static constexpr int kOpset = 13;

  Body(const Node& node, const TypeInference& types);

  // --- The node that is lowered
  const Node& node() const { return node_; }
  int num_inputs() const { return node_.num_inputs(); }
  bool Has(int i) const { return node_.input(i) != nullptr; }
  // Input `i` of the node; "" where it is absent.
  Ref In(int i) const;
  // Its element type; 0 where it is absent, unknown, or no tensor.
  int32_t Type(int i) const;
  std::optional<int> Rank(int i) const;
  std::optional<int64_t> Dim(int i, int axis) const;       // axis >= 0
  std::optional<std::vector<int64_t>> Shape(int i) const;  // All dims known.
  // Elements that are known before the model runs, of any rank.
  std::optional<std::vector<int64_t>> KnownInts(int i) const;
  std::optional<std::vector<double>> KnownFloats(int i) const;
  // The constant tensor that input `i` is, or null.
  const Tensor* Constant(int i) const;
  bool OutputUsed(int i) const {
    return node_.output(i) != nullptr && node_.output(i)->has_uses();
  }
  int32_t OutType(int i) const;
  std::optional<int> OutRank(int i) const;
  // The node's attributes as they stand, ready to be given to Op, without those
  // named.
  Attributes AttributesWithout(
      const std::vector<absl::string_view>& names = {}) const;
  std::optional<std::vector<float>> FloatsAttr(absl::string_view name) const;
  std::optional<std::vector<std::string>> StringsAttr(
      absl::string_view name) const;

  // --- Emitting
  void SetOpset(int version) { SetDomainOpset("", version); }
  void SetDomainOpset(absl::string_view domain, int version);
  int opset() const { return opset_; }
  Ref Op(absl::string_view op_type, const Refs& inputs,
         const Attributes& attributes = {});
  // With `outputs` outputs, in any domain that SetDomainOpset was told of.
  Refs OpN(absl::string_view op_type, const Refs& inputs, int outputs,
           const Attributes& attributes = {}, absl::string_view domain = "");
  // Appends the nodes of `function`, at its imports (which become the body's),
  // and returns its outputs.
  absl::StatusOr<Refs> Call(const onnx::FunctionProto& function,
                            const Refs& inputs);

  // Constants.
  Ref Ints(const std::vector<int64_t>& values);  // int64 [n]
  Ref Int(int64_t value);                        // int64 []
  Ref Float(double value) { return Typed(value, onnx::TensorProto::FLOAT); }
  // One element, rank 0, of any number type or bool, rounded to it.
  Ref Typed(double value, int32_t elem_type);
  // `values` in row-major order, of any number type or bool.
  Ref Typed(const std::vector<double>& values, const std::vector<int64_t>& dims,
            int32_t elem_type);
  Ref Raw(int32_t elem_type, const std::vector<int64_t>& dims, std::string raw);
  Ref String(const std::string& value);  // Rank 0.

  // Op with an opset-13 form that is tedious to write.
  Ref Cast(const Ref& x, int32_t to);
  Ref Unsqueeze(const Ref& x, const std::vector<int64_t>& axes);
  Ref Squeeze(const Ref& x, const std::vector<int64_t>& axes);
  Ref Reshape(const Ref& x, const std::vector<int64_t>& shape);  // 0: copied.
  Ref Transpose(const Ref& x, const std::vector<int64_t>& perm);
  Ref Concat(const Refs& parts, int64_t axis);
  // x[start:end] along one axis.
  Ref Slice(const Ref& x, int64_t axis, int64_t start, int64_t end);
  Ref Gather(const Ref& x, const Ref& indices, int64_t axis);
  // One element of a rank-1 tensor, as a scalar; x's index-th slice in general.
  Ref At(const Ref& x, int64_t index, int64_t axis = 0);
  Ref ShapeOf(const Ref& x) { return Op("Shape", {x}); }  // int64 [rank]
  Ref DimOf(const Ref& x, int64_t axis);  // int64 [1]; axis >= 0.
  Ref RankOf(const Ref& x) { return Op("Size", {ShapeOf(x)}); }  // int64 []
  Ref Add(const Ref& a, const Ref& b) { return Op("Add", {a, b}); }
  Ref Sub(const Ref& a, const Ref& b) { return Op("Sub", {a, b}); }
  Ref Mul(const Ref& a, const Ref& b) { return Op("Mul", {a, b}); }
  Ref Div(const Ref& a, const Ref& b) { return Op("Div", {a, b}); }
  Ref Where(const Ref& c, const Ref& a, const Ref& b) {
    return Op("Where", {c, a, b});
  }
  // ReduceSum-13 and ReduceMax-13 etc. keep their own forms.
  Ref ReduceSum(const Ref& x, const std::vector<int64_t>& axes, bool keepdims);

  // The values that take the outputs' places, one each; "" for an unused one.
  void Return(const Refs& outputs) { outputs_ = outputs; }

  // --- For the report
  // One line on what was done; the lowering's summary stands if it isn't said.
  void Say(std::string what) { what_ = std::move(what); }
  // Where this node's rewrite is more or less faithful than the lowering says.
  void SetExactness(Exactness exactness) { exactness_ = exactness; }

  // --- For the driver
  const std::string& what() const { return what_; }
  const std::optional<Exactness>& exactness() const { return exactness_; }
  // The finished body: parameters are the node's inputs.
  onnx::FunctionProto Finish() const;

 private:
  std::string NewName(absl::string_view base);

  const Node& node_;
  const TypeInference& types_;
  onnx::FunctionProto proto_;
  Refs outputs_;
  int opset_ = kOpset;
  int counter_ = 0;
  std::string what_;
  std::optional<Exactness> exactness_;
};

// A constant's elements in ONNX's raw_data layout, rounded to `elem_type`
// (numbers and bool; empty for others).
std::string EncodeElements(const std::vector<double>& values,
                           int32_t elem_type);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_BODY_H_
