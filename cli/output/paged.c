#define _GNU_SOURCE
#include "output/paged.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

// An empty PAGER is none. less ends by itself at the end of what fits, and leaves the text where it is, unless LESS
// says otherwise.
static const char pager[] = "pager=${PAGER-$(command -v less || command -v more)}; exec ${pager:-cat}";

static bool fits_terminal(const char *text) {
    struct winsize size = {0};
    unsigned lines = 1;    // the prompt's
    if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)) return true;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row) return true;
    for (; *text; text++) lines += *text == '\n';
    return lines <= size.ws_row;
}

void hw_cli_print_paged(const char *text) {
    FILE *out = NULL;
    if (!fits_terminal(text)) {
        setenv("LESS", "FRX", 0);
        signal(SIGPIPE, SIG_IGN);    // the reader may stop before the end
        out = popen(pager, "w");
    }
    fputs(text, out ? out : stdout);
    // 126 and 127: the shell could not start what PAGER names, and has said so.
    const int ended = out ? pclose(out) : 0;
    if (WIFEXITED(ended) && WEXITSTATUS(ended) >= 126) fputs(text, stdout);
}
