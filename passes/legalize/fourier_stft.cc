// SPDX-License-Identifier: Apache-2.0
//
// STFT as gathered frames times matrices of cosines and sines.
//
//   before:  y = STFT (x, step, window)              # x: [batch,length,1]
//   after:   f = Gather <axis = 1> (x, starts + [0 ... frame_length - 1])
//            r = MatMul (f * window, cos (2 pi n k / N))   i = ...
//            y = Concat <axis = -1> (r, i)
//
// It is computed in double, or in float where that isn't to be had.
//
// Declines a window that is known not to be as long as a frame.

#include <optional>
#include <string>

#include "passes/legalize/body.h"
#include "passes/legalize/fourier_matrix.h"

namespace onnx_legalize {
namespace {

using onnx::TensorProto;

// int64 [frames, frame_length]: where frames' samples stand in the signal.
Ref FramePlaces(Body& b, const Length& signal, const Length& frame,
                const Ref& within) {
  const Length step = LengthFromInput(b, 1);
  Ref end;
  if (signal.known.has_value() && frame.known.has_value()) {
    end = b.Int(*signal.known - *frame.known + 1);
  } else {
    end = b.Add(b.Sub(AsScalar(b, signal), AsScalar(b, frame)), b.Int(1));
  }
  const Ref starts = b.Op("Range", {b.Int(0), end, AsScalar(b, step)});
  return b.Add(b.Unsqueeze(starts, {1}), within);
}

std::optional<std::string> Stft(Body& b, int32_t type) {
  if (b.Rank(0) != 3) return "the signal isn't known to be of rank 3";
  const Length signal = LengthOfAxis(b, b.In(0), 1, b.Dim(0, 1));
  const bool has_window = b.Has(2);
  const auto window_dim = b.Dim(2, 0);
  Length frame = signal;
  if (b.Has(3)) {
    frame = LengthFromInput(b, 3);
  } else if (has_window) {
    frame = LengthOfAxis(b, b.In(2), 0, window_dim);
  }
  if (has_window && frame.known && window_dim && *frame.known != *window_dim) {
    return "the window isn't as long as a frame";
  }
  if (frame.known.has_value() && *frame.known < 1) return "frames are empty";
  const Ref n = Places(b, frame);
  const Ref places = FramePlaces(b, signal, frame, n);
  Parts x = SplitParts(b, type);
  Ref window;
  if (has_window) {
    window = b.Type(2) == type ? b.In(2) : b.Cast(b.In(2), type);
  }
  const auto frames = [&](const Ref& v) {
    const Ref gathered = b.Gather(v, places, 1);
    return has_window ? b.Mul(gathered, window) : gathered;
  };
  x.real = frames(x.real);
  if (!x.imaginary.empty()) x.imaginary = frames(x.imaginary);
  const bool onesided = b.node().Int("onesided", 1) != 0;
  const Length result = onesided ? Unique(b, frame) : frame;
  const Waves waves = WavesOf(b, n, Places(b, result), frame, type);
  const Ref y = JoinParts(b, Transform(b, x, waves, /*inverse=*/false), 3);
  b.Return({b.Type(0) == type ? y : b.Cast(y, b.Type(0))});
  return std::nullopt;
}

}  // namespace

std::optional<std::string> StftByMatrix(Body& b) {
  return Stft(b, TensorProto::DOUBLE);
}

std::optional<std::string> StftByFloatMatrix(Body& b) {
  if (b.Type(0) == TensorProto::DOUBLE) return "float holds fewer digits";
  return Stft(b, TensorProto::FLOAT);
}

}  // namespace onnx_legalize
