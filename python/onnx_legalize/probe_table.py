# SPDX-License-Identifier: Apache-2.0
"""The probes of attributes and inputs: a line each, or a line for each of a kind.

To add one: name, operator, inputs, attributes, and (where the attributes alone
don't say it) `when`, the class of nodes that the outcome stands for. See Probe.
"""

import functools

import numpy as np

from onnx_legalize import probe_expect
from onnx_legalize.probe_attributes import Probe, floats, ints

PROBES = []


def probe(*args, **kwargs):
    PROBES.append(Probe(*args, **kwargs))


def i64(*values):
    return np.array(values, np.int64)


def f32(*values):
    return np.array(values, np.float32)


def s(*values):
    return np.array(values, dtype=object)


def scalar(value, dtype=np.float32):
    return np.array(value, dtype)


# Convolutions and pools. ---------------------------------------------------

def window(name, op, size, kernel, when=None, weights=1, **attributes):
    """One of Conv, ConvTranspose, MaxPool, AveragePool, LpPool on an input of that size."""
    x = floats(1, 2 if op.startswith("Conv") else 1, *size)
    if op == "Conv":
        probe(f"conv-{name}", op, [x, floats(weights, 2, *kernel)], attributes, when)
    elif op == "ConvTranspose":
        w = floats(2, 1, *kernel)
        probe(f"convtranspose-{name}", op, [x, w], attributes, when,
              expect=lambda x, w: probe_expect.conv_transpose(x, w, **attributes))
    else:
        attributes["kernel_shape"] = list(kernel)
        shown = {k: v for k, v in attributes.items() if k != "kernel_shape"}
        probe(f"{op.lower()}-{name}", op, [x], attributes, shown if when is None else when,
              expect=lambda x: probe_expect.pool(op, x, **attributes))


for _op in ("Conv", "ConvTranspose", "MaxPool", "AveragePool", "LpPool"):
    for _auto in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        _pad = _auto.lower()
        window(_pad, _op, [7, 6], [3, 3], {"auto_pad": _auto}, auto_pad=_auto)
        window(f"{_pad}-strided", _op, [7, 6], [3, 3], {"auto_pad": _auto, "strides.any>": 1}, auto_pad=_auto, strides=[2, 3])
        window(f"{_pad}-gap", _op, [7, 6], [3, 2], {"auto_pad": _auto, "strides.exceed_kernel": True}, auto_pad=_auto, strides=[2, 3])
        window(f"{_pad}-1d", _op, [7], [4], {"auto_pad": _auto, "input[0].rank": 3}, auto_pad=_auto)
        window(f"{_pad}-dilated", _op, [9, 8], [3, 2], {"auto_pad": _auto, "dilations.any>": 1}, auto_pad=_auto, dilations=[2, 3])
    for _rank in (1, 2, 3):
        _when = {"input[0].rank": _rank + 2}
        window(f"rank{_rank + 2}", _op, [6] * _rank, [3] * _rank, _when)
        window(f"asymmetric-rank{_rank + 2}", _op, [6] * _rank, [3] * _rank, dict(_when, **{"pads.asymmetric": True}), pads=[0] * _rank + [1] * _rank)
        window(f"dilated-rank{_rank + 2}", _op, [8] * _rank, [3] * _rank, dict(_when, **{"dilations.any>": 1}), dilations=[2] * _rank)
        if _op.endswith("Pool"):
            _ceil = dict(_when, ceil_mode=1)
            window(f"ceil-rank{_rank + 2}", _op, [6] * _rank, [3] * _rank, _ceil, ceil_mode=1, strides=[2] * _rank)
            window(f"ceil-padded-rank{_rank + 2}", _op, [6] * _rank, [3] * _rank, dict(_ceil, **{"pads.any>": 0}), ceil_mode=1, strides=[2] * _rank, pads=[1] * 2 * _rank)
            window(f"ceil-gap-rank{_rank + 2}", _op, [10] * _rank, [1] * _rank, dict(_ceil, **{"strides.exceed_kernel": True}), ceil_mode=1, strides=[4] * _rank)
            window(f"ceil-dilated-rank{_rank + 2}", _op, [8] * _rank, [3] * _rank, dict(_ceil, **{"dilations.any>": 1}), ceil_mode=1, strides=[2] * _rank, dilations=[2] * _rank)
    if _op.endswith("Pool"):
        window("ceil-overhang", _op, [4, 4], [2, 2], {"ceil_mode": 1, "pads.any>": 0}, ceil_mode=1, strides=[2, 2], pads=[0, 0, 1, 1])
    window("strided-padded", _op, [7, 6], [3, 3], {"strides.any>": 1, "pads.any>": 0}, strides=[2, 2], pads=[1, 1, 1, 1])
for _rank in (1, 2, 3):
    _when = {"input[0].rank": _rank + 2, "count_include_pad": 1}
    window(f"include_pad-rank{_rank + 2}", "AveragePool", [6] * _rank, [3] * _rank, dict(_when, ceil_mode=0), count_include_pad=1, pads=[1] * 2 * _rank)
    window(f"include_pad-dilated-rank{_rank + 2}", "AveragePool", [6] * _rank, [3] * _rank, dict(_when, **{"dilations.any>": 1}), count_include_pad=1, pads=[1] * 2 * _rank, dilations=[2] * _rank)
    window(f"include_pad-ceil-rank{_rank + 2}", "AveragePool", [6] * _rank, [3] * _rank, dict(_when, ceil_mode=1), count_include_pad=1, ceil_mode=1, pads=[1] * 2 * _rank, strides=[2] * _rank)
