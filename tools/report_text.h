// SPDX-License-Identifier: Apache-2.0
//
// The report as people read it.

#ifndef ONNX_LEGALIZE_TOOLS_REPORT_TEXT_H_
#define ONNX_LEGALIZE_TOOLS_REPORT_TEXT_H_

#include <string>

#include "onnx_legalize/legalize.h"

namespace onnx_legalize {

struct TextStyle {
  bool color = false;
  bool verbose = false;  // Every rewrite, and the time of every pass.
};

// Table of ops before and after, what was rewritten and why, notes, warnings.
std::string ReportText(const Report& report, const TextStyle& style);
// A line for each node that stays illegal.
std::string IllegalText(const Report& report);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_TOOLS_REPORT_TEXT_H_
