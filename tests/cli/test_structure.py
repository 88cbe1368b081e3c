# SPDX-License-Identifier: Apache-2.0
"""Structure that runtimes refuse: repaired and reported, or an error that names it."""

import json

import onnx
import pytest
from onnx import TensorProto, helper

import handmade
from cli_runner import assert_refused, assert_written, run

FAULTS = handmade.faulty_models()


@pytest.mark.parametrize("flags", [[], ["--passes=none"]], ids=["default", "no pass"])
@pytest.mark.parametrize("name", sorted(FAULTS))
def test_fault_is_named(tmp_path, name, flags):
    data, words = FAULTS[name]
    (tmp_path / "in.onnx").write_bytes(data)
    assert_refused(run(tmp_path / "in.onnx", tmp_path / "out.onnx", *flags), *words)
    assert not (tmp_path / "out.onnx").exists()


def tensor(name):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [2])


def model_of(nodes, **kwargs):
    graph = helper.make_graph(nodes, "g", [tensor("x")], [tensor("y")], **kwargs)
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])


def legalize(tmp_path, model, *flags):
    """The output model and the report."""
    (tmp_path / "in.onnx").write_bytes(model.SerializeToString())
    report = tmp_path / "report.json"
    assert_written(run(tmp_path / "in.onnx", tmp_path / "out.onnx", "--report", report, *flags))
    return onnx.load(tmp_path / "out.onnx"), json.loads(report.read_text())


def test_nodes_out_of_order_are_sorted_stably_and_reported(tmp_path):
    model = model_of([
        helper.make_node("Add", ["d", "b"], ["y"], name="n5"),
        helper.make_node("Neg", ["x"], ["a"], name="n1"),
        helper.make_node("Abs", ["c"], ["d"], name="n4"),
        helper.make_node("Relu", ["a"], ["b"], name="n2"),
        helper.make_node("Exp", ["x"], ["c"], name="n3"),
    ])
    result, report = legalize(tmp_path, model)
    names = [n.name for n in result.graph.node]
    position = {n: i for i, n in enumerate(names)}
    assert position["n1"] < position["n2"] < position["n5"]
    assert position["n3"] < position["n4"] < position["n5"]
    assert position["n1"] < position["n3"], "not stable: neither reads the other"
    assert "order" in json.dumps(report)
    onnx.checker.check_model(result)


def test_order_within_subgraphs_and_by_captures(tmp_path):
    branches = {}
    for name, op in (("then_branch", "Neg"), ("else_branch", "Abs")):
        branches[name] = helper.make_graph([
            helper.make_node(op, [f"{name}_a"], [f"{name}_y"], name=f"{name}_second"),
            helper.make_node("Exp", ["late"], [f"{name}_a"], name=f"{name}_first"),
        ], name, [], [tensor(f"{name}_y")])
    model = model_of([
        helper.make_node("If", ["c"], ["y"], name="if", **branches),
        helper.make_node("Relu", ["x"], ["late"], name="producer"),
    ])
    model.graph.input.append(helper.make_tensor_value_info("c", TensorProto.BOOL, []))
    result, report = legalize(tmp_path, model)
    assert [n.name for n in result.graph.node] == ["producer", "if"]
    for attribute in result.graph.node[1].attribute:
        first, second = attribute.g.node
        assert first.name.endswith("first") and second.name.endswith("second")
    assert "order" in json.dumps(report)
    onnx.checker.check_model(result)


def test_sorted_nodes_stay_where_they_are(tmp_path):
    model = model_of([
        helper.make_node("Exp", ["x"], ["late"]), helper.make_node("Neg", ["x"], ["a"]),
        helper.make_node("Add", ["a", "late"], ["y"])])
    result, report = legalize(tmp_path, model)
    assert [n.op_type for n in result.graph.node] == ["Exp", "Neg", "Add"]
    assert "order" not in json.dumps(report)


def test_duplicate_node_names_become_unique_and_are_reported(tmp_path):
    branch = helper.make_graph([helper.make_node("Abs", ["a"], ["t"], name="same")], "t", [],
                               [tensor("t")])
    other = helper.make_graph([helper.make_node("Abs", ["a"], ["e"], name="same_1")], "e", [],
                              [tensor("e")])
    model = model_of([
        helper.make_node("Neg", ["x"], ["a"], name="same"),
        helper.make_node("Neg", ["a"], ["b"], name="same"),
        helper.make_node("If", ["c"], ["d"], name="if", then_branch=branch, else_branch=other),
        helper.make_node("Add", ["b", "d"], ["e2"], name=""),
        helper.make_node("Neg", ["e2"], ["y"], name=""),
    ])
    model.graph.input.append(helper.make_tensor_value_info("c", TensorProto.BOOL, []))
    result, report = legalize(tmp_path, model)
    names = [n.name for n in result.graph.node if n.name]
    assert len(set(names)) == len(names)
    assert names[0] == "same"
    assert "'same'" in json.dumps(report)
    assert [n.op_type for n in result.graph.node] == [n.op_type for n in model.graph.node]


def test_unnamed_nodes_stay_unnamed(tmp_path):
    model = model_of([helper.make_node("Neg", ["x"], ["a"]), helper.make_node("Neg", ["a"], ["y"])])
    result, _ = legalize(tmp_path, model)
    assert [n.name for n in result.graph.node] == ["", ""]


def test_no_pass_leaves_the_order_alone(tmp_path):
    model = model_of([helper.make_node("Neg", ["a"], ["y"]), helper.make_node("Neg", ["x"], ["a"])])
    legalize(tmp_path, model, "--passes=none")
    assert (tmp_path / "out.onnx").read_bytes() == (tmp_path / "in.onnx").read_bytes()
