# SPDX-License-Identifier: Apache-2.0
"""Measures what an installed runtime can run, and writes it as a profile.

    python -m onnx_legalize.probe [--python OTHER_PYTHON] [-o PROFILE.json]

OTHER_PYTHON is the Python that has the runtime (this one if not given); this
one needs onnx. A profile says what was seen to work and what wasn't, for every
operator version and every combination of element types, and which attributes
are refused or computed wrong (profile_schema.json describes it).
"""

import argparse
import itertools
import json
import re
import sys

from onnx_legalize import probe_attributes, probe_models, probe_run

PROBE_VERSION = 1

# What runtimes say when they lack a kernel, an operator, a type or an opset.
# Any other refusal may be the fault of our model: those are "unmeasured".
_LACKING = re.compile("|".join((
    "NOT_IMPLEMENTED", "Could not find an implementation", "Failed to find kernel",
    "Type '[^']*' of (input|output) parameter", "is not a registered function/op",
    "No Op registered", "under development", "[Nn]o schema registered", "No opset import",
    "MLDataType for", "is deprecated in", "Type Error", "must have the same type",
    "must have same type as input", "same bit-width", "[Uu]nsupported .*type",
    "Unrecognized type",
    # Casts between float16 and float that ONNX Runtime adds, at an opset whose
    # Cast is of another form; and those around what has only one of the two.
    "(InsertedPrecisionFreeCast|Inserted_?Cast|CastDef)_?",
    "Unsupported value attribute datatype", "SetValueFromTensorProto")))

# What kernels say that loaded for a type that they can't compute in.
_MISTYPED = re.compile("IsPrimitiveDataType|[Tt]ype mismatch|NOT_IMPLEMENTED|[Uu]nsupported .*type|"
                       "not supported .*type|[Dd]ata ?type")


def short(type_str):
    """"tensor(float)" as "float", others as they are."""
    return type_str[7:-1] if type_str.startswith("tensor(") else type_str


def _cover(combinations, free):
    """Disjoint products that make up exactly these combinations (tuples)."""
    if not free:
        return [{}]
    rests = {}
    for combination in combinations:
        rests.setdefault(combination[0], set()).add(combination[1:])
    groups = {}
    for value, rest in rests.items():
        groups.setdefault(frozenset(rest), []).append(value)
    return [{free[0]: sorted(values), **product}
            for rest, values in groups.items() for product in _cover(rest, free[1:])]


def products(good, may_be):
    """The working combinations of types as a list of products.

    As few as found. `may_be` tells which combinations a valid node can have: if
    the hull of the working ones has no others that are valid, it is the answer.
    """
    free = list(good[0])
    hull = {v: sorted({short(c[v]) for c in good}) for v in free}
    seen = {tuple(short(c[v]) for v in free) for c in good}
    if all(c in seen or c not in may_be for c in itertools.product(*hull.values())):
        return [hull]
    best = None
    for order in itertools.permutations(range(len(free))):
        found = _cover({tuple(c[i] for i in order) for c in seen}, [free[i] for i in order])
        if best is None or len(found) < len(best):
            best = found
    return sorted(best, key=lambda p: json.dumps(p, sort_keys=True))


def last_opsets(opsets):
    """{(domain, operator, since_version): the last opset that reads it so}, up to `opsets`."""
    versions = {}
    for schema in probe_models.schemas():
        versions.setdefault((schema.domain, schema.name), []).append(schema.since_version)
    return {(domain, name, v): min([later - 1 for later in found if later > v]
                                   + [max(v, opsets[domain])])
            for (domain, name), found in versions.items() for v in found}


