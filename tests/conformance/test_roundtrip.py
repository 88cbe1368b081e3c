# SPDX-License-Identifier: Apache-2.0
"""Nothing is lost: every model that we have is written back byte for byte, and
means the same after a forced full re-encode.

In process by bin/roundtrip_check for all models; through the CLI for a sample.
"""

import lzma
import os
import random
import subprocess
from pathlib import Path

import pytest

import handmade
from conformance import node_models

ROOT = Path(__file__).resolve().parents[2]
CLI = Path(os.environ.get("ONNX_LEGALIZE_CLI", ROOT / "build/release/bin/onnx-legalize"))
HANDMADE = handmade.valid_models()
EXPORTS = sorted((ROOT / "tests").glob("exports/**/*.onnx*")) + \
    sorted((ROOT / "examples").glob("**/*.onnx*"))


def check(*paths, **kwargs):
    """How many models there were, of which none had a fault."""
    result = subprocess.run([CLI.with_name("roundtrip_check"), *paths], capture_output=True,
                            check=False, **kwargs)
    report = result.stdout.decode(errors="replace")
    assert result.returncode == 0, report[-3000:] + result.stderr.decode()[-3000:]
    return int(report.rsplit("\n", 2)[-2].split()[0])


def test_node_models():
    folder = node_models.cached()
    assert check(folder) == len(list(folder.glob("*/model.onnx"))) > 1900


def test_handmade_models(tmp_path):
    for name, data in HANDMADE.items():
        (tmp_path / (name.replace("/", "-") + ".onnx")).write_bytes(data)
    assert check(tmp_path) == len(HANDMADE)


def test_cases():
    assert check(ROOT / "tests" / "cases") > 20


def data_of(path):
    """Of the model itself: some are kept compressed."""
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def test_there_are_exports():
    assert len(EXPORTS) > 60


@pytest.mark.parametrize("path", EXPORTS, ids=lambda p: p.name)
def test_exports(path):
    """By pipes, for there are gigabytes; through the CLI too where it is small."""
    data = data_of(path)
    assert check("/dev/stdin", input=data) == 1
    if len(data) < 20_000_000:
        assert_same_through_cli("-", data, input=data)


def sample():
    nodes = sorted(node_models.cached().glob("*/model.onnx"))
    return {p.parent.name: p for p in random.Random(0).sample(nodes, 60)}


def assert_same_through_cli(source, data, **kwargs):
    """To standard output: to sync hundreds of files takes a disk long."""
    result = subprocess.run([CLI, source, "-", "--passes=none", "-q"], capture_output=True,
                            check=False, **kwargs)
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout == data


def test_node_models_through_cli():
    for source in sample().values():
        assert_same_through_cli(source, source.read_bytes())


@pytest.mark.parametrize("name", sorted(n for n in HANDMADE if "/" not in n or "all" in n))
def test_handmade_models_through_cli(tmp_path, name):
    (tmp_path / "in.onnx").write_bytes(HANDMADE[name])
    assert_same_through_cli(tmp_path / "in.onnx", HANDMADE[name])
