// Budgets of profile: read from files, and what the launches come to.
#ifndef HW_CLI_BUDGETS_H
#define HW_CLI_BUDGETS_H

#include "run/launch.h"

// Adds those of a file. False after a complaint.
bool hw_cli_budgets_read(const char *path, hw_budgets *budgets);

// Tells of each kernel that broke one, in one sentence, on standard error, and writes the files that the user asked
// for. 0; HW_EXIT_FOUND when one is broken; HW_EXIT_USAGE after a complaint.
int hw_cli_budgets_report(const hw_cli_launch *launch, const hw_report *report);

#endif