class Prober:
    """Asks one runtime."""

    def __init__(self, runtime, log):
        self._runtime, self._log = runtime, log
        self._ir = None

    def _load(self, models):
        return self._runtime.run([probe_run.request(m) for m in models])

    def _try(self, models):
        """Loads and, where there are inputs to try, runs.

        A failing run counts only where a type is the reason: the sample's values may
        make no sense. So does a crash, unless loading alone is one."""
        models = list(models)
        answers = self._runtime.run([probe_run.request(m, probe_models.sample_inputs(m))
                                     for m in models])
        crashed = [i for i, a in enumerate(answers) if a[0] == "crash"]
        for i, answer in zip(crashed, self._load(models[i] for i in crashed)):
            answers[i] = answer
        return [("ok", "", None) if stage == "run" and not _MISTYPED.search(message)
                else (stage, message, outputs) for stage, message, outputs in answers]

    def ir_version(self):
        """The highest that loads."""
        versions = range(3, 31)
        answers = self._load(probe_models.identity_model("", 7, v) for v in versions)
        self._ir = max(v for v, a in zip(versions, answers) if a[0] == "ok")
        return self._ir

    def _fit(self, model):
        """Opsets are asked about even where the IR version of their time is too new."""
        model.ir_version = min(model.ir_version, self._ir)
        return model

    def accepted_opset(self, domain):
        """The highest whose import is accepted."""
        newest = max(s.since_version for s in probe_models.schemas() if s.domain == domain)
        versions = range(1, newest + 1)
        answers = self._load(self._fit(probe_models.identity_model(domain, v)) for v in versions)
        return max(v for v, a in zip(versions, answers) if a[0] == "ok")

    def functions(self):
        """Do model-local functions load and run?"""
        model = self._fit(probe_models.function_model())
        value = probe_attributes.floats(2)
        stage, _, outputs = self._runtime.run([probe_run.request(model, [value])])[0]
        return stage == "ok" and bool((outputs[0] == 2 * value).all())

    def kernels(self, opsets):
        """({operator: {version: products}}, unmeasured, crashes) up to these opsets."""
        asked = [(s, list(probe_models.combinations(s))) for s in probe_models.schemas()
                 if s.since_version <= opsets[s.domain]]
        answers = iter(self._try(self._fit(probe_models.sample_model(s, types))
                                 for s, combinations in asked for types in combinations))
        # Where a runtime has no kernel it may expand the operator's function, and
        # that may fail at a later opset of the model at which the operator is still
        # the same: both the first and the last must load.
        last = last_opsets(opsets)
        at_last = iter(self._load(
            self._fit(probe_models.sample_model(s, types, last[s.domain, s.name, s.since_version]))
            for s, combinations in asked for types in combinations
            if last[s.domain, s.name, s.since_version] != s.since_version))
        operators, unmeasured, crashes = {}, {}, {}
        for schema, combinations in asked:
            name = probe_models.qualified(schema.domain, schema.name)
            key = f"{name}-{schema.since_version}"
            good, crashed = [], []
            has_last = last[schema.domain, schema.name, schema.since_version] \
                != schema.since_version
            for types in combinations:
                stage, message, _ = next(answers)
                late = next(at_last)[0] if has_last else "ok"
                # Their sample's body may hold what only the later opset has.
                if schema.name in ("If", "Loop", "Scan") and has_last and late == "ok":
                    stage = "ok"
                if stage == "ok" and late != "ok":
                    if late == "crash":
                        crashed.append(types)
                elif stage == "ok":
                    good.append(types)
                elif stage == "crash":
                    crashed.append(types)
                elif stage == "load" and not _LACKING.search(message):
                    unmeasured.setdefault(key, f"{sorted(map(short, types.values()))}: "
                                          f"{probe_attributes.one_line(message)}")
            may_be = {tuple(map(short, c.values())) for c in combinations}
            if good:
                operators.setdefault(name, {})[schema.since_version] = products(good, may_be)
            if crashed:
                crashes[key] = products(crashed, may_be)
        return operators, unmeasured, crashes


def lost(operators, domain, version):
    """(operators that the runtime lacks since that opset changed them, how many it changed).

    Lacking is also: no longer for float.
    """
    def basic(kernels):
        return any("float" in types for p in kernels for types in p.values())

    found, changed = [], 0
    for schema in probe_models.schemas():
        if schema.domain != domain or schema.since_version != version or schema.deprecated:
            continue
        name = probe_models.qualified(domain, schema.name)
        older = [k for v, k in operators.get(name, {}).items() if v < version]
        now = operators.get(name, {}).get(version, [])
        changed += bool(older)
        if older and (not now or basic(older[-1]) and not basic(now)):
            found.append(name)
    return found, changed


