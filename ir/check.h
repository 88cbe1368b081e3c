// SPDX-License-Identifier: Apache-2.0
//
// CHECK_INTERNAL: for our own bugs only. Says what broke and stops.

#ifndef ONNX_LEGALIZE_IR_CHECK_H_
#define ONNX_LEGALIZE_IR_CHECK_H_

#include "absl/base/internal/raw_logging.h"

#define CHECK_INTERNAL(condition, message)                                    \
  do {                                                                        \
    if (!(condition)) {                                                       \
      ABSL_RAW_LOG(FATAL, "onnx-legalize bug: %s (%s)", message, #condition); \
    }                                                                         \
  } while (false)

#endif  // ONNX_LEGALIZE_IR_CHECK_H_
