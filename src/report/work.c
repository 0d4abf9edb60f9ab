// What streams did: kernels, copies and sets in the order of their begins, and copies and sets by kind.
#include "report/work.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/fields.h"
#include "report/sheet.h"
#include "report/text.h"

// ---- Names ----------------------------------------------------------------------------------------------------------

static bool is_device(hw_host_memory memory) {
    return memory == HW_HOST_MEMORY_DEVICE || memory == HW_HOST_MEMORY_MANAGED;
}

const char *hw_report_work_name(const hw_span *span) {
    if (span->kind == HW_SPAN_SET) return "set";
    if (span->kind != HW_SPAN_COPY) return "";
    if (!is_device(span->to)) return "copy from device";
    return is_device(span->from) ? "copy within device" : "copy to device";
}

const char *hw_report_work_memory(const hw_span *span) {
    static const char *const names[] = {
        [HW_HOST_MEMORY_UNKNOWN] = "", [HW_HOST_MEMORY_OWN] = "pageable", [HW_HOST_MEMORY_PINNED] = "pinned",
        [HW_HOST_MEMORY_REGISTERED] = "registered", [HW_HOST_MEMORY_MANAGED] = "managed", [HW_HOST_MEMORY_DEVICE] = ""};
    if (span->kind == HW_SPAN_SET) return names[span->to];
    if (span->kind != HW_SPAN_COPY) return "";
    if (is_device(span->to) && is_device(span->from)) return names[*names[span->to] ? span->to : span->from];
    return names[is_device(span->to) ? span->from : span->to];
}

// ---- Kinds ----------------------------------------------------------------------------------------------------------

static bool is_same_kind(const hw_span *a, const hw_span *b) {
    return a->kind == b->kind && !strcmp(hw_report_work_name(a), hw_report_work_name(b)) &&
           !strcmp(hw_report_work_memory(a), hw_report_work_memory(b));
}

static void add_span(hw_report_kind *kind, const hw_span *span) {
    const double us = span->end_us - span->begin_us;
    if (!kind->calls++) *kind = (hw_report_kind){.first = *span, .calls = 1, .min_us = us};
    kind->bytes += span->bytes;
    kind->us += us;
    if (us < kind->min_us) kind->min_us = us;
    if (us > kind->max_us) kind->max_us = us;
}

static int by_time(const void *left, const void *right) {
    const hw_report_kind *a = left, *b = right;
    if (a->us != b->us) return a->us < b->us ? 1 : -1;
    return strcmp(hw_report_work_name(&a->first), hw_report_work_name(&b->first));
}

hw_status hw_report_kinds(const hw_report *report, hw_report_kind **kinds, size_t *n, hw_diag *diag) {
    enum { MOST = 16 };                  // directions by kinds of memory, and sets
    hw_report_kind *list = hw_calloc(MOST, sizeof *list);
    double all_us = 0;
    *kinds = list;
    *n = 0;
    if (!list) return hw_diag_no_memory(diag);
    for (size_t i = 0; i < report->n_spans; i++) {
        const hw_span *span = &report->spans[i].span;
        size_t k = 0;
        if (span->kind < HW_SPAN_CALL) all_us += span->end_us - span->begin_us;
        if (span->kind != HW_SPAN_COPY && span->kind != HW_SPAN_SET) continue;
        while (k < *n && !is_same_kind(&list[k].first, span)) k++;
        if (k < MOST) add_span(&list[k], span);
        if (k == *n && k < MOST) ++*n;
    }
    for (size_t k = 0; k < *n; k++) list[k].share_pct = all_us > 0 ? 100 * list[k].us / all_us : 0;
    qsort(list, *n, sizeof *list, by_time);
    return HW_OK;
}

// ---- Columns --------------------------------------------------------------------------------------------------------

// Rows are spans, sorted, or kinds.
typedef struct work {
    const hw_report *report;
    const hw_report_span **spans;
    const hw_report_kind *kinds;
    size_t n;
    bool is_of_gpus;             // of spans: of another GPU than the first
} work;

#define READER(reader, value)                                                                                         \
    static hw_value reader(const hw_column *column, const void *subject) {                                            \
        const hw_row *row = subject;                                                                                  \
        const work *w = row->of;                                                                                      \
        const hw_span *s = w->spans ? &w->spans[row->index]->span : &w->kinds[row->index].first;                      \
        const hw_report_kind *k = w->kinds ? &w->kinds[row->index] : NULL;                                            \
        (void)column, (void)s, (void)k;                                                                               \
        return value;                                                                                                 \
    }

static const char *what_of(const work *w, size_t index) {
    const hw_report_span *s = w->spans ? w->spans[index] : NULL;
    if (!s || s->span.kind != HW_SPAN_KERNEL) return hw_report_work_name(s ? &s->span : &w->kinds[index].first);
    return s->launch == HW_NO_ROW ? "(a launch that was not counted)" : w->report->launches[s->launch].kernel;
}

