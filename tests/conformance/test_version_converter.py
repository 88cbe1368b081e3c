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

BELOW_7 = "asks for an opset below 7, which we don't write"
NO_TYPE = ("the older operator doesn't take the type; onnx's converter reads the node as "
           "the older all the same")
OTHER_NODES = "asks for the very nodes that onnx's converter writes; ours mean the same"
CONVERTED = "onnx's converter refuses it; we convert it by other operators"
INVALID = "the model is invalid in itself, which onnx's converter finds and we don't look for"
REFUSED = "we refuse a model that reads what nothing produces; onnx's converter doesn't"
RUN_TIME = "the scales are an input that can be overridden, so that no attribute can hold them"
SCAN = "Scan-8 has a batch axis that Scan-9 has not; that isn't converted"
TRAINING = "BatchNormalization-1 in training mode has no newer form"
UNDECLARED = "the test's output has no shape, which the checker wants; we declare none of outputs"
EXTERNAL = "external data lies beside the model, which the test's model has no place of"

EXCEPTIONS = {
    **dict.fromkeys((
        "test_add_8_5 test_averagepool_down test_backwards_compatible "
        "test_batch_normalization_8_5 test_concat_3_5 test_concat_5_3 test_dropout_down "
        "test_gemm_down test_maxpool_down test_mul_8_5 test_relu_7_5 "
        "test_reshape_4_5_optional_shape test_reshape_4_6 test_reshape_5_4_raw_data_initializer "
        "test_reshape_6_4 test_sum_8_5").split(), BELOW_7),
    **dict.fromkeys((
        "test_constant_9_8 test_flatten_9_8 test_gemm_9_8 test_greater_9_8 test_less_9_8 "
        "test_matmul_9_8 test_prelu_9_8").split(), NO_TYPE),
    **dict.fromkeys((
        "test_dropout_up test_gru_13_14 test_lstm_13_14 test_pad_with_value_10_11 "
        "test_rnn_13_14 test_softmax_12_13").split(), OTHER_NODES),
    **dict.fromkeys((
        "test_bitshift_28_27_unsupported_type_fails test_celu_28_27_unsupported_type_fails "
        "test_dequantize_21_20 test_einsum_28_27_bfloat16_fails test_mod_float_fmod_0_28_27_fails "
        "test_quantize_21_20 test_resize_18_17_rejects_antialias "
        "test_resize_18_17_rejects_aspect_ratio_policy test_resize_18_17_rejects_axes "
        "test_resize_19_17_rejects_half_pixel_symmetric test_scatter_16_15_bfloat16_fails "
        "test_scatter_16_15_reduction_add_mul_fails test_scatter_18_17_reduction_max_min_fails "
        "test_where_bfloat16_16_15_fails").split(), CONVERTED),
    **dict.fromkeys((
        "test_gemm_6_7_rejects_1d_A test_gemm_6_7_rejects_1d_input "
        "test_rejects_captured_node_without_output "
        "test_softmax_13_12_rejects_reshape_without_output "
        "test_split_13_12_raw_data_dims_mismatch_rejected").split(), INVALID),
    **dict.fromkeys(("test_undefined_input", "test_undefined_output"), REFUSED),
    **dict.fromkeys((
        "test_upsample_with_initializer_9_8 test_upsample_with_long_initializer_name_9_8 "
        "test_upsample_with_raw_initializer_9_8").split(), RUN_TIME),
    **dict.fromkeys((
        "test_scan_8_9 test_scan_8_9_preserves_unshaped_input "
        "test_scan_9_8_with_valid_node").split(), SCAN),
    **dict.fromkeys((
        "test_range_26_27_float_success test_range_27_26_low_precision_fails "
        "test_range_27_26_stash_type_removed").split(), UNDECLARED),
    "test_batch_normalization_5_8": TRAINING,
    "test_external_data_version_conversion": EXTERNAL,
}


def convert_version(model, version):
    """onnx.version_converter.convert_version as onnx-legalize does it."""
    flags = ["--passes=inline-functions,convert-opset,infer-shapes", f"--opset={version}"]
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
        except (Exception, pytest.fail.Exception):
            if name not in EXCEPTIONS:
                raise
            return
    assert name not in EXCEPTIONS, f"passes now; listed as: {EXCEPTIONS[name]}"

