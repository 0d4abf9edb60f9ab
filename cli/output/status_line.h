// One line at the bottom of the terminal, below whatever else is written there.
//
// The last row is set aside, as apt does it: everybody else's text scrolls above it. Text that comes from other
// processes, however it is cut into lines, is so never mixed with the line, and stays on the terminal as if there were
// none.
#ifndef HW_CLI_STATUS_LINE_H
#define HW_CLI_STATUS_LINE_H

#include <stdbool.h>

// Is standard error a terminal that can have one?
bool hw_cli_status_line_possible(void);
// Characters that it may have now: of the terminal, or of COLUMNS where that is less. 0: not now, since another program
// has the terminal, or the keyboard as a pager does, or there are too few rows.
int hw_cli_status_line_width(void);
// Shows the text, of no more characters, in place of the last one. A terminal that stops the process (Ctrl-Z) gets its
// row back first.
void hw_cli_status_line_show(const char *text);
// Gives the row back. Allowed at any time.
void hw_cli_status_line_wipe(void);

#endif
