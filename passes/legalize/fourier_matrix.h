// SPDX-License-Identifier: Apache-2.0
//
// Discrete Fourier transforms as products with matrices of cosines and sines,
// for the lowerings of DFT and STFT.

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_FOURIER_MATRIX_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_FOURIER_MATRIX_H_

#include <cstdint>
#include <optional>

#include "passes/legalize/body.h"

namespace onnx_legalize {

// A number of samples: int64 [], or known.
struct Length {
  std::optional<int64_t> known;
  Ref computed;

  bool Is(int64_t value) const { return known == value; }
};

Length KnownLength(int64_t value);
// The one element of input `i`, of whatever rank.
Length LengthFromInput(Body& b, int i);
// Dimension `axis` of `x`, which is known to be `known` or computed.
Length LengthOfAxis(Body& b, const Ref& x, int64_t axis,
                    std::optional<int64_t> known);
// The number of frequencies of a real signal: length / 2 + 1.
Length Unique(Body& b, const Length& length);

Ref AsScalar(Body& b, const Length& length);  // int64 []
Ref AsVector(Body& b, const Length& length);  // int64 [1]
Ref AsFloat(Body& b, const Length& length, int32_t type);
Ref Places(Body& b, const Length& length);  // 0, 1, ..., as int64 [length].

// Real and imaginary parts; `imaginary` is "" where it is zero.
struct Parts {
  Ref real, imaginary;
};

// The parts of input 0, as `type` and without the last axis.
Parts SplitParts(Body& b, int32_t type);

// The parts along a new last axis, the `rank`th.
Ref JoinParts(Body& b, const Parts& parts, int64_t rank);

// cos and sin of 2 pi n k / length, [size (n), size (k)].
struct Waves {
  Ref cosine, sine;
};
Waves WavesOf(Body& b, const Ref& n, const Ref& k, const Length& length,
              int32_t type);

// x's last axis times exp (-+i 2 pi n k / length): - forward, + inverse.
Parts Transform(Body& b, const Parts& x, const Waves& waves, bool inverse);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_FOURIER_MATRIX_H_