window("p1", "LpPool", [5, 5], [2, 2], p=1)
window("p3", "LpPool", [5, 5], [2, 2], p=3)
window("output_padding", "ConvTranspose", [3, 4], [3, 3], {"output_padding.any>": 0}, strides=[3, 2], output_padding=[1, 1])
window("output_shape", "ConvTranspose", [3, 4], [3, 3], {"output_shape.set": True}, strides=[3, 2], output_shape=[10, 8])
window("output_shape-odd", "ConvTranspose", [3, 4], [3, 3], {"output_shape.set": True, "auto_pad": "NOTSET"}, strides=[3, 2], output_shape=[8, 8])
window("output_shape-same_upper", "ConvTranspose", [3, 4], [3, 3], {"output_shape.set": True, "auto_pad": "SAME_UPPER"}, strides=[3, 2], output_shape=[8, 8], auto_pad="SAME_UPPER")
window("dilated-strided", "ConvTranspose", [3, 4], [3, 3], {"strides.any>": 1, "dilations.any>": 1}, strides=[3, 2], dilations=[2, 3], pads=[1, 0, 1, 2])
probe("conv-group", "Conv", [floats(1, 4, 5, 5), floats(4, 2, 3, 3), floats(4)], {"group": 2}, {"group": 2})
probe("conv-depthwise", "Conv", [floats(1, 4, 5, 5), floats(8, 1, 3, 3), floats(8)], {"group": 4, "pads": [1, 1, 1, 1]}, {"group": 4})
probe("convtranspose-group", "ConvTranspose", [floats(1, 4, 3, 3), floats(4, 2, 3, 3), floats(4)], {"group": 2}, {"group": 2},
      expect=lambda x, w, b: probe_expect.conv_transpose(x, w, b, group=2))
probe("conv-empty-batch", "Conv", [floats(0, 2, 5, 5), floats(1, 2, 3, 3)], {}, {"input[0].empty": True}, expect=floats(0, 1, 3, 3))
probe("conv-constant-weight", "Conv", [floats(1, 2, 5, 5), floats(1, 2, 3, 3)], {}, {"input[1].constant": True}, constants=[1])
for _t in ("uint8", "int8", "float64", "float16"):
    probe(f"maxpool-{_t}", "MaxPool", [ints(1, 1, 6, 6, low=0, dtype=_t)], {"kernel_shape": [2, 2]}, {"input[0].type": {"float64": "double"}.get(_t, _t)},
          expect=lambda x: probe_expect.pool("MaxPool", x, [2, 2]))
probe("maxpool-indices", "MaxPool", [floats(2, 2, 4, 4)], {"kernel_shape": [2, 2], "strides": [2, 2]}, {"output[1].used": True, "storage_order": 0}, outputs=2)
probe("maxpool-indices-storage_order", "MaxPool", [floats(1, 1, 4, 4)], {"kernel_shape": [2, 2], "strides": [2, 2], "storage_order": 1}, {"output[1].used": True, "storage_order": 1}, outputs=2)
probe("maxpool-storage_order", "MaxPool", [floats(1, 1, 4, 4)], {"kernel_shape": [2, 2], "storage_order": 1}, {"storage_order": 1, "output[1].used": False})
probe("maxpool-nan", "MaxPool", [f32(1, np.nan, 2, 3).reshape(1, 1, 4)], {"kernel_shape": [2]}, {"data": "nan"}, expect=[f32(np.nan, np.nan, 3).reshape(1, 1, 3)])
probe("globalaveragepool-rank3", "GlobalAveragePool", [floats(2, 3, 5)], {}, {"input[0].rank": 3})
probe("globalaveragepool-rank5", "GlobalAveragePool", [floats(2, 3, 2, 2, 2)], {}, {"input[0].rank": 5})
probe("globalmaxpool-rank3", "GlobalMaxPool", [floats(2, 3, 5)], {}, {"input[0].rank": 3}, expect=lambda x: x.max(2, keepdims=True))
probe("globallppool-p1", "GlobalLpPool", [floats(2, 3, 5, 4)], {"p": 1}, expect=lambda x: np.abs(x).sum((2, 3), keepdims=True))
probe("maxunpool", "MaxUnpool", [floats(1, 1, 2, 2), i64(5, 7, 13, 15).reshape(1, 1, 2, 2)], {"kernel_shape": [2, 2], "strides": [2, 2]}, {})
probe("maxunpool-output_shape", "MaxUnpool", [floats(1, 1, 2, 2), i64(5, 7, 13, 15).reshape(1, 1, 2, 2), i64(1, 1, 5, 5)], {"kernel_shape": [2, 2], "strides": [2, 2]}, {"input[2].present": True})
probe("convinteger-zero-point", "ConvInteger", [ints(1, 1, 4, 4, low=0, dtype=np.uint8), ints(1, 1, 2, 2, low=0, dtype=np.uint8), scalar(3, np.uint8)], {"pads": [1, 1, 1, 1]}, {"pads.any>": 0, "input[2].present": True})
probe("convinteger-w-zero-point", "ConvInteger", [ints(1, 1, 4, 4, low=0, dtype=np.uint8), ints(1, 1, 2, 2, low=0, dtype=np.uint8), scalar(3, np.uint8), scalar(2, np.uint8)], {}, {"input[3].present": True}, expect=probe_expect.conv_integer)
probe("convinteger-w-zero-points", "ConvInteger", [ints(1, 1, 4, 4, low=0, dtype=np.uint8), ints(2, 1, 2, 2, low=0, dtype=np.uint8), scalar(3, np.uint8), np.array([1, 2], np.uint8)], {}, {"input[3].rank": 1}, expect=probe_expect.conv_integer)
probe("deformconv", "DeformConv", [floats(1, 1, 4, 4), floats(1, 1, 2, 2), floats(1, 8, 3, 3) / 8], {"kernel_shape": [2, 2]}, {})

# Recurrent operators. ------------------------------------------------------

