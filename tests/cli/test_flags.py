# SPDX-License-Identifier: Apache-2.0
"""What the flags do, each through the real binary."""
import json

import cli_models as models
import onnx
import onnx.parser
import pytest


def report_of(cli, source, out, *flags):
    path = out.with_suffix(".json")
    result = cli(source, out, "-q", "--report", path, *flags)
    assert result.returncode in (0, 3), result.stderr
    return json.loads(path.read_text())


def test_passes_run_in_the_order_given(cli, model_file, tmp_path):
    names = ["infer-shapes", "repair-structure"]
    report = report_of(cli, model_file(models.TRILU), tmp_path / "out.onnx",
                       "--passes=" + ",".join(names))
    assert [p["pass"] for p in report["passes"]] == names
    assert report["ops_after"] == {"Trilu": 1}


def test_skip_pass(cli, model_file, tmp_path):
    source, out = model_file(models.TRILU), tmp_path / "out.onnx"
    everything = [p["pass"] for p in report_of(cli, source, out)["passes"]]
    report = report_of(cli, source, out, "--skip-pass=decompose-trilu")
    everything.remove("decompose-trilu")
    assert [p["pass"] for p in report["passes"]] == everything
    assert report["ops_after"] == {"Trilu": 1}


def test_report_keys(cli, model_file, tmp_path):
    report = report_of(cli, model_file(models.TRILU), tmp_path / "out.onnx")
    assert list(report) == [
        "schema", "target", "legal", "changed", "ops_before", "ops_after",
        "passes", "rewrites", "illegal", "notes", "warnings", "explanations"
    ]
    assert report["target"] == "portable"
    assert report["changed"] is True
    rewrite = report["rewrites"][0]
    assert list(rewrite) == ["pass", "node", "op", "what", "exactness"]
    assert (rewrite["pass"], rewrite["node"], rewrite["op"]) == (
        "decompose-trilu", "y", "Trilu")


def test_same_flags_same_bytes(cli, model_file, tmp_path):
    source = model_file(models.SUBGRAPH_AND_FUNCTION)
    outs = [tmp_path / "1.onnx", tmp_path / "2.onnx"]
    reports = [report_of(cli, source, out) for out in outs]
    for report in reports:
        for entry in report["passes"]:
            del entry["seconds"]
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert reports[0] == reports[1]


def test_subgraphs_and_functions(cli, model_file, tmp_path):
    report = report_of(cli, model_file(models.SUBGRAPH_AND_FUNCTION),
                       tmp_path / "out.onnx", "--verify-each")
    assert report["ops_before"]["Trilu"] == 2
    assert "Trilu" not in report["ops_after"]
    assert report["ops_before"]["local::lower"] == 1


def test_explain(cli, model_file, tmp_path):
    report = report_of(cli, model_file(models.STRING_TRILU),
                       tmp_path / "out.onnx", "--explain")
    assert any(line.startswith("decompose-trilu: Trilu node")
               for line in report["explanations"])
    result = cli(model_file(models.STRING_TRILU), "--analyze", "--explain")
    assert b"Left alone" in result.stdout


def test_verbose_shows_times(cli, model_file, tmp_path):
    result = cli(model_file(models.TRILU), tmp_path / "out.onnx", "-v")
    assert b"Passes\n" in result.stdout and b" ms " in result.stdout


def test_input_shape(cli, model_file, tmp_path):
    out = tmp_path / "out.onnx"
    report = report_of(cli, model_file(models.LEGAL), out,
                       "--input-shape=x:3,-1")
    assert report["changed"] is True
    dims = onnx.load(out).graph.input[0].type.tensor_type.shape.dim
    assert [d.dim_value for d in dims] == [3, 4]


@pytest.mark.parametrize("shape, wanted", [
    ("X:3,4", "no input is named 'X'; did you mean 'x'?"),
    ("x:3", "has 2 dimensions"),
    ("x:3,5", "is 4 in dimension 1, which 5 contradicts"),
])
def test_input_shape_that_does_not_fit(cli, model_file, tmp_path, shape,
                                       wanted):
    out = tmp_path / "out.onnx"
    result = cli(model_file(models.LEGAL), out, "--input-shape", shape)
    assert result.returncode == 1
    assert wanted in result.stderr.decode()
    assert not out.exists()


def test_input_shape_that_contradicts_a_default(cli, model_file, tmp_path):
    source = model_file("""
      <ir_version: 8, opset_import: ["" : 17]>
      g (float[3] x, float[3] b = {1, 2, 3}) => (float[3] y) { y = Add(x, b) }
    """)
    model = onnx.load(source)
    model.graph.input[1].type.tensor_type.shape.dim[0].dim_param = "N"
    onnx.save(model, source)
    result = cli(source, tmp_path / "out.onnx", "--input-shape=b:4")
    assert result.returncode == 1
    assert b"default value that is 3 in dimension 0" in result.stderr


