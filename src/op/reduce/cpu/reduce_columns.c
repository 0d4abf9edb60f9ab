// Neighbouring outputs at once: a row of sums, to which rows of terms are added. Where a row of the array is short and
// the next one goes on behind it, several of them are one row here (rows_at_once), whose sums are joined at the end.
#include <string.h>

#include "op/reduce/cpu/reduce_terms.h"
#include "op/reduce/cpu/reduce_ways.h"

enum { SUM_BYTES = 8, ROW_BYTES = HW_FOLD_WIDTH * SUM_BYTES };

// The rows of a thread's scratch memory.
typedef struct rows {
    char *sums;          // two of them: sums of 128 bits have their upper halves in the second, means their squares
    uint32_t *at;        // the rows that hold the best; of variances, how many rows a column has
    char *loaded;        // terms that do not lie side by side
    float *widened;
    int64_t *offsets;    // of the outputs from the first one
    char *pairs;         // sums that are put aside: row k is of 2^k * HW_FOLD_DEPTH rows
} rows;

enum { FIXED_ROWS = 6 };

static uint32_t levels_of_pairs(const hw_cpu_reduce_plan *plan) {
    uint32_t levels = 1;
    if (!plan->in_pairs) return 0;
    while (plan->part_terms / HW_FOLD_DEPTH >> levels) levels++;
    return levels;
}

size_t hw_cpu_reduce_room(const hw_cpu_reduce_plan *plan) {
    if (plan->way == HW_CPU_REDUCE_RUNS)
        return plan->contiguous && plan->widen == HW_CPU_AS_IS ? 0 : HW_CPU_ROOM_BYTES;
    if (plan->is_exact) return (size_t)HW_CPU_EXACT_OUTPUTS * HW_CPU_EXACT_PITCH * 8;   // of transposed terms
    return (size_t)ROW_BYTES * (FIXED_ROWS + levels_of_pairs(plan));
}

static rows rows_of_room(void *room) {
    char *r = room;
    return (rows){.sums = r, .at = (uint32_t *)(r + 2 * ROW_BYTES), .loaded = r + 3 * ROW_BYTES,
                  .widened = (float *)(r + 4 * ROW_BYTES), .offsets = (int64_t *)(r + 5 * ROW_BYTES),
                  .pairs = r + FIXED_ROWS * ROW_BYTES};
}

static bool chooses_a_term(const hw_cpu_reduce_plan *plan) {
    return plan->op == HW_FOLD_LEAST || plan->op == HW_FOLD_MOST;
}

// Sets the sums to what changes nothing when it is added or multiplied. Least and most begin with the first row
// instead.
static void clear_sums(const hw_cpu_reduce_plan *plan, char *sums, uint32_t n) {
    const bool multiplies = plan->op == HW_FOLD_MULTIPLY, is_spread = plan->op == HW_FOLD_SPREAD;
    if (plan->op == HW_FOLD_COUNT || is_spread) {
        memset(sums, 0, (size_t)n * SUM_BYTES);
        if (is_spread) memset(sums + ROW_BYTES, 0, (size_t)n * SUM_BYTES);
    } else if (plan->type == HW_FOLD_F32) {
        for (uint32_t c = 0; c < n; c++) ((float *)sums)[c] = multiplies ? 1 : -0.0f;
    } else if (plan->type == HW_FOLD_F64) {
        for (uint32_t c = 0; c < n; c++) ((double *)sums)[c] = multiplies ? 1 : -0.0;
    } else {
        memset(sums, 0, (size_t)n * SUM_BYTES);
        if (plan->op == HW_FOLD_WIDE) memset(sums + ROW_BYTES, 0, (size_t)n * SUM_BYTES);
        if (multiplies)
            for (uint32_t c = 0; c < n; c++) ((uint64_t *)sums)[c] = 1;
    }
}

// Some rows of an array as the inner loops take them: rows that lie `pitch` bytes apart, or a single row where its
// terms have to be gathered or widened first.
typedef struct some_rows {
    const char *from;
    ptrdiff_t pitch;
    size_t n;
} some_rows;

static some_rows take_some_rows(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, const rows *r, uint32_t n,
                                const char *from, ptrdiff_t pitch, size_t n_rows) {
    if (plan->contiguous && plan->widen == HW_CPU_AS_IS) return (some_rows){from, pitch, n_rows};
    if (!plan->contiguous) {
        hw_cpu_gather_at(r->loaded, from, r->offsets, n, plan->form->in_bytes);
        from = r->loaded;
    }
    return (some_rows){hw_cpu_widened(plan, level, from, r->widened, n), 0, 1};
}

