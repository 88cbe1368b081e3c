# SPDX-License-Identifier: Apache-2.0
"""Runs the real onnx-legalize. ONNX_LEGALIZE_CLI names another binary."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLI = os.environ.get("ONNX_LEGALIZE_CLI",
                     str(ROOT / "build/release/bin/onnx-legalize"))


def run(*args, **kwargs):
    kwargs.setdefault("stdout", subprocess.PIPE)
    kwargs.setdefault("stderr", subprocess.PIPE)
    kwargs.setdefault("timeout", 60)
    return subprocess.run([CLI, *map(str, args)], **kwargs)


def assert_refused(result, *words):
    """Exit 1, nothing on stdout, and one clear line that holds `words`."""
    message = result.stderr.decode(errors="replace")
    assert result.returncode == 1, (result.returncode, message)
    assert result.stdout == b""
    assert message.endswith("\n") and message[:-1].isprintable(), message
    assert len(message) < 2000, message
    for word in words:
        assert word in message, (word, message)


def assert_written(result):
    assert result.returncode == 0, result.stderr.decode(errors="replace")
