# SPDX-License-Identifier: Apache-2.0
"""Random small models of several operators, types, ranks and opsets.

A graph is grown node by node: an operator is drawn from TABLE, at the opset of
the model, with operands among the values that there are or new inputs, so that
one node reads what another makes. What a draw can't use it leaves out."""

import numpy as np
import onnx
from onnx import TensorProto, helper
from onnx.defs import get_schema
from pair_layers import FINITE_LAYERS, LAYERS

FLOATS = ("float32", "float64", "float16")
INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
ALL = (*FLOATS, *INTS, "bool")
EDGES = {
    "f": [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 1e-3],
    "i": [0, 1, -1, 2, 7],
    "u": [0, 1, 2, 7],
}

UNARY = ("Abs Neg Ceil Floor Sqrt Exp Log Relu Sigmoid Tanh Sign Round Sin Cos Erf Softplus "
         "Softsign Elu Selu LeakyRelu HardSigmoid HardSwish Reciprocal Identity Not IsNaN Celu "
         "ThresholdedRelu Mish Gelu BitwiseNot").split()
BINARY = ("Add Sub Mul Div Pow Max Min Equal Less Greater LessOrEqual GreaterOrEqual And Or Xor "
          "BitwiseAnd BitwiseOr BitwiseXor Mod PRelu").split()
REDUCE = ("ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 "
          "ReduceSumSquare ReduceLogSumExp ReduceLogSum").split()
AXIS = "Softmax LogSoftmax Hardmax CumSum ArgMax ArgMin".split()
SHAPE = ("Transpose Unsqueeze Squeeze Reshape Concat Slice Gather Expand Tile Flatten Pad Split "
         "Where Trilu Clip Cast TopK Shape Size LayerNormalization GatherElements").split()
# What these make of NaN and infinity differs from runtime to runtime.
FINITE_ONLY = {*REDUCE, *AXIS, "Max", "Min", "Relu", "Sign", "Clip", "Cast", "TopK", "Pow", "Mod",
               "LayerNormalization", "Celu", "ThresholdedRelu", "Elu", "Selu", "HardSwish",
               "Softplus", "Softsign", "Mish", "Gelu", "PRelu", "LeakyRelu", "HardSigmoid",
               "Sigmoid", "Tanh", "Erf", "Sin", "Cos", *FINITE_LAYERS}
# A rounding of a 16-bit float can become a step of these, or grow in them.
STEPS = {"Floor", "Ceil", "Round", "Sign", "Log", "Mod", "Hardmax", "ArgMax", "ArgMin", "TopK",
         "Cast", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Not",
         "ThresholdedRelu", "Reciprocal", "Div", "Pow", "Exp", "Unique", "NonZero", "IsNaN",
         "QuantizeLinear"}
TABLE = UNARY + BINARY + REDUCE * 2 + AXIS * 2 + SHAPE * 2 + list(LAYERS) * 3


class Grower:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.opset = int(self.random.integers(8, 28))
        self.values = []  # (name, array as the reference would type it)
        self.inputs, self.feeds, self.initializers, self.nodes = [], {}, [], []

    def pick(self, items):
        return items[int(self.random.integers(len(items)))]

    def array(self, dtype, shape):
        kind = np.dtype(dtype).kind
        if kind == "b":
            return self.random.integers(0, 2, shape).astype(bool)
        if kind == "f":
            data = self.random.normal(0, 2, shape)
        else:
            data = self.random.integers(0 if kind == "u" else -6, 9, shape)
        data = np.asarray(data).astype(dtype)
        if data.size and self.random.random() < 0.2:
            data.flat[int(self.random.integers(data.size))] = np.dtype(dtype).type(
                self.pick(EDGES[kind]))
        return data

    def shape(self):
        rank = int(self.random.integers(0, 5))
        return tuple(int(d) for d in self.random.choice([1, 2, 3, 4], rank))

    def new_input(self, dtype, shape, symbolic=True):
        name = f"x{len(self.inputs)}"
        data = self.array(dtype, shape)
        dims = [f"{name}_{i}" if symbolic and self.random.random() < 0.3 else d
                for i, d in enumerate(shape)]
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        self.inputs.append(helper.make_tensor_value_info(name, kind, dims))
        self.feeds[name] = data
        self.values.append((name, data))
        return name, data

    def constant(self, data):
        name = f"c{len(self.initializers)}"
        self.initializers.append(onnx.numpy_helper.from_array(np.asarray(data), name))
        return name

    def operand(self, types):
        fit = [v for v in self.values if str(v[1].dtype) in types]
        if fit and self.random.random() < 0.7:
            return self.pick(fit)
        return self.new_input(self.pick(types), self.shape())

    def types(self, schema, index=0):
        formal = schema.inputs[min(index, len(schema.inputs) - 1)]
        names = {"tensor(float)": "float32", "tensor(double)": "float64"}
        allowed = [names.get(t, t[7:-1]) for t in sorted(formal.types)]
        return [t for t in allowed if t in ALL]


