# SPDX-License-Identifier: Apache-2.0
"""More of probe_table: arithmetic, normalization, quantization, text, sequences, control flow."""

import numpy as np
from onnx import helper, parser

from onnx_legalize import probe_expect
from onnx_legalize.probe_attributes import Probe, floats, ints
from onnx_legalize.probe_table import f32, i64, probe, s, scalar

_NAN, _INF = np.nan, np.inf
_DATA = {"data": "nan"}


def like(op, version, **attributes):
    """What the reference evaluator gives for another version, which it knows."""
    return lambda *values: Probe("", op, values, attributes).expected(version)


# Elementwise. --------------------------------------------------------------

for _op, _f in (("Max", np.maximum), ("Min", np.minimum)):
    _n = _op.lower()
    probe(f"{_n}-nan", _op, [f32(1, _NAN, 3), f32(_NAN, 2, 4)], {}, _DATA, expect=_f(f32(1, _NAN, 3), f32(_NAN, 2, 4)))
    probe(f"{_n}-one", _op, [floats(3)], {}, {"input[1].present": False})
    probe(f"{_n}-three", _op, [floats(3), floats(3)[::-1].copy(), f32(0, 0, 0)], {}, {"input[2].present": True})
    probe(f"{_n}-broadcast", _op, [floats(2, 1), floats(3)], {}, {"input[1].present": True}, since=8, expect=lambda a, b, f=_f: f(a, b))
probe("sum-broadcast", "Sum", [floats(2, 1), floats(3), scalar(1.0)], {}, {"input[2].present": True}, since=8, expect=lambda a, b, c: a + b + c)
probe("mean-broadcast", "Mean", [floats(2, 1), floats(3), scalar(1.0)], {}, {"input[2].present": True}, since=8, expect=lambda a, b, c: (a + b + c) / np.float32(3))
for _p, _q, _want in ((0, 0, [False, False, False]), (1, 0, [False, True, False]), (0, 1, [True, False, False]), (1, 1, [True, True, False])):
    probe(f"isinf-negative{_p}-positive{_q}", "IsInf", [f32(_INF, -_INF, 1)], {"detect_negative": _p, "detect_positive": _q}, expect=np.array(_want))
probe("isnan", "IsNaN", [f32(_NAN, 1, _INF)], {}, {})
probe("sign-nan", "Sign", [f32(_NAN, -2, 0, 3)], {}, _DATA, expect=f32(_NAN, -1, 0, 1))
probe("relu-nan", "Relu", [f32(_NAN, -2, 3)], {}, _DATA, expect=f32(_NAN, 0, 3))
probe("clip-nan", "Clip", [f32(_NAN, -2, 3), scalar(0), scalar(1)], {}, _DATA, expect=f32(_NAN, 0, 1))
probe("round-half", "Round", [f32(0.5, 1.5, 2.5, -0.5, -1.5)], {}, {}, expect=f32(0, 2, 2, -0.0, -2))
probe("mod-negative", "Mod", [i64(-4, 7, 5, -5), i64(2, -3, 8, 3)], {"fmod": 0}, {"fmod": 0}, expect=i64(0, -2, 5, 1))
probe("mod-fmod-int", "Mod", [i64(-4, 7, 5, -5), i64(2, -3, 8, 3)], {"fmod": 1}, {"fmod": 1, "input[0].type": "int64"}, expect=i64(0, 1, 5, -2))
probe("mod-fmod", "Mod", [f32(-4.3, 7.2, 5), f32(2.1, -3.4, 8)], {"fmod": 1}, {"fmod": 1, "input[0].type": "float"})
for _t in ("float32", "float64", "float16"):
    probe(f"mod-floor-{_t}", "Mod", [np.array([-4.5, 7, 5], _t), np.array([2, -3, 8], _t)], {"fmod": 0}, {"fmod": 0, "input[0].type": {"float32": "float", "float64": "double"}.get(_t, _t)}, expect=np.array([1.5, -2, 5], _t))
probe("mod-uint8", "Mod", [np.array([200, 7], np.uint8), np.array([130, 3], np.uint8)], {}, {"input[0].type": "uint8"})
probe("div-int-negative", "Div", [np.array([-7, 7], np.int32), np.array([2, -2], np.int32)], {}, {"input[0].type": "int32"}, expect=np.array([-3, -3], np.int32))
probe("pow-int-float", "Pow", [np.array([2, 3], np.int32), f32(2, 3)], {}, {"input[0].type": "int32", "input[1].type": "float"}, expect=np.array([4, 27], np.int32))
probe("pow-float-int", "Pow", [f32(2, 3), i64(2, -1)], {}, {"input[0].type": "float", "input[1].type": "int64"}, expect=f32(4, 1 / 3))
probe("pow-int64-large", "Pow", [i64(3), i64(39)], {}, {"input[0].type": "int64", "data": "large"}, expect=i64(3**39))
for _d in ("LEFT", "RIGHT"):
    for _t in ("uint8", "uint16", "uint32", "uint64"):
        probe(f"bitshift-{_d.lower()}-{_t}", "BitShift", [np.array([16, 4, 1], _t), np.array([1, 2, 3], _t)], {"direction": _d}, {"direction": _d, "input[0].type": _t})
probe("bitshift-whole", "BitShift", [np.array([255], np.uint8), np.array([8], np.uint8)], {"direction": "RIGHT"}, {"data": "a shift by all bits"}, expect=np.array([0], np.uint8))
probe("clip-no-min", "Clip", [floats(4), None, scalar(1)], {}, {"input[1].present": False})
probe("clip-no-max", "Clip", [floats(4), scalar(-1)], {}, {"input[2].present": False})
probe("clip-neither", "Clip", [floats(4)], {}, {"input[1].present": False, "input[2].present": False}, since=11)
probe("clip-reversed", "Clip", [f32(-9, 0, 9), scalar(2), scalar(1)], {}, {"data": "min above max"}, since=11, expect=f32(1, 1, 1))
probe("clip-attributes", "Clip", [floats(4)], {"min": -1.0, "max": 1.0}, {})
probe("where-broadcast", "Where", [np.array([[True], [False]]), floats(3), scalar(7)], {}, {})
probe("where-bool", "Where", [np.array([True, False]), np.array([True, True]), np.array([False, False])], {}, {"input[1].type": "bool"})
probe("where-string", "Where", [np.array([True, False]), s("a", "b"), s("c", "d")], {}, {"input[1].type": "string"})
probe("equal-string", "Equal", [s("a", "b"), s("a", "c")], {}, {"input[0].type": "string"})
probe("equal-bool", "Equal", [np.array([True, False]), np.array([True, True])], {}, {"input[0].type": "bool"})
probe("add-empty", "Add", [floats(0, 3), floats(3)], {}, {"input[0].empty": True}, since=7)
probe("add-rank0", "Add", [scalar(1), scalar(2)], {}, {"input[0].rank": 0, "input[1].rank": 0})
probe("add-legacy-broadcast", "Add", [floats(2, 3, 4), floats(3)], {"broadcast": 1, "axis": 1}, {"broadcast": 1}, expect=lambda a, b: a + b[:, None])
probe("prelu-channel", "PRelu", [floats(1, 2, 3), f32(0.25, 0.5).reshape(2, 1)], {}, {}, since=7)
probe("range-float", "Range", [scalar(1), scalar(5), scalar(1.5)], {}, {"input[0].type": "float"})
probe("range-negative", "Range", [scalar(10, np.int64), scalar(4, np.int64), scalar(-2, np.int64)], {}, {"input[2].negative": True})
probe("range-empty", "Range", [scalar(4, np.int32), scalar(4, np.int32), scalar(1, np.int32)], {}, {"data": "empty result"})
for _exclusive in (0, 1):
    for _reverse in (0, 1):
        if _exclusive:
            probe(f"cumsum-exclusive-reverse{_reverse}-single", "CumSum", [floats(3, 1), scalar(1, np.int32)], {"exclusive": 1, "reverse": _reverse},
                  {"exclusive": 1, "reverse": _reverse, "axis.may_be_single": True}, expect=np.zeros((3, 1), np.float32))
        probe(f"cumsum-exclusive{_exclusive}-reverse{_reverse}", "CumSum", [floats(2, 4), scalar(-1, np.int32)], {"exclusive": _exclusive, "reverse": _reverse})
