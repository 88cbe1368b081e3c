# SPDX-License-Identifier: Apache-2.0
"""The prober: sample models, the table, isolation of crashes, and the profiles it wrote."""

import importlib.util
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from onnx_legalize import probe, probe_attributes, probe_models, probe_run  # noqa: E402
from onnx_legalize import probe_table, probe_table_values  # noqa: E402, F401

PROFILES = {p.stem: json.loads(p.read_text()) for p in (ROOT / "targets").glob("*.json")}
SCHEMA = json.loads((ROOT / "python/onnx_legalize/profile_schema.json").read_text())
WHEN = list(SCHEMA["$defs"]["when"]["patternProperties"])


def test_every_operator_version_has_a_sample():
    for schema in probe_models.schemas():
        types = next(iter(probe_models.combinations(schema)), None)
        assert types is not None, schema.name
        node = probe_models.sample_model(schema, types).graph.node[0]
        assert schema.min_input <= len(node.input) <= schema.max_input, schema.name
        assert schema.min_output <= len(node.output) <= schema.max_output, schema.name
        assert all(a.name in schema.attributes for a in node.attribute), schema.name


def test_samples_use_every_type_variable():
    """Or a missing type wouldn't be seen."""
    for schema in probe_models.schemas():
        types = next(iter(probe_models.combinations(schema)))
        node = probe_models.sample_model(schema, types).graph.node[0]
        used = set()
        for names, parameters in ((node.input, schema.inputs), (node.output, schema.outputs)):
            for i, name in enumerate(names):
                if name:
                    used.add(parameters[min(i, len(parameters) - 1)].type_str)
        assert set(types) <= used, (schema.name, schema.since_version)


def test_products_are_exact():
    pairs = [("float", "int32"), ("float", "int64"), ("double", "int64")]
    good = [{"T": f"tensor({a})", "I": f"tensor({b})"} for a, b in pairs]
    found = probe.products(good, {(a, b) for a in ("float", "double") for b in ("int32", "int64")})
    covered = {(a, b) for p in found for a in p["T"] for b in p["I"]}
    assert covered == set(pairs) and len(found) == 2


def test_products_ignore_what_no_valid_node_has():
    good = [{"S": f"seq(tensor({t}))", "T": f"tensor({t})"} for t in ("float", "int64")]
    may_be = {(f"seq(tensor({t}))", t) for t in ("float", "int64")}
    assert probe.products(good, may_be) == [
        {"S": ["seq(tensor(float))", "seq(tensor(int64))"], "T": ["float", "int64"]}]


def test_working_opset():
    kernels = [{"T": ["float"]}]
    operators = {s.name: {13: kernels} for s in probe_models.schemas() if not s.domain}
    assert probe.working_opset(operators, "", 13)[0] == 13
    works, gaps = probe.working_opset(operators, "", 14)
    assert works == 13 and "Add" in gaps[14]


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """A runtime that does to each model what its name says."""
    (tmp_path / "fake.py").write_text("""if 1:
        import json, os, sys, time
        for number, line in enumerate(open(sys.argv[1])):
            if number < int(sys.argv[2]): continue
            what = json.loads(line)["model"]
            if what == "die": os.kill(os.getpid(), 11)
            if what == "hang": time.sleep(60)
            print(json.dumps([number, "ok", what, None]), flush=True)
        """)
    monkeypatch.setattr(probe_run, "ADAPTERS", tmp_path)
    return probe_run.Runtime(sys.executable, "fake", timeout=1)


@pytest.mark.parametrize("order", [["a", "die", "b"], ["die", "die"], ["a", "hang", "b"], ["hang"]])
def test_what_kills_the_runtime_is_blamed_alone(fake, order):
    answers = fake.run([json.dumps({"model": what}) for what in order])
    assert [a[0] for a in answers] == ["crash" if w in ("die", "hang") else "ok" for w in order]
    assert [a[1] for a in answers if a[0] == "ok"] == [w for w in order if len(w) == 1]


