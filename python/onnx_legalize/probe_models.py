# SPDX-License-Identifier: Apache-2.0
"""One-node models of every operator version and every combination of types.

Most operators take what the schema alone tells: their required inputs, of
shape [2, 3]. _SHAPES and _ATTRIBUTES say what the others need.
"""

import itertools

import numpy as np
import onnx
from onnx import TensorProto, helper, parser

DOMAINS = ("", "ai.onnx.ml")

# The shapes of the inputs in order: "1,3" a shape, "s" a scalar, "." nothing
# (the input is left out). "+" in front: it is given although the schema neither
# requires it nor has another input of its type variable. More than one text:
# each from the version in front of it on.
_SHAPES = {
    "AffineGrid": "1,2,3 4", "Attention": "1,2,4,8 1,2,4,8 1,2,4,8 4,4",
    "AveragePool": "1,1,4,4", "BatchNormalization": "1,2,4,4 2 2 2 2",
    "BlackmanWindow": "s", "HammingWindow": "s", "HannWindow": "s",
    "CausalConvWithState": "1,2,4 2,1,3", "CenterCropPad": "4,4 2", "Clip": "2,3 s s",
    "Col2Im": "1,4,4 2 2", "Compress": "2,3 2", "ConcatFromSequence": "2,3",
    "ConstantOfShape": "2", "Conv": "1,1,4,4 1,1,3,3", "ConvInteger": "1,1,4,4 1,1,3,3",
    "ConvTranspose": "1,1,4,4 1,1,3,3", "CumProd": "2,3 s", "CumSum": "2,3 s",
    "DFT": "1,4,1 s s", "DeformConv": "1,1,4,4 1,1,3,3 1,18,2,2", "DepthToSpace": "1,4,2,2",
    "DequantizeLinear": "2,3 s s", "Det": "2,2", "Dropout": "2,3 s s", "Einsum": "2,3 3,4",
    "Expand": "2,3 2", "GRU": "2,1,3 1,6,3 1,6,2 6 1", "LSTM": "2,1,3 1,8,3 1,8,2 8 1",
    "RNN": "2,1,3 1,2,3 1,2,2 2 1", "Gather": "2,3 2", "GatherND": "2,3 2,1",
    "Gemm": "2,3 3,4 4", "MatMul": "2,3 3,4", "GlobalAveragePool": "1,1,4,4",
    "GlobalLpPool": "1,1,4,4", "GlobalMaxPool": "1,1,4,4", "GridSample": "1,1,4,4 1,2,2,2",
    "GroupNormalization": "1,4,2 4 4", "ImageDecoder": "8", "InstanceNormalization": "1,2,4 2 2",
    "LRN": "1,2,4,4", "LayerNormalization": "2,3 3", "RMSNormalization": "2,3 3",
    "LinearAttention": "1,2,4 1,2,4 1,2,4 1,1,4,4", "Loop": "s s 2,3", "If": "s",
    "LpPool": "1,1,4,4", "MatMulInteger": "2,3 3,4", "MaxPool": "1,1,4,4",
    "MaxRoiPool": "1,1,4,4 1,5", "MaxUnpool": "1,1,2,2 1,1,2,2", "MeanVarianceNormalization":
    "1,2,4,4", "MelWeightMatrix": "s s s s s", "NegativeLogLikelihoodLoss": "2,3 2",
    "NonMaxSuppression": "1,4,4 1,1,4", "OneHot": "2 s 2", "Pad": "2,3 4 s 2",
    "QLinearConv": "1,1,4,4 s s 1,1,3,3 s s s s", "QLinearMatMul": "2,3 s s 3,4 s s s s",
    "QuantizeLinear": "2,3 s s", "Range": "s s s", "Reshape": "2,3 1",
    "Resize": {10: "1,1,4,4 4", 11: "1,1,4,4 8 +4"}, "ReverseSequence": "4,2 2",
    "RoiAlign": "1,1,4,4 1,4 1", "RotaryEmbedding": "1,2,3,4 8,2 8,2 1,3",
    "STFT": "1,16,1 s 4 +s", "Scan": {8: "1 1,4,3", 9: "4,3"},
    "Scatter": "2,3 2,3 2,3", "ScatterND": "4 2,1 2", "SequenceAt": "2 s",
    "SequenceErase": "2 s", "Slice": "2,3 2 2 2", "SoftmaxCrossEntropyLoss": "2,3 2",
    "SpaceToDepth": "1,1,4,4", "Split": {1: "2,3", 2: "2,3"}, "SplitToSequence": "2,3 s",
    "Squeeze": "1,3 1", "StringNormalizer": "2", "StringSplit": "2",
    "TensorScatter": "1,4,2 1,2,2 1", "TfIdfVectorizer": "4", "Tile": {1: "2,3 s s", 6: "2,3 2"},
    "TopK": "2,3 1", "Trilu": "2,3 s", "Unsqueeze": "2,3 1", "Upsample": "1,1,4,4 4",
    "ArrayFeatureExtractor": "2,3 1", "SVMClassifier": "2,3", "Multinomial": "2,3",
    "SequenceMap": "2,3 2,3", "SequenceInsert": "2,3 2,3 s", "Where": "2,3 2,3 2,3",
}

