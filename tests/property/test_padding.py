# SPDX-License-Identifier: Apache-2.0
"""Random convolutions and pools keep their values when auto_pad is decomposed.

Each draw is judged by its definition (padding_oracle.py): the legalized node on
onnx's reference evaluator and on the newest ONNX Runtime, and the original on
both. A judge that is wrong or has no answer must be so for a reason listed here;
such draws are counted by that reason, which is printed.
"""
import collections
import json
import pathlib
import tempfile

import cli
import numpy as np
import onnx
import padding_draws
import pytest
import runtimes
from onnx.reference import ReferenceEvaluator

POOLS = ("MaxPool", "AveragePool", "LpPool")
OPSETS = (8, 10, 11, 12, 13, 18, 19, 21, 22)
PADDINGS = ("auto", "attribute", "node")
DRAWS_PER_MODEL = 100


def negative(draw):
    """Taken literally, the pool's formula pads by a negative amount."""
    return draw.op in POOLS and draw.same and any(
        (-(-n // s) - 1) * s + k - n < 0
        for n, k, s in zip(draw.sizes, draw.k, draw.s))


def dilates(draw):
    return max(draw.d) > 1


def reaches_kernel(draw, padding):
    """Pads that must be an attribute, and that are as large as the kernel."""
    begins, ends = draw.pads()
    return (draw.op in POOLS and draw.same and
            (draw.indices or padding == "attribute") and
            any(max(b, e) >= k for b, e, k in zip(begins, ends, draw.k)))


# Why onnx's reference evaluator may fail on an original.
REFERENCE = {
    "MaxPool with Indices": lambda d: d.indices,
    "MaxPool of integers": lambda d: d.op == "MaxPool" and
                                     d.x.dtype.kind != "f",
    "MaxPool SAME with stale pads": lambda d: d.op == "MaxPool" and
                                              d.stale_pads,
    "MaxPool SAME_LOWER rounds the size down":
        lambda d: d.op == "MaxPool" and d.mode == "SAME_LOWER" and
                  max(d.s) > 1,
    "MaxPool SAME_LOWER has the odd cell at the end":
        lambda d: d.op == "MaxPool" and d.mode == "SAME_LOWER",
    "MaxPool in other than two dimensions":
        lambda d: d.op == "MaxPool" and d.rank != 2,
    "a pool with a negative total": negative,
    "a pool with auto_pad and ceil_mode":
        lambda d: d.op in POOLS and d.ceil and d.mode != "NOTSET",
    "a pool with auto_pad and dilation":
        lambda d: d.op in POOLS and dilates(d) and d.mode != "NOTSET",
    "a pool with ceil_mode": lambda d: d.op in POOLS and d.ceil,
    "ConvTranspose with groups": lambda d: d.op == "ConvTranspose" and
                                           d.group > 1,
    "ConvTranspose with output_shape": lambda d: bool(d.output_shape),
}
# Why it may fail on a legalized node, that is, with explicit pads.
REFERENCE_EXPLICIT = {
    "MaxPool with pads and a stride of 1":
        lambda d: d.op == "MaxPool" and max(d.s) == 1,
    **{reason: REFERENCE[reason] for reason in (
        "MaxPool with Indices", "MaxPool of integers",
        "a pool with ceil_mode", "ConvTranspose with groups",
        "ConvTranspose with output_shape")},
}
# Why the newest runtime refuses an original, or gets it wrong.
RUNTIME = {
    "SAME with dilation": lambda d: d.same and dilates(d),
    "a pool with a negative total": negative,
}
# Why old runtimes fail on a legalized node, as they do on the original.
OLD_RUNTIME = {
    "ConvInteger without zero points crashes":
        lambda d: d.op == "ConvInteger" and d.x_zero is None,
    "AveragePool with ceil_mode and counted padding":
        lambda d: d.ceil and d.count_padding and not d.same,
    "a pool whose pads reach its kernel": lambda d: reaches_kernel(d, "auto"),
    "QLinearConv 1x1 with groups (1.8.1)":
        lambda d: d.op == "QLinearConv" and d.group > 1 and max(d.k) == 1,
    "ConvTranspose keeps output_shape where the size is unknown (1.8.1)":
        lambda d: bool(d.output_shape) and d.dynamic,
}


def same(actual, expected):
    return all(
        np.shape(a) == e.shape and np.asarray(a).dtype == e.dtype and
        np.allclose(np.asarray(a, np.float64), e.astype(np.float64),
                    rtol=1e-5, atol=1e-5) for a, e in zip(actual, expected))


def legalize(model, padding):
    """The legalized model, and the names of the nodes that were declined."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        result = cli.legalize(
            model.SerializeToString(), "--passes=decompose-auto-pad",
            f"--padding={padding}", "--allow-illegal", f"--report={report}",
            exit_code=None)
        declined = {n["node"] for n in json.loads(report.read_text())["illegal"]}
    return onnx.load_from_string(result), declined


class Parts:
    """A model of many nodes that can be taken apart by output."""

    def __init__(self, model):
        graph = model.graph
        self.model = model
        self.nodes = list(graph.node)
        self.makers = {o: i for i, n in enumerate(self.nodes)
                       for o in n.output}
        self.inputs = {i.name: i for i in graph.input}
        self.initializers = {i.name: i for i in graph.initializer}
        self.outputs = {o.name: o for o in graph.output}

    def making(self, outputs):
        """The part of the model that makes `outputs`."""
        wanted, found, leaves = list(outputs), set(), {}
        while wanted:
            name = wanted.pop()
            maker = self.makers.get(name)
            if maker is None:
                leaves[name] = None
            elif maker not in found:
                found.add(maker)
                wanted += self.nodes[maker].input
        part = onnx.ModelProto(ir_version=self.model.ir_version,
                               opset_import=self.model.opset_import)
        part.graph.name = "part"
        part.graph.node.extend(self.nodes[i] for i in sorted(found))
        part.graph.input.extend(
            self.inputs[n] for n in leaves if n in self.inputs)
        part.graph.initializer.extend(
            self.initializers[n] for n in leaves if n in self.initializers)
        part.graph.output.extend(self.outputs[n] for n in outputs)
        return part


def reference(parts, feeds, outputs):
    """What the reference evaluator makes; a str where it fails."""
    part = parts.making(outputs)
    feeds = {i.name: feeds[i.name] for i in part.graph.input}
    try:
        with np.errstate(all="ignore"):
            return ReferenceEvaluator(part).run(None, feeds)
    except Exception as fault:  # Its own: counted by the reason for it.
        return repr(fault)


def outputs_of(results, names):
    return ([results[n] for n in names] if names[0] in results else
            "left out, for it would be refused")


class Judgements:
    """Counts who was right, and, by reason, who wasn't."""

    def __init__(self):
        self.right = collections.Counter()
        self.failures = collections.Counter()
        self.unexplained = []

    def add(self, who, draw, outputs, expected, known):
        if not isinstance(outputs, str) and same(outputs, expected):
            self.right[who] += 1
            return
        reason = next((r for r, applies in known.items() if applies(draw)),
                      None)
        if reason is None:
            fault = outputs if isinstance(outputs, str) else "other values"
            self.unexplained.append(f"{who}: {draw}: {fault}")
        self.failures[who, reason] += 1


def run_all(models, feeds, outputs, version=runtimes.NEWEST):
    """For each model, {output name: value}; asserts that it runs."""
    results = []
    for outcome, names in zip(runtimes.run_models(
            version, [(m.SerializeToString(), f)
                      for m, f in zip(models, feeds)]), outputs):
        assert not isinstance(outcome, str), outcome
        results.append(dict(zip(names, outcome)))
    return results


def flat(lists):
    return [name for names in lists for name in names]


class Batch:
    """Draws of one opset in one model, before and after."""

    def __init__(self, opset, padding, seed=None, ir_version=8):
        self.padding = padding
        if seed is None:
            seed = 100 * PADDINGS.index(padding)
        self.draws = padding_draws.draws(seed, opset, DRAWS_PER_MODEL)
        self.before, self.feeds, self.outputs = padding_draws.model_of(
            self.draws, opset)
        self.before.ir_version = min(self.before.ir_version, ir_version)
        self.after, declined = legalize(self.before, padding)
        expected = {f"n{i}" for i, d in enumerate(self.draws)
                    if d.declined(padding)}
        assert declined == expected, [
            str(self.draws[int(n[1:])]) for n in declined ^ expected]
        for node in self.after.graph.node:
            assert (node.name in declined or
                    all(a.name != "auto_pad" for a in node.attribute)), node
        self.done = [f"n{i}" not in declined for i in range(len(self.draws))]
        self.before, self.after = Parts(self.before), Parts(self.after)

    def names(self, wanted):
        return flat(o for o, w in zip(self.outputs, wanted) if w)


@pytest.fixture(scope="module", name="batches")
def make_batches():
    return [Batch(opset, padding) for opset in OPSETS for padding in PADDINGS]


def test_random_draws(batches):
    judged = Judgements()
    ours = [b.names(done and not reaches_kernel(d, b.padding)
                    for d, done in zip(b.draws, b.done)) for b in batches]
    theirs = [b.names(d.well_defined() and
                      not any(f(d) for f in RUNTIME.values())
                      for d in b.draws) for b in batches]
    feeds = [b.feeds for b in batches]
    results = run_all([b.after.making(n) for b, n in zip(batches, ours)],
                      feeds, ours)
    originals = run_all([b.before.making(n) for b, n in zip(batches, theirs)],
                        feeds, theirs)
    for b, after, before in zip(batches, results, originals):
        for i, draw in enumerate(b.draws):
            names = b.outputs[i]
            if not b.done[i]:
                judged.right["declined"] += 1
                continue
            expected = draw.expected()
            judged.add("reference, original", draw,
                       reference(b.before, b.feeds, names), expected,
                       REFERENCE)
            judged.add("reference, legalized", draw,
                       reference(b.after, b.feeds, names), expected,
                       REFERENCE_EXPLICIT)
            judged.add("runtime, original", draw, outputs_of(before, names),
                       expected, RUNTIME)
            judged.add("runtime, legalized", draw, outputs_of(after, names),
                       expected, {
                           "a pool whose pads reach its kernel":
                               lambda d: reaches_kernel(d, b.padding)})
    print()
    for who, count in sorted(judged.right.items()):
        print(f"{count:6} {who}")
    for (who, reason), count in sorted(judged.failures.items(), key=str):
        print(f"{count:6} {who} failed: {reason}")
    assert not judged.unexplained, "\n".join(
        sorted(judged.unexplained, reverse=True)[:20])
    assert judged.right["runtime, legalized"] >= 2000


def torch_like(rank, k, dilation, opset):
    """What the TorchScript exporter makes of padding="same": the weight and bias
    are initializers, all attributes are written."""
    rng = np.random.default_rng([rank, k, dilation])
    draw = padding_draws.Draw(
        "Conv", opset, "SAME_UPPER", [9, 8, 7][:rank], [k] * rank, [1] * rank,
        [dilation] * rank, dynamic=True)
    draw.x = rng.integers(-9, 10, (2, 2, *draw.sizes)).astype(np.float32)
    draw.w = rng.integers(-9, 10, (3, 2, *draw.k)).astype(np.float32)
    draw.b = rng.integers(-9, 10, 3).astype(np.float32)
    return draw


@pytest.mark.parametrize("version", runtimes.OLD)
def test_exported_string_padding(version):
    if runtimes.python_of(version) is None:
        pytest.skip(f"ONNX Runtime {version} isn't installed")
    opset = min(13, runtimes.opset_of(version))
    draws = [torch_like(rank, k, dilation, opset) for rank in (1, 2, 3)
             for k in (2, 3, 4, 5) for dilation in (1, 2, 3)]
    before, feeds, outputs = padding_draws.model_of(draws, opset)
    before.ir_version = 7
    for padding in PADDINGS:
        after, declined = legalize(before, padding)
        assert not declined
        [results] = run_all([after], [feeds], [flat(outputs)], version)
        for draw, [name] in zip(draws, outputs):
            assert same([results[name]], draw.expected()), str(draw)


@pytest.mark.parametrize("version", runtimes.OLD)
def test_random_draws_on_old_runtimes(version):
    """Only what is legalized: these are wrong about many an original."""
    if runtimes.python_of(version) is None:
        pytest.skip(f"ONNX Runtime {version} isn't installed")
    opsets = (8, 10, 11, 13)
    newest = runtimes.opset_of(version)
    batches = [Batch(opset, "auto", seed=7, ir_version=7)
               for opset in opsets if opset <= newest]
    left_out = collections.Counter(
        {"an opset that it doesn't read":
             DRAWS_PER_MODEL * sum(opset > newest for opset in opsets)})
    wanted = []
    for b in batches:
        reasons = [next((r for r, applies in OLD_RUNTIME.items()
                         if applies(d)), None) for d in b.draws]
        left_out.update(r for r in reasons if r is not None)
        wanted.append(b.names(done and r is None
                              for done, r in zip(b.done, reasons)))
    results = run_all([b.after.making(n) for b, n in zip(batches, wanted)],
                      [b.feeds for b in batches], wanted, version)
    for b, after in zip(batches, results):
        for draw, names in zip(b.draws, b.outputs):
            if names[0] in after:
                assert same([after[n] for n in names],
                            draw.expected()), str(draw)
    print(f"\n{sum(map(len, wanted))} outputs on {version}; left out: "
          f"{dict(left_out)}")
