# SPDX-License-Identifier: Apache-2.0
"""Tensors: element types, the fields that elements can stand in, sparse ones."""

import numpy as np
from onnx import SparseTensorProto, TensorProto, helper, numpy_helper

from handmade.scopes import FLOAT, make_model, tensor
from handmade.wire import LENGTH, record, tag, varint

MODELS = {}


def model(make):
    MODELS[make.__name__] = make
    return make


# The elements of each type that is not stored as bytes only.
_FIELD_OF = {
    "FLOAT": ("float_data", [0.5, float("nan")]), "COMPLEX64": ("float_data", [1, 2, 3, 4]),
    "DOUBLE": ("double_data", [0.5, -0.0]), "COMPLEX128": ("double_data", [1, 2, 3, 4]),
    "INT64": ("int64_data", [-1, 2**62]), "UINT64": ("uint64_data", [1, 2**64 - 1]),
    "UINT32": ("uint64_data", [1, 2**32 - 1]), "STRING": ("string_data", [b"\xff\x00", b""]),
    "INT4": ("int32_data", [0x21]), "UINT4": ("int32_data", [0x21]),
    "INT2": ("int32_data", [0x9]), "UINT2": ("int32_data", [0x9]),
    "FLOAT4E2M1": ("int32_data", [0x21]),
}


def _elem_types():
    return [n for n in TensorProto.DataType.keys() if n != "UNDEFINED"]


@model
def typed_data_of_every_type():
    """float_data, int32_data, ... as initializers and as attributes."""
    initializers, nodes, outputs = [], [], []
    for name in _elem_types():
        field, elements = _FIELD_OF.get(name, ("int32_data", [1, 0]))
        t = TensorProto(name=f"w_{name}", data_type=TensorProto.DataType.Value(name), dims=[2])
        getattr(t, field).extend(elements)
        initializers.append(t)
        value = TensorProto()
        value.CopyFrom(t)
        value.ClearField("name")
        nodes.append(helper.make_node("Constant", [], [f"c_{name}"], value=value))
        for prefix in "wc":
            outputs.append(helper.make_tensor_value_info(f"{prefix}_{name}", t.data_type, [2]))
    return make_model(helper.make_graph(nodes, "g", [], outputs, initializer=initializers),
                      opset=24, ir_version=13).SerializeToString()


