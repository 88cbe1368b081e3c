// SPDX-License-Identifier: Apache-2.0
//
// Models of any size for benchmarks.

#ifndef ONNX_LEGALIZE_BENCH_SYNTHETIC_MODEL_H_
#define ONNX_LEGALIZE_BENCH_SYNTHETIC_MODEL_H_

#include <cstdint>
#include <string>

namespace onnx_legalize {

// A serialized model whose `num_nodes` nodes are what exporters write most:
// elementwise arithmetic, and shape arithmetic around a Reshape (ten nodes a
// block). Every hundredth block ends in a Conv with `auto_pad`.
std::string SyntheticModel(int64_t num_nodes);

// A serialized model of `num_nodes` independent nodes that a legalization pass
// has to rewrite.
std::string TriluModel(int64_t num_nodes);
std::string SamePaddingModel(int64_t num_nodes);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_BENCH_SYNTHETIC_MODEL_H_
