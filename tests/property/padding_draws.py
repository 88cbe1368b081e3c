# SPDX-License-Identifier: Apache-2.0
"""Seeded random convolutions and pools, with what each must compute."""
import dataclasses

import numpy as np
import padding_oracle as oracle
from onnx import TensorProto, helper, numpy_helper

CONVS = ("Conv", "ConvInteger", "QLinearConv", "ConvTranspose")
MODES = ("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")


@dataclasses.dataclass
class Draw:
    op: str
    opset: int
    mode: str
    sizes: list
    k: list
    s: list
    d: list
    group: int = 1
    dynamic: bool = False  # Spatial sizes are unknown.
    ranked: bool = True
    ceil: bool = False
    count_padding: bool = False
    indices: bool = False
    column_major: bool = False
    p: int = 2
    stale_pads: bool = False
    kernel_attribute: bool = True
    output_padding: list = None
    output_shape: list = None
    x: np.ndarray = None
    w: np.ndarray = None
    b: np.ndarray = None
    x_zero: int = None
    w_zero: int = None

    @property
    def rank(self):
        return len(self.k)

    @property
    def same(self):
        return self.mode.startswith("SAME")

    @property
    def dilated(self):
        return any(dd > 1 and kk > 1 for dd, kk in zip(self.d, self.k))

    @property
    def size_matters(self):
        """The pads of SAME depend on the input's size."""
        return self.same and any(
            ss > 1 and e > 1
            for ss, e in zip(self.s, oracle.extents(self.k, self.d)))

    def __str__(self):
        text = (f"{self.op}-{self.opset} {self.mode} in={self.sizes} "
                f"k={self.k} s={self.s} d={self.d} {self.x.dtype}")
        for name in ("dynamic", "ceil", "count_padding", "indices",
                     "column_major", "stale_pads"):
            text += f" {name}" * getattr(self, name)
        if self.op == "ConvTranspose":
            text += f" op={self.output_padding} shape={self.output_shape}"
        return f"{text} g={self.group}"

    def crop_totals(self):
        """What a ConvTranspose crops, an entry an axis."""
        full = [(n - 1) * ss + e + o for n, ss, e, o in
                zip(self.sizes, self.s, oracle.extents(self.k, self.d),
                    self.output_padding)]
        if self.output_shape:
            return [f - o for f, o in zip(full, self.output_shape)]
        if self.same:
            return [f - n * ss for f, n, ss in zip(full, self.sizes, self.s)]
        return [0] * self.rank

    def pads(self):
        if self.op == "ConvTranspose":
            return oracle.split(self.crop_totals(), self.mode)
        return oracle.same_pads(self.sizes, self.k, self.s, self.d, self.mode)

    def expected(self):
        window = (self.k, self.s, self.d)
        pads = self.pads()
        ceil = self.ceil and not self.same
        if self.op == "Conv":
            return [oracle.conv(self.x, self.w, self.b, *window, self.group,
                                pads)]
        if self.op == "ConvTranspose":
            return [oracle.conv_transpose(self.x, self.w, self.b, *window,
                                          self.group, self.output_padding,
                                          pads)]
        if self.op in ("ConvInteger", "QLinearConv"):
            x = self.x.astype(np.int64) - (self.x_zero or 0)
            w = self.w.astype(np.int64) - (self.w_zero or 0)
            y = oracle.conv(x, w, None, *window, self.group, pads)
            if self.op == "ConvInteger":
                return [y.astype(np.int32)]
            return [np.clip(np.rint(y / 64) + 100, 0, 255).astype(np.uint8)]
        if self.op == "AveragePool":
            return [oracle.average_pool(self.x, *window, pads,
                                        self.count_padding, ceil)]
        if self.op == "LpPool":
            return [oracle.lp_pool(self.x, *window, pads, self.p, ceil)]
        outputs = [oracle.max_pool(self.x, *window, pads, ceil)]
        if self.indices:
            outputs.append(oracle.max_pool_indices(
                self.x, *window, pads, ceil, self.column_major))
        return outputs

    def declined(self, padding):
        """Whether the pass must leave the node as it is."""
        if self.op == "ConvTranspose":
            if not self.same:
                return False
            negative = min(self.crop_totals()) < 0
            return negative or bool(self.output_shape and self.dynamic)
        return (self.dynamic and self.size_matters and
                (padding == "attribute" or self.indices))

    def well_defined(self):
        ext = oracle.extents(self.k, self.d)
        if self.op == "ConvTranspose":
            return self.same or min(self.crop_totals()) >= 0
        if not self.same and any(n < e for n, e in zip(self.sizes, ext)):
            return False
        if self.op in ("MaxPool", "AveragePool", "LpPool"):
            return not oracle.has_empty_window(
                self.x, self.k, self.s, self.d, self.pads(),
                self.ceil and not self.same)
        return True

    def attributes(self):
        a = dict(strides=self.s)
        if self.mode != "NOTSET" or self.sizes[0] % 2:
            a["auto_pad"] = self.mode
        if self.kernel_attribute:
            a["kernel_shape"] = self.k
        if max(self.d) > 1:
            a["dilations"] = self.d
        if self.stale_pads:
            # (Runtimes look at stale pads so far as to refuse large ones.)
            a["pads"] = [min(1, kk - 1) for kk in self.k] * 2
        if self.op in CONVS:
            a["group"] = self.group
        if self.op == "ConvTranspose":
            a["output_padding"] = self.output_padding
            if self.output_shape:
                a["output_shape"] = self.output_shape
        if self.ceil:
            a["ceil_mode"] = 1
        if self.op == "AveragePool":
            a["count_include_pad"] = int(self.count_padding)
        if self.op == "LpPool":
            a["p"] = self.p
        if self.column_major:
            a["storage_order"] = 1
        return a

    def operands(self):
        """Inputs after x: name suffix -> array, or None where absent."""
        scalar = lambda v, t: None if v is None else np.array(v, t)
        if self.op == "ConvInteger":
            return {"w": self.w, "xz": scalar(self.x_zero, np.uint8),
                    "wz": scalar(self.w_zero, self.w.dtype)}
        if self.op == "QLinearConv":
            return {"xs": np.float32(0.5), "xz": scalar(self.x_zero, np.uint8),
                    "w": self.w, "ws": np.float32(0.25),
                    "wz": scalar(self.w_zero, self.w.dtype),
                    "ys": np.float32(8), "yz": np.uint8(100)}
        return {n: a for n, a in (("w", self.w), ("b", self.b))
                if a is not None}

    def add_to(self, graph, i):
        """Appends the node, its input, initializers and outputs."""
        inputs = [f"x{i}"]
        for suffix, array in self.operands().items():
            inputs.append("" if array is None else f"{suffix}{i}")
            if array is not None:
                graph.initializer.append(
                    numpy_helper.from_array(np.asarray(array), inputs[-1]))
        outputs = [f"y{i}"] + [f"i{i}"] * self.indices
        graph.node.append(helper.make_node(
            self.op, inputs, outputs, name=f"n{i}", **self.attributes()))
        shape = list(self.x.shape)
        if self.dynamic:
            shape[2:] = [f"d{i}_{j}" for j in range(self.rank)]
        graph.input.append(helper.make_tensor_value_info(
            f"x{i}", helper.np_dtype_to_tensor_dtype(self.x.dtype),
            shape if self.ranked else None))
        types = {"ConvInteger": TensorProto.INT32,
                 "QLinearConv": TensorProto.UINT8}
        for name in outputs:
            kind = (TensorProto.INT64 if name[0] == "i" else types.get(
                self.op, helper.np_dtype_to_tensor_dtype(self.x.dtype)))
            graph.output.append(
                helper.make_tensor_value_info(name, kind, None))
        return outputs


