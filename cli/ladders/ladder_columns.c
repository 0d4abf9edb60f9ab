// The values of ladder_columns.def.
#include "ladders/ladder_columns.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

hw_cli_ladder_view hw_cli_ladder_look(const hw_ladder *ladder, const hw_family *family) {
    hw_cli_ladder_view view = {.ladder = ladder, .family = family, .unit = hw_cli_ladder_unit_of(ladder)};
    hw_dtype_name(ladder->problem.dtype, view.dtype, sizeof view.dtype);
    hw_cli_ladder_size(family, &ladder->problem, view.size, sizeof view.size);
    if (ladder->counted_on)
        hw_cli_ladder_size(family, &ladder->counted, view.counted_size, sizeof view.counted_size);
    return view;
}

static const hw_cli_ladder_view *view_of(const void *subject) { return ((const hw_row *)subject)->of; }

static const hw_ladder_row *row_of(const void *subject) {
    return &view_of(subject)->ladder->rows[((const hw_row *)subject)->index];
}

// A reader that takes nothing of its column.
#define READER(reader, value)                                                                                         \
    static hw_value reader(const hw_column *column, const void *subject) {                                            \
        const hw_cli_ladder_view *view = view_of(subject);                                                            \
        const hw_ladder_row *row = row_of(subject);                                                                   \
        (void)column, (void)view, (void)row;                                                                          \
        return value;                                                                                                 \
    }

// Nothing where there is no text.
static hw_value text_or_nothing(const char *text) { return hw_value_where(text && *text, hw_value_text(text)); }

// ---- The ladder as a whole ------------------------------------------------------------------------------------------

READER(read_family, hw_value_text(view->family->name))
READER(read_device, hw_value_text(view->ladder->device->name))
READER(read_dtype, hw_value_text(view->dtype))
READER(read_size, hw_value_text(view->size))
READER(read_counted_on, text_or_nothing(view->ladder->counted_on ? view->ladder->counted_on->id : NULL))
READER(read_counted_size, text_or_nothing(view->counted_size))
READER(read_ptx_by, text_or_nothing(view->ladder->ptx_by))
READER(read_counted_ptx_by, text_or_nothing(view->ladder->counted_ptx_by))

// ---- The rung, and whether it was right -----------------------------------------------------------------------------

// "-" in ladder.def: a start.
static const char *base_name(const hw_rung *rung) {
    return rung->builds_on && strcmp(rung->builds_on, "-") != 0 ? rung->builds_on : NULL;
}

static hw_value best_block(const hw_ladder_row *row) {
    hw_value value = hw_value_flag(row->is_best_block);
    value.is_absent = !row->is_best_block;
    return value;
}

static hw_value block_of(const hw_ladder_row *row) {
    hw_value value = hw_value_where(row->block[0], hw_value_plane(row->block));
    value.is_best = row->is_best_block;
    return value;
}

READER(read_number, hw_value_integer((uint64_t)row->rung->number))
READER(read_rung, hw_value_text(row->rung->name))
READER(read_idea, hw_value_text(row->rung->idea))
READER(read_builds_on, text_or_nothing(base_name(row->rung)))
READER(read_block, block_of(row))
READER(read_best_block, best_block(row))
READER(read_result, hw_value_judged(hw_value_text(hw_cli_ladder_result(row)),
                                    hw_cli_ladder_is_right(row) ? HW_JUDGED_GOOD : HW_JUDGED_BAD))
READER(read_n_wrong, hw_value_integer(row->verdict.n_wrong))
READER(read_message, hw_value_text(row->status ? row->text : row->verdict.text))
READER(read_error, hw_value_where(!row->status && row->verdict.has_error, hw_value_real(row->verdict.error)))

// ---- Times ----------------------------------------------------------------------------------------------------------

static bool is_timed(const hw_cli_ladder_view *view, const hw_ladder_row *row) {
    return hw_cli_ladder_is_timed(view->ladder) && row->runs;
}

