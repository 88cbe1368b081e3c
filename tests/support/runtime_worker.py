# SPDX-License-Identifier: Apache-2.0
"""runtime_worker.py IN.npz OUT.npz: runs models in this interpreter's runtime.

For runtimes.py; runs on Python 3.8 and later.
"""

import io
import os
import sys

import numpy as np
import onnxruntime


def run(model, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model, options, providers=["CPUExecutionProvider"]
    )
    names = {i.name for i in session.get_inputs()}
    names |= {i.name for i in session.get_overridable_initializers()}
    return session.run(None, {k: v for k, v in feeds.items() if k in names})


def outcome(model, feeds):
    try:
        outputs = run(model, feeds)
    except Exception as fault:  # Every refusal is an outcome.
        return {"fault": np.array(str(fault)[:500] or repr(fault))}
    arrays = {"out/%d" % k: np.asarray(v) for k, v in enumerate(outputs)}
    return dict(arrays, count=np.array(len(outputs)))


def in_child(model, feeds):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        buffer = io.BytesIO()
        np.savez(buffer, **outcome(model, feeds))
        with os.fdopen(write, "wb") as pipe:
            pipe.write(buffer.getvalue())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    status = os.waitpid(pid, 0)[1]
    if status or not data:
        return {"fault": np.array("crash (status %d)" % status)}
    with np.load(io.BytesIO(data)) as arrays:
        return dict(arrays)


def main(source, result):
    jobs, done = {}, {}
    with np.load(source) as arrays:
        for key in arrays.files:
            index, rest = key.split("/", 1)
            jobs.setdefault(int(index), {})[rest] = arrays[key]
    for index, job in jobs.items():
        feeds = {k[len("in/") :]: v for k, v in job.items() if k.startswith("in/")}
        for key, value in in_child(job["model"].tobytes(), feeds).items():
            done["%d/%s" % (index, key)] = value
    np.savez(result, **done)


if __name__ == "__main__":
    main(*sys.argv[1:])
