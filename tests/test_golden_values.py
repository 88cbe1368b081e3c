# SPDX-License-Identifier: Apache-2.0
"""Golden cases keep their values: each is run before and after legalization.

Inputs are random, seeded by the case's name; directives say what else they must
be (tests/golden/README.md). Judged by onnx's reference evaluator and the newest
ONNX Runtime, where they run the original: exactly, or, where the report calls a
rewrite equivalent, up to rounding.
"""

import pathlib
import re
import zlib

import numpy as np
import onnx
import onnx.checker
import onnx.parser
import pytest
from onnx import helper
from onnx.reference import ReferenceEvaluator
from support import cli, runtimes

FOLDER = pathlib.Path(__file__).with_name("golden")
CASES = sorted(str(p.relative_to(FOLDER)) for p in FOLDER.glob("*/*.onnxtxt"))


class Golden:
    def __init__(self, name):
        text = (FOLDER / name).read_text()
        self.input, _, self.expected = text.partition("\n---- ")
        self.rng = np.random.default_rng(zlib.crc32(name.encode()))
        self.flags = self.directive("flags")
        if not any(f.startswith("--passes") for f in self.flags):
            self.flags.append("--passes=" + name.split("/", maxsplit=1)[0])
        self.flags = [f for f in self.flags if f != "--passes=portable"]
        self.sizes = dict(word.split("=") for word in self.directive("dims"))
        self.values = dict(word.split("=") for word in self.directive("feed"))
        self.exact = "(equivalent)" not in self.expected
        self.rewrites = not re.match(r"error\n|output\nunchanged\n", self.expected)
        self.no_run = " ".join(self.directive("no-run"))
        self.no_reference = " ".join(self.directive("no-reference"))

    def directive(self, key):
        found = re.findall(rf"^# {key}: (.*)$", self.input, re.MULTILINE)
        return " ".join(found).split()

    def size(self, dim):
        if dim.HasField("dim_value"):
            return dim.dim_value
        if dim.dim_param not in self.sizes:
            self.sizes[dim.dim_param] = self.rng.integers(2, 5)
        return int(self.sizes[dim.dim_param])

    def feed(self, info):
        tensor = info.type.tensor_type
        dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        if info.name in self.values:
            words = self.values[info.name].split(",")
            if len(tensor.shape.dim) == 1:
                self.sizes[tensor.shape.dim[0].dim_param] = len(words)
            words = [{"true": 1, "false": 0}.get(word, word) for word in words]
            value = np.array(words).astype(np.float64)
        else:
            shape = [self.size(d) for d in tensor.shape.dim]
            value = self.rng.normal(scale=3, size=shape)
            value = value if dtype.kind in "fc" else np.abs(np.rint(value))
        return value.astype(dtype).reshape([self.size(d) for d in tensor.shape.dim])

    def feeds(self, model):
        # Before IR 4 an initializer is a constant, though listed as an input.
        fixed = {i.name for i in model.graph.initializer if model.ir_version < 4}
        return {i.name: self.feed(i) for i in model.graph.input if i.name not in fixed}


def agree(before, after, exact):
    for a, b in zip(before, after):
        a, b = np.asarray(a), np.asarray(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if exact or a.dtype.kind not in "fc":
            np.testing.assert_array_equal(a, b)
        else:
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def is_valid(model):
    try:
        onnx.checker.check_model(model, full_check=True)
    except Exception:  # Of the checker or of its shape inference.
        return False
    return True


def on_reference(model, feeds):
    names = {i.name for i in model.graph.input}
    feeds = {k: v for k, v in feeds.items() if k in names}
    return ReferenceEvaluator(model).run(None, feeds)


class Prepared:
    """A case's models before and after, and what to feed them."""

    def __init__(self, golden):
        self.golden = golden
        self.before = onnx.parser.parse_model(golden.input)
        self.feeds = golden.feeds(self.before)
        flags = [*golden.flags, "--allow-illegal"]
        source = self.before.SerializeToString()
        self.after = onnx.load_from_string(
            cli.legalize(source, *flags, exit_code=None)
        )


@pytest.fixture(scope="module", name="prepared")
def prepare():
    """The cases that are run, by name, with their outcomes on the runtime.

    In place of a case that can't be prepared stands the reason.
    """
    cases, faults = {}, {}
    for name, golden in [(name, Golden(name)) for name in CASES]:
        if not golden.rewrites or golden.no_run:
            continue
        try:
            cases[name] = Prepared(golden)
        except Exception as fault:  # Fails this case's test, not every one.
            faults[name] = fault
    jobs = [
        (model.SerializeToString(), case.feeds)
        for case in cases.values()
        for model in (case.before, case.after)
    ]
    outcomes = iter(runtimes.run_models(runtimes.NEWEST, jobs))
    done = {n: (case, next(outcomes), next(outcomes)) for n, case in cases.items()}
    return {**done, **faults}


@pytest.mark.parametrize("name", CASES)
def test_values(name, prepared):
    golden = Golden(name)
    if not golden.rewrites:
        return
    if golden.no_run:
        pytest.skip("no-run: " + golden.no_run)
    if isinstance(prepared[name], Exception):
        raise prepared[name]
    case, expected, actual = prepared[name]
    if isinstance(expected, str) and not is_valid(case.before):
        assert not isinstance(actual, str), actual
        return  # What an invalid model computes only the result can say.
    judges = 0
    if not isinstance(expected, str):
        assert not isinstance(actual, str), actual
        agree(expected, actual, golden.exact)
        judges += 1
    try:
        expected = on_reference(case.before, case.feeds)
    except Exception:  # The evaluator has no answer for the original.
        pass
    else:
        if not golden.no_reference:
            agree(expected, on_reference(case.after, case.feeds), golden.exact)
            judges += 1
    assert judges, "nothing runs the original: mark the case with no-run"
