// Run (i, j) of rows x cols lies at i * cols + j, and goes to j * rows + i. (Windley, Transposing matrices in a digital
// computer, 1959; the marks make it one pass.)
#include "op/transpose/cpu/cycles.h"

#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "op/tune/cpu.h"

enum { SLICE_MIN_BYTES = 64 };   // a line of the cache

static uint64_t words_of_marks(const hw_cycles *c) { return hw_divide_up(c->rows * c->cols, 64); }

bool hw_cycles_prepare(hw_cycles *c, uint32_t n_threads) {
    uint64_t most = c->run_bytes / SLICE_MIN_BYTES;
    c->n_threads = !most ? 1 : n_threads < most ? n_threads : (uint32_t)most;
    c->seen = hw_calloc(words_of_marks(c) * c->n_threads, sizeof *c->seen);
    return c->seen;
}

void hw_cycles_release(hw_cycles *c) { hw_free(c->seen); }

typedef struct slice {
    char *memory;   // of run 0
    size_t pitch, bytes;
} slice;

// Where the run comes from that belongs at `to`.
static uint64_t source_run(const hw_cycles *c, uint64_t to) {
    if (to <= UINT32_MAX && c->rows <= UINT32_MAX)
        return (uint64_t)((uint32_t)to % (uint32_t)c->rows) * c->cols + (uint32_t)to / (uint32_t)c->rows;
    return to % c->rows * c->cols + to / c->rows;
}

static void follow_cycle(const hw_cycles *c, const slice *s, uint64_t *seen, uint64_t first) {
    char kept[HW_CPU_MOST_RUN_BYTES];
    uint64_t to = first, from = source_run(c, first);
    if (from == first) return;
    memcpy(kept, s->memory + first * s->pitch, s->bytes);
    while (from != first) {
        uint64_t next = source_run(c, from);
        const char *fetched = s->memory + next * s->pitch;
        for (size_t i = 0; i < s->bytes; i += 64) __builtin_prefetch(fetched + i, 1, 3);
        memcpy(s->memory + to * s->pitch, s->memory + from * s->pitch, s->bytes);
        seen[from / 64] |= (uint64_t)1 << from % 64;
        to = from;
        from = next;
    }
    memcpy(s->memory + to * s->pitch, kept, s->bytes);
}

typedef struct cycles_job {
    const hw_cycles *cycles;
    char *memory;
} cycles_job;

static void take_slice(void *context, uint32_t index) {
    const cycles_job *j = context;
    const hw_cycles *c = j->cycles;
    uint64_t lines = c->run_bytes / SLICE_MIN_BYTES, n = c->n_threads, runs = c->rows * c->cols;
    uint64_t first = lines * index / n * SLICE_MIN_BYTES;
    uint64_t end = index + 1 == n ? c->run_bytes : lines * (index + 1) / n * SLICE_MIN_BYTES;
    slice s = {j->memory + first, c->run_bytes, end - first};
    uint64_t *seen = c->seen + words_of_marks(c) * index;
    memset(seen, 0, words_of_marks(c) * sizeof *seen);
    for (uint64_t i = 0; i < runs; i++)
        if (!(seen[i / 64] >> i % 64 & 1)) follow_cycle(c, &s, seen, i);
}

void hw_cycles_run(const hw_cycles *c, char *memory, hw_pool *pool) {
    cycles_job j = {c, memory};
    if (c->n_threads > 1) hw_pool_run(pool, c->n_threads, take_slice, &j);
    else take_slice(&j, 0);
}
