// check --schedule: the program once more for each of some other orders of its warps and blocks.
#ifndef HW_CLI_ORDERS_H
#define HW_CLI_ORDERS_H

#include "run/launch.h"

// What each run of the program begins with.
typedef struct hw_cli_orders {
    char *program;                   // PROG as it was given
    long long input;                 // where standard input is; -1: it cannot be read twice
} hw_cli_orders;

// Before the first run. 0, or HW_EXIT_USAGE after a complaint. Free either way.
int hw_cli_orders_begin(hw_cli_orders *orders, const hw_cli_launch *launch);
void hw_cli_orders_free(hw_cli_orders *orders);

// Runs the program with the seeds behind launch->seed, which the first run has had, as many as --schedule says. What it
// prints in them is left out. Returns the status for all runs: status, which the first ended with, or the first one of
// 2 to 5 that another ended with; any other is told.
int hw_cli_orders_run(const hw_cli_orders *orders, hw_cli_launch *launch, int status);

#endif
