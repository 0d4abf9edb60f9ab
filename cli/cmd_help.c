// halfwarp help: the manual where it can be shown, else what --help prints.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "cli.h"
#include "manual_text.h"
#include "output/paged.h"
#include "output/text_output.h"

static const char help_help[] =
    "usage: halfwarp help [COMMAND | columns]\n"
    "\n"
    "Shows the manual of halfwarp, of one of its commands, or of the columns of\n"
    "reports. Where there is no terminal, no man or no manual, prints what --help\n"
    "prints, or the text of the columns' manual.\n";

// The first man on PATH, or false.
static bool find_man(char path[4096]) {
    for (const char *folders = getenv("PATH"); folders && *folders;) {
        size_t length = strcspn(folders, ":");
        int written = snprintf(path, 4096, "%.*s/man", (int)length, folders);
        if (length && written < 4096 && access(path, X_OK) == 0) return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

// False when nothing was shown.
static bool show_manual(const char *page) {
    char man[4096], path[4096];
    int ended_by;
    if (!isatty(STDOUT_FILENO) || !hw_cli_find_manual(page, path) || !find_man(man)) return false;
    // As a path, "-l" or not: man-db and mandoc both take a file that has a slash.
    char *const argv[] = {"man", path, NULL};
    return hw_cli_child_run(man, argv, NULL, &ended_by) == 0;
}

// What reports' columns mean: of no command.
static int show_columns(void) {
    if (show_manual("halfwarp-columns")) return 0;
    if (hw_cli_write_manual(hw_cli_columns_manual, hw_cli_table_width(NULL), stdout)) return 0;
    hw_cli_complain("out of memory");
    return HW_EXIT_USAGE;
}

static int help_main(int argc, char **argv) {
    if (argc > 2) {
        hw_cli_complain("help takes one command, and got '%s' as well", argv[2]);
        return HW_EXIT_USAGE;
    }
    if (argc > 1 && strcmp(argv[1], "columns") == 0) return show_columns();
    const hw_command *command = argc > 1 ? hw_cli_find_command(argv[1]) : NULL;
    if (argc > 1 && !command) return HW_EXIT_USAGE;
    char page[64];
    snprintf(page, sizeof page, "halfwarp%s%s", command ? "-" : "", command ? command->name : "");
    if (show_manual(page)) return 0;
    if (command) hw_cli_print_paged(command->help);
    else hw_cli_print_help(stdout);
    return 0;
}

const hw_command hw_cmd_help = {"help", "show the manual of a command", help_help, help_main};
