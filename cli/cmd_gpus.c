// halfwarp gpus: the GPUs that --gpu knows.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "io/gpu_file.h"
#include "report/fields.h"
#include "report/sheet.h"
#include "run/report_options.h"
#include "output/text_output.h"

static const char gpus_help[] =
    "usage: halfwarp gpus [OPTIONS] [WORDS]\n"
    "\n"
    "Lists the GPUs that --gpu knows: its name there, compute capability,\n"
    "multiprocessors, clock, memory bandwidth in 10^9 bytes per second, memory,\n"
    "second-level cache, chip, and the product's name. With words only those GPUs\n"
    "that have all of them in their names, chip or generation (`halfwarp gpus rtx\n"
    "30`, `halfwarp gpus hopper`); words that are the name of one GPU, or of a file\n"
    "with one, list that one alone.\n"
    "\n"
    "  --cc C            only those of compute capability C, such as 8.6\n"
    "  --format F        table (as it is unless given), csv or json, with all figures\n"
    "                    and their source; the json of one GPU, changed and kept in a\n"
    "                    file, is what --gpu FILE.json takes\n"
    "  -o FILE           write that to FILE and not to standard output\n";

enum { MAX_WORDS = 8 };

typedef struct gpus_words {
    hw_cli_report_words report;
    const char *cc;
} gpus_words;

typedef struct gpus_list {
    const hw_gpu **gpus;
    size_t count;
    int width;            // characters that the table's lines fit
} gpus_list;

// ---- Options --------------------------------------------------------------------------------------------------------

static bool set_cc(void *options, const char *value) {
    ((gpus_words *)options)->cc = value;
    if (hw_arch_named(value)) return true;
    hw_cli_complain("--cc is a compute capability, like 8.6, and '%s' is none", value);
    return false;
}

static const hw_cli_option gpus_option_rows[] = {
    {"--cc", true, set_cc}, {"--format", true, hw_cli_set_format}, {"-o", true, hw_cli_set_output},
};

// ---- Which ----------------------------------------------------------------------------------------------------------

static void select_gpus(const char *words, const char *cc, gpus_list *list) {
    const hw_arch *arch = cc ? hw_arch_named(cc) : NULL;
    const hw_gpu *gpu, *named = cc ? NULL : hw_gpu_find(words);
    for (size_t i = 0; (gpu = hw_gpu_at(i)); i++)
        if ((!arch || gpu->arch == arch) && (named ? gpu == named : hw_gpu_has_words(gpu, words)))
            list->gpus[list->count++] = gpu;
}

// 0, or HW_EXIT_USAGE after a complaint.
static int find_gpus(const gpus_words *options, const char *words, gpus_list *list) {
    size_t all = 0;
    while (hw_gpu_at(all)) all++;
    if (!(list->gpus = calloc(all, sizeof(const hw_gpu *)))) {
        hw_cli_complain("out of memory");
        return HW_EXIT_USAGE;
    }
    if (hw_gpu_is_file(words)) {
        list->gpus[0] = hw_cli_find_gpu(words);
        list->count = list->gpus[0] != NULL;
        return list->count ? 0 : HW_EXIT_USAGE;
    }
    select_gpus(words, options->cc, list);
    if (list->count) return 0;
    if (options->cc) hw_cli_complain("no GPU of compute capability %s has '%s' in its name", options->cc, words);
    else hw_cli_find_gpu(words);   // which complains, and proposes
    return HW_EXIT_USAGE;
}

// ---- Writing --------------------------------------------------------------------------------------------------------

static const hw_gpu *gpu_of(const void *subject) {
    const hw_row *row = subject;
    return ((const gpus_list *)row->of)->gpus[row->index];
}

#define READER(reader, value)                                                                                         \
    static hw_value reader(const hw_column *column, const void *subject) {                                            \
        const hw_gpu *gpu = gpu_of(subject);                                                                          \
        (void)column;                                                                                                 \
        return value;                                                                                                 \
    }

READER(read_id, hw_value_text(gpu->id))
READER(read_capability, hw_value_capability(gpu->arch->cc))
READER(read_multiprocessors, hw_value_integer(gpu->sms))
READER(read_clock, hw_value_integer(gpu->clock_mhz))
READER(read_bandwidth, hw_value_real(gpu->memory_gbs))
READER(read_memory, hw_value_integer(gpu->memory_bytes))
READER(read_l2, hw_value_integer((uint64_t)gpu->l2_kib << 10))
READER(read_chip, hw_value_text(gpu->chip))
READER(read_name, hw_value_text(gpu->name))

// The name is the one that is spared: the first column says nearly the same.
enum { RIGHT = 0, LEFT = HW_GRID_LEFT, KEY = HW_GRID_KEY, SPARED = HW_GRID_SPARED, ZERO = HW_LOOK_ZERO,
       DIGITS = HW_LOOK_DIGITS, SOLD = HW_LOOK_SOLD };
static const hw_column table_columns[] = {
    {"", {"", "gpu", LEFT | KEY}, 0, 0, HW_UNIT_NONE, read_id, {{0}}, ""},
    {"", {"", "cc", RIGHT}, 0, 0, HW_UNIT_NONE, read_capability, {{0}}, ""},
    {"", {"", "SMs", ZERO}, 0, 0, HW_UNIT_COUNT, read_multiprocessors, {{0}}, ""},
    {"", {"", "MHz", ZERO}, 0, 0, HW_UNIT_MHZ, read_clock, {{0}}, ""},
    {"", {"", "GB/s", DIGITS}, 0, 0, HW_UNIT_GBS, read_bandwidth, {{0}}, ""},
    {"", {"", "memory", SOLD}, 0, 0, HW_UNIT_BYTES, read_memory, {{0}}, ""},
    {"", {"", "L2", SOLD}, 0, 0, HW_UNIT_BYTES, read_l2, {{0}}, ""},
    {"", {"", "chip", LEFT}, 0, 0, HW_UNIT_NONE, read_chip, {{0}}, ""},
    {"", {"", "name", LEFT | SPARED}, 0, 0, HW_UNIT_NONE, read_name, {{0}}, ""},
};
enum { N_COLUMNS = sizeof table_columns / sizeof table_columns[0] };

