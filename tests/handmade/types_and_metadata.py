# SPDX-License-Identifier: Apache-2.0
"""Types beyond tensors, and all that a model carries besides its graph."""

import onnx
from onnx import TensorProto, helper

from handmade.scopes import FLOAT, INT64, branch, make_model, tensor

MODELS = {}


def model(make):
    MODELS[make.__name__] = lambda: make().SerializeToString()
    return make


@model
def types_of_every_kind():
    float_tensor = helper.make_tensor_type_proto(FLOAT, ["N", None, 3])
    sequence = helper.make_sequence_type_proto(float_tensor)
    opaque = onnx.TypeProto(denotation="IMAGE")
    opaque.opaque_type.domain, opaque.opaque_type.name = "d", "n"
    types = {
        "scalar": helper.make_tensor_type_proto(FLOAT, []),
        "unranked": helper.make_tensor_type_proto(FLOAT, None),
        "sparse": helper.make_sparse_tensor_type_proto(FLOAT, [4, "M"]),
        "sequence": sequence,
        "nested": helper.make_sequence_type_proto(sequence),
        "map": helper.make_map_type_proto(TensorProto.STRING, float_tensor),
        "sequence_of_maps": helper.make_sequence_type_proto(
            helper.make_map_type_proto(INT64, float_tensor)),
        "optional": helper.make_optional_type_proto(float_tensor),
        "optional_sequence": helper.make_optional_type_proto(sequence),
        "opaque": opaque,
    }
    types["scalar"].denotation = "TENSOR"
    types["sparse"].sparse_tensor_type.shape.dim[0].denotation = "DATA_BATCH"
    nodes = [helper.make_node("Make", [n], [f"{n}_out"], domain="custom") for n in types]
    return make_model(helper.make_graph(
        nodes, "g", [helper.make_value_info(n, t) for n, t in types.items()],
        [helper.make_value_info(f"{n}_out", t) for n, t in types.items()]),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("custom", 1)])


@model
def sequence_and_optional_ops():
    seq = helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, [None]))
    return make_model(helper.make_graph([
        helper.make_node("SequenceEmpty", [], ["e"], dtype=FLOAT),
        helper.make_node("SequenceInsert", ["e", "x"], ["s"]),
        helper.make_node("Optional", ["s"], ["o"]),
        helper.make_node("Optional", [], ["none"], type=seq),
        helper.make_node("OptionalGetElement", ["o"], ["t"]),
        helper.make_node("ConcatFromSequence", ["t"], ["y"], axis=0),
    ], "g", [tensor("x")], [tensor("y"), helper.make_value_info(
        "none", helper.make_optional_type_proto(seq))]))


def _annotate(message, where):
    message.doc_string = f"doc of {where}"
    helper.set_metadata_props(message, {f"{where} key": f"{where} value", "": "no key"})


@model
def metadata_at_every_level():
    inner = branch("inner", [helper.make_node("Neg", ["x"], ["t"])], [tensor("t")],
                   value_info=[tensor("t")])
    other = branch("other", [helper.make_node("Add", ["x", "w"], ["e"], name="add")],
                   [tensor("e")], initializer=[helper.make_tensor("w", FLOAT, [2], [1, 2])])
    function = helper.make_function(
        "local", "F", ["a"], ["b"], [helper.make_node("Abs", ["a"], ["b"])],
        [helper.make_opsetid("", 18)], attributes=["unused"], value_info=[tensor("b")])
    graph = helper.make_graph([
        helper.make_node("F", ["x"], ["a"], domain="local"),
        helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=other),
    ], "g", [tensor("x"), tensor("c", TensorProto.BOOL, ())], [tensor("y")],
        value_info=[tensor("a"), tensor("of_no_value"), tensor("y"), tensor("a")])
    result = make_model(graph, ir_version=10, functions=[function], producer_name="p",
                        producer_version="1.2", model_version=-7, domain="org",
                        opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("local", 1)])
    _annotate(result, "model")
    _annotate(result.functions[0], "function")
    for g in (result.graph, *(a.g for a in result.graph.node[1].attribute)):
        _annotate(g, "graph")
        for part in (*g.node, *g.input, *g.output, *g.value_info, *g.initializer):
            _annotate(part, "part")
    result.graph.node[1].attribute[0].doc_string = "doc of attribute"
    return result


@model
def training_info():
    result = make_model(helper.make_graph(
        [helper.make_node("Mul", ["x", "w"], ["y"])], "g", [tensor("x")], [tensor("y")],
        initializer=[helper.make_tensor("w", FLOAT, [2], [1, 2])]))
    info = result.training_info.add()
    info.initialization.CopyFrom(helper.make_graph(
        [helper.make_node("RandomUniform", [], ["w0"], shape=[2])], "init", [], [tensor("w0")]))
    info.algorithm.CopyFrom(helper.make_graph(
        [helper.make_node("Sub", ["w", "y"], ["w1"])], "step", [], [tensor("w1")],
        initializer=[helper.make_tensor("rate", FLOAT, [], [0.1])]))
    for bindings, source in ((info.initialization_binding, "w0"), (info.update_binding, "w1")):
        bindings.add(key="w", value=source)
    result.training_info.add()
    return result


@model
def quantization_annotations():
    graph = helper.make_graph(
        [helper.make_node("Neg", ["x"], ["a"]), helper.make_node("Abs", ["a"], ["y"])],
        "g", [tensor("x")], [tensor("y")],
        initializer=[helper.make_tensor("scale", FLOAT, [], [0.5]),
                     helper.make_tensor("zero", TensorProto.UINT8, [], [128])])
    annotation = graph.quantization_annotation.add(tensor_name="a")
    annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="scale")
    annotation.quant_parameter_tensor_names.add(key="ZERO_POINT_TENSOR", value="zero")
    graph.quantization_annotation.add(tensor_name="of_no_value")
    return make_model(graph)


@model
def device_configurations():
    node = helper.make_node("Neg", ["x"], ["y"], name="n")
    placement = node.device_configurations.add(configuration_id="two", pipeline_stage=1)
    sharding = placement.sharding_spec.add(tensor_name="x", device=[0, 1])
    sharding.index_to_device_group_map.add(key=-1, value=[0, 1])
    dim = sharding.sharded_dim.add(axis=0)
    dim.simple_sharding.add(dim_value=1, num_shards=2)
    dim.simple_sharding.add(dim_param="N")
    result = make_model(helper.make_graph([node], "g", [tensor("x")], [tensor("y")]),
                        ir_version=11)
    result.configuration.add(name="two", num_devices=2, device=["a", "b"])
    return result


@model
def strange_names():
    """Blanks, quotes, newlines, other scripts; one that is very long."""
    names = ["x", " ", "\n", "a\"b'c\\d", "日本", "\u0000", "v" * 5000, "y"]
    nodes = [helper.make_node("Neg", [a], [b], name=f"node {a}") for a, b in zip(names, names[1:])]
    return make_model(helper.make_graph(nodes, names[5], [tensor("x")], [tensor("y")]))


def not_utf8():
    """Latin-1 in a node's name, an input's and a doc string."""
    data = make_model(helper.make_graph(
        [helper.make_node("Neg", ["QQQ"], ["y"], name="RRR", doc_string="SSS")], "g",
        [tensor("QQQ")], [tensor("y")])).SerializeToString()
    for name in (b"QQQ", b"RRR", b"SSS"):
        data = data.replace(name, b"\xe9\xe8\xff")
    return data


MODELS["not_utf8"] = not_utf8
