# SPDX-License-Identifier: Apache-2.0
"""Small models, each for one thing that the CLI tests need."""

LEGAL = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 4] x) => (float[N, 4] y) { y = Relu(x) }
"""

TRILU = """
<ir_version: 8, opset_import: ["" : 17]>
g (bool[N, 4] data) => (bool[N, 4] y) { y = Trilu(data) }
"""

# No runtime has a Trilu of strings: it stays illegal.
STRING_TRILU = """
<ir_version: 8, opset_import: ["" : 17]>
g (string[N, 4] data) => (string[N, 4] y) { y = Trilu(data) }
"""

AUTO_PAD = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 2, H, W] data, float[3, 2, 2, 2] w) => (float[N, 3, H, W] y) {
  y = Conv <auto_pad = "SAME_UPPER"> (data, w)
}
"""

MIXED_CONCAT = """
<ir_version: 8, opset_import: ["" : 17]>
g (int32[1] a, int64[1] b) => (int64[2] y) { y = Concat <axis = 0> (a, b) }
"""

SIZE_INPUT = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 4] data, int32 "data:size0") => (float[N, 4] y) {
  y = Relu(data)
}
"""

DEAD_NODE = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 4] x) => (float[N, 4] y) {
  dead = Abs(x)
  y = Relu(x)
}
"""

SUBGRAPH_AND_FUNCTION = """
<ir_version: 8, opset_import: ["" : 17, "local" : 1]>
g (bool[N, 4] data, bool c) => (bool[N, 4] y) {
  b = If (c) <
    then_branch = t () => (bool[N, 4] p) { p = Trilu(data) },
    else_branch = e () => (bool[N, 4] q) { q = Not(data) }
  >
  y = local.lower(b)
}
<domain: "local", opset_import: ["" : 17]>
lower (u) => (v) { v = Trilu <upper = 0> (u) }
"""

WRONG_OUTPUT_SHAPE = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 4] x) => (float[2, 5] y) { y = Relu(x) }
"""

ALL = {
    name: value
    for name, value in list(globals().items())
    if name.isupper() and isinstance(value, str)
}
