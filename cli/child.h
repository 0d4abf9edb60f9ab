// A program as a child process that has the terminal, and whose end halfwarp waits for.
#ifndef HW_CLI_CHILD_H
#define HW_CLI_CHILD_H

// Runs path with argv and the environment of this process. Standard input and output are the program's own; signals
// that halfwarp gets are handed on. Returns the program's exit status, 128 + n when signal n ended it, or -1 after a
// complaint when it could not be started. *ended_by: that signal, or 0.
int hw_cli_child_run(const char *path, char *const argv[], int *ended_by);

#endif
