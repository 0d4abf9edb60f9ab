// Chooses the box of a permutation: which axes, how long, how it lies in shared memory.
#include "base/integers.h"
#include "op/transpose/transpose_plan.h"

#include <stdlib.h>
#include <string.h>

#include "model/banks.h"
#include "op/common/plan.h"
#include "op/tune/tune.h"

// ---- Orders of axes -------------------------------------------------------------------------------------------------

// Axes by stride, the fastest first; those that do not move (broadcast) come last.
static void sort_by_stride(const hw_permutation *p, const int64_t *strides, uint32_t order[HW_MAX_RANK]) {
    for (uint32_t i = 0; i < p->rank; i++) {
        uint32_t at = i;
        uint64_t key = hw_magnitude(strides[i]) - 1;
        for (; at > 0 && hw_magnitude(strides[order[at - 1]]) - 1 > key; at--) order[at] = order[at - 1];
        order[at] = i;
    }
}

// ---- The box --------------------------------------------------------------------------------------------------------

// A piece of an axis of n elements that is about `want` long: all pieces nearly alike, a multiple of `unit` where the
// axis is.
static uint32_t choose_tile_extent(uint64_t n, uint64_t want, uint32_t unit) {
    if (want >= n) return (uint32_t)n;
    uint64_t pieces = hw_divide_up(n, want);
    uint64_t piece = hw_divide_up(n, pieces);
    if (n % unit == 0) piece = hw_align_up(piece, unit);
    return (uint32_t)(piece < n ? piece : n);
}

// Takes axes in this order into the box until their run is as long as wanted. Returns how long it is.
static uint64_t take_run(const hw_permutation *p, const uint32_t *order, uint64_t want, uint32_t unit,
                         uint32_t box[HW_MAX_RANK]) {
    uint64_t run = 1;
    uint32_t axes = 0;
    for (uint32_t i = 0; i < p->rank; i++) axes += box[i] > 1;
    for (uint32_t i = 0; i < p->rank && run < want; i++) {
        uint32_t axis = order[i];
        if (box[axis] == 1 && axes == HW_BOX_AXES) break;
        uint64_t need = hw_divide_up(want, run);
        // An axis that is a little longer than needed is taken whole: a rest would make short runs.
        uint32_t piece =
            p->n[axis] <= need + need / 2 ? (uint32_t)p->n[axis] : choose_tile_extent(p->n[axis], need, unit);
        axes += box[axis] == 1;
        if (piece > box[axis]) box[axis] = piece;
        run *= box[axis];
        if (box[axis] < p->n[axis]) break;
    }
    return run;
}

static uint64_t box_elems(const hw_permutation *p, const uint32_t *box) {
    uint64_t elems = 1;
    for (uint32_t i = 0; i < p->rank; i++) elems *= box[i];
    return elems;
}

// Gives the box runs as long as the goals on both sides; longer runs while the box is small, shorter runs while it is
// too large.
static void choose_box(const hw_permutation *p, const uint32_t *in_order, const uint32_t *out_order,
                       const hw_tile_goals *goals, uint32_t box[HW_MAX_RANK]) {
    const uint32_t e = p->elem_bytes, unit = e < 16 ? 16 / e : 1;
    uint64_t want_in = goals->in_run_bytes / e ? goals->in_run_bytes / e : 1;
    uint64_t want_out = goals->out_run_bytes / e ? goals->out_run_bytes / e : 1;
    uint64_t most = goals->box_bytes_max / e, least = goals->box_bytes_min / e;
    bool shrinks = false;
    for (;;) {
        for (uint32_t i = 0; i < p->rank; i++) box[i] = 1;
        take_run(p, in_order, want_in, unit, box);
        take_run(p, out_order, want_out, unit, box);
        uint64_t elems = box_elems(p, box);
        if (elems > most && (want_in > 1 || want_out > 1)) {
            want_in -= want_in > 1 ? (want_in + 3) / 4 : 0;
            want_out -= want_out > 1 ? (want_out + 3) / 4 : 0;
            shrinks = true;
        } else if (elems < least && !shrinks && elems < p->elems && want_in <= most && want_out <= most) {
            want_in *= 2;
            want_out *= 2;
        } else {
            return;
        }
    }
}

