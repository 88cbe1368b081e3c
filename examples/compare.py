# SPDX-License-Identifier: Apache-2.0
"""Runs MODEL.onnx on this interpreter's ONNX Runtime and compares its output with
the stored one: compare.py MODEL.onnx DATA.npz. Exit status: 0 it matches, 1 it
does not, 2 the runtime refuses the model. Runs on CPython 3.8 and newer."""

import sys

import numpy as np
import onnxruntime


def main(model, data):
    stored = np.load(data)
    want = stored["ts_output"]
    version = onnxruntime.__version__
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime has an own class for each code.
        print(f"ONNX Runtime {version} refuses it: {error}")
        return 2
    name = session.get_inputs()[0].name
    got = session.run(None, {name: stored["input"]})[0]
    if got.shape != want.shape or got.dtype != want.dtype:
        print(f"ONNX Runtime {version}: {got.dtype}{got.shape}, "
              f"expected {want.dtype}{want.shape}")
        return 1
    scale = max(1.0, float(np.abs(want).max()))
    matches = np.allclose(got, want, rtol=1e-3, atol=1e-4 * scale)
    print(f"ONNX Runtime {version} runs it: output {got.dtype}{got.shape}, largest "
          f"difference from what PyTorch computed {np.abs(got - want).max():.1e}"
          f"{'' if matches else ': does not match'}")
    return 0 if matches else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
