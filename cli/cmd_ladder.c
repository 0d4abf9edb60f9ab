// halfwarp ladder: every version of a family, verified, timed and counted.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/suggest.h"
#include "base/text.h"
#include "cli.h"
#include "isa/gpu.h"
#include "ladder/ladder.h"
#include "ladders/ladder_advice.h"
#include "ladders/ladder_report.h"
#include "run/report_options.h"
#include "ladders/sweep_report.h"
#include "output/text_output.h"

static const char ladder_help[] =
    "usage: halfwarp ladder FAMILY [OPTIONS]\n"
    "\n"
    "Runs every version of a family's kernels, from the naive one to the best: right\n"
    "or wrong against the reference, time, rate and its share of a copy's, the\n"
    "simulator's counters, what the step bought over the version that it builds on,\n"
    "and what the family has to say of it. `halfwarp ladder` alone names the\n"
    "families; their kernels are in kernels/FAMILY, one idea per file.\n"
    "\n"
    "  --size N|MxN|...  the family's sizes, such as 8192x6000 for the rows and\n"
    "                    columns of transpose; a wrong one says what they are. Unless\n"
    "                    given, the family's usual ones, smaller for a simulation,\n"
    "                    and for cpu so that all versions take seconds\n"
    "  --dtype T         f32, f64, u8, ...; a wrong one names them all\n"
    "  --device D        cuda:N, cpu or sim:G; unless given cuda:0 where there is\n"
    "                    one, else sim:h200. A simulation has counters and estimated\n"
    "                    times: this machine's say nothing about a GPU\n"
    "  --gpu G           the GPU that counters are simulated on (`halfwarp gpus`, or\n"
    "                    a FILE.json of one); without --device the same as sim:G\n"
    "  --gpu G,H,...     of access: no ladder, but up to 7 GPUs side by side,\n"
    "                    bandwidth by offset and by stride up to 32, and what\n"
    "                    --device measures beside them\n"
    "  --block BXxBY     the shape of blocks, for the versions that take any; all:\n"
    "                    every shape, the best with a *\n"
    "  --rung R          only this version, by number or name, and the copies\n"
    "  --advice          below the table: what would make each version faster, by the\n"
    "                    estimate, beside those that build on it\n"
    "  --format F        table (as it is unless given), csv or json\n"
    "  -o FILE           write that to FILE and not to standard output\n"
    "  --plot FILE       a picture as well, .svg, or .png by rsvg-convert: rates, or\n"
    "                    of a simulated GPU estimated times and counters; of access\n"
    "                    bandwidth by offset and by stride\n"
    "  --report FILE     write a page with it, FILE.html, for a browser\n"
    "  --seconds S       for timing each version; 0.2 unless given\n"
    "\n"
    "Exit status: 0 when every result was right; 1 when one was wrong; else as\n"
    "`halfwarp --help` says.\n";

typedef struct ladder_words {
    hw_cli_report_words report;
    const char *size, *dtype, *device, *gpu, *block, *rung;
    double seconds;
    bool advice;
} ladder_words;

// ---- Options --------------------------------------------------------------------------------------------------------

static bool set_size(void *options, const char *value) { return ((ladder_words *)options)->size = value, true; }
static bool set_dtype(void *options, const char *value) { return ((ladder_words *)options)->dtype = value, true; }
static bool set_device(void *options, const char *value) { return ((ladder_words *)options)->device = value, true; }
static bool set_block(void *options, const char *value) { return ((ladder_words *)options)->block = value, true; }
static bool set_rung(void *options, const char *value) { return ((ladder_words *)options)->rung = value, true; }

static bool set_advice(void *options, const char *value) {
    (void)value;
    ((ladder_words *)options)->advice = true;
    return true;
}

enum { MOST_LETTERS = 4096 };   // of a GPU's name, which may be a file's

// The next of "G,H,...", NULL past the last.
static const char *next_gpu(const char **list, char name[MOST_LETTERS]) {
    const char *at = *list;
    if (!at) return NULL;
    size_t length = strcspn(at, ",");
    snprintf(name, MOST_LETTERS, "%.*s", (int)length, at);
    *list = at[length] ? at + length + 1 : NULL;
    return name;
}

static bool set_gpu(void *options, const char *value) {
    ladder_words *words = options;
    char name[MOST_LETTERS];
    words->gpu = value;
    for (const char *list = value; next_gpu(&list, name);)
        if (!hw_cli_find_gpu(name)) return false;
    return true;
}