@model
def raw_data_of_every_type():
    bits = {"INT4": 4, "UINT4": 4, "FLOAT4E2M1": 4, "INT2": 2, "UINT2": 2, "FLOAT6E2M3": 6,
            "FLOAT6E3M2": 6, "INT16": 16, "UINT16": 16, "FLOAT16": 16, "BFLOAT16": 16,
            "FLOAT": 32, "INT32": 32, "UINT32": 32, "DOUBLE": 64, "INT64": 64, "UINT64": 64,
            "COMPLEX64": 64, "COMPLEX128": 128}
    initializers = [
        TensorProto(name=f"w_{n}", data_type=TensorProto.DataType.Value(n), dims=[4],
                    raw_data=bytes(range(bits.get(n, 8) * 4 // 8)))
        for n in _elem_types() if n != "STRING"]
    outputs = [helper.make_tensor_value_info(t.name, t.data_type, [4]) for t in initializers]
    return make_model(helper.make_graph([], "g", [], outputs, initializer=initializers),
                      opset=24, ir_version=13).SerializeToString()


@model
def large_payloads():
    """Far above any size under which a reader might copy, in each kind of field."""
    big = np.arange(5000)
    typed = helper.make_tensor("typed", FLOAT, [5000], big.astype(np.float32))
    raw = numpy_helper.from_array(big.astype(np.float32), "raw")
    ints = helper.make_tensor("ints", TensorProto.INT64, [5000], big * 10**12)
    attribute = helper.make_node("Constant", [], ["attr"],
                                 value=numpy_helper.from_array(big.astype(np.float64)))
    inline = helper.make_node("Constant", [], ["floats"], value_floats=big.astype(float).tolist())
    strings = helper.make_tensor("strings", TensorProto.STRING, [5000],
                                 [str(i).encode() * 5 for i in big])
    outs = [("typed", FLOAT), ("raw", FLOAT), ("ints", TensorProto.INT64),
            ("attr", TensorProto.DOUBLE), ("floats", FLOAT), ("strings", TensorProto.STRING)]
    return make_model(helper.make_graph(
        [attribute, inline], "g", [], [tensor(n, t, (5000,)) for n, t in outs],
        initializer=[typed, raw, ints, strings])).SerializeToString()


def _graph_bytes(initializer_records, names):
    outputs = b"".join(record(12, tensor(n).SerializeToString()) for n in names)
    graph = record(2, "g") + b"".join(record(5, t) for t in initializer_records) + outputs
    return varint_model(graph)


def varint_model(graph):
    return b"\x08\x08" + record(7, graph) + record(8, b"\x0a\x00\x10\x11")


@model
def payload_in_pieces():
    """Packed in two runs with an unpacked element between them; raw_data twice,
    of which the last counts; segment; name after the payload."""
    pieces = (record(4, b"\x00\x00\x80\x3f") + tag(4, 5) + b"\x00\x00\x00\x40"
              + record(4, b"\x00\x00\x40\x40\x00\x00\x80\x40"))
    floats = b"\x08\x04\x10\x01" + pieces + record(8, "w")
    twice = (b"\x10\x01" + record(9, bytes(2000)) + b"\x08\x01" + record(9, b"\x00\x00\x80\x3f")
             + record(8, "old") + record(8, "v"))
    segment = b"\x08\x01\x10\x01" + record(3, b"\x08\x00\x10\x01") + record(8, "s") \
        + record(9, bytes(4))
    dims = record(1, varint(1) + varint(1)) + b"\x08\x02" + b"\x10\x01" + record(8, "d") \
        + record(9, bytes(8))
    return _graph_bytes([floats, twice, segment, dims], "wvsd")


@model
def empty_tensors():
    """Zero elements: no payload, an empty one, an empty packed field."""
    none = b"\x08\x00\x10\x01" + record(8, "w")
    empty = none.replace(b"w", b"v") + record(9, b"")
    packed = none.replace(b"w", b"s") + tag(4, LENGTH) + b"\x00"
    return _graph_bytes([none, empty, packed], "wvs")


def sparse(name, values, indices, dims):
    result = SparseTensorProto(dims=dims)
    result.values.CopyFrom(numpy_helper.from_array(np.array(values, np.float32), name))
    result.indices.CopyFrom(numpy_helper.from_array(np.array(indices, np.int64)))
    return result


@model
def sparse_tensors():
    """As initializers, in an attribute, and in lists of them."""
    constant = helper.make_node("Constant", [], ["c"], sparse_value=sparse("", [1], [1], [4]))
    custom = helper.make_node("Many", ["sw"], ["y"], domain="custom",
                              lots=[sparse("", [1], [1], [4]), sparse("", [2], [2], [4])])
    graph = helper.make_graph(
        [constant, custom], "g", [], [tensor("y"), tensor("c", shape=(4,))],
        sparse_initializer=[sparse("sw", [1, 2], [0, 3], [4]),
                            sparse("unused", [3], [[1, 1]], [2, 2])])
    return make_model(graph, opset_imports=[helper.make_opsetid("", 17),
                                            helper.make_opsetid("custom", 1)]).SerializeToString()


@model
def attributes_of_every_kind():
    t = numpy_helper.from_array(np.array([1, 2], np.float32), "t")
    g = helper.make_graph([helper.make_node("Neg", ["x"], ["gy"])], "g", [], [tensor("gy")])
    g2 = helper.make_graph([helper.make_node("Abs", ["x"], ["gz"])], "g2", [], [tensor("gz")])
    node = helper.make_node(
        "All", ["x"], ["y"], domain="custom", f=0.1, i=-1, s=b"\xff", t=t, g=g, fs=[0.1, 0.2],
        ints=[-1, 2], ss=[b"a", b""], ts=[t, t], gs=[g, g2], sp=sparse("", [1], [1], [4]),
        sps=[sparse("", [1], [1], [4])], tp=tensor("x").type,
        tps=[tensor("x").type, tensor("x", 7, ("N",)).type])
    node.attribute.append(helper.make_attribute("empty", [], attr_type=7))
    return make_model(helper.make_graph([node], "g", [tensor("x")], [tensor("y")]),
                      opset_imports=[helper.make_opsetid("", 17),
                                     helper.make_opsetid("custom", 1)]).SerializeToString()


@model
def many_nodes():
    nodes = [helper.make_node("Neg", [f"v{i}"], [f"v{i + 1}"]) for i in range(2000)]
    return make_model(helper.make_graph(
        nodes, "g", [tensor("v0")], [tensor("v2000")])).SerializeToString()
