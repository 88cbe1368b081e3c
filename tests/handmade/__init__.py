# SPDX-License-Identifier: Apache-2.0
"""Models made by hand for what no exporter writes, but ONNX or protobuf allow.

`valid_models()` must read, verify and round-trip; `faulty_models()` must be
refused, with a message that holds the given words.
"""

from handmade import encodings, faults, scopes, tensors, types_and_metadata


def valid_models():
    """Name -> bytes of every model that must round-trip."""
    models = {}
    for module in (scopes, tensors, types_and_metadata):
        for name, make in module.MODELS.items():
            models[name] = make()
    models.update(encodings.restyled(models))
    return models


def faulty_models():
    """Name -> (bytes, words that the one-line error must hold)."""
    return {name: make() for name, make in faults.MODELS.items()}
