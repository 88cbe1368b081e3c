// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/pool_geometry.h"

#include <algorithm>

namespace onnx_legalize {
namespace {

template <typename Member>
std::vector<int64_t> Collect(const std::vector<PoolAxis>& axes, Member member) {
  std::vector<int64_t> values;
  for (const PoolAxis& axis : axes) values.push_back(axis.*member);
  return values;
}

// ceil_mode rounds the number of windows up, but none starts in the padding at
// the end.
void CountWindows(bool ceil_mode, PoolAxis* axis) {
  const int64_t reach = (axis->kernel - 1) * axis->dilation + 1;
  const int64_t room = *axis->size + axis->pad_begin + axis->pad_end - reach;
  const int64_t stride = axis->stride;
  axis->windows =
      (ceil_mode ? (room + stride - 1) / stride : room / stride) + 1;
  if (ceil_mode &&
      (axis->windows - 1) * stride >= *axis->size + axis->pad_begin) {
    --axis->windows;
  }
  axis->extra = std::max<int64_t>((axis->windows - 1) * stride - room, 0);
}

}  // namespace

bool PoolGeometry::LeavesOutWindow() const {
  return std::any_of(axes.begin(), axes.end(), [](const PoolAxis& axis) {
    if (!axis.size.has_value()) return false;
    const int64_t room = *axis.size + axis.pad_begin + axis.pad_end -
                         (axis.kernel - 1) * axis.dilation - 1;
    return room - (axis.windows - 1) * axis.stride >= axis.stride;
  });
}

std::vector<int64_t> PoolGeometry::Pads() const {
  std::vector<int64_t> pads = Collect(axes, &PoolAxis::pad_begin);
  for (const PoolAxis& axis : axes) {
    pads.push_back(axis.pad_end + axis.extra);
  }
  return pads;
}
std::vector<int64_t> PoolGeometry::Kernel() const {
  return Collect(axes, &PoolAxis::kernel);
}
std::vector<int64_t> PoolGeometry::Strides() const {
  return Collect(axes, &PoolAxis::stride);
}
std::vector<int64_t> PoolGeometry::Dilations() const {
  return Collect(axes, &PoolAxis::dilation);
}

std::optional<PoolGeometry> ReadPool(const Body& b, std::string* declined) {
  const Node& node = b.node();
  const std::string auto_pad = node.String("auto_pad", "NOTSET");
  if (auto_pad != "NOTSET" && auto_pad != "VALID") {
    *declined = "its padding is to be written out first";
    return std::nullopt;
  }
  const std::vector<int64_t> kernel = node.Ints("kernel_shape");
  const size_t count = kernel.size();
  const auto list = [&](const char* name, size_t size, int64_t fallback) {
    std::vector<int64_t> values = node.Ints(name);
    if (values.empty()) values.assign(size, fallback);
    values.resize(size, fallback);
    return values;
  };
  const std::vector<int64_t> strides = list("strides", count, 1);
  const std::vector<int64_t> dilations = list("dilations", count, 1);
  const std::vector<int64_t> pads = auto_pad == "VALID"
                                        ? std::vector<int64_t>(2 * count, 0)
                                        : list("pads", 2 * count, 0);
  if (b.Rank(0) != static_cast<int>(count) + 2) {
    *declined = "the rank isn't known";
    return std::nullopt;
  }
  PoolGeometry pool;
  pool.ceil_mode = node.Int("ceil_mode", 0) != 0;
  for (size_t i = 0; i < count; ++i) {
    PoolAxis axis{kernel[i],       strides[i],
                  dilations[i],    pads[i],
                  pads[i + count], b.Dim(0, static_cast<int>(i) + 2)};
    if (axis.kernel < 1 || axis.stride < 1 || axis.dilation < 1) {
      *declined = "its window is malformed";
      return std::nullopt;
    }
    if (axis.size.has_value()) {
      CountWindows(pool.ceil_mode, &axis);
    } else {
      pool.sizes_known = false;
    }
    pool.axes.push_back(axis);
  }
  // Where a window starts in the padding at the end, and is left out, it must
  // be one that reaches beyond the padding.
  for (const PoolAxis& axis : pool.axes) {
    if (pool.ceil_mode && !axis.size.has_value() &&
        axis.pad_end > (axis.kernel - 1) * axis.dilation) {
      *declined = "with ceil_mode and such padding the size must be known";
      return std::nullopt;
    }
  }
  return pool;
}

std::vector<Length> ExtraPads(Body& b, const PoolGeometry& pool) {
  Lengths n(b);
  std::vector<Length> extras;
  for (size_t i = 0; i < pool.axes.size(); ++i) {
    const PoolAxis& axis = pool.axes[i];
    if (axis.size.has_value() || !pool.ceil_mode || axis.stride == 1) {
      extras.emplace_back(axis.extra);
      continue;
    }
    const int64_t reach = (axis.kernel - 1) * axis.dilation + 1;
    const Length size = n.Of(0, static_cast<int>(i) + 2);
    const Length room = n.Add(size, axis.pad_begin + axis.pad_end - reach);
    const Length last =
        n.Mul(n.Div(n.Add(room, axis.stride - 1), axis.stride), axis.stride);
    Length extra = n.Sub(last, room);
    // Where the last window may start beyond the input, it is left out then.
    if (axis.stride > reach - axis.pad_end) {
      const Ref counts =
          b.Op("Less", {n.Get(last), n.Get(n.Add(size, axis.pad_begin))});
      extra = n.Mul(extra, Length(b.Cast(counts, onnx::TensorProto::INT64)));
    }
    extras.push_back(extra);
  }
  return extras;
}

Ref PadAxes(Body& b, const Ref& x, const std::vector<Length>& begins,
            const std::vector<Length>& ends, const Ref& fill) {
  const auto none = [](const Length& length) { return length.known == 0; };
  if (std::all_of(begins.begin(), begins.end(), none) &&
      std::all_of(ends.begin(), ends.end(), none)) {
    return x;
  }
  std::vector<Length> pads(2, Length(0));
  pads.insert(pads.end(), begins.begin(), begins.end());
  pads.resize(pads.size() + 2, Length(0));
  pads.insert(pads.end(), ends.begin(), ends.end());
  return b.Op("Pad", {x, Lengths(b).Shape(pads), fill});
}

Ref WritePadding(Body& b, const PoolGeometry& pool, const Ref& x,
                 const Ref& fill) {
  std::vector<Length> begins, ends = ExtraPads(b, pool);
  for (size_t i = 0; i < pool.axes.size(); ++i) {
    begins.emplace_back(pool.axes[i].pad_begin);
    ends[i] = Lengths(b).Add(ends[i], pool.axes[i].pad_end);
  }
  return PadAxes(b, x, begins, ends, fill);
}

}  // namespace onnx_legalize