probe("cumsum-int64-axis0", "CumSum", [ints(3, 2), scalar(0, np.int64)], {}, {"input[1].type": "int64"})
for _op in ("Celu", "Elu", "Selu", "HardSigmoid", "LeakyRelu", "ThresholdedRelu", "Gelu", "Shrink", "Softplus", "Softsign", "Mish", "HardSwish", "Swish"):
    probe(f"{_op.lower()}-default", _op, [floats(2, 5)], {}, {})
for _op, _attrs in (("Celu", {"alpha": 2.0}), ("Elu", {"alpha": 2.0}), ("Selu", {"alpha": 2.0, "gamma": 3.0}), ("HardSigmoid", {"alpha": 0.5, "beta": 0.25}),
                    ("LeakyRelu", {"alpha": 0.1}), ("ThresholdedRelu", {"alpha": 2.0}), ("Gelu", {"approximate": "tanh"}), ("Shrink", {"bias": 1.5, "lambd": 1.0}), ("Swish", {"alpha": 0.5})):
    probe(f"{_op.lower()}-attributes", _op, [floats(2, 5)], _attrs, _attrs if _op == "Gelu" else {f"{k}.set": True for k in _attrs})
probe("erf", "Erf", [floats(8)], {}, {})
probe("softplus-large", "Softplus", [f32(100, -100)], {}, {"data": "large"}, expect=f32(100, 0))

for _op in ("Celu", "Elu", "Selu", "HardSigmoid", "LeakyRelu", "ThresholdedRelu", "Gelu", "Shrink", "Softplus", "Softsign", "Mish", "HardSwish", "Swish", "Abs", "Neg", "Sign", "Relu", "Sigmoid", "Tanh", "Erf", "Exp", "Floor", "Ceil", "Round", "Reciprocal", "Sin", "Cos"):
    probe(f"{_op.lower()}-rank0", _op, [scalar(-1.5)], {}, {"input[0].rank": 0})

# One element or many on either side: ONNX Runtime has code for each.
_one, _many = np.array([True]), np.array([True, False, True])
for _op, _f in (("And", np.logical_and), ("Or", np.logical_or), ("Xor", np.logical_xor)):
    for _n, _a, _b in (("one-one", ~_one, _one), ("one-many", _one, _many), ("many-one", _many, _one), ("many-many", _many, ~_many)):
        _when = dict((f"input[{_i}].size<", 2) if len(_v) == 1 else (f"input[{_i}].size>", 1) for _i, _v in enumerate((_a, _b)))
        probe(f"{_op.lower()}-{_n}", _op, [_a, _b], {}, _when, since=7, expect=_f(_a, _b))

