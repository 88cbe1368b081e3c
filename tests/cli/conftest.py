# SPDX-License-Identifier: Apache-2.0
import cli_runner
import onnx.parser
import pytest


@pytest.fixture
def cli():
    return cli_runner.run


@pytest.fixture
def model_file(tmp_path):
    """Writes a model given as text; returns its path."""

    def write(text, name="in.onnx"):
        path = tmp_path / name
        path.write_bytes(onnx.parser.parse_model(text).SerializeToString())
        return path

    return write
