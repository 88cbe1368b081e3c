# SPDX-License-Identifier: Apache-2.0
"""Convolutions and pools straight from their definition, in numpy.

Every kernel tap is one strided slice of the padded input. Nothing here is
shared with onnx's reference evaluator, with a runtime or with the legalizer.
"""
import itertools

import numpy as np


def extents(k, d):
    return [dd * (kk - 1) + 1 for kk, dd in zip(k, d)]


def split(totals, mode):
    """Begins and ends; an odd cell at the end for SAME_UPPER, else before."""
    begins = [t // 2 if mode == "SAME_UPPER" else t - t // 2 for t in totals]
    return begins, [t - b for t, b in zip(totals, begins)]


def same_pads(sizes, k, s, d, mode):
    if not mode.startswith("SAME"):
        return [0] * len(k), [0] * len(k)
    return split([max(0, (-(-n // ss) - 1) * ss + e - n)
                  for n, e, ss in zip(sizes, extents(k, d), s)], mode)


def taps(x, k, s, d, begins, ends, fill, ceil=False):
    """[taps, N, C, *out]; cells past the end that ceil_mode reaches are NaN."""
    outs = []
    for n, e, ss, b, f in zip(x.shape[2:], extents(k, d), s, begins, ends):
        room = n + b + f - e
        out = room // ss + 1
        if ceil:
            out = -(-room // ss) + 1
            out -= (out - 1) * ss >= n + b
        outs.append(max(out, 0))
    padded = np.pad(x, [(0, 0), (0, 0), *zip(begins, ends)],
                    constant_values=fill)
    beyond = [max(0, (o - 1) * ss + e - n) for o, ss, e, n in
              zip(outs, s, extents(k, d), padded.shape[2:])]
    if any(beyond):
        padded = np.pad(padded, [(0, 0), (0, 0), *((0, b) for b in beyond)],
                        constant_values=np.nan)
    return np.stack([
        padded[(slice(None), slice(None), *(
            slice(t * dd, t * dd + (o - 1) * ss + 1, ss) if o else slice(0)
            for t, dd, o, ss in zip(tap, d, outs, s)))]
        for tap in itertools.product(*map(range, k))])


def conv(x, w, b, k, s, d, group, pads):
    t = taps(x, k, s, d, *pads, 0)
    w = w.reshape(*w.shape[:2], -1)
    xs = np.split(t, group, axis=2)
    ws = np.split(w, group, axis=0)
    y = np.concatenate([np.einsum("tnc...,mct->nm...", xx, ww)
                        for xx, ww in zip(xs, ws)], axis=1)
    if b is not None:
        y = y + b.reshape(-1, *[1] * len(k))
    return y


def conv_transpose(x, w, b, k, s, d, group, output_padding, pads):
    """pads may be None: nothing is cropped."""
    full = [(n - 1) * ss + e + o for n, ss, e, o in
            zip(x.shape[2:], s, extents(k, d), output_padding)]
    y = np.zeros((x.shape[0], w.shape[1] * group, *full), x.dtype)
    xs = np.split(x, group, axis=1)
    ws = np.split(w, group, axis=0)
    for tap in itertools.product(*map(range, k)):
        part = np.concatenate(
            [np.einsum("nc...,cm->nm...", xx, ww[(..., *tap)])
             for xx, ww in zip(xs, ws)], axis=1)
        y[(slice(None), slice(None), *(
            slice(t * dd, t * dd + (n - 1) * ss + 1, ss)
            for t, dd, n, ss in zip(tap, d, x.shape[2:], s)))] += part
    y = y[(slice(None), slice(None), *(
        slice(b0, f - e0) for b0, e0, f in zip(*pads, full)))]
    if b is not None:
        y = y + b.reshape(-1, *[1] * len(k))
    return y


def has_empty_window(x, k, s, d, pads, ceil=False):
    """Some window lies on padding only: a pool of it has no defined value."""
    t = taps(np.zeros_like(x, np.float64), k, s, d, *pads, np.nan, ceil)
    return bool(np.isnan(t).all(axis=0).any())


def max_pool(x, k, s, d, pads, ceil=False):
    t = taps(x.astype(np.float64), k, s, d, *pads, np.nan, ceil)
    return np.nanmax(t, axis=0).astype(x.dtype)


def max_pool_indices(x, k, s, d, pads, ceil, column_major):
    """Flat index of the first largest cell of each window."""
    n, c, *sizes = x.shape
    spatial = np.arange(int(np.prod(sizes)))
    if column_major:
        spatial = spatial.reshape(sizes[::-1]).transpose()
    flat = (np.arange(n * c).reshape(n, c, *[1] * len(sizes)) *
            int(np.prod(sizes)) + spatial.reshape(sizes))
    t = taps(x.astype(np.float64), k, s, d, *pads, np.nan, ceil)
    at = taps(flat.astype(np.float64), k, s, d, *pads, np.nan, ceil)
    first = np.argmax(np.where(np.isnan(t), -np.inf, t), axis=0)
    return np.take_along_axis(at, first[None], axis=0)[0].astype(np.int64)


def average_pool(x, k, s, d, pads, count_padding, ceil=False):
    t = taps(x.astype(np.float64), k, s, d, *pads,
             0 if count_padding else np.nan, ceil)
    return np.nanmean(t, axis=0).astype(x.dtype)


def lp_pool(x, k, s, d, pads, p, ceil=False):
    t = taps(np.abs(x.astype(np.float64)) ** p, k, s, d, *pads, 0, ceil)
    return (np.nansum(t, axis=0) ** (1 / p)).astype(x.dtype)