static void fold_rows(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, const rows *r, uint32_t n,
                      const some_rows *some, uint64_t row) {
    if (plan->is_arg) {
        (plan->op == HW_FOLD_LEAST ? level->least_at : level->most_at)[plan->type](
            r->sums, r->at, some->from, some->pitch, some->n, n, (uint32_t)row);
        return;
    }
    if (plan->op == HW_FOLD_SPREAD) {
        level->spread[plan->type]((double *)r->sums, some->from, some->pitch, some->n, n, row);
        for (uint32_t c = 0; c < n; c++) r->at[c] = (uint32_t)(row + some->n);
        return;
    }
    const bool narrow = plan->op == HW_FOLD_WIDE && !level->columns[HW_FOLD_WIDE][plan->type];
    level->columns[narrow ? HW_FOLD_ADD : plan->op][plan->type](r->sums, some->from, some->pitch, some->n, n);
}

// Sums as numbers of the type that they are in.
static hw_fold_type type_of_sums(const hw_cpu_reduce_plan *plan) {
    return plan->type == HW_FOLD_F32 ? HW_FOLD_F32 : HW_FOLD_F64;
}

// Puts the sums of block number `count` aside, as a binary counter counts: sums of equally many rows are joined first,
// so that row k of r->pairs has the sums of 2^k blocks.
static void put_aside(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, const rows *r, uint32_t n,
                      uint64_t count) {
    const hw_fold_type type = type_of_sums(plan);
    const size_t bytes = (size_t)n * SUM_BYTES;
    int k = 0;
    for (; count & 1; count >>= 1, k++) {
        level->columns[HW_FOLD_ADD][type](r->pairs + (size_t)k * ROW_BYTES, r->sums, 0, 1, n);
        memcpy(r->sums, r->pairs + (size_t)k * ROW_BYTES, bytes);
    }
    memcpy(r->pairs + (size_t)k * ROW_BYTES, r->sums, bytes);
    clear_sums(plan, r->sums, n);
}

static void join_all(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, const rows *r, uint32_t n,
                     uint64_t count) {
    for (int k = 0; count >> k; k++) {
        if (!(count >> k & 1)) continue;
        level->columns[HW_FOLD_ADD][type_of_sums(plan)](r->pairs + (size_t)k * ROW_BYTES, r->sums, 0, 1, n);
        memcpy(r->sums, r->pairs + (size_t)k * ROW_BYTES, (size_t)n * SUM_BYTES);
    }
}

// Writes the state of column c straight into *part: a copy would wait until its members are stored.
static void get_part(const hw_cpu_reduce_plan *plan, const rows *r, uint32_t c, hw_cpu_part *part) {
    part->index = plan->is_arg ? r->at[c] : 0;
    part->terms = plan->op == HW_FOLD_SPREAD ? r->at[c] : 0;
    const void *sums = r->sums;
    if (chooses_a_term(plan)) {
        switch (plan->type) {
            case HW_FOLD_I8: part->number.i = ((const int8_t *)sums)[c]; break;
            case HW_FOLD_I16: part->number.i = ((const int16_t *)sums)[c]; break;
            case HW_FOLD_I32: part->number.i = ((const int32_t *)sums)[c]; break;
            case HW_FOLD_U8: part->number.u = ((const uint8_t *)sums)[c]; break;
            case HW_FOLD_U16: part->number.u = ((const uint16_t *)sums)[c]; break;
            case HW_FOLD_U32: part->number.u = ((const uint32_t *)sums)[c]; break;
            case HW_FOLD_F32: part->number.f = ((const float *)sums)[c]; break;
            default: part->number.u = ((const uint64_t *)sums)[c]; break;
        }
    } else if (plan->op == HW_FOLD_SPREAD) {
        part->number.spread.mean = ((const double *)sums)[c];
        part->number.spread.squares = ((const double *)sums)[HW_FOLD_WIDTH + c];
    } else if (plan->op == HW_FOLD_COUNT) {
        part->number.u = ((const uint64_t *)sums)[c];
    } else if (plan->op == HW_FOLD_WIDE) {
        const uint64_t lower = ((const uint64_t *)sums)[c], upper = ((const uint64_t *)sums)[HW_FOLD_WIDTH + c];
        const bool is_signed = plan->type < HW_FOLD_U8, is_long = plan->type_bytes == 8;
        part->number.wide = is_signed && !is_long ? (__int128)(int64_t)lower : (__int128)lower;
        if (is_long) part->number.wide += (is_signed ? (__int128)(int64_t)upper : (__int128)upper) * ((int64_t)1 << 32);
    } else if (plan->type == HW_FOLD_F32) {
        part->number.f = ((const float *)sums)[c];
    } else {
        part->number.u = ((const uint64_t *)sums)[c];
    }
}