# Each type for which there may be a kernel: some compute another thing.
for _t in ("float16", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
    _type = {"input[0].type": {"float64": "double"}.get(_t, _t)}
    _a, _b = np.array([[3, 1, 7], [2, 9, 5]]).astype(_t), np.array([4, 1, 2]).astype(_t)
    if _t[0] != "u":
        _a[0, 0], _b[2] = -3, -2
    for _op, _want in (("Max", np.maximum(_a, _b)), ("Min", np.minimum(_a, _b)), ("Add", _a + _b), ("Sub", _a - _b), ("Mul", _a * _b), ("Equal", _a == _b),
                       ("Less", _a < _b), ("Greater", _a > _b), ("LessOrEqual", _a <= _b), ("GreaterOrEqual", _a >= _b)):
        probe(f"{_op.lower()}-{_t}", _op, [_a, _b], {}, _type, since=7, expect=_want)
    probe(f"div-{_t}", "Div", [_a, np.array(2, _t)], {}, _type, since=7, expect=_a / np.array(2, _t) if _t[0] == "f" else np.trunc(_a / 2).astype(_t))
    for _op, _want in (("Abs", np.abs(_a)), ("Neg", -_a), ("Sign", np.sign(_a)), ("Relu", np.maximum(_a, 0)), ("Identity", _a), ("Transpose", _a.T)):
        if _op not in ("Neg", "Relu") or _t[0] != "u":
            probe(f"{_op.lower()}-{_t}", _op, [_a], {}, _type, expect=_want)
    probe(f"clip-{_t}", "Clip", [_a, np.array(0, _t), np.array(4, _t)], {}, _type, since=11, expect=np.clip(_a, 0, 4).astype(_t))
    probe(f"where-{_t}", "Where", [np.array([[True], [False]]), _a, _b], {}, {"input[1].type": _type["input[0].type"]}, expect=np.where([[True], [False]], _a, _b))
    probe(f"topk-{_t}", "TopK", [_a, i64(2)], {}, _type, outputs=2, since=10, expect=[-np.sort(-_a.astype(np.float64))[:, :2].astype(_t), np.argsort(-_a.astype(np.float64), 1, "stable")[:, :2]])
    if _t[-1] != "8" and _t[-2:] != "16" or _t == "float16":  # Theirs are no smaller integers.
        probe(f"matmul-{_t}", "MatMul", [_a, _b], {}, _type, expect=_a @ _b)
        probe(f"cumsum-{_t}", "CumSum", [_a, scalar(1, np.int32)], {}, _type, expect=np.cumsum(_a, 1, dtype=_t))
    for _op, _want in (("ArgMax", np.argmax(_a, 1)), ("ArgMin", np.argmin(_a, 1))):
        probe(f"{_op.lower()}-{_t}", _op, [_a], {"axis": 1, "keepdims": 0}, _type, expect=_want)

# Constant's short forms.
for _form, _value, _want in (("value_int", 3, i64(3)[0]), ("value_ints", [1, -1, 1], i64(1, -1, 1)), ("value_float", 1.5, f32(1.5)[0]), ("value_floats", [1.5, 2.5, -1.0], f32(1.5, 2.5, -1)), ("value_string", "a", s("a")[0]), ("value_strings", ["a", "b", "c"], s("a", "b", "c"))):
    probe(f"constant-{_form}", "Constant", [], {_form: _value}, {f"{_form}.set": True}, expect=np.array(_want))

# Cast. ---------------------------------------------------------------------


def cast(name, values, to, want, when=None, **attributes):
    probe(f"cast-{name}", "Cast", [values], dict(to=helper.np_dtype_to_tensor_dtype(want.dtype), **attributes), {"input[0].type": _name(values), "to": int(helper.np_dtype_to_tensor_dtype(want.dtype)), **(when or {})}, expect=want)


def _name(values):
    return {"object": "string", "float32": "float", "float64": "double"}.get(values.dtype.name, values.dtype.name)


cast("float-string", f32(1.5, -2, 0.1), "string", s("1.5", "-2", "0.1"))
cast("string-float", s("1.5", "-2e3", "INF", "NaN"), "float", f32(1.5, -2000, _INF, _NAN))
cast("string-int64", s("12", "-3"), "int64", i64(12, -3))
cast("int64-string", i64(12, -3), "string", s("12", "-3"))
cast("bool-string", np.array([True, False]), "string", s("1", "0"))
cast("float-bool", f32(0, 0.25, -1, _NAN), "bool", np.array([False, True, True, True]))
cast("float-int32", f32(1.9, -1.9, 0.5), "int32", np.array([1, -1, 0], np.int32))
cast("float-uint8", f32(1.9, 200.5), "uint8", np.array([1, 200], np.uint8))
cast("float16-float", f32(1.5, 65504, _INF).astype(np.float16), "float", f32(1.5, 65504, _INF))
cast("double-float16", np.array([1.5, 1e6]), "float16", np.array([1.5, _INF], np.float16))
cast("int64-int8", i64(130, -1), "int8", np.array([-126, -1], np.int8), {"data": "out of range"})
cast("int64-bool", i64(0, 2, -1, 2**32), "bool", np.array([False, True, True, True]))
cast("bool-float", np.array([True, False]), "float", f32(1, 0))
cast("uint64-double", np.array([2**63, 1], np.uint64), "double", np.array([2.0**63, 1.0]))

# Matrices. -----------------------------------------------------------------

for _n, _a, _b in (("1x1", (3,), (3,)), ("1x2", (3,), (3, 4)), ("2x1", (2, 3), (3,)), ("3x2", (2, 2, 3), (3, 4)), ("3x3", (2, 2, 3), (2, 3, 4)), ("broadcast", (2, 1, 2, 3), (3, 3, 4)), ("1x3", (3,), (2, 3, 4)), ("3x1", (2, 2, 3), (3,))):
    for _t in ("float32", "float64", "int32", "int64", "uint32"):
        probe(f"matmul-{_n}-{_t}", "MatMul", [floats(*_a).astype(_t) if "f" in _t else ints(*_a, low=0, dtype=_t), floats(*_b).astype(_t) if "f" in _t else ints(*_b, low=0, dtype=_t)],
              {}, {"input[0].rank": len(_a), "input[1].rank": len(_b), "input[0].type": {"float32": "float", "float64": "double"}.get(_t, _t)})
probe("matmul-inner-zero", "MatMul", [floats(64, 0), floats(0, 48)], {}, {"input[0].empty": True}, expect=np.zeros((64, 48), np.float32), unsettled=True)
probe("gemm-no-c", "Gemm", [floats(2, 3), floats(3, 4)], {}, {"input[2].present": False})
probe("gemm-transposed", "Gemm", [floats(3, 2), floats(4, 3), floats(4)], {"transA": 1, "transB": 1, "alpha": 0.5, "beta": 2.0}, {"transA": 1})
for _n, _c in (("scalar", ()), ("column", (2, 1)), ("row", (4,)), ("full", (2, 4))):
    probe(f"gemm-c-{_n}", "Gemm", [floats(2, 3), floats(3, 4), floats(*_c)], {}, {"input[2].rank": len(_c)}, since=7, expect=lambda a, b, c: a @ b + c)
probe("gemm-int32", "Gemm", [ints(2, 3, dtype=np.int32), ints(3, 4, dtype=np.int32), ints(4, dtype=np.int32)], {}, {"input[0].type": "int32"})
for _type, _name in ((np.float32, "float"), (np.float64, "double")):
    for _i, _shapes in enumerate((((2, 4, 3), (2, 4, 5)), ((2, 3, 4), (2, 5, 4)))):
        probe(f"matmul-transposed{_i}-{_name}", "MatMul", [floats(*_s, dtype=_type) for _s in _shapes], {},
              {f"input[{_i}].producer": "Transpose", "input[0].type": _name}, producer=(_i, "Transpose", {"perm": [0, 2, 1]}))
probe("matmulinteger", "MatMulInteger", [ints(2, 3, low=0, dtype=np.uint8), ints(3, 2, low=0, dtype=np.uint8), scalar(3, np.uint8), scalar(2, np.uint8)], {}, {"input[2].present": True, "input[2].rank": 0})
probe("matmulinteger-signed", "MatMulInteger", [ints(2, 3, dtype=np.int8), ints(3, 2, dtype=np.int8)], {}, {"input[0].type": "int8", "input[1].type": "int8"})
probe("matmulinteger-mixed", "MatMulInteger", [ints(2, 3, low=0, dtype=np.uint8), ints(3, 2, dtype=np.int8)], {}, {"input[0].type": "uint8", "input[1].type": "int8"})
probe("matmulinteger-columns", "MatMulInteger", [ints(2, 3, low=0, dtype=np.uint8), ints(3, 2, low=0, dtype=np.uint8), scalar(3, np.uint8), np.array([1, 2], np.uint8)], {}, {"input[3].size>": 1})
for _n, _eq, _shapes in (("matmul", "ij,jk->ik", [(2, 3), (3, 4)]), ("implicit", "ij,jk", [(2, 3), (3, 4)]), ("ellipsis", "...ij,...jk->...ik", [(2, 2, 3), (3, 4)]), ("diagonal", "ii->i", [(3, 3)]), ("trace", "ii", [(3, 3)]),
                         ("transpose", "ij->ji", [(2, 3)]), ("sum", "ij->", [(2, 3)]), ("three", "ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]), ("outer", "i,j->ij", [(2,), (3,)]), ("batch-diagonal", "...ii->...i", [(2, 3, 3)]), ("spaces", "i j , j k -> i k", [(2, 3), (3, 4)]), ("upper", "aB,Bc->ac", [(2, 3), (3, 4)])):
    probe(f"einsum-{_n}", "Einsum", [floats(*_s) for _s in _shapes], {"equation": _eq}, {"equation.kind": _n}, expect=lambda *v, e=_eq: np.einsum(e.replace(" ", ""), *v))
probe("det-batch", "Det", [floats(2, 3, 3)], {}, {"input[0].rank": 3})

# Normalization and softmax. ------------------------------------------------


def _softmax(x, axis, flatten):
    y = x.reshape(int(np.prod(x.shape[:axis])), -1) if flatten else x
    e = np.exp(y - y.max(-1 if flatten else axis, keepdims=True))
    return (e / e.sum(-1 if flatten else axis, keepdims=True)).reshape(x.shape)


for _op in ("Softmax", "LogSoftmax"):
    for _axis in (0, 1, 2, -1, -2):
        for _flat in (True, False):
            if _axis < 0 and _flat:
                continue
            probe(f"{_op.lower()}-{'flatten-' if _flat else ''}axis{_axis}", _op, [floats(2, 3, 4)], {"axis": _axis}, {"axis": _axis}, since=1 if _flat else 13, until=12 if _flat else 1000,
                  expect=lambda x, a=_axis, f=_flat, o=_op: (np.log if o[0] == "L" else np.array)(_softmax(x, a, f)))
probe("softmax-negative-flatten", "Softmax", [floats(2, 3, 4)], {"axis": -1}, {"axis": -1}, since=11, until=12, expect=lambda x: _softmax(x, 2, True))
probe("softmax-empty", "Softmax", [floats(0, 3)], {"axis": -1}, {"input[0].empty": True}, since=13, expect=lambda x: x)
probe("hardmax-axis0", "Hardmax", [floats(2, 3)], {"axis": 0}, {"axis": 0}, since=13)
probe("hardmax-axis1", "Hardmax", [floats(2, 3)], {"axis": 1}, {"axis": 1})
_bn = [floats(2, 3, 4), f32(1, 2, 0.5), f32(0, 1, -1), f32(0.5, 0, 1), f32(1, 2, 4)]
probe("batchnormalization", "BatchNormalization", _bn, {"epsilon": 0.01}, {"input[0].rank": 3}, since=7, expect=lambda *v: probe_expect.batch_normalization(*v, epsilon=0.01))
probe("batchnormalization-rank2", "BatchNormalization", [floats(4, 3)] + _bn[1:], {}, {"input[0].rank": 2}, since=7, expect=probe_expect.batch_normalization)
probe("batchnormalization-rank5", "BatchNormalization", [floats(1, 3, 2, 2, 2)] + _bn[1:], {}, {"input[0].rank": 5}, since=7, expect=probe_expect.batch_normalization)
probe("batchnormalization-training", "BatchNormalization", _bn, {"training_mode": 1}, {"training_mode": 1}, outputs=3)
probe("batchnormalization-spatial0", "BatchNormalization", [floats(2, 3)] + _bn[1:], {"spatial": 0}, {"spatial": 0}, since=7, expect=probe_expect.batch_normalization)
probe("dropout-inference", "Dropout", [floats(3, 4)], {}, {}, since=7, expect=lambda x: x)
probe("dropout-mask", "Dropout", [floats(3, 4)], {}, {"output[1].used": True}, outputs=2, since=12, expect=lambda x: [x, np.ones(x.shape, bool)])
probe("dropout-ratio0-training", "Dropout", [floats(3, 4), scalar(0), scalar(True, bool)], {}, {"input[2].present": True}, expect=lambda x, *_: x)
for _axis in (0, 1, 2, -1, -2):
    probe(f"layernormalization-axis{_axis}", "LayerNormalization", [floats(2, 3, 4), floats(*(2, 3, 4)[_axis:]), floats(*(2, 3, 4)[_axis:])], {"axis": _axis})
    probe(f"rmsnormalization-axis{_axis}", "RMSNormalization", [floats(2, 3, 4), floats(*(2, 3, 4)[_axis:])], {"axis": _axis})
probe("layernormalization-outputs", "LayerNormalization", [floats(2, 4), floats(4), floats(4)], {}, {"output[1].used": True}, outputs=3)
probe("layernormalization-mean", "LayerNormalization", [floats(2, 4), floats(4)], {}, {"output[1].used": True, "output[2].used": False}, outputs=2)
probe("layernormalization-no-bias", "LayerNormalization", [floats(2, 4), floats(4)], {}, {"input[2].present": False})
probe("layernormalization-scale-broadcast", "LayerNormalization", [floats(2, 3, 4), floats(4), floats(4)], {"axis": 1}, {"data": "a scale that broadcasts"})
probe("groupnormalization-18", "GroupNormalization", [floats(2, 4, 3), f32(1, 2), f32(0, 1)], {"num_groups": 2}, {}, until=18)
probe("groupnormalization-21", "GroupNormalization", [floats(2, 4, 3), f32(1, 2, 3, 4), f32(0, 1, 0, 1)], {"num_groups": 2}, {}, since=21)
for _rank in (3, 4, 5):
    probe(f"instancenormalization-rank{_rank}", "InstanceNormalization", [floats(2, 3, *[3] * (_rank - 2)), f32(1, 2, 3), f32(0, 1, 2)], {}, {"input[0].rank": _rank})
for _size in (2, 3):
    probe(f"lrn-size{_size}", "LRN", [floats(1, 5, 2, 2)], {"size": _size, "alpha": 0.5, "bias": 2.0}, {"size": _size}, expect=lambda x, n=_size: probe_expect.lrn(x, n, 0.5, 0.75, 2.0))
probe("lrn-rank3", "LRN", [floats(1, 5, 2)], {"size": 3}, {"input[0].rank": 3}, expect=lambda x: probe_expect.lrn(x, 3, 1e-4, 0.75, 1.0))
for _p in (1, 2):
    for _axis in (0, 1, -1):
        probe(f"lpnormalization-p{_p}-axis{_axis}", "LpNormalization", [floats(2, 3) + np.float32(0.03125)], {"p": _p, "axis": _axis}, {"p": _p, "axis": _axis},
              expect=lambda x, p=_p, a=_axis: x / (np.abs(x) ** p).sum(a, keepdims=True) ** (1 / np.float32(p)))
probe("lpnormalization-zero", "LpNormalization", [np.zeros((2, 3), np.float32)], {}, {"data": "zeros"}, expect=np.zeros((2, 3), np.float32))
probe("meanvariancenormalization-axes", "MeanVarianceNormalization", [floats(2, 3, 2, 2)], {"axes": [0, 2]}, {"axes.set": True})
probe("meanvariancenormalization", "MeanVarianceNormalization", [floats(2, 3, 2, 2)], {}, {"axes.set": False})

# Quantization. -------------------------------------------------------------

for _t in ("uint8", "int8", "uint16", "int16"):
    _z = scalar(3, _t)
    probe(f"quantizelinear-{_t}", "QuantizeLinear", [f32(-1000, -1, 0, 0.25, 0.75, 1000), scalar(0.5), _z], {}, {"input[2].type": _t},
          expect=lambda x, k, z: np.clip(np.rint(x / k) + z, np.iinfo(z.dtype).min, np.iinfo(z.dtype).max).astype(z.dtype))
    probe(f"dequantizelinear-{_t}", "DequantizeLinear", [ints(2, 3, low=0, dtype=_t), scalar(0.5), _z], {}, {"input[0].type": _t}, expect=lambda x, k, z: (x.astype(np.float32) - z) * k)
_q = ints(2, 3, 2, low=0, dtype=np.uint8)
probe("quantizelinear-no-zero-point", "QuantizeLinear", [floats(2, 3), scalar(0.5)], {}, {"input[2].present": False}, expect=lambda x, k: np.clip(np.rint(x / k), 0, 255).astype(np.uint8))
probe("quantizelinear-axis", "QuantizeLinear", [floats(2, 3, 2), f32(0.5, 1, 2), np.array([1, 2, 3], np.uint8)], {"axis": 1}, {"input[1].rank": 1})
probe("quantizelinear-negative-axis", "QuantizeLinear", [floats(2, 3, 2), f32(0.5, 1, 2), np.array([1, 2, 3], np.uint8)], {"axis": -2}, {"input[1].rank": 1, "axis": -2})
probe("quantizelinear-blocked", "QuantizeLinear", [floats(2, 4), floats(2, 2) ** 2 + 1, ints(2, 2, low=0, dtype=np.uint8)], {"axis": 1, "block_size": 2}, {"block_size.set": True})
probe("dequantizelinear-axis", "DequantizeLinear", [_q, f32(0.5, 1, 2), np.array([1, 2, 3], np.uint8)], {"axis": 1}, {"input[1].rank": 1})
probe("dequantizelinear-negative-axis", "DequantizeLinear", [_q, f32(0.5, 1, 2), np.array([1, 2, 3], np.uint8)], {"axis": -2}, {"input[1].rank": 1, "axis": -2})
probe("dequantizelinear-blocked", "DequantizeLinear", [ints(2, 4, low=0, dtype=np.uint8), floats(2, 2) ** 2 + 1, ints(2, 2, low=0, dtype=np.uint8)], {"axis": 1, "block_size": 2}, {"block_size.set": True})
probe("dequantizelinear-no-zero-point", "DequantizeLinear", [_q, scalar(0.5)], {}, {"input[2].present": False})
probe("dequantizelinear-int32", "DequantizeLinear", [ints(2, 3, dtype=np.int32), scalar(0.5)], {}, {"input[0].type": "int32"})
probe("dynamicquantizelinear", "DynamicQuantizeLinear", [f32(0, 2, -3, -2.5, 1.34, 0.5)], {}, {}, outputs=3)
probe("dynamicquantizelinear-positive", "DynamicQuantizeLinear", [f32(1, 2.1, 1.3, 2.5, 3.34, 4)], {}, {"data": "all of one sign"}, outputs=3)
_u8, _x8 = lambda v: scalar(v, np.uint8), ints(1, 1, 4, 4, low=0, dtype=np.uint8) * np.uint8(20)
probe("qlinearconv", "QLinearConv", [_x8, scalar(0.25), _u8(100), ints(1, 1, 2, 2, low=0, dtype=np.uint8), scalar(0.5), _u8(2), scalar(0.5), _u8(120)], {"pads": [1, 0, 0, 1]}, {})
probe("qlinearconv-signed-weight", "QLinearConv", [_x8, scalar(0.25), _u8(100), ints(2, 1, 2, 2, dtype=np.int8), f32(0.5, 0.25), np.array([0, 0], np.int8), scalar(0.5), _u8(120)], {}, {"input[3].type": "int8", "input[4].rank": 1}, constants=[3, 4, 5])
probe("qlinearmatmul", "QLinearMatMul", [ints(2, 3, low=0, dtype=np.uint8), scalar(0.25), _u8(2), ints(3, 2, low=0, dtype=np.uint8), scalar(0.5), _u8(3), scalar(0.125), _u8(100)], {}, {"input[1].rank": 0})
probe("qlinearmatmul-signed", "QLinearMatMul", [ints(2, 3, dtype=np.int8), scalar(0.25), scalar(1, np.int8), ints(3, 2, dtype=np.int8), scalar(0.5), scalar(0, np.int8), scalar(0.125), scalar(3, np.int8)], {}, {"input[0].type": "int8"})

# Sampling, detection, signals. ---------------------------------------------

_grid = (floats(1, 2, 3, 2) / 3).astype(np.float32)
for _modes, _since, _until in (((("bilinear", "linear"), ("nearest", "nearest"), ("bicubic", "cubic")), 16, 19), ((("linear", "linear"), ("nearest", "nearest"), ("cubic", "cubic")), 20, 1000)):
    for _mode, _shown in _modes:
        for _padding in ("zeros", "border", "reflection"):
            for _align in (0, 1):
                _attrs = {"mode": _mode, "padding_mode": _padding, "align_corners": _align}
                probe(f"gridsample{_since}-{_shown}-{_padding}-align{_align}", "GridSample", [floats(1, 1, 4, 3), _grid], _attrs, dict(_attrs, **{"input[0].rank": 4}), since=_since, until=_until, expect=like("GridSample", 20, **dict(_attrs, mode=_shown)))
                if _since == 20:
                    probe(f"gridsample-5d-{_shown}-{_padding}-align{_align}", "GridSample", [floats(1, 1, 3, 4, 3), (floats(1, 2, 2, 2, 3) / 3).astype(np.float32)], _attrs, dict(_attrs, **{"input[0].rank": 5}), since=20)
_rois = [floats(1, 1, 6, 6), f32(0, 0, 4, 4, 1, 1, 5, 3).reshape(2, 4), i64(0, 0)]
for _mode in ("avg", "max"):
    probe(f"roialign-{_mode}", "RoiAlign", _rois, {"mode": _mode, "output_height": 2, "output_width": 2, "sampling_ratio": 2, "spatial_scale": 1.0}, {"mode": _mode}, until=15,
          expect=like("RoiAlign", 16, mode=_mode, output_height=2, output_width=2, sampling_ratio=2, coordinate_transformation_mode="output_half_pixel"))
    for _ct in ("half_pixel", "output_half_pixel"):
        probe(f"roialign-{_mode}-{_ct}", "RoiAlign", _rois, {"mode": _mode, "output_height": 2, "output_width": 2, "sampling_ratio": 2, "coordinate_transformation_mode": _ct}, {"mode": _mode, "coordinate_transformation_mode": _ct})
_boxes = f32(0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 10, 1, 11).reshape(1, 3, 4)
for _center in (0, 1):
    probe(f"nonmaxsuppression-center{_center}", "NonMaxSuppression", [_boxes if not _center else f32(0.5, 0.5, 1, 1, 0.5, 0.6, 1, 1, 0.5, 10.5, 1, 1).reshape(1, 3, 4), f32(0.9, 0.75, 0.6).reshape(1, 1, 3), i64(3), f32(0.5), f32(0)], {"center_point_box": _center}, {"center_point_box": _center}, expect=i64(0, 0, 0, 0, 0, 2).reshape(2, 3))
probe("nonmaxsuppression-no-limit", "NonMaxSuppression", [_boxes, f32(0.9, 0.75, 0.6).reshape(1, 1, 3)], {}, {"input[2].present": False}, expect=np.zeros((0, 3), np.int64))
probe("maxroipool", "MaxRoiPool", [floats(1, 1, 6, 6), f32(0, 0, 0, 3, 3).reshape(1, 5)], {"pooled_shape": [2, 2]}, {}, expect=lambda x, r: x[:, :, :4, :4].reshape(1, 1, 2, 2, 2, 2).max((3, 5)))


def _dft(x, axis=1, inverse=False, onesided=False, n=None):
    y = x[..., 0] + (1j * x[..., 1] if x.shape[-1] == 2 else 0)
    y = np.fft.ifft(y, n, axis) if inverse else np.fft.fft(y, n, axis)
    if onesided:
        y = y.take(range(y.shape[axis] // 2 + 1), axis)
    return np.stack([y.real, y.imag], -1).astype(x.dtype)


for _n, _v, _attrs, _args in (("real", (1, 6, 1), {}, {}), ("complex", (1, 6, 2), {}, {}), ("inverse", (1, 6, 2), {"inverse": 1}, {"inverse": True}), ("onesided", (1, 6, 1), {"onesided": 1}, {"onesided": True}), ("odd", (1, 5, 1), {}, {})):
    probe(f"dft17-{_n}", "DFT", [floats(*_v)], dict(_attrs, axis=1), _attrs, until=17, expect=lambda x, k=_args: _dft(x, **k))
    probe(f"dft20-{_n}", "DFT", [floats(*_v), None, scalar(1, np.int64)], _attrs, _attrs, since=20, expect=lambda x, _, a, k=_args: _dft(x, **k))
probe("dft17-axis", "DFT", [floats(2, 4, 3, 1)], {"axis": 2}, {"axis": 2}, until=17, expect=lambda x: _dft(x, 2))
probe("dft20-negative-axis", "DFT", [floats(2, 4, 3, 1), None, scalar(-2, np.int64)], {}, {"input[2].present": True}, since=20, expect=lambda x, *_: _dft(x, 2))
probe("dft-irfft", "DFT", [floats(1, 4, 2), scalar(6, np.int64)], {"onesided": 1, "inverse": 1}, {"onesided": 1, "inverse": 1}, expect=lambda x, _: np.fft.irfft(x[..., 0] + 1j * x[..., 1], 6, 1)[..., None].astype(x.dtype))
probe("dft17-rank2", "DFT", [floats(6, 1)], {"axis": 0}, {"input[0].rank": 2}, until=17, expect=lambda x: _dft(x, 0))
probe("dft20-rank2", "DFT", [floats(6, 1), None, scalar(0, np.int64)], {}, {"input[0].rank": 2}, since=20, expect=lambda x, *_: _dft(x, 0))
probe("dft-length", "DFT", [floats(1, 6, 1), scalar(4, np.int64)], {}, {"input[1].present": True}, until=17, expect=lambda x, _: _dft(x, n=4))
probe("stft-window", "STFT", [floats(1, 16, 1), scalar(4, np.int64), np.hanning(8).astype(np.float32), scalar(8, np.int64)], {"onesided": 1}, {"onesided": 1})
probe("stft-twosided", "STFT", [floats(1, 16, 1), scalar(4, np.int64), None, scalar(8, np.int64)], {"onesided": 0}, {"onesided": 0, "input[2].present": False})
_frames = lambda x: np.stack([x[:, i : i + 8] for i in range(0, 9, 4)], 1)
probe("stft-complex", "STFT", [floats(1, 16, 2), scalar(4, np.int64), None, scalar(8, np.int64)], {"onesided": 0}, {"input[0].shape": [-1, -1, 2]}, expect=lambda x, *_: _dft(_frames(x), 2))
for _op in ("HannWindow", "HammingWindow", "BlackmanWindow"):
    for _periodic in (0, 1):
        probe(f"{_op.lower()}-periodic{_periodic}", _op, [scalar(10, np.int64)], {"periodic": _periodic})
probe("melweightmatrix", "MelWeightMatrix", [scalar(8, np.int64), scalar(16, np.int64), scalar(8192, np.int64), scalar(0), scalar(4096)], {}, {})
_q4 = [floats(1, 2, 3, 4), floats(1, 2, 5, 4) / 2, floats(1, 2, 5, 4)]
probe("attention", "Attention", _q4, {}, {"input[0].rank": 4})
probe("attention-causal", "Attention", _q4, {"is_causal": 1}, {"is_causal": 1})
probe("attention-mask", "Attention", _q4 + [floats(3, 5)], {}, {"input[3].type": "float"})
probe("attention-mask-bool", "Attention", _q4 + [floats(3, 5) > -1], {}, {"input[3].type": "bool"})
probe("attention-scores-causal", "Attention", _q4, {"is_causal": 1, "qk_matmul_output_mode": 1}, {"is_causal": 1, "output[3].used": True}, outputs=[True, False, False, True])
probe("attention-scores", "Attention", _q4, {"qk_matmul_output_mode": 0}, {"is_causal": 0, "output[3].used": True}, outputs=[True, False, False, True])
for _mode in (1, 2):
    probe(f"attention-scores{_mode}-causal-mask", "Attention", _q4 + [floats(3, 5)], {"is_causal": 1, "qk_matmul_output_mode": _mode},
          {"is_causal": 1, "qk_matmul_output_mode": _mode, "input[3].present": True, "output[3].used": True}, outputs=[True, False, False, True])
probe("attention-short-mask", "Attention", _q4 + [floats(3, 4)], {}, {"mask.short": True}, since=24)
probe("attention-scale", "Attention", _q4, {"scale": 0.5}, {"scale.set": True})
probe("attention-softcap", "Attention", _q4, {"softcap": 2.0}, {"softcap.set": True})
probe("attention-grouped", "Attention", [floats(1, 4, 3, 4)] + _q4[1:], {}, {"input[0].rank": 4, "data": "fewer heads of keys"})
probe("attention-3d", "Attention", [floats(1, 3, 8), floats(1, 5, 8), floats(1, 5, 8)], {"q_num_heads": 2, "kv_num_heads": 2}, {"input[0].rank": 3})
probe("attention-past", "Attention", _q4 + [None, floats(1, 2, 2, 4), floats(1, 2, 2, 4)], {}, {"input[4].present": True}, outputs=3)
for _i in (0, 1):
    probe(f"rotaryembedding-interleaved{_i}", "RotaryEmbedding", [floats(1, 2, 3, 4), floats(1, 3, 2), floats(1, 3, 2)], {"interleaved": _i}, {"interleaved": _i})
probe("rotaryembedding-positions", "RotaryEmbedding", [floats(1, 2, 3, 4), floats(8, 2), floats(8, 2), i64(2, 0, 5).reshape(1, 3)], {}, {"input[3].present": True})
probe("rotaryembedding-partial", "RotaryEmbedding", [floats(1, 2, 3, 4), floats(1, 3, 1), floats(1, 3, 1)], {"rotary_embedding_dim": 2}, {"rotary_embedding_dim.set": True})
probe("rotaryembedding-3d", "RotaryEmbedding", [floats(1, 3, 8), floats(1, 3, 2), floats(1, 3, 2)], {"num_heads": 2}, {"input[0].rank": 3})

# Text and classical models. ------------------------------------------------

for _case in ("NONE", "LOWER", "UPPER"):
    probe(f"stringnormalizer-{_case.lower()}", "StringNormalizer", [s("Monday", "TUESDAY", "x")], {"case_change_action": _case, "stopwords": ["x"], "is_case_sensitive": 1}, {"case_change_action": _case, "is_case_sensitive": 1})
    probe(f"stringnormalizer-{_case.lower()}-insensitive", "StringNormalizer", [s("Monday", "TUESDAY", "x")], {"case_change_action": _case, "stopwords": ["monday"], "is_case_sensitive": 0}, {"case_change_action": _case, "is_case_sensitive": 0},
          expect={"NONE": s("TUESDAY", "x"), "LOWER": s("tuesday", "x"), "UPPER": s("TUESDAY", "X")}[_case])
probe("stringnormalizer-all-stopped", "StringNormalizer", [s("x", "x")], {"stopwords": ["x"], "is_case_sensitive": 1}, {"data": "nothing left"}, expect=s(""))
probe("stringconcat", "StringConcat", [s("a", "b"), s("c")], {}, {})
probe("stringsplit", "StringSplit", [s("a b", "c  d e")], {}, {"delimiter.set": False}, outputs=2)
probe("stringsplit-delimiter", "StringSplit", [s("a,b", "c,,d")], {"delimiter": ","}, {"delimiter.set": True}, outputs=2)
probe("stringsplit-maxsplit", "StringSplit", [s("a b c d", "e")], {"maxsplit": 2}, {"maxsplit.set": True}, outputs=2)
probe("regexfullmatch", "RegexFullMatch", [s("www.google.com", "x")], {"pattern": r"www\.[\w.-]+\.\bcom\b"}, {})
for _mode in ("TF", "IDF", "TFIDF"):
    probe(f"tfidfvectorizer-{_mode.lower()}", "TfIdfVectorizer", [np.array([1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8], np.int32)],
          dict(mode=_mode, min_gram_length=1, max_gram_length=2, max_skip_count=5, ngram_counts=[0, 4], ngram_indexes=[0, 1, 2, 3, 4, 5, 6], pool_int64s=[2, 3, 5, 4, 5, 6, 7, 8, 6, 7], weights=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]), {"mode": _mode})
_LE = "ai.onnx.ml:LabelEncoder"
probe("labelencoder-classes", _LE, [s("a", "b", "c")], {"classes_strings": ["b", "a"], "default_int64": -1}, {"classes_strings.set": True}, until=1, expect=i64(1, 0, -1))
probe("labelencoder-string-int64", _LE, [s("a", "b", "c")], {"keys_strings": ["a", "b"], "values_int64s": [5, 6], "default_int64": 7}, {"keys_strings.set": True, "values_int64s.set": True}, expect=i64(5, 6, 7))
probe("labelencoder-int64-string", _LE, [i64(1, 2, 3)], {"keys_int64s": [1, 2], "values_strings": ["a", "b"]}, {"keys_int64s.set": True, "values_strings.set": True}, expect=s("a", "b", "_Unused"))
probe("labelencoder-float-float", _LE, [f32(1, 2, 3)], {"keys_floats": [1.0, 2.0], "values_floats": [0.5, 0.25], "default_float": 9.0}, {"keys_floats.set": True, "values_floats.set": True}, expect=f32(0.5, 0.25, 9))
probe("labelencoder-nan-key", _LE, [f32(1, _NAN)], {"keys_floats": [1.0, _NAN], "values_floats": [0.5, 0.25]}, {"data": "nan"}, expect=f32(0.5, 0.25))
for _norm in ("MAX", "L1", "L2"):
    probe(f"normalizer-{_norm.lower()}", "ai.onnx.ml:Normalizer", [floats(2, 3) ** 2], {"norm": _norm}, {"norm": _norm}, expect=lambda x, n=_norm: x / {"MAX": x.max(1, keepdims=True), "L1": x.sum(1, keepdims=True), "L2": np.sqrt((x * x).sum(1, keepdims=True))}[n])
probe("arrayfeatureextractor", "ai.onnx.ml:ArrayFeatureExtractor", [floats(2, 4), i64(3, 1)], {}, {}, expect=lambda x, i: x[:, i])
probe("binarizer", "ai.onnx.ml:Binarizer", [floats(2, 3)], {"threshold": 0.5}, {}, expect=lambda x: (x > 0.5).astype(np.float32))
probe("imputer-nan", "ai.onnx.ml:Imputer", [f32(1, _NAN, 3).reshape(1, 3)], {"imputed_value_floats": [9.0], "replaced_value_float": _NAN}, {"imputed_value_floats.set": True}, expect=f32(1, 9, 3).reshape(1, 3))
probe("scaler", "ai.onnx.ml:Scaler", [floats(2, 2)], {"offset": [1.0, 2.0], "scale": [0.5, 2.0]}, {}, expect=lambda x: (x - f32(1, 2)) * f32(0.5, 2))
_tree = dict(nodes_treeids=[0] * 3, nodes_nodeids=[0, 1, 2], nodes_featureids=[0] * 3, nodes_values=[0.0] * 3, nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0],
             target_treeids=[0, 0], target_nodeids=[1, 2], target_ids=[0, 0], target_weights=[1.0, 2.0], n_targets=1)
for _branch, _f in (("LEQ", np.less_equal), ("LT", np.less), ("GTE", np.greater_equal), ("GT", np.greater), ("EQ", np.equal), ("NEQ", np.not_equal)):
    probe(f"treeensembleregressor-{_branch.lower()}", "ai.onnx.ml:TreeEnsembleRegressor", [f32(-1, 0, 1).reshape(3, 1)], dict(_tree, nodes_modes=["BRANCH_" + _branch, "LEAF", "LEAF"]), {"nodes_modes.any": "BRANCH_" + _branch},
          expect=lambda x, f=_f: np.where(f(x, 0), 1, 2).astype(np.float32))

# Sequences, optionals, control flow. ---------------------------------------


def body(text):
    return parser.parse_graph(text)


_seq = [floats(2, 3), floats(1, 3)]
probe("sequenceconstruct", "SequenceConstruct", _seq, {}, {}, expect=lambda *v: [list(v)])
for _n, _at in (("first", 0), ("negative", -1)):
    probe(f"sequenceat-{_n}", "SequenceAt", [_seq, scalar(_at, np.int64)], {}, {"data": "negative position"} if _at < 0 else {}, expect=_seq[_at])
    probe(f"sequenceinsert-{_n}", "SequenceInsert", [_seq, floats(4, 3), scalar(_at, np.int64)], {}, {"data": "negative position"} if _at < 0 else {}, expect=[[floats(4, 3)] + _seq if not _at else [_seq[0], floats(4, 3), _seq[1]]])
    probe(f"sequenceerase-{_n}", "SequenceErase", [_seq, scalar(_at, np.int64)], {}, {"data": "negative position"} if _at < 0 else {}, expect=[[_seq[1 - abs(_at)] if not _at else _seq[0]]])
probe("sequenceinsert-end", "SequenceInsert", [_seq, floats(4, 3)], {}, {"input[1].present": True, "input[2].present": False}, expect=[_seq + [floats(4, 3)]])
probe("sequencelength", "SequenceLength", [_seq], {}, {}, expect=np.array(2))
probe("concatfromsequence", "ConcatFromSequence", [_seq], {"axis": 0}, {"new_axis": 0})
probe("concatfromsequence-new_axis", "ConcatFromSequence", [[floats(2, 3), floats(2, 3)]], {"axis": -1, "new_axis": 1}, {"new_axis": 1}, expect=np.stack([floats(2, 3)] * 2, -1))
probe("splittosequence-scalar", "SplitToSequence", [floats(5, 2), scalar(2, np.int64)], {"axis": 0}, {"input[1].rank": 0}, expect=lambda x, _: [[x[:2], x[2:4], x[4:]]])
probe("splittosequence-vector", "SplitToSequence", [floats(5, 2), i64(2, 3)], {"axis": 0}, {"input[1].rank": 1}, expect=lambda x, _: [[x[:2], x[2:]]])
for _keep in (0, 1):
    probe(f"splittosequence-keepdims{_keep}", "SplitToSequence", [floats(3, 2)], {"axis": 0, "keepdims": _keep}, {"input[1].present": False, "keepdims": _keep}, expect=lambda x, k=_keep: [[r[None] if k else r for r in x]])
probe("sequencemap", "SequenceMap", [_seq], {"body": body("b (float[n,3] s) => (float[n,3] o) { o = Identity(s) }")}, {}, expect=[_seq])
probe("sequencemap-tensor", "SequenceMap", [_seq, floats(1, 3)], {"body": body("b (float[n,3] s, float[1,3] t) => (float[n,3] o) { o = Add(s, t) }")}, {"input[1].present": True}, expect=[[v + floats(1, 3) for v in _seq]])
_condition = scalar(True, bool)
probe("if-shapes", "If", [_condition], {"then_branch": body("t () => (float[2] o) { o = Constant <value = float[2] {1, 2}> () }"),
      "else_branch": body("e () => (float[3] p) { p = Constant <value = float[3] {1, 2, 3}> () }")}, {"branches.shapes_differ": True}, expect=f32(1, 2))
probe("if-ranks", "If", [_condition], {"then_branch": body("t () => (float[2] o) { o = Constant <value = float[2] {1, 2}> () }"),
      "else_branch": body("e () => (float[1,3] p) { p = Constant <value = float[1,3] {1, 2, 3}> () }")}, {"branches.ranks_differ": True}, expect=f32(1, 2))
_count, _v = scalar(3, np.int64), f32(1, 2)
probe("loop-scan-output", "Loop", [_count, _condition, _v], {"body": body("b (int64 i, bool c, float[2] v) => (bool d, float[2] w, float[2] o) { d = Identity(c) w = Add(v, v) o = Identity(v) }")}, {"body.scan_outputs": True}, since=7, until=1000, outputs=2,
      expect=[f32(8, 16), f32(1, 2, 2, 4, 4, 8).reshape(3, 2)])
probe("loop-scan-output-1", "Loop", [_count, _condition, _v], {"body": body("b (int64 i, bool c, float[2] v) => (bool d, float[2] w, float[2] o) { d = Identity(c) w = Identity(v) o = Identity(v) }")}, {"body.scan_outputs": True}, until=1, outputs=2,
      expect=[_v, np.tile(_v, 3).reshape(3, 2)])
probe("loop-no-count", "Loop", [None, scalar(False, bool), _v], {"body": body("b (int64 i, bool c, float[2] v) => (bool d, float[2] w) { d = Identity(c) w = Identity(v) }")}, {"input[0].present": False}, expect=_v)
probe("loop-no-condition", "Loop", [_count, None, _v], {"body": body("b (int64 i, bool c, float[2] v) => (bool d, float[2] w) { d = Identity(c) w = Sum(v, v) }")}, {"input[1].present": False}, since=8, expect=f32(8, 16))
probe("loop-grows", "Loop", [_count, _condition, _v], {"body": body("b (int64 i, bool c, float[n] v) => (bool d, float[m] w) { d = Identity(c) w = Concat<axis = 0>(v, v) }")}, {"body.shape_changes": True}, since=11, expect=np.tile(_v, 8))
probe("loop-zero", "Loop", [scalar(0, np.int64), _condition, _v], {"body": body("b (int64 i, bool c, float[2] v) => (bool d, float[2] w, float[2] o) { d = Identity(c) w = Identity(v) o = Identity(v) }")}, {"data": "no iteration"}, outputs=2, expect=[_v, np.zeros((0, 2), np.float32)])
probe("loop-sequence", "Loop", [_count, _condition, _seq], {"body": body("b (int64 i, bool c, seq(float[n,3]) v) => (bool d, seq(float[n,3]) w) { d = Identity(c) w = Identity(v) }")}, {"input[2].type": "seq(tensor(float))"}, since=16, expect=[_seq])
_scan = body("b (float[2] s, float[2] x) => (float[2] t, float[2] y) { t = Add(s, x) y = Identity(t) }")
_xs = floats(3, 2)
_sums = np.cumsum(_xs, 0) + f32(1, 2)
probe("scan", "Scan", [_v, _xs], {"body": _scan, "num_scan_inputs": 1}, {}, since=9, outputs=2, expect=[_sums[-1], _sums])
probe("scan-reverse-input", "Scan", [_v, _xs], {"body": _scan, "num_scan_inputs": 1, "scan_input_directions": [1]}, {"scan_input_directions.any>": 0}, since=9, outputs=2, expect=lambda v, x: [v + x.sum(0), v + np.cumsum(x[::-1], 0)])
probe("scan-reverse-output", "Scan", [_v, _xs], {"body": _scan, "num_scan_inputs": 1, "scan_output_directions": [1]}, {"scan_output_directions.any>": 0}, since=9, outputs=2, expect=[_sums[-1], _sums[::-1]])
probe("scan-input-axis", "Scan", [_v, _xs.T.copy()], {"body": _scan, "num_scan_inputs": 1, "scan_input_axes": [1]}, {"scan_input_axes.any>": 0}, since=9, outputs=2, expect=[_sums[-1], _sums])
probe("scan-output-axis", "Scan", [_v, _xs], {"body": _scan, "num_scan_inputs": 1, "scan_output_axes": [-1]}, {"scan_output_axes.any<": 0}, since=11, outputs=2, expect=[_sums[-1], _sums.T])
probe("optional", "Optional", [_v], {}, {}, expect=_v)
probe("optionalhaselement-tensor", "OptionalHasElement", [_v], {}, {"input[0].type": "float"}, since=18, expect=np.array(True))
probe("optionalhaselement-absent", "OptionalHasElement", [], {}, {"input[0].present": False}, since=18, expect=np.array(False))
probe("optionalgetelement-tensor", "OptionalGetElement", [_v], {}, {"input[0].type": "float"}, since=18, expect=_v)
for _op in ("RandomNormal", "RandomUniform"):
    probe(f"{_op.lower()}-seed", _op, [], {"shape": [2, 3], "seed": 1.0}, {"seed.set": True}, shapes_only=True, expect=np.zeros((2, 3), np.float32))
probe("bernoulli", "Bernoulli", [f32(0, 1)], {}, {}, expect=f32(0, 1))
probe("multinomial", "Multinomial", [floats(2, 3)], {"sample_size": 4}, {}, shapes_only=True, expect=np.zeros((2, 4), np.int32))
for _r in ("mean", "sum", "none"):
    probe(f"softmaxcrossentropyloss-{_r}", "SoftmaxCrossEntropyLoss", [floats(3, 4), i64(0, 3, 1)], {"reduction": _r}, {"reduction": _r})
    probe(f"negativeloglikelihoodloss-{_r}", "NegativeLogLikelihoodLoss", [floats(3, 4), i64(0, 3, 1)], {"reduction": _r}, {"reduction": _r})
    probe(f"negativeloglikelihoodloss-{_r}-weight-ignore", "NegativeLogLikelihoodLoss", [floats(3, 4), i64(0, 3, 1), f32(1, 2, 3, 4)], {"reduction": _r, "ignore_index": 3}, {"reduction": _r, "ignore_index.set": True})
for _op in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"):
    probe(f"{_op.lower()}-default", _op, [floats(3, 4), i64(0, 3, 1)], {}, {"reduction.set": False})
