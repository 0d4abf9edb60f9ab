// Products of integers in blocks: threads take tiles of C; of A and B as much as caches hold is put together in the
// width that sums have, in strips that the inner loops read from front to back.
#include "op/matmul/cpu/matmul_integers.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "op/matmul/cpu/integers.h"
#include "op/common/tasks.h"
#include "op/tune/cpu.h"

_Static_assert(HW_CPU_INTEGER_DEPTH % 2 == 0, "two steps of k are multiplied by one instruction");
_Static_assert(HW_CPU_INTEGER_ROWS % HW_INTEGER_ROWS == 0 && HW_CPU_INTEGER_LEAST_ROWS % HW_INTEGER_ROWS == 0 &&
               HW_CPU_INTEGER_COLS % 64 == 0 && HW_CPU_INTEGER_LEAST_COLS % 64 == 0, "blocks are whole tiles");

typedef struct integers_job {
    const hw_product *p;
    const char *a, *b;
    char *c;
    const hw_integer_level *level;
    hw_integer_way way;
    uint32_t word_bytes;            // of sums, and of what is put together
    uint64_t rows, cols;            // of C for each task
    uint64_t tasks_down, tasks_across;
    char *room;                     // of all threads
    size_t room_bytes;              // of each
} integers_job;

// ---- Putting together -----------------------------------------------------------------------------------------------

// An operand's block: element i of step p lies at from + i * along + p * down, in elements.
typedef struct block {
    const char *from;
    int64_t along, down;
    size_t n, depth;                // elements along, and steps
} block;

// to[strip][p][i], strips of `width`; zeros past the last element.
#define PACK(NAME, TYPE, WORD)                                                                                         \
    static void NAME(const block *x, size_t width, void *to_words) {                                                   \
        WORD *to = to_words;                                                                                           \
        for (size_t first = 0; first < x->n; first += width)                                                           \
            for (size_t p = 0; p < x->depth; p++, to += width) {                                                       \
                const TYPE *from = (const TYPE *)x->from + (int64_t)first * x->along + (int64_t)p * x->down;           \
                const size_t n = x->n - first < width ? x->n - first : width;                                          \
                if (x->along == 1)                                                                                     \
                    for (size_t i = 0; i < n; i++) to[i] = (WORD)from[i];                                              \
                else                                                                                                   \
                    for (size_t i = 0; i < n; i++) to[i] = (WORD)from[(int64_t)i * x->along];                          \
                for (size_t i = n; i < width; i++) to[i] = 0;                                                          \
            }                                                                                                          \
    }
PACK(pack_u16, uint16_t, uint32_t)
PACK(pack_u32, uint32_t, uint32_t)
PACK(pack_u64, uint64_t, uint64_t)

// Packs two steps into a word, the first into its lower half; the last step of an odd depth lies beside zeros.
#define PACK_PAIRS(NAME, TYPE)                                                                                         \
    static void NAME(const block *x, size_t width, void *to_words) {                                                   \
        uint32_t *to = to_words;                                                                                       \
        for (size_t first = 0; first < x->n; first += width)                                                           \
            for (size_t p = 0; p < x->depth; p += 2, to += width) {                                                    \
                const TYPE *from = (const TYPE *)x->from + (int64_t)first * x->along + (int64_t)p * x->down;           \
                const TYPE *next = p + 1 < x->depth ? from + x->down : from;                                           \
                const uint32_t mask = p + 1 < x->depth ? 0xffffffff : 0xffff;                                          \
                const size_t n = x->n - first < width ? x->n - first : width;                                          \
                for (size_t i = 0; i < n; i++) {                                                                       \
                    const int64_t at = (int64_t)i * x->along;                                                          \
                    to[i] = ((uint16_t)(int16_t)from[at] | (uint32_t)(int16_t)next[at] << 16) & mask;                  \
                }                                                                                                      \
                for (size_t i = n; i < width; i++) to[i] = 0;                                                          \
            }                                                                                                          \
    }
PACK_PAIRS(pack_pairs_i8, int8_t)
PACK_PAIRS(pack_pairs_u8, uint8_t)
PACK_PAIRS(pack_pairs_i16, int16_t)

static void pack_block(DLDataType type, const block *x, size_t width, void *to) {
    switch (type.bits) {
    case 8: (type.code == kDLInt ? pack_pairs_i8 : pack_pairs_u8)(x, width, to); return;
    case 16: (type.code == kDLInt ? pack_pairs_i16 : pack_u16)(x, width, to); return;
    case 32: pack_u32(x, width, to); return;
    default: pack_u64(x, width, to); return;
    }
}

