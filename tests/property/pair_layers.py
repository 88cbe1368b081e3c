# SPDX-License-Identifier: Apache-2.0
"""More operators for pair_graphs: layers, windows, scatters, subgraphs.

Each function gets the Grower, the operator and its schema at the model's opset, and
gives (inputs, attributes), or None where what it drew doesn't suit."""

import numpy as np
from onnx import TensorProto, helper


def _elem(x):
    return helper.np_dtype_to_tensor_dtype(x.dtype)


def _ints(g, *values):
    return g.constant(np.array(values, np.int64))


def _of_rank(g, schema, low, high=5):
    name, x = g.operand(g.types(schema))
    return (name, x) if low <= x.ndim <= high else (None, None)


def _new(g, like, shape):
    return g.new_input(str(like.dtype), tuple(shape), symbolic=False)[0]


def matmul(g, op, schema):
    name, x = _of_rank(g, schema, 2, 4)
    if name is None:
        return None
    other = _new(g, x, (x.shape[-1], int(g.random.integers(1, 4))))
    if op == "Einsum":
        return [name, other], {"equation": "...ij,jk->...ik"}
    if op == "Gemm":
        return ([name, other, _new(g, x, (1,))], {"alpha": 0.5}) if x.ndim == 2 else None
    return [name, other], {}


def conv(g, op, schema):
    name, x = _of_rank(g, schema, 3)
    if name is None:
        return None
    dims = x.ndim - 2
    kernel = [int(g.random.integers(1, min(3, n) + 1)) for n in x.shape[2:]]
    maps = int(g.random.integers(1, 3))
    channels = (maps, x.shape[1]) if op == "Conv" else (x.shape[1], maps)
    attributes = {"strides": [int(g.random.integers(1, 3)) for _ in range(dims)],
                  "pads": [int(g.random.integers(0, 2)) for _ in range(2 * dims)]}
    if op == "ConvTranspose":
        attributes["pads"] = [0] * 2 * dims
    inputs = [name, _new(g, x, (*channels, *kernel))]
    if g.random.random() < 0.5:
        inputs.append(_new(g, x, (maps,)))
    return inputs, attributes


def pool(g, op, schema):
    name, x = _of_rank(g, schema, 3)
    if name is None:
        return None
    if op.startswith("Global"):
        return [name], {}
    dims = x.ndim - 2
    return [name], {"kernel_shape": [int(g.random.integers(1, n + 1)) for n in x.shape[2:]],
                    "strides": [int(g.random.integers(1, 3)) for _ in range(dims)]}


def normalization(g, op, schema):
    name, x = _of_rank(g, schema, 3, 4)
    if name is None:
        return None
    c = x.shape[1]
    if op == "LpNormalization":
        return [name], {"axis": int(g.random.integers(x.ndim))}  # p=1: the reference errs.
    if op == "MeanVarianceNormalization":
        return ([name], {}) if x.ndim == 4 else None
    if op == "RMSNormalization":
        return [name, _new(g, x, x.shape[-1:])], {}
    if op == "GroupNormalization":
        return ([name, _new(g, x, (c,)), _new(g, x, (c,))], {"num_groups": 1}) \
            if g.opset >= 21 else None
    inputs = [name, _new(g, x, (c,)), _new(g, x, (c,))]
    if op == "BatchNormalization":
        if g.opset < 15:
            return None  # The reference reads older ones otherwise.
        variance = np.abs(g.random.normal(1, 0.3, c)).astype(x.dtype) + x.dtype.type(0.1)
        inputs += [_new(g, x, (c,)), g.constant(variance)]
    return inputs, {}


def resize(g, op, schema):
    name, x = g.operand(["float32"])
    if x.ndim != 4 or g.opset < 11:
        return None
    sizes = [*x.shape[:2], *(int(g.random.integers(1, 6)) for _ in range(2))]
    modes = (("nearest", "asymmetric"), ("linear", "half_pixel"), ("linear", "asymmetric"),
             ("linear", "align_corners"))
    mode, place = g.pick(modes)
    attributes = {"mode": mode, "coordinate_transformation_mode": place}
    if mode == "nearest":
        attributes["nearest_mode"] = "floor"
    empty = "" if g.opset >= 13 else g.constant(np.array([], np.float32))
    return [name, empty, empty, _ints(g, *sizes)], attributes


def space(g, op, schema):
    name, x = _of_rank(g, schema, 4, 4)
    if name is None or (x.shape[1] % 4 if op == "DepthToSpace" else any(
            n % 2 for n in x.shape[2:])):
        return None
    return [name], {"blocksize": 2}