def test_derive_input(cli, model_file, tmp_path):
    source, out = model_file("""
      <ir_version: 8, opset_import: ["" : 17]>
      g (float[N, 4] data, int64 batch) => (int64 y) { y = Neg(batch) }
    """), tmp_path / "out.onnx"
    assert cli(source, out, "-q").returncode == 0
    assert [i.name for i in onnx.load(out).graph.input] == ["data", "batch"]
    result = cli(source, out, "-q", "--derive-input=batch=data:0")
    assert result.returncode == 0, result.stderr
    assert [i.name for i in onnx.load(out).graph.input] == ["data"]


def test_derive_input_needs_its_pass(cli, model_file, tmp_path):
    result = cli(model_file(models.LEGAL), tmp_path / "out.onnx",
                 "--derive-input=b=x:0", "--skip-pass=derive-size-inputs")
    assert result.returncode == 2
    assert b"derive-size-inputs" in result.stderr


def test_what_cannot_be_inferred_is_a_warning(cli, model_file, tmp_path):
    report = report_of(cli, model_file("""
      <ir_version: 8, opset_import: ["" : 17]>
      g (float[2, 3] a, float[4, 5] b) => (float[M, N] y) { y = MatMul(a, b) }
    """), tmp_path / "out.onnx")
    assert any(w.startswith("no types could be inferred: MatMul node")
               for w in report["warnings"])


def test_runtime_targets_are_measured(cli, model_file, tmp_path):
    report = report_of(cli, model_file(models.TRILU), tmp_path / "out.onnx",
                       "--target=onnxruntime-1.4.0")
    assert report["target"] == "onnxruntime-1.4.0"
    assert "Trilu" not in report["ops_after"]


def test_list_targets(cli):
    result = cli("--list-targets")
    assert result.returncode == 0
    names = [line.split()[0] for line in result.stdout.decode().splitlines()]
    assert names[:2] == ["portable", "opset:N"]
    assert "onnxruntime-1.14.1" in names and len(names) > 10


def test_a_shown_target_is_a_target_file(cli, model_file, tmp_path):
    shown = cli("--show-target", "onnxruntime-1.8.1")
    assert shown.returncode == 0
    profile = tmp_path / "mine.json"
    profile.write_bytes(shown.stdout)
    out = [tmp_path / "a.onnx", tmp_path / "b.onnx"]
    source = model_file(models.TRILU)
    assert cli(source, out[0], "--target", profile).returncode == 0
    assert cli(source, out[1], "--target", "onnxruntime-1.8.1").returncode == 0
    assert out[0].read_bytes() == out[1].read_bytes()


def test_lowerings_replace_operators_of_any_domain(cli, tmp_path):
    source, out, mine = (tmp_path / n for n in ("in.onnx", "out.onnx", "mine.onnxtxt"))
    onnx.save(onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18, "ours" : 1]>
        g (float[N] x) => (float[N] y) { y = ours.Scale <by = 2.0> (x) }"""), source)
    mine.write_text("""// Scale multiplies.
<domain: "ours", opset_import: ["" : 13], doc_string: "exact; multiplies">
Scale <by: float = 3.0> (x) => (y) { f = Constant <value_float: float = @by> ()  y = Mul (x, f) }
""")
    assert cli(source, out, "--lowerings", mine).returncode == 0
    model = onnx.load(out)
    assert [n.op_type for n in model.graph.node] == ["Constant", "Mul"]
    assert [o.domain for o in model.opset_import] == [""]
    mine.write_text("nonsense")
    result = cli(source, out, "--lowerings", mine)
    assert result.returncode == 1 and b"mine.onnxtxt" in result.stderr


def test_opset_is_exact_or_refused(cli, model_file, tmp_path):
    out = tmp_path / "out.onnx"
    assert cli(model_file(models.TRILU), out, "--opset=17").returncode == 0
    assert onnx.load(out).opset_import[0].version == 17
    result = cli(model_file(models.TRILU), out, "--opset=99")
    assert result.returncode == 2 and b"opsets go from 7" in result.stderr


def test_strict(cli, model_file, tmp_path):
    source, out = model_file(models.WRONG_OUTPUT_SHAPE), tmp_path / "out.onnx"
    assert cli(source, out, "--strict").returncode == 1
    assert not out.exists()
    assert cli(source, out).returncode == 0


def test_many_rewrites_are_summed_up(cli, model_file, tmp_path):
    nodes = "\n".join(f"y{i} = Trilu(data)" for i in range(40))
    outputs = ", ".join(f"bool[N, 4] y{i}" for i in range(40))
    source = model_file(f"""
      <ir_version: 8, opset_import: ["" : 17]>
      g (bool[N, 4] data) => ({outputs}) {{ {nodes} }}
    """)
    out = tmp_path / "out.onnx"
    short = cli(source, out).stdout.decode()
    assert "40 Trilu" in short and "and 37 more" in short
    full = cli(source, out, "-v").stdout.decode()
    assert "'y39'" in full