// Unsigned 16-bit elements do not fit a half with a sign.
static hw_integer_way way_of(DLDataType type) {
    if (type.bits == 64) return HW_INTEGER_WIDE;
    return type.bits == 32 || (type.bits == 16 && type.code == kDLUInt) ? HW_INTEGER_NARROW : HW_INTEGER_PAIRS;
}

// ---- One task -------------------------------------------------------------------------------------------------------

// A rectangle of C in one batch, and the rows of A and columns of B that it needs.
typedef struct task {
    const char *a, *b;
    char *c;
    uint64_t rows, cols;
} task;

static task task_of(const integers_job *j, uint64_t index) {
    const hw_product *p = j->p;
    const int64_t in = p->input.bits / 8, out = p->output.bits / 8;
    const uint64_t per_batch = j->tasks_down * j->tasks_across, place = index % per_batch;
    const uint64_t row = place / j->tasks_across * j->rows, col = place % j->tasks_across * j->cols;
    int64_t a = (int64_t)row * (p->a.transposed ? 1 : p->a.ld), b = (int64_t)col * (p->b.transposed ? p->b.ld : 1);
    int64_t c = (int64_t)row * p->c.ld + (int64_t)col;
    uint64_t rest = index / per_batch;
    for (uint32_t k = p->n_batch_axes; k-- > 0; rest /= p->batch[k]) {
        const int64_t at = (int64_t)(rest % p->batch[k]);
        a += at * p->a.batch_stride[k];
        b += at * p->b.batch_stride[k];
        c += at * p->c.batch_stride[k];
    }
    return (task){j->a + a * in, j->b + b * in, j->c + c * out, hw_least(j->rows, p->m - row),
                  hw_least(j->cols, p->n - col)};
}

#define FINISH(TYPE, WORD)                                                                                             \
    do {                                                                                                               \
        TYPE *at = (TYPE *)to;                                                                                         \
        const WORD *sum = from;                                                                                        \
        for (size_t i = 0; i < n; i++)                                                                                 \
            at[i] = (TYPE)(alpha * sum[i] + (beta ? beta * (uint64_t)at[i] : 0));                                      \
    } while (0)

// Writes a row of a tile to a row of C, modulo 2^n of C's n bits, so that signs do not matter.
static void finish_row(const hw_product *p, const void *from, size_t n, char *to) {
    const uint64_t alpha = (uint64_t)(int64_t)p->alpha, beta = (uint64_t)(int64_t)p->beta;
    switch (p->output.bits) {
    case 8: FINISH(uint8_t, uint32_t); return;
    case 16: FINISH(uint16_t, uint32_t); return;
    case 32: FINISH(uint32_t, uint32_t); return;
    default: FINISH(uint64_t, uint64_t); return;
    }
}

// Writes the tiles of sums to C. Tiles lie one after the other, a column of tiles at a time.
static void finish_tiles(const integers_job *j, const task *t, const char *sums) {
    const uint32_t width = j->level->cols[j->way], row_bytes = width * j->word_bytes;
    const uint64_t tile_rows = hw_divide_up(t->rows, HW_INTEGER_ROWS);
    for (uint64_t col = 0; col < t->cols; col += width)
        for (uint64_t row = 0; row < tile_rows * HW_INTEGER_ROWS; row++, sums += row_bytes) {
            char *to = t->c + ((int64_t)row * j->p->c.ld + (int64_t)col) * (j->p->output.bits / 8);
            if (row < t->rows) finish_row(j->p, sums, (size_t)hw_least(width, t->cols - col), to);
        }
}

static void multiply_tiles(const integers_job *j, const task *t, uint64_t depth, const char *a, const char *b,
                           char *sums) {
    const uint32_t width = j->level->cols[j->way];
    const size_t words = j->way == HW_INTEGER_PAIRS ? (depth + 1) / 2 : depth;
    const size_t a_bytes = HW_INTEGER_ROWS * words * j->word_bytes, b_bytes = width * words * j->word_bytes;
    for (uint64_t col = 0; col < t->cols; col += width, b += b_bytes) {
        const char *strip = a;
        for (uint64_t row = 0; row < t->rows; row += HW_INTEGER_ROWS, strip += a_bytes) {
            j->level->tile[j->way](strip, b, words, sums);
            sums += (size_t)HW_INTEGER_ROWS * width * j->word_bytes;
        }
    }
}