def _can_dilate(op, opset):
    return opset >= {"MaxPool": 10, "AveragePool": 19, "LpPool": 18}.get(op, 1)


def _fill_operands(draw, rng):
    ints = lambda *shape: rng.integers(-9, 10, shape)
    channels = 2 * draw.group
    shape = (1, channels, *draw.sizes)
    if draw.op in ("ConvInteger", "QLinearConv"):
        draw.x = rng.integers(0, 256, shape).astype(np.uint8)
        draw.w = rng.integers(0, 8, (2 * draw.group, 2, *draw.k)).astype(
            np.uint8)
        draw.x_zero = int(rng.integers(0, 256))
        draw.w_zero = int(rng.integers(0, 8))
        if draw.op == "ConvInteger" and rng.random() < 0.3:
            draw.x_zero = draw.w_zero = None
        return
    draw.x = ints(*shape).astype(np.float32)
    if draw.op == "MaxPool" and rng.random() < 0.3:
        draw.x = draw.x.astype(rng.choice([np.float64, np.int8, np.uint8])
                               if draw.opset >= 12 else np.float64)
    if draw.op == "Conv":
        draw.w = ints(3 * draw.group, 2, *draw.k).astype(np.float32)
    if draw.op == "ConvTranspose":
        draw.w = ints(channels, 3, *draw.k).astype(np.float32)
    if draw.w is not None and rng.random() < 0.5:
        draw.b = ints(3 * draw.group).astype(np.float32)


