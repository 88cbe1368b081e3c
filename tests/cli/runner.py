# SPDX-License-Identifier: Apache-2.0
"""Runs the real CLI, and states what a refusal must look like."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLI = Path(os.environ.get("ONNX_LEGALIZE_CLI", ROOT / "build/release/bin/onnx-legalize"))
TEST_TOOL = CLI.with_name("roundtrip_check")


def run(*args, stdin=b"", timeout=60, **kwargs):
    """The finished process; stdout and stderr are bytes."""
    if "input" not in kwargs and "stdin" not in kwargs:
        kwargs["input"] = stdin
    return subprocess.run([str(CLI), *map(str, args)], capture_output=True, timeout=timeout,
                          check=False, **kwargs)


def assert_refused(result, *words, code=1):
    """Exit 1, nothing on stdout, and one clear line that holds `words`."""
    message = result.stderr.decode(errors="replace")
    assert result.returncode == code, (result.returncode, message)
    assert result.stdout == b""
    assert message.endswith("\n") and message.count("\n") == 1, message
    assert len(message) < 1000 and message.isprintable() or message[:-1].isprintable(), message
    for word in words:
        assert word in message, (word, message)


def assert_written(result, path=None):
    assert result.returncode == 0, result.stderr.decode(errors="replace")
    if path is not None:
        assert Path(path).is_file()
