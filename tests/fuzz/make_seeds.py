# SPDX-License-Identifier: Apache-2.0
"""Writes the fuzzers' seeds: small models of every kind.

    python make_seeds.py FOLDER
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import handmade  # noqa: E402
from conformance import node_models  # noqa: E402

MAX_SIZE = 4096


def seeds():
    """Name -> bytes: one node test an operator, and the models made by hand."""
    result = {name.replace("/", "-"): data for name, data in handmade.valid_models().items()}
    result |= {name: data for name, (data, _) in handmade.faulty_models().items()}
    seen = set()
    for path in sorted(node_models.cached().glob("*/model.onnx")):
        data = path.read_bytes()
        kind = path.parent.name.split("_")[1]
        if len(data) <= MAX_SIZE and kind not in seen:
            seen.add(kind)
            result[path.parent.name] = data
    return {name: data for name, data in result.items() if len(data) <= MAX_SIZE}


def main(folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in seeds().items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main(sys.argv[1])
