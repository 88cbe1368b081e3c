# SPDX-License-Identifier: Apache-2.0
"""Random Trilus keep their values when decompose-trilu has rewritten them.

Every draw is judged by the definition (an element stays where column - row >= k,
or <= k for the lower triangle) on onnx's reference evaluator and on ONNX Runtime,
the newest and old ones. How the judges fare on the original nodes is printed:
where one of them is wrong, it is named and counted.
"""

import collections
import random

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from support import cli, runtimes

DRAWS_PER_MODEL = 48
MODELS = 45
LIMITS = np.iinfo(np.int64)
# ONNX Runtime's Where makes a 0 of a -0.
SIGNS_ON_RUNTIME = False
INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = ["float16", "float32", "float64", "bfloat16", "complex64", "complex128"]
TYPES = ["bool", *INTEGERS, *FLOATS]
RUN_TIME_K = ("input", "input of shape [1]", "overridable")
K_KINDS = ("absent", "initializer", "initializer of shape [1]", "constant", *RUN_TIME_K)
X_KINDS = ("static", "dynamic", "half dynamic", "initializer", "unknown rank")


def dtype_of(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def random_k(rng, extreme):
    if extreme and rng.random() < 0.5:
        extremes = [LIMITS.min, LIMITS.min + 1, LIMITS.max, LIMITS.max - 1]
        return rng.choice([*extremes, -(2**31) - 1, 2**31, 2**32, -(2**40)])
    return rng.randint(-7, 7)


def random_values(rng, name, shape):
    bits = np.random.default_rng(rng.getrandbits(32))
    dtype, size = dtype_of(name), int(np.prod(shape))
    if name == "bool":
        return bits.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        return bits.integers(low, high, shape, dtype, endpoint=True)
    values = bits.standard_normal(size).astype(np.float32)
    special = [np.nan, np.inf, -np.inf, -0.0, 1e-45, 3e38]
    at = bits.random(size) < 0.3
    values[at] = bits.choice(np.array(special, np.float32), at.sum())
    with np.errstate(over="ignore"):
        return values.astype(dtype).reshape(shape)


def triangle(x, k, upper):
    """Trilu by its definition."""
    height, width = x.shape[-2:]
    diagonal = np.arange(width)[None, :] - np.arange(height)[:, None]
    keep = diagonal >= k if upper else diagonal <= k
    return np.where(keep, x, np.zeros((), x.dtype))


class Builder:
    """A model of many Trilus of one type, with feeds and expected outputs."""

    def __init__(self, rng, name, opset, ir_version):
        self.rng, self.name = rng, name
        # The reference evaluator fails on these, so they keep to some models.
        self.extreme = rng.random() < 0.2
        self.opset, self.ir_version = opset, ir_version
        self.type = helper.np_dtype_to_tensor_dtype(dtype_of(name))
        self.inputs, self.outputs, self.initializers, self.nodes = [], [], [], []
        self.feeds, self.expected, self.labels = {}, [], []

    def add_input(self, name, value, dims):
        """An input. NumPy feeds no runtime bfloat16: those come by a Cast."""
        elem = helper.np_dtype_to_tensor_dtype(value.dtype)
        if self.name != "bfloat16" or value.dtype != dtype_of(self.name):
            self.inputs.append(helper.make_tensor_value_info(name, elem, dims))
            self.feeds[name] = value
            return name
        info = helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
        self.inputs.append(info)
        self.feeds[name] = value.astype(np.float32)
        cast = helper.make_node("Cast", [name], [name + "_bf16"], to=self.type)
        self.nodes.append(cast)
        return name + "_bf16"

    def add_k(self, i, k, kind):
        name = f"k{i}"
        value = np.array([k] if "[1]" in kind else k, np.int64)
        if kind == "absent":
            return []
        if kind == "constant":
            tensor = numpy_helper.from_array(value)
            self.nodes.append(helper.make_node("Constant", [], [name], value=tensor))
        elif kind.startswith("input"):
            self.add_input(name, value, value.shape)
        else:
            default = value if kind != "overridable" else value * 0 + 1
            self.initializers.append(numpy_helper.from_array(default, name))
            if kind == "overridable":
                self.add_input(name, value, value.shape)
        return [name]

    def add_x(self, i, x, kind):
        name = f"x{i}"
        if kind == "initializer":
            self.initializers.append(numpy_helper.from_array(x, name))
            return name
        dims = list(x.shape)
        if kind == "dynamic":
            dims = [f"d{i}_{axis}" for axis in range(x.ndim)]
        elif kind == "half dynamic":
            dims[self.rng.choice([-1, -2])] = f"d{i}"
        if kind != "unknown rank":
            return self.add_input(name, x, dims)
        flat = self.add_input(name, x.reshape(-1), [f"d{i}"])
        shape = np.array(x.shape, np.int64)
        self.add_input(f"shape{i}", shape, [f"r{i}"])
        self.nodes.append(helper.make_node("Reshape", [flat, f"shape{i}"], [f"t{i}"]))
        return f"t{i}"

    def draw(self, i):
        rng = self.rng
        large = rng.random() < 0.01
        shape = [rng.choice([0, 1, 2, 2, 3, 4, 5]) for _ in range(rng.randint(2, 4))]
        if large:
            shape = [300, 257]
        k_kind, x_kind = rng.choice(K_KINDS), rng.choice(X_KINDS)
        if x_kind == "unknown rank" and 0 in shape:
            x_kind = "dynamic"  # Reshape reads a 0 as "as it was".
        upper = rng.choice([None, 0, 1])
        k = 0 if k_kind == "absent" else random_k(rng, self.extreme)
        x = random_values(rng, self.name, shape)
        operands = [self.add_x(i, x, x_kind), *self.add_k(i, k, k_kind)]
        attributes = {} if upper is None else {"upper": upper}
        self.add_trilu(i, operands, attributes, x.ndim)
        self.expected.append(triangle(x, k, upper != 0))
        self.labels.append(f"{self.name}{shape} {x_kind}, k={k} {k_kind}, {upper=}")

    def add_trilu(self, i, operands, attributes, rank):
        y = f"y{i}"
        in_subgraph = self.rng.random() < 0.15
        trilu = helper.make_node("Trilu", operands, [f"t_{y}"], **attributes)
        if in_subgraph:
            dims = [None] * rank
            info = helper.make_tensor_value_info(trilu.output[0], self.type, dims)
            body = helper.make_graph([trilu], "body", [], [info])
            other = onnx.GraphProto()
            other.CopyFrom(body)
            other.node[0].input[0] = operands[0]
            other.node[0].output[0] = other.output[0].name = f"e_{y}"
            trilu = helper.make_node(
                "If", ["yes"], [f"t_{y}"], then_branch=body, else_branch=other
            )
        self.nodes.append(trilu)
        elem = self.type
        if self.name == "bfloat16":
            elem = TensorProto.FLOAT
            self.nodes.append(helper.make_node("Cast", [f"t_{y}"], [y], to=elem))
        else:
            trilu.output[0] = y
        dims = [f"{y}_{axis}" for axis in range(rank)]
        self.outputs.append(helper.make_tensor_value_info(y, elem, dims))

    def model(self):
        yes = np.array(self.rng.random() < 0.5)
        self.add_input("yes", yes, [])
        graph = helper.make_graph(
            self.nodes, "g", self.inputs, self.outputs, self.initializers
        )
        return helper.make_model(
            graph,
            ir_version=self.ir_version,
            opset_imports=[helper.make_opsetid("", self.opset)],
        ).SerializeToString()


def build(seed, opsets, ir_version=None):
    rng = random.Random(seed)
    opset = rng.choice(opsets)
    name = TYPES[seed % len(TYPES)]
    builder = Builder(rng, name, opset, ir_version or 8)
    for i in range(DRAWS_PER_MODEL):
        builder.draw(i)
    return builder


def same(actual, expected, signs):
    """Equal element by element, NaN being equal to NaN; with `signs`, 0 isn't -0."""
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        return False
    if expected.dtype.kind in "biu":
        return np.array_equal(actual, expected)
    a, b = (v.astype(np.complex128) for v in (actual, expected))
    return all(
        np.array_equal(p, q, equal_nan=True)
        and (not signs or np.array_equal(np.signbit(p[p == 0]), np.signbit(q[q == 0])))
        for p, q in ((a.real, b.real), (a.imag, b.imag))
    )


def wrong(builder, outputs, signs):
    """Labels of the draws whose output isn't what it must be."""
    assert len(outputs) == len(builder.expected)
    faults = []
    for label, actual, expected in zip(builder.labels, outputs, builder.expected):
        if expected.dtype == ml_dtypes.bfloat16:
            expected = expected.astype(np.float32)
        if not same(np.asarray(actual), expected, signs):
            faults.append(label)
    return faults


def reference(model, builder):
    return ReferenceEvaluator(model).run(None, builder.feeds)


def legalized(builder, model, how="--passes=decompose-trilu"):
    result = cli.legalize(model, how)
    graph = onnx.load_from_string(result).graph
    bodies = [a.g for n in graph.node for a in n.attribute if a.HasField("g")]
    for g in [graph, *bodies]:
        assert all(n.op_type != "Trilu" for n in g.node), builder.labels
    return result


@pytest.fixture(scope="module", name="cases")
def make_cases():
    cases = []
    for seed in range(MODELS):
        builder = build(seed, range(14, 24))
        model = builder.model()
        cases.append((builder, model, legalized(builder, model)))
    return cases


def test_reference_evaluator(cases):
    judged = collections.Counter()
    for builder, before, after in cases:
        try:
            judged["wrong"] += len(wrong(builder, reference(before, builder), True))
        except Exception as fault:  # The evaluator's own; counted by kind.
            judged[type(fault).__name__] += len(builder.labels)
        assert not wrong(builder, reference(after, builder), True)
    print(f"reference evaluator on the originals: {dict(judged)}")


def read(model, feeds):
    """The feeds that `model` reads: ONNX Runtime 1.4.0 forgets an input that has a
    default and that nothing reads."""
    graph = onnx.load_from_string(model).graph
    defaults = {i.name for i in graph.initializer}
    bodies = [a.g for n in graph.node for a in n.attribute if a.HasField("g")]
    names = {i for g in (graph, *bodies) for n in g.node for i in n.input}
    return {k: v for k, v in feeds.items() if k in names or k not in defaults}


def on_runtime(version, cases):
    judged = collections.Counter()
    jobs = [(m, read(m, b.feeds)) for b, before, after in cases for m in (before, after)]
    outcomes = iter(runtimes.run_models(version, jobs))
    for builder, _, _ in cases:
        before, after = next(outcomes), next(outcomes)
        assert not isinstance(after, str), (builder.name, after)
        assert not wrong(builder, after, SIGNS_ON_RUNTIME)
        refused = isinstance(before, str)
        for fault in [] if refused else wrong(builder, before, SIGNS_ON_RUNTIME):
            print(f"{version} is wrong on the original: {fault}")
        kind = f"{builder.name} refused" if refused else "runs"
        judged[kind] += len(builder.labels)
    print(f"{version} on the originals: {dict(judged)}")


# No runtime has an operator for complex numbers.
def runnable(cases):
    return [case for case in cases if "complex" not in case[0].name]


def test_newest_runtime(cases):
    on_runtime(runtimes.NEWEST, runnable(cases))


@pytest.mark.parametrize("version", runtimes.OLD)
def test_old_runtime(version):
    if runtimes.python_of(version) is None:
        pytest.skip(f"ONNX Runtime {version} isn't installed")
    left_out, how = ["complex64", "complex128"], []
    if runtimes.opset_of(version) < 14:  # No Trilu: all must be converted.
        left_out += ["bfloat16"]
        how = [f"--target=onnxruntime-{version}"]
    cases = []
    for seed in range(1000, 1000 + len(TYPES)):
        builder = build(seed, [14], ir_version=7)
        if builder.name not in left_out:
            model = builder.model()
            cases.append((builder, model, legalized(builder, model, *how)))
    print(f"left out, of types that {version} lacks: {len(TYPES) - len(cases)} models")
    on_runtime(version, cases)
