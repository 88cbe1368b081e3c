# SPDX-License-Identifier: Apache-2.0
"""Whether a runtime's outputs are the expected ones."""

import numpy as np

RTOL = 1e-3
ATOL = 1e-4  # Times the largest finite magnitude, where that is above 1.


def difference(got, expected):
    """How an array differs from the expected one, in a line; "" if it doesn't.

    Floats may differ by rounding; element type, shape and all else may not.
    """
    got, expected = np.asarray(got), np.asarray(expected)
    if got.dtype.kind in "OSU" and expected.dtype.kind in "OSU":
        got, expected = got.astype(str), expected.astype(str)
    elif got.dtype != expected.dtype:
        return f"element type {got.dtype}, not {expected.dtype}"
    if got.shape != expected.shape:
        return f"shape {got.shape}, not {expected.shape}"
    same = _equal(got, expected)
    if same.all():
        return ""
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    return f"{(~same).sum()} of {same.size} differ, e.g. {got[at]}, not {expected[at]}"


def _equal(got, expected):
    if got.dtype.kind not in "fc":
        return np.asarray(got == expected)
    finite = np.abs(expected[np.isfinite(expected)]).astype(np.float64)
    scale = max(1.0, finite.max(initial=0.0))
    got, expected = got.astype(np.complex128), expected.astype(np.complex128)
    with np.errstate(invalid="ignore"):
        return np.isclose(got, expected, RTOL, ATOL * scale, equal_nan=True)
