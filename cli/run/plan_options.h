// The options that plan has alone, and profile's picture, for the table of launch_options.c.
#ifndef HW_CLI_PLAN_OPTIONS_H
#define HW_CLI_PLAN_OPTIONS_H

#include "run/launch.h"

// False after a complaint.
bool hw_cli_set_cpu_ms(hw_cli_launch *launch, const char *value);
bool hw_cli_set_own_ms(hw_cli_launch *launch, const char *value);
bool hw_cli_set_profile_plot(hw_cli_launch *launch, const char *value);
bool hw_cli_set_plan_format(const char *value);

#endif
