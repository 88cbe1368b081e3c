# SPDX-License-Identifier: Apache-2.0
"""Tries the probes of probe_table on a runtime: what is refused, what is wrong.

A probe is one node with its attributes and inputs. What the runtime gives is
compared with what onnx's reference evaluator gives, or with what the table
says where that is known to be wrong or lacks the operator.
"""

import itertools
import re
import warnings

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from onnx_legalize import probe_models, probe_run

_REPEATS = 8
_SEVERITY = ("refused", "wrong", "crash")


def floats(*shape, dtype=np.float32):
    """Reproducible values of both signs, mostly distinct, exact in float16."""
    return ((np.arange(np.prod(shape, dtype=int)) * 37 % 97 - 48) / 16).reshape(shape).astype(dtype)


def ints(*shape, dtype=np.int64, low=-5, high=6):
    count = np.prod(shape, dtype=int)
    return (np.arange(count) * 7 % (high - low) + low).reshape(shape).astype(dtype)


class Probe:
    """One line of the table.

    Args:
      name: of the kind of failure; unique.
      operator: "Conv", or "ai.onnx.ml:LabelEncoder".
      inputs: NumPy arrays, lists of them (a sequence), or None (not given).
      attributes: of the node.
      when: which nodes the outcome stands for (see profile_schema.json); the
        attributes as they are, if not given.
      constants: the numbers of the inputs that are initializers.
      outputs: how many, or which ones (False: not used).
      since, until: the first and last operator version to try, of those
        that have these attributes and take these inputs.
      expect: the outputs, or a function from the inputs to them, where the
        reference evaluator is no help.
      shapes_only: the values are random.
      unsettled: a runtime that is wrong here gives what its memory held, and may
        seem right: it is asked several times, and wrong at one version is wrong at all.
      producer: (number of an input, operator, attributes) of a node before it,
        which gets that input in its stead: runtimes join some pairs.
    """

    def __init__(self, name, operator, inputs, attributes=None, when=None, constants=(), outputs=1,
                 since=1, until=1000, expect=None, shapes_only=False, producer=None, unsettled=False):
        self.producer, self.unsettled = producer, unsettled
        self.name, self.inputs, self.attributes = name, list(inputs), attributes or {}
        self.domain, _, self.op = operator.rpartition(":")
        self.operator = operator
        self.when = self.attributes if when is None else when
        self.constants, self.expect, self.shapes_only = constants, expect, shapes_only
        self.outputs = [True] * outputs if isinstance(outputs, int) else outputs
        self.since, self.until = since, until

    def schemas(self):
        """The operator versions that this node is valid for."""
        return [s for s in probe_models.schemas()
                if (s.domain, s.name) == (self.domain, self.op) and self._fits(s)]

    def _fits(self, schema):
        if not self.since <= schema.since_version <= self.until:
            return False
        if not set(self.attributes) <= set(schema.attributes):
            return False
        if not schema.min_input <= len(self.inputs) <= schema.max_input:
            return False
        if not schema.min_output <= len(self.outputs) <= schema.max_output:
            return False
        if any(a.required and n not in self.attributes for n, a in schema.attributes.items()):
            return False
        allowed = probe_models.variables(schema)
        return all(type_str in allowed.get(parameter, [parameter])
                   for parameter, type_str in self._typed(schema))

    def _typed(self, schema):
        """[(type variable or type, this probe's type)] of the inputs."""
        last = len(schema.inputs) - 1
        return [(schema.inputs[min(i, last)].type_str, type_of(value))
                for i, value in enumerate(self.inputs) if value is not None]

    def has_kernel(self, schema, operators):
        """Is there a kernel for these types, as far as the inputs tell them?"""
        kernels = operators.get(self.operator, {}).get(schema.since_version, [])
        typed = [(v, t[7:-1] if t.startswith("tensor(") else t) for v, t in self._typed(schema)]
        loose = any(p.option == onnx.defs.OpSchema.FormalParameterOption.Variadic and
                    not p.is_homogeneous for p in schema.inputs)
        return any(loose or all(t in k.get(v, [t]) for v, t in typed) for k in kernels)

    def model(self, opset, ir_version=None, declared=()):
        """The node with its inputs as graph inputs or initializers.

        `declared` are the outputs, whose types the graph then declares."""
        names = ["" if v is None else f"x{i}" for i, v in enumerate(self.inputs)]
        outputs = [f"y{i}" if used else "" for i, used in enumerate(self.outputs)]
        node = helper.make_node(self.op, names, outputs, name="n", domain=self.domain,
                                **self.attributes)
        declared = [helper.make_value_info(o, value_type(np.asarray(v)))
                    for o, v in zip(filter(None, outputs), declared)]
        nodes = [node]
        if self.producer:
            number, op, attributes = self.producer
            node.input[number] = "between"
            nodes.insert(0, helper.make_node(op, [names[number]], ["between"], **attributes))
        graph = helper.make_graph(
            nodes, "g",
            [helper.make_value_info(n, value_type(v)) for n, v in zip(names, self.inputs) if n],
            declared or [onnx.ValueInfoProto(name=o) for o in outputs if o],
            [numpy_helper.from_array(self.inputs[i], names[i]) for i in self.constants])
        model = probe_models.make_model(graph, self.domain, opset, ir_version)
        if model.ir_version >= 4:
            for i in self.constants:
                model.graph.input.remove(next(x for x in model.graph.input if x.name == names[i]))
        return model

    def fed(self):
        """The values of the graph inputs."""
        return [v for i, v in enumerate(self.inputs) if v is not None and i not in self.constants]

    def expected(self, version):
        """The outputs as they should be."""
        if callable(self.expect):
            return as_list(self.expect(*self.inputs))
        if self.expect is not None:
            return as_list(self.expect)
        failures = []
        for later in [version] + [s.since_version for s in self.schemas()
                                  if s.since_version > version]:
            try:
                return self._referred(later)
            except Exception as error:  # pylint: disable=broad-except
                failures.append(error)  # It doesn't know all old versions.
        raise failures[0]

    def _referred(self, version):
        """What the reference evaluator gives for that version."""
        model = self.model(version)
        initializers = {t.name for t in model.graph.initializer}
        names = [i.name for i in model.graph.input if i.name not in initializers]
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return ReferenceEvaluator(model).run(None, dict(zip(names, self.fed())))