_TREES = dict(
    nodes_treeids=[0, 0, 0], nodes_nodeids=[0, 1, 2], nodes_featureids=[0, 0, 0],
    nodes_values=[0.5, 0.0, 0.0], nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"],
    nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0],
    nodes_missing_value_tracks_true=[0, 0, 0], nodes_hitrates=[1.0, 1.0, 1.0])
_POOL = dict(kernel_shape=[2, 2])


def element_type(type_str):
    """TensorProto's number for "tensor(float)" or "float"."""
    name = type_str[7:-1] if type_str.startswith("tensor(") else type_str
    return TensorProto.DataType.Value(name.upper())


def type_proto(type_str, shape=None):
    """The TypeProto of "seq(tensor(float))" and the like."""
    kind, _, inner = type_str.rstrip(")").partition("(")
    if kind == "tensor":
        return helper.make_tensor_type_proto(element_type(inner), shape)
    inner = type_str[len(kind) + 1:-1]
    if kind == "seq":
        return helper.make_sequence_type_proto(type_proto(inner))
    if kind == "optional":
        return helper.make_optional_type_proto(type_proto(inner))
    key, value = inner.split(", ")
    return helper.make_map_type_proto(
        element_type(key), type_proto(value if "(" in value else f"tensor({value})"))


def _one(type_str, count=1):
    """A tensor of that type with one zero element."""
    tensor = TensorProto(data_type=element_type(type_str), dims=[count], name="value")
    if type_str == "tensor(string)":
        tensor.string_data.extend([b"a"] * count)
    else:
        tensor.raw_data = bytes(helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize * count)
    return tensor


def _labels(type_str, ints="classlabels_ints"):
    if type_str == "tensor(string)":
        return {"classlabels_strings": ["a", "b"]}
    return {ints: [0, 1]}


def _label_encoder(version, t):
    if version == 1:
        return {"classes_strings": ["a", "b"]}
    attributes = {}
    for key, type_str in (("keys", t["T1"]), ("values", t["T2"])):
        suffix = {"tensor(string)": "strings", "tensor(int64)": "int64s",
                  "tensor(float)": "floats"}.get(type_str)
        if suffix:
            attributes[f"{key}_{suffix}"] = ["a"] if suffix == "strings" else [1]
            if suffix == "floats":
                attributes[f"{key}_{suffix}"] = [1.0]
        else:
            attributes[f"{key}_tensor"] = _one(type_str)
            if key == "values":
                attributes["default_tensor"] = _one(type_str)
    return attributes


