// Delivers a report: made in memory first, so that a file is whole.
#define _GNU_SOURCE
#include "output/text_output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"
#include "output/whole_file.h"

bool hw_cli_wants_colour(const char *path, hw_report_format format) {
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return !path && format == HW_REPORT_TABLE && !(no_colour && *no_colour) &&
           !(terminal && strcmp(terminal, "dumb") == 0) && isatty(STDOUT_FILENO);
}

// 0: neither says.
static long told_width(const char *path) {
    struct winsize size = {0};
    const char *told = getenv("COLUMNS");
    long width = told ? strtol(told, NULL, 10) : 0;
    if (width <= 0 && !path && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) width = size.ws_col;
    return width > 0 ? width : 0;
}

int hw_cli_table_width(const char *path) {
    enum { LEAST = 80, MOST = 10000 };
    const long width = told_width(path);
    return width < LEAST ? LEAST : width > MOST ? MOST : (int)width;
}

int hw_cli_list_width(const char *path) { return told_width(path) ? hw_cli_table_width(path) : 0; }

hw_report_format hw_cli_read_format(const char *name) {
    hw_report_format format = hw_report_find_format(name);
    if (format == HW_REPORT_FORMATS)
        hw_cli_complain("--format is table, csv or json, and not '%s'%s", name,
                        strcmp(name, "html") == 0 ? "; --report FILE.html makes a page" : "");
    return format;
}

int hw_cli_text_deliver(const char *path, hw_report_format format, hw_cli_text_writer *write, const void *context) {
    char *text = NULL;
    size_t length = 0;
    int status = 0;
    FILE *memory = open_memstream(&text, &length);
    bool good = memory && write(context, format, hw_cli_wants_colour(path, format), memory);
    if (memory && fclose(memory) != 0) good = false;
    if (!good) {
        hw_cli_complain("out of memory");
        status = HW_EXIT_USAGE;
    } else if (path) status = hw_cli_write_file(path, text, length);
    else fwrite(text, 1, length, stdout);
    free(text);
    return status;
}
