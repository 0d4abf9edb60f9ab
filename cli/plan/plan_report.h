// What `halfwarp plan` tells: tables and sentences for people, or JSON.
#ifndef HW_CLI_PLAN_REPORT_H
#define HW_CLI_PLAN_REPORT_H

#include <stdio.h>

#include "advice/plan.h"

typedef struct hw_cli_plan_look {
    double cpu_us;               // what a processor takes for what the kernels do, as the user says; 0: not said
    bool is_own_given;           // the program's own work is what the user says, and not measured
    bool colour;
    int width;                   // characters of a line; 0: any number
} hw_cli_plan_look;

void hw_cli_plan_write(const hw_plan *plan, const hw_cli_plan_look *look, FILE *out);
// False: out of memory.
bool hw_cli_plan_write_json(const hw_plan *plan, const hw_cli_plan_look *look, FILE *out);

#endif
