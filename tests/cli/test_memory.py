# SPDX-License-Identifier: Apache-2.0
"""Memory is proportional to the graph: weights are mapped and copied by the
kernel, never held."""

import resource
import subprocess

import pytest
from onnx import TensorProto, helper

from handmade.scopes import FLOAT, make_model, tensor
from handmade.wire import record, tag, varint
from cli_runner import CLI

MEGABYTE = 1 << 20


def weights_model(path, megabytes):
    """A model of Neg(w) with one sparse file's worth of zeros as w's raw_data."""
    count = megabytes * MEGABYTE // 4
    head = record(8, "w") + b"\x10\x01" + tag(1, 0) + varint(count)
    head += tag(9, 2) + varint(count * 4)
    node = helper.make_node("Neg", ["w"], ["y"]).SerializeToString()
    front = record(2, "g") + record(1, node)
    front += record(12, tensor("y", FLOAT, (count,)).SerializeToString())
    front += tag(5, 2) + varint(len(head) + count * 4) + head
    start = b"\x08\x08" + record(8, b"\x0a\x00\x10\x11")
    start += tag(7, 2) + varint(len(front) + count * 4) + front
    with open(path, "wb") as file:
        file.write(start)
        file.truncate(len(start) + count * 4)


def heap_limited(limit):
    """RLIMIT_DATA bounds what is allocated, and not what is mapped from files."""
    return lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def assert_streams_through(path, flags):
    """Through a pipe, in little memory: its end is the input's, bytes and all."""
    command = [CLI, path, "-", "-q", *flags]
    size, last = 0, b""
    with subprocess.Popen(command, stdout=subprocess.PIPE,
                          preexec_fn=heap_limited(100 * MEGABYTE)) as process:
        while chunk := process.stdout.read(MEGABYTE):
            size += len(chunk)
            last = (last + chunk)[-64:]
    assert process.returncode == 0
    assert size >= path.stat().st_size
    if flags:
        assert size == path.stat().st_size
        with open(path, "rb") as file:
            file.seek(-64, 2)
            assert last == file.read()


@pytest.mark.parametrize("flags", [["--passes=none"], []], ids=["no pass", "default"])
def test_weights_are_not_held(tmp_path, flags):
    weights_model(tmp_path / "in.onnx", 300)
    assert_streams_through(tmp_path / "in.onnx", flags)


def test_above_two_gigabytes(tmp_path):
    """Protobuf refuses such a file; it reads and is the same when written."""
    weights_model(tmp_path / "in.onnx", 2200)
    assert_streams_through(tmp_path / "in.onnx", ["--passes=none"])


def test_weights_are_copied_to_a_file(tmp_path):
    weights_model(tmp_path / "in.onnx", 150)
    result = subprocess.run([CLI, tmp_path / "in.onnx", tmp_path / "out.onnx"], check=False,
                            capture_output=True, preexec_fn=heap_limited(100 * MEGABYTE))
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "out.onnx").stat().st_size >= 150 * MEGABYTE


def chain_model(nodes):
    body = [helper.make_node("Neg", [f"v{i}"], [f"v{i + 1}"], name=f"n{i}") for i in range(nodes)]
    return make_model(helper.make_graph(body, "g", [tensor("v0")], [tensor(f"v{nodes}")]))


def processor_time():
    """Of all children so far: other processes don't count."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def test_time_is_linear_in_the_nodes(tmp_path):
    """100,000 nodes, in the worst order, within a few seconds of processor time."""
    model = chain_model(100_000)
    (tmp_path / "sorted.onnx").write_bytes(model.SerializeToString())
    nodes = list(model.graph.node)[::-1]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    (tmp_path / "reversed.onnx").write_bytes(model.SerializeToString())
    for name in ("sorted", "reversed"):
        before = processor_time()
        result = subprocess.run([CLI, tmp_path / f"{name}.onnx", tmp_path / "out.onnx"],
                                capture_output=True, check=False)
        assert result.returncode == 0, result.stderr[:500]
        assert processor_time() - before < 10


def test_tensor_of_a_billion_claimed_elements(tmp_path):
    """Dims promise more than the payload holds: refused or kept, not allocated."""
    lying = TensorProto(name="w", data_type=1, dims=[1 << 30], raw_data=bytes(16))
    model = make_model(helper.make_graph(
        [helper.make_node("Trilu", ["w"], ["y"])], "g", [], [tensor("y")], initializer=[lying]))
    (tmp_path / "in.onnx").write_bytes(model.SerializeToString())
    result = subprocess.run([CLI, tmp_path / "in.onnx", tmp_path / "out.onnx"], timeout=10,
                            capture_output=True, check=False,
                            preexec_fn=heap_limited(100 * MEGABYTE))
    assert result.returncode in (0, 1, 3), result
