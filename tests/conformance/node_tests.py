# SPDX-License-Identifier: Apache-2.0
"""onnx's node tests on real runtimes, as they are and legalized.

    python tests/conformance/node_tests.py [--runtime V]... [--update]

prints a line a runtime; --update writes docs/conformance.md and expected.json,
which test_conformance.py holds later runs to. (./dev conformance)
"""

import argparse
import concurrent.futures
import functools
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "support")]

import runtimes  # noqa: E402
from conformance import node_models  # noqa: E402

CLI = pathlib.Path(os.environ.get("ONNX_LEGALIZE_CLI", ROOT / "build/release/bin/onnx-legalize"))
EXPECTED = HERE / "expected.json"
# Draw random numbers: nothing says what must come out.
RANDOM = ("test_bernoulli", "test_training_dropout")
# ONNX Runtime 1.4.0 divides 0 by 0 here and gives now this, now that.
UNSETTLED = ("test_l2normalization_axis_0",)
# As score tables of runtimes usually take them.
RTOL, ATOL = 1e-3, 1e-5


def encode(value):
    """A value as plain Python, for node_worker.py."""
    if value is None:
        return ("none",)
    if isinstance(value, list):
        return ("list", [encode(v) for v in value])
    array = np.asarray(value)
    if array.dtype.kind in "OUS":
        return ("strings", array.shape, [str(v) for v in array.ravel()])
    return ("array", array.dtype.str, array.shape, np.ascontiguousarray(array).tobytes())


def _value(path, type_proto):
    data = path.read_bytes()
    kind = type_proto.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.to_list(onnx.SequenceProto.FromString(data))
    if kind == "optional_type":
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(data))
    array = numpy_helper.to_array(onnx.TensorProto.FromString(data))
    if array.dtype.kind == "O":
        array = np.array([v.decode() if isinstance(v, bytes) else v
                          for v in array.ravel()], dtype=object).reshape(array.shape)
    return array


@functools.lru_cache(maxsize=1)
def cases():
    """{name: case} of all node tests that NumPy can hold, random ones and the like left out."""
    folder = node_models.cached()
    found = {}
    for name in (folder / "feedable.txt").read_text().split():
        if name.startswith(RANDOM + UNSETTLED) or not name.startswith("test_"):
            continue
        model = (folder / name / "model.onnx").read_bytes()
        graph = onnx.load_from_string(model).graph
        values = {}
        files = {"input": len(graph.input), "output": len(graph.output)}
        if any(not (folder / name / f"{kind}_{i}.pb").exists()
               for kind, count in files.items() for i in range(count)):
            continue  # A model whose inputs have defaults: no node test.
        for kind, infos in (("input", graph.input), ("output", graph.output)):
            values[kind + "s"] = [
                encode(_value(folder / name / f"{kind}_{i}.pb", info.type))
                for i, info in enumerate(infos)
            ]
        found[name] = dict(name=name, model=model, rtol=RTOL, atol=ATOL, **values)
    return found


def target_of(version):
    if version == runtimes.NEWEST:
        import onnxruntime
        version = onnxruntime.__version__
    return f"onnxruntime-{version}"


def legalize(case, target):
    """(bytes or None, the first line of why not)."""
    done = subprocess.run([CLI, "-", "-", "-q", "--target", target], input=case["model"],
                          capture_output=True, check=False, timeout=300)
    if done.returncode == 0:
        return done.stdout, ""
    if done.returncode == 3:
        return None, done.stderr.decode().strip().split("\n")[1].strip()
    return None, f"exit status {done.returncode}: {done.stderr.decode()[:300]}"


