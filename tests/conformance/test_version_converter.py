# SPDX-License-Identifier: Apache-2.0
"""onnx's own tests of its version converter, with ours in its place.

The tests are those of the onnx source that ./dev setup unpacks; where it isn't
there they are skipped, which the skip says. EXCEPTIONS names those that must
fail, each with the reason: a failure that isn't listed, or a listed test that
passes, is an error."""

import importlib.util
import inspect
import pathlib
import unittest.mock

import cli
import onnx
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = (ROOT / ".deps/src" / f"onnx-{onnx.__version__}"
          / "tests/python/version_converter_test.py")

EXCEPTIONS = {}


def convert_version(model, version):
    """onnx.version_converter.convert_version as onnx-legalize does it."""
    flags = ["--passes=inline-functions,convert-opset", f"--opset={version}"]
    try:
        data = cli.legalize(model.SerializeToString(), *flags)
    except AssertionError as fault:
        raise RuntimeError(str(fault)) from fault
    return onnx.load_from_string(data)


def _module():
    spec = importlib.util.spec_from_file_location("onnx_version_converter_test", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _tests():
    if not SOURCE.exists():
        return []
    return [(name, (cls, method)) for _, cls in inspect.getmembers(_module(), inspect.isclass)
            if cls.__name__.startswith("Test")
            for name, method in inspect.getmembers(cls, inspect.isfunction)
            if name.startswith("test_")]


TESTS = dict(_tests())


def test_the_tests_are_there():
    if not SOURCE.exists():
        pytest.skip("the source of onnx isn't unpacked: its version converter tests are left out")
    assert len(TESTS) > 130
    assert set(EXCEPTIONS) <= set(TESTS)


def _arguments(method):
    """One call's arguments for each parameter set; [{}] for a plain test."""
    calls = [{}]
    for mark in getattr(method, "pytestmark", ()):
        if mark.name != "parametrize":
            continue
        names = mark.args[0]
        names = [n.strip() for n in names.split(",")] if isinstance(names, str) else names
        sets = [getattr(v, "values", v if len(names) > 1 else (v,)) for v in mark.args[1]]
        calls = [dict(call, **dict(zip(names, values))) for call in calls for values in sets]
    return calls


@pytest.mark.parametrize("name", sorted(TESTS))
def test_version_converter(name, request):
    cls, method = TESTS[name]
    with unittest.mock.patch("onnx.version_converter.convert_version", convert_version):
        try:
            for call in _arguments(method):
                fixtures = {n: request.getfixturevalue(n)
                            for n in inspect.signature(method).parameters
                            if n not in call and n != "self"}
                method(cls(), **call, **fixtures)
        except Exception:
            if name not in EXCEPTIONS:
                raise
            return
    assert name not in EXCEPTIONS, f"passes now; listed as: {EXCEPTIONS[name]}"

