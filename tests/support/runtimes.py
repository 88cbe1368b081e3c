# SPDX-License-Identifier: Apache-2.0
"""Runs models on ONNX Runtimes, each in an interpreter of its own.

The newest is the one beside the tests' Python; old ones lie in .deps/ort/VERSION
(./dev setup puts them there). Models run in child processes, so that a crash is
an outcome and not the end of the test.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("ONNX_LEGALIZE_RUNTIMES", ROOT / ".deps/ort"))
WORKER = pathlib.Path(__file__).with_name("runtime_worker.py")
OLD = ("1.4.0", "1.8.1", "1.12.1", "1.14.1", "1.17.1", "1.20.1")
NEWEST = "newest"


def python_of(version):
    """Its interpreter, or None where it isn't installed."""
    if version == NEWEST:
        return pathlib.Path(sys.executable)
    python = FOLDER / version / "bin/python"
    return python if python.exists() else None


def opset_of(version):
    """The newest opset of ai.onnx that an old one runs, by its profile."""
    profile = ROOT / f"targets/onnxruntime-{version}.json"
    return json.loads(profile.read_text())["opsets"]["ai.onnx"]


def run_models(version, jobs):
    """Runs [(model bytes, {input: array})...].

    Gives, for each, a list of outputs, or a str that says why there are none.
    """
    arrays = {}
    for i, (model, feeds) in enumerate(jobs):
        arrays[f"{i}/model"] = np.frombuffer(model, np.uint8)
        for name, value in feeds.items():
            arrays[f"{i}/in/{name}"] = value
    with tempfile.TemporaryDirectory() as folder:
        source, result = (os.path.join(folder, n) for n in ("in.npz", "out.npz"))
        np.savez(source, **arrays)
        subprocess.run(
            [python_of(version), WORKER, source, result], check=True, timeout=600
        )
        with np.load(result) as done:
            return [_outcome(done, i) for i in range(len(jobs))]


def _outcome(done, i):
    if f"{i}/fault" in done:
        return str(done[f"{i}/fault"])
    return [done[f"{i}/out/{k}"] for k in range(int(done[f"{i}/count"]))]