def run(version, some):
    """{name: (outcome, message)} of the cases on a runtime."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = (os.path.join(folder, n) for n in ("in", "out"))
        with open(source, "wb") as file:
            pickle.dump(list(some), file, protocol=3)
        subprocess.run([runtimes.python_of(version), HERE / "node_worker.py", source, result],
                       check=True, timeout=1200)
        with open(result, "rb") as file:
            return pickle.load(file)


def measure(version, names):
    """What becomes of the cases on a runtime.

    as_is, legalized: {name: (outcome, message)}; refused: {name: reason};
    unchanged: names whose bytes legalizing left as they were."""
    chosen = [cases()[name] for name in names]
    target = target_of(version)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda case: legalize(case, target), chosen))
    legal, refused, unchanged = [], {}, set()
    for case, (model, reason) in zip(chosen, results):
        if model is None:
            refused[case["name"]] = reason
            continue
        if model == case["model"]:
            unchanged.add(case["name"])
        legal.append(dict(case, model=model))
    return dict(as_is=run(version, chosen), legalized=run(version, legal), refused=refused,
                unchanged=unchanged)


def summary(version, found):
    """The counts of a runtime, and the names that matter."""
    passing = {n for n, (o, _) in found["as_is"].items() if o == "pass"}
    reached = {n for n, (o, _) in found["legalized"].items() if o == "pass"}
    bad = {n: o for n, (o, _) in found["legalized"].items() if o != "pass"}
    # Wrong because of us: what the runtime didn't already get wrong as it was.
    wrong = sorted(n for n, o in bad.items() if o in ("wrong", "crash")
                   and (n not in found["unchanged"]))
    return dict(
        target=target_of(version), cases=len(found["as_is"]), as_is=len(passing),
        legalized=len(reached), refused=len(found["refused"]), wrong=wrong,
        regressed=sorted(passing - reached),
        changed=sorted(passing - found["unchanged"]),
        not_reached={**{n: found["refused"][n] for n in found["refused"]},
                     **{n: f"{o}: {found['legalized'][n][1][:160]}" for n, o in bad.items()}},
    )


def line(row):
    return (f"{row['target']:20s} {row['as_is']:5d} as is, {row['legalized']:5d} legalized, "
            f"{row['refused']:4d} refused, {len(row['wrong']):3d} wrong, "
            f"{len(row['regressed']):3d} regressed, {len(row['changed']):3d} changed in vain, "
            f"of {row['cases']}")


def installed():
    return [v for v in (*runtimes.OLD, runtimes.NEWEST) if runtimes.python_of(v)]


def _group(name):
    """The operator that a test's name is about, nearly."""
    words = name.removeprefix("test_").split("_")
    return "_".join(words[:2]) if words[0] in ("reduce", "ai", "string") else words[0]


def markdown(rows):
    text = [
        "# Conformance: onnx's node tests on real runtimes", "",
        f"Generated by `./dev conformance --update`; do not edit. The node tests of onnx "
        f"{onnx.__version__} that NumPy can hold, run as they are and after "
        "`onnx-legalize --target TARGET`; CPU.", "",
        "*Wrong*: comes out wrong or crashes, and we changed the model. *Regressed*: ran "
        "before, not after. *Changed in vain*: ran before, and came back other than byte for "
        "byte.", "",
        "| target | tests | as is | legalized | refused | wrong | regressed | changed in vain |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        text.append(f"| {row['target']} | {row['cases']} | {row['as_is']} | "
                    f"{row['legalized']} | {row['refused']} | {len(row['wrong'])} | "
                    f"{len(row['regressed'])} | {len(row['changed'])} |")
    for row in rows:
        text += ["", f"## Not reached on {row['target']}", ""]
        groups = {}
        for name, reason in sorted(row["not_reached"].items()):
            groups.setdefault(_group(name), []).append((name, reason))
        for group, members in sorted(groups.items()):
            reason = " ".join(members[0][1].split())[:300].replace("|", "/")
            text.append(f"- **{group}** ({len(members)}): {reason}")
    return "\n".join(text) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runtime", action="append", help="a version; default: all installed")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true", help="list what isn't reached")
    arguments = parser.parse_args()
    rows = []
    for version in arguments.runtime or installed():
        row = summary(version, measure(version, sorted(cases())))
        rows.append(row)
        print(line(row), flush=True)
        if arguments.verbose:
            for name, reason in sorted(row["not_reached"].items()):
                print(f"    {name}: {reason[:200]}")
    for version in runtimes.OLD:
        if not arguments.runtime and runtimes.python_of(version) is None:
            print(f"onnxruntime-{version}: not installed, left out")
    if arguments.update:
        (ROOT / "docs/conformance.md").write_text(markdown(rows))
        expected = {row["target"]: dict(wrong=row["wrong"], regressed=row["regressed"],
                                        changed=row["changed"],
                                        not_reached=sorted(row["not_reached"]))
                    for row in rows}
        EXPECTED.write_text(json.dumps(expected, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
