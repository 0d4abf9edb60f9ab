// halfwarp diff: what has changed between two profiles, or two programs.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "arrays/array_file.h"
#include "diff/diff_programs.h"
#include "diff/diff_report.h"
#include "html/html.h"
#include "options.h"
#include "output/text_output.h"
#include "output/whole_file.h"

static const char diff_help[] =
    "usage: halfwarp diff [OPTIONS] OLD NEW [-- ARGS]\n"
    "\n"
    "Tells what has changed between two profiles, or two programs: of each kernel,\n"
    "and of each source line. Each of OLD and NEW is a file that `halfwarp profile\n"
    "--format json -o FILE PROG` has written, with --lines for lines, or a program,\n"
    "which is profiled with ARGS; what it prints goes to standard error. Lines are\n"
    "matched by their texts, so that those that an edit has moved are compared with\n"
    "themselves.\n"
    "\n"
    "  --format F        table (as it is unless given), markdown (for a pull request)\n"
    "                    or json\n"
    "  --least PCT       leave out changes of less than PCT percent; 1 unless given\n"
    "  --kernels         of kernels only, though there are lines\n"
    "  -o FILE           write it to FILE and not to standard output\n"
    "  --report FILE     write a page with it, FILE.html, for a browser\n"
    "  --gpu G           the GPU that programs are run on; that of the profile where\n"
    "                    one is compared with a program, else h200\n"
    "  --compiler C      nvcc or clang for .cu files; unless given nvcc where it is\n"
    "                    on PATH, else clang\n"
    "  -I -D -U -std= -O -use_fast_math -maxrregcount= ... for the compiler of .cu\n"
    "                    files, as nvcc takes them\n"
    "\n"
    "Exit status: 0 no kernel is slower, by its estimated time; 1 one is; 2 wrong\n"
    "usage, or a file that is no profile; where a program could not be run, as\n"
    "`halfwarp --help` says.\n";

enum { MOST_WORDS = 66 };

