# SPDX-License-Identifier: Apache-2.0
"""Graphs, subgraphs and functions: who can see which name."""

import onnx
from onnx import TensorProto, helper

MODELS = {}
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def model(make):
    MODELS[make.__name__] = lambda: make().SerializeToString()
    return make


def tensor(name, elem_type=FLOAT, shape=(2,)):
    return helper.make_tensor_value_info(name, elem_type, shape)


def const(name, value, elem_type=FLOAT):
    return helper.make_tensor(name, elem_type, [], [value])


def make_model(graph, opset=17, ir_version=8, **kwargs):
    imports = kwargs.pop("opset_imports", [helper.make_opsetid("", opset)])
    return helper.make_model(graph, ir_version=ir_version, opset_imports=imports, **kwargs)


def branch(name, nodes, outputs, **kwargs):
    return helper.make_graph(nodes, name, [], outputs, **kwargs)


@model
def captures_at_every_level():
    """The innermost branch reads an input, an initializer and nodes' outputs of
    each scope around it."""
    inner_then = branch("inner_then", [
        helper.make_node("Sum", ["x", "w", "a", "b"], ["it"])], [tensor("it")])
    inner_else = branch("inner_else", [
        helper.make_node("Identity", ["bw"], ["ie"])], [tensor("ie")])
    outer_then = branch("outer_then", [
        helper.make_node("Neg", ["a"], ["b"]),
        helper.make_node("If", ["c"], ["i"], then_branch=inner_then, else_branch=inner_else),
        helper.make_node("Mul", ["i", "b"], ["ot"]),
    ], [tensor("ot")], initializer=[helper.make_tensor("bw", FLOAT, [2], [5, 6])])
    outer_else = branch("outer_else", [], [tensor("a")])
    return make_model(helper.make_graph([
        helper.make_node("Abs", ["x"], ["a"]),
        helper.make_node("If", ["c"], ["y"], name="top", then_branch=outer_then,
                         else_branch=outer_else),
    ], "g", [tensor("x"), tensor("c", BOOL, ())], [tensor("y")],
        initializer=[helper.make_tensor("w", FLOAT, [2], [1, 2])]))


@model
def shadowed_names():
    """A Loop body whose input and a branch whose output take outer names."""
    body = helper.make_graph([
        helper.make_node("Identity", ["c"], ["c_out"]),
        helper.make_node("Add", ["x", "one"], ["a"]),
    ], "body", [tensor("i", INT64, ()), tensor("c", BOOL, ()), tensor("x")],
        [tensor("c_out", BOOL, ()), tensor("a")], initializer=[const("one", 1.0)])
    return make_model(helper.make_graph([
        helper.make_node("Neg", ["x"], ["a"]),
        helper.make_node("Loop", ["n", "c", "a"], ["l"], body=body),
        helper.make_node("Add", ["l", "a"], ["y"]),
    ], "g", [tensor("x"), tensor("n", INT64, ()), tensor("c", BOOL, ())], [tensor("y")],
        initializer=[const("one", 3.0)]))


@model
def scan_and_loop():
    scan_body = helper.make_graph([
        helper.make_node("Add", ["s", "e"], ["so"]),
        helper.make_node("Mul", ["so", "k"], ["eo"]),
    ], "scan_body", [tensor("s", shape=()), tensor("e", shape=())],
        [tensor("so", shape=()), tensor("eo", shape=())])
    loop_body = helper.make_graph([
        helper.make_node("Identity", ["lc"], ["lco"]),
        helper.make_node("Add", ["acc", "k"], ["acco"]),
        helper.make_node("Identity", ["acco"], ["scan_out"]),
    ], "loop_body", [tensor("li", INT64, ()), tensor("lc", BOOL, ()), tensor("acc", shape=())],
        [tensor("lco", BOOL, ()), tensor("acco", shape=()), tensor("scan_out", shape=())])
    return make_model(helper.make_graph([
        helper.make_node("Scan", ["k", "x"], ["last", "ys"], body=scan_body, num_scan_inputs=1),
        helper.make_node("Loop", ["n", "", "last"], ["", "history"], body=loop_body),
    ], "g", [tensor("x"), tensor("k", shape=()), tensor("n", INT64, ())],
        [tensor("ys"), tensor("history", shape=(None,))]))