def working_opset(operators, domain, accepted):
    """(the highest opset that works, {opset: operators lost}).

    Runtimes accept opsets for which they lack kernels. To lack a few rarely
    used ones is usual, and "operators" tells which; an opset doesn't work if
    more than a quarter of the operators that it changed is lost.
    """
    works, gaps = accepted, {}
    for version in range(accepted, 0, -1):
        missing, changed = lost(operators, domain, version)
        if missing:
            gaps[version] = missing
        if len(missing) * 4 > changed:
            works = version - 1
    return works, gaps


def profile(runtime, log=lambda text: None):
    """All that there is to know about the runtime, as JSON has it."""
    provenance = dict(runtime.describe(), probe=PROBE_VERSION)
    prober = Prober(runtime, log)
    ir_version = prober.ir_version()
    accepted = {d: prober.accepted_opset(d) for d in probe_models.DOMAINS}
    log(f"{provenance['runtime']} {provenance['version']}: IR {ir_version}, accepts {accepted}")
    operators, unmeasured, crashes = prober.kernels(accepted)
    opsets, gaps = {}, {}
    for domain, highest in accepted.items():
        name = domain or "ai.onnx"
        opsets[name], missing = working_opset(operators, domain, highest)
        gaps.update({f"{name}-{v}": names for v, names in missing.items()})
    log(f"opsets {opsets}, without {gaps}; {sum(map(len, operators.values()))} operator versions; "
        f"unmeasured {len(unmeasured)}, crashing {len(crashes)}")
    last = last_opsets({d: opsets[d or "ai.onnx"] for d in accepted})
    constraints, probes, unjudged = probe_attributes.probe(runtime, operators, ir_version,
                                                            last=last)
    log(f"{len(probes['passed'])} probes passed, {len(probes['failed'])} failed")
    unmeasured.update(unjudged)
    return {
        "schema": 1, "name": f"{provenance['runtime']}-{provenance['version']}",
        "provenance": provenance, "ir_version": ir_version, "opsets": opsets,
        "accepted_opsets": {d or "ai.onnx": v for d, v in accepted.items()},
        "lost_kernels": gaps, "functions": prober.functions(), "operators": operators,
        "constraints": constraints, "probes": probes, "crashes": crashes,
        "unmeasured": unmeasured}


def to_text(value, depth=0, name=""):
    """JSON that is easy to compare: an operator version, or a constraint, a line."""
    flat = json.dumps(value, sort_keys=True)
    opens = isinstance(value, dict) and depth < 2 or name in ("constraints", "passed", "failed") or \
        isinstance(value, dict) and depth == 2 and name == "operator"
    if not value or not opens:
        return flat
    inner, pad = [], "  " * (depth + 1)
    if isinstance(value, list):
        inner = [to_text(v, depth + 1) for v in value]
    else:
        numeric = all(str(k).isdigit() for k in value)
        for key in sorted(value, key=int if numeric else str):
            child = "operator" if name == "operators" else str(key)
            inner.append(f"{json.dumps(str(key))}: {to_text(value[key], depth + 1, child)}")
    brackets = "{}" if isinstance(value, dict) else "[]"
    return (brackets[0] + "\n" + ",\n".join(pad + line for line in inner) + "\n" +
            "  " * depth + brackets[1])


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=sys.executable, help="the Python that has the runtime")
    parser.add_argument("--runtime", default="onnxruntime", help="the name of its adapter")
    parser.add_argument("-o", "--output", help="the file to write; standard output if not given")
    options = parser.parse_args(arguments)
    runtime = probe_run.Runtime(options.python, options.runtime)
    text = to_text(profile(runtime, lambda line: print(line, file=sys.stderr))) + "\n"
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