// Joins the rows of the array that were folded as one row. Of equal numbers the one with the lowest index is taken,
// which need not be in the first of these rows.
static hw_cpu_part join_rows(const hw_cpu_reduce_plan *plan, const rows *r, uint32_t c, uint32_t outputs, uint32_t n) {
    const uint32_t many = n / outputs;
    hw_cpu_part all, part;
    get_part(plan, r, c, &all);
    all.index *= many;
    for (uint32_t g = 1; g < many; g++) {
        get_part(plan, r, g * outputs + c, &part);
        part.index = part.index * many + g;
        const bool is_before = plan->is_arg && part.index < all.index;
        if (is_before && !hw_cpu_part_is_better(plan, &all.number, &part.number)) all = part;
        else hw_cpu_part_join(plan, &all, &part);
    }
    return all;
}

static void add_rows(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, hw_cpu_terms *terms, const rows *r,
                     uint32_t n) {
    const uint32_t many = plan->rows_at_once;
    const ptrdiff_t pitch =
        plan->form->n_reduced ? plan->form->reduced_stride[plan->form->n_reduced - 1] * plan->form->in_bytes * many : 0;
    uint64_t row = 0, aside = 0;
    clear_sums(plan, r->sums, n);
    if (plan->is_arg) memset(r->at, 0, (size_t)n * sizeof *r->at);
    if (chooses_a_term(plan)) {
        const some_rows first = take_some_rows(plan, level, r, n, terms->at, 0, 1);
        memcpy(r->sums, first.from, (size_t)n * plan->type_bytes);
        hw_cpu_terms_skip(terms, many);
        row = 1;
    }
    while (terms->left >= many) {
        uint64_t run = hw_cpu_terms_run(terms) / many;
        if (plan->in_pairs && run > HW_FOLD_DEPTH - row % HW_FOLD_DEPTH) run = HW_FOLD_DEPTH - row % HW_FOLD_DEPTH;
        const some_rows some = take_some_rows(plan, level, r, n, terms->at, pitch, (size_t)run);
        fold_rows(plan, level, r, n, &some, row);
        hw_cpu_terms_skip(terms, some.n * many);
        row += some.n;
        if (plan->in_pairs && row % HW_FOLD_DEPTH == 0) put_aside(plan, level, r, n, aside++);
    }
    if (terms->left) {   // a row that is not full
        const uint32_t rest = (uint32_t)(terms->left * (n / many));
        const some_rows some = take_some_rows(plan, level, r, rest, terms->at, 0, 1);
        fold_rows(plan, level, r, rest, &some, row);
    }
    if (plan->in_pairs) join_all(plan, level, r, n, aside);
}

void hw_cpu_reduce_columns(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, hw_cpu_tile tile, uint64_t first,
                           uint64_t n, void *room, hw_cpu_part *parts) {
    const rows r = rows_of_room(room);
    const uint32_t many = plan->rows_at_once;
    const int64_t begin = hw_cpu_output_in(plan->form, tile.first);
    hw_cpu_terms terms;
    if (!plan->contiguous) hw_cpu_output_offsets(plan->form, tile.first, tile.n, r.offsets);
    hw_cpu_terms_begin(&terms, plan, level, (const char *)plan->form->in + begin, first, n);
    add_rows(plan, level, &terms, &r, tile.n * many);
    if (plan->writes_rows) {
        char *out = (char *)plan->form->out + hw_cpu_output_out(plan->form, tile.first);
        hw_cpu_part_finish_row(plan, r.sums, tile.n);
        memcpy(out, r.sums, (size_t)tile.n * plan->form->out_bytes);
        return;
    }
    for (uint32_t i = 0; i < tile.n; i++) {
        if (many == 1) get_part(plan, &r, i, &parts[i]);
        else parts[i] = join_rows(plan, &r, i, tile.n, tile.n * many);
        parts[i].index += first;
    }
}
