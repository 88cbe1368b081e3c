// SPDX-License-Identifier: Apache-2.0
//
// Which casts make a node's operand types valid.

#ifndef ONNX_LEGALIZE_PASSES_LEGALIZE_REPAIR_PLAN_H_
#define ONNX_LEGALIZE_PASSES_LEGALIZE_REPAIR_PLAN_H_

#include <string>
#include <vector>

#include "onnx_legalize/graph.h"

namespace onnx_legalize {

struct RepairPlan {
  struct Operand {
    int index;
    int32_t elem_type;  // To cast it to.
  };
  std::vector<Operand> operands;
  std::string fault;   // What is wrong with the node.
  std::string reason;  // Why casts don't put it right; "" if they do.
};

// For a node that has a type constraint fault.
RepairPlan PlanRepair(const Node& node);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_PASSES_LEGALIZE_REPAIR_PLAN_H_