@model
def functions():
    """Two overloads of one name; attribute references with and without default;
    own opset imports; one function calls another; a body with a subgraph."""
    scaled = helper.make_function(
        "local", "Scale", ["x"], ["y"],
        [helper.make_node("Constant", [], ["k"]), helper.make_node("Mul", ["x", "k"], ["y"])],
        [helper.make_opsetid("", 16)], attributes=["factor"])
    reference = scaled.node[0].attribute.add(name="value_float", ref_attr_name="factor")
    reference.type = onnx.AttributeProto.FLOAT
    overload = helper.make_function(
        "local", "Scale", ["x", "k"], ["y"], [helper.make_node("Mul", ["x", "k"], ["y"])],
        [helper.make_opsetid("", 14)], overload="by_tensor")
    then_branch = branch("t", [helper.make_node("Scale", ["p"], ["t_y"], domain="local",
                                                factor=2.0)], [tensor("t_y")])
    else_branch = branch("e", [helper.make_node("Selu", ["q"], ["e_y"])], [tensor("e_y")])
    gamma = else_branch.node[0].attribute.add(name="gamma", ref_attr_name="gamma")
    gamma.type = onnx.AttributeProto.FLOAT
    chooses = helper.make_function(
        "local", "Choose", ["c", "p", "q"], ["r"],
        [helper.make_node("If", ["c"], ["r"], then_branch=then_branch, else_branch=else_branch)],
        [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)],
        attribute_protos=[helper.make_attribute("gamma", 1.5)],
        value_info=[tensor("r")])
    helper.set_metadata_props(chooses, {"made": "by hand"})
    return make_model(helper.make_graph([
        helper.make_node("Scale", ["x"], ["a"], domain="local", factor=3.0),
        helper.make_node("Scale", ["a", "a"], ["b"], domain="local", overload="by_tensor"),
        helper.make_node("Choose", ["c", "a", "b"], ["y"], domain="local"),
    ], "g", [tensor("x"), tensor("c", BOOL, ())], [tensor("y")]),
        ir_version=10, functions=[scaled, overload, chooses],
        opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("local", 1)])


@model
def function_without_nodes():
    passes = helper.make_function("local", "Pass", ["x"], ["x"], [], [helper.make_opsetid("", 17)])
    return make_model(helper.make_graph(
        [helper.make_node("Pass", ["x"], ["y"], domain="local")], "g", [tensor("x")],
        [tensor("y")]), functions=[passes],
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("local", 1)])


@model
def several_domains():
    """"ai.onnx" written out, an unknown domain, and one that nobody imports."""
    scaler = helper.make_node("Scaler", ["x"], ["a"], domain="ai.onnx.ml", offset=[0.0], scale=[2.0])
    return make_model(helper.make_graph([
        scaler,
        helper.make_node("Relu", ["a"], ["b"], domain="ai.onnx"),
        helper.make_node("BiasGelu", ["b", "x"], ["d"], domain="com.microsoft"),
        helper.make_node("Unheard", ["d"], ["y"], domain="nobody.imports", weight=[1, 2]),
    ], "g", [tensor("x")], [tensor("y")]), opset_imports=[
        helper.make_opsetid("ai.onnx", 17), helper.make_opsetid("ai.onnx.ml", 3),
        helper.make_opsetid("com.microsoft", 1), helper.make_opsetid("unused", 9)])


@model
def absent_names():
    """Unnamed nodes; absent inputs in the middle and at the end; absent outputs."""
    clip = helper.make_node("Clip", ["x", "", "hi"], ["a"])
    resize = helper.make_node("Resize", ["r", "", "scales", ""], ["b"])
    drop = helper.make_node("Dropout", ["a", "", ""], ["y", ""])
    lstm = helper.make_node("LSTM", ["s", "w", "rw"], ["", "h", ""], hidden_size=1)
    return make_model(helper.make_graph(
        [clip, resize, drop, lstm], "",
        [tensor("x"), tensor("r", shape=(1, 1, 2, 2)), tensor("s", shape=(3, 1, 1))],
        [tensor("y"), tensor("b", shape=(1, 1, 4, 4)), tensor("h", shape=(1, 1, 1))],
        initializer=[const("hi", 6.0), helper.make_tensor("scales", FLOAT, [4], [1, 1, 2, 2]),
                     helper.make_tensor("w", FLOAT, [1, 4, 1], [1] * 4),
                     helper.make_tensor("rw", FLOAT, [1, 4, 1], [1] * 4)]))


@model
def graph_outputs_of_all_kinds():
    """An input, an initializer, and one value twice; with no node at all."""
    return make_model(helper.make_graph(
        [], "g", [tensor("x")], [tensor("x"), tensor("w"), tensor("x")],
        initializer=[helper.make_tensor("w", FLOAT, [2], [1, 2])]))


def nested_ifs(depth):
    """An If whose then branch holds an If, and so on: `depth` of them."""
    graph = branch("core", [helper.make_node("Neg", ["x"], ["y0"])], [tensor("y0")])
    for i in range(1, depth + 1):
        other = branch("e", [helper.make_node("Identity", ["x"], [f"e{i}"])], [tensor(f"e{i}")])
        graph = branch("t", [helper.make_node(
            "If", ["c"], [f"y{i}"], then_branch=graph, else_branch=other)], [tensor(f"y{i}")])
    graph.input.extend([tensor("x"), tensor("c", BOOL, ())])
    return make_model(graph)


@model
def nested_31_deep():
    return nested_ifs(31)


for ir in range(3, 14):
    def overridable_initializer(ir=ir):
        """Initializers that are inputs too: all of them in IR 3, one later."""
        inputs = [tensor("x"), tensor("w")] + ([tensor("v")] if ir < 4 else [])
        return make_model(helper.make_graph(
            [helper.make_node("Sum", ["x", "w", "v"], ["y"])], "g", inputs, [tensor("y")],
            initializer=[helper.make_tensor(n, FLOAT, [2], [1, 2]) for n in "wv"]),
            opset=8, ir_version=ir).SerializeToString()
    MODELS[f"initializer_is_input_ir{ir}"] = overridable_initializer