// ---- Vectors --------------------------------------------------------------------------------------------------------

static bool all_multiples(const hw_permutation *p, const int64_t *strides, uint32_t but, uint32_t unit) {
    for (uint32_t i = 0; i < p->rank; i++)
        if (i != but && hw_magnitude(strides[i]) % unit != 0) return false;
    return true;
}

// May lanes move `elems` neighbours along `axis` at a time?
static bool fits_vectors(const hw_permutation *p, const int64_t *strides, const void *data, uint32_t axis, uint32_t box,
                         uint32_t elems) {
    return elems * p->elem_bytes <= 16 && strides[axis] == 1 && box % elems == 0 && p->n[axis] % elems == 0 &&
           all_multiples(p, strides, axis, elems) && (uintptr_t)data % ((size_t)elems * p->elem_bytes) == 0;
}

static void choose_vectors(const hw_permutation *p, const uint32_t *box, const hw_tile_goals *goals,
                           hw_tile_plan *plan) {
    const uint32_t first_in = plan->axis[0], first_out = plan->axis[plan->out_order[0]], e = p->elem_bytes;
    plan->micro = plan->load_vector = plan->store_vector = 1;
    if (e < 4 && first_in != first_out && fits_vectors(p, p->in_stride, p->in, first_in, box[first_in], 4 / e) &&
        fits_vectors(p, p->out_stride, p->out, first_out, box[first_out], 4 / e))
        plan->micro = 4 / e;
    for (uint32_t v = 16; v > 1; v /= 2) {
        uint32_t elems = v * plan->micro;
        if (elems * e > goals->max_vector_bytes) continue;
        if (plan->load_vector == 1 && fits_vectors(p, p->in_stride, p->in, first_in, box[first_in], elems))
            plan->load_vector = v;
        if (plan->store_vector == 1 && fits_vectors(p, p->out_stride, p->out, first_out, box[first_out], elems))
            plan->store_vector = v;
    }
    if (plan->kind == HW_TILE_DIRECT)   // one walk for both
        plan->load_vector = plan->store_vector =
            plan->load_vector < plan->store_vector ? plan->load_vector : plan->store_vector;
}

// ---- Shared memory --------------------------------------------------------------------------------------------------

static uint32_t load_step(const hw_tile_plan *plan, uint32_t a) {
    return a == 0 ? plan->load_vector * plan->micro : a == plan->out_order[0] ? plan->micro : 1;
}

static uint32_t store_step(const hw_tile_plan *plan, uint32_t a) {
    return a == plan->out_order[0] ? plan->store_vector * plan->micro : 1;
}

static uint32_t cells_along(const hw_tile_plan *plan, uint32_t a) {
    return a == plan->out_order[0] ? plan->box[a] / plan->micro : plan->box[a];
}

// The cell where item `item` of a walk begins, as find() of the kernel computes it; -1 past the end.
static int64_t item_cell(const hw_tile_plan *plan, bool loading, uint32_t item) {
    int64_t cell = 0;
    for (uint32_t i = 0; i < plan->n_axes; i++) {
        uint32_t a = loading ? i : plan->out_order[i], step = loading ? load_step(plan, a) : store_step(plan, a);
        uint32_t items = plan->box[a] / step, first = item % items * step;
        item /= items;
        cell += (int64_t)(first / (a == plan->out_order[0] ? plan->micro : 1)) * plan->shared_stride[a];
    }
    return item ? -1 : cell;
}

// Wavefronts of one warp's access to these cells.
static uint32_t warp_wavefronts(const hw_arch *arch, bool loading, const int64_t cells[32], uint32_t cell_bytes) {
    int64_t delta[32];
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        delta[lane] = cells[lane] * cell_bytes;
        mask |= (uint32_t)(cells[lane] >= 0) << lane;
    }
    // What is loaded from global memory is stored here.
    return hw_banks_wavefronts(arch, loading ? HW_NOTE_STORE : HW_NOTE_LOAD, 4, mask, 0, delta, cell_bytes);
}