def as_list(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def type_of(value):
    """"tensor(float)", "seq(tensor(int64))"."""
    if isinstance(value, list):
        return f"seq({type_of(value[0])})"
    if isinstance(value, dict):
        key, item = next(iter(value.items()))
        return f"map({_scalar(key)}, {_scalar(item)})"
    if value.dtype.kind in "OSU":
        return "tensor(string)"
    return f"tensor({onnx.TensorProto.DataType.Name(helper.np_dtype_to_tensor_dtype(value.dtype)).lower()})"


def _scalar(value):
    return {str: "string", int: "int64", float: "float"}[type(value)]


def value_type(value):
    shape = None if isinstance(value, (list, dict)) else value.shape
    return probe_models.type_proto(type_of(value), shape)


def one_line(message):
    """A message without what differs from machine to machine, and not too long."""
    message = re.sub(r"\[ONNXRuntimeError\] : |0x[0-9a-f]+|(/[\w.+-]+)+/(?=[\w.]+:\d)", "", message)
    message = " ".join(message.split())
    return message if len(message) <= 200 else "..." + message[-197:]  # The reason comes last.


def same(got, want, shapes_only=False):
    """Equal, up to the rounding of its type."""
    if isinstance(want, (list, tuple)):
        return isinstance(got, list) and len(got) == len(want) and \
            all(same(g, w, shapes_only) for g, w in zip(got, want))
    if want is None or isinstance(want, dict) or got is None:
        return got == want
    want = np.asarray(want)
    if got.shape != want.shape:
        return False
    if want.dtype.kind in "OSUT":
        return shapes_only or bool((got.astype(str) == want.astype(str)).all())
    if got.dtype != want.dtype:
        return False
    if shapes_only or got.size == 0:
        return True
    if got.dtype.kind in "fc":
        tolerance = 5e-3 if got.dtype == np.float16 else 1e-3
        with np.errstate(all="ignore"):
            return bool(np.allclose(got, want, rtol=tolerance, atol=tolerance / 10, equal_nan=True))
    return bool((got == want).all())


def difference(got, want):
    """In a few words, where they differ first."""
    for number, (g, w) in enumerate(zip(got, want)):
        if same(g, w):
            continue
        if isinstance(g, np.ndarray) and isinstance(w, (np.ndarray, np.generic)):
            w = np.asarray(w)
            if g.shape != w.shape or g.dtype.kind != w.dtype.kind:
                return f"output {number} is {g.dtype.name}{list(g.shape)}, " \
                       f"not {w.dtype.name}{list(w.shape)}"
            where = np.flatnonzero(~(np.isclose(g, w, 1e-3, 1e-4, equal_nan=True)
                                     if g.dtype.kind in "fc" else g == w))
            if where.size:
                return f"output {number}[{where[0]}] is {g.ravel()[where[0]]}, " \
                       f"not {w.ravel()[where[0]]}"
        return f"output {number} is another"
    return f"{len(got)} outputs, not {len(want)}"


def outcome(answer, want, shapes_only):
    """(result, message) of one answer; ("", "") if it's right."""
    stage, message, outputs = answer
    if stage == "crash":
        return "crash", message
    if stage != "ok":
        return "refused", one_line(message)
    if want is None or same(outputs, want, shapes_only):
        return "", ""
    return "wrong", difference(outputs, want)


def probe(runtime, operators, ir_version, table=None, last=None):
    """(constraints, {"passed": names, "failed": names}, what the reference can't judge).

    `last`: {(domain, operator, since_version): the last opset to try it at}."""
    if table is None:
        # They need what is defined here; the second adds to the first.
        from onnx_legalize import probe_table, probe_table_values  # noqa: F401
        table = probe_table.PROBES
    tried, unjudged = [], {}
    for entry in table:
        for schema in entry.schemas():
            if entry.has_kernel(schema, operators):
                tried.append((entry, schema.since_version))
    requests, wanted = [], []
    for entry, version in tried:
        try:
            want = entry.expected(version)
        except Exception as error:  # pylint: disable=broad-except
            unjudged[f"{entry.operator}-{version} {entry.name}"] = \
                f"reference evaluator: {type(error).__name__}: {one_line(str(error))}"
            want = None
        wanted.append(want)
        # As it may stand within a model, and as one whose outputs are its own; at the
        # first opset that reads it so, and at the last.
        plain = entry.op != "Optional" and all(
            isinstance(v, (np.ndarray, np.generic)) for v in want or ())
        late = (last or {}).get((entry.domain, entry.op, version), version)
        for opset, declared, optimize in ((version, (), False),
                                          (late, want if want and plain else (), True)):
            ir = min(entry.model(opset).ir_version, ir_version)
            one = probe_run.request(entry.model(opset, ir, declared), entry.fed(), optimize)
            requests.append([one] * (_REPEATS if entry.unsettled else 1))
    flat = iter(runtime.run([one for same in requests for one in same]))
    answers = [[next(flat) for _ in same] for same in requests]
    found, names = {}, {"passed": set(), "failed": set()}
    for number, ((entry, version), want) in enumerate(zip(tried, wanted)):
        first, second = answers[2 * number:2 * number + 2]
        if f"Could not find an implementation for {entry.op}({version})" in first[0][1]:
            continue  # No kernel for a type that only the output has.
        result, message = max(
            (outcome(a, want, entry.shapes_only) for a in first + second),
            key=lambda r: _SEVERITY.index(r[0]) if r[0] else -1)
        names["failed" if result else "passed"].add(entry.name)
        if result:
            constraint = found.setdefault((entry.name, result), {
                "name": entry.name, "operator": entry.operator, "versions": [],
                "when": entry.when, "result": result, "message": message})
            constraint["versions"].append(version)
            if entry.unsettled:
                constraint["versions"] = [v for e, v in tried if e is entry]
    names["passed"] -= names["failed"]
    constraints = sorted(found.values(), key=lambda c: (c["operator"], c["name"], c["result"]))
    return constraints, {k: sorted(v) for k, v in names.items()}, unjudged


def duplicates(table):
    """Names that stand twice."""
    names = sorted(p.name for p in table)
    return sorted({a for a, b in itertools.pairwise(names) if a == b})