def recurrent(name, op, when=None, directions=1, bias=True, lens=None, state=False, peepholes=False, batch=2, **attributes):
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[op]
    inputs = [floats(3, batch, 2) / 4, floats(directions, gates * 3, 2) / 4, floats(directions, gates * 3, 3) / 4,
              floats(directions, gates * 6) / 4 if bias else None, lens]
    inputs += [floats(directions, batch, 3) / 8 if state else None]
    if attributes.get("layout"):
        inputs[0] = inputs[0].swapaxes(0, 1).copy()
        inputs[5] = inputs[5].swapaxes(0, 1).copy() if state else None
    if op == "LSTM":
        inputs += [inputs[5], floats(directions, 9) / 8 if peepholes else None]
    expect = functools.partial(probe_expect.recurrent, op, **attributes)
    probe(f"{op.lower()}-{name}", op, inputs, dict(attributes, hidden_size=3), attributes if when is None else when,
          outputs=3 if op == "LSTM" else 2, expect=lambda *values: expect(*values))


for _op in ("RNN", "GRU", "LSTM"):
    recurrent("forward", _op, {"direction": "forward"})
    recurrent("reverse", _op, direction="reverse")
    recurrent("bidirectional", _op, directions=2, direction="bidirectional")
    recurrent("no-bias", _op, {"input[3].present": False}, bias=False)
    recurrent("sequence_lens", _op, {"input[4].present": True}, lens=np.array([3, 1], np.int32))
    recurrent("sequence_lens-reverse", _op, {"input[4].present": True, "direction": "reverse"}, lens=np.array([3, 1], np.int32), direction="reverse")
    recurrent("initial", _op, {"input[5].present": True}, state=True)
    recurrent("layout", _op, layout=1)
    recurrent("layout-initial", _op, {"layout": 1, "input[5].present": True}, layout=1, state=True)
    recurrent("clip", _op, {"clip.set": True}, clip=0.25)
    for _a in ("Relu", "Sigmoid", "Softsign", "Softplus", "Elu", "HardSigmoid", "LeakyRelu", "ThresholdedRelu", "Affine"):
        _n = {"RNN": 1, "GRU": 2, "LSTM": 3}[_op]
        _list = ["Sigmoid"] * (_n - 1) + [_a]
        recurrent(f"activation-{_a.lower()}", _op, {"activations.any": _a}, activations=_list,
                  **({"activation_alpha": [0.01 if _a == "LeakyRelu" else 0.2 if _a == "HardSigmoid" else 1.0] * _n, "activation_beta": [0.5 if _a == "HardSigmoid" else 0.0] * _n}
                     if _a in ("Elu", "HardSigmoid", "LeakyRelu", "ThresholdedRelu", "Affine") else {}))
recurrent("linear_before_reset", "GRU", linear_before_reset=1)
recurrent("linear_before_reset-bidirectional", "GRU", {"linear_before_reset": 1, "direction": "bidirectional"}, linear_before_reset=1, directions=2, direction="bidirectional")
recurrent("input_forget", "LSTM", input_forget=1)
recurrent("peepholes", "LSTM", {"input[7].present": True}, peepholes=True)

# Reductions. ---------------------------------------------------------------

_positive = np.abs(floats(2, 3, 4)) + np.float32(0.5)
for _op in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"):
    _name, _op = f"reduce{_op.lower()}", f"Reduce{_op}"
    _x = _positive if "Log" in _op else floats(2, 3, 4)
    probe(f"{_name}-all", _op, [_x], {"keepdims": 1}, {"axes.set": False})
    probe(f"{_name}-all-keepdims0", _op, [_x], {"keepdims": 0}, {"axes.set": False, "keepdims": 0})
    probe(f"{_name}-axes", _op, [_x], {"axes": [1]}, {"axes.set": True})
    probe(f"{_name}-negative-axes", _op, [_x], {"axes": [-1, 0], "keepdims": 0}, {"axes.any<": 0}, since=11)
    probe(f"{_name}-rank0", _op, [scalar(2.5)], {"keepdims": 0}, {"input[0].rank": 0}, expect=lambda x, op=_op: {"ReduceLogSum": np.log(x), "ReduceSumSquare": x * x}.get(op, x))
    probe(f"{_name}-rank0-keepdims", _op, [scalar(2.5)], {"keepdims": 1}, {"input[0].rank": 0, "keepdims": 1}, expect=lambda x, op=_op: {"ReduceLogSum": np.log(x), "ReduceSumSquare": x * x}.get(op, x))
    # Of these a runtime may have no kernel and expand the operator's function.
    _data = (np.arange(6).reshape(2, 3) % 4 + 1).astype(np.float64)
    _truth = {"L1": 13, "L2": np.sqrt(35), "LogSum": np.log(13), "LogSumExp": np.log(np.exp(_data).sum()), "Max": 4, "Mean": 13 / 6, "Min": 1, "Prod": 48, "Sum": 13, "SumSquare": 35}[_op[6:]]
    for _type in ("float64", "float16", "int32", "int64", "uint32", "uint64"):
        probe(f"{_name}-all-{_type}", _op, [_data.astype(_type)], {"keepdims": 0},
              {"input[1].present": False, "axes.set": False, "input[0].type": _type.replace("float64", "double")}, expect=[np.array(_truth).astype(_type)])
    probe(f"{_name}-input-axes", _op, [_x, i64(1)], {}, {"input[1].present": True})
    probe(f"{_name}-input-axes-constant", _op, [_x, i64(-1, 0)], {"keepdims": 0}, {"input[1].constant": True}, constants=[1])
    probe(f"{_name}-blank-axes", _op, [_x, None], {"keepdims": 0, "noop_with_empty_axes": 0}, {"input[1].blank": True, "noop_with_empty_axes": 0})
    probe(f"{_name}-empty-axes", _op, [_x, i64()], {"keepdims": 0}, {"input[1].empty": True, "noop_with_empty_axes": 0}, expect=None)
    if _op not in ("ReduceLogSum", "ReduceLogSumExp"):
        probe(f"{_name}-noop", _op, [_positive, i64()], {"noop_with_empty_axes": 1}, {"input[1].empty": True, "noop_with_empty_axes": 1}, constants=[1],
              expect=lambda x, a, op=_op: x * x if op == "ReduceSumSquare" else x)
        probe(f"{_name}-noop-absent", _op, [_positive], {"noop_with_empty_axes": 1}, {"input[1].present": False, "noop_with_empty_axes": 1},
              expect=lambda x, op=_op: x * x if op == "ReduceSumSquare" else x)
    else:
        probe(f"{_name}-noop", _op, [_positive, i64()], {"noop_with_empty_axes": 1}, {"input[1].empty": True, "noop_with_empty_axes": 1}, constants=[1],
              expect=lambda x, a, op=_op: np.log(x) if op == "ReduceLogSum" else x)
    if _op not in ("ReduceMax", "ReduceMin", "ReduceMean"):  # The mean of nothing is undefined.
        _zero = {"ReduceProd": 1.0, "ReduceLogSum": -np.inf, "ReduceLogSumExp": -np.inf}.get(_op, 0.0)
        probe(f"{_name}-zero-sized", _op, [floats(2, 0, 4)], {"axes": [1]}, {"axes.zero": True, "axes.set": True}, expect=np.full((2, 1, 4), _zero, np.float32))
        probe(f"{_name}-zero-sized-input-axes", _op, [floats(2, 0, 4), i64(1)], {}, {"axes.zero": True, "input[1].present": True}, expect=np.full((2, 1, 4), _zero, np.float32))
    elif _op != "ReduceMean":
        _inf = -np.inf if _op == "ReduceMax" else np.inf
        probe(f"{_name}-zero-sized-input-axes", _op, [floats(2, 0, 4), i64(1)], {}, {"axes.zero": True, "input[1].present": True}, since=18, expect=np.full((2, 1, 4), _inf, np.float32))
        probe(f"{_name}-nan", _op, [f32(1, np.nan, 2)], {}, {"data": "nan"}, expect=[f32(np.nan)])
    probe(f"{_name}-rank6", _op, [np.abs(floats(2, 1, 2, 1, 2, 2)) + 1], {"keepdims": 0}, {"input[0].rank>": 5})
