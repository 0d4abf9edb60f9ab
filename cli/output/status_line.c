#include "output/status_line.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// Sequences of the VT100, which every terminal of today understands. Each goes out in one write, which the system does
// not mix with others'.
#define SAVE_CURSOR "\0337"
#define RESTORE_CURSOR "\0338"
#define MAKE_ROOM_BELOW "\033D\033[A"    // down a row, which scrolls where there is none, and up again
#define SCROLL_ROWS "\033[1;%dr"         // and goes to the upper left corner
#define SCROLL_ALL_ROWS "\033[r"
#define GO_TO_ROW "\033[%d;1H"
#define CLEAR_ROW "\033[2K"

static struct winsize shown;             // with the line; ws_row 0: there is none
static char wiping[64];                  // ready for a handler
static struct sigaction before;          // of SIGTSTP

static void write_to_terminal(const char *text) {
    // What cannot be shown is not missed.
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

bool hw_cli_status_line_possible(void) {
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

static bool has_terminal(void) {
    struct termios modes;
    return tcgetpgrp(STDERR_FILENO) == getpgrp() && tcgetattr(STDERR_FILENO, &modes) == 0 && modes.c_lflag & ICANON;
}

int hw_cli_status_line_width(void) {
    enum { LEAST_ROWS = 3, LEAST_COLUMNS = 20 };
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    const int told = columns ? atoi(columns) : 0;
    if (!has_terminal() || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < LEAST_ROWS) return 0;
    const int width = told > 0 && told < size.ws_col ? told : size.ws_col;
    return width < LEAST_COLUMNS ? 0 : width - 1;   // the last column would make some terminals go on below
}

// Ctrl-Z: the shell gets all rows. The next text sets one aside again.
static void stop_without_line(int number) {
    write_to_terminal(wiping);
    shown.ws_row = 0;
    sigaction(number, &before, NULL);
    raise(number);
}

static void set_last_row_aside(const struct winsize *size) {
    char text[64];
    struct sigaction ours = {.sa_handler = stop_without_line, .sa_flags = SA_RESTART};
    snprintf(text, sizeof text, MAKE_ROOM_BELOW SAVE_CURSOR SCROLL_ROWS RESTORE_CURSOR, size->ws_row - 1);
    snprintf(wiping, sizeof wiping, SAVE_CURSOR SCROLL_ALL_ROWS GO_TO_ROW CLEAR_ROW RESTORE_CURSOR, size->ws_row);
    write_to_terminal(text);
    shown = *size;
    if (sigaction(SIGTSTP, NULL, &before) == 0 && before.sa_handler == SIG_DFL) sigaction(SIGTSTP, &ours, NULL);
}

void hw_cli_status_line_show(const char *text) {
    char line[1024];
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return;
    if (shown.ws_row && shown.ws_row != size.ws_row) hw_cli_status_line_wipe();
    if (!shown.ws_row) set_last_row_aside(&size);
    snprintf(line, sizeof line, SAVE_CURSOR GO_TO_ROW CLEAR_ROW "%s" RESTORE_CURSOR, size.ws_row, text);
    write_to_terminal(line);
}

void hw_cli_status_line_wipe(void) {
    if (!shown.ws_row) return;
    write_to_terminal(wiping);
    shown.ws_row = 0;
    sigaction(SIGTSTP, &before, NULL);
}
