// The rules of grids and blocks, one function each; private to the module.
#ifndef HW_ADVICE_PLAN_RULES_H
#define HW_ADVICE_PLAN_RULES_H

#include "advice/plan.h"

void hw_plan_judge(const hw_gpu *gpu, const hw_report_launch *launch, hw_plan_verdict verdicts[HW_PLAN_RULES]);

#endif
