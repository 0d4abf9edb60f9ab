#define _GNU_SOURCE
#include "profile/line_notes.h"

#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "base/alloc.h"
#include "cli.h"
#include "isa/gpu.h"
#include "output/sarif.h"
#include "output/whole_file.h"
#include "report/cells.h"
#include "report/columns.h"
#include "report/text.h"

enum { NOTE = 1024 };
static const char counters_rule[] = "counters";

// The cells of a line as its table has them, "12288 warp inst, 32.0 / 4.0 sectors/store"; those with nothing left out.
static void write_counters(const hw_gpu *gpu, const hw_subject *of, char *out, size_t bytes) {
    const hw_table_part *part = &hw_tables[HW_TABLE_LINES].parts[1];    // behind the line's names
    size_t used = 0;
    for (int i = 0; i < part->n_columns && used < bytes; i++) {
        const hw_column *column = &hw_columns[part->columns[i]];
        hw_grid_cell cell = {0};
        char name[64];
        if (gpu->arch->cc < column->since || gpu->arch->cc > column->until) continue;
        const hw_value value = hw_column_value(column, of);
        hw_cell_write(column, &value, &cell);
        if (!*cell.text || !strcmp(cell.text, "-")) continue;
        hw_grid_heading(&column->heading, name, sizeof name);
        used += (size_t)snprintf(out + used, bytes - used, "%s%s %s", used ? ", " : "", cell.text, name);
    }
}

static bool add_result(json_t *results, const char *rule, const char *level, const char *text, const char *kernel,
                       const hw_report_line *line) {
    json_t *places = json_array();
    const bool is_known = line && *line->file;
    json_t *place = hw_cli_sarif_location(kernel, is_known ? line->file : NULL, is_known ? line->line : 0);
    const bool good = json_array_append_new(places, place) == 0;
    return hw_cli_sarif_add_result(results, rule, level, text, places, json_array(), json_array(), 1) && good;
}

static bool add_lines(json_t *results, const hw_report *report, const hw_report_kernel *kernel) {
    hw_stall *stalls = hw_report_stalls(report, kernel);
    bool good = stalls != NULL;
    for (size_t i = 0; good && i < kernel->n_lines; i++) {
        const hw_report_line *line = &kernel->lines[i];
        const hw_subject of = {.listing = kernel, .line = line, .stall = &stalls[i], .counts = line->counts};
        const char *cause = hw_stall_cause_name(&stalls[i]);
        char counters[NOTE] = "", name[HW_GRID_CELL], time[HW_REPORT_NUMBER] = "", text[2 * NOTE];
        if (!*line->file || !line->line) continue;
        write_counters(report->gpu, &of, counters, sizeof counters);
        if (cause) hw_report_fixed(hw_stall_us(&stalls[i]), 3, time, sizeof time);
        snprintf(text, sizeof text, "%s: %s%s%s%s%s", hw_report_short_name(kernel->kernel, name, sizeof name), counters,
                 cause ? ", est. us " : "", time, cause ? " for " : "", cause ? cause : "");
        good = add_result(results, counters_rule, "note", text, kernel->kernel, line);
    }
    hw_free(stalls);
    return good;
}

static bool add_advice(json_t *rules, json_t *results, const hw_report *report) {
    hw_advice *list = NULL;
    size_t n = 0;
    bool good = !hw_advise(report, &list, &n, NULL);
    for (int id = 0; good && id < HW_ADVICE_RULES; id++)
        good = hw_cli_sarif_add_rule(rules, hw_advice_name(id), hw_advice_remedy(id));
    for (size_t i = 0; good && i < n; i++) {
        const hw_advice *a = &list[i];
        char text[NOTE], before[HW_REPORT_NUMBER], after[HW_REPORT_NUMBER];
        hw_report_fixed(a->before_us, 1, before, sizeof before);
        hw_report_fixed(a->after_us, 1, after, sizeof after);
        snprintf(text, sizeof text, "%s: %s us would be %s: %s", a->finding, before, after, hw_advice_remedy(a->id));
        good = add_result(results, hw_advice_name(a->id), "warning", text, a->launch->kernel, a->line);
    }
    hw_free(list);
    return good;
}

static bool write_notes(const hw_report *report, FILE *out) {
    json_t *rules = json_array(), *results = json_array();
    bool good = add_advice(rules, results, report) &&
                hw_cli_sarif_add_rule(rules, counters_rule, "what the line has counted in all launches of a kernel");
    for (size_t k = 0; good && k < report->n_kernels; k++) good = add_lines(results, report, &report->kernels[k]);
    return hw_cli_sarif_write("halfwarp profile", rules, results, good, out);
}

int hw_cli_write_line_notes(const hw_report *report, const char *path) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    bool good = memory && write_notes(report, memory);
    if (memory && fclose(memory) != 0) good = false;
    if (!good) hw_cli_complain("out of memory");
    const int status = good ? hw_cli_write_file(path, text, bytes) : HW_EXIT_USAGE;
    free(text);
    return status;
}
