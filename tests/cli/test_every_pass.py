# SPDX-License-Identifier: Apache-2.0
"""What every registered pass owes, alone and in the pipeline: it says honestly
whether it changed the model, and finds nothing to do in its own result."""
import json
import re

import cli_models as models
import pytest
from cli_runner import run


def pass_names():
    lines = run("--list-passes").stdout.decode().splitlines()[:-1]
    return [re.match(r" *\d* +([a-z-]+)  ", line).group(1) for line in lines]


@pytest.mark.parametrize("model", models.ALL)
@pytest.mark.parametrize("name", ["pipeline", *pass_names()])
def test_honest_and_idempotent(cli, model_file, tmp_path, name, model):
    flags = [] if name == "pipeline" else [f"--passes={name}"]
    source = model_file(models.ALL[model])
    out, again = tmp_path / "out.onnx", tmp_path / "again.onnx"
    report = tmp_path / "report.json"
    for before, after in [(source, out), (out, again)]:
        result = cli(before, after, "-q", "--verify-each", "--allow-illegal",
                     "--report", report, *flags)
        assert result.returncode in (0, 3), result.stderr
        facts = json.loads(report.read_text())
        same = before.read_bytes() == after.read_bytes()
        assert facts["changed"] == (not same)
        assert any(p["changed"] for p in facts["passes"]) == (not same)
    assert again.read_bytes() == out.read_bytes()
