# SPDX-License-Identifier: Apache-2.0
"""Exit status, what is printed where, and that failures write nothing."""
import json
import os
import pty
import subprocess

import cli_models as models
import onnx
import pytest


def error_line(result):
    """The one line of a failure."""
    lines = result.stderr.decode().splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("onnx-legalize: error: ")
    assert result.stdout == b""
    return lines[0]


def ops(path):
    return [node.op_type for node in onnx.load(path).graph.node]


def test_written_and_legal(cli, model_file, tmp_path):
    out = tmp_path / "out.onnx"
    result = cli(model_file(models.TRILU), out)
    assert result.returncode == 0, result.stderr
    assert result.stderr == b""
    assert b"Trilu" in result.stdout and b"decompose-trilu" in result.stdout
    assert f"Written to '{out}'".encode() in result.stdout
    assert b"\033" not in result.stdout
    onnx.checker.check_model(onnx.load(out))
    assert "Trilu" not in ops(out)


def test_quiet_prints_nothing(cli, model_file, tmp_path):
    result = cli(model_file(models.TRILU), tmp_path / "out.onnx", "-q")
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")


def test_no_pass_is_a_copy(cli, model_file, tmp_path):
    source, out = model_file(models.TRILU), tmp_path / "out.onnx"
    assert cli(source, out, "--passes=none").returncode == 0
    assert out.read_bytes() == source.read_bytes()


def test_out_may_be_in(cli, model_file):
    path = model_file(models.TRILU)
    assert cli(path, path).returncode == 0
    assert "Trilu" not in ops(path)


@pytest.mark.parametrize("old", [None, b"keep me"])
def test_illegal_writes_nothing(cli, model_file, tmp_path, old):
    out, report = tmp_path / "out.onnx", tmp_path / "report.json"
    if old is not None:
        out.write_bytes(old)
    result = cli(model_file(models.STRING_TRILU), out, "-q", "--report", report)
    assert result.returncode == 3
    assert result.stdout == b""
    first, listed = result.stderr.decode().splitlines()
    assert "1 node stays illegal on 'portable'" in first
    assert "Trilu-17 'y' (tensor(string)[N,4]): " in listed
    assert (out.read_bytes() if out.exists() else None) == old
    illegal = json.loads(report.read_text())["illegal"]
    assert [node["op"] for node in illegal] == ["Trilu"]


def test_allow_illegal_writes_and_still_says_so(cli, model_file, tmp_path):
    out = tmp_path / "out.onnx"
    result = cli(model_file(models.STRING_TRILU), out, "--allow-illegal")
    assert result.returncode == 3
    assert ops(out) == ["Trilu"]


def test_analyze_writes_nothing(cli, model_file, tmp_path):
    source = model_file(models.TRILU)
    before = sorted(os.listdir(tmp_path))
    result = cli(source, "--analyze")
    assert result.returncode == 0
    assert b"nothing is written" in result.stdout
    assert cli(model_file(models.STRING_TRILU), "--analyze").returncode == 3
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("content", [None, b"", b"no model", b"\x08\x08\x3a"])
def test_bad_input(cli, tmp_path, content):
    source, out = tmp_path / "in.onnx", tmp_path / "out.onnx"
    if content is not None:
        source.write_bytes(content)
    out.write_bytes(b"keep me")
    result = cli(source, out)
    assert result.returncode == 1
    assert str(source) in error_line(result)
    assert out.read_bytes() == b"keep me"


def test_input_is_a_folder(cli, tmp_path):
    result = cli(tmp_path, tmp_path / "out.onnx")
    assert result.returncode == 1
    error_line(result)


def test_output_folder_is_missing(cli, model_file, tmp_path):
    result = cli(model_file(models.LEGAL), tmp_path / "no/such/out.onnx")
    assert result.returncode == 1
    assert "no/such" in error_line(result)
    assert not (tmp_path / "no").exists()


def test_output_is_a_folder(cli, model_file, tmp_path):
    out = tmp_path / "folder"
    out.mkdir()
    result = cli(model_file(models.LEGAL), out)
    assert result.returncode == 1
    error_line(result)
    assert out.is_dir()
    assert sorted(os.listdir(tmp_path)) == ["folder", "in.onnx"]


def test_report_that_cannot_be_written(cli, model_file, tmp_path):
    out = tmp_path / "out.onnx"
    result = cli(model_file(models.LEGAL), out, "--report",
                 tmp_path / "no/report.json")
    assert result.returncode == 1
    error_line(result)
    assert not out.exists()


def test_no_report_of_a_model_that_was_not_written(cli, model_file, tmp_path):
    report = tmp_path / "report.json"
    result = cli(model_file(models.LEGAL), tmp_path / "no/out.onnx",
                 "--report", report)
    assert result.returncode == 1
    assert not report.exists()