def test_values_survive_the_pipe():
    for value in (np.float32([[1, np.nan]]), np.array(["a", "ü"], object), np.int64(3), None,
                  [np.float32([1])], np.zeros((0, 3), bool)):
        back = probe_run.decode(json.loads(json.dumps(probe_run.encode(value))))
        assert probe_attributes.same(back, value)


def test_table_names_are_unique():
    assert probe_attributes.duplicates(probe_table.PROBES) == []


@pytest.mark.parametrize("entry", probe_table.PROBES, ids=lambda e: e.name)
def test_table_entry(entry):
    """It applies to some version, and says `when` in words that the schema file has."""
    assert entry.schemas()
    for key in entry.when:
        assert any(re.search(pattern, key) for pattern in WHEN), key
    json.dumps(entry.when)


@pytest.mark.skipif(not importlib.util.find_spec("onnxruntime"), reason="no onnxruntime here")
def test_a_runtime_end_to_end():
    runtime = probe_run.Runtime(sys.executable)
    assert runtime.describe()["runtime"] == "onnxruntime"
    table = [probe_attributes.Probe("good", "Add", [np.float32([1]), np.float32([2])]),
             probe_attributes.Probe("bad", "Add", [np.float32([1]), np.float32([2])],
                                    expect=np.float32([4])),
             probe_attributes.Probe("unknown", "Add", [np.array(["a"], object)] * 2)]
    operators = {"Add": {13: [{"T": ["float"]}]}}
    constraints, names, unjudged = probe_attributes.probe(runtime, operators, 8, table)
    assert names == {"passed": ["good"], "failed": ["bad"]} and not unjudged
    assert [(c["name"], c["versions"], c["result"]) for c in constraints] == [("bad", [13], "wrong")]


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_profile(name):
    profile = PROFILES[name]
    assert profile["name"] == name and profile["schema"] == 1
    assert set(SCHEMA["required"]) <= set(profile) <= set(SCHEMA["properties"])
    known = {(probe_models.qualified(s.domain, s.name), s.since_version): probe_models.variables(s)
             for s in probe_models.schemas()}
    for operator, versions in profile["operators"].items():
        domain = operator.rpartition(":")[0] or "ai.onnx"
        for version, products in versions.items():
            assert int(version) <= profile["accepted_opsets"][domain]
            assert all(set(p) == set(known[operator, int(version)]) for p in products)
    for constraint in profile["constraints"]:
        assert all(any(re.search(p, key) for p in WHEN) for key in constraint["when"])
        assert constraint["name"] in profile["probes"]["failed"]


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_profile_is_written_the_one_way(name):
    text = (ROOT / "targets" / f"{name}.json").read_text()
    assert probe.to_text(json.loads(text)) + "\n" == text


def types_of(profile, operator, version, variable="T"):
    return {t for p in PROFILES[profile]["operators"][operator][version] for t in p[variable]}


def test_known_facts():
    """Found by hand before there was a prober."""
    assert "bool" not in types_of("onnxruntime-1.14.1", "Trilu", "14")
    assert "bool" in types_of("onnxruntime-1.20.1", "Trilu", "14")
    assert "int64" not in types_of("onnxruntime-1.14.1", "Relu", "14")
    assert "int32" not in types_of("onnxruntime-1.4.0", "TopK", "11")
    assert "bool" not in types_of("onnxruntime-1.32.0", "Where", "16")
    assert PROFILES["onnxruntime-1.15.1"]["opsets"]["ai.onnx"] == 18
    ir = {n.rpartition("-")[2]: p["ir_version"] for n, p in PROFILES.items()}
    assert (ir["1.8.1"], ir["1.14.1"], ir["1.17.1"], ir["1.20.1"]) == (7, 8, 9, 10)
    for profile in PROFILES.values():
        assert "conv-same_upper-dilated" in profile["probes"]["failed"]
