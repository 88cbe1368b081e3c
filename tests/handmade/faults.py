# SPDX-License-Identifier: Apache-2.0
"""Models that must be refused, and the words that the error must hold."""

from onnx import TensorProto, helper

from handmade import encodings, scopes
from handmade.scopes import BOOL, FLOAT, branch, make_model, tensor
from handmade.wire import record

MODELS = {}


def fault(*words):
    def add(make):
        MODELS[make.__name__] = lambda: (make().SerializeToString(), words)
        return make
    return add


def graph_of(*nodes, **kwargs):
    return make_model(helper.make_graph(list(nodes), "g", [tensor("x")], [tensor("y")], **kwargs))


@fault("'a'", "'first'", "'second'")
def two_producers():
    return graph_of(
        helper.make_node("Neg", ["x"], ["a"], name="first"),
        helper.make_node("Abs", ["x"], ["a"], name="second"),
        helper.make_node("Relu", ["a"], ["y"]))


@fault("'x'", "'late'")
def node_makes_an_input():
    return graph_of(helper.make_node("Neg", ["x"], ["y"]),
                    helper.make_node("Neg", ["y"], ["x"], name="late"))


@fault("'w'", "'late'")
def node_makes_an_initializer():
    return graph_of(helper.make_node("Add", ["x", "w"], ["y"]),
                    helper.make_node("Neg", ["y"], ["w"], name="late"),
                    initializer=[helper.make_tensor("w", FLOAT, [2], [1, 2])])


@fault("'w'")
def initializer_twice():
    return graph_of(helper.make_node("Add", ["x", "w"], ["y"]),
                    initializer=[helper.make_tensor("w", FLOAT, [2], [1, 2])] * 2)


@fault("'x'")
def input_twice():
    result = graph_of(helper.make_node("Neg", ["x"], ["y"]))
    result.graph.input.add().CopyFrom(result.graph.input[0])
    return result


@fault("'a'", "'twice'")
def node_makes_one_value_twice():
    return graph_of(helper.make_node("Split", ["x"], ["a", "a"], name="twice"),
                    helper.make_node("Neg", ["a"], ["y"]))


@fault("cycle", "'one'", "'two'")
def cycle():
    return graph_of(
        helper.make_node("Add", ["x", "b"], ["a"], name="one"),
        helper.make_node("Neg", ["a"], ["b"], name="two"),
        helper.make_node("Neg", ["b"], ["y"], name="after"))


@fault("cycle", "'self'")
def cycle_of_one():
    return graph_of(helper.make_node("Add", ["x", "y"], ["y"], name="self"))


@fault("cycle", "'loop'")
def cycle_through_a_subgraph():
    """A branch reads what comes out of its own If."""
    then_branch = branch("t", [helper.make_node("Neg", ["b"], ["ty"])], [tensor("ty")])
    else_branch = branch("e", [helper.make_node("Abs", ["x"], ["ey"])], [tensor("ey")])
    result = graph_of(
        helper.make_node("If", ["c"], ["a"], name="loop", then_branch=then_branch,
                         else_branch=else_branch),
        helper.make_node("Neg", ["a"], ["b"]),
        helper.make_node("Neg", ["b"], ["y"]))
    result.graph.input.append(tensor("c", BOOL, ()))
    return result


@fault("'nowhere'", "'reader'")
def undefined_input():
    return graph_of(helper.make_node("Add", ["x", "nowhere"], ["y"], name="reader"))


@fault("'inner'", "'reader'")
def inner_name_read_outside():
    then_branch = branch("t", [helper.make_node("Neg", ["x"], ["inner"])], [tensor("inner")])
    else_branch = branch("e", [helper.make_node("Abs", ["x"], ["ey"])], [tensor("ey")])
    result = graph_of(
        helper.make_node("If", ["c"], ["a"], then_branch=then_branch, else_branch=else_branch),
        helper.make_node("Add", ["a", "inner"], ["y"], name="reader"))
    result.graph.input.append(tensor("c", BOOL, ()))
    return result


@fault("'outer'", "'reader'")
def function_reads_outside():
    function = helper.make_function(
        "local", "F", ["a"], ["b"], [helper.make_node("Add", ["a", "outer"], ["b"], name="reader")],
        [helper.make_opsetid("", 17)])
    return make_model(helper.make_graph(
        [helper.make_node("Neg", ["x"], ["outer"]),
         helper.make_node("F", ["outer"], ["y"], domain="local")], "g", [tensor("x")],
        [tensor("y")]), functions=[function],
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("local", 1)])


@fault("'y'")
def undefined_output():
    return graph_of(helper.make_node("Neg", ["x"], ["a"]))


@fault("'F'")
def function_twice():
    function = helper.make_function("local", "F", ["a"], ["b"],
                                    [helper.make_node("Neg", ["a"], ["b"])],
                                    [helper.make_opsetid("", 17)])
    return make_model(helper.make_graph(
        [helper.make_node("F", ["x"], ["y"], domain="local")], "g", [tensor("x")], [tensor("y")]),
        functions=[function, function],
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("local", 1)])


def very_deep(depth):
    """Subgraphs in subgraphs, beyond what protobuf itself would parse or write."""
    graph = b""
    for _ in range(depth):
        attribute = record(1, "then_branch") + record(6, graph) + b"\xa0\x01\x05"
        node = record(2, "o") + record(4, "If") + record(5, attribute)
        graph = record(1, node) + record(2, "g")
    return b"\x08\x08" + record(7, graph) + record(8, b"\x0a\x00\x10\x11")


MODELS["nested_40_deep"] = lambda: (very_deep(40), ("deep",))
MODELS["nested_100_deep"] = lambda: (very_deep(100), ("deep",))
MODELS["nested_10000_deep"] = lambda: (very_deep(10000), ("deep",))


def deep_type(depth):
    """A sequence of sequences of ... as the type of an input."""
    kind = b"\x0a\x02\x08\x01"
    for _ in range(depth):
        kind = record(4, record(1, kind))
    graph = record(2, "g") + record(11, record(1, "x") + record(2, kind))
    return b"\x08\x08" + record(7, graph) + record(8, b"\x0a\x00\x10\x11")


MODELS["type_5000_deep"] = lambda: (deep_type(5000), ())
MODELS["graph_in_two_halves"] = lambda: (
    encodings.split(scopes.MODELS["scan_and_loop"]()), ("more than one graph",))
MODELS["no_graph"] = lambda: (b"\x08\x08" + record(8, b"\x0a\x00\x10\x11"), ("graph",))
MODELS["unknown_field_only"] = lambda: (record(1000, b"x"), ())
MODELS["a_tensor_file"] = lambda: (TensorProto(
    dims=[1], data_type=1, raw_data=bytes(4), name="w").SerializeToString(), ())
