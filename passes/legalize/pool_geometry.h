// SPDX-License-Identifier: Apache-2.0
//
// Where the windows of a pool lie, as ONNX defines it: for lowerings that write
// the padding out.

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_POOL_GEOMETRY_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_POOL_GEOMETRY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "passes/legalize/body.h"

namespace onnx_legalize {

struct PoolAxis {
  int64_t kernel = 1, stride = 1, dilation = 1;
  int64_t pad_begin = 0, pad_end = 0;
  std::optional<int64_t> size;  // Of the input.
  // With ceil_mode, of a known size: what the last window reaches beyond the
  // padding, and how many windows there are.
  int64_t extra = 0;
  int64_t windows = 0;
};

struct PoolGeometry {
  std::vector<PoolAxis> axes;
  bool ceil_mode = false;
  bool sizes_known = true;

  // Begins, then ends, the extra ones among the ends.
  std::vector<int64_t> Pads() const;
  std::vector<int64_t> Kernel() const;
  std::vector<int64_t> Strides() const;
  std::vector<int64_t> Dilations() const;
};

// The geometry of the pool that `b` lowers, or a reason in `declined`:
// auto_pad, which another pass writes out, an unknown rank, or ceil_mode of an
// unknown size.
std::optional<PoolGeometry> ReadPool(const Body& b, std::string* declined);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_POOL_GEOMETRY_H_