// The generation, where the list has more than one GPU.
static const char *generation_of(const void *of, size_t row) {
    const gpus_list *list = of;
    const char *generation = list->gpus[row]->arch->generation;
    bool is_begun = row && strcmp(list->gpus[row - 1]->arch->generation, generation) == 0;
    return list->count == 1 || is_begun ? NULL : generation;
}

// By generation, in the order of the compute capabilities; within one as they are listed. The array is the caller's.
static const hw_gpu **sorted_by_generation(const gpus_list *list) {
    const hw_gpu **sorted = calloc(list->count, sizeof *sorted);
    const hw_arch *arch;
    const char *done = "";
    size_t n = 0;
    for (size_t a = 0; sorted && (arch = hw_arch_at(a)); a++) {
        if (strcmp(arch->generation, done) == 0) continue;
        done = arch->generation;
        for (size_t i = 0; i < list->count; i++)
            if (strcmp(list->gpus[i]->arch->generation, done) == 0) sorted[n++] = list->gpus[i];
    }
    return sorted;
}

static bool write_table(const gpus_list *list, bool colour, FILE *out) {
    const gpus_list sorted = {.gpus = sorted_by_generation(list), .count = list->count};
    const hw_column *columns[N_COLUMNS];
    if (!sorted.gpus) return false;
    for (int c = 0; c < N_COLUMNS; c++) columns[c] = &table_columns[c];
    hw_sheet_write(&(hw_sheet){.columns = columns, .n_columns = N_COLUMNS, .width = list->width, .n_rows = list->count,
                               .section = generation_of, .of = &sorted, .elsewhere = "--format csv"},
                   colour, out);
    free(sorted.gpus);
    return true;
}

enum { N_FIGURES = 0
#define HW_GPU_FIELD(...) + 1
#include "io/gpu_fields.def"
#undef HW_GPU_FIELD
};

// A figure of gpu_fields.def, whose number the column has.
static hw_value read_figure(const hw_column *column, const void *subject) {
    const hw_gpu *gpu = gpu_of(subject);
    const hw_gpu_field *field = hw_gpu_field_at(column->of[0][0]);
    const void *at = (const char *)gpu + field->offset;
    switch (field->kind) {
    case HW_GPU_TEXT: return hw_value_text(*(const char *const *)at);
    case HW_GPU_CAPABILITY: return hw_value_capability(gpu->arch->cc);
    case HW_GPU_U32: return hw_value_integer(*(const uint32_t *)at);
    case HW_GPU_U64: return hw_value_integer(*(const uint64_t *)at);
    case HW_GPU_REAL: return hw_value_real(*(const double *)at);
    }
    return hw_value_nothing();
}

static void write_csv(const gpus_list *list, FILE *out) {
    enum { SIGNIFICANT = 10 };
    hw_column columns[N_FIGURES];
    hw_field fields[N_FIGURES];
    for (int i = 0; i < N_FIGURES; i++) {
        columns[i] = (hw_column){.key = hw_gpu_field_at((size_t)i)->key, .read = read_figure, .of = {{(uint8_t)i}}};
        fields[i] = (hw_field){&columns[i], SIGNIFICANT, HW_FIELD_DIGITS | HW_FIELD_QUOTED};
    }
    hw_csv_write_keys(fields, N_FIGURES, out);
    for (size_t i = 0; i < list->count; i++) hw_csv_write_row(fields, N_FIGURES, &(hw_row){list, i, NULL}, out);
}

static bool write_gpus(const void *context, hw_report_format format, bool colour, FILE *out) {
    const gpus_list *list = context;
    if (format == HW_REPORT_JSON) return hw_gpu_write_json(list->gpus, list->count, out);
    if (format == HW_REPORT_TABLE) return write_table(list, colour, out);
    write_csv(list, out);
    return true;
}

static int gpus_main(int argc, char **argv) {
    static const hw_cli_syntax syntax = {"gpus", gpus_option_rows, sizeof gpus_option_rows / sizeof gpus_option_rows[0],
                                         MAX_WORDS};
    gpus_words options = {.report.format = HW_REPORT_TABLE};
    gpus_list list = {0};
    const char *words[MAX_WORDS];
    char joined[4096] = "";
    int n_words, status = hw_cli_parse(&syntax, &options, argc, argv, words, &n_words);
    for (int i = 0; !status && i < n_words; i++) {
        size_t used = strlen(joined);
        if ((size_t)snprintf(joined + used, sizeof joined - used, "%s%s", i ? " " : "", words[i]) <
            sizeof joined - used) continue;
        hw_cli_complain("such long words are in no GPU's name");
        status = HW_EXIT_USAGE;
    }
    if (!status) status = find_gpus(&options, joined, &list);
    list.width = hw_cli_list_width(options.report.output);
    if (!status) status = hw_cli_text_deliver(options.report.output, options.report.format, write_gpus, &list);
    free(list.gpus);
    return status;
}

const hw_command hw_cmd_gpus = {"gpus", "list the GPUs that can be simulated", gpus_help, gpus_main};