def _tree_ensemble(t):
    element = element_type(t["T"])
    return dict(
        n_targets=1, tree_roots=[0], nodes_modes=helper.make_tensor("m", TensorProto.UINT8, [1], [0]),
        nodes_featureids=[0], nodes_truenodeids=[0], nodes_falsenodeids=[1], nodes_trueleafs=[1],
        nodes_falseleafs=[1], nodes_splits=helper.make_tensor("s", element, [1], [0.5]),
        leaf_targetids=[0, 0], leaf_weights=helper.make_tensor("w", element, [2], [1.0, 2.0]))


def _svm(t=None):
    labels = _labels(t["T2"]) if t else {}
    attributes = dict(kernel_type="LINEAR", kernel_params=[1.0, 0.0, 3.0],
                      coefficients=[1.0, 1.0, 1.0], rho=[0.0], **labels)
    if t:
        attributes.update(vectors_per_class=[1, 1], support_vectors=[1.0] * 6,
                          coefficients=[1.0, 1.0])
    return attributes


def _body(op, version, t):
    """Identity of that type as the body of If, Loop, Scan or SequenceMap."""
    if op == "SequenceMap":
        t = {"S": t["S"][4:-1], "V": t["V"][4:-1] if t["V"].startswith("seq") else t["V"]}
        inputs, outputs = [("s", t["S"]), ("v", t["V"])], [("s_", t["S"])]
    elif op == "If":
        inputs, outputs = [], [("v_", t["V"])]
    elif op == "Loop":
        inputs = [("i", "tensor(int64)"), ("c", "tensor(bool)"), ("v", t["V"])]
        outputs = [("c_", "tensor(bool)"), ("v_", t["V"])]
    else:
        inputs, outputs = [("v", t["V"])], [("v_", t["V"])]
    shape = {"i": [], "c": [], "c_": []}
    return helper.make_graph(
        [helper.make_node("Identity", ["x2" if op == "If" else name[:-1]], [name])
         for name, _ in outputs], "body",
        [helper.make_value_info(n, type_proto(s, shape.get(n))) for n, s in inputs],
        [helper.make_value_info(n, type_proto(s, shape.get(n))) for n, s in outputs])


