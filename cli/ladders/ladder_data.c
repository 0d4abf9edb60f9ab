// A ladder for programs: CSV and JSON.
#include <string.h>

#include "ladders/ladder_columns.h"
#include "origin.h"
#include "output/json_output.h"
#include "report/fields.h"

#define F(id, ...) {&hw_cli_ladder_columns[HW_LADDER_##id], __VA_ARGS__}
enum {
    PADDED = HW_FIELD_PADDED, QUOTED = HW_FIELD_QUOTED, ALWAYS = HW_FIELD_ALWAYS, WHOLE = HW_FIELD_WHOLE,
    LEFT_OUT = HW_FIELD_LEFT_OUT, EXPONENT = HW_FIELD_EXPONENT
};
#define N_FIELDS(fields) (sizeof(fields) / sizeof(fields)[0])

// ---- CSV ------------------------------------------------------------------------------------------------------------

static const hw_field csv_fields[] = {
    F(FAMILY, 0, 0), F(DEVICE, 0, QUOTED), F(DTYPE, 0, 0), F(SIZE, 0, 0), F(COUNTED_ON, 0, 0), F(COUNTED_SIZE, 0, 0),
    F(NUMBER, 0, 0), F(RUNG, 0, 0), F(BLOCK, 0, 0), F(BEST_BLOCK, 0, ALWAYS), F(RESULT, 0, 0), F(N_WRONG, 0, 0),
    F(MESSAGE, 0, QUOTED), F(RUNS, 0, 0), F(NS_MEDIAN, 1, PADDED), F(NS_MIN, 1, PADDED), F(NS_MAX, 1, PADDED),
    F(GBS, 3, PADDED), F(GOPS, 3, PADDED), F(SHARE, 4, PADDED), F(STEP, 4, PADDED), F(RESIDENT, 0, 0),
    F(OCCUPANCY, 2, PADDED), F(EST_TIME, 3, PADDED), F(EST_STEP, 4, PADDED), F(BOUND, 0, 0), F(AT_FLOOR, 0, 0),
    F(BUILDS_ON, 0, 0), F(STEP_OVER, 0, 0), F(PTX_BY, 0, 0), F(COUNTED_PTX_BY, 0, 0), F(ERROR, 3, EXPONENT),
    F(LOAD_PARTITIONS, 2, PADDED), F(STORE_PARTITIONS, 2, PADDED), F(PER_CLOCK, 3, PADDED),
    F(EST_PER_CLOCK, 3, PADDED), F(TEX_SECTORS, 0, 0), F(TEX_MISSES, 0, 0)};
static const hw_field csv_bounds[] = {F(US_MEMORY, 3, PADDED), F(US_SHARED, 3, PADDED), F(US_ISSUE, 3, PADDED),
                                      F(US_LATENCY, 3, PADDED), F(US_LAUNCH, 3, PADDED)};

