#include "plan/deliver.h"

#include <stdlib.h>
#include <string.h>

#include "output/text_output.h"
#include "plan/plan_report.h"

typedef struct contents {
    hw_plan plan;
    hw_cli_plan_look look;
} contents;

static bool write_contents(const void *context, hw_report_format format, bool colour, FILE *out) {
    const contents *c = context;
    hw_cli_plan_look look = c->look;
    if (format == HW_REPORT_JSON) return hw_cli_plan_write_json(&c->plan, &look, out);
    look.colour = colour;
    hw_cli_plan_write(&c->plan, &look, out);
    return true;
}

static double us_of(const char *ms) { return ms ? 1e3 * strtod(ms, NULL) : 0; }

int hw_cli_plan_deliver(const hw_cli_launch *launch, const hw_report *report) {
    contents c = {.look = {.cpu_us = us_of(launch->cpu_ms), .is_own_given = launch->own_ms != NULL,
                           .width = hw_cli_table_width(launch->output)}};
    const bool is_json = strcmp(launch->format, "json") == 0;
    hw_diag diag = {0};
    const hw_status status = hw_plan_make(report, launch->own_ms ? us_of(launch->own_ms) : -1, &c.plan, &diag);
    if (status) return hw_cli_fail(status, &diag);
    const int result = hw_cli_text_deliver(launch->output, is_json ? HW_REPORT_JSON : HW_REPORT_TABLE, write_contents,
                                           &c);
    hw_plan_free(&c.plan);
    return result;
}