// Of a rung that was timed: the number, unless it is 0.
static hw_value timed_number(const hw_cli_ladder_view *view, const hw_ladder_row *row, double number) {
    return hw_value_where(is_timed(view, row), hw_value_positive(number));
}

static hw_value timed_ns(const hw_cli_ladder_view *view, const hw_ladder_row *row, double ns) {
    return hw_value_where(is_timed(view, row), hw_value_real(ns));
}

// From 5% on, the step is one forwards or backwards.
static hw_value judged_step(const hw_ladder_row *row, double step) {
    hw_value value = hw_value_positive(step);
    if (value.is_absent) return value;
    value.over = row->base->name;
    return hw_value_judged(value, step >= 1.05 ? HW_JUDGED_GOOD : step < 0.95 ? HW_JUDGED_BAD : HW_JUDGED_PLAIN);
}

static hw_value judged_share(hw_value share) {
    const hw_judgement judgement = share.real >= 0.85 ? HW_JUDGED_GOOD
                                 : share.real < 0.5   ? HW_JUDGED_BAD : HW_JUDGED_PLAIN;
    return hw_value_judged(share, judgement);
}

READER(read_time, timed_ns(view, row, row->ns_median / 1e3))
READER(read_estimate, hw_value_positive(row->estimate_us))
READER(read_runs, hw_value_where(is_timed(view, row), hw_value_integer(row->runs)))
READER(read_ns_median, timed_ns(view, row, row->ns_median))
READER(read_ns_min, timed_ns(view, row, row->ns_min))
READER(read_ns_max, timed_ns(view, row, row->ns_max))
READER(read_rate, timed_number(view, row, hw_cli_ladder_rate(view->ladder, row) / view->unit.divisor))
READER(read_gbs, timed_number(view, row, row->gbs))
READER(read_gops, timed_number(view, row, row->gops))
READER(read_share, judged_share(timed_number(view, row, row->share)))
READER(read_step, hw_value_where(is_timed(view, row), judged_step(row, row->step)))
READER(read_est_step, judged_step(row, row->estimate_step))
READER(read_step_over, text_or_nothing(row->base ? row->base->name : NULL))
READER(read_bound, hw_value_judged(text_or_nothing(hw_cli_ladder_bound(view->ladder, row)),
                                   row->is_at_floor ? HW_JUDGED_BAD : HW_JUDGED_PLAIN))
READER(read_at_floor, hw_value_flag(row->is_at_floor))
READER(read_resident, hw_value_where(row->resident_blocks, hw_value_integer(row->resident_blocks)))

static hw_value read_bound_us(const hw_column *column, const void *subject) {
    const hw_ladder_row *row = row_of(subject);
    return hw_value_where(row->estimate_us > 0, hw_value_real(row->bound_us[column->of[0][0]]));
}

// ---- Results per clock and multiprocessor, of families that count them ----------------------------------------------

// The clock of a measured GPU is what its peak is made of.
static double measured_per_clock(const hw_cli_ladder_view *view, const hw_ladder_row *row) {
    const hw_device_properties *device = view->ladder->device;
    const hw_arch *arch = hw_arch_find(device->cc);
    const double lanes = arch ? 2.0 * hw_rate_of(arch, HW_RATE_F32) : 0;
    return view->family->counts_clocks && device->fp32_tflops > 0 ? row->gops * lanes / (device->fp32_tflops * 1e3) : 0;
}

// Without the time of a launch.
static double estimated_per_clock(const hw_cli_ladder_view *view, const hw_ladder_row *row) {
    const hw_gpu *gpu = view->ladder->counted_on;
    const double us = row->estimate_us - row->bound_us[HW_BOUND_LAUNCH];
    hw_work work;
    if (!view->family->counts_clocks || !gpu || !(us > 0) || !gpu->sms || !gpu->clock_mhz ||
        view->family->describe(&view->ladder->counted, &work, NULL))
        return 0;
    return work.operations / (us * gpu->sms * gpu->clock_mhz);
}

