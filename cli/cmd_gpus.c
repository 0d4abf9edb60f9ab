// halfwarp gpus: the GPUs that --gpu knows.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "io/gpu_file.h"
#include "report/grid.h"
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

// "80 GB", "320 MB", "60 MB", "768 KB", as products are sold; "-" where there is none or it is not known.
static const char *size_text(uint64_t kib, char text[16]) {
    static const char units[] = "KMG";
    double size = (double)kib;
    int unit = 0;
    for (; size >= 1000 && unit < 2; unit++) size /= 1024;
    if (kib) snprintf(text, 16, "%.3g %cB", size, units[unit]);
    else strcpy(text, "-");
    return text;
}

enum { G_ID, G_CC, G_SMS, G_MHZ, G_GBS, G_MEMORY, G_L2, G_CHIP, G_NAME, G_COLUMNS };

// The name is the one that is spared: the first column says nearly the same.
static const hw_grid_column table_columns[G_COLUMNS] = {
    [G_ID] = {"", "gpu", HW_GRID_LEFT | HW_GRID_KEY},
    [G_CC] = {"", "cc", 0},
    [G_SMS] = {"", "SMs", 0},
    [G_MHZ] = {"", "MHz", 0},
    [G_GBS] = {"", "GB/s", 0},
    [G_MEMORY] = {"", "memory", 0},
    [G_L2] = {"", "L2", 0},
    [G_CHIP] = {"", "chip", HW_GRID_LEFT},
    [G_NAME] = {"", "name", HW_GRID_LEFT | HW_GRID_SPARED},
};

static void table_row(const void *context, size_t row, hw_grid_cell *cells) {
    const hw_gpu *gpu = ((const gpus_list *)context)->gpus[row];
    char text[16];
    snprintf(cells[G_ID].text, HW_GRID_CELL, "%s", gpu->id);
    snprintf(cells[G_CC].text, HW_GRID_CELL, "%d.%d", gpu->arch->cc / 10, gpu->arch->cc % 10);
    snprintf(cells[G_SMS].text, HW_GRID_CELL, "%u", gpu->sms);
    snprintf(cells[G_MHZ].text, HW_GRID_CELL, "%u", gpu->clock_mhz);
    snprintf(cells[G_GBS].text, HW_GRID_CELL, "%.4g", gpu->memory_gbs);
    snprintf(cells[G_MEMORY].text, HW_GRID_CELL, "%s", size_text(gpu->memory_bytes >> 10, text));
    snprintf(cells[G_L2].text, HW_GRID_CELL, "%s", size_text(gpu->l2_kib, text));
    snprintf(cells[G_CHIP].text, HW_GRID_CELL, "%s", gpu->chip);
    snprintf(cells[G_NAME].text, HW_GRID_CELL, "%s", gpu->name);
}

// The generation, where the list has more than one GPU.
static const char *table_section(const void *context, size_t row) {
    const gpus_list *list = context;
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
    if (!sorted.gpus) return false;
    hw_grid_write(&(hw_grid){.columns = table_columns, .n_columns = G_COLUMNS, .width = list->width,
                             .n_rows = list->count, .row = table_row, .section = table_section, .context = &sorted,
                             .elsewhere = "--format csv"},
                  colour, out);
    free(sorted.gpus);
    return true;
}

static void write_csv_cell(const hw_gpu *gpu, const hw_gpu_field *field, FILE *out) {
    const void *at = (const char *)gpu + field->offset;
    switch (field->kind) {
    case HW_GPU_TEXT: hw_cli_write_quoted(*(const char *const *)at, out); break;
    case HW_GPU_CAPABILITY: fprintf(out, "%d.%d", gpu->arch->cc / 10, gpu->arch->cc % 10); break;
    case HW_GPU_U32: fprintf(out, "%u", *(const uint32_t *)at); break;
    case HW_GPU_U64: fprintf(out, "%llu", (unsigned long long)*(const uint64_t *)at); break;
    case HW_GPU_REAL: fprintf(out, "%.10g", *(const double *)at); break;
    }
}

static void write_csv(const gpus_list *list, FILE *out) {
    const hw_gpu_field *field;
    for (size_t k = 0; (field = hw_gpu_field_at(k)); k++) fprintf(out, "%s%s", k ? "," : "", field->key);
    fputc('\n', out);
    for (size_t i = 0; i < list->count; i++) {
        for (size_t k = 0; (field = hw_gpu_field_at(k)); k++) {
            if (k) fputc(',', out);
            write_csv_cell(list->gpus[i], field, out);
        }
        fputc('\n', out);
    }
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
