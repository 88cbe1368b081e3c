# SPDX-License-Identifier: Apache-2.0
"""The program under test, from Python."""

import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLI = os.environ.get("ONNX_LEGALIZE_CLI", str(ROOT / "build/release/bin/onnx-legalize"))


def run(*arguments, timeout=120):
    return subprocess.run(
        [CLI, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def legalize(model, *flags, exit_code=0):
    """The bytes that `model` (bytes) is legalized to; None if none are written.

    `exit_code` is what the program must exit with; None allows 0 and 3.
    """
    allowed = (0, 3) if exit_code is None else (exit_code,)
    with tempfile.TemporaryDirectory() as folder:
        source, result = (pathlib.Path(folder, n) for n in ("in.onnx", "out.onnx"))
        source.write_bytes(model)
        done = run(source, result, "-q", *flags)
        assert done.returncode in allowed, (done.returncode, done.stderr)
        return result.read_bytes() if result.exists() else None
