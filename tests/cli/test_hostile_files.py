# SPDX-License-Identifier: Apache-2.0
"""Files that are broken or no ONNX at all: exit 1, one clear line, at once, and
nothing written. (Every truncation and bit flip in process: ir/hostile_test.cc.)

With ONNX_LEGALIZE_CLI set to a sanitizers' build, under ASan and UBSan.
"""

import io
import pickle
import random
import time
import zipfile
import zlib

import numpy as np
import pytest

import handmade
from handmade.wire import record
from cli_runner import CLI, assert_refused, run

VALID = handmade.valid_models()
MODEL = VALID["functions"]
# A model's bytes must show their end: what follows the graph is the opset import.
CUT = VALID["captures_at_every_level"]


def refuse(tmp_path, data, *words):
    (tmp_path / "in.onnx").write_bytes(data)
    out = tmp_path / "out.onnx"
    out.write_bytes(b"old")
    start = time.monotonic()
    result = run(tmp_path / "in.onnx", out)
    elapsed = time.monotonic() - start
    assert_refused(result, "in.onnx", *words)
    assert elapsed < (1 if "release" in CLI else 5)
    assert out.read_bytes() == b"old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.onnx", "out.onnx"]


def png():
    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
    header = b"\0\0\0\x01\0\0\0\x01\x08\0\0\0\0"
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b""))


def zip_file():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("archive/data.pkl", b"x" * 100)
    return stream.getvalue()


def npy():
    stream = io.BytesIO()
    np.save(stream, np.arange(10))
    return stream.getvalue()


OTHER_FORMATS = {
    "empty": b"",
    "one_byte": b"\x08",
    "zeros": bytes(65536),
    "ones": b"\xff" * 65536,
    "newlines": b"\n" * 65536,
    "text": b"hello, this is no model\n" * 40,
    "readme": b"# A model\n\nIt is somewhere else.\n",
    "html": b"<!DOCTYPE html>\n<html><body>404: Not Found</body></html>\n",
    "json": b'{"graph": {"node": []}}\n',
    "git_lfs_pointer": b"version https://git-lfs.github.com/spec/v1\n"
                       b"oid sha256:" + b"0" * 64 + b"\nsize 12345\n",
    "onnx_text": b'<ir_version: 8, opset_import: ["" : 17]>\ng (float[N] x) => (float[N] y) { y = Neg(x) }',
    "png": png(),
    "zip": zip_file(),
    "pickle": pickle.dumps({"state_dict": list(range(100))}),
    "npy": npy(),
    "gzip": zlib.compress(MODEL, wbits=31),
    "elf": b"\x7fELF\x02\x01\x01" + bytes(57),
    "tflite": b"\x1c\x00\x00\x00TFL3" + bytes(range(64)),
    "hdf5": b"\x89HDF\r\n\x1a\n" + bytes(64),
    "safetensors": b"\x10\x00\x00\x00\x00\x00\x00\x00" + b'{"a":{"dtype":1}' + bytes(32),
    # Protobufs of another kind: a TensorFlow SavedModel, a TensorProto, a string.
    "saved_model": b"\x08\x01" + record(2, record(1, record(5, "serve")) + record(2, record(1, "x"))),
    "tensor": b"\x08\x02\x10\x01" + record(8, "w") + record(9, bytes(8)),
    "a_string_field": record(1, "x" * 100),
    "model_without_graph": b"\x08\x08" + record(8, b"\x10\x11"),
    "graph_is_a_number": b"\x08\x08\x38\x05" + record(8, b"\x10\x11"),
}


@pytest.mark.parametrize("name", sorted(OTHER_FORMATS))
def test_other_formats(tmp_path, name):
    refuse(tmp_path, OTHER_FORMATS[name])


@pytest.mark.parametrize("name", ["empty", "text", "png"])
def test_from_stdin(name):
    assert_refused(run("-", "-", input=OTHER_FORMATS[name]))


def test_truncated(tmp_path):
    for n in sorted(random.Random(0).sample(range(len(CUT)), 60)) + [len(CUT) - 1]:
        refuse(tmp_path, CUT[:n])


@pytest.mark.parametrize("length", [2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1])
def test_huge_lengths(tmp_path, length):
    digits = []
    while True:
        digits.append(length & 0x7F | 0x80)
        length >>= 7
        if not length:
            break
    digits[-1] &= 0x7F
    for prefix in (b"\x3a", b"\x08\x08\x3a", b"\x12", b"\x08\x08\x3a\x12\x0a"):
        refuse(tmp_path, prefix + bytes(digits) + MODEL)


def test_overlong_varint(tmp_path):
    refuse(tmp_path, b"\x08" + b"\xff" * 11 + MODEL)


def test_huge_tensor_shapes_allocate_nothing(tmp_path):
    """Dims whose product overflows, or that no payload stands behind."""
    for dims in ([2**40], [2**62, 4], [2**32, 2**32], [-1], [2**63 - 1] * 3):
        model = handmade.scopes.make_model(handmade.scopes.helper.make_graph(
            [handmade.scopes.helper.make_node("Neg", ["w"], ["y"])], "g", [],
            [handmade.scopes.tensor("y")],
            initializer=[handmade.tensors.TensorProto(
                name="w", data_type=1, dims=dims, raw_data=bytes(8))]))
        (tmp_path / "in.onnx").write_bytes(model.SerializeToString())
        result = run(tmp_path / "in.onnx", tmp_path / "out.onnx")
        assert result.returncode in (0, 1), result.stderr


def mutate(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        at, kind = rng.randrange(len(data)), rng.randrange(5)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at] = rng.choice([0, 1, 0x7F, 0x80, 0xFF])
        elif kind == 2:
            del data[at:at + rng.randrange(1, 9)]
        elif kind == 3:
            data[at:at] = data[at:at + rng.randrange(1, 33)]
        else:
            other = rng.randrange(len(data))
            data[at:at + 4] = data[other:other + 4]
        if not data:
            data = bytearray(b"\x00")
    return bytes(data)


@pytest.mark.parametrize("seed", range(10))
def test_mutated_models_never_crash(tmp_path, seed):
    """Through the whole default pipeline: written, refused or illegal."""
    rng = random.Random(seed)
    names = sorted(n for n, data in VALID.items() if len(data) < 4000)
    for i in range(30):
        name = rng.choice(names)
        data = mutate(VALID[name], rng)
        result = run("-", "-", "-q", input=data, timeout=20)
        (tmp_path / f"{i}.onnx").write_bytes(data)  # Kept if the test fails.
        assert result.returncode in (0, 1, 3), (name, seed, i, result)
        assert (result.stdout != b"") == (result.returncode == 0)
        if result.returncode == 1:
            assert_refused(result)
