// Pieces of a huge page each, which threads take in turns.
#include "mem/bulk.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "mem/replace.h"

#define PIECE_BYTES ((size_t)2 << 20)
#define LARGE_BYTES (4 * PIECE_BYTES)    // waking threads takes some 20 us, copying as much 1 ms

enum { MOST_THREADS = 16 };              // the most that were seen to help (docs/performance.md)

struct hw_bulk {
    hw_pool *pool;
    uint32_t threads;
};

typedef struct job {
    char *to;
    const char *from;          // NULL: value is set
    int value;
    size_t bytes;
    atomic_size_t next;        // the first byte that nobody has taken
    atomic_bool is_new;        // from now on nothing is compared
} job;

hw_bulk *hw_bulk_create(uint32_t threads) {
    hw_bulk *bulk = hw_calloc(1, sizeof *bulk);
    if (!bulk) return NULL;
    bulk->threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    bulk->pool = hw_pool_create(bulk->threads);
    if (bulk->pool) return bulk;
    hw_free(bulk);
    return NULL;
}

void hw_bulk_destroy(hw_bulk *bulk) {
    if (!bulk) return;
    hw_pool_destroy(bulk->pool);
    hw_free(bulk);
}

// Whether something is written.
static bool write_piece(const job *j, size_t at, size_t bytes, bool compares) {
    if (compares)
        return j->from ? hw_mem_replace(j->to + at, j->from + at, bytes) : hw_mem_refill(j->to + at, j->value, bytes);
    if (j->from) memmove(j->to + at, j->from + at, bytes);
    else memset(j->to + at, j->value, bytes);
    return true;
}

static void write_pieces(void *context, uint32_t index) {
    (void)index;
    job *j = context;
    size_t at;
    while ((at = atomic_fetch_add(&j->next, PIECE_BYTES)) < j->bytes) {
        size_t bytes = j->bytes - at < PIECE_BYTES ? j->bytes - at : PIECE_BYTES;
        if (write_piece(j, at, bytes, !atomic_load(&j->is_new))) atomic_store(&j->is_new, true);
    }
}

static bool overlap(const char *a, const char *b, size_t bytes) {
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y ? y - x < bytes : x - y < bytes;
}

static bool run(hw_bulk *bulk, job *j, bool compares) {
    if (j->bytes < LARGE_BYTES || bulk->threads < 2 || (j->from && overlap(j->to, j->from, j->bytes)))
        return write_piece(j, 0, j->bytes, compares);
    atomic_init(&j->next, 0);
    atomic_init(&j->is_new, !compares);
    size_t pieces = j->bytes / PIECE_BYTES;
    hw_pool_run(bulk->pool, pieces < bulk->threads ? (uint32_t)pieces : bulk->threads, write_pieces, j);
    return atomic_load(&j->is_new);
}

bool hw_bulk_copy(hw_bulk *bulk, void *to, const void *from, size_t bytes, bool compares) {
    return run(bulk, &(job){.to = to, .from = from, .bytes = bytes}, compares);
}

bool hw_bulk_set(hw_bulk *bulk, void *to, int value, size_t bytes, bool compares) {
    return run(bulk, &(job){.to = to, .value = value, .bytes = bytes}, compares);
}