// The wavefronts of what the first n_warps warps (0: all warps) do in one walk. Each vector and each row of a lane is
// an access of its own; these accesses differ by a shift alone that moves all lanes to other banks.
static uint64_t walk_wavefronts(const hw_tile_plan *plan, bool loading, uint32_t n_warps, uint64_t *ideal) {
    const uint32_t cell_bytes = plan->elem_bytes * plan->micro;
    uint32_t along = loading ? plan->load_vector * plan->micro : plan->store_vector;
    uint64_t total = 0;
    for (uint32_t warp = 0; n_warps == 0 || warp < n_warps; warp++) {
        int64_t cells[32];
        uint32_t n = 0;
        for (uint32_t lane = 0; lane < 32; lane++) n += (cells[lane] = item_cell(plan, loading, warp * 32 + lane)) >= 0;
        if (n == 0) break;
        total += along * warp_wavefronts(plan->arch, loading, cells, cell_bytes);
        if (ideal) *ideal += along * ((n * cell_bytes + 127) / 128);
    }
    return total;
}

void hw_tile_plan_wavefronts(const hw_tile_plan *plan, uint64_t *stores, uint64_t *loads, uint64_t *ideal) {
    *ideal = 0;
    *stores = walk_wavefronts(plan, true, 0, ideal);
    *loads = walk_wavefronts(plan, false, 0, ideal);
}

// Lays the box's axes one behind the other, as in in or as in out, with `pad` cells behind the axes up to place
// `behind`.
static void lay_out_cells(hw_tile_plan *plan, bool as_out, uint32_t behind, uint32_t pad) {
    uint32_t stride = 1;
    for (uint32_t i = 0; i < plan->n_axes; i++) {
        uint32_t a = as_out ? plan->out_order[i] : i;
        plan->shared_stride[a] = stride;
        stride *= cells_along(plan, a);
        if (i == behind) stride += pad;
    }
    plan->shared_cells = stride;
}

// Tries the layouts and keeps the one with the fewest wavefronts, the smallest of equal ones. Pads behind a short axis
// can be longer than the axis and take more shared memory than a kernel may have; a box without pads always fits.
static void choose_layout(uint32_t shared_bytes, hw_tile_plan *plan) {
    enum { WARPS = 2 };
    uint64_t best = UINT64_MAX;
    uint32_t best_cells = 0, chosen[3] = {0};
    for (uint32_t as_out = 0; as_out < 2; as_out++)
        for (uint32_t behind = 0; behind + 1 < plan->n_axes; behind++)
            for (uint32_t pad = 0; pad <= 4; pad++) {
                lay_out_cells(plan, as_out, behind, pad);
                if (hw_tile_plan_shared_bytes(plan) > shared_bytes) break;
                uint64_t cost = walk_wavefronts(plan, true, WARPS, NULL) * store_step(plan, plan->out_order[0]) +
                                walk_wavefronts(plan, false, WARPS, NULL) * load_step(plan, 0);
                if (cost > best || (cost == best && plan->shared_cells >= best_cells)) continue;
                best = cost;
                best_cells = plan->shared_cells;
                chosen[0] = as_out, chosen[1] = behind, chosen[2] = pad;
            }
    lay_out_cells(plan, chosen[0], chosen[1], chosen[2]);
}

// ---- The grid -------------------------------------------------------------------------------------------------------

static void add_grid_count(uint32_t axis, uint64_t count, uint32_t box, hw_tile_plan *plan) {
    hw_tile_grid *grid = &plan->grid[plan->n_grid++];
    *grid = (hw_tile_grid){.axis = axis, .count = (uint32_t)count, .box = box};
    hw_plan_divisor(grid->count, &grid->multiplier, &grid->shift);
    plan->blocks *= count;
}

static void add_grid_axis(const hw_permutation *p, uint32_t axis, uint32_t box, hw_tile_plan *plan) {
    for (uint32_t g = 0; g < plan->n_grid; g++)
        if (plan->grid[g].axis == axis) return;
    uint64_t count = hw_divide_up(p->n[axis], box);
    if (count > 1) add_grid_count(axis, count, box, plan);
}