// Tables have kernels' names without parameters.
static const char *what_in(const hw_row *row) {
    const work *w = row->of;
    const char *what = what_of(w, row->index);
    const bool is_kernel = w->spans && w->spans[row->index]->launch != HW_NO_ROW;
    return row->room && is_kernel ? hw_report_short_name(what, row->room, HW_GRID_CELL) : what;
}

static hw_value ordinal_of(const work *w, size_t index) {
    const hw_report_span *s = w->spans[index];
    return hw_value_where(s->launch != HW_NO_ROW, hw_value_integer(s->launch == HW_NO_ROW ? 0 :
                                                                   w->report->launches[s->launch].ordinal));
}

static double rate(double bytes, double us) { return us > 0 ? bytes / (us * 1e3) : 0; }

READER(read_what, hw_value_text(what_in(row)))
READER(read_memory, hw_value_text(hw_report_work_memory(s)))
READER(read_ordinal, ordinal_of(w, row->index))
// Tables have it where there are several.
READER(read_device, hw_value_where(!row->room || w->is_of_gpus, hw_value_integer(s->gpu)))
READER(read_stream, hw_value_integer(s->stream_number))
READER(read_start, hw_value_real(s->begin_us))
READER(read_us, hw_value_real(s->end_us - s->begin_us))
READER(read_call, hw_value_real(s->call_us))
READER(read_bytes, hw_value_where(s->kind != HW_SPAN_KERNEL, hw_value_integer(s->bytes)))
READER(read_gbs, hw_value_positive(rate((double)s->bytes, s->end_us - s->begin_us)))
READER(read_calls, hw_value_integer(k->calls))
READER(read_share, hw_value_real(k->share_pct))
READER(read_total, hw_value_real(k->us))
READER(read_mean, hw_value_real(k->us / (double)k->calls))
READER(read_min, hw_value_real(k->min_us))
READER(read_max, hw_value_real(k->max_us))
READER(read_kind_bytes, hw_value_integer(k->bytes))
READER(read_kind_gbs, hw_value_positive(rate((double)k->bytes, k->us)))

enum {
    WHAT, MEMORY, ORDINAL, DEVICE, STREAM, START, US, CALL, BYTES, GBS, CALLS, SHARE, TOTAL, MEAN, MIN, MAX, KIND_BYTES,
    KIND_GBS
};
enum { RIGHT = 0, NAME = HW_GRID_LEFT | HW_GRID_KEY, LEFT = HW_GRID_LEFT, ZERO = HW_LOOK_ZERO };

