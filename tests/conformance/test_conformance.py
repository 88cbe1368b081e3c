# SPDX-License-Identifier: Apache-2.0
"""A seeded slice of the conformance run (node_tests.py) on every runtime that is
installed: nothing comes out wrong, nothing that ran before stops running, what
was reached once is reached, and what a runtime runs as it is comes back byte for
byte."""

import json
import random

import pytest
import runtimes

from conformance import node_tests

SLICE = 240
EXPECTED = json.loads(node_tests.EXPECTED.read_text())


@pytest.mark.parametrize("version", (*runtimes.OLD, runtimes.NEWEST))
def test_slice(version):
    if runtimes.python_of(version) is None:
        pytest.skip(f"ONNX Runtime {version} is not installed")
    expected = EXPECTED.get(node_tests.target_of(version))
    if expected is None:
        pytest.skip(f"no expectations for {node_tests.target_of(version)}")
    names = random.Random(f"onnx-legalize {version}").sample(sorted(node_tests.cases()), SLICE)
    found = node_tests.measure(version, names)
    row = node_tests.summary(version, found)
    assert set(row["wrong"]) <= set(expected["wrong"])
    assert set(row["regressed"]) <= set(expected["regressed"])
    assert set(row["not_reached"]) <= set(expected["not_reached"])
    assert set(row["changed"]) <= set(expected["changed"])
