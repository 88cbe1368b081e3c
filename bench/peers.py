# SPDX-License-Identifier: Apache-2.0
"""Times onnx-legalize beside other tools at the same job, in the same run.

    bench/peers.py [--nodes N] [--repeat N]

Job: read a synthetic model, infer its types and shapes, write it with them.
Peers: onnx's own load, infer_shapes and save; onnxsim where it is installed
(which does more: it simplifies). Each figure is the best of the repeats, of
processes that were started for it, starting up included.
"""

import argparse
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLI = ROOT / "build/release/bin/onnx-legalize"

PEERS = {
    "onnx": "import sys, onnx; from onnx import shape_inference as s; "
            "onnx.save(s.infer_shapes(onnx.load(sys.argv[1])), sys.argv[2])",
    "onnxsim": "import sys, onnx, onnxsim; "
               "onnx.save(onnxsim.simplify(onnx.load(sys.argv[1]))[0], sys.argv[2])",
}


def synthetic(num_nodes):
    """What exporters write most: elementwise arithmetic and a Reshape by Shape."""
    nodes, x = [], "x"

    def node(op, inputs, output, **attributes):
        nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))

    for block in range(num_nodes // 8):
        n = f"block{block}/"
        node("Add", [x, "bias"], n + "add")
        node("Relu", [n + "add"], n + "relu")
        node("Sigmoid", [n + "relu"], n + "gate")
        node("Mul", [n + "relu", n + "gate"], n + "mul")
        node("Shape", [n + "mul"], n + "shape")
        node("Gather", [n + "shape", "zero"], n + "batch")
        node("Concat", [n + "batch", "rest"], n + "size", axis=0)
        node("Reshape", [n + "mul", n + "size"], n + "y")
        x = n + "y"
    shape = ["N", 8, 16, 16]
    graph = helper.make_graph(
        nodes, "synthetic",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(x, TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(np.zeros((8, 1, 1), np.float32), "bias"),
         numpy_helper.from_array(np.array([0]), "zero"),
         numpy_helper.from_array(np.array([8, 16, 16]), "rest")])
    return helper.make_model(
        graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])


def best(repeat, command):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, out = f"{folder}/in.onnx", f"{folder}/out.onnx"
        onnx.save(synthetic(args.nodes), source)
        ours = best(args.repeat, [CLI, source, out, "-q"])
        print(f"{args.nodes} nodes: read, infer, write, process and all")
        print(f"  onnx-legalize {ours:8.3f} s")
        for name, code in PEERS.items():
            if importlib.util.find_spec(name) is None:
                print(f"  {name:13} not installed")
                continue
            theirs = best(args.repeat, [sys.executable, "-c", code, source, out])
            print(f"  {name:13} {theirs:8.3f} s  {theirs / ours:6.1f} times as long")


if __name__ == "__main__":
    main()