void hw_cli_ladder_write_csv(const hw_cli_ladder_view *view, FILE *out) {
    enum { FACT_DIGITS = 10 };
    hw_field fields[N_FIELDS(csv_fields) + HW_COUNTERS + HW_FAMILY_FACTS + N_FIELDS(csv_bounds)];
    hw_column facts[HW_FAMILY_FACTS];
    hw_cli_fact_names names;
    const int n_facts = hw_cli_ladder_facts(view->family, &names, facts);
    size_t n = N_FIELDS(csv_fields);
    memcpy(fields, csv_fields, sizeof csv_fields);
    for (int c = 0; c < HW_COUNTERS; c++) fields[n++] = (hw_field){.column = &hw_cli_ladder_counters[c]};
    for (int f = 0; f < n_facts; f++) fields[n++] = (hw_field){&facts[f], FACT_DIGITS, HW_FIELD_DIGITS};
    for (size_t b = 0; b < N_FIELDS(csv_bounds); b++) fields[n++] = csv_bounds[b];
    hw_csv_write_keys(fields, n, out);
    for (size_t i = 0; i < view->ladder->n_rows; i++) hw_csv_write_row(fields, n, &(hw_row){view, i, NULL}, out);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static const hw_field rung_fields[] = {
    F(NUMBER, 0, 0), F(RUNG, 0, 0), F(IDEA, 0, LEFT_OUT), F(BUILDS_ON, 0, 0), F(STEP_OVER, 0, 0), F(BLOCK, 0, 0),
    F(BEST_BLOCK, 0, LEFT_OUT), F(RESULT, 0, 0), F(N_WRONG, 0, 0), F(MESSAGE, 0, 0)};
static const hw_field time_fields[] = {
    F(RUNS, 0, 0), F(NS_MEDIAN, 0, WHOLE), F(NS_MIN, 0, WHOLE), F(NS_MAX, 0, WHOLE), F(GBS, 0, WHOLE),
    F(GOPS, 0, WHOLE), F(SHARE, 0, WHOLE), F(STEP, 0, WHOLE), F(PER_CLOCK, 0, LEFT_OUT | WHOLE),
    F(EST_PER_CLOCK, 0, LEFT_OUT | WHOLE)};
static const hw_field bound_fields[] = {F(BOUND, 0, LEFT_OUT), F(AT_FLOOR, 0, 0), F(ERROR, 0, LEFT_OUT | WHOLE),
                                        F(RESIDENT, 0, LEFT_OUT)};
static const hw_field count_fields[] = {F(OCCUPANCY, 0, WHOLE), F(EST_TIME, 0, WHOLE), F(LOAD_PARTITIONS, 0, WHOLE),
                                        F(STORE_PARTITIONS, 0, WHOLE), F(EST_STEP, 0, WHOLE),
                                        F(TEX_SECTORS, 0, LEFT_OUT), F(TEX_MISSES, 0, LEFT_OUT)};
static const hw_field estimate_fields[] = {F(US_MEMORY, 0, WHOLE), F(US_SHARED, 0, WHOLE), F(US_ISSUE, 0, WHOLE),
                                           F(US_LATENCY, 0, WHOLE), F(US_LAUNCH, 0, WHOLE)};
#define PUT_ROW(object, fields, row) hw_json_put_row(object, fields, N_FIELDS(fields), row)

// Each returns 0, or -1 when out of memory, and takes its value in both cases.
static int put_member(json_t *object, const char *key, json_t *value) {
    return json_object_set_new(object, key, value);
}

static json_t *sizes_of(const hw_family *family, const hw_problem *problem) {
    json_t *sizes = json_object();
    for (int i = 0; i < HW_PROBLEM_SIZES && family->size_names[i]; i++)
        if (put_member(sizes, family->size_names[i], json_integer((json_int_t)problem->size[i]))) {
            json_decref(sizes);
            return NULL;
        }
    return sizes;
}

static int put_counters(json_t *object, const hw_row *row) {
    json_t *counters = json_object();
    int failed = PUT_ROW(object, count_fields, row);
    for (int c = 0; c < HW_COUNTERS; c++)
        failed |= hw_json_put_row(counters, &(hw_field){.column = &hw_cli_ladder_counters[c]}, 1, row);
    failed |= put_member(object, "counters", counters);
    return failed | PUT_ROW(object, estimate_fields, row);
}

// What the family says of the rung; null where it says nothing.
static int put_facts(json_t *object, const hw_family *family, const hw_row *row) {
    hw_column facts[HW_FAMILY_FACTS];
    hw_cli_fact_names names;
    json_t *told = json_object();
    int failed = 0;
    for (int f = 0, n = hw_cli_ladder_facts(family, &names, facts); f < n; f++)
        failed |= hw_json_put_row(told, &(hw_field){&facts[f], 0, WHOLE}, 1, row);
    return put_member(object, "facts", told) | failed;
}

// NULL: out of memory.
static json_t *rung_object(const hw_cli_ladder_view *view, size_t index) {
    const hw_ladder_row *rung = &view->ladder->rows[index];
    const hw_row row = {view, index, NULL};
    json_t *object = json_object();
    int failed = PUT_ROW(object, rung_fields, &row);
    if (hw_cli_ladder_is_timed(view->ladder) && rung->runs) failed |= PUT_ROW(object, time_fields, &row);
    failed |= PUT_ROW(object, bound_fields, &row);
    if (view->family->facts) failed |= put_facts(object, view->family, &row);
    if (rung->has_counts) failed |= put_counters(object, &row);
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static int put_work(json_t *object, const hw_work *work) {
    int failed = put_member(object, "bytes_moved", json_real(work->bytes_moved));
    if (work->operations <= 0) return failed;
    failed |= put_member(object, "operations", json_real(work->operations));
    return failed | put_member(object, "operation", json_string(work->operation));
}

bool hw_cli_ladder_write_json(const hw_cli_ladder_view *view, const hw_ladder_advice *advice, FILE *out) {
    enum { DIGITS = 10 };
    static const hw_field device_fields[] = {F(DEVICE, 0, 0), F(PTX_BY, 0, 0), F(COUNTED_PTX_BY, 0, LEFT_OUT),
                                             F(DTYPE, 0, 0)};
    const hw_ladder *ladder = view->ladder;
    const hw_row whole = {view, 0, NULL};   // these columns are of the ladder
    json_t *object = json_object(), *rungs = json_array();
    int failed = put_member(object, "family", json_string(view->family->name));
    failed |= hw_cli_put_origin(object);
    failed |= PUT_ROW(object, device_fields, &whole);
    failed |= put_member(object, "size", sizes_of(view->family, &ladder->problem));
    failed |= put_work(object, &ladder->work);
    if (ladder->launch_ns > 0) failed |= put_member(object, "launch_ns", json_real(ladder->launch_ns));
    if (ladder->counted_on) {
        failed |= put_member(object, "counted_on", json_string(ladder->counted_on->id));
        failed |= put_member(object, "counted_size", sizes_of(view->family, &ladder->counted));
    }
    for (size_t i = 0; i < ladder->n_rows; i++) failed |= json_array_append_new(rungs, rung_object(view, i));
    failed |= put_member(object, "rungs", rungs);
    if (advice) failed |= put_member(object, "advice", hw_cli_ladder_advice_json(advice));
    return hw_cli_finish_json(object, !failed, DIGITS, out);
}