# The attributes without which the node is invalid, by (version, types).
_ATTRIBUTES = {
    "AveragePool": lambda v, t: _POOL, "MaxPool": lambda v, t: _POOL,
    "LpPool": lambda v, t: _POOL, "MaxUnpool": lambda v, t: dict(_POOL, strides=[2, 2]),
    "BatchNormalization": lambda v, t: {"consumed_inputs": [0, 0, 0, 1, 1]} if v < 6 else {},
    "Bernoulli": lambda v, t: {"dtype": element_type(t["T2"])},
    "BitCast": lambda v, t: {"to": element_type(t["T2"])},
    "BitShift": lambda v, t: {"direction": "LEFT"},
    "BlackmanWindow": lambda v, t: {"output_datatype": element_type(t["T2"])},
    "HammingWindow": lambda v, t: {"output_datatype": element_type(t["T2"])},
    "HannWindow": lambda v, t: {"output_datatype": element_type(t["T2"])},
    "Cast": lambda v, t: {"to": element_type(t["T2"]) if v > 1 else t["T2"][7:-1].upper()},
    "Concat": lambda v, t: {"axis": 0}, "ConcatFromSequence": lambda v, t: {"axis": 0},
    "Constant": lambda v, t: {"value": _one(t["T"])},
    "ConstantOfShape": lambda v, t: {"value": _one(t["T2"])},
    "DepthToSpace": lambda v, t: {"blocksize": 2}, "SpaceToDepth": lambda v, t: {"blocksize": 2},
    "DequantizeLinear": lambda v, t: {"output_dtype": element_type(t["T3"])} if v >= 23 else {},
    "Einsum": lambda v, t: {"equation": "ij,jk->ik"},
    "EyeLike": lambda v, t: {"dtype": element_type(t["T2"])},
    "GRU": lambda v, t: {"hidden_size": 2}, "LSTM": lambda v, t: {"hidden_size": 2},
    "RNN": lambda v, t: {"hidden_size": 2},
    "GroupNormalization": lambda v, t: {"num_groups": 4},
    "If": lambda v, t: {"then_branch": _body("If", v, t), "else_branch": _body("If", v, t)},
    "Loop": lambda v, t: {"body": _body("Loop", v, t)},
    "Scan": lambda v, t: {"body": _body("Scan", v, t), "num_scan_inputs": 1},
    "SequenceMap": lambda v, t: {"body": _body("SequenceMap", v, t)},
    "LRN": lambda v, t: {"size": 1},
    "LinearAttention": lambda v, t: {"q_num_heads": 1, "kv_num_heads": 1, "update_rule": "linear"},
    "MaxRoiPool": lambda v, t: {"pooled_shape": [2, 2]},
    "MelWeightMatrix": lambda v, t: {"output_datatype": element_type(t["T3"])},
    "Mod": lambda v, t: {"fmod": 1 if any(f in t["T"] for f in ("float", "double")) else 0},
    "Multinomial": lambda v, t: {"dtype": element_type(t["T2"])},
    "Pad": lambda v, t: {"paddings" if v < 2 else "pads": [0, 0, 0, 1]} if v < 11 else {},
    "RandomNormal": lambda v, t: {"shape": [2], "dtype": element_type(t["T"])},
    "RandomUniform": lambda v, t: {"shape": [2], "dtype": element_type(t["T"])},
    "RandomNormalLike": lambda v, t: {"dtype": element_type(t["T2"])},
    "RandomUniformLike": lambda v, t: {"dtype": element_type(t["T2"])},
    "RegexFullMatch": lambda v, t: {"pattern": "a.*"},
    "Reshape": lambda v, t: {"shape": [6]} if v < 5 else {},
    "SequenceEmpty": lambda v, t: {"dtype": element_type(t["S"][4:-1])},
    "Slice": lambda v, t: {"starts": [0], "ends": [1]} if v < 10 else {},
    "Split": lambda v, t: {"num_outputs": 2} if v >= 18 else {"split": [1, 1]} if v < 2 else {},
    "Squeeze": lambda v, t: {"axes": [0]} if v < 13 else {},
    "Unsqueeze": lambda v, t: {"axes": [0]} if v < 13 else {},
    "TfIdfVectorizer": lambda v, t: dict(
        mode="TF", ngram_counts=[0], ngram_indexes=[0], min_gram_length=1, max_gram_length=1,
        max_skip_count=0, **({"pool_strings": ["a"]} if "string" in t["T"] else
                             {"pool_int64s": [1]})),
    "TopK": lambda v, t: {"k": 1} if v < 10 else {},
    "Upsample": lambda v, t: {"width_scale": 2.0, "height_scale": 2.0} if v < 7 else
                {"scales": [1.0, 1.0, 2.0, 2.0]} if v < 9 else {},
    "CastMap": lambda v, t: {"cast_to": "TO_" + t["T2"][7:-1].upper()},
    "CategoryMapper": lambda v, t: {"cats_strings": ["a"], "cats_int64s": [1]},
    "DictVectorizer": lambda v, t: {"string_vocabulary": ["a"]} if "(string" in t["T1"] else
                      {"int64_vocabulary": [1]},
    "FeatureVectorizer": lambda v, t: {"inputdimensions": [3]},
    "Imputer": lambda v, t: {"imputed_value_int64s": [1], "replaced_value_int64": 0}
               if "int" in t["T"] else {"imputed_value_floats": [1.0]},
    "LabelEncoder": _label_encoder,
    "LinearClassifier": lambda v, t: dict(
        coefficients=[1.0] * 6, intercepts=[0.0, 0.0], **_labels(t["T2"])),
    "LinearRegressor": lambda v, t: dict(coefficients=[1.0] * 3, targets=1),
    # Written out: where it isn't, ONNX Runtime 1.8.1 crashes (a probe of its own).
    "NegativeLogLikelihoodLoss": lambda v, t: {"reduction": "mean"},
    "SoftmaxCrossEntropyLoss": lambda v, t: {"reduction": "mean"},
    "Normalizer": lambda v, t: {"norm": "L2"},
    "OneHotEncoder": lambda v, t: {"cats_strings": ["a"]} if "string" in t["T"] else
                     {"cats_int64s": [1]},
    "SVMClassifier": lambda v, t: _svm(t), "SVMRegressor": lambda v, t: dict(
        _svm(), support_vectors=[1.0] * 3, n_supports=1, coefficients=[1.0]),
    "Scaler": lambda v, t: {"offset": [0.0], "scale": [1.0]},
    "TreeEnsemble": lambda v, t: _tree_ensemble(t),
    "TreeEnsembleClassifier": lambda v, t: dict(
        _TREES, class_treeids=[0, 0], class_nodeids=[1, 2], class_ids=[0, 1],
        class_weights=[1.0, 1.0], **_labels(t["T2"], "classlabels_int64s")),
    "TreeEnsembleRegressor": lambda v, t: dict(
        _TREES, n_targets=1, target_treeids=[0, 0], target_nodeids=[1, 2], target_ids=[0, 0],
        target_weights=[1.0, 2.0]),
    "ZipMap": lambda v, t: {"classlabels_strings": ["a", "b", "c"]} if "(string" in t["T"] else
              {"classlabels_int64s": [0, 1, 2]},
}