def index(g, op, schema):
    name, x = _of_rank(g, schema, 2, 4)
    if name is None:
        return None
    n = x.shape[0]
    if op == "GatherND":
        return [name, g.constant(g.random.integers(-n, n, (2, 1)))], {}
    if op == "ScatterND":
        row = g.constant(np.array([[int(g.random.integers(n))]]))
        return [name, row, _new(g, x, (1, *x.shape[1:]))], {}
    if op == "ScatterElements":
        rows = g.constant(np.broadcast_to(g.random.permutation(n).reshape(
            n, *[1] * (x.ndim - 1)), x.shape).astype(np.int64))
        return [name, rows, _new(g, x, x.shape)], {"axis": 0}
    if op == "Compress":
        return [name, g.constant(g.random.random(n) < 0.5)], {"axis": 0}
    if op == "ReverseSequence":
        lengths = g.constant(g.random.integers(1, n + 1, x.shape[1]))
        return [name, lengths], {"time_axis": 0, "batch_axis": 1}
    if op == "EyeLike":
        return ([name], {"k": int(g.random.integers(-1, 2))}) if x.ndim == 2 else None
    if op == "Det":
        return ([name], {}) if x.shape[-1] == x.shape[-2] else None
    return [name], {}


def quantize(g, op, schema):
    scale = g.constant(np.array(0.25, np.float32))
    kind = g.pick(["int8", "uint8"])
    zero = g.constant(np.array(3, kind))
    name = g.operand(["float32"] if op == "QuantizeLinear" else [kind])[0]
    return [name, scale, zero], {}


def shift(g, op, schema):
    name, x = g.operand(g.types(schema))
    amounts = np.minimum(g.random.integers(0, 5, x.shape), 7).astype(x.dtype)
    return [name, g.constant(amounts)], {"direction": g.pick(["LEFT", "RIGHT"])}


def attention(g, op, schema):
    name, x = g.operand(["float32", "float64"])
    if x.ndim != 4:
        return None
    return [name, name, name], {"is_causal": int(g.random.integers(2))}


def branch(g, op, schema):
    """If, whose branches read the value outside."""
    name, x = g.operand(["float32", "int64", "float64", "int32"])
    yes = g.new_input("bool", (), symbolic=False)[0]
    bodies = {}
    for key, inner in (("then_branch", "Neg"), ("else_branch", "Abs")):
        out = f"{key}_{name}_{len(g.nodes)}"
        info = helper.make_tensor_value_info(out, _elem(x), [None] * x.ndim)
        bodies[key] = helper.make_graph([helper.make_node(inner, [name], [out])], key, [], [info])
    return [yes], bodies


def loop(g, op, schema):
    """Loop, which doubles a value three times and collects what it was."""
    name, x = g.operand(["float32", "int64"])
    tag = len(g.nodes)
    dims = [None] * x.ndim
    value = helper.make_tensor_value_info
    body = helper.make_graph(
        [helper.make_node("Identity", [f"lc{tag}"], [f"ld{tag}"]),
         helper.make_node("Add", [f"lv{tag}", f"lv{tag}"], [f"lw{tag}"]),
         helper.make_node("Max", [f"lv{tag}", name], [f"ls{tag}"])],
        "body",
        [value(f"li{tag}", TensorProto.INT64, []), value(f"lc{tag}", TensorProto.BOOL, []),
         value(f"lv{tag}", _elem(x), dims)],
        [value(f"ld{tag}", TensorProto.BOOL, []), value(f"lw{tag}", _elem(x), dims),
         value(f"ls{tag}", _elem(x), dims)])
    return [g.constant(np.array(3, np.int64)), g.constant(np.array(True)), name], {"body": body}


LAYERS = {
    **dict.fromkeys(("MatMul", "Gemm", "Einsum"), matmul),
    **dict.fromkeys(("Conv", "ConvTranspose"), conv),
    **dict.fromkeys(("MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool"), pool),
    **dict.fromkeys(("BatchNormalization", "InstanceNormalization", "GroupNormalization",
                     "RMSNormalization", "LpNormalization", "MeanVarianceNormalization"),
                    normalization),
    "Resize": resize,
    **dict.fromkeys(("DepthToSpace", "SpaceToDepth"), space),
    **dict.fromkeys(("GatherND", "ScatterND", "ScatterElements", "Compress", "ReverseSequence",
                     "EyeLike", "Det", "NonZero"), index),
    **dict.fromkeys(("QuantizeLinear", "DequantizeLinear"), quantize),
    "BitShift": shift, "Attention": attention, "If": branch, "Loop": loop,
}
# What these make of NaN and infinity differs from runtime to runtime.
FINITE_LAYERS = set(LAYERS) - {"If", "Compress", "GatherND", "ScatterND", "ScatterElements",
                               "DepthToSpace", "SpaceToDepth", "ReverseSequence"}
