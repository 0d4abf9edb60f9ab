// halfwarp gpus: the GPUs that --gpu knows.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "io/gpu_file.h"
#include "run/report_options.h"
#include "output/text_output.h"

static const char help[] =
    "usage: halfwarp gpus [OPTIONS] [WORDS]\n"
    "\n"
    "Lists the GPUs that --gpu knows: its name there, compute capability, multiprocessors, clock, memory bandwidth in\n"
    "10^9 bytes per second, memory, second-level cache, chip, and the product's name. With words only those GPUs that\n"
    "have all of them in their names, chip or generation (`halfwarp gpus rtx 30`, `halfwarp gpus hopper`); words that\n"
    "are the name of one GPU, or of a file with one, list that one alone.\n"
    "\n"
    "  --cc C            only those of compute capability C, such as 8.6\n"
    "  --format F        table (as it is unless given), csv or json, with all figures and their source; the json of\n"
    "                    one GPU, changed and kept in a file, is what --gpu FILE.json takes\n"
    "  -o FILE           write that to FILE and not to standard output\n";

enum { MAX_WORDS = 8 };

typedef struct gpus_words {
    hw_cli_report_words report;
    const char *cc;
} gpus_words;

typedef struct gpus_list {
    const hw_gpu **gpus;
    size_t count;
} gpus_list;

// ---- Options --------------------------------------------------------------------------------------------------------

static bool set_cc(void *options, const char *value) {
    ((gpus_words *)options)->cc = value;
    if (hw_arch_named(value)) return true;
    hw_cli_complain("--cc is a compute capability, like 8.6, and '%s' is none", value);
    return false;
}

static const hw_cli_option options_table[] = {
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

static void write_table_row(const hw_gpu *gpu, FILE *out) {
    char memory[16], l2[16];
    fprintf(out, "%-22s %2d.%d %4u %5u %6.4g %7s %7s  %-6s %s\n", gpu->id, gpu->arch->cc / 10, gpu->arch->cc % 10,
            gpu->sms, gpu->clock_mhz, gpu->memory_gbs, size_text(gpu->memory_bytes >> 10, memory),
            size_text(gpu->l2_kib, l2), gpu->chip, gpu->name);
}

// Grouped by generation, in the order of the compute capabilities.
static void write_table(const gpus_list *list, FILE *out) {
    const hw_arch *arch;
    const char *done = "";
    fprintf(out, "%-22s %4s %4s %5s %6s %7s %7s  %-6s %s\n", "gpu", "cc", "SMs", "MHz", "GB/s", "memory", "L2", "chip",
            "name");
    for (size_t a = 0; (arch = hw_arch_at(a)); a++) {
        bool is_begun = strcmp(arch->generation, done) == 0;
        if (is_begun) continue;
        done = arch->generation;
        for (size_t i = 0; i < list->count; i++) {
            if (strcmp(list->gpus[i]->arch->generation, done)) continue;
            if (!is_begun && list->count > 1) fprintf(out, "\n%s\n", done);
            is_begun = true;
            write_table_row(list->gpus[i], out);
        }
    }
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

static bool write_list(const void *context, hw_report_format format, bool colour, FILE *out) {
    const gpus_list *list = context;
    (void)colour;
    if (format == HW_REPORT_JSON) return hw_gpu_write_json(list->gpus, list->count, out);
    if (format == HW_REPORT_CSV) write_csv(list, out);
    else write_table(list, out);
    return true;
}

static int gpus_main(int argc, char **argv) {
    static const hw_cli_syntax syntax = {"gpus", options_table, sizeof options_table / sizeof options_table[0],
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
    if (!status) status = hw_cli_text_deliver(options.report.output, options.report.format, write_list, &list);
    free(list.gpus);
    return status;
}

const hw_command hw_cmd_gpus = {"gpus", "list the GPUs that can be simulated", help, gpus_main};
