# SPDX-License-Identifier: Apache-2.0
"""Protobuf's wire format by hand, to write what protobuf itself never would."""

import random
import struct
from collections.abc import Sequence

from google.protobuf.descriptor import FieldDescriptor as Field

VARINT, FIXED64, LENGTH, START_GROUP, END_GROUP, FIXED32 = range(6)


def varint(value, padding=0):
    """`padding` adds that many redundant continuation bytes (10 bytes at most)."""
    value &= (1 << 64) - 1
    digits = []
    while True:
        digits.append(value & 0x7F)
        value >>= 7
        if not value:
            break
    digits += [0] * min(padding, 10 - len(digits))
    return bytes(d | 0x80 for d in digits[:-1]) + bytes([digits[-1]])


def tag(field, wire_type, padding=0):
    return varint(field << 3 | wire_type, min(padding, 3))


def record(field, payload, padding=0):
    """A length-delimited field."""
    if isinstance(payload, str):
        payload = payload.encode()
    return tag(field, LENGTH, padding) + varint(len(payload), min(padding, 2)) + payload


def number(field, value, padding=0):
    return tag(field, VARINT, padding) + varint(value, padding)


# One record of each wire type under a field number that no ONNX message has.
UNKNOWN_FIELDS = (
    number(1000, 150)
    + tag(1001, FIXED64) + b"\x01\x02\x03\x04\x05\x06\x07\x08"
    + record(1002, b"kept as it is")
    + tag(1003, START_GROUP) + number(1, 7) + record(2, b"in a group") + tag(1003, END_GROUP)
    + tag(1004, FIXED32) + b"\x01\x02\x03\x04"
    + number(1000, -1)
)


class Style:
    """How `encode` writes a message; the default is what protobuf writes."""

    def __init__(self, unknown=b"", shuffle_seed=None, padding=0, flip_packing=False,
                 repeat_scalars=False, split_messages=False):
        self.unknown = unknown  # Added to every message.
        self.random = None if shuffle_seed is None else random.Random(shuffle_seed)
        self.padding = padding  # Redundant bytes in varints.
        self.flip_packing = flip_packing  # Packed fields unpacked, and vice versa.
        self.repeat_scalars = repeat_scalars  # Twice; the last one counts.
        self.split_messages = split_messages  # Singular messages in two halves.


_PACKABLE = {
    Field.TYPE_FLOAT: lambda v, p: struct.pack("<f", v),
    Field.TYPE_DOUBLE: lambda v, p: struct.pack("<d", v),
    Field.TYPE_INT32: varint, Field.TYPE_INT64: varint, Field.TYPE_UINT64: varint,
    Field.TYPE_ENUM: varint,
}
_STALE = {str: "stale", bytes: b"stale", float: 7.0}
_FIXED = {Field.TYPE_FLOAT: FIXED32, Field.TYPE_DOUBLE: FIXED64}


def _scalar(field, value, style):
    if field.type in (Field.TYPE_STRING, Field.TYPE_BYTES):
        return record(field.number, value, style.padding)
    wire_type = _FIXED.get(field.type, VARINT)
    return tag(field.number, wire_type, style.padding) + _PACKABLE[field.type](value, style.padding)


def _singular(field, value, style):
    if field.type != Field.TYPE_MESSAGE:
        twice = style.repeat_scalars and field.containing_oneof is None
        stale = _scalar(field, _STALE.get(type(value), 7), style) if twice else b""
        return [stale + _scalar(field, value, style)]
    records = encode_records(value, style)
    if style.split_messages and len(records) > 1:
        half = len(records) // 2
        return [record(field.number, b"".join(records[:half]), style.padding),
                record(field.number, b"".join(records[half:]), style.padding)]
    return [record(field.number, b"".join(records), style.padding)]


def _repeated(field, values, style):
    if field.type == Field.TYPE_MESSAGE:
        return [record(field.number, encode(v, style), style.padding) for v in values]
    if field.type not in _PACKABLE or field.GetOptions().packed == style.flip_packing:
        return [_scalar(field, v, style) for v in values]
    packed = b"".join(_PACKABLE[field.type](v, style.padding) for v in values)
    return [record(field.number, packed, style.padding)]


def encode_records(message, style):
    fields = []
    for field, value in message.ListFields():
        is_repeated = not isinstance(value, (str, bytes)) and isinstance(value, Sequence)
        fields.append((_repeated if is_repeated else _singular)(field, value, style))
    if style.unknown:
        fields.append([style.unknown])
    if style.random:
        # Any interleaving that keeps the order within each field.
        order = [i for i, records in enumerate(fields) for _ in records]
        style.random.shuffle(order)
        queues = [iter(records) for records in fields]
        return [next(queues[i]) for i in order]
    return [r for records in fields for r in records]


def encode(message, style):
    return b"".join(encode_records(message, style))
