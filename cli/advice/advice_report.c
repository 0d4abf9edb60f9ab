#include "advice/advice_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "report/fields.h"
#include "report/text.h"

static void write_times(const hw_advice *a, char *out, size_t bytes) {
    char before[HW_REPORT_NUMBER], after[HW_REPORT_NUMBER];
    hw_report_fixed(a->before_us, 1, before, sizeof before);
    hw_report_fixed(a->after_us, 1, after, sizeof after);
    snprintf(out, bytes, "%s us would be %s (-%.0f%%)", before, after,
             100 * (a->before_us - a->after_us) / a->before_us);
}

static void write_kernel(const hw_advice *a, bool colour, FILE *out) {
    fprintf(out, "\n%s%s%s, ", colour ? "\033[1m" : "", a->launch->kernel, colour ? "\033[0m" : "");
    if (a->n_launches == 1) fprintf(out, "launch %" PRIu64 "\n", a->launch->ordinal);
    else fprintf(out, "%" PRIu64 " launches, of which %" PRIu64 " takes longest\n", a->n_launches, a->launch->ordinal);
}

void hw_cli_advice_write(const hw_advice *list, size_t n, int width, bool colour, FILE *out) {
    enum { INDENT = 4 };
    fputs("\nadvice, by the estimate of time, which each change is asked about alone:\n", out);
    if (!n) fputs("\n  nothing that is known would bring 3% or more\n", out);
    for (size_t i = 0; i < n; i++) {
        const hw_advice *a = &list[i];
        char text[1024], times[128], place[320] = "";
        if (!i || list[i - 1].launch->mangled != a->launch->mangled) write_kernel(a, colour, out);
        if (a->line) snprintf(place, sizeof place, "%.300s:%u: ", a->line->file, a->line->line);
        write_times(a, times, sizeof times);
        snprintf(text, sizeof text, "%s%s: %s", place, a->finding, times);
        fputs("  - ", out);
        hw_grid_write_wrapped(text, width, INDENT, INDENT, out);
        fprintf(out, "%*s", INDENT, "");
        hw_grid_write_wrapped(hw_advice_remedy(a->id), width, INDENT, INDENT, out);
    }
}

static json_t *object_of(const hw_advice *a) {
    return json_pack("{s:o,s:I,s:I,s:s,s:o,s:s,s:o,s:i,s:f,s:f}", "kernel", hw_json_text(a->launch->kernel), "ordinal",
                     (json_int_t)a->launch->ordinal, "launches", (json_int_t)a->n_launches, "rule",
                     hw_advice_name(a->id), "finding", hw_json_text(a->finding), "remedy", hw_advice_remedy(a->id),
                     "file", hw_json_text(a->line ? a->line->file : ""), "line", a->line ? (int)a->line->line : 0,
                     "est_us_before", hw_report_rounded(a->before_us, 3), "est_us_after",
                     hw_report_rounded(a->after_us, 3));
}

char *hw_cli_advice_json(const hw_advice *list, size_t n) {
    enum { DIGITS = 10 };
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < n; i++) failed |= json_array_append_new(array, object_of(&list[i]));
    char *text = array && !failed ? json_dumps(array, JSON_REAL_PRECISION(DIGITS)) : NULL;
    json_decref(array);
    return text;
}
