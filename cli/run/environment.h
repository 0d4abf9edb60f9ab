// What the program's process is told, by variables (docs/design.md has the list): who runs it, and where what it loads
// and calls is to be found.
#ifndef HW_CLI_RUN_ENVIRONMENT_H
#define HW_CLI_RUN_ENVIRONMENT_H

#include <stdbool.h>

#include "run/launch.h"

// Strings are the caller's, alive for the call.
typedef struct hw_cli_environment {
    const char *journal, *status, *monitor;   // files; NULL: none
    const char *compiler_name;                // that made the program's PTX; "": it was there already
    const char *executable, *shim_dir;
} hw_cli_environment;

// Changes this process's own environment, which the program inherits; variables of an outer halfwarp are taken away.
// False when memory ran out.
bool hw_cli_environment_prepare(const hw_cli_launch *launch, const hw_cli_environment *environment);

#endif
