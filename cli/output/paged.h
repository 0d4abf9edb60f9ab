// A text that may be longer than the terminal has lines.
#ifndef HW_CLI_PAGED_H
#define HW_CLI_PAGED_H

// Prints it to standard output: as it is where that is no terminal or has room for it, else through $PAGER, less or
// more, so that it begins where a reader begins.
void hw_cli_print_paged(const char *text);

#endif