# How the type variables of a valid node depend on each other.
_CONSISTENT = {
    "SequenceAt": lambda t: t["S"] == f"seq({t['T']})",
    "SequenceInsert": lambda t: t["S"] == f"seq({t['T']})",
    "SequenceConstruct": lambda t: t["S"] == f"seq({t['T']})",
    "SplitToSequence": lambda t: t["S"] == f"seq({t['T']})",
    "ConcatFromSequence": lambda t: t["S"] == f"seq({t['T']})",
    "Optional": lambda t: t["O"] == f"optional({t['V']})",
    "OptionalGetElement": lambda t: t["O"] in (f"optional({t['V']})", t["V"]),
}


def qualified(domain, op):
    """"Add", "ai.onnx.ml:LabelEncoder"."""
    return f"{domain}:{op}" if domain else op


def schemas():
    """All, oldest first; of the two domains."""
    found = [s for s in onnx.defs.get_all_schemas_with_history() if s.domain in DOMAINS]
    return sorted(found, key=lambda s: (s.domain, s.name, s.since_version))


def variables(schema):
    """{type variable: what it may be}, of those that some input or output has."""
    used = {p.type_str for p in (*schema.inputs, *schema.outputs)}
    return {c.type_param_str: sorted(c.allowed_type_strs) for c in schema.type_constraints
            if c.type_param_str in used}


def combinations(schema):
    """Each assignment of types to the type variables that a valid node can have."""
    free = variables(schema)
    consistent = _CONSISTENT.get(schema.name, lambda types: True)
    for combination in itertools.product(*free.values()):
        types = dict(zip(free, combination))
        if consistent(types):
            yield types


def is_consistent(schema, types):
    return _CONSISTENT.get(schema.name, lambda types: True)(types)


def _shapes(schema):
    """[(shape or None for none known, given anyway?)] of the inputs, as far as known."""
    text = _SHAPES.get(schema.name, "")
    if isinstance(text, dict):
        text = text.get(max((v for v in text if v <= schema.since_version), default=None), "")
    shapes = []
    for word in text.split():
        dims = word.lstrip("+")
        shapes.append(([int(d) for d in dims.split(",")] if dims[0].isdigit() else [],
                       word[0] == "+"))
    return shapes


def _is(parameter, *options):
    return parameter.option in [getattr(onnx.defs.OpSchema.FormalParameterOption, o)
                                for o in options]


