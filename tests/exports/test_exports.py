# SPDX-License-Identifier: Apache-2.0
"""Models that people really exported run as they should once legalized.

`doctr/` and `returnn/` hold exports with inputs and outputs, `../cases/` small
reproductions of public bug reports. Each is legalized by the real program and run
on the newest ONNX Runtime and on those old ones that read its opset and IR
version, in a process of its own: a refusal, a crash or a hang fails the test.
"""

import functools
import json
import lzma
import pathlib

import cli
import numpy as np
import onnx
import pytest
import runtimes
from compare import difference

HERE = pathlib.Path(__file__).parent
CASES = HERE.parent / "cases"
DOCTR = sorted(p.name[: -len(".onnx.xz")] for p in (HERE / "doctr").glob("*.xz"))
RETURNN = sorted(p.stem for p in (HERE / "returnn").glob("*.onnx"))
CATEGORIES = {"auto-pad", "redundant-input", "subgraph-function-ir"}
# Opset and IR version that an old runtime still reads.
READS = {"1.8.1": (14, 7), "1.14.1": (18, 8), "1.17.1": (20, 9)}
VERSIONS = (runtimes.NEWEST, *READS)
# Restate the batch size; or misnamed, see renamed().
REMOVED = {"data:size0", "classes:size0", "classes:size1"}
# Concat of int32 and int64, or Relu of int32 below opset 14: nothing runs them.
MIXED_TYPES = [
    "conformer.ts",
    "conformer.ts14",
    "hist-real.conformer-classes.ts",
    "hist-real.conformer.ts",
    "rf-batchuse.ts",
    "rf-batchuse.ts14",
]


@functools.lru_cache(maxsize=2)
def read(path):
    return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()


def reads(version, model):
    opset, ir_version = READS[version]
    imported = [o.version for o in model.opset_import if o.domain == ""]
    return max(imported, default=0) <= opset and model.ir_version <= ir_version


def on_runtimes(paths):
    """(name, runtime) of each model on each runtime that reads it."""
    pairs = []
    for name, path in paths.items():
        model = onnx.load_from_string(read(path))
        for version in VERSIONS:
            if version == runtimes.NEWEST or reads(version, model):
                pairs.append(pytest.param(name, version, id=f"{name}-{version}"))
    return pairs


def require(version):
    if runtimes.python_of(version) is None:
        pytest.skip(f"ONNX Runtime {version} is not installed")


def legalized(path):
    return cli.legalize(read(path))


def run(version, model, all_feeds):
    """For each of all_feeds, the outputs by name, after checks of their shapes."""
    require(version)
    graph = onnx.load_from_string(model).graph
    wanted = {v.name for v in graph.input}
    jobs = [(model, {k: v for k, v in f.items() if k in wanted}) for f in all_feeds]
    results = []
    for outputs in runtimes.run_models(version, jobs):
        assert not isinstance(outputs, str), outputs
        for info, value in zip(graph.output, outputs, strict=True):
            assert_declared(info, value)
        results.append({v.name: o for v, o in zip(graph.output, outputs, strict=True)})
    return results


def assert_declared(info, value):
    """What the model declares of an output must be what comes out."""
    tensor = info.type.tensor_type
    if not tensor.HasField("shape"):
        return
    declared = [d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim]
    assert len(declared) == value.ndim, (info.name, declared, value.shape)
    for dim, size in zip(declared, value.shape, strict=True):
        assert dim in (None, size), (info.name, declared, value.shape)


def assert_equal(outputs, expected):
    assert set(outputs) == set(expected)
    for name, value in expected.items():
        assert difference(outputs[name], value) == "", name


# --- docTR ---------------------------------------------------------------------


def doctr_path(name):
    return HERE / "doctr" / f"{name}.onnx.xz"


# Those of the TorchScript exporter are of an opset that all of READS read.
@pytest.mark.parametrize(
    ("name", "version"),
    [(n, v) for n in DOCTR for v in VERSIONS if v == runtimes.NEWEST or n.endswith(".ts")],
)
def test_doctr(name, version):
    require(version)
    family, kind = name.split(".")
    model = legalized(doctr_path(name))
    with np.load(HERE / "doctr" / f"{family}.npz") as data:
        feed = {onnx.load_from_string(model).graph.input[0].name: data["input"]}
        outputs = run(version, model, [feed])[0]
        assert_doctr_output(next(iter(outputs.values())), data, f"{kind}_")


