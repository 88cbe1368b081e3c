# SPDX-License-Identifier: Apache-2.0
"""What operators should give, where onnx's reference evaluator doesn't tell.

It has no bidirectional or clipped recurrent operators, and takes some
attributes of pools and transposed convolutions otherwise than the text of the
specification.
"""

import itertools

import numpy as np


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


_ACTIVATIONS = {
    "Sigmoid": _sigmoid, "Tanh": np.tanh, "Relu": lambda x: np.maximum(x, 0),
    "HardSigmoid": lambda x: np.clip(0.2 * x + 0.5, 0, 1), "Softsign": lambda x: x / (1 + np.abs(x)),
    "Softplus": lambda x: np.log1p(np.exp(x)), "Elu": lambda x: np.where(x < 0, np.exp(x) - 1, x),
    "LeakyRelu": lambda x: np.where(x < 0, 0.01 * x, x), "Affine": lambda x: x,
    "ThresholdedRelu": lambda x: np.where(x > 1, x, 0), "ScaledTanh": np.tanh,
}
_DEFAULTS = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}


def recurrent(op, x, w, r, b=None, lens=None, h0=None, c0=None, p=None, direction="forward",
              activations=None, clip=None, linear_before_reset=0, input_forget=0, layout=0, **_):
    """Y, Y_h (and Y_c) of RNN, GRU or LSTM, as the specification has it."""
    if layout:
        x = x.swapaxes(0, 1)
        h0, c0 = (None if s is None else s.swapaxes(0, 1) for s in (h0, c0))
    steps, batch, _ = x.shape
    directions, hidden = r.shape[0], r.shape[2]
    gates = r.shape[1] // hidden
    lens = np.full(batch, steps) if lens is None else lens
    per = len(_DEFAULTS[op])
    functions = [_ACTIVATIONS[a] for a in activations or _DEFAULTS[op] * directions]
    y = np.zeros((steps, directions, batch, hidden), x.dtype)
    last = np.zeros((2, directions, batch, hidden), x.dtype)
    cut = (lambda v: np.clip(v, -clip, clip)) if clip else lambda v: v
    for d, n in itertools.product(range(directions), range(batch)):
        f = functions[d * per:(d + 1) * per]
        wb, rb = np.split(b[d], 2) if b is not None else np.zeros((2, gates * hidden), x.dtype)
        h = np.zeros(hidden, x.dtype) if h0 is None else h0[d, n]
        c = np.zeros(hidden, x.dtype) if c0 is None else c0[d, n]
        peep = np.zeros((3, hidden)) if p is None else p[d].reshape(3, hidden)
        order = range(lens[n])
        if direction == "reverse" or d == 1:
            order = reversed(order)
        for t in order:
            gx = np.split(w[d] @ x[t, n] + wb, gates)
            gh = np.split(r[d] @ h + rb, gates)
            if op == "RNN":
                h = f[0](cut(gx[0] + gh[0]))
            elif op == "GRU":
                z, reset = f[0](cut(gx[0] + gh[0])), f[0](cut(gx[1] + gh[1]))
                inner = reset * gh[2] if linear_before_reset else \
                    np.split(r[d], gates)[2] @ (reset * h) + np.split(rb, gates)[2]
                h = (1 - z) * f[1](cut(gx[2] + inner)) + z * h
            else:
                i = f[0](cut(gx[0] + gh[0] + peep[0] * c))
                forget = 1 - i if input_forget else f[0](cut(gx[2] + gh[2] + peep[2] * c))
                c = forget * c + i * f[1](cut(gx[3] + gh[3]))
                h = f[0](cut(gx[1] + gh[1] + peep[1] * c)) * f[2](c)
            y[t, d, n] = h
        last[:, d, n] = h, c
    outputs = [y, last[0]] + ([last[1]] if op == "LSTM" else [])
    if layout:
        outputs = [y.transpose(2, 0, 1, 3)] + [s.swapaxes(0, 1) for s in outputs[1:]]
    return outputs


