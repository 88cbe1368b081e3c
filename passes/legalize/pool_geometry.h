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
#include "passes/legalize/lengths.h"

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

  // A window that starts in the padding at the end is left out, though the
  // padding holds all of it: no pads say that.
  bool LeavesOutWindow() const;
  // Begins, then ends, the extra ones among the ends.
  std::vector<int64_t> Pads() const;
  std::vector<int64_t> Kernel() const;
  std::vector<int64_t> Strides() const;
  std::vector<int64_t> Dilations() const;
};

// The geometry of the pool that `b` lowers, or a reason in `declined`:
// auto_pad, which another pass writes out, an unknown rank, or, with ceil_mode,
// an unknown size beside padding as long as a window.
std::optional<PoolGeometry> ReadPool(const Body& b, std::string* declined);

// What the last window of each axis reaches beyond the padding: computed where
// the size isn't known.
std::vector<Length> ExtraPads(Body& b, const PoolGeometry& pool);

// `x`, two axes and those of the pool, with `fill` ("": 0) at their begins and
// ends.
Ref PadAxes(Body& b, const Ref& x, const std::vector<Length>& begins,
            const std::vector<Length>& ends, const Ref& fill);

// The same, with the padding of the pool and its extra pads.
Ref WritePadding(Body& b, const PoolGeometry& pool, const Ref& x,
                 const Ref& fill);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_POOL_GEOMETRY_H_
