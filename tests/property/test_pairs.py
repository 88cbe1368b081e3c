# SPDX-License-Identifier: Apache-2.0
"""Random small graphs, legalized for each runtime and run on it, come out as the
reference evaluator says.

    python tests/property/test_pairs.py COUNT [RUNTIME...]

runs more of them. A runtime may itself compute an operator wrongly that no probe
shows: such a graph is wrong as it is, too, and counted apart."""

import collections
import sys

import numpy as np
import onnx.reference

sys.path[:0] = [__file__.rsplit("/", 2)[0], __file__.rsplit("/", 2)[0] + "/support",
                __file__.rsplit("/", 1)[0]]

import compare  # noqa: E402
import pair_graphs  # noqa: E402
import pytest  # noqa: E402
import runtimes  # noqa: E402

from conformance import node_tests  # noqa: E402


def evaluate(model, feeds):
    return onnx.reference.ReferenceEvaluator(model).run(None, feeds)


def judge(version, seeds):
    """(counts of what became of the draws, [(seed, how it is wrong)...])."""
    counts, jobs = collections.Counter(), []
    target = node_tests.target_of(version)
    for seed in seeds:
        drawn = pair_graphs.draw(seed, evaluate)
        if drawn is None:
            counts["nothing drawn"] += 1
            continue
        model, feeds, expected = drawn
        data = model.SerializeToString()
        legal, reason = node_tests.legalize({"model": data}, target)
        if legal is None:
            assert not reason.startswith("exit status"), (seed, reason)
            counts["refused"] += 1
            continue
        jobs.append((seed, data, legal, feeds, expected))
    wrong = []
    legal_runs = runtimes.run_models(version, [(j[2], j[3]) for j in jobs])
    plain_runs = runtimes.run_models(version, [(j[1], j[3]) for j in jobs])
    for job, legal, plain in zip(jobs, legal_runs, plain_runs):
        fault = _fault(legal, job[4])
        if not fault:
            counts["right"] += 1
        elif not isinstance(plain, str) and _fault(plain, job[4]):
            counts["wrong as it was"] += 1
        elif isinstance(legal, str) and "crash" not in legal:
            counts["not run"] += 1
            wrong.append((job[0], fault[:200]))
        else:
            counts["wrong"] += 1
            wrong.append((job[0], fault[:200]))
    return counts, wrong


def _fault(outputs, expected):
    if isinstance(outputs, str):
        return outputs
    faults = [_difference(a, b) for a, b in zip(outputs, expected)]
    return "; ".join(f for f in faults if f)


def _difference(got, expected):
    if expected.dtype == np.float16 and np.asarray(got).dtype == np.float16:
        with np.errstate(all="ignore"):  # Several roundings of 11 bits each.
            same = np.isclose(np.float32(got), np.float32(expected), 1e-2, 1e-2, equal_nan=True)
        if same.shape == expected.shape and same.all():
            return ""
    return compare.difference(got, expected)


@pytest.mark.parametrize("version", (*runtimes.OLD, runtimes.NEWEST))
def test_pairs(version):
    if runtimes.python_of(version) is None:
        pytest.skip(f"ONNX Runtime {version} is not installed")
    counts, wrong = judge(version, range(150))
    assert not wrong, (counts, wrong[:5])
    assert counts["right"] > 60, counts


def main(count, *versions):
    with np.errstate(all="ignore"):
        for version in versions or [v for v in (*runtimes.OLD, runtimes.NEWEST)
                                    if runtimes.python_of(v)]:
            counts, wrong = judge(version, range(int(count)))
            print(version, dict(counts))
            for seed, fault in wrong:
                print(f"    seed {seed}: {fault}")


if __name__ == "__main__":
    main(*sys.argv[1:])