static bool set_seconds(void *options, const char *value) {
    char *end;
    double seconds = strtod(value, &end);
    ((ladder_words *)options)->seconds = seconds;
    if (end != value && !*end && seconds >= 0 && seconds <= 3600) return true;
    hw_cli_complain("--seconds is a number from 0 to 3600, and not '%s'", value);
    return false;
}

static const hw_cli_option ladder_option_rows[] = {
    {"--size", true, set_size},     {"--dtype", true, set_dtype}, {"--device", true, set_device},
    {"--gpu", true, set_gpu},       {"--block", true, set_block}, {"--rung", true, set_rung},
    {"--seconds", true, set_seconds}, {"--advice", false, set_advice}, HW_CLI_REPORT_OPTIONS,
};

// "8192x8192": up to max numbers with an x between them. Returns how many, 0 when it is anything else.
static int parse_numbers(const char *text, uint64_t *numbers, int max) {
    int count = 0;
    for (;;) {
        char *end;
        errno = 0;
        if (!isdigit((unsigned char)*text) || count == max) return 0;
        numbers[count++] = strtoull(text, &end, 10);
        if (errno) return 0;
        if (!*end) return count;
        if (*end != 'x') return 0;
        text = end + 1;
    }
}

static void complain_no_family(const char *const *names, size_t count) {
    char list[512] = "";
    for (size_t i = 0; i < count; i++) hw_text_append(list, sizeof list, "%s%s", i ? ", " : "", names[i]);
    hw_cli_complain("which family? There is %s", list);
}

static int find_family(const char *name, const hw_family **family) {
    const char *names[32], *near;
    size_t count = 0;
    *family = name ? hw_family_find(name) : NULL;
    if (*family) return 0;
    for (const hw_family *f; count < 32 && (f = hw_family_at(count)); count++) names[count] = f->name;
    if (!name) complain_no_family(names, count);
    else if ((near = hw_suggest(name, names, count)))
        hw_cli_complain("there is no family '%s'; did you mean '%s'?", name, near);
    else hw_cli_complain("there is no family '%s'; `halfwarp ladder` alone names them", name);
    return HW_EXIT_USAGE;
}

