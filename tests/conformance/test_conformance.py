# SPDX-License-Identifier: Apache-2.0
"""A seeded slice of the conformance run (conformance.py) on every runtime that is
installed: nothing comes out wrong, nothing that ran before stops running, what
was reached once is reached, and what a runtime runs as it is comes back byte for
byte."""

import json
import random

import pytest
import runtimes

from conformance import conformance

SLICE = 240
EXPECTED = json.loads(conformance.EXPECTED.read_text())


@pytest.mark.parametrize("version", (*runtimes.OLD, runtimes.NEWEST))
def test_slice(version):
    if runtimes.python_of(version) is None:
        pytest.skip(f"ONNX Runtime {version} is not installed")
    expected = EXPECTED.get(conformance.target_of(version))
    if expected is None:
        pytest.skip(f"no expectations for {conformance.target_of(version)}")
    names = random.Random(f"onnx-legalize {version}").sample(sorted(conformance.cases()), SLICE)
    found = conformance.measure(version, names)
    row = conformance.summary(version, found)
    assert set(row["wrong"]) <= set(expected["wrong"])
    assert set(row["regressed"]) <= set(expected["regressed"])
    assert set(row["not_reached"]) <= set(expected["not_reached"])
    # What must stay as it is: what passes, except where a probe says that its
    # kind of node is refused or wrong on this runtime.
    passing = {n for n, (outcome, _) in found["as_is"].items() if outcome == "pass"}
    assert len(passing - found["unchanged"]) <= len(passing) // 10