def _same_pads(size, kernel, stride, dilation, upper):
    span = (kernel - 1) * dilation + 1
    total = max(0, (-(-size // stride) - 1) * stride + span - size)
    return (total // 2, total - total // 2) if upper else (total - total // 2, total // 2)


def pool(op, x, kernel_shape, strides=None, dilations=None, pads=None, auto_pad="NOTSET",
         ceil_mode=0, count_include_pad=0, p=2, **_):
    """MaxPool, AveragePool or LpPool: one value of each window, by definition."""
    rank = len(kernel_shape)
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    pads = pads or [0] * 2 * rank
    low, size = list(pads[:rank]), []
    high = list(pads[rank:])
    for i in range(rank):
        n, span = x.shape[2 + i], (kernel_shape[i] - 1) * dilations[i] + 1
        if auto_pad.startswith("SAME"):
            low[i], high[i] = _same_pads(n, kernel_shape[i], strides[i], dilations[i],
                                         auto_pad == "SAME_UPPER")
        room = n + low[i] + high[i] - span
        count = room // strides[i] + 1
        if ceil_mode and room % strides[i] and count * strides[i] < n + low[i]:
            count += 1  # Windows that begin in the padding at the end don't exist.
        size.append(count)
    y = np.zeros(x.shape[:2] + tuple(size), x.dtype)
    for out in itertools.product(*map(range, size)):
        taps = [[o * s - b + k * d for k in range(n)]
                for o, s, b, d, n in zip(out, strides, low, dilations, kernel_shape)]
        inside = [[t for t in ts if 0 <= t < x.shape[2 + i]] for i, ts in enumerate(taps)]
        window = x[(slice(None), slice(None)) + np.ix_(*inside)].reshape(*x.shape[:2], -1)
        padded = [[t for t in ts if t < x.shape[2 + i] + high[i]] for i, ts in enumerate(taps)]
        if op == "MaxPool":
            value = window.max(-1)
        elif op == "LpPool":
            value = (np.abs(window) ** p).sum(-1) ** (1 / p)
        else:
            value = window.sum(-1) / (np.prod([len(ts) for ts in padded]) if count_include_pad
                                      else window.shape[-1])
        y[(slice(None), slice(None)) + out] = value
    return y


def conv_transpose(x, w, b=None, strides=None, dilations=None, pads=None, auto_pad="NOTSET",
                   output_shape=None, output_padding=None, group=1, **_):
    """ConvTranspose: every element spreads its filter, then the pads are cut off."""
    rank = x.ndim - 2
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    extra, pads = output_padding or [0] * rank, pads or [0] * 2 * rank
    spans = [(w.shape[2 + i] - 1) * dilations[i] + 1 for i in range(rank)]
    full = [strides[i] * (x.shape[2 + i] - 1) + extra[i] + spans[i] for i in range(rank)]
    if auto_pad.startswith("SAME") and not output_shape:
        output_shape = [x.shape[2 + i] * strides[i] for i in range(rank)]
    low, high = list(pads[:rank]), list(pads[rank:])
    if output_shape:
        for i in range(rank):
            total = max(0, full[i] - output_shape[i])
            low[i] = total - total // 2 if auto_pad != "SAME_UPPER" else total // 2
            high[i] = total - low[i]
            full[i] = max(full[i], output_shape[i])
    each, per = x.shape[1] // group, w.shape[1]
    y = np.zeros((x.shape[0], per * group, *full), x.dtype)
    for at in np.ndindex(*x.shape[2:]):
        for tap in np.ndindex(*w.shape[2:]):
            to = tuple(a * s + t * d for a, s, t, d in zip(at, strides, tap, dilations))
            for g in range(group):
                y[(slice(None), slice(g * per, (g + 1) * per)) + to] += \
                    x[(slice(None), slice(g * each, (g + 1) * each)) + at] @ \
                    w[(slice(g * each, (g + 1) * each), slice(None)) + tap]
    y = y[(slice(None), slice(None)) + tuple(slice(a, n - z) for a, z, n in zip(low, high, full))]
    return y if b is None else y + b.reshape(-1, *[1] * rank)


def upsample_twice(mode):
    """Of Resize-10 and Upsample: the last two axes at twice the size, asymmetric."""
    def linear(x, axis):
        n = x.shape[axis]
        at = np.minimum(np.arange(2 * n) / 2, n - 1)
        low, part = np.floor(at).astype(int), at - np.floor(at)
        part = part.reshape([-1 if i == axis else 1 for i in range(x.ndim)]).astype(x.dtype)
        high = np.minimum(low + 1, n - 1)
        return x.take(low, axis) * (1 - part) + x.take(high, axis) * part

    def nearest(x, axis):
        return x.repeat(2, axis)

    one = linear if mode == "linear" else nearest
    return lambda x, *_: one(one(x, x.ndim - 2), x.ndim - 1)


def batch_normalization(x, scale, b, mean, var, epsilon=1e-5):
    """The inference form; every channel by itself."""
    shape = [1, -1] + [1] * (x.ndim - 2)
    scale, b, mean, var = (v.reshape(shape) for v in (scale, b, mean, var))
    return ((x - mean) / np.sqrt(var + np.float32(epsilon)) * scale + b).astype(x.dtype)


def lrn(x, size, alpha, beta, bias):
    """Local response normalization over neighbouring channels, of any rank."""
    y = np.empty_like(x)
    for c in range(x.shape[1]):
        region = x[:, max(0, c - (size - 1) // 2):c + size // 2 + 1]
        y[:, c] = x[:, c] / (bias + alpha / size * (region ** 2).sum(1)) ** beta
    return y


def conv_integer(x, w, x_zero_point, w_zero_point):
    """ConvInteger without padding: zero points off, then a convolution."""
    x = x.astype(np.int32) - x_zero_point.astype(np.int32)
    w = w.astype(np.int32) - w_zero_point.astype(np.int32).reshape(-1, 1, 1, 1)
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    return np.einsum("ncijkl,mckl->nmij", windows, w)
