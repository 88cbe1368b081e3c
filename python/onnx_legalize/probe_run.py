# SPDX-License-Identifier: Apache-2.0
"""Runs models in the runtime of another Python, whatever they do to it."""

import base64
import json
import os
import select
import subprocess
import tempfile
from pathlib import Path

import numpy as np

ADAPTERS = Path(__file__).parent / "adapters"
TIMEOUT = 10  # Seconds without an answer after which a model hangs.


def encode(value):
    """As JSON, what the adapters' decode() takes."""
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return {"list": [encode(v) for v in value]}
    if isinstance(value, dict):
        return {"map": [[getattr(k, "item", lambda k=k: k)(), v] for k, v in value.items()]}
    value = np.asarray(value)
    if value.dtype.kind in "OSUT":
        return {"strings": [str(v) for v in value.ravel()], "shape": value.shape}
    return {"data": base64.b64encode(value.tobytes()).decode(), "dtype": value.dtype.name,
            "shape": value.shape}


def decode(value):
    """What the adapters' encode() made."""
    if value is None:
        return None
    if "list" in value:
        return [decode(v) for v in value["list"]]
    if "map" in value:
        return {k: v for k, v in value["map"]}
    if "strings" in value:
        return np.array(value["strings"], dtype=object).reshape(value["shape"])
    return np.frombuffer(base64.b64decode(value["data"]), value["dtype"]).reshape(value["shape"])


def request(model, inputs=None, optimize=False):
    """A line for the adapter: load that model, and run it if `inputs` are given."""
    line = {"model": base64.b64encode(model.SerializeToString()).decode(), "optimize": optimize}
    if inputs is not None:
        line["inputs"] = [encode(value) for value in inputs]
    return json.dumps(line)


class Runtime:
    """A runtime in another Python."""

    def __init__(self, python, adapter="onnxruntime", timeout=TIMEOUT):
        self._command = [str(python), str(ADAPTERS / f"{adapter}.py")]
        self._timeout = timeout

    def describe(self):
        """{"runtime": ..., "version": ..., "platform": ..., "provider": ...}."""
        result = subprocess.run([*self._command, "describe"], check=True, capture_output=True)
        return json.loads(result.stdout.splitlines()[-1])

    def run(self, requests):
        """[(stage, message, outputs)] of the requests.

        The stage is "ok", "load" or "run", where it failed, or "crash".
        """
        answers = []
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "requests")
            path.write_text("\n".join(requests), encoding="utf-8")
            while len(answers) < len(requests):
                last = self._run_from(path, len(answers), len(requests), answers, folder)
                if last:
                    answers.append(("crash", last, None))
        return answers

    def _run_from(self, path, start, end, answers, folder):
        """Adds answers until one is missing, and says then why; else ""."""
        child = subprocess.Popen([*self._command, str(path), str(start)], cwd=folder,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            for line in self._lines(child.stdout):
                number, stage, message, outputs = json.loads(line)
                assert number == len(answers)
                answers.append((stage, message,
                                None if outputs is None else [decode(v) for v in outputs]))
        except TimeoutError:
            return f"no answer in {self._timeout} s"
        finally:
            child.kill()
            status = child.wait()
            child.stdout.close()
        return "" if len(answers) == end else f"the process ended with status {status}"

    def _lines(self, pipe):
        """Lines as they come, whole ones only."""
        rest = b""
        while True:
            if not select.select([pipe], [], [], self._timeout)[0]:
                raise TimeoutError
            data = os.read(pipe.fileno(), 1 << 20)
            if not data:
                return
            *lines, rest = (rest + data).split(b"\n")
            yield from lines