static bool is_listed(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if (length && (at == list || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return true;
    return false;
}

static int read_problem(const ladder_words *words, const hw_family *family, const hw_device_properties *device,
                        hw_problem *problem) {
    char first[16];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(family->dtypes, " "), family->dtypes);
    const char *dtype = words->dtype ? words->dtype : first;
    if (!is_listed(family->dtypes, dtype) || !hw_dtype_find(dtype, &problem->dtype)) {
        hw_cli_complain("%s has no type '%s'; it has %s", family->name, dtype, family->dtypes);
        return HW_EXIT_USAGE;
    }
    int wanted = 0;
    while (wanted < HW_PROBLEM_SIZES && family->size_names[wanted]) wanted++;
    memcpy(problem->size, hw_family_default_size(family, device), sizeof problem->size);
    if (!words->size || parse_numbers(words->size, problem->size, HW_PROBLEM_SIZES) == wanted) return 0;
    char form[96] = "", example[96];
    hw_problem usual = {0};
    for (int i = 0; i < wanted; i++)
        hw_text_append(form, sizeof form, "%s%s", i ? " x " : "", family->size_names[i]);
    memcpy(usual.size, family->default_size, sizeof usual.size);
    hw_cli_complain("--size is %s, like %s, and not '%s'", form,
                    hw_cli_ladder_size(family, &usual, example, sizeof example), words->size);
    return HW_EXIT_USAGE;
}

static int read_block(const ladder_words *words, hw_ladder_options *options) {
    uint64_t numbers[2];
    if (!words->block) return 0;
    options->all_blocks = strcmp(words->block, "all") == 0;
    if (options->all_blocks) return 0;
    if (parse_numbers(words->block, numbers, 2) == 2 && numbers[0] && numbers[1] && numbers[0] <= 1024 &&
        numbers[1] <= 1024 && numbers[0] * numbers[1] <= 1024) {
        options->block[0] = (uint32_t)numbers[0];
        options->block[1] = (uint32_t)numbers[1];
        return 0;
    }
    hw_cli_complain("--block is columns x rows of up to 1024 threads in all, like 32x8, or all; and not '%s'",
                    words->block);
    return HW_EXIT_USAGE;
}

// ---- Devices --------------------------------------------------------------------------------------------------------

static int open_simulation(const char *gpu, hw_device **device) {
    char name[MOST_LETTERS + 8];
    snprintf(name, sizeof name, "sim:%s", gpu);
    return hw_cli_open_device(name, 0, device);
}

// The model of a real GPU: itself, the first of its compute capability, or an H200.
static const char *model_of(const hw_device_properties *properties) {
    const hw_gpu *gpu, *best = NULL;
    for (size_t i = 0; (gpu = hw_gpu_at(i)); i++) {
        const bool is_alike = gpu->arch->cc == properties->cc;
        if (is_alike && gpu->sms == properties->multiprocessors && hw_gpu_is_called(gpu, properties->name))
            return gpu->id;
        if (is_alike && !best) best = gpu;
    }
    return best ? best->id : "h200";
}

// The device, and beside a GPU the simulation that counts.
static int open_devices(const ladder_words *words, hw_device **device, hw_device **counter) {
    bool is_simulation = words->device && strncmp(words->device, "sim:", 4) == 0;
    *device = *counter = NULL;
    if (is_simulation && words->gpu && strcasecmp(words->device + 4, words->gpu) != 0) {
        hw_cli_complain("--device %s and --gpu %s name two GPUs", words->device, words->gpu);
        return HW_EXIT_USAGE;
    }
    if (!words->device && words->gpu) return open_simulation(words->gpu, device);
    int status = hw_cli_open_device(words->device, 0, device);
    if (status) return status;
    const hw_device_properties *properties = hw_device_get_properties(*device);
    if (!words->device && properties->kind == HW_DEVICE_CPU) {
        hw_device_close(*device);
        *device = NULL;
        return open_simulation("h200", device);
    }
    if (properties->kind != HW_DEVICE_CUDA) return 0;
    return open_simulation(words->gpu ? words->gpu : model_of(properties), counter);
}

// ---- The command ----------------------------------------------------------------------------------------------------

static void show_progress(void *context, size_t index, size_t count, const char *rung) {
    (void)context;
    if (rung) fprintf(stderr, "\r\033[K%zu of %zu: %s", index + 1, count, rung);
    else fputs("\r\033[Kthe reference", stderr);
    fflush(stderr);
}

typedef struct report {
    const hw_ladder *ladder;
    const hw_family *family;
    const hw_ladder_advice *advice;      // NULL: none is wanted
    int width;
} report;

static bool write_ladder(const void *context, hw_report_format format, bool colour, FILE *out) {
    const report *r = context;
    return hw_cli_ladder_write(r->ladder, r->family, r->advice, format, colour, r->width, out);
}

static int deliver_ladder(const hw_ladder *ladder, const hw_family *family, const hw_ladder_advice *advice,
                          const ladder_words *words) {
    const hw_cli_report_words *to = &words->report;
    const report r = {ladder, family, words->advice ? advice : NULL, hw_cli_table_width(to->output)};
    int status = hw_cli_text_deliver(to->output, to->format, write_ladder, &r);
    if (!status && to->plot && !family->swept_size) status = hw_cli_ladder_draw(ladder, family, to->plot);
    if (status || !to->page) return status;
    char title[64];
    snprintf(title, sizeof title, "Ladder of %s", family->name);
    return hw_cli_page_deliver(to->page, title, "ladder", write_ladder, &r);
}

// ---- Several GPUs ---------------------------------------------------------------------------------------------------

typedef struct sweep_report {
    const hw_sweep *sweep;
    int width;
} sweep_report;

static bool write_sweep(const void *context, hw_report_format format, bool colour, FILE *out) {
    const sweep_report *r = context;
    return hw_cli_sweep_write(r->sweep, format, colour, r->width, out);
}

static int sweep_devices(const ladder_words *words, const hw_family *family, hw_device *const *devices, size_t count,
                         bool with_report) {
    const hw_cli_report_words *to = &words->report;
    hw_sweep_options options = {.family = family, .seconds = words->seconds};
    hw_diag diag = {0};
    hw_sweep *sweep = calloc(1, sizeof *sweep);
    bool is_terminal = isatty(STDERR_FILENO);
    int status = 0;
    if (!sweep) {
        hw_cli_complain("out of memory");
        return HW_EXIT_USAGE;
    }
    if (is_terminal) options.progress = show_progress;
    hw_status failed = hw_sweep_run(devices, count, &options, sweep, &diag);
    if (is_terminal) fputs("\r\033[K", stderr);
    if (failed) status = hw_cli_fail(failed, &diag);
    const sweep_report report = {sweep, hw_cli_table_width(to->output)};
    if (!status && with_report) status = hw_cli_text_deliver(to->output, to->format, write_sweep, &report);
    if (!status && to->plot) status = hw_cli_sweep_draw(sweep, to->plot);
    if (!status && with_report && to->page)
        status = hw_cli_page_deliver(to->page, options.family->name, "sweep", write_sweep, &report);
    free(sweep);
    return status;
}

static bool is_list(const ladder_words *words) { return words->gpu && strchr(words->gpu, ','); }

// What --device names comes first.
static int compare_gpus(const ladder_words *words, const hw_family *family) {
    hw_device *devices[HW_SWEEP_DEVICES] = {0};
    size_t count = 0;
    char name[MOST_LETTERS];
    int status = 0;
    if (!family->swept_size || words->size || words->dtype || words->block || words->rung) {
        if (family->swept_size)
            hw_cli_complain("--size, --dtype, --block and --rung are for one GPU, and --gpu names several");
        else hw_cli_complain("%s is run on one GPU at a time, and --gpu names several", family->name);
        return HW_EXIT_USAGE;
    }
    if (words->device) status = hw_cli_open_device(words->device, 0, &devices[count++]);
    for (const char *list = words->gpu; !status && next_gpu(&list, name);) {
        if (count < HW_SWEEP_DEVICES) status = open_simulation(name, &devices[count++]);
        else {
            hw_cli_complain("up to %d GPUs are compared", HW_SWEEP_DEVICES);
            status = HW_EXIT_USAGE;
        }
    }
    if (!status) status = sweep_devices(words, family, devices, count, true);
    for (size_t i = 0; i < count; i++) hw_device_close(devices[i]);
    return status;
}

// The worst of what the rows say. A shape or size that a version does not take is an answer and no failure.
static int status_of(const hw_ladder *ladder) {
    int status = 0;
    for (size_t i = 0; i < ladder->n_rows; i++) {
        const hw_ladder_row *row = &ladder->rows[i];
        switch (row->status) {
        case HW_OK: status = row->verdict.right || status ? status : 1; break;
        case HW_USAGE: break;
        case HW_COMPILE: return HW_EXIT_COMPILE;
        case HW_UNSUPPORTED: return HW_EXIT_UNSUPPORTED;
        case HW_FAULT:
        case HW_DEADLOCK: return HW_EXIT_FAULT;
        default: status = HW_EXIT_USAGE; break;
        }
    }
    return status;
}

// Too large for a stack; one ladder is run.
static hw_ladder_advice advice;

static int run_family(const ladder_words *words, const hw_family *family, hw_device *device, hw_device *counter) {
    hw_ladder_options options = {.family = family, .seconds = words->seconds, .rung = words->rung,
                                 .counted = words->advice ? hw_cli_ladder_advise : NULL, .counted_context = &advice};
    hw_ladder ladder = {0};
    hw_diag diag = {0};
    bool is_terminal = isatty(STDERR_FILENO);
    int status = read_problem(words, family, hw_device_get_properties(device), &options.problem);
    if (!status) status = read_block(words, &options);
    if (status) return status;
    if (is_terminal) options.progress = show_progress;
    hw_status failed = hw_ladder_run(device, counter, &options, &ladder, &diag);
    if (is_terminal) fputs("\r\033[K", stderr);
    if (failed) status = hw_cli_fail(failed, &diag);
    else status = deliver_ladder(&ladder, family, &advice, words);
    // What was measured, and the model's beside it.
    if (!status && words->report.plot && family->swept_size)
        status = sweep_devices(words, family, (hw_device *[2]){device, counter}, counter ? 2 : 1, false);
    if (!status) status = status_of(&ladder);
    hw_ladder_free(&ladder);
    return status;
}

static int ladder_main(int argc, char **argv) {
    static const hw_cli_syntax syntax = {"ladder", ladder_option_rows,
                                         sizeof ladder_option_rows / sizeof ladder_option_rows[0], 1};
    ladder_words words = {.report.format = HW_REPORT_TABLE, .seconds = 0.2};
    const char *name = NULL;
    const hw_family *family;
    hw_device *device = NULL, *counter = NULL;
    int n_words, status = hw_cli_parse(&syntax, &words, argc, argv, &name, &n_words);
    if (!status) status = find_family(n_words ? name : NULL, &family);
    if (!status && is_list(&words)) return compare_gpus(&words, family);
    if (!status) status = open_devices(&words, &device, &counter);
    if (!status) status = run_family(&words, family, device, counter);
    hw_device_close(counter);
    hw_device_close(device);
    return status;
}

const hw_command hw_cmd_ladder = {"ladder", "run every version of a family of kernels and compare them", ladder_help,
                                  ladder_main};