READER(read_per_clock, timed_number(view, row, measured_per_clock(view, row)))
READER(read_est_per_clock, hw_value_positive(estimated_per_clock(view, row)))

// ---- Counters -------------------------------------------------------------------------------------------------------

// What a profile's column says of the row's counters.
static hw_value read_as_profile(const hw_column *column, const void *subject) {
    const hw_ladder_row *row = row_of(subject);
    return hw_value_where(row->has_counts, hw_column_value(&hw_columns[column->of[0][0]],
                                                           &(hw_subject){.counts = row->counts}));
}

// Before 2.0 there is no second-level cache.
static hw_value read_l2_traffic(const hw_column *column, const void *subject) {
    const hw_gpu *gpu = view_of(subject)->ladder->counted_on;
    return hw_value_where(gpu && gpu->arch->cc >= 20, read_as_profile(column, subject));
}

// Of textures: sectors that fetches touch, and those that miss their cache.
static uint64_t texels_of(const hw_column *column, const void *subject) {
    const hw_ladder_row *row = row_of(subject);
    return column->of[0][0] ? row->texel_misses : row->texel_sectors;
}

static hw_value read_texels(const hw_column *column, const void *subject) {
    return hw_value_where(row_of(subject)->texel_sectors, hw_value_integer(texels_of(column, subject)));
}

static hw_value read_texel_bytes(const hw_column *column, const void *subject) {
    enum { SECTOR_BYTES = 32 };
    return hw_value_where(row_of(subject)->texel_sectors, hw_value_integer(SECTOR_BYTES * texels_of(column, subject)));
}

// Of 1.x. The worse of both is what counts.
static hw_value judged_partitions(double loads, double stores) {
    const double least = loads < stores ? loads : stores;
    return hw_value_where(least > 0, hw_value_judged(hw_value_pair(loads, stores), hw_judge_ratio(100, least)));
}

static hw_value occupancy_of(const hw_ladder_row *row) {
    const double pct = row->occupancy.occupancy_pct;
    hw_value value = hw_value_judged(hw_value_positive(pct), hw_judge_occupancy(pct));
    value.is_estimate = row->regs_estimated;
    return hw_value_where(row->has_counts, value);
}

READER(read_partitions, judged_partitions(row->partition_pct[0], row->partition_pct[1]))
READER(read_occupancy, occupancy_of(row))

static hw_value read_partition_pct(const hw_column *column, const void *subject) {
    return hw_value_positive(row_of(subject)->partition_pct[column->of[0][0]]);
}

// The columns are the same for all GPUs, and those of counters that only others have are empty. What no GPU's profile
// has for a column, the ideals of the ladder's table, is counted on all of them.
static hw_value read_counter(const hw_column *column, const void *subject) {
    const hw_ladder_row *row = row_of(subject);
    const hw_gpu *gpu = view_of(subject)->ladder->counted_on;
    const hw_counter counter = (hw_counter)column->of[0][0];
    const bool is_counted = row->has_counts && gpu &&
                            (!hw_counter_rows[counter].until || hw_counter_is_column(counter, gpu));
    return hw_value_where(is_counted, hw_value_integer(row->counts[counter]));
}