@pytest.mark.parametrize("flags", [[], ["--report", "-"]])
def test_full_disk(cli, model_file, tmp_path, flags):
    out = tmp_path / "out.onnx" if flags else "-"
    with open("/dev/full", "wb") as full:
        result = cli(model_file(models.TRILU), out, *flags, stdout=full)
    assert result.returncode == 1
    assert b"onnx-legalize: error: " in result.stderr


def test_reader_of_the_text_went_away(cli, model_file, tmp_path):
    out = tmp_path / "out.onnx"
    read_end, write_end = os.pipe()
    os.close(read_end)
    result = cli(model_file(models.TRILU), out, stdout=write_end)
    os.close(write_end)
    assert result.returncode == 0
    assert out.exists()


def test_reader_of_the_model_went_away(cli, model_file):
    read_end, write_end = os.pipe()
    os.close(read_end)
    result = cli(model_file(models.TRILU), "-", stdout=write_end)
    os.close(write_end)
    assert result.returncode == 1
    assert b"standard output" in result.stderr


def test_standard_input_and_output(cli, model_file, tmp_path):
    source, out = model_file(models.TRILU), tmp_path / "out.onnx"
    assert cli(source, out).returncode == 0
    result = cli("-", "-", input=source.read_bytes())
    assert result.returncode == 0
    assert result.stdout == out.read_bytes()
    assert b"decompose-trilu" in result.stderr
    quiet = cli("-", "-", "-q", input=source.read_bytes())
    assert (quiet.stdout, quiet.stderr) == (out.read_bytes(), b"")


def test_report_on_standard_output(cli, model_file, tmp_path):
    result = cli(model_file(models.TRILU), tmp_path / "out.onnx", "--report",
                 "-")
    assert result.returncode == 0
    assert json.loads(result.stdout)["legal"] is True
    assert b"decompose-trilu" in result.stderr


USAGE = {
    "nothing": ([], "IN, the model to read, is missing"),
    "no out": (["in"], "OUT, the model to write, is missing"),
    "too many": (["in", "out", "more"], "'more' is one argument too many"),
    "analyze and out": (["in", "out", "--analyze"], "takes no OUT"),
    "flag": (["in", "out", "--skip-pas=x"], "did you mean '--skip-pass'?"),
    "target": (["in", "out", "--target=portabel"], "did you mean 'portable'?"),
    "file": (["in", "out", "--target=a/b.json"], "can't open a/b.json"),
    "pass": (["in", "out", "--passes=infer-shape"],
             "did you mean 'infer-shapes'?"),
    "skip": (["in", "out", "--skip-pass=infer-shape"],
             "did you mean 'infer-shapes'?"),
    "none and more": (["in", "out", "--passes=none,infer-shapes"],
                      "stands alone"),
    "shape": (["in", "out", "--input-shape=data"], "expected NAME:DIMS"),
    "shape dim": (["in", "out", "--input-shape=data:1,x"], "NAME:DIMS"),
    "shape twice": (["in", "out", "--input-shape=a:1", "--input-shape=a:2"],
                    "given twice"),
    "derive": (["in", "out", "--derive-input=batch"], "INPUT=NAME:AXIS"),
    "padding": (["in", "out", "--padding=atribute"],
                "did you mean 'attribute'?"),
    "quiet and loud": (["in", "out", "-q", "-v"], "excludes"),
    "report over out": (["in", "out", "--report=out"], "overwrite the model"),
    "report over ./out": (["in", "out", "--report=./out"],
                          "overwrite the model"),
    "two on stdout": (["in", "-", "--report=-"], "overwrite the model"),
    "list": (["--list-passes=html"], "expected no value or markdown"),
}


@pytest.mark.parametrize("name", USAGE)
def test_usage(cli, name):
    args, wanted = USAGE[name]
    result = cli(*args)
    assert result.returncode == 2
    assert wanted in error_line(result)


def test_report_must_not_overwrite_the_input(cli, model_file, tmp_path):
    source = model_file(models.LEGAL)
    link = tmp_path / "link.onnx"
    link.symlink_to(source)
    before = source.read_bytes()
    result = cli(source, tmp_path / "out.onnx", "--report", link)
    assert result.returncode == 2
    assert source.read_bytes() == before


def test_no_model_on_a_terminal(cli, model_file):
    master, slave = pty.openpty()
    result = cli(model_file(models.LEGAL), "-", stdout=slave)
    os.close(slave)
    os.close(master)
    assert result.returncode == 2
    assert b"terminal" in result.stderr


def test_color_only_on_a_terminal(cli, model_file, tmp_path):
    for no_color, colored in [("", True), ("1", False)]:
        master, slave = pty.openpty()
        environment = dict(os.environ, TERM="xterm", NO_COLOR=no_color)
        result = cli(model_file(models.TRILU), tmp_path / "out.onnx",
                     stdout=slave, stderr=subprocess.PIPE, env=environment)
        os.close(slave)
        text = os.read(master, 65536)
        os.close(master)
        assert result.returncode == 0
        assert (b"\033[" in text) == colored