probe("reducemax-zero-sized-bool", "ReduceMax", [np.zeros((2, 0), bool), i64(1)], {}, {"axes.zero": True, "input[0].type": "bool"}, expect=np.zeros((2, 1), bool))
probe("reducelogsumexp-large", "ReduceLogSumExp", [f32(1000, 1000.5)], {"keepdims": 0}, {"data": "large"})
probe("reducesum-int-overflow", "ReduceSum", [np.array([2**31 - 1, 1], np.int32)], {"keepdims": 0}, {"input[0].type": "int32", "data": "overflow"}, expect=[np.array(-2**31, np.int32)])
probe("reducesum-int64-large", "ReduceSum", [i64(2**53, 1)], {"keepdims": 0}, {"input[0].type": "int64", "data": "large"}, expect=[np.array(2**53 + 1)])
probe("reducemean-int32", "ReduceMean", [ints(2, 3, dtype=np.int32)], {"keepdims": 0}, {"input[0].type": "int32"}, expect=[np.array(0, np.int32)])
for _op in ("ArgMax", "ArgMin"):
    _x, _n = f32(2, 3, 1, 3, 1, 1).reshape(2, 3), _op.lower()
    probe(f"{_n}-axis", _op, [_x], {"axis": 1, "keepdims": 0}, {})
    probe(f"{_n}-negative-axis", _op, [_x], {"axis": -1}, {"axis": -1}, since=11)
    probe(f"{_n}-first-index", _op, [_x], {"axis": 0, "select_last_index": 0}, {"select_last_index": 0})
    probe(f"{_n}-last-index", _op, [f32(1, 2, 2, 1, 1, 1).reshape(2, 3)], {"axis": 1, "select_last_index": 1}, {"select_last_index": 1})
    probe(f"{_n}-rank1", _op, [f32(1, 3, 2)], {"axis": 0, "keepdims": 0}, {"input[0].rank": 1})

# Indices. ------------------------------------------------------------------

probe("gather-negative", "Gather", [floats(3, 4), i64(-1, 0)], {"axis": 1}, {"input[1].negative": True}, since=11)
probe("gather-negative-axis", "Gather", [floats(3, 4), i64(1, 0)], {"axis": -1}, since=11)
probe("gather-scalar", "Gather", [floats(3, 4), scalar(1, np.int64)], {}, {"input[1].rank": 0})
probe("gather-int32", "Gather", [floats(3, 4), np.array([[1, 0]], np.int32)], {}, {"input[1].type": "int32"})
probe("gather-string", "Gather", [s("a", "b", "c"), i64(2, 0)], {}, {"input[0].type": "string"})
probe("gather-empty", "Gather", [floats(3, 4), i64()], {}, {"input[1].empty": True})
probe("gatherelements-negative", "GatherElements", [floats(3, 4), i64(-1, 0, 1, -3).reshape(1, 4)], {"axis": 0}, {"input[1].negative": True})
probe("gatherelements-negative-axis", "GatherElements", [floats(3, 2), i64(1, 0, 1, 1, 0, 0).reshape(3, 2)], {"axis": -1}, {"axis": -1})
probe("gathernd-negative", "GatherND", [floats(3, 4), i64(-1, 0, 1, -2).reshape(2, 2)], {}, {"input[1].negative": True})
probe("gathernd-batch_dims", "GatherND", [floats(2, 3, 4), i64(1, 0).reshape(2, 1)], {"batch_dims": 1}, {"batch_dims": 1})
for _op in ("Scatter", "ScatterElements"):
    probe(f"{_op.lower()}-axis", _op, [floats(3, 4), i64(1, 0, 2).reshape(3, 1), f32(9, 8, 7).reshape(3, 1)], {"axis": 1}, {"axis": 1},
          expect=lambda x, i, u: [np.array([[u[r, 0] if c == i[r, 0] else x[r, c] for c in range(4)] for r in range(3)], np.float32)])
