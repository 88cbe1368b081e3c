# SPDX-License-Identifier: Apache-2.0
"""Loads and runs models in ONNX Runtime, for probe.py.

Runs in the *other* Python, in which nothing but NumPy and the runtime need be
installed, and which may be as old as 3.6.

    python onnxruntime.py describe
    python onnxruntime.py REQUESTS START

The first prints what is installed. The second reads the lines of the file
REQUESTS from line START on, each a JSON object with a "model" and, if it is to
be run too, "inputs" (a list of values); "optimize" says whether the runtime
may optimize the graph. It prints one line for each: [number, stage, message,
outputs], where stage is "load" or "run" (it failed there) or "ok". Whoever
reads them knows by the last number which model killed this process.
"""

import base64
import json
import os
import sys

# This file has the runtime's name, and must not be imported in its stead.
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") != HERE]

import numpy as np  # noqa: E402
import onnxruntime as ort  # noqa: E402


def decode(value):
    """A NumPy array (or list, or None, or dict) of what probe.encode made."""
    if value is None:
        return None
    if "list" in value:
        return [decode(v) for v in value["list"]]
    if "map" in value:
        return dict((k, v) for k, v in value["map"])
    if "strings" in value:
        return np.array(value["strings"], dtype=object).reshape(value["shape"])
    array = np.frombuffer(base64.b64decode(value["data"]), dtype=value["dtype"])
    return array.reshape(value["shape"]).copy()


def encode(value):
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return {"list": [encode(v) for v in value]}
    if isinstance(value, dict):
        return {"map": [[k, v.item() if hasattr(v, "item") else v] for k, v in value.items()]}
    value = np.asarray(value)
    if value.dtype.kind in "OSU":
        return {"strings": [str(v) for v in value.ravel()], "shape": value.shape}
    return {"data": base64.b64encode(value.tobytes()).decode(), "dtype": value.dtype.name,
            "shape": value.shape}


def session(model, optimize):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    if not optimize:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    if tuple(int(n) for n in ort.__version__.split(".")[:2]) >= (1, 9):
        return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return ort.InferenceSession(model, options)


def answer(request):
    """Stage, message and outputs."""
    stage = "load"
    try:
        loaded = session(base64.b64decode(request["model"]), request.get("optimize", False))
        if "inputs" not in request:
            return "ok", "", None
        stage = "run"
        feeds = dict(zip((i.name for i in loaded.get_inputs()), map(decode, request["inputs"])))
        return "ok", "", [encode(v) for v in loaded.run(None, feeds)]
    except Exception as error:  # pylint: disable=broad-except
        return stage, "%s: %s" % (type(error).__name__, error), None


def main():
    if sys.argv[1] == "describe":
        print(json.dumps({"runtime": "onnxruntime", "version": ort.__version__,
                          "platform": "%s-%s" % (sys.platform, os.uname().machine),
                          "provider": "CPUExecutionProvider"}))
        return
    # The runtime prints to standard output: only answers may get through.
    answers = os.fdopen(os.dup(1), "w")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    with open(sys.argv[1]) as requests:
        for number, line in enumerate(requests):
            if number >= int(sys.argv[2]):
                answers.write(json.dumps((number,) + answer(json.loads(line))) + "\n")
                answers.flush()


if __name__ == "__main__":
    main()