// HW_COLUMN(id, key, top, bottom, looks, unit, read)
#define HW_COLUMN(id, key, top, bottom, looks, unit, read)                                                            \
    [id] = {key, {top, bottom, looks}, 0, 0, HW_UNIT_##unit, read, {{0}}, ""},
static const hw_column columns[] = {
    HW_COLUMN(WHAT, "what", "", "what", NAME, NONE, read_what)
    HW_COLUMN(MEMORY, "memory", "host", "memory", LEFT, NONE, read_memory)
    HW_COLUMN(ORDINAL, "ordinal", "", "#", ZERO, NONE, read_ordinal)
    HW_COLUMN(DEVICE, "device", "", "GPU", ZERO, NONE, read_device)
    HW_COLUMN(STREAM, "stream", "", "stream", ZERO, NONE, read_stream)
    HW_COLUMN(START, "start_us", "start", "us", RIGHT, US, read_start)
    HW_COLUMN(US, "us", "", "us", RIGHT, US, read_us)
    HW_COLUMN(CALL, "call_us", "host's", "call us", RIGHT, US, read_call)
    HW_COLUMN(BYTES, "bytes", "", "bytes", RIGHT, BYTES, read_bytes)
    HW_COLUMN(GBS, "gbs", "", "GB/s", RIGHT, GBS, read_gbs)
    HW_COLUMN(CALLS, "calls", "", "calls", RIGHT, COUNT, read_calls)
    HW_COLUMN(SHARE, "share_pct", "share of", "all time", RIGHT, PERCENT, read_share)
    HW_COLUMN(TOTAL, "us", "us", "total", RIGHT, US, read_total)
    HW_COLUMN(MEAN, "us_mean", "", "mean", RIGHT, US, read_mean)
    HW_COLUMN(MIN, "us_min", "", "min", RIGHT, US, read_min)
    HW_COLUMN(MAX, "us_max", "", "max", RIGHT, US, read_max)
    HW_COLUMN(KIND_BYTES, "bytes", "", "bytes", RIGHT, BYTES, read_kind_bytes)
    HW_COLUMN(KIND_GBS, "gbs", "", "GB/s", RIGHT, GBS, read_kind_gbs)
};
#undef HW_COLUMN
#define C(id) &columns[id]
#define F(id, ...) {C(id), __VA_ARGS__}
#define N_OF(array) (sizeof(array) / sizeof(array)[0])

static const hw_column *const span_columns[] = {C(WHAT), C(MEMORY), C(DEVICE), C(STREAM), C(START), C(US), C(CALL),
                                                C(BYTES), C(GBS)};
static const hw_column *const kind_columns[] = {C(WHAT), C(MEMORY), C(CALLS), C(SHARE), C(TOTAL), C(MEAN), C(MIN),
                                                C(MAX), C(KIND_BYTES), C(KIND_GBS)};
static const hw_field span_fields[] = {F(WHAT, 0, 0), F(MEMORY, 0, 0), F(ORDINAL, 0, 0), F(STREAM, 0, 0),
                                       F(START, 3, 0), F(US, 3, 0), F(CALL, 3, 0), F(BYTES, 0, 0), F(GBS, 3, 0),
                                       F(DEVICE, 0, 0)};
static const hw_field kind_fields[] = {F(WHAT, 0, 0), F(MEMORY, 0, 0), F(CALLS, 0, 0), F(SHARE, 3, 0), F(TOTAL, 3, 0),
                                       F(MEAN, 3, 0), F(MIN, 3, 0), F(MAX, 3, 0), F(KIND_BYTES, 0, 0),
                                       F(KIND_GBS, 3, 0)};

// ---- Formats --------------------------------------------------------------------------------------------------------

static int by_begin(const void *left, const void *right) {
    const hw_report_span *a = *(const hw_report_span *const *)left, *b = *(const hw_report_span *const *)right;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    if (a->span.begin_us != b->span.begin_us) return a->span.begin_us < b->span.begin_us ? -1 : 1;
    return (a > b) - (a < b);
}

static hw_status sort_spans(const hw_report *report, work *w, hw_diag *diag) {
    w->spans = hw_calloc(report->n_spans + 1, sizeof *w->spans);
    if (!w->spans) return hw_diag_no_memory(diag);
    for (size_t i = 0; i < report->n_spans; i++) {
        const hw_span *span = &report->spans[i].span;
        if (span->kind >= HW_SPAN_CALL) continue;
        w->spans[w->n++] = &report->spans[i];
        w->is_of_gpus = w->is_of_gpus || span->gpu;
    }
    qsort(w->spans, w->n, sizeof *w->spans, by_begin);
    return HW_OK;
}

// What the look asks for.
static hw_status collect(const hw_report *report, const hw_report_look *look, work *w, hw_diag *diag) {
    *w = (work){.report = report};
    if (look->rows != HW_REPORT_ROWS_SUMMARY) return sort_spans(report, w, diag);
    hw_report_kind *kinds;
    const hw_status status = hw_report_kinds(report, &kinds, &w->n, diag);
    w->kinds = kinds;
    return status;
}

static void release(work *w) {
    hw_free((void *)w->spans);
    hw_free((void *)w->kinds);
}

hw_status hw_report_write_work_table(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag) {
    work w;
    const hw_status status = collect(report, look, &w, diag);
    if (status) return status;
    const bool is_summary = w.kinds != NULL;
    if (w.n) {
        fputs(is_summary ? "\ncopies and sets\n\n" : "\nwhat streams did, by the GPU's clock\n\n", out);
        hw_sheet_write(&(hw_sheet){.columns = is_summary ? kind_columns : span_columns,
                                   .n_columns = (int)(is_summary ? N_OF(kind_columns) : N_OF(span_columns)),
                                   .width = look->width, .n_rows = w.n, .of = &w},
                       look->colour, out);
    }
    release(&w);
    return HW_OK;
}

hw_status hw_report_write_work_csv(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag) {
    work w;
    const hw_status status = collect(report, look, &w, diag);
    if (status) return status;
    const hw_field *fields = w.kinds ? kind_fields : span_fields;
    const size_t n_fields = w.kinds ? N_OF(kind_fields) : N_OF(span_fields);
    hw_csv_write_keys(fields, n_fields, out);
    for (size_t i = 0; i < w.n; i++) hw_csv_write_row(fields, n_fields, &(hw_row){&w, i, NULL}, out);
    release(&w);
    return HW_OK;
}

static hw_status write_object(const work *w, size_t index, FILE *out, hw_diag *diag) {
    json_t *object = json_object();
    const hw_field *fields = w->kinds ? kind_fields : span_fields;
    const size_t n_fields = w->kinds ? N_OF(kind_fields) : N_OF(span_fields);
    int failed = !object || hw_json_put_row(object, fields, n_fields, &(hw_row){w, index, NULL});
    fputs(index ? ",\n    " : "\n    ", out);
    if (!failed) failed = json_dumpf(object, out, JSON_REAL_PRECISION(10)) && !ferror(out);
    json_decref(object);
    return failed ? hw_diag_no_memory(diag) : HW_OK;
}

hw_status hw_report_write_work_json(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag) {
    work w;
    hw_status status = collect(report, look, &w, diag);
    if (status) return status;
    fprintf(out, ",\n \"%s\": [", w.kinds ? "copies" : "work");
    for (size_t i = 0; i < w.n && !status; i++) status = write_object(&w, i, out, diag);
    fputs("]", out);
    release(&w);
    return status;
}
