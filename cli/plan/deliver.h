// The plan of a run, where the user wants it.
#ifndef HW_CLI_PLAN_DELIVER_H
#define HW_CLI_PLAN_DELIVER_H

#include "run/launch.h"

// 0, or HW_EXIT_USAGE after a complaint.
int hw_cli_plan_deliver(const hw_cli_launch *launch, const hw_report *report);

#endif
