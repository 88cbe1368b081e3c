# SPDX-License-Identifier: Apache-2.0
"""onnx's own node tests, generated from the installed onnx package.

    python node_models.py FOLDER

writes FOLDER/NAME/model.onnx with input_N.pb and output_N.pb (TensorProto,
SequenceProto or OptionalProto) of its first data set, and FOLDER/feedable.txt:
the names of the tests whose inputs and outputs NumPy can hold.
"""

import os
import sys
import tempfile
import warnings
from pathlib import Path

import onnx
from onnx import TensorProto, numpy_helper

# Element types that ONNX Runtime's Python takes from and gives to NumPy.
_NUMPY_TYPES = {TensorProto.DataType.Value(n) for n in (
    "FLOAT UINT8 INT8 UINT16 INT16 INT32 INT64 STRING BOOL FLOAT16 DOUBLE UINT32 UINT64 "
    "COMPLEX64 COMPLEX128").split()}


def test_cases():
    """The node tests and simple models; not the nine that download a real one."""
    with warnings.catch_warnings():  # The tests compute with inf and NaN.
        warnings.simplefilter("ignore")
        from onnx.backend.test.case import model, node
        cases = node.collect_testcases(None) + model.collect_testcases()
    return [case for case in cases if case.model is not None]


def _feedable_type(type_proto):
    kind = type_proto.WhichOneof("value")
    if kind == "sequence_type":
        return _feedable_type(type_proto.sequence_type.elem_type)
    return kind == "tensor_type" and type_proto.tensor_type.elem_type in _NUMPY_TYPES


def is_feedable(model):
    """Can ONNX Runtime's Python be given the inputs, and hand out the outputs?"""
    if any(node.domain == "ai.onnx.preview.training" or node.op_type == "ImageDecoder"
           for node in model.graph.node):
        return False
    values = (*model.graph.input, *model.graph.output)
    return all(_feedable_type(value.type) for value in values)


def _as_proto(value):
    if value is None:
        return numpy_helper.from_optional(None)
    if isinstance(value, (list, tuple)):
        return numpy_helper.from_list(list(value))
    if isinstance(value, TensorProto):
        return value
    return numpy_helper.from_array(value)


def _write_case(case, folder):
    folder.mkdir()
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    inputs, outputs = case.data_sets[0]
    for kind, values in (("input", inputs), ("output", outputs)):
        for i, value in enumerate(values):
            if isinstance(value, dict):  # A map, as only ZipMap-like ops have.
                continue
            (folder / f"{kind}_{i}.pb").write_bytes(_as_proto(value).SerializeToString())


def generate(folder):
    """Writes all cases to `folder`, unless they are there; returns `folder`."""
    folder = Path(folder)
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        made = Path(scratch) / "cases"
        made.mkdir()
        cases = test_cases()
        for case in cases:
            _write_case(case, made / case.name)
        feedable = sorted(case.name for case in cases if is_feedable(case.model))
        (made / "feedable.txt").write_text("\n".join(feedable) + "\n")
        try:
            os.rename(made, folder)
        except OSError:  # Another test process was first.
            assert folder.exists()
    return folder


def cached():
    """The cases in the source tree's cache, made on first use."""
    root = Path(__file__).resolve().parents[2]
    return generate(root / ".cache" / f"node_models-{onnx.__version__}")


if __name__ == "__main__":
    print(generate(sys.argv[1]))