static void make_grid(const hw_permutation *p, const uint32_t *box, const uint32_t *in_order, const uint32_t *out_order,
                      uint32_t grid_order, hw_tile_plan *plan) {
    plan->blocks = 1;
    if (grid_order == 2) {
        for (uint32_t i = 0; i < p->rank; i++)
            if (box[in_order[i]] > 1) add_grid_axis(p, in_order[i], box[in_order[i]], plan);
        for (uint32_t i = 0; i < p->rank; i++)
            if (box[out_order[i]] > 1) add_grid_axis(p, out_order[i], box[out_order[i]], plan);
    }
    const uint32_t *order = grid_order == 0 ? in_order : out_order;
    for (uint32_t i = 0; i < p->rank; i++) add_grid_axis(p, order[i], box[order[i]], plan);
    for (uint32_t a = 0; a < plan->n_axes; a++) {
        plan->cut[a] = -1;
        for (uint32_t g = 0; g < plan->n_grid; g++)
            if (plan->grid[g].axis == plan->axis[a] && p->n[plan->axis[a]] % plan->box[a] != 0)
                plan->cut[a] = (int32_t)g;
    }
}

static bool needs_index64(const hw_permutation *p) {
    uint64_t in = 0, out = 0;
    for (uint32_t i = 0; i < p->rank; i++) {
        in += (p->n[i] - 1) * hw_magnitude(p->in_stride[i]);
        out += (p->n[i] - 1) * hw_magnitude(p->out_stride[i]);
    }
    return in > INT32_MAX || out > INT32_MAX;
}

// ---- Matrices with unaligned rows -----------------------------------------------------------------------------------

// Boxes of matrices: whole words wide, whole sectors high. Small axes get boxes of their own size.
static uint32_t ragged_side(uint64_t n, uint32_t want, uint32_t unit) {
    uint64_t side = n <= want + want / 2 ? n : want;
    return (uint32_t)hw_align_up(side, unit);
}

// Is 92_ragged.cu faster? It pays where lanes would otherwise move few bytes at a time, on GPUs whose lanes should move
// 16.
static bool is_ragged(const hw_permutation *p, const hw_tile_goals *goals, const hw_tile_plan *plan) {
    if (goals->max_vector_bytes < 16) return false;
    if (plan->kind != HW_TILE_SHARED || plan->n_axes != 2 || p->elem_bytes > 8) return false;
    uint32_t col = plan->axis[0], row = plan->axis[1], least = goals->ragged.least_bytes / p->elem_bytes;
    if (plan->out_order[0] != 1 || p->in_stride[col] != 1 || p->out_stride[row] != 1) return false;
    uint32_t moved = p->elem_bytes * plan->micro;
    const uint32_t enough = goals->ragged.enough_bytes[__builtin_ctz(p->elem_bytes)];
    bool narrow = plan->load_vector * moved < enough || plan->store_vector * moved < enough;
    return narrow && p->n[col] >= least && p->n[row] >= least;
}

// The bytes of a tile as 92_ragged.cu lays it out.
static uint32_t ragged_bytes(const hw_tile_plan *plan) {
    const uint32_t e = plan->elem_bytes, word = 16 / e, unit = e > 4 ? 1 : 4 / e, rows = plan->box[1] + 32 / e;
    const uint32_t width = unit > 1 ? (plan->box[0] / word + 1) * word : plan->box[0] + 2 * word;
    const uint32_t pitch = (uint32_t)hw_align_up(width / unit, 8);
    return (rows * pitch + rows / word) * unit * e;
}

uint32_t hw_tile_plan_shared_bytes(const hw_tile_plan *plan) {
    if (plan->kind == HW_TILE_RAGGED) return ragged_bytes(plan);
    return plan->kind == HW_TILE_SHARED ? plan->shared_cells * plan->micro * plan->elem_bytes : 0;
}

static void make_ragged(const hw_permutation *p, const hw_tile_goals *goals, const uint32_t *out_order,
                        hw_tile_plan *plan) {
    const uint32_t e = p->elem_bytes, col = plan->axis[0], row = plan->axis[1], sector = 32 / e;
    plan->kind = HW_TILE_RAGGED;
    const int size = __builtin_ctz(e);
    plan->threads = goals->ragged.threads[size];
    plan->box[0] = ragged_side(p->n[col], goals->ragged.cols[size], 16 / e);
    plan->box[1] = ragged_side(p->n[row], goals->ragged.rows[size], sector);
    plan->n_grid = 0;
    plan->blocks = 1;
    // A box begins up to a sector less one element before its place.
    add_grid_count(row, hw_divide_up(p->n[row] + sector - 1, plan->box[1]), plan->box[1], plan);
    add_grid_count(col, hw_divide_up(p->n[col], plan->box[0]), plan->box[0], plan);
    for (uint32_t i = 0; i < p->rank; i++) add_grid_axis(p, out_order[i], 1, plan);
}

