# SPDX-License-Identifier: Apache-2.0
"""node_worker.py IN OUT: runs node cases in this interpreter's ONNX Runtime.

For node_tests.py. Runs on Python 3.6 and later without the onnx package: IN and
OUT are pickles of plain Python values (pickled arrays of a new NumPy can't be
read by an old one). A case that kills its process is an outcome, not the end.
"""

import os
import pickle
import sys

import numpy as np
import onnxruntime


def decode(value):
    kind = value[0]
    if kind == "array":
        return np.frombuffer(value[3], np.dtype(value[1])).reshape(value[2])
    if kind == "strings":
        return np.array(value[2], dtype=object).reshape(value[1])
    if kind == "list":
        return [decode(v) for v in value[1]]
    return None


def same(have, want, rtol, atol):
    if want is None:
        return have is None
    if isinstance(want, list):
        return (isinstance(have, (list, tuple)) and len(have) == len(want)
                and all(same(a, b, rtol, atol) for a, b in zip(have, want)))
    have = np.asarray(have)
    if have.shape != want.shape or have.dtype.kind != want.dtype.kind:
        return False
    if want.dtype == object:
        return bool((have.astype(str) == want.astype(str)).all())
    if have.dtype != want.dtype:
        return False
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    if want.dtype.kind in "fc":
        return bool(np.allclose(have.astype(wide), want.astype(wide), rtol, atol,
                                equal_nan=True))
    return bool((have == want).all())


def outcome(case):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(case["model"], options,
                                               providers=["CPUExecutionProvider"])
    except Exception as fault:
        return "load", str(fault)[:300]
    try:
        names = [i.name for i in session.get_inputs()]
        feeds = dict(zip(names, [decode(v) for v in case["inputs"]]))
        outputs = session.run(None, feeds)
    except Exception as fault:
        return "run", str(fault)[:300]
    wanted = [decode(v) for v in case["outputs"]]
    good = same(list(outputs), wanted, case["rtol"], case["atol"])
    return ("pass", "") if good else ("wrong", "")


def run_from(cases, start, write):
    with os.fdopen(write, "wb") as pipe:
        for i in range(start, len(cases)):
            pickle.dump((i, outcome(cases[i])), pipe, protocol=3)
            pipe.flush()
    os._exit(0)


def main(source, result):
    with open(source, "rb") as file:
        cases = pickle.load(file)
    outcomes = {}
    start = 0
    while start < len(cases):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            run_from(cases, start, write)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            while True:
                try:
                    i, found = pickle.load(pipe)
                except EOFError:
                    break
                outcomes[cases[i]["name"]] = found
                start = i + 1
        os.waitpid(pid, 0)
        if start < len(cases):  # The process died of this one.
            outcomes[cases[start]["name"]] = ("crash", "")
            start += 1
    with open(result, "wb") as file:
        pickle.dump(outcomes, file, protocol=3)


if __name__ == "__main__":
    main(*sys.argv[1:])
