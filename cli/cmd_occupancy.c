// halfwarp occupancy: the occupancy calculator, of a launch by its numbers or of a program's kernels.
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "html/html.h"
#include "occupancy/occupancy.h"
#include "occupancy/occupancy_curves.h"
#include "occupancy/occupancy_kernels.h"
#include "run/report_options.h"
#include "output/text_output.h"

static const char occupancy_help[] =
    "usage: halfwarp occupancy --gpu G --block N [--regs R] [--smem S] [OPTIONS]\n"
    "       halfwarp occupancy --gpu G [--block N] [OPTIONS] PROG\n"
    "\n"
    "How many blocks and warps of a launch one multiprocessor holds, which limit\n"
    "stops it there, and the block sizes that do better. With PROG, a .cu or .ptx\n"
    "file or an executable, the same for each of its kernels; it is not run.\n"
    "\n"
    "  --gpu G           the GPU; h200 unless given; `halfwarp gpus` lists them; or a\n"
    "                    FILE.json of one\n"
    "  --block N         threads per block, 256 or 32x8; of a PROG each kernel's best\n"
    "                    size unless given\n"
    "  --regs R          registers per thread; no limit unless given. Of a PROG they\n"
    "                    come from ptxas where there is one that knows the GPU, else\n"
    "                    they are estimated\n"
    "  --smem S          bytes of shared memory per block, 20000 or 48KiB; 0 unless\n"
    "                    given. Of a PROG the dynamic part, beside what its kernels\n"
    "                    declare\n"
    "  --format F        table (as it is unless given), csv or json\n"
    "  -o FILE           write that to FILE and not to standard output\n"
    "  --plot FILE       a picture as well, .svg, or .png by rsvg-convert: warps\n"
    "                    against block size, registers and shared memory, with the\n"
    "                    launch marked\n"
    "  --report FILE     write a page with it, FILE.html, for a browser\n"
    "  --compiler C      nvcc or clang for a .cu file; unless given nvcc where it is\n"
    "                    on PATH, else clang\n"
    "  -I -D -U -std= -O -use_fast_math -maxrregcount= ... for the compiler of a .cu\n"
    "                    file, as nvcc takes them\n";

typedef struct occupancy_words {
    hw_cli_report_words report;
    const hw_gpu *gpu;
    uint32_t shape[3], regs, smem;  // shape[0] 0: no block was told
    bool has_regs, has_smem;
    const char *compiler;
    const char **compile_options;   // room for all of argv
    int n_compile_options;
    uint32_t max_regs;
} occupancy_words;

// ---- Options --------------------------------------------------------------------------------------------------------

static bool set_gpu(void *options, const char *value) {
    occupancy_words *words = options;
    words->gpu = hw_cli_find_gpu(value);
    return words->gpu != NULL;
}

// A number from least to most, and what follows it.
static bool read_number(const char *text, uint32_t least, uint32_t most, uint32_t *number, const char **end) {
    char *stop;
    errno = 0;
    if (!isdigit((unsigned char)*text)) return false;
    unsigned long long value = strtoull(text, &stop, 10);
    *number = (uint32_t)value;
    *end = stop;
    return !errno && value >= least && value <= most;
}

static bool set_block(void *options, const char *value) {
    enum { MOST = 65536 };
    occupancy_words *words = options;
    const char *at = value;
    uint32_t side, threads = 1;
    words->shape[0] = words->shape[1] = words->shape[2] = 1;
    for (int i = 0; i < 3 && read_number(at, 1, MOST, &side, &at); i++) {
        if ((uint64_t)threads * side > MOST) break;
        threads *= side;
        words->shape[i] = side;
        if (!*at) return true;
        if (*at++ != 'x') break;
    }
    hw_cli_complain("--block is a number of threads, like 256, or a shape, like 32x8; and not '%s'", value);
    return false;
}

static bool set_regs(void *options, const char *value) {
    enum { MOST = 65536 };
    occupancy_words *words = options;
    const char *end;
    words->has_regs = true;
    if (read_number(value, 0, MOST, &words->regs, &end) && !*end) return true;
    hw_cli_complain("--regs is a number of registers per thread, like 32, and not '%s'", value);
    return false;
}

static bool set_smem(void *options, const char *value) {
    enum { MOST = 1 << 30 };
    unsigned long long bytes = 0;
    bool good = strcmp(value, "0") == 0 || hw_cli_parse_bytes(value, &bytes);
    ((occupancy_words *)options)->smem = (uint32_t)bytes;
    ((occupancy_words *)options)->has_smem = true;
    if (good && bytes <= MOST) return true;
    hw_cli_complain("--smem is a number of bytes per block, like 20000 or 48KiB, and not '%s'", value);
    return false;
}

static bool set_compiler(void *options, const char *value) {
    ((occupancy_words *)options)->compiler = value;
    if (!strcmp(value, "nvcc") || !strcmp(value, "clang")) return true;
    hw_cli_complain("--compiler is nvcc or clang, and not '%s'", value);
    return false;
}

static const hw_cli_option occupancy_option_rows[] = {
    {"--gpu", true, set_gpu},   {"--block", true, set_block},   {"--regs", true, set_regs},
    {"--smem", true, set_smem}, {"--compiler", true, set_compiler}, HW_CLI_REPORT_OPTIONS,
};

static int take_compile_option(void *options, char **argv, bool *complained) {
    occupancy_words *words = options;
    int count = hw_cli_compile_option_words(argv);
    for (int i = 0; i < count; i++) {
        if (!argv[i]) {
            hw_cli_complain("%s takes a value", argv[0]);
            *complained = true;
            return 0;
        }
        words->compile_options[words->n_compile_options++] = argv[i];
    }
    *complained = !hw_cli_compile_option_max_regs(argv, count, &words->max_regs);
    return *complained ? 0 : count;
}