def _binary(g, op, schema):
    name, x = g.operand(g.types(schema))
    fit = [v for v in g.values if v[1].dtype == x.dtype and v[1].shape == x.shape]
    if fit and g.random.random() < 0.5:
        other = g.pick(fit)[0]
    else:
        shape = tuple(1 if g.random.random() < 0.4 else d for d in x.shape)
        other = g.new_input(str(x.dtype), shape, symbolic=False)[0]
    attributes = {"fmod": 1} if op == "Mod" and x.dtype.kind == "f" else {}
    if op in ("Div", "Mod") and x.dtype.kind in "iu":
        other = g.constant(np.full((), 3, x.dtype))
    return [name, other], attributes


def _reduce(g, op, schema):
    name, x = g.operand(g.types(schema))
    attributes, inputs = {"keepdims": int(g.random.integers(2))}, [name]
    axes = [i for i in range(x.ndim) if g.random.random() < 0.5]
    if axes and g.random.random() < 0.8:
        if "axes" in schema.attributes:
            attributes["axes"] = axes
        else:
            inputs.append(g.constant(np.array(axes, np.int64)))
    return inputs, attributes


def _axis(g, op, schema):
    name, x = g.operand(g.types(schema))
    if x.ndim == 0:
        return None
    axis = int(g.random.integers(x.ndim))
    if g.opset < 13 and "max" in op and op[0] != "A":
        axis = x.ndim - 1  # The reference doesn't flatten as these opsets say.
    if op == "Hardmax" and not np.isfinite(x.astype(np.float64)).all():
        return None  # Nothing says which element wins.
    if op == "CumSum":
        return [name, g.constant(np.array(axis, np.int64))], {
            "exclusive": int(g.random.integers(2)), "reverse": int(g.random.integers(2))}
    return [name], {"axis": axis}


def _shape_op(g, op, schema):
    name, x = g.operand(g.types(schema, 1 if op == "Where" else 0))
    rank = x.ndim
    axis = int(g.random.integers(rank)) if rank else 0
    ints = lambda *v: g.constant(np.array(v, np.int64))  # noqa: E731
    if op in ("Shape", "Size"):
        return [name], {}
    if op == "Cast":
        return [name], {"to": helper.np_dtype_to_tensor_dtype(np.dtype(g.pick(
            [t for t in ALL if t not in ("float16",)])))}
    if op == "Unsqueeze":
        return ([name, ints(0)], {}) if g.opset >= 13 else ([name], {"axes": [0]})
    if op == "Expand":
        return [name, ints(2, *x.shape)], {}
    if op == "Where":
        condition = g.new_input("bool", x.shape, symbolic=False)[0]
        return [condition, name, g.new_input(str(x.dtype), x.shape, symbolic=False)[0]], {}
    if op == "Clip" and g.opset >= 11:
        return [name, g.constant(np.array(1, x.dtype)), g.constant(np.array(5, x.dtype))], {}
    if rank == 0:
        return None
    if op == "Transpose":
        return [name], {"perm": [int(i) for i in g.random.permutation(rank)]}
    if op == "Squeeze" and x.shape[axis] == 1:
        return ([name, ints(axis)], {}) if g.opset >= 13 else ([name], {"axes": [axis]})
    if op == "Reshape":
        return [name, ints(-1, x.shape[-1])], {}
    if op == "Concat":
        return [name, name], {"axis": axis}
    if op == "Slice":
        if g.opset < 10:
            return [name], {"starts": [0], "ends": [2], "axes": [axis]}
        return [name, ints(-2), ints(9), ints(axis)], {}
    if op == "Gather":
        return [name, ints(0, x.shape[axis] - 1)], {"axis": axis}
    if op == "GatherElements":
        return [name, g.constant(np.zeros(x.shape, np.int64))], {"axis": axis}
    if op == "Tile":
        return [name, ints(*[2] * rank)], {}
    if op == "Flatten":
        return [name], {"axis": axis}
    if op == "Pad":
        pads = [1] * (2 * rank)
        return ([name, ints(*pads)], {}) if g.opset >= 11 else ([name], {"pads": pads})
    if op == "Split" and x.shape[axis] % 2 == 0:
        return [name], ({"axis": axis, "num_outputs": 2} if g.opset >= 18 else {"axis": axis})
    if op == "Trilu" and rank > 1:
        return [name, g.constant(np.array(int(g.random.integers(-2, 3)), np.int64))], {
            "upper": int(g.random.integers(2))}
    if op == "TopK" and g.opset >= 11:
        return [name, ints(x.shape[axis])], {"axis": axis}
    if op == "LayerNormalization":
        scale = g.constant(g.array(str(x.dtype), x.shape[axis:]))
        return [name, scale], {"axis": axis}
    return None


