// Permutations within one piece of memory: through scratch memory, whole or by panels. Everything that is allocated is
// there before the first byte moves, so that no failure leaves the array half permuted.
#include "op/transpose/cpu/in_place.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "op/transpose/cpu/box.h"
#include "op/transpose/cpu/cycles.h"
#include "op/transpose/cpu/swap.h"
#include "op/transpose/cpu/transpose.h"
#include "op/tune/cpu.h"

// A piece of the array (a block, or a panel of one) that is copied out and comes back permuted.
typedef struct piece {
    hw_cpu_plan copy, permute;
    char *memory, *scratch, *room;   // scratch: in memory, at a multiple of 64
} piece;

typedef struct team {
    hw_pool *pool;
    uint32_t n;
    const hw_tile_level *level;
} team;

// p permutes a piece within its own memory; p's addresses are those of any one of the pieces.
static bool prepare_piece(piece *piece, const hw_permutation *p, uint64_t cache_bytes, uint32_t n_threads) {
    hw_permutation copy = {.rank = 1, .elem_bytes = p->elem_bytes, .elems = p->elems, .n = {p->elems},
                           .in_stride = {1}, .out_stride = {1}, .in = p->out};
    hw_permutation permute = *p;
    size_t bytes = p->elems * p->elem_bytes;
    // Not zeroed: the threads that copy touch the pages first.
    piece->memory = hw_malloc(bytes + 64);
    piece->scratch = piece->memory ? piece->memory + -(uintptr_t)piece->memory % 64 : NULL;
    copy.out = piece->scratch;
    permute.in_place = false;
    if (piece->scratch) permute.in = piece->scratch + ((const char *)p->in - (char *)p->out);
    hw_cpu_plan_make(&copy, UINT64_MAX, &piece->copy);
    hw_cpu_plan_make(&permute, cache_bytes, &piece->permute);
    size_t room = hw_cpu_plan_room(&piece->copy, n_threads), other = hw_cpu_plan_room(&piece->permute, n_threads);
    piece->room = hw_alloc_lanes(room > other ? room : other);
    return piece->scratch && piece->room;
}

static void release_piece(piece *piece) {
    hw_free(piece->memory);
    hw_free_aligned(piece->room);
}

static void permute_at(piece *piece, char *at, const team *team) {
    piece->copy.p.in = at;
    hw_cpu_plan_run(&piece->copy, team->level, team->pool, team->n, piece->room);
    piece->permute.p.out = at;
    hw_cpu_plan_run(&piece->permute, team->level, team->pool, team->n, piece->room);
}

static hw_status through_scratch(const hw_in_place *plan, const team *team, hw_diag *diag) {
    piece piece = {0};
    bool ready = prepare_piece(&piece, &plan->block, HW_CPU_CACHE_BYTES, team->n);
    for (uint64_t i = 0; ready && i < plan->n_blocks; i++)
        permute_at(&piece, (char *)plan->block.out + i * plan->block_bytes, team);
    release_piece(&piece);
    return ready ? HW_OK : hw_diag_no_memory(diag);
}

// ---- panels ----

// A matrix of rows x cols whose rows are cut into panels of `run` rows: each is transposed by itself, and becomes cols
// runs. These runs are the elements of a matrix of rows / run x cols, which is transposed by cycles. By columns, the
// same backwards.
static hw_status by_panels(const hw_in_place *plan, const team *team, hw_diag *diag) {
    uint64_t rows = plan->by_rows ? plan->run : plan->rows, cols = plan->by_rows ? plan->cols : plan->run;
    uint64_t n_panels = plan->by_rows ? plan->rows / plan->run : plan->cols / plan->run;
    uint32_t elem = plan->p.elem_bytes;
    hw_permutation panel = {.rank = 2, .elem_bytes = elem, .elems = rows * cols, .n = {cols, rows},
                            .in_stride = {1, (int64_t)cols}, .out_stride = {(int64_t)rows, 1},
                            .in = plan->block.out, .out = plan->block.out};
    hw_cycles cycles = {.rows = plan->by_rows ? n_panels : plan->rows, .cols = plan->by_rows ? plan->cols : n_panels,
                        .run_bytes = plan->run * elem};
    piece piece = {0};
    bool ready = hw_cycles_prepare(&cycles, team->n) && prepare_piece(&piece, &panel, 0, team->n);
    for (uint64_t i = 0; ready && i < plan->n_blocks; i++) {
        char *block = (char *)plan->block.out + i * plan->block_bytes;
        if (!plan->by_rows) hw_cycles_run(&cycles, block, team->pool);
        for (uint64_t k = 0; k < n_panels; k++) permute_at(&piece, block + k * rows * cols * elem, team);
        if (plan->by_rows) hw_cycles_run(&cycles, block, team->pool);
    }
    release_piece(&piece);
    hw_cycles_release(&cycles);
    return ready ? HW_OK : hw_diag_no_memory(diag);
}

// ---- small blocks ----

typedef struct small_job {
    const hw_in_place *plan;
    const team *team;
    piece *pieces;   // one per thread
    uint64_t share;
    _Atomic uint64_t taken;
} small_job;

static void small_work(void *context, uint32_t index) {
    small_job *job = context;
    piece *piece = &job->pieces[index];
    const team alone = {NULL, 1, job->team->level};
    uint64_t n = job->plan->n_blocks;
    for (;;) {
        uint64_t first = atomic_fetch_add_explicit(&job->taken, job->share, memory_order_relaxed);
        if (first >= n) break;
        uint64_t end = n - first < job->share ? n : first + job->share;
        for (uint64_t i = first; i < end; i++)
            permute_at(piece, (char *)job->plan->block.out + i * job->plan->block_bytes, &alone);
    }
}

static hw_status by_small_blocks(const hw_in_place *plan, const team *team, hw_diag *diag) {
    uint32_t n = plan->n_blocks < team->n ? (uint32_t)plan->n_blocks : team->n;
    small_job job = {.plan = plan, .team = team, .share = plan->n_blocks / n / 32 + 1};
    job.pieces = hw_calloc(n, sizeof *job.pieces);
    bool ready = job.pieces;
    for (uint32_t i = 0; ready && i < n; i++) ready = prepare_piece(&job.pieces[i], &plan->block, UINT64_MAX, 1);
    if (ready) hw_pool_run(team->pool, n, small_work, &job);
    for (uint32_t i = 0; job.pieces && i < n; i++) release_piece(&job.pieces[i]);
    hw_free(job.pieces);
    return ready ? HW_OK : hw_diag_no_memory(diag);
}

hw_status hw_cpu_transpose_in_place(const hw_permutation *p, hw_pool *pool, uint32_t n_threads, hw_diag *diag) {
    hw_in_place plan;
    team team = {pool, n_threads, hw_tile_level_best()};
    hw_in_place_make(p, &plan);
    switch (plan.way) {
        case HW_IN_PLACE_SWAP: hw_swap_run(&plan, team.level, pool, n_threads); return HW_OK;
        case HW_IN_PLACE_PANELS: return by_panels(&plan, &team, diag);
        case HW_IN_PLACE_SMALL: return by_small_blocks(&plan, &team, diag);
        case HW_IN_PLACE_SCRATCH: return through_scratch(&plan, &team, diag);
        case HW_IN_PLACE_NOTHING: break;
    }
    return HW_OK;
}