// What only a program, or only a launch by its numbers, can be asked.
static int check_words(const occupancy_words *words, const char *program) {
    if (program && words->has_regs) {
        hw_cli_complain("--regs is for a launch by its numbers; the registers of %s come from its compiler", program);
        return HW_EXIT_USAGE;
    }
    if (!program && !words->shape[0]) {
        hw_cli_complain("how many threads? Usage: halfwarp occupancy --gpu G --block N [--regs R] [--smem S], "
                        "or a .cu file");
        return HW_EXIT_USAGE;
    }
    if (!program && words->n_compile_options) {
        hw_cli_complain("%s is for the compiler of a .cu file", words->compile_options[0]);
        return HW_EXIT_USAGE;
    }
    return 0;
}

// ---- The command ----------------------------------------------------------------------------------------------------

static bool write_occupancy(const void *list, hw_report_format format, bool colour, FILE *out) {
    return hw_occupancy_write(list, format, colour, out);
}

static bool write_json_part(const void *list, FILE *out) {
    return hw_occupancy_write(list, HW_REPORT_JSON, false, out);
}

// [the curves of each row]
static bool write_curves(const void *context, FILE *out) {
    const hw_occupancy_list *list = context;
    json_t *all = json_array();
    bool good = all != NULL;
    for (size_t i = 0; good && i < list->n_rows; i++)
        good = json_array_append_new(all, hw_occupancy_curves_json(list, &list->rows[i])) == 0;
    good = good && json_dumpf(all, out, JSON_COMPACT) == 0;
    json_decref(all);
    return good;
}

static int deliver_page(const hw_occupancy_list *list, const char *path) {
    hw_cli_html_page page = {0};
    hw_cli_html_add(&page, "occupancy", write_json_part, list);
    hw_cli_html_add(&page, "curves", write_curves, list);
    return hw_cli_html_deliver(&page, path, list->program ? list->program : "Occupancy");
}

static int deliver_occupancy(hw_occupancy_list *list, const occupancy_words *words) {
    const hw_cli_report_words *report = &words->report;
    list->width = hw_cli_table_width(report->output);
    int status = hw_cli_text_deliver(report->output, report->format, write_occupancy, list);
    if (!status && report->plot) status = hw_occupancy_draw(list, report->plot);
    return status || !report->page ? status : deliver_page(list, report->page);
}

static void take_block(const occupancy_words *words, hw_occupancy_row *row) {
    memcpy(row->shape, words->shape, sizeof row->shape);
    row->block = words->shape[0] * words->shape[1] * words->shape[2];
}

static uint32_t best_block(const hw_occupancy_list *list, const hw_occupancy_row *row) {
    uint32_t block = hw_model_occupancy_best_block(list->gpu->arch, row->regs, row->smem_static + row->smem_dynamic,
                                                   row->most_threads);
    return block ? block : 32;
}

static int answer_program(const occupancy_words *words, char *program) {
    char *argv[] = {program, NULL};
    const hw_cli_launch launch = {.gpu = hw_cli_gpu_word(words->gpu), .compiler = words->compiler, .program = argv,
                                  .compile_options = words->compile_options,
                                  .n_compile_options = words->n_compile_options,
                                  .max_regs = words->max_regs, .wants_compiler_name = true};
    hw_occupancy_list list = {.gpu = words->gpu, .program = program, .block_is_best = !words->shape[0],
                              .has_smem = words->has_smem};
    int status = hw_occupancy_find_kernels(&launch, &list);
    for (size_t i = 0; !status && i < list.n_rows; i++) {
        hw_occupancy_row *row = &list.rows[i];
        row->smem_dynamic = words->smem;
        if (words->shape[0]) take_block(words, row);
        else row->block = best_block(&list, row);
        hw_occupancy_hold(&list, row);
    }
    if (!status) status = deliver_occupancy(&list, words);
    hw_occupancy_free_rows(&list);
    return status;
}

static int answer_numbers(const occupancy_words *words) {
    hw_occupancy_row row = {.regs = words->regs, .smem_dynamic = words->smem};
    hw_occupancy_list list = {.gpu = words->gpu, .rows = &row, .n_rows = 1};
    take_block(words, &row);
    hw_occupancy_hold(&list, &row);
    return deliver_occupancy(&list, words);
}

static int occupancy_main(int argc, char **argv) {
    static const hw_cli_syntax syntax = {"occupancy", occupancy_option_rows,
                                         sizeof occupancy_option_rows / sizeof occupancy_option_rows[0], 1};
    occupancy_words words = {.gpu = hw_gpu_find("h200"), .report.format = HW_REPORT_TABLE};
    const char *program = NULL;
    int n_words;
    words.compile_options = calloc((size_t)argc + 1, sizeof *words.compile_options);
    if (!words.compile_options) {
        hw_cli_complain("out of memory");
        return HW_EXIT_USAGE;
    }
    int status = hw_cli_parse_with(&syntax, take_compile_option, &words, argc, argv, &program, &n_words);
    if (!status) status = check_words(&words, program);
    if (!status) status = program ? answer_program(&words, (char *)program) : answer_numbers(&words);
    free(words.compile_options);
    return status;
}

const hw_command hw_cmd_occupancy = {"occupancy", "how many warps a multiprocessor holds, and why not more",
                                     occupancy_help, occupancy_main};
