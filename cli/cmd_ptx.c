// halfwarp ptx: the device code of a program as text.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/array_file.h"
#include "run/launch.h"
#include "options.h"
#include "toolchain/toolchain.h"
#include "output/whole_file.h"

static const char help[] =
    "usage: halfwarp ptx [OPTIONS] PROG\n"
    "\n"
    "Prints the PTX of PROG, a .cu file or an executable, as the GPU would be given it: that is what is simulated.\n"
    "\n"
    "  --gpu G           the GPU; h200 unless given; `halfwarp gpus` lists them\n"
    "  -o FILE           write it to FILE and not to standard output\n"
    "  --compiler C      nvcc or clang for a .cu file; unless given nvcc where it is on PATH, else clang\n"
    "  -I -D -U -std= -O -use_fast_math -maxrregcount= ...\n"
    "                    for the compiler of a .cu file, as nvcc takes them\n";

typedef struct ptx_words {
    hw_cli_launch launch;
    const char *output;
    FILE *text;
    size_t pieces;
} ptx_words;

static bool set_gpu(void *options, const char *value) {
    const hw_gpu *gpu = hw_cli_find_gpu(value);
    if (gpu) ((ptx_words *)options)->launch.gpu = gpu->id;
    return gpu != NULL;
}

static bool set_output(void *options, const char *value) {
    ((ptx_words *)options)->output = value;
    return hw_cli_is_file_name("-o", value);
}

static bool set_compiler(void *options, const char *value) {
    ((ptx_words *)options)->launch.compiler = value;
    if (!strcmp(value, "nvcc") || !strcmp(value, "clang")) return true;
    hw_cli_complain("--compiler is nvcc or clang, and not '%s'", value);
    return false;
}

static const hw_cli_option options_table[] = {
    {"--gpu", true, set_gpu}, {"-o", true, set_output}, {"--compiler", true, set_compiler},
};

static int take_compile_option(void *options, char **argv, bool *complained) {
    return hw_cli_launch_take(&((ptx_words *)options)->launch, argv, complained);
}

// A program of several files has several texts.
static hw_status take_ptx(void *user, const char *ptx, size_t length, hw_diag *diag) {
    ptx_words *words = user;
    if (words->pieces++) fputc('\n', words->text);
    fwrite(ptx, 1, length, words->text);
    if (length && ptx[length - 1] != '\n') fputc('\n', words->text);
    return ferror(words->text) ? hw_diag_no_memory(diag) : HW_OK;
}

static int collect(ptx_words *words) {
    char *executable = NULL, compiler[HW_CLI_COMPILER_NAME];
    hw_diag diag = {0};
    const char *program = words->launch.program[0];
    int result = hw_cli_launch_find(&words->launch, &executable, compiler);
    if (result) return result;
    hw_status status = hw_toolchain_each_ptx(executable, program, hw_gpu_find(words->launch.gpu)->arch->cc, take_ptx,
                                             words, &diag);
    free(executable);
    return status ? hw_cli_fail(status, &diag) : 0;
}

static int deliver(const ptx_words *words, const char *text, size_t bytes) {
    if (words->output) return hw_cli_write_file(words->output, text, bytes);
    fwrite(text, 1, bytes, stdout);
    return 0;
}

static int ptx_main(int argc, char **argv) {
    static const hw_cli_syntax syntax = {"ptx", options_table, sizeof options_table / sizeof options_table[0], 1};
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
        if (words.text) status = collect(&words);
        else hw_cli_complain("out of memory");
        if (!words.text || fclose(words.text) != 0) status = status ? status : HW_EXIT_USAGE;
        if (!status) status = deliver(&words, text, bytes);
        free(text);
    }
    hw_cli_launch_free(&words.launch);
    return status;
}

const hw_command hw_cmd_ptx = {"ptx", "show the PTX of a program", help, ptx_main};