typedef struct diff_words {
    hw_diff_format format;
    hw_diff_options options;
    const char *output, *page;      // page: of --report, or NULL
    const char *words[MOST_WORDS];  // OLD, NEW, then the programs' arguments
    int n_words;
    hw_cli_launch launch;           // of programs; gpu NULL: not told
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

static bool set_page(void *options, const char *value) {
    ((diff_words *)options)->page = value;
    return hw_cli_html_check(value);
}

static bool set_gpu(void *options, const char *value) {
    const hw_gpu *gpu = hw_cli_find_gpu(value);
    if (gpu) ((diff_words *)options)->launch.gpu = hw_cli_gpu_word(gpu);
    return gpu != NULL;
}

static bool set_compiler(void *options, const char *value) {
    ((diff_words *)options)->launch.compiler = value;
    if (!strcmp(value, "nvcc") || !strcmp(value, "clang")) return true;
    hw_cli_complain("--compiler is nvcc or clang, and not '%s'", value);
    return false;
}

static const hw_cli_option diff_option_rows[] = {
    {"--format", true, set_format}, {"--least", true, set_least}, {"--kernels", false, set_kernels},
    {"-o", true, set_output}, {"--report", true, set_page},
    {"--gpu", true, set_gpu}, {"--compiler", true, set_compiler}};

// A program, with the arguments of both.
static int run_program(const diff_words *words, int side, const hw_profile *other, hw_arena *arena,
                       hw_profile *profile) {
    char *argv[MOST_WORDS] = {strdup(words->words[side])};
    for (int i = 2; i < words->n_words; i++) argv[i - 1] = (char *)words->words[i];
    hw_cli_launch launch = words->launch;
    launch.program = argv;
    if (!launch.gpu) launch.gpu = other && *other->report.gpu->id ? other->report.gpu->id : "h200";
    const int status = argv[0] ? hw_diff_run(&launch, arena, profile) : HW_EXIT_USAGE;
    free(argv[0]);
    return status;
}

// Profiles first, since they say on which GPU a program is to be run.
static int take_sides(const diff_words *words, hw_arena *arena, hw_profile sides[2]) {
    bool is_profile[2];
    int status = 0;
    for (int s = 0; s < 2 && !status; s++) {
        is_profile[s] = hw_diff_is_profile(words->words[s]);
        if (is_profile[s]) status = hw_diff_read(words->words[s], arena, &sides[s]);
    }
    if (!status && is_profile[0] && is_profile[1] && words->n_words > 2) {
        hw_cli_complain("two profiles are compared as they are: '%s' is one word too many", words->words[2]);
        status = HW_EXIT_USAGE;
    }
    for (int s = 0; s < 2 && !status; s++)
        if (!is_profile[s])
            status = run_program(words, s, is_profile[1 - s] ? &sides[1 - s] : NULL, arena, &sides[s]);
    return status;
}

typedef struct shown_diff {
    const hw_diff *diff;
    hw_diff_format format;
    hw_diff_look look;
} shown_diff;

static bool write_shown(const void *context, FILE *out) {
    const shown_diff *shown = context;
    return hw_diff_write(shown->diff, shown->format, &shown->look, out);
}

static int write_diff(const shown_diff *shown, const char *output) {
    char *text = NULL;
    size_t bytes = 0;
    int status = 0;
    FILE *memory = open_memstream(&text, &bytes);
    bool good = memory && write_shown(shown, memory);
    if (memory && fclose(memory) != 0) good = false;
    if (!good) {
        hw_cli_complain("out of memory");
        status = HW_EXIT_USAGE;
    } else if (output) status = hw_cli_write_file(output, text, bytes);
    else fwrite(text, 1, bytes, stdout);
    free(text);
    return status;
}

static int deliver_diff(const diff_words *words, const hw_diff *diff) {
    shown_diff shown = {diff, words->format, {
        .old_name = words->words[0], .new_name = words->words[1], .least_pct = words->options.least_pct,
        .colour = hw_cli_wants_colour(words->output, HW_REPORT_TABLE), .width = hw_cli_table_width(words->output)}};
    const int status = write_diff(&shown, words->output);
    if (status || !words->page) return status;
    hw_cli_html_page page = {0};
    shown.format = HW_DIFF_JSON;
    hw_cli_html_add(&page, "diff", write_shown, &shown);
    return hw_cli_html_deliver(&page, words->page, "What has changed");
}

static int compare(const diff_words *words, hw_arena *arena) {
    hw_profile sides[2];
    hw_diff diff;
    hw_diag diag = {0};
    int status = take_sides(words, arena, sides);
    if (status) return status;
    const hw_status made = hw_diff_make(&sides[0], &sides[1], &words->options, arena, &diff, &diag);
    if (made) return hw_cli_fail(made, &diag);
    status = deliver_diff(words, &diff);
    return status ? status : diff.n_slower ? HW_EXIT_FOUND : 0;
}

static int take_compile_option(void *options, char **argv, bool *complained) {
    return hw_cli_launch_take(&((diff_words *)options)->launch, argv, complained);
}

static int read_and_compare(diff_words *words, int argc, char **argv) {
    static const hw_cli_syntax syntax = {"diff", diff_option_rows, sizeof diff_option_rows / sizeof diff_option_rows[0],
                                         MOST_WORDS};
    int status = hw_cli_parse_with(&syntax, take_compile_option, words, argc, argv, words->words, &words->n_words);
    if (!status && words->n_words < 2) {
        hw_cli_complain("diff takes two profiles or programs: halfwarp diff OLD NEW");
        status = HW_EXIT_USAGE;
    }
    if (status) return status;
    hw_arena *arena = hw_arena_create();
    if (!arena) hw_cli_complain("out of memory");
    status = arena ? compare(words, arena) : HW_EXIT_USAGE;
    hw_arena_destroy(arena);
    return status;
}

static int diff_main(int argc, char **argv) {
    diff_words words = {.options = {.least_pct = 1, .lines = true},
                        .launch = {.format = "json", .lines = true, .lines_of = HW_LINES_OF_KERNEL}};
    words.launch.compile_options = calloc((size_t)argc + 1, sizeof *words.launch.compile_options);
    int status = HW_EXIT_USAGE;
    if (words.launch.compile_options) status = read_and_compare(&words, argc, argv);
    else hw_cli_complain("out of memory");
    hw_cli_launch_free(&words.launch);
    return status;
}

const hw_command hw_cmd_diff = {"diff", "what has changed between two profiles or programs", diff_help, diff_main};