def sample_model(schema, types, opset=None):
    """A model with one node of that operator version and these types.

    `opset` is what it imports, the version itself if none is given."""
    shapes = _shapes(schema)
    covered, node_inputs, graph_inputs = set(), [], []
    copies = 1 if schema.name in ("Loop", "Scan", "If", "SequenceMap", "FeatureVectorizer") else 2
    for i, parameter in enumerate(schema.inputs):
        shape, forced = shapes[i] if i < len(shapes) else ([2, 3], False)
        variable = parameter.type_str
        needed = forced or not _is(parameter, "Optional") or (
            variable in types and variable not in covered and
            not any(p.type_str == variable for p in schema.inputs[i + 1:]
                    if not _is(p, "Optional")))
        if schema.name == "Dropout" and i == 2 and schema.since_version >= 12:
            needed = True
        if schema.name == "Clip":  # Its function without bounds is an Identity.
            needed = True
        if not needed:
            node_inputs.append("")
            continue
        covered.add(variable)
        count = max(schema.min_input - i, copies) if _is(parameter, "Variadic") else 1
        for copy in range(count):
            name = f"x{i}" + ("_" * copy)
            node_inputs.append(name)
            graph_inputs.append(helper.make_value_info(
                name, type_proto(types.get(variable, variable), shape)))
    outputs = []
    for i, parameter in enumerate(schema.outputs):
        variable = parameter.type_str
        optional = _is(parameter, "Optional") and not (i == 0 or variable not in covered)
        if optional:
            continue
        covered.add(variable)
        count = 2 if _is(parameter, "Variadic") and schema.name == "Split" else 1
        while len(outputs) < i:
            outputs.append(None)
        outputs += [(f"y{i}" + "_" * copy, types.get(variable, variable)) for copy in range(count)]
    while node_inputs and not node_inputs[-1]:
        node_inputs.pop()
    if schema.name == "If":
        graph_inputs.append(helper.make_value_info("x2", type_proto(types["V"], [2, 3])))
    attributes = _ATTRIBUTES.get(schema.name, lambda v, t: {})(schema.since_version, types)
    node = helper.make_node(schema.name, node_inputs, [o[0] if o else "" for o in outputs],
                            name="n", domain=schema.domain, **attributes)
    graph = helper.make_graph(
        [node], "g", graph_inputs,
        [helper.make_value_info(o[0], type_proto(o[1])) for o in outputs if o])
    return make_model(graph, schema.domain, opset or schema.since_version)


def sample_inputs(model):
    """Ones for the inputs of a sample; None where NumPy or old runtimes have no such type."""
    values = []
    for info in model.graph.input:
        tensor = info.type.tensor_type
        if not info.type.HasField("tensor_type") or not tensor.HasField("shape"):
            return None
        dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        if tensor.elem_type > TensorProto.UINT64 or dtype.kind not in "biufO":
            return None
        shape = [d.dim_value for d in tensor.shape.dim]
        values.append(np.full(shape, "1", dtype) if dtype.kind == "O" else np.ones(shape, dtype))
    return values


def make_model(graph, domain, version, ir_version=None):
    """`graph` as a model of that one opset, of the oldest IR version that fits."""
    opset = helper.make_opsetid(domain, version)
    if ir_version is None:
        try:
            ir_version = max(3, helper.find_min_ir_version_for([opset]))
        except ValueError:  # Opsets 2 to 4, and those that aren't released.
            ir_version = 3 if version < 8 else onnx.IR_VERSION
    return helper.make_model(graph, opset_imports=[opset], ir_version=ir_version)


def identity_model(domain, version, ir_version=None):
    """The least model of an opset: is it accepted at all?"""
    if domain:
        text = "g (float[2,3] x) => (float[2,3] y) { y = ai.onnx.ml.Normalizer(x) }"
    else:
        text = "g (float[2,3] x) => (float[2,3] y) { y = Tanh(x) }"
    return make_model(parser.parse_graph(text), domain, version, ir_version=ir_version)


def function_model():
    """One with a model-local function."""
    return parser.parse_model("""<ir_version: 8, opset_import: ["": 15, "local": 1]>
        g (float[2] x) => (float[2] y) { y = local.twice(x) }
        <opset_import: ["": 15], domain: "local"> twice (a) => (b) { b = Add(a, a) }""")
