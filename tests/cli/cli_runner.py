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
