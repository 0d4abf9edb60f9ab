// halfwarp diff: what has changed between two profiles.
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/array_file.h"
#include "diff/diff_report.h"
#include "options.h"
#include "output/text_output.h"
#include "output/whole_file.h"

static const char diff_help[] =
    "usage: halfwarp diff [OPTIONS] OLD NEW\n"
    "\n"
    "Tells what has changed between two profiles, JSON files that\n"
    "`halfwarp profile --format json -o FILE PROG` has written: of each kernel, and\n"
    "with --lines there, of each source line. Lines are matched by their texts, so\n"
    "that those that an edit has moved are compared with themselves.\n"
    "\n"
    "  --format F        table (as it is unless given), markdown (for a pull request)\n"
    "                    or json\n"
    "  --least PCT       leave out changes of less than PCT percent; 1 unless given\n"
    "  --kernels         of kernels only, though the files have lines\n"
    "  -o FILE           write it to FILE and not to standard output\n"
    "\n"
    "Exit status: 0 no kernel is slower, by its estimated time; 1 one is; 2 wrong\n"
    "usage, or a file that is no profile.\n";

typedef struct diff_words {
    hw_diff_format format;
    hw_diff_options options;
    const char *output;
    const char *files[2];
} diff_words;

static bool set_format(void *options, const char *value) {
    diff_words *words = options;
    for (words->format = HW_DIFF_TABLE; words->format < HW_DIFF_FORMATS; words->format++)
        if (strcmp(value, hw_diff_format_names[words->format]) == 0) return true;
    hw_cli_complain("--format is table, markdown or json, and not '%s'", value);
    return false;
}

static bool set_least(void *options, const char *value) {
    char *end = NULL;
    const double pct = strtod(value, &end);
    ((diff_words *)options)->options.least_pct = pct;
    if (end != value && !*end && pct >= 0 && pct <= 1e9) return true;
    hw_cli_complain("--least takes a number of percent, and got '%s'", value);
    return false;
}

static bool set_kernels(void *options, const char *value) {
    (void)value;
    ((diff_words *)options)->options.lines = false;
    return true;
}

static bool set_output(void *options, const char *value) {
    ((diff_words *)options)->output = value;
    return hw_cli_is_file_name("-o", value) && !hw_cli_try_file(value);
}

static const hw_cli_option diff_option_rows[] = {
    {"--format", true, set_format}, {"--least", true, set_least}, {"--kernels", false, set_kernels},
    {"-o", true, set_output}};

// 0, or the exit status after a complaint.
static int read_file(const char *path, hw_arena *arena, hw_profile *profile) {
    hw_diag diag = {0};
    FILE *in = fopen(path, "r");
    if (!in) {
        hw_cli_complain("cannot read %s: %s", path, strerror(errno));
        return HW_EXIT_USAGE;
    }
    const hw_status status = hw_profile_read(in, path, arena, profile, &diag);
    fclose(in);
    return status ? hw_cli_fail(status, &diag) : 0;
}

static int write_diff(const diff_words *words, const hw_diff *diff) {
    char *text = NULL;
    size_t bytes = 0;
    int status = 0;
    const hw_diff_look look = {
        .old_name = words->files[0], .new_name = words->files[1], .least_pct = words->options.least_pct,
        .colour = hw_cli_wants_colour(words->output, HW_REPORT_TABLE), .width = hw_cli_table_width(words->output)};
    FILE *memory = open_memstream(&text, &bytes);
    bool good = memory && hw_diff_write(diff, words->format, &look, memory);
    if (memory && fclose(memory) != 0) good = false;
    if (!good) {
        hw_cli_complain("out of memory");
        status = HW_EXIT_USAGE;
    } else if (words->output) status = hw_cli_write_file(words->output, text, bytes);
    else fwrite(text, 1, bytes, stdout);
    free(text);
    return status;
}

static int compare_files(const diff_words *words, hw_arena *arena) {
    hw_profile before, after;
    hw_diff diff;
    hw_diag diag = {0};
    int status = read_file(words->files[0], arena, &before);
    if (!status) status = read_file(words->files[1], arena, &after);
    if (status) return status;
    const hw_status made = hw_diff_make(&before, &after, &words->options, arena, &diff, &diag);
    if (made) return hw_cli_fail(made, &diag);
    status = write_diff(words, &diff);
    return status ? status : diff.n_slower ? HW_EXIT_FOUND : 0;
}

static int diff_main(int argc, char **argv) {
    static const hw_cli_syntax syntax = {"diff", diff_option_rows, sizeof diff_option_rows / sizeof diff_option_rows[0],
                                         2};
    diff_words words = {.options = {.least_pct = 1, .lines = true}};
    int n_words, status = hw_cli_parse(&syntax, &words, argc, argv, words.files, &n_words);
    if (!status && n_words < 2) {
        hw_cli_complain("diff takes two profiles: halfwarp diff OLD.json NEW.json");
        status = HW_EXIT_USAGE;
    }
    if (status) return status;
    hw_arena *arena = hw_arena_create();
    if (!arena) hw_cli_complain("out of memory");
    status = arena ? compare_files(&words, arena) : HW_EXIT_USAGE;
    hw_arena_destroy(arena);
    return status;
}

const hw_command hw_cmd_diff = {"diff", "what has changed between two profiles", diff_help, diff_main};