def assert_doctr_output(output, data, prefix):
    """Large outputs are stored in part."""
    assert list(output.shape) == list(data[prefix + "shape"])
    if prefix + "output" in data:
        assert difference(output, data[prefix + "output"]) == ""
        return
    flat, head = output.ravel(), data[prefix + "head"]
    assert difference(flat[: head.size], head) == ""
    at = data[prefix + "strided_index"]
    assert difference(flat[at], data[prefix + "strided"]) == ""
    # The plain sum, moments[0], may be all rounding.
    flat = flat.astype(np.float64)
    moments = np.array([(flat * flat).sum(), flat.min(), flat.max()])
    assert np.allclose(moments, data[prefix + "moments"][1:], 1e-3, 1e-3)


@pytest.mark.parametrize("version", READS)
def test_old_runtimes_refuse_the_boolean_mask_as_exported(version):
    require(version)
    model = read(doctr_path("master_bool.ts"))
    with np.load(HERE / "doctr" / "master_bool.npz") as data:
        refusal = runtimes.run_models(version, [(model, {"input": data["input"]})])[0]
    assert isinstance(refusal, str) and "Trilu" in refusal


# --- RETURNN -------------------------------------------------------------------


def returnn_path(name):
    return HERE / "returnn" / f"{name}.onnx"


def returnn_data(name):
    """[(inputs, outputs)...] for two sizes.

    Where no runtime runs the original, the outputs are eager PyTorch's."""
    # conformer-ok.ts12 is the same model as .ts14, with outputs stored once.
    stored = returnn_path(name.replace(".ts12", ".ts14")).with_suffix(".npz")
    pairs = []
    with np.load(stored) as data:
        for size in ("", "2"):
            outputs = arrays(data, f"out{size}:") or arrays(data, f"ref{size}:")
            assert outputs, stored
            pairs.append([arrays(data, f"in{size}:"), outputs])
    return pairs


def arrays(data, prefix):
    return {k[len(prefix) :]: data[k] for k in data.files if k.startswith(prefix)}


def renamed(feed):
    """Lengths of `classes`, which isn't an input, are those of `data`."""
    if "classes:size1" in feed:
        feed = dict(feed, **{"data:size1": feed["classes:size1"]})
    return feed


@pytest.mark.parametrize(
    ("name", "version"), on_runtimes({name: returnn_path(name) for name in RETURNN})
)
def test_returnn(name, version):
    require(version)
    model = legalized(returnn_path(name))
    before = {v.name for v in onnx.load(returnn_path(name)).graph.input}
    after = {v.name for v in onnx.load_from_string(model).graph.input}
    assert after == set(renamed(dict.fromkeys(before))) - REMOVED
    pairs = returnn_data(name)
    results = run(version, model, [renamed(feed) for feed, _ in pairs])
    for outputs, (_, expected) in zip(results, pairs, strict=True):
        assert_equal(outputs, expected)


@pytest.mark.parametrize("name", MIXED_TYPES)
def test_the_newest_runtime_refuses_mixed_types_as_exported(name):
    feed, _ = returnn_data(name)[0]
    outcome = runtimes.run_models(runtimes.NEWEST, [(read(returnn_path(name)), feed)])[0]
    assert isinstance(outcome, str)


def test_the_report_says_what_a_size_was_taken_for(tmp_path):
    source = returnn_path("hist-real.demo-torch.ts")
    report = tmp_path / "report.json"
    done = cli.run(source, tmp_path / "out.onnx", "-q", "--report", report)
    assert done.returncode == 0, done.stderr
    notes = json.loads(report.read_text())["notes"]
    assert any("'classes:size0'" in n and "'data'" in n for n in notes), notes
    # Its lengths follow from the shape of `data`: nobody is asked for lengths.
    assert any("'output:size1'" in n and "dummy" in n for n in notes), notes


# --- Cases ---------------------------------------------------------------------


def case_paths():
    for path in sorted(CASES.glob("*/case.json")):
        case = json.loads(path.read_text())
        if case["category"] in CATEGORIES or case["id"].startswith("001-"):
            yield case["id"], path.with_name("model.onnx")


@pytest.mark.parametrize(("name", "version"), on_runtimes(dict(case_paths())))
def test_case(name, version):
    folder = CASES / name
    model = legalized(folder / "model.onnx")
    pairs = []
    for path in sorted(folder.glob("inputs*.npz")):
        with np.load(path) as feed, np.load(str(path).replace("inputs", "outputs")) as out:
            pairs.append((arrays(feed, ""), arrays(out, "")))
    results = run(version, model, [feed for feed, _ in pairs])
    for outputs, (_, expected) in zip(results, pairs, strict=True):
        assert_equal(outputs, expected)


def test_the_unused_batch_size_is_no_input_any_more():
    model = legalized(CASES / "050-unused-scalar-batch-input" / "model.onnx")
    inputs = [v.name for v in onnx.load_from_string(model).graph.input]
    assert inputs == ["data", "data:size1"]
