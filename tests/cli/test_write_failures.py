# SPDX-License-Identifier: Apache-2.0
"""A write that fails says so in one line, exits 1 and leaves what was there."""

import os
import resource
import stat
import subprocess

import pytest

import handmade.scopes
from cli_runner import CLI, assert_refused, assert_written, run

MODEL = handmade.scopes.MODELS["scan_and_loop"]()


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.onnx"
    path.write_bytes(MODEL)
    return path


def test_no_such_folder(source):
    out = source.parent / "nowhere" / "out.onnx"
    assert_refused(run(source, out), str(out))
    assert not out.parent.exists()


def test_output_is_a_folder(source):
    out = source.parent / "folder"
    out.mkdir()
    assert_refused(run(source, out), str(out))
    assert list(out.iterdir()) == []


def test_output_below_a_file(source):
    assert_refused(run(source, source / "out.onnx"), "out.onnx")
    assert source.read_bytes() == MODEL


def test_input_missing(tmp_path):
    assert_refused(run(tmp_path / "gone.onnx", tmp_path / "out.onnx"), "gone.onnx")


def test_input_is_a_folder(tmp_path):
    assert_refused(run(tmp_path, tmp_path / "out.onnx"), str(tmp_path))


def test_full_device(source):
    assert_refused(run(source, "/dev/full"), "/dev/full")


def test_stdout_is_full(source):
    with open("/dev/full", "wb") as full:
        result = subprocess.run([CLI, source, "-"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert result.returncode == 1
    assert result.stderr.count(b"\n") == 1, result.stderr


def test_stdout_is_closed_early(source):
    """A reader that goes away must not kill us by a signal."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    result = subprocess.run([CLI, source, "-"], stdout=write_end, stderr=subprocess.PIPE,
                            check=False, restore_signals=False)
    os.close(write_end)
    assert result.returncode == 1 and result.stderr.count(b"\n") == 1, result


def test_no_space_leaves_the_old_file(source):
    """A file size limit stands for a full disk."""
    big = handmade.scopes.make_model(handmade.scopes.helper.make_graph(
        [], "g", [], [handmade.scopes.tensor("w", shape=(100000,))],
        initializer=[handmade.scopes.helper.make_tensor(
            "w", 1, [100000], bytes(400000), raw=True)]))
    source.write_bytes(big.SerializeToString())
    out = source.parent / "out.onnx"
    out.write_bytes(b"old")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # noqa: E731
    assert_refused(run(source, out, preexec_fn=limit), "out.onnx")
    assert out.read_bytes() == b"old"
    assert sorted(p.name for p in source.parent.iterdir()) == ["in.onnx", "out.onnx"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_unwritable_folder(source):
    folder = source.parent / "locked"
    folder.mkdir(mode=0o500)
    assert_refused(run(source, folder / "out.onnx"), "out.onnx")


def test_mode_of_an_overwritten_file_stays(source):
    out = source.parent / "out.onnx"
    out.write_bytes(b"old")
    out.chmod(0o640)
    assert_written(run(source, out))
    assert stat.S_IMODE(out.stat().st_mode) == 0o640


def test_mode_of_a_new_file_follows_the_umask(source):
    out = source.parent / "out.onnx"
    assert_written(run(source, out, preexec_fn=lambda: os.umask(0o027)))
    assert stat.S_IMODE(out.stat().st_mode) == 0o640


@pytest.mark.parametrize("flags", [[], ["--passes=none"]], ids=["default", "no pass"])
def test_in_place(source, flags):
    assert_written(run(source, source, *flags))
    assert [p.name for p in source.parent.iterdir()] == ["in.onnx"]


def test_pipes(source):
    result = run("-", "-", "--passes=none", "-q", input=MODEL)
    assert_written(result)
    assert result.stdout == MODEL


def test_named_pipe_as_input(source):
    fifo = source.parent / "fifo"
    os.mkfifo(fifo)
    with subprocess.Popen([CLI, fifo, "-", "--passes=none", "-q"], stdout=subprocess.PIPE) as process:
        fifo.write_bytes(MODEL)
        assert process.stdout.read() == MODEL
    assert process.returncode == 0


def test_output_through_a_symlink(source):
    """What it leads to is written, as by any program that opens its output."""
    target, link = source.parent / "target.onnx", source.parent / "link.onnx"
    target.write_bytes(b"old")
    link.symlink_to("target.onnx")
    assert_written(run(source, link, "--passes=none"))
    assert link.is_symlink() and target.read_bytes() == MODEL


def test_standard_output_by_name(source):
    """/dev/stdout must stay what it is, even for root and a redirected file."""
    out = source.parent / "out.onnx"
    with open(out, "wb") as file:
        result = run(source, "/dev/stdout", "--passes=none", "-q", stdout=file)
    assert_written(result)
    assert os.path.islink("/dev/stdout")
    assert out.read_bytes() == MODEL
