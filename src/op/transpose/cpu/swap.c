// Tile (I, J) of a square matrix changes places with tile (J, I): one goes through a buffer in the first-level cache,
// the other directly. A unit of work is one row of tiles, right of the diagonal, of one of the matrices.
#include "op/transpose/cpu/swap.h"

#include <string.h>

#include "base/integers.h"
#include "op/common/tasks.h"
#include "op/tune/cpu.h"

enum { PIECE_BYTES = 256 };

typedef struct swap_job {
    const hw_in_place *plan;
    const hw_tile_level *level;
    uint64_t n, side, tiles;          // of a matrix; of a tile; tiles in a row
    ptrdiff_t row_pitch, col_pitch;   // bytes
    size_t chunk_bytes;               // what is moved at a time: an element, or all that lies behind the two axes
    uint32_t batch_axes[HW_MAX_RANK], n_batch_axes;
    uint64_t n_units;
} swap_job;

// Exchanges h x w elements of the upper triangle, from (i0, j0) on, with their mirror images in the lower one.
static void swap_chunks(const swap_job *j, char *matrix, uint64_t i0, uint64_t j0, uint64_t h, uint64_t w) {
    char kept[PIECE_BYTES];
    for (uint64_t i = i0; i < i0 + h; i++) {
        for (uint64_t k = j0 > i ? j0 : i + 1; k < j0 + w; k++) {
            char *a = matrix + (ptrdiff_t)i * j->row_pitch + (ptrdiff_t)k * j->col_pitch;
            char *b = matrix + (ptrdiff_t)k * j->row_pitch + (ptrdiff_t)i * j->col_pitch;
            for (size_t done = 0; done < j->chunk_bytes; done += PIECE_BYTES) {
                size_t bytes = j->chunk_bytes - done < PIECE_BYTES ? j->chunk_bytes - done : PIECE_BYTES;
                memcpy(kept, a + done, bytes);
                memcpy(a + done, b + done, bytes);
                memcpy(b + done, kept, bytes);
            }
        }
    }
}

static void copy_tile_rows(const swap_job *j, char *to, const char *from, ptrdiff_t from_pitch, uint64_t rows,
                           size_t bytes) {
    for (uint64_t r = 0; r < rows; r++, to += j->row_pitch, from += from_pitch) memcpy(to, from, bytes);
}

static void swap_tiles(const swap_job *j, char *matrix, uint64_t i0, uint64_t j0, uint64_t h, uint64_t w) {
    _Alignas(64) char buffer[HW_CPU_SWAP_TILE_BYTES + 64 * 128];
    uint32_t elem = j->plan->p.elem_bytes;
    hw_tile_transpose *transpose = j->level->transpose[__builtin_ctz(elem)];
    ptrdiff_t pitch = (ptrdiff_t)(j->side * elem + 64);   // an odd number of lines: the rows lie in different sets
    char *a = matrix + (ptrdiff_t)i0 * j->row_pitch + (ptrdiff_t)j0 * j->col_pitch;
    char *b = matrix + (ptrdiff_t)j0 * j->row_pitch + (ptrdiff_t)i0 * j->col_pitch;
    transpose(a, j->row_pitch, buffer, pitch, h, w);
    if (a != b) transpose(b, j->row_pitch, a, j->row_pitch, w, h);
    copy_tile_rows(j, b, buffer, pitch, w, h * elem);
}

// Inlined by force, as box.c says.
static inline __attribute__((always_inline)) void fetch_tile(const swap_job *j, const char *matrix, uint64_t i0,
                                                             uint64_t j0) {
    const char *from = matrix + (ptrdiff_t)i0 * j->row_pitch + (ptrdiff_t)j0 * j->col_pitch;
    for (uint64_t r = 0; r < j->side && i0 + r < j->n; r++, from += j->row_pitch)
        for (size_t c = 0; c < j->side * j->plan->p.elem_bytes; c += 64) __builtin_prefetch(from + c, 1, 2);
}

static void swap_tile_row(const swap_job *j, uint64_t index) {
    uint64_t i0 = index % j->tiles * j->side, batch = index / j->tiles, h = j->n - i0 < j->side ? j->n - i0 : j->side;
    const hw_permutation *p = &j->plan->p;
    char *matrix = p->out;
    for (uint32_t i = 0; i < j->n_batch_axes; i++) {
        uint32_t k = j->batch_axes[i];
        matrix += (int64_t)(batch % p->n[k]) * p->out_stride[k] * p->elem_bytes;
        batch /= p->n[k];
    }
    bool in_registers = j->col_pitch == (ptrdiff_t)p->elem_bytes;
    for (uint64_t j0 = i0; j0 < j->n; j0 += j->side) {
        uint64_t w = j->n - j0 < j->side ? j->n - j0 : j->side;
        if (!in_registers) {
            swap_chunks(j, matrix, i0, j0, h, w);
            continue;
        }
        if (j0 + j->side < j->n) {
            fetch_tile(j, matrix, i0, j0 + j->side);
            fetch_tile(j, matrix, j0 + j->side, i0);
        }
        swap_tiles(j, matrix, i0, j0, h, w);
    }
}

static void swap_tile_rows(void *context, uint64_t first, uint64_t end, uint32_t worker) {
    (void)worker;
    for (uint64_t i = first; i < end; i++) swap_tile_row(context, i);
}

void hw_swap_run(const hw_in_place *plan, const hw_tile_level *level, hw_pool *pool, uint32_t n_threads) {
    const hw_permutation *p = &plan->p;
    uint32_t last = p->rank - 1;
    swap_job j = {.plan = plan, .level = level, .n = p->n[plan->axis[0]], .chunk_bytes = p->elem_bytes, .n_units = 1};
    j.row_pitch = p->out_stride[plan->axis[0]] * p->elem_bytes;
    j.col_pitch = p->out_stride[plan->axis[1]] * p->elem_bytes;
    if (plan->axis[1] != last) j.chunk_bytes *= p->n[last];
    for (uint32_t k = 0; k < p->rank; k++) {
        if (k == plan->axis[0] || k == plan->axis[1] || (k == last && plan->axis[1] != last)) continue;
        j.batch_axes[j.n_batch_axes++] = k;
        j.n_units *= p->n[k];
    }
    for (j.side = 128; j.side * j.side * p->elem_bytes > HW_CPU_SWAP_TILE_BYTES;) j.side /= 2;
    j.tiles = hw_divide_up(j.n, j.side);
    j.n_units *= j.tiles;
    uint64_t most = p->elems * p->elem_bytes / HW_CPU_TRANSPOSE_THREAD_BYTES + 1;
    if (most > j.n_units) most = j.n_units;
    if (n_threads > most) n_threads = (uint32_t)most;
    hw_cpu_shares_run(pool, n_threads, j.n_units, HW_CPU_SWAP_SHARES, swap_tile_rows, &j);
}
