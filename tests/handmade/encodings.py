# SPDX-License-Identifier: Apache-2.0
"""The same models in every way that protobuf lets them be written."""

import onnx

from handmade import wire

STYLES = {
    "unknown_fields": lambda: wire.Style(unknown=wire.UNKNOWN_FIELDS),
    "fields_out_of_order": lambda: wire.Style(shuffle_seed=3),
    "padded_varints": lambda: wire.Style(padding=9),
    "packing_flipped": lambda: wire.Style(flip_packing=True),
    "repeated_scalars": lambda: wire.Style(repeat_scalars=True),
    "all_at_once": lambda: wire.Style(
        unknown=wire.UNKNOWN_FIELDS, shuffle_seed=5, padding=2, flip_packing=True,
        repeat_scalars=True),
}


def split(data):
    """Every singular message in two halves, which protobuf merges."""
    return wire.encode(onnx.ModelProto.FromString(data), wire.Style(split_messages=True))


def restyled(models):
    """Each of `models` in each style, as name/style -> bytes."""
    result = {}
    for name, data in models.items():
        try:
            proto = onnx.ModelProto.FromString(data)
        except Exception:  # Names that are no UTF-8 are beyond Python's protobuf.
            continue
        for style, make in STYLES.items():
            encoded = wire.encode(proto, make())
            read_back = wire.encode(onnx.ModelProto.FromString(encoded), wire.Style())
            assert read_back == wire.encode(proto, wire.Style()), f"wrong: {name}/{style}"
            result[f"{name}/{style}"] = encoded
    return result
