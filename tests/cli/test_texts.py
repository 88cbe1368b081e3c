# SPDX-License-Identifier: Apache-2.0
"""Texts that are kept as files: --help, --list-passes, docs/passes.md.

ONNX_LEGALIZE_UPDATE_GOLDENS=1 rewrites them.
"""
import os
import pathlib

import pytest
from cli_runner import ROOT

GOLDEN = pathlib.Path(__file__).parent / "golden"
TEXTS = {
    GOLDEN / "help.txt": ["--help"],
    GOLDEN / "list-passes.txt": ["--list-passes"],
    ROOT / "docs/passes.md": ["--list-passes=markdown"],
}


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.name)
def test_text(cli, path):
    result = cli(*TEXTS[path])
    assert (result.returncode, result.stderr) == (0, b"")
    if os.environ.get("ONNX_LEGALIZE_UPDATE_GOLDENS"):
        path.write_bytes(result.stdout)
    assert result.stdout.decode() == path.read_text()


def test_version(cli):
    result = cli("--version")
    assert (result.returncode, result.stderr) == (0, b"")
    name, version = result.stdout.decode().split()
    assert name == "onnx-legalize"
    assert all(part.isdigit() for part in version.split("."))
