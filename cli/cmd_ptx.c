// halfwarp ptx: the device code of a program as text.
#define _GNU_SOURCE
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/array_file.h"
#include "base/arena.h"
#include "base/demangle.h"
#include "run/launch.h"
#include "options.h"
#include "report/text.h"
#include "toolchain/binary/ptx_link.h"
#include "toolchain/toolchain.h"
#include "output/whole_file.h"

static const char ptx_help[] =
    "usage: halfwarp ptx [OPTIONS] PROG\n"
    "\n"
    "Prints the PTX of PROG, a .cu file, an executable or a .fatbin file, as the GPU\n"
    "would be given it: that is what is simulated.\n"
    "\n"
    "  --gpu G           the GPU; h200 unless given; `halfwarp gpus` lists them\n"
    "  --kernel REGEX    only the kernels whose names this extended regular\n"
    "                    expression matches somewhere, and what they need\n"
    "  -o FILE           write it to FILE and not to standard output\n"
    "  --compiler C      nvcc or clang for a .cu file; unless given nvcc where it is\n"
    "                    on PATH, else clang\n"
    "  -I -D -U -std= -O -use_fast_math -maxrregcount= ... for the compiler of a .cu\n"
    "                    file, as nvcc takes them\n";

typedef struct ptx_words {
    hw_cli_launch launch;
    const char *output, *kernel;
    regex_t expression;       // of kernel, unless that is NULL
    FILE *text;
    size_t pieces, kernels;   // kernels: that were wanted
    char seen[512];           // names of the kernels that are there, for a complaint
} ptx_words;

static bool set_gpu(void *options, const char *value) {
    const hw_gpu *gpu = hw_cli_find_gpu(value);
    if (gpu) ((ptx_words *)options)->launch.gpu = hw_cli_gpu_word(gpu);
    return gpu != NULL;
}

static bool set_output(void *options, const char *value) {
    ((ptx_words *)options)->output = value;
    return hw_cli_is_file_name("-o", value) && !hw_cli_try_file(value);
}

static bool set_compiler(void *options, const char *value) {
    ((ptx_words *)options)->launch.compiler = value;
    if (!strcmp(value, "nvcc") || !strcmp(value, "clang")) return true;
    hw_cli_complain("--compiler is nvcc or clang, and not '%s'", value);
    return false;
}

static bool set_kernel(void *options, const char *value) {
    ptx_words *words = options;
    if (words->kernel) regfree(&words->expression);
    words->kernel = hw_cli_compile_kernel("--kernel", value, &words->expression) ? value : NULL;
    return words->kernel != NULL;
}

static const hw_cli_option ptx_option_rows[] = {
    {"--gpu", true, set_gpu}, {"-o", true, set_output}, {"--compiler", true, set_compiler},
    {"--kernel", true, set_kernel},
};

static int take_compile_option(void *options, char **argv, bool *complained) {
    return hw_cli_launch_take(&((ptx_words *)options)->launch, argv, complained);
}

// By the name that profile shows, or the one in the text.
static bool is_wanted(void *user, const char *kernel) {
    ptx_words *words = user;
    char name[2048], short_name[128];
    hw_demangle(kernel, name, sizeof name);
    size_t used = strlen(words->seen);
    snprintf(words->seen + used, sizeof words->seen - used, "%s%s", used ? ", " : "",
             hw_report_short_name(name, short_name, sizeof short_name));
    return regexec(&words->expression, name, 0, NULL, 0) == 0 || regexec(&words->expression, kernel, 0, NULL, 0) == 0;
}

static hw_status take_text(ptx_words *words, const char *ptx, size_t length, hw_diag *diag) {
    if (words->pieces++) fputc('\n', words->text);
    fwrite(ptx, 1, length, words->text);
    if (length && ptx[length - 1] != '\n') fputc('\n', words->text);
    return ferror(words->text) ? hw_diag_no_memory(diag) : HW_OK;
}

// A program of several files has several texts.
static hw_status add_ptx(void *user, const hw_ptx_piece *piece, hw_diag *diag) {
    ptx_words *words = user;
    if (!words->kernel) return take_text(words, piece->ptx, piece->length, diag);
    hw_arena *arena = hw_arena_create();
    char *part;
    size_t kernels, length;
    if (!arena) return hw_diag_no_memory(diag);
    hw_status status = hw_ptx_link_select(piece->ptx, is_wanted, words, arena, &part, &length, &kernels, diag);
    if (!status && kernels) status = take_text(words, part, length, diag);
    words->kernels += status ? 0 : kernels;
    hw_arena_destroy(arena);
    return status;
}

static int collect_ptx(ptx_words *words) {
    char *executable = NULL, compiler[HW_CLI_COMPILER_NAME];
    hw_diag diag = {0};
    const char *program = words->launch.program[0];
    int result = hw_cli_launch_find(&words->launch, &executable, compiler);
    if (result) return result;
    const int cc = hw_cli_find_gpu(words->launch.gpu)->arch->cc;
    hw_status status = hw_toolchain_each_ptx(executable, program, cc, add_ptx, words, &diag);
    free(executable);
    if (status) return hw_cli_fail(status, &diag);
    if (!words->kernel || words->kernels) return 0;
    hw_cli_complain("no kernel of %s has a name that '%s' matches; it has %s", program, words->kernel,
                    *words->seen ? words->seen : "none");
    return HW_EXIT_USAGE;
}

static int deliver_ptx(const ptx_words *words, const char *text, size_t bytes) {
    if (words->output) return hw_cli_write_file(words->output, text, bytes);
    fwrite(text, 1, bytes, stdout);
    return 0;
}

static int ptx_main(int argc, char **argv) {
    static const hw_cli_syntax syntax = {"ptx", ptx_option_rows, sizeof ptx_option_rows / sizeof ptx_option_rows[0], 1};
    const char *program = NULL;
    int n_words;
    ptx_words words = {.launch = {.gpu = "h200"}};
    words.launch.compile_options = calloc((size_t)argc + 1, sizeof *words.launch.compile_options);
    int status = words.launch.compile_options ? 0 : HW_EXIT_USAGE;
    if (status) hw_cli_complain("out of memory");
    if (!status) status = hw_cli_parse_with(&syntax, take_compile_option, &words, argc, argv, &program, &n_words);
    if (!status && !program) {
        hw_cli_complain("which program? Usage: halfwarp ptx [OPTIONS] PROG");
        status = HW_EXIT_USAGE;
    }
    if (!status) {
        char *text = NULL, *program_words[] = {(char *)program, NULL};
        size_t bytes = 0;
        words.launch.program = program_words;
        words.text = open_memstream(&text, &bytes);
        if (words.text) status = collect_ptx(&words);
        else hw_cli_complain("out of memory");
        if (!words.text || fclose(words.text) != 0) status = status ? status : HW_EXIT_USAGE;
        if (!status) status = deliver_ptx(&words, text, bytes);
        free(text);
    }
    if (words.kernel) regfree(&words.expression);
    hw_cli_launch_free(&words.launch);
    return status;
}

const hw_command hw_cmd_ptx = {"ptx", "show the PTX of a program", ptx_help, ptx_main};