def _draw(rng, opset):
    ops = [o for o in ("Conv", "Conv", "MaxPool", "MaxPool", "AveragePool",
                       "AveragePool", "LpPool", "ConvTranspose",
                       "ConvInteger", "QLinearConv")
           if opset >= 10 or o not in ("ConvInteger", "QLinearConv")]
    op = str(rng.choice(ops))
    rank = int(rng.choice([1, 2, 2, 3]))
    ints = lambda lo, hi: [int(v) for v in rng.integers(lo, hi, rank)]
    flip = lambda chance: bool(rng.random() < chance)
    draw = Draw(op, opset, str(rng.choice(MODES, p=[.4, .4, .15, .05])),
                ints(1, 8 if rank < 3 else 5), ints(1, 5), ints(1, 4),
                ints(1, 4) if _can_dilate(op, opset) and flip(.5)
                else [1] * rank)
    if flip(.3):
        draw.s = [1] * rank
    draw.dynamic = flip(.5)
    draw.ranked = not (draw.dynamic and flip(.3))
    # (A runtime refuses `pads` beside auto_pad in convolutions.)
    draw.stale_pads = draw.mode != "NOTSET" and op not in CONVS and flip(.2)
    if op in CONVS:
        draw.group = int(rng.choice([1, 1, 2]))
        draw.kernel_attribute = flip(.5)
    elif opset >= (18 if op == "LpPool" else 10):
        draw.ceil = flip(.3)
    draw.count_padding = op == "AveragePool" and flip(.5)
    draw.indices = op == "MaxPool" and flip(.25)
    draw.column_major = draw.indices and flip(.3)
    draw.p = int(rng.integers(1, 4))
    _fill_operands(draw, rng)
    if op == "ConvTranspose":
        draw.output_padding = [int(rng.integers(0, ss)) for ss in draw.s]
        if flip(.4):
            draw.output_shape = [max(1, t - int(rng.integers(0, 4)))
                                 for t in _full_sizes(draw)]
    return draw


def _full_sizes(draw):
    return [(n - 1) * ss + e + o for n, ss, e, o in zip(
        draw.sizes, draw.s, oracle.extents(draw.k, draw.d),
        draw.output_padding)]


def draws(seed, opset, count):
    rng = np.random.default_rng([seed, opset])
    found = []
    while len(found) < count:
        draw = _draw(rng, opset)
        if draw.well_defined():
            found.append(draw)
    return found


def model_of(some, opset):
    """One model with a node for each draw, none reading another."""
    model = helper.make_model(
        helper.make_graph([], "draws", [], []),
        opset_imports=[helper.make_opsetid("", opset)],
        ir_version=8 if opset > 8 else 4)
    outputs = [draw.add_to(model.graph, i) for i, draw in enumerate(some)]
    feeds = {f"x{i}": draw.x for i, draw in enumerate(some)}
    return model, feeds, outputs