static void run_task(void *context, uint64_t index, uint32_t worker) {
    const integers_job *j = context;
    const hw_product *p = j->p;
    const task t = task_of(j, index);
    const int64_t elem_bytes = p->input.bits / 8;
    char *a = j->room + worker * j->room_bytes, *b = a + HW_CPU_INTEGER_ROWS * HW_CPU_INTEGER_DEPTH * j->word_bytes;
    char *sums = b + HW_CPU_INTEGER_COLS * HW_CPU_INTEGER_DEPTH * j->word_bytes;
    const int64_t a_along = p->a.transposed ? 1 : p->a.ld, a_down = p->a.transposed ? p->a.ld : 1;
    const int64_t b_along = p->b.transposed ? p->b.ld : 1, b_down = p->b.transposed ? 1 : p->b.ld;
    const uint64_t tile_rows = hw_divide_up(t.rows, HW_INTEGER_ROWS), width = j->level->cols[j->way];
    memset(sums, 0, tile_rows * HW_INTEGER_ROWS * hw_divide_up(t.cols, width) * width * j->word_bytes);
    for (uint64_t k = 0; k < p->k; k += HW_CPU_INTEGER_DEPTH) {
        const size_t depth = (size_t)hw_least(HW_CPU_INTEGER_DEPTH, p->k - k);
        const block left = {t.a + (int64_t)k * a_down * elem_bytes, a_along, a_down, t.rows, depth};
        const block right = {t.b + (int64_t)k * b_down * elem_bytes, b_along, b_down, t.cols, depth};
        pack_block(p->input, &left, HW_INTEGER_ROWS, a);
        pack_block(p->input, &right, j->level->cols[j->way], b);
        multiply_tiles(j, &t, depth, a, b, sums);
    }
    finish_tiles(j, &t, sums);
}

// ---- All of it ------------------------------------------------------------------------------------------------------

static uint64_t count_batches(const hw_product *p) {
    uint64_t batches = 1;
    for (uint32_t k = 0; k < p->n_batch_axes; k++) batches *= p->batch[k];
    return batches;
}

// Large pieces of C read A and B the fewest times; smaller ones where these would leave threads without any.
static uint64_t cut_tasks(integers_job *j, uint32_t n_threads) {
    const uint64_t batches = count_batches(j->p);
    j->rows = HW_CPU_INTEGER_ROWS;
    j->cols = HW_CPU_INTEGER_COLS;
    for (;;) {
        j->tasks_down = hw_divide_up(j->p->m, j->rows);
        j->tasks_across = hw_divide_up(j->p->n, j->cols);
        const uint64_t tasks = batches * j->tasks_down * j->tasks_across;
        const bool is_low = j->rows == HW_CPU_INTEGER_LEAST_ROWS, is_narrow = j->cols == HW_CPU_INTEGER_LEAST_COLS;
        if (tasks >= 2 * (uint64_t)n_threads || n_threads == 1 || (is_low && is_narrow)) return tasks;
        if (!is_narrow && (j->cols >= j->rows || is_low)) j->cols /= 2;
        else j->rows /= 2;
    }
}

hw_status hw_cpu_matmul_integers(const hw_product *p, const void *a, const void *b, void *c, hw_pool *pool,
                                 uint32_t n_threads, hw_diag *diag) {
    integers_job j = {.p = p, .a = a, .b = b, .c = c, .level = hw_integer_level_best(), .way = way_of(p->input)};
    j.word_bytes = j.way == HW_INTEGER_WIDE ? 8 : 4;
    const double products = (double)p->m * (double)p->n * (double)p->k * (double)count_batches(p);
    const double useful = products / HW_CPU_INTEGER_THREAD_PRODUCTS + 1;
    if (useful < n_threads) n_threads = (uint32_t)useful;
    const uint64_t tasks = cut_tasks(&j, n_threads);
    if (tasks < n_threads) n_threads = (uint32_t)tasks;
    const size_t lines = HW_CPU_INTEGER_ROWS + HW_CPU_INTEGER_COLS, sums = HW_CPU_INTEGER_ROWS * HW_CPU_INTEGER_COLS;
    j.room_bytes = (lines * HW_CPU_INTEGER_DEPTH + sums) * j.word_bytes;
    j.room = hw_alloc_lanes(j.room_bytes * n_threads);
    if (!j.room) return hw_diag_no_memory(diag);
    hw_cpu_tasks_run(pool, n_threads, tasks, run_task, &j);
    hw_free_aligned(j.room);
    return HW_OK;
}

char *hw_cpu_matmul_integers_explain(const hw_product *p, char *text, size_t text_bytes) {
    static const char *const words[] = {"pairs of 16 bits", "32 bits", "64 bits"};
    const hw_integer_level *level = hw_integer_level_best();
    const hw_integer_way way = way_of(p->input);
    snprintf(text, text_bytes,
             "integers in %s (%s): blocks of up to %d x %d, %d steps of k at a time, tiles of %d x %u\n", words[way],
             level->name, HW_CPU_INTEGER_ROWS, HW_CPU_INTEGER_COLS, HW_CPU_INTEGER_DEPTH, HW_INTEGER_ROWS,
             level->cols[way]);
    return text;
}