const hw_column hw_cli_ladder_counters[HW_COUNTERS] = {
#define HW_COUNTER(id, name, unit, since, until, meaning)                                                             \
    [HW_COUNT_##id] = {#name, {"", "", 0}, since, until, HW_UNIT_##unit, read_counter, {{HW_COUNT_##id}}, meaning},
#include "prof/counters.def"
#undef HW_COUNTER
};

// ---- What one access costs ------------------------------------------------------------------------------------------

static hw_value read_mean(const hw_column *column, const void *subject) {
    const hw_ladder_row *row = row_of(subject);
    const uint8_t *of = column->of[0];
    uint64_t sum = 0;
    for (int i = 1; i < 4 && of[i]; i++) sum += row->counts[of[i]];
    const uint64_t count = row->counts[of[0]];
    return hw_value_where(row->has_counts && count, hw_value_real((double)sum / (double)(count ? count : 1)));
}

// Before 7.0; from then on a transaction is a sector, which the first table has.
static hw_value read_mean_of_old(const hw_column *column, const void *subject) {
    const hw_gpu *gpu = view_of(subject)->ladder->counted_on;
    return hw_value_where(gpu && gpu->arch->cc < 70, read_mean(column, subject));
}

static hw_value parted_branches(const hw_ladder_row *row) {
    const uint64_t parted = row->counts[HW_COUNT_BRANCHES_DIVERGENT], all = row->counts[HW_COUNT_BRANCHES];
    return hw_value_where(row->has_counts && parted, hw_value_real(100.0 * (double)parted / (double)(all ? all : 1)));
}

READER(read_parted, parted_branches(row))

// ---- The table ------------------------------------------------------------------------------------------------------

enum {
    RIGHT = 0, LEFT = HW_GRID_LEFT, KEY = HW_GRID_KEY, WRAPPED = HW_GRID_WRAPPED, ZERO = HW_LOOK_ZERO,
    FINE = HW_LOOK_FINE, TIDY = HW_LOOK_TIDY, TENTHS = HW_LOOK_TENTHS, EXPONENT = HW_LOOK_EXPONENT,
    WHOLE = HW_LOOK_FIXED(0), HUNDREDTHS = HW_LOOK_FIXED(2),
};

#define OF(number) {{number}}
#define COUNTERS2(a, b) {{HW_COUNT_##a, HW_COUNT_##b}}
#define COUNTERS4(a, b, c, d) {{HW_COUNT_##a, HW_COUNT_##b, HW_COUNT_##c, HW_COUNT_##d}}
_Static_assert(HW_COUNT_INST == 0, "no mean is of that counter, so that 0 ends a list");

const hw_column hw_cli_ladder_columns[HW_LADDER_COLUMNS] = {
#define HW_COLUMN(id, key, top, bottom, looks, unit, read, of)                                                        \
    [HW_LADDER_##id] = {key, {top, bottom, looks}, 0, 0, HW_UNIT_##unit, read, of, ""},
#include "ladders/ladder_columns.def"
#undef HW_COLUMN
};

// ---- What the family tells of its rungs -----------------------------------------------------------------------------

static hw_value read_fact(const hw_column *column, const void *subject) {
    const double number = row_of(subject)->facts[column->of[0][0]];
    return hw_value_where(!isnan(number), hw_value_real(number));
}

// A fact's name as programs like it: "operations per byte" is operations_per_byte.
static void write_key(const char *name, char *key, size_t key_bytes) {
    size_t used = 0;
    for (; *name && used + 1 < key_bytes; name++) key[used++] = isalnum((unsigned char)*name) ? *name : '_';
    key[used] = 0;
}

// A name of two words or more stands on two lines of the heading.
int hw_cli_ladder_facts(const hw_family *family, hw_cli_fact_names *names, hw_column columns[HW_FAMILY_FACTS]) {
    int n = 0;
    for (; n < HW_FAMILY_FACTS && family->fact_names[n]; n++) {
        const char *name = family->fact_names[n], *space = strrchr(name, ' ');
        snprintf(names->tops[n], sizeof names->tops[n], "%.*s", space ? (int)(space - name) : 0, name);
        write_key(name, names->keys[n], sizeof names->keys[n]);
        columns[n] = (hw_column){.key = names->keys[n],
                                 .heading = {names->tops[n], space ? space + 1 : name, HW_LOOK_DIGITS},
                                 .read = read_fact, .of = {{(uint8_t)n}}};
    }
    return n;
}
