// SPDX-License-Identifier: Apache-2.0

#include "passes/legalize/lowering.h"

namespace onnx_legalize {

#define LOWER(domain, op_type, first, last, function, exactness, summary) \
  std::optional<std::string> function(Body& body);
#define STEP_DOWN LOWER
#define STEP_UP LOWER
#include "passes/legalize/lowerings.def"
#undef LOWER
#undef STEP_DOWN
#undef STEP_UP

absl::Span<const Lowering> AllLowerings() {
  static constexpr Lowering kLowerings[] = {
#define LOWER(domain, op_type, first, last, function, exactness, summary) \
  {domain,                                                                \
   op_type,                                                               \
   first,                                                                 \
   last,                                                                  \
   Direction::kAny,                                                       \
   &function,                                                             \
   Exactness::exactness,                                                  \
   summary},
#define STEP_DOWN(domain, op_type, first, last, function, exactness, summary) \
  {domain,                                                                    \
   op_type,                                                                   \
   first,                                                                     \
   last,                                                                      \
   Direction::kDown,                                                          \
   &function,                                                                 \
   Exactness::exactness,                                                      \
   summary},
#define STEP_UP(domain, op_type, first, last, function, exactness, summary) \
  {domain,                                                                  \
   op_type,                                                                 \
   first,                                                                   \
   last,                                                                    \
   Direction::kUp,                                                          \
   &function,                                                               \
   Exactness::exactness,                                                    \
   summary},
#include "passes/legalize/lowerings.def"
#undef LOWER
#undef STEP_DOWN
#undef STEP_UP
  };
  return kLowerings;
}

}  // namespace onnx_legalize