// ---- In place -------------------------------------------------------------------------------------------------------

// What the kernels' parameters take at most: two pointers, the most of what each puts before the grid (pitches, strides
// of the box), the grid (transpose_launch.c).
static uint32_t param_bytes(const hw_permutation *p) {
    const uint32_t offset = needs_index64(p) ? 8 : 4, axes = p->rank < HW_BOX_AXES ? p->rank : HW_BOX_AXES;
    const uint32_t strides = 2 * offset * axes, pitches = 16 + offset, grid_axis = offset == 8 ? 40 : 28;
    return 16 + (strides > pitches ? strides : pitches) + (p->rank ? p->rank : 1) * grid_axis;
}

uint32_t hw_swap_plan_shared_bytes(const hw_swap_plan *plan) {
    const uint32_t e = plan->elem_bytes, bank = e > 4 ? 1 : 4 / e, unit = bank < plan->vector ? bank : plan->vector;
    return 2 * (plan->box * (plan->box / unit) + plan->box / plan->vector) * unit * e;
}

uint32_t hw_tile_blocks_most(const hw_device_properties *device) {
    const uint32_t most = hw_plan_grid_most(device);
    return most < HW_TILE_MOST ? most : HW_TILE_MOST;
}

bool hw_swap_plan_make(const hw_permutation *p, const hw_device_properties *device, hw_swap_plan *plan) {
    const hw_swap_goals *goals = &hw_tune_for(device)->swap;
    memset(plan, 0, sizeof *plan);
    uint32_t moved[2];
    if (!hw_permutation_swaps(p, moved)) return false;
    plan->row_axis = p->in_stride[moved[0]] == 1 ? moved[1] : moved[0];
    plan->col_axis = p->in_stride[moved[0]] == 1 ? moved[0] : moved[1];
    const uint64_t n = p->n[plan->row_axis];
    const uint32_t e = p->elem_bytes;
    if (p->in_stride[plan->col_axis] != 1) return false;
    for (uint32_t i = 0; i < p->rank; i++)
        if (p->n[i] > HW_TILE_MOST) return false;   // counts are of 31 bits

    plan->elem_bytes = e;
    plan->box = (n < goals->small ? goals->small_box : goals->box)[__builtin_ctz(e)];
    plan->threads = goals->threads;
    plan->vector = 16 / e;
    while (plan->vector > 1 && (n % plan->vector || (uintptr_t)p->in % ((size_t)plan->vector * e) ||
                                !all_multiples(p, p->in_stride, plan->col_axis, plan->vector)))
        plan->vector /= 2;
    const uint32_t shared_bytes = hw_plan_static_shared_most(device, param_bytes(p));
    while (hw_swap_plan_shared_bytes(plan) > shared_bytes && plan->box > plan->vector) plan->box /= 2;
    uint64_t boxes = hw_divide_up(n, plan->box), pairs = boxes * (boxes + 1) / 2;
    hw_tile_plan matrices = {.blocks = pairs};
    for (uint32_t i = p->rank; i-- > 0;)
        if (i != plan->row_axis && i != plan->col_axis) add_grid_axis(p, i, 1, &matrices);
    if (matrices.blocks > hw_tile_blocks_most(device)) return false;
    plan->pairs = (uint32_t)pairs;
    hw_plan_divisor(plan->pairs, &plan->multiplier, &plan->shift);
    plan->n_grid = matrices.n_grid;
    memcpy(plan->grid, matrices.grid, sizeof plan->grid);
    plan->blocks = matrices.blocks;
    plan->index64 = needs_index64(p);
    return true;
}

// ---- All of it ------------------------------------------------------------------------------------------------------

