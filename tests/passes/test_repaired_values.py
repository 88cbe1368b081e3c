# SPDX-License-Identifier: Apache-2.0
"""What repair-types makes of models that no runtime takes computes what was meant.

The models are the goldens of the pass; nothing can run them as they are, so the
expected values stand here.
"""

import pathlib

import numpy as np
import onnx
import onnx.parser
import pytest
from support import cli, runtimes

GOLDENS = pathlib.Path(__file__).parents[1] / "golden/repair-types"


def i32(*values):
    return np.array(values, np.int32)


def i64(*values):
    return np.array(values, np.int64)


CASES = {
    "bool_with_int64": (
        {"a": np.array([True, False, True]), "b": i64(5, 6, 7)},
        [i64(5, 0, 7)],
    ),
    "clip_int64_at_11": (
        {"x": i64(-5, 0, 2, 2**62 + 1)},
        [i64(-1, 0, 1, 1), i64(-5, 0, 1, 1)],
    ),
    "float16_with_float": (
        {"a": np.array([1.5, 2, 3], np.float16), "b": np.float32([1, 2, 3])},
        [np.float32([2.5, 4, 6])],
    ),
    "in_function": ({"n": i32(2), "m": i64(3)}, [i64(2, 3)]),
    "loop_carried": (
        {"trip": np.int64(2), "cond": np.True_, "n": i32(3), "m": i64(4)},
        [i64(13)],
    ),
    "max_and_min_at_11": (
        {"a": i64(1, 5, 3, 0), "b": i64(2), "c": i64(0, 2**62 + 1, 0, -1)},
        [i64(2, 2**62 + 1, 3, 2), i64(1, 2, 2, 0)],
    ),
    "one_cast_for_two_readers": (
        {"n": i32(1, 2), "m": i64(3, 4)},
        [i64(4, 6), i64(3, 8)],
    ),
    "output_cast_back": ({"n": i32(1), "m": i64(2)}, [i32(1, 2), i64(1, 2)]),
    "range_mixed": ({"start": np.int32(1), "limit": np.int64(5)}, [i64(1, 2, 3, 4)]),
    "relu_int32_at_12": ({"x": i32(-5, 0, 2, 1)}, [i32(0, 0, 2, 1)]),
    "relu_int64_at_11": (
        {"x": i64(-5, 0, 2**62 + 1, 1)},
        [i64(0, 0, 2**62 + 1, 1)],
    ),
    "stale_value_info": ({"n": i32(2), "m": i64(3)}, [i64(-2, -3)]),
    "where_and_equal": ({"a": i32(1, 2, 3), "b": i64(1, 5, 3)}, [i64(1, 5, 3)]),
    "widened_result_reaches_consumers": (
        {"n": i32(2), "m": i64(3), "k": i32(4, 5)},
        [i64(8, 15)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_repaired_values(name):
    feeds, expected = CASES[name]
    text = (GOLDENS / f"{name}.onnxtxt").read_text(encoding="utf-8")
    text = text.split("\n---- ")[0]
    text = "\n".join(line for line in text.split("\n") if line[:1] != "#")
    model = onnx.parser.parse_model(text).SerializeToString()
    repaired = cli.legalize(model, "--passes=repair-types")
    jobs = [(model, feeds), (repaired, feeds)]
    original, results = runtimes.run_models(runtimes.NEWEST, jobs)
    assert isinstance(original, str), "the runtime takes the original"
    assert not isinstance(results, str), results
    for result, value in zip(results, expected, strict=True):
        assert result.dtype == value.dtype
        np.testing.assert_array_equal(result, value)
