// One box of a permutation: in -> buffer by register tiles, buffer -> out by whole lines; or straight to out.
#include "op/transpose/cpu/box.h"

#include <string.h>

// Nested loops over both sides, the innermost first. Steps in bytes.
typedef struct nest {
    uint32_t depth;
    uint64_t n[HW_MAX_RANK], at[HW_MAX_RANK];
    ptrdiff_t from_step[HW_MAX_RANK], to_step[HW_MAX_RANK];
} nest;

static void add_loop(nest *l, uint64_t n, ptrdiff_t from_step, ptrdiff_t to_step) {
    if (n == 1) return;
    l->n[l->depth] = n;
    l->at[l->depth] = 0;
    l->from_step[l->depth] = from_step;
    l->to_step[l->depth++] = to_step;
}

static bool next_sheet(nest *l, const char **from, char **to) {
    for (uint32_t k = 0; k < l->depth; k++) {
        *from += l->from_step[k];
        *to += l->to_step[k];
        if (++l->at[k] < l->n[k]) return true;
        *from -= (ptrdiff_t)l->n[k] * l->from_step[k];
        *to -= (ptrdiff_t)l->n[k] * l->to_step[k];
        l->at[k] = 0;
    }
    return false;
}

// Runs of a few bytes are what memcpy is slow at: two moves that may lie over each other do up to 16.
static inline void copy_run(char *to, const char *from, size_t bytes) {
    if (bytes > 256) {
        memcpy(to, from, bytes);
    } else if (bytes >= 16) {
        for (size_t i = 0; i + 16 < bytes; i += 16) memcpy(to + i, from + i, 16);
        memcpy(to + bytes - 16, from + bytes - 16, 16);
    } else if (bytes >= 8) {
        memcpy(to, from, 8);
        memcpy(to + bytes - 8, from + bytes - 8, 8);
    } else {
        for (size_t i = 0; i < bytes; i++) to[i] = from[i];
    }
}

typedef struct sheet {   // two axes of a box
    size_t rows, cols;
    ptrdiff_t from_row, from_col, to_row, to_col;
} sheet;

#define PLAIN(type)                                                                                                    \
    for (size_t c = 0; c < s->cols; c++)                                                                               \
        for (size_t r = 0; r < s->rows; r++)                                                                           \
            memcpy(to + (ptrdiff_t)c * s->to_col + (ptrdiff_t)r * s->to_row,                                           \
                   from + (ptrdiff_t)c * s->from_col + (ptrdiff_t)r * s->from_row, sizeof(type))

static void move_plain(const sheet *s, char *to, const char *from, uint32_t elem_bytes) {
    switch (elem_bytes) {
        case 1: PLAIN(uint8_t); break;
        case 2: PLAIN(uint16_t); break;
        case 4: PLAIN(uint32_t); break;
        case 8: PLAIN(uint64_t); break;
        default: PLAIN(uint64_t[2]); break;
    }
}

typedef struct box {
    uint64_t n[HW_MAX_RANK];
    const char *in;
    char *out;
} box;

static void locate_box(const hw_cpu_plan *plan, uint64_t index, box *b) {
    const hw_permutation *p = &plan->p;
    b->in = p->in;
    b->out = p->out;
    for (uint32_t i = 0; i < p->rank; i++) {
        uint32_t k = plan->walk[i];
        uint64_t count = (p->n[k] + plan->box[k] - 1) / plan->box[k], first = index % count * plan->box[k];
        index /= count;
        b->n[k] = p->n[k] - first < plan->box[k] ? p->n[k] - first : plan->box[k];
        b->in += (int64_t)first * p->in_stride[k] * p->elem_bytes;
        b->out += (int64_t)first * p->out_stride[k] * p->elem_bytes;
    }
}

// A place in the box that is read. A strip is a few rows (or runs) of one sheet of the box. A second cursor goes some
// strips ahead and prefetches them, and goes on in the next box when this one ends.
typedef struct cursor {
    nest loops;
    const char *from;
    char *to;
    sheet s;
    size_t strip, at, most;   // rows of a strip; the first row of this one; rows of the sheet
    ptrdiff_t from_step, to_step;
    bool ended;
} cursor;

static void begin_cursor(const hw_cpu_plan *plan, const box *b, char *to, const int64_t *to_stride, cursor *c) {
    const int64_t *in = plan->p.in_stride;
    uint32_t row = plan->row_axis, col = plan->col_axis;
    ptrdiff_t elem = plan->p.elem_bytes;
    *c = (cursor){.from = b->in, .to = to, .strip = plan->strip};
    c->s = (sheet){.rows = b->n[row], .cols = row == col ? 1 : b->n[col], .from_row = in[row] * elem,
                   .from_col = in[col] * elem, .to_row = to_stride[row], .to_col = to_stride[col]};
    for (uint32_t i = 0; i < plan->n_loops; i++) {
        uint32_t k = plan->loops[i];
        add_loop(&c->loops, b->n[k], in[k] * elem, to_stride[k]);
    }
    bool by_rows = plan->way == HW_CPU_TRANSPOSE;
    c->most = by_rows ? c->s.rows : c->s.cols;
    c->from_step = by_rows ? c->s.from_row : c->s.from_col;
    c->to_step = by_rows ? c->s.to_row : c->s.to_col;
}