static void list_axes(const hw_permutation *p, const uint32_t *box, const uint32_t *in_order, const uint32_t *out_order,
                      hw_tile_plan *plan) {
    uint32_t place[HW_MAX_RANK], n = 0;
    for (uint32_t i = 0; i < p->rank; i++)
        if (box[in_order[i]] > 1) {
            place[in_order[i]] = plan->n_axes;
            plan->axis[plan->n_axes] = in_order[i];
            plan->box[plan->n_axes++] = box[in_order[i]];
        }
    for (uint32_t i = 0; i < p->rank; i++)
        if (box[out_order[i]] > 1) plan->out_order[n++] = place[out_order[i]];
}

void hw_tile_plan_make(const hw_permutation *p, const hw_tile_goals *goals, hw_tile_plan *plan) {
    memset(plan, 0, sizeof *plan);
    plan->elem_bytes = p->elem_bytes;
    plan->threads = goals->threads;
    plan->arch = goals->arch;
    if (p->elems == 0) return;
    if (p->rank == 0 || (p->rank == 1 && p->in_stride[0] == 1 && p->out_stride[0] == 1)) {
        plan->kind = HW_TILE_COPY;
        return;
    }
    uint32_t in_order[HW_MAX_RANK], out_order[HW_MAX_RANK], box[HW_MAX_RANK];
    sort_by_stride(p, p->in_stride, in_order);
    sort_by_stride(p, p->out_stride, out_order);
    choose_box(p, in_order, out_order, goals, box);
    const bool has_few = box_elems(p, box) * p->elem_bytes < goals->few_bytes;
    if (has_few && plan->threads > goals->few_threads) plan->threads = goals->few_threads;
    list_axes(p, box, in_order, out_order, plan);
    bool same_rows = in_order[0] == out_order[0] && p->n[in_order[0]] * p->elem_bytes >= goals->direct_bytes;
    plan->kind = p->rank == 1 || same_rows ? HW_TILE_DIRECT : HW_TILE_SHARED;
    choose_vectors(p, box, goals, plan);
    if (is_ragged(p, goals, plan)) make_ragged(p, goals, out_order, plan);
    else make_grid(p, box, in_order, out_order, goals->grid_order, plan);
    if (plan->kind == HW_TILE_SHARED) choose_layout(goals->shared_bytes, plan);
    plan->index64 = needs_index64(p);
}

// Sets the goals for the 16 KiB of shared memory before 2.0. Runs stay powers of two, and lanes move 4 bytes: an access
// is half a warp's there, so that it takes 64 bytes. With larger words an access would be two rows of a box, or get
// less bandwidth (CUDA C Programming Guide 1.1, 5.1.2.1).
static void aim_lower(const hw_permutation *p, hw_tile_goals *goals) {
    goals->box_bytes_max = goals->shared_bytes;
    goals->box_bytes_min = 4096;
    goals->max_vector_bytes = 4;
    while (goals->in_run_bytes * goals->out_run_bytes / p->elem_bytes > goals->box_bytes_max) {
        const bool in_is_longer = goals->in_run_bytes >= goals->out_run_bytes;
        *(in_is_longer ? &goals->in_run_bytes : &goals->out_run_bytes) /= 2;
    }
}

hw_tile_goals hw_tile_goals_for(const hw_permutation *p, const hw_device_properties *device) {
    hw_tile_goals goals = hw_tune_for(device)->transpose;
    goals.arch = hw_tune_arch(device);
    goals.multiprocessors = device->multiprocessors;
    goals.shared_bytes = hw_plan_static_shared_most(device, param_bytes(p));
    if (p->elem_bytes == 1) goals.in_run_bytes = goals.out_run_bytes = goals.byte_run_bytes;
    if (goals.box_bytes_max > goals.shared_bytes) aim_lower(p, &goals);
    // A small array: smaller boxes, so that each multiprocessor has some.
    const uint64_t bytes = p->elems * p->elem_bytes, wanted = (uint64_t)goals.blocks * device->multiprocessors;
    while (goals.in_run_bytes > goals.least_run_bytes && bytes / goals.box_bytes_min < wanted) {
        goals.in_run_bytes /= 2;
        goals.out_run_bytes /= 2;
        goals.box_bytes_min /= 4;
        goals.threads = goals.few_threads;
    }
    return goals;
}
