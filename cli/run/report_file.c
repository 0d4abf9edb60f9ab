// The program's process notes each launch as it ends; here the report is made of that.
#define _GNU_SOURCE
#include "run/report_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "advice/advice_report.h"
#include "base/alloc.h"
#include "html/profile_page.h"
#include "isa/gpu.h"
#include "plan/deliver.h"
#include "prof/journal.h"
#include "profile/line_notes.h"
#include "profile/profile_plot.h"
#include "report/report.h"
#include "run/budgets.h"
#include "output/whole_file.h"
#include "trace/trace.h"

static int cannot_write(const char *output, int failure) {
    hw_cli_complain("cannot write %s: %s", output ? output : "the report", strerror(failure));
    return HW_EXIT_USAGE;
}

int hw_cli_report_open(hw_cli_report *report, const char *output, const char *trace) {
    struct stat info;
    *report = (hw_cli_report){.output = output, .trace = trace, .journal.file = -1};
    if (trace && hw_cli_try_file(trace)) return HW_EXIT_USAGE;
    if (output && hw_cli_try_file(output)) return HW_EXIT_USAGE;
    report->is_file = output && (stat(output, &info) != 0 || S_ISREG(info.st_mode));
    report->journal = hw_cli_temporary_open("profile");
    return report->journal.file >= 0 ? 0 : HW_EXIT_USAGE;
}

// What a report is made of, and how.
typedef struct contents {
    const hw_report *report;
    hw_report_format format;
    hw_report_look look;
    const hw_advice *advice;         // of tables: n_advice of them; wants_advice even where there are none
    size_t n_advice;
    bool wants_advice;
} contents;

// 0, or what went wrong: an errno.
static int write_report(const contents *c, FILE *to) {
    hw_diag diag = {0};
    errno = 0;
    hw_status status = hw_report_write(c->report, c->format, &c->look, to, &diag);
    if (status == HW_NO_MEMORY) return ENOMEM;
    if (c->wants_advice && c->format == HW_REPORT_TABLE)
        hw_cli_advice_write(c->advice, c->n_advice, c->look.width, c->look.colour, to);
    bool good = fflush(to) == 0 && !status;
    return good ? 0 : errno ? errno : EIO;
}

static int deliver_to_stream(const hw_cli_report *report, const contents *c) {
    FILE *own = report->stream ? report->stream : stdout;
    FILE *to = report->output ? fopen(report->output, "wb") : own;
    int failure = to ? write_report(c, to) : errno;
    if (to == stdout) clearerr(to);   // said once
    if (to && to != own && fclose(to) != 0 && !failure) failure = errno;
    return failure ? cannot_write(report->output, failure) : 0;
}

// The whole report first, so that what lies on the disk under another name does so for a moment.
static int deliver_to_file(const hw_cli_report *report, const contents *c) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    int failure = to ? write_report(c, to) : errno;
    if (to && fclose(to) != 0 && !failure) failure = errno;
    int status = failure ? cannot_write(report->output, failure) : hw_cli_write_file(report->output, text, bytes);
    free(text);
    return status;
}

static int deliver_contents(const hw_cli_report *report, const contents *c) {
    return report->is_file ? deliver_to_file(report, c) : deliver_to_stream(report, c);
}

static int out_of_memory(void) {
    hw_cli_complain("out of memory");
    return HW_EXIT_USAGE;
}

// The report with what the user asked for beside its rows.
static int deliver_report(const hw_cli_report *report, const hw_cli_launch *launch, const hw_report *all,
                          const hw_report_look *look) {
    hw_report shown = *all;
    hw_advice *advice = NULL;
    char *json = NULL;
    contents c = {.report = &shown, .format = hw_report_find_format(launch->format), .look = *look,
                  .wants_advice = launch->advice};
    if (launch->hides_lines) shown.has_lines = false, shown.n_kernels = 0;
    if (launch->advice && hw_advise(all, &advice, &c.n_advice, NULL)) return out_of_memory();
    if (launch->advice && c.format == HW_REPORT_JSON) json = hw_cli_advice_json(advice, c.n_advice);
    c.advice = advice;
    c.look.json_advice = json;
    const bool is_made = json || !launch->advice || c.format != HW_REPORT_JSON;
    const int result = is_made ? deliver_contents(report, &c) : out_of_memory();
    free(json);
    hw_free(advice);
    return result;
}

static int deliver_trace(const hw_cli_report *report, const hw_report *content) {
    hw_diag diag = {0};
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    int failure = !to || hw_trace_write(content, to, &diag) ? ENOMEM : 0;
    if (to && fclose(to) != 0) failure = ENOMEM;
    const int status = failure ? cannot_write(report->trace, failure) : hw_cli_write_file(report->trace, text, bytes);
    free(text);
    return status;
}

// Why there is nothing to report. What did not compile, or was refused, has been told.
static int explain_nothing(int program_status, int ended_by) {
    static const char why[] = "the program has not loaded a CUDA runtime or driver";
    if (ended_by) hw_cli_complain("no report: signal %d ended the program before it was loaded, or %s", ended_by, why);
    else if (program_status == 0) hw_cli_complain("no report: %s", why);
    return program_status ? 0 : HW_EXIT_USAGE;
}

static hw_status read_journal(const hw_cli_report *report, const hw_cli_launch *launch, hw_arena *arena,
                              hw_report *content, uint32_t *processes, hw_diag *diag) {
    FILE *journal = fopen(report->journal.path, "rb");
    if (!journal) return hw_diag_set(diag, HW_IO, "cannot read %s: %s", report->journal.path, strerror(errno));
    const hw_journal_options options = {.has_lines = launch->lines, .lines_of = launch->lines_of};
    hw_status status = hw_journal_read(journal, hw_cli_find_gpu(launch->gpu), &options, arena, content, processes,
                                       diag);
    fclose(journal);
    return status;
}

int hw_cli_report_deliver(hw_cli_report *report, const hw_cli_launch *launch, const hw_report_look *look,
                          int program_status, int ended_by) {
    hw_diag diag = {0};
    hw_report content = {0};
    uint32_t processes = 0;
    int result;
    hw_arena *arena = hw_arena_create();
    hw_status status = arena ? read_journal(report, launch, arena, &content, &processes, &diag)
                             : hw_diag_no_memory(&diag);
    if (status) {
        hw_cli_complain("no report: %s", diag.text);
        result = HW_EXIT_USAGE;
    } else if (!processes) {
        result = explain_nothing(program_status, ended_by);
    } else {
        if (ended_by)
            hw_cli_complain("signal %d ended the program; the report has the launches that had finished", ended_by);
        result = launch->plans ? hw_cli_plan_deliver(launch, &content)
                               : deliver_report(report, launch, &content, look);
        if (!result && report->trace) result = deliver_trace(report, &content);
        if (!result && launch->plot) result = hw_cli_profile_draw(&content, launch->plot);
        if (!result && launch->page) result = hw_cli_profile_page(launch, &content);
        if (!result && launch->sarif && !launch->budgets.n) result = hw_cli_write_line_notes(&content, launch->sarif);
        if (!result && launch->budgets.n) result = hw_cli_budgets_report(launch, &content);
    }
    hw_arena_destroy(arena);
    return result;
}

void hw_cli_report_close(hw_cli_report *report) { hw_cli_temporary_close(&report->journal); }