// The last strip takes what would be less than one.
static size_t strip_rows(const cursor *c) { return c->most - c->at < 2 * c->strip ? c->most - c->at : c->strip; }

static void advance_cursor(cursor *c) {
    size_t rows = strip_rows(c);
    c->at += rows;
    c->from += (ptrdiff_t)rows * c->from_step;
    c->to += (ptrdiff_t)rows * c->to_step;
    if (c->at < c->most) return;
    c->at = 0;
    c->from -= (ptrdiff_t)c->most * c->from_step;
    c->to -= (ptrdiff_t)c->most * c->to_step;
    c->ended = !next_sheet(&c->loops, &c->from, &c->to);
}

// Inlined by force: GCC takes a function that only prefetches to be without effect, and drops calls of it.
static inline __attribute__((always_inline)) void fetch_strip(const hw_cpu_plan *plan, const cursor *c) {
    size_t rows = strip_rows(c), bytes = (plan->way == HW_CPU_TRANSPOSE ? c->s.cols : c->s.rows) * plan->p.elem_bytes;
    for (size_t r = 0; r < rows; r++) {
        const char *line = c->from + (ptrdiff_t)r * c->from_step, *end = line + bytes;
        for (; line < end; line += 64) __builtin_prefetch(line, 0, 2);
    }
}

static void move_strip(const hw_cpu_plan *plan, const hw_tile_level *level, const cursor *c) {
    uint32_t elem = plan->p.elem_bytes;
    const sheet *s = &c->s;
    if (plan->way == HW_CPU_TRANSPOSE) {
        level->transpose[__builtin_ctz(elem)](c->from, s->from_row, c->to, s->to_col, strip_rows(c), s->cols);
        return;
    }
    const char *from = c->from;
    char *to = c->to;
    for (size_t i = strip_rows(c); i > 0; i--, from += s->from_col, to += s->to_col) {
        if (plan->streams && !plan->buffered) level->stream(to, from, s->rows * elem);
        else copy_run(to, from, s->rows * elem);
    }
}

static void gather_box(const hw_cpu_plan *plan, const hw_tile_level *level, const box *b, const box *after, char *to,
                       const int64_t *to_stride) {
    cursor here, ahead;
    begin_cursor(plan, b, to, to_stride, &here);
    ahead = here;
    for (uint32_t i = 0; i < plan->strips_ahead && !ahead.ended; i++) advance_cursor(&ahead);
    while (!here.ended && !plan->fetches) {
        move_strip(plan, level, &here);
        advance_cursor(&here);
    }
    while (!here.ended) {
        if (ahead.ended && after) {
            begin_cursor(plan, after, to, to_stride, &ahead);
            after = NULL;
        }
        if (!ahead.ended) {
            fetch_strip(plan, &ahead);
            advance_cursor(&ahead);
        }
        move_strip(plan, level, &here);
        advance_cursor(&here);
    }
}

static void move_plainly(const hw_cpu_plan *plan, const box *b, char *to, const int64_t *to_stride) {
    cursor c;
    begin_cursor(plan, b, to, to_stride, &c);
    do move_plain(&c.s, c.to, c.from, plan->p.elem_bytes);
    while (next_sheet(&c.loops, &c.from, &c.to));
}

static void scatter_box(const hw_cpu_plan *plan, const hw_tile_level *level, const box *b, const char *buffer) {
    size_t run = plan->p.elem_bytes;
    nest loops = {0};
    for (uint32_t k = plan->p.rank; k-- > 0;) {
        if (k >= plan->run_axis) run *= b->n[k];
        else add_loop(&loops, b->n[k], plan->buffer_stride[k], plan->p.out_stride[k] * plan->p.elem_bytes);
    }
    char *to = b->out;
    do {
        if (plan->streams) level->stream(to, buffer, run);
        else copy_run(to, buffer, run);
    } while (next_sheet(&loops, &buffer, &to));
}

void hw_cpu_box_move(const hw_cpu_plan *plan, const hw_tile_level *level, uint64_t index, bool goes_on, char *buffer) {
    box b, after;
    int64_t out_stride[HW_MAX_RANK];
    locate_box(plan, index, &b);
    if (goes_on) locate_box(plan, index + 1, &after);
    if (!plan->p.rank) {
        memcpy(b.out, b.in, plan->p.elem_bytes);
        return;
    }
    for (uint32_t k = 0; k < plan->p.rank; k++) out_stride[k] = plan->p.out_stride[k] * plan->p.elem_bytes;
    char *to = plan->buffered ? buffer : b.out;
    const int64_t *stride = plan->buffered ? plan->buffer_stride : out_stride;
    if (plan->way == HW_CPU_PLAIN) move_plainly(plan, &b, to, stride);
    else gather_box(plan, level, &b, goes_on ? &after : NULL, to, stride);
    if (plan->buffered) scatter_box(plan, level, &b, buffer);
}