def _build(g, op):
    try:
        schema = get_schema(op, g.opset, "")
    except Exception:  # Not yet an operator at this opset.
        return None
    if op in BINARY:
        return _binary(g, op, schema)
    if op in REDUCE:
        return _reduce(g, op, schema)
    if op in AXIS:
        return _axis(g, op, schema)
    if op in SHAPE:
        return _shape_op(g, op, schema)
    if op in LAYERS:
        return LAYERS[op](g, op, schema)
    return [g.operand(g.types(schema))[0]], {}


def draw(seed, evaluate):
    """(model, feeds, [outputs]) of a seed; None where nothing came of it.

    `evaluate` runs a model on feeds and gives all outputs or raises."""
    g = Grower(seed)
    wanted = int(g.random.integers(1, 5))
    for _ in range(12):
        if len(g.nodes) == wanted:
            break
        op = g.pick(TABLE)
        state = len(g.inputs), len(g.initializers), len(g.values), dict(g.feeds)
        node = None
        built = _build(g, op)
        if built is not None:
            inputs, attributes = built
            outputs = [f"y{len(g.nodes)}_{k}" for k in range(2 if op in ("Split", "TopK", "Loop") else 1)]
            node = helper.make_node(op, inputs, outputs, **attributes)
            known = dict(g.values)
            if op in FINITE_ONLY and not all(
                    np.isfinite(known[i].astype(np.float64)).all() for i in inputs if i in known):
                node = None
            elif op in STEPS and any(i.startswith("y") and known[i].dtype == np.float16
                                     for i in inputs if i in known):
                node = None
            else:
                results = _try(g, node, evaluate)
        if node is None or results is None:
            del g.inputs[state[0]:], g.initializers[state[1]:], g.values[state[2]:]
            g.feeds = state[3]
            continue
        g.nodes.append(node)
        g.values += list(zip(node.output, results))
    if not g.nodes:
        return None
    made = [v for v in g.values if v[0].startswith("y")]
    return _model(g, g.nodes, made), g.feeds, [v for _, v in made]


def _model(g, nodes, outputs):
    infos = [helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(value.dtype), [None] * value.ndim)
        for name, value in outputs]
    graph = helper.make_graph(nodes, "pairs", g.inputs, infos, g.initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", g.opset)],
                             ir_version=min(10, helper.VERSION_TABLE[-1][1]))


def _try(g, node, evaluate):
    """The node's results by the reference, or None: refused, or a hostile value."""
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
               for name in node.output]
    graph = helper.make_graph([*g.nodes, node], "try", g.inputs, outputs, g.initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", g.opset)])
    try:
        with np.errstate(all="ignore"):
            results = [np.asarray(r) for r in evaluate(model, g.feeds)]
        typed = _model(g, [*g.nodes, node], list(zip(node.output, results)))
        onnx.checker.check_model(typed, full_check=True)
    except Exception:
        return None
    if any(str(r.dtype) not in ALL or r.size > 4096 for r in results):
        return None
    return results