probe("scatterelements-negative", "ScatterElements", [floats(3, 4), i64(-1, 0, -2).reshape(3, 1), f32(9, 8, 7).reshape(3, 1)], {"axis": -1}, {"input[1].negative": True})
probe("scatternd", "ScatterND", [floats(4, 2), i64(1, 3).reshape(2, 1), floats(2, 2)], {}, {})
probe("scatternd-negative", "ScatterND", [floats(4, 2), i64(-1, 1).reshape(2, 1), floats(2, 2)], {}, {"input[1].negative": True}, expect=lambda x, i, u: [np.array([x[0], u[1], x[2], u[0]])])
for _r, _first in (("add", 1), ("mul", 1), ("max", 18), ("min", 18)):
    probe(f"scatterelements-{_r}", "ScatterElements", [floats(3, 4), i64(1, 1, 2).reshape(1, 3), f32(9, -8, 7).reshape(1, 3)], {"reduction": _r}, {"reduction": _r}, since=_first)
    probe(f"scatterelements-{_r}-duplicates", "ScatterElements", [floats(3, 1), i64(1, 1, 2).reshape(3, 1), f32(9, -8, 7).reshape(3, 1)], {"reduction": _r}, {"reduction": _r}, since=_first)
    probe(f"scatternd-{_r}", "ScatterND", [floats(4, 2), i64(1, 1).reshape(2, 1), floats(2, 2)], {"reduction": _r}, {"reduction": _r}, since=_first,
          expect=lambda x, i, u, f={"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}[_r]: [np.array([x[0], f(f(x[1], u[0]), u[1]), x[2], x[3]])])
probe("tensorscatter-circular", "TensorScatter", [floats(1, 4, 2), floats(1, 2, 2), i64(3)], {"mode": "circular"}, {"mode": "circular"})
probe("compress-no-axis", "Compress", [floats(2, 3), np.array([True, False, True])], {}, {"axis.set": False})
probe("compress-negative-axis", "Compress", [floats(2, 3), np.array([True, False, True])], {"axis": -1}, since=11)
probe("nonzero-rank0", "NonZero", [scalar(1.0)], {}, {"input[0].rank": 0})
probe("topk-attribute", "TopK", [floats(2, 5)], {"k": 3, "axis": 1}, {}, outputs=2, until=1, expect=lambda x: [np.sort(x)[:, :1:-1], np.argsort(-x)[:, :3]])
probe("topk-smallest", "TopK", [floats(2, 5), i64(3)], {"largest": 0}, {"largest": 0}, outputs=2)
probe("topk-largest", "TopK", [floats(2, 5), i64(3)], {"axis": 0 - 1}, {}, outputs=2)
probe("topk-unsorted", "TopK", [floats(2, 5), i64(5)], {"sorted": 0}, {"sorted": 0}, outputs=2, shapes_only=True)
probe("topk-ties", "TopK", [f32(1, 1, 1, 0), i64(2)], {"axis": 0}, {"data": "ties"}, outputs=2, expect=[f32(1, 1), i64(0, 1)])
probe("onehot-negative-axis", "OneHot", [i64(1, 0), scalar(3, np.int64), i64(0, 5)], {"axis": -2}, {"axis": -2})
probe("onehot-axis0", "OneHot", [i64(1, 0), scalar(3, np.int64), i64(0, 5)], {"axis": 0}, {"axis": 0})
probe("onehot-negative-index", "OneHot", [i64(-1, 7), scalar(3, np.int64), i64(0, 5)], {}, {"input[0].negative": True}, since=11, expect=[np.array([[0, 0, 5], [0, 0, 0]])])
for _axis, _n in ((None, "flat"), (0, "axis0"), (-1, "negative-axis")):
    for _sorted in (0, 1):
        probe(f"unique-{_n}-sorted{_sorted}", "Unique", [f32(2, 1, 1, 3, 4, 3) if _axis is None else f32(2, 1, 2, 1, 0, 0).reshape(3, 2)],
              dict({"sorted": _sorted}, **({} if _axis is None else {"axis": _axis})), {"sorted": _sorted, **({"axis.set": False} if _axis is None else {"axis": _axis})}, outputs=4,
              expect=[f32(2, 1, 2, 1, 0, 0).reshape(3, 2), i64(0, 1), i64(0, 1), i64(1, 1)] if (_axis, _sorted) == (-1, 0) else None)

# Shapes. -------------------------------------------------------------------

probe("shape-start", "Shape", [floats(2, 3, 4)], {"start": 1}, {"start": 1})
probe("shape-negative-start", "Shape", [floats(2, 3, 4)], {"start": -1}, {"start": -1})
probe("shape-end", "Shape", [floats(2, 3, 4)], {"start": 0, "end": -1}, {"end": -1})
probe("shape-beyond", "Shape", [floats(2, 3, 4)], {"start": -9, "end": 9}, {"start": -9})
probe("shape-rank0", "Shape", [scalar(1.0)], {}, {"input[0].rank": 0})
probe("reshape-zero", "Reshape", [floats(2, 3), i64(0, -1)], {}, {"allowzero": 0})
probe("reshape-allowzero", "Reshape", [floats(0, 3), i64(3, 0)], {"allowzero": 1}, {"allowzero": 1})
probe("reshape-allowzero-rest", "Reshape", [floats(2, 6), i64(-1, 4)], {"allowzero": 1}, {"allowzero": 1}, since=14, expect=lambda x, shape: x.reshape(3, 4))
probe("reshape-rank0", "Reshape", [floats(1), i64()], {}, {"input[1].empty": True})
probe("reshape-empty", "Reshape", [floats(0, 3), i64(0, 1, 3)], {}, {"input[0].empty": True})
probe("squeeze-all", "Squeeze", [floats(1, 3, 1)], {}, {"axes.set": False, "input[1].present": False})
probe("squeeze-axes", "Squeeze", [floats(1, 3, 1)], {"axes": [0]}, {})
probe("squeeze-negative-axes", "Squeeze", [floats(1, 3, 1)], {"axes": [-1]}, {"axes.any<": 0}, since=11)
probe("squeeze-input", "Squeeze", [floats(1, 3, 1), i64(-1)], {}, {"input[1].constant": False, "input[1].present": True})
probe("unsqueeze-negative-axes", "Unsqueeze", [floats(3)], {"axes": [-1]}, {"axes.any<": 0}, since=11)
probe("unsqueeze-input", "Unsqueeze", [floats(3), i64(-1, 0)], {}, {"input[1].constant": False})
probe("unsqueeze-rank0", "Unsqueeze", [scalar(1.0), i64(0)], {}, {"input[0].rank": 0})
probe("flatten-axis0", "Flatten", [floats(2, 3, 4)], {"axis": 0})
probe("flatten-negative", "Flatten", [floats(2, 3, 4)], {"axis": -1}, since=11)
probe("flatten-end", "Flatten", [floats(2, 3, 4)], {"axis": 3}, {"axis": 3})
probe("transpose-default", "Transpose", [floats(2, 3, 4)], {}, {"perm.set": False})
probe("transpose-rank6", "Transpose", [floats(2, 1, 3, 2, 1, 2)], {"perm": [5, 0, 3, 1, 4, 2]}, {"input[0].rank>": 5})
probe("transpose-string", "Transpose", [s("a", "b", "c", "d").reshape(2, 2)], {"perm": [1, 0]}, {"input[0].type": "string"})
probe("concat-one", "Concat", [floats(2, 3)], {"axis": 0}, {"input[1].present": False})
probe("concat-negative", "Concat", [floats(2, 3), floats(2, 1)], {"axis": -1}, since=11)
probe("concat-empty", "Concat", [floats(0, 3), floats(2, 3)], {"axis": 0}, {"input[0].empty": True})
probe("concat-string", "Concat", [s("a"), s("b", "c")], {"axis": 0}, {"input[0].type": "string"})
probe("split-attribute", "Split", [floats(5, 2)], {"split": [2, 3]}, {}, outputs=2, since=2)
probe("split-input", "Split", [floats(5, 2), i64(2, 3)], {}, {"input[1].present": True}, outputs=2)
probe("split-equal", "Split", [floats(4, 2)], {"axis": 0}, {"input[1].present": False}, outputs=2, until=17)
probe("split-num_outputs", "Split", [floats(4, 2)], {"num_outputs": 2}, {"num_outputs.set": True}, outputs=2)
probe("split-uneven", "Split", [floats(7, 2)], {"num_outputs": 3}, {"num_outputs.set": True}, outputs=3)
probe("split-negative-axis", "Split", [floats(2, 4)], {"axis": -1}, {"axis": -1}, outputs=2, since=11, until=17)
probe("split-zero", "Split", [floats(2, 3), i64(0, 2)], {}, {"input[1].present": True, "data": "zero-sized part"}, outputs=2)
probe("slice-attributes", "Slice", [floats(5, 6)], {"starts": [1, -3], "ends": [1000, -1], "axes": [0, 1]}, {})
probe("slice-negative-step", "Slice", [floats(5, 6), i64(4, -1), i64(-100, -5), i64(0, 1), i64(-2, -1)], {}, {"input[4].negative": True})
probe("slice-negative-step-constant", "Slice", [floats(5, 6), i64(4, -1), i64(-100, -5), i64(0, 1), i64(-2, -1)], {}, {"input[4].negative": True, "input[4].constant": True}, constants=[1, 2, 3, 4])
probe("slice-negative-axes", "Slice", [floats(5, 6), i64(1), i64(3), i64(-1)], {}, {"input[3].negative": True}, since=11)
probe("slice-int32", "Slice", [floats(5, 6)] + [np.array(v, np.int32) for v in ([1], [4], [0], [2])], {}, {"input[1].type": "int32"})
probe("slice-no-axes", "Slice", [floats(5, 6), i64(1, 1), i64(4, 3)], {}, {"input[3].present": False})
probe("slice-empty", "Slice", [floats(5, 6), i64(3), i64(2), i64(0)], {}, {"data": "empty result"})
probe("slice-string", "Slice", [s("a", "b", "c"), i64(1), i64(3)], {}, {"input[0].type": "string"})
probe("tile-zero", "Tile", [floats(2, 3), i64(0, 2)], {}, {"data": "repeats of 0"})
probe("tile", "Tile", [floats(2, 3), i64(2, 2)], {}, {})
probe("tile-string", "Tile", [s("a", "b"), i64(2)], {}, {"input[0].type": "string"})
probe("expand-scalar", "Expand", [scalar(1.5), i64(2, 3)], {}, {"input[0].rank": 0})
probe("expand-both", "Expand", [floats(3, 1), i64(2, 1, 4)], {}, {})
probe("expand-zero", "Expand", [floats(1, 3), i64(0, 3)], {}, {"data": "empty result"})
probe("constantofshape-empty", "ConstantOfShape", [i64()], {}, {"input[0].empty": True})
probe("constantofshape-zero", "ConstantOfShape", [i64(0, 2)], {}, {"data": "empty result"})
for _mode in ("DCR", "CRD"):
    probe(f"depthtospace-{_mode.lower()}", "DepthToSpace", [floats(1, 8, 2, 3)], {"blocksize": 2, "mode": _mode}, {"mode": _mode})
probe("spacetodepth", "SpaceToDepth", [floats(1, 2, 4, 6)], {"blocksize": 2}, {})
for _k in (None, -9, -1, 0, 1, 9):
    for _upper in (0, 1):
        probe(f"trilu-{'upper' if _upper else 'lower'}-k{'none' if _k is None else _k}", "Trilu", [floats(2, 3, 4)] + ([] if _k is None else [scalar(_k, np.int64)]),
              {"upper": _upper}, {"upper": _upper, **({"input[1].present": False} if _k is None else {"input[1].value": _k})},
              expect=lambda x, k=0, up=_upper: (np.triu if up else np.tril)(x, int(k)))
probe("trilu-empty", "Trilu", [floats(0, 3)], {}, {"input[0].empty": True})
probe("eyelike-k", "EyeLike", [floats(3, 4)], {"k": -1}, {"k": -1})
probe("reversesequence-length0", "ReverseSequence", [floats(4, 2), i64(0, 2)], {"time_axis": 0, "batch_axis": 1}, {"input[1].may_be<": 1})
probe("reversesequence-time0", "ReverseSequence", [floats(4, 2), i64(3, 2)], {"time_axis": 0, "batch_axis": 1}, {"time_axis": 0})
probe("reversesequence-time1", "ReverseSequence", [floats(2, 4), i64(3, 2)], {"time_axis": 1, "batch_axis": 0}, {"time_axis": 1})
probe("centercroppad", "CenterCropPad", [floats(5, 4), i64(3, 6)], {}, {})
probe("centercroppad-axes", "CenterCropPad", [floats(2, 5, 4), i64(3, 6)], {"axes": [1, 2]}, {"axes.set": True})
probe("centercroppad-negative-axes", "CenterCropPad", [floats(2, 5, 4), i64(3, 6)], {"axes": [1, -1]}, {"axes.any<": 0})
probe("col2im", "Col2Im", [floats(1, 4, 4), i64(3, 3), i64(2, 2)], {}, {})
probe("col2im-pads", "Col2Im", [floats(1, 4, 16), i64(3, 3), i64(2, 2)], {"pads": [1, 1, 1, 1]}, {"pads.any>": 0})
probe("col2im-dilated", "Col2Im", [floats(1, 4, 4), i64(4, 4), i64(2, 2)], {"dilations": [2, 2]}, {"dilations.any>": 1})
probe("affinegrid-2d", "AffineGrid", [floats(1, 2, 3), i64(1, 1, 2, 3)], {"align_corners": 0}, {"align_corners": 0, "input[1].rank": 1})
probe("affinegrid-align", "AffineGrid", [floats(1, 2, 3), i64(1, 1, 2, 3)], {"align_corners": 1}, {"align_corners": 1})
probe("affinegrid-3d", "AffineGrid", [floats(1, 3, 4), i64(1, 1, 2, 3, 2)], {}, {"input[0].shape": [-1, 3, 4]})

# Pad. ----------------------------------------------------------------------

for _mode, _first in (("constant", 1), ("reflect", 1), ("edge", 1), ("wrap", 19)):
    _np = {"mode": _mode} if _mode != "constant" else {"mode": "constant", "constant_values": 1.5}
    _value = [scalar(1.5)] if _mode == "constant" else []
    if _mode != "wrap":
        probe(f"pad-{_mode}-attribute", "Pad", [floats(3, 4)], dict({"pads": [0, 1, 1, 2], "mode": _mode}, **({"value": 1.5} if _value else {})), {"mode": _mode}, since=_first, expect=lambda x, k=_np: [np.pad(x, [(0, 1), (1, 2)], **k)])
    probe(f"pad-{_mode}", "Pad", [floats(3, 4), i64(0, 1, 1, 2)] + _value, {"mode": _mode}, {"mode": _mode}, since=_first, expect=lambda x, *_, k=_np: [np.pad(x, [(0, 1), (1, 2)], **k)])
    probe(f"pad-{_mode}-negative", "Pad", [floats(4, 5), i64(-1, 1, -1, 2)] + _value, {"mode": _mode}, {"mode": _mode, "input[1].negative": True}, since=_first, expect=lambda x, *_, k=_np: [np.pad(x[1:-1], [(0, 0), (1, 2)], **k)])
    probe(f"pad-{_mode}-axes", "Pad", [floats(3, 4), i64(1, 2)] + (_value or [None]) + [i64(-1)], {"mode": _mode}, {"mode": _mode, "input[3].present": True}, since=_first, expect=lambda x, *_, k=_np: [np.pad(x, [(0, 0), (1, 2)], **k)])
    for _t in ("int64", "int32", "uint8", "float64", "bool", "float16"):
        probe(f"pad-{_mode}-{_t}", "Pad", [ints(3, 4, low=0).astype(_t), i64(0, 1, 1, 2)], {"mode": _mode}, {"mode": _mode, "input[0].type": {"float64": "double"}.get(_t, _t)},
              since=_first, expect=lambda x, _, m=_mode: [np.pad(x, [(0, 1), (1, 2)], mode=m)])
probe("pad-negative-axes-constant", "Pad", [floats(3, 4), i64(1, 2), scalar(0), i64(-1)], {}, {"input[3].constant": True, "input[3].negative": True}, constants=[3], since=18, expect=lambda x, *_: [np.pad(x, [(0, 0), (1, 2)])])
probe("pad-no-value", "Pad", [floats(3, 4), i64(0, 1, 1, 2)], {}, {"input[2].present": False})
probe("pad-empty", "Pad", [floats(0, 3), i64(1, 0, 1, 0)], {}, {"input[0].empty": True}, expect=[np.zeros((2, 3), np.float32)])
probe("pad-reflect-long", "Pad", [floats(3), i64(5, 4)], {"mode": "reflect"}, {"mode": "reflect", "data": "pads of a dimension's size or more"}, expect=lambda x, _: [np.pad(x, (5, 4), mode="reflect")])

# Resize. -------------------------------------------------------------------

_NONE = np.zeros(0, np.float32)


def resize(name, when, x=None, scales=None, sizes=None, roi=None, since=11, expect=None, **attributes):
    x = floats(1, 1, 4, 6) if x is None else x
    scales = f32(1, 1, 1.75, 2.5) if scales is None and sizes is None else scales
    probe(f"resize-{name}", "Resize", [x, _NONE if roi is None else roi, _NONE if scales is None else scales] + ([] if sizes is None else [sizes]),
          attributes, when, constants=[1, 2] + ([] if sizes is None else [3]), since=since, expect=expect)


for _mode in ("nearest", "linear", "cubic"):
    for _ct in ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric", "tf_crop_and_resize"):
        _roi = f32(0, 0, 0.25, 0.25, 1, 1, 0.75, 0.75) if _ct == "tf_crop_and_resize" else None
        _when, _since = {"mode": _mode, "coordinate_transformation_mode": _ct}, 19 if _ct == "half_pixel_symmetric" else 11
        resize(f"{_mode}-{_ct}-up", _when, roi=_roi, mode=_mode, coordinate_transformation_mode=_ct, since=_since)
        resize(f"{_mode}-{_ct}-down", _when, x=floats(1, 1, 6, 8), scales=f32(1, 1, 0.5, 0.625), roi=_roi, mode=_mode, coordinate_transformation_mode=_ct, since=_since)
    for _rank, _n in ((1, 1), (2, 2), (3, 2), (3, 1), (4, 2), (5, 3)):
        _x, _scale = floats(*[1] * (_rank - _n), *[4] * _n), f32(*[1] * (_rank - _n), *[2] * _n)
        resize(f"{_mode}-rank{_rank}" + ("-1d" if (_rank, _n) == (3, 1) else ""), {"mode": _mode, "input[0].rank": _rank}, x=_x, scales=_scale, mode=_mode)
    resize(f"{_mode}-channels", {"mode": _mode, "scales.outer": True}, x=floats(2, 2, 3, 3), scales=f32(1, 2, 2, 2), mode=_mode)
    resize(f"{_mode}-sizes", {"mode": _mode, "input[3].present": True}, sizes=i64(1, 1, 7, 3), mode=_mode)
    resize(f"{_mode}-exclude_outside", {"mode": _mode, "exclude_outside": 1}, mode=_mode, exclude_outside=1)
    resize(f"{_mode}-axes", {"mode": _mode, "axes.set": True}, scales=f32(1.75, 2.5), axes=[2, 3], mode=_mode)
    resize(f"{_mode}-axes-swapped", {"mode": _mode, "axes.set": True, "axes.unsorted": True}, scales=f32(2.5, 1.75), axes=[3, 2], mode=_mode)
    if _mode != "nearest":
        resize(f"{_mode}-antialias", {"mode": _mode, "antialias": 1}, x=floats(1, 1, 8, 8), scales=f32(1, 1, 0.5, 0.625), mode=_mode, antialias=1)
    for _t in ("uint8", "int8", "int32", "int64", "float16", "float64"):
        resize(f"{_mode}-{_t}", {"mode": _mode, "input[0].type": {"float64": "double"}.get(_t, _t)}, x=(ints(1, 1, 4, 4, low=0) * 8).astype(_t), scales=f32(1, 1, 2, 2), mode=_mode,
               coordinate_transformation_mode="asymmetric", **({"nearest_mode": "floor"} if _mode == "nearest" else {}))
    for _policy in ("not_larger", "not_smaller"):
        resize(f"{_mode}-{_policy}", {"keep_aspect_ratio_policy": _policy, "mode": _mode}, sizes=i64(7, 8), axes=[2, 3], mode=_mode, keep_aspect_ratio_policy=_policy)
for _nearest in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
    for _ct in ("half_pixel", "asymmetric", "align_corners"):
        resize(f"nearest-{_nearest}-{_ct}", {"mode": "nearest", "nearest_mode": _nearest, "coordinate_transformation_mode": _ct}, x=floats(1, 1, 4, 6), scales=f32(1, 1, 2, 1.5), mode="nearest", nearest_mode=_nearest, coordinate_transformation_mode=_ct)
for _mode in ("linear", "cubic"):
    resize(f"{_mode}-align_corners-fraction", {"mode": _mode, "coordinate_transformation_mode": "align_corners", "scales.fraction": True}, scales=f32(1, 1, 0.6, 0.6), mode=_mode, coordinate_transformation_mode="align_corners")
resize("cubic-coefficient", {"mode": "cubic", "cubic_coeff_a": -0.5}, mode="cubic", cubic_coeff_a=-0.5)
resize("extrapolation", {"coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value.set": True}, roi=f32(0, 0, -0.25, 0.25, 1, 1, 1.25, 0.75), mode="linear", coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=10.0)
resize("constant-one", {"data": "size 1"}, x=floats(1, 1, 1, 1), scales=f32(1, 1, 3, 3), mode="linear")
for _mode in ("nearest", "linear"):
    probe(f"resize10-{_mode}", "Resize", [floats(1, 1, 4, 5), f32(1, 1, 2, 2)], {"mode": _mode}, {"mode": _mode}, until=10, constants=[1],
          expect=probe_expect.upsample_twice(_mode))
    probe(f"upsample-{_mode}", "Upsample", [floats(1, 1, 4, 5), f32(1, 1, 2, 2)], {"mode": _mode}, {"mode": _mode}, constants=[1],
          expect=probe_expect.upsample_twice(_mode))
    probe(f"upsample7-{_mode}", "Upsample", [floats(1, 1, 4, 5)], {"mode": _mode, "scales": [1.0, 1.0, 2.0, 2.0]}, {"mode": _mode},
          expect=probe_expect.upsample_twice(_mode))
