// A program as a child process that has the terminal, and whose end halfwarp waits for.
#ifndef HW_CLI_CHILD_H
#define HW_CLI_CHILD_H

#include <sys/types.h>

// Who looks after the child while it runs.
typedef struct hw_cli_child_care {
    int (*look)(void *context, pid_t child);      // in how many milliseconds it wants to look again
    void (*asked)(void *context, pid_t child);    // somebody has sent halfwarp SIGUSR1
    void *context;
} hw_cli_child_care;

// Runs path with argv and the environment of this process. Standard input and output are the program's own; signals
// that halfwarp gets are handed on, SIGUSR1 where nobody cares (care NULL). Returns the program's exit status, 128 + n
// when signal n ended it, or -1 after a complaint when it could not be started. *ended_by: that signal, or 0.
int hw_cli_child_run(const char *path, char *const argv[], const hw_cli_child_care *care, int *ended_by);

#endif
