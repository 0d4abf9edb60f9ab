// Files that are being made must not stay behind when a signal ends the program.
#ifndef HW_CLI_UNFINISHED_H
#define HW_CLI_UNFINISHED_H

// Signals that would end the program wait from here on: while a file is made, or given its name. Threads that are
// started now never get any.
void hw_cli_hold_signals(void);
// They do no longer, and one that comes first removes these files. NULL: there is none. The names are copied.
void hw_cli_release_signals(const char *first, const char *second);

#endif
