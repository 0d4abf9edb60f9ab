// Turns a plan into a kernel's defines and parameters, and launches it.
#include "op/transpose_gpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- Defines and parameters -----------------------------------------------------------------------------------------

enum { MOST_DEFINES = 16, DEFINE_BYTES = 160, PARAM_BYTES = 4096 };

// "NAME=VALUE" for the compiler.
typedef struct define_list {
    char text[MOST_DEFINES][DEFINE_BYTES];
    const char *items[MOST_DEFINES];
    size_t count;
} define_list;

static void define(define_list *list, const char *name, long long value) {
    list->items[list->count] = list->text[list->count];
    snprintf(list->text[list->count++], DEFINE_BYTES, "%s=%lld", name, value);
}

static void define_list_of(define_list *list, const char *name, const uint32_t *values, uint32_t n) {
    char *text = list->text[list->count];
    int used = snprintf(text, DEFINE_BYTES, "%s=", name);
    for (uint32_t i = 0; i < n; i++)
        used += snprintf(text + used, (size_t)(DEFINE_BYTES - used), "%s%d", i ? "," : "", (int)values[i]);
    list->items[list->count++] = text;
}

// A structure of the kernel, member by member.
typedef struct param_block {
    _Alignas(8) char bytes[PARAM_BYTES];
    size_t used;
    bool index64;
} param_block;

static void put(param_block *block, const void *value, size_t bytes) {
    block->used = (block->used + bytes - 1) / bytes * bytes;
    memcpy(block->bytes + block->used, value, bytes);
    block->used += bytes;
}

static void put_u32(param_block *block, uint32_t value) {
    put(block, &value, sizeof value);
}

// offset_t of kernels/common/boxes.cuh.
static void put_offset(param_block *block, int64_t value) {
    int32_t narrow = (int32_t)value;
    if (block->index64) put(block, &value, sizeof value);
    else put(block, &narrow, sizeof narrow);
}

// grid_axis of kernels/common/boxes.cuh; the structure is as aligned as its offsets.
static void put_grid(param_block *block, const hw_permutation *p, const hw_tile_grid *grid, uint32_t n_grid) {
    for (uint32_t g = 0; g < n_grid; g++) {
        const hw_tile_grid *axis = &grid[g];
        if (block->index64) block->used = (block->used + 7) / 8 * 8;
        put_u32(block, axis->count);
        put_u32(block, axis->multiplier);
        put_u32(block, axis->shift);
        put_u32(block, axis->box);
        put_u32(block, (uint32_t)p->n[axis->axis]);
        put_offset(block, p->in_stride[axis->axis] * axis->box);
        put_offset(block, p->out_stride[axis->axis] * axis->box);
    }
    // The kernel's array has one member where there is no axis.
    static const hw_tile_grid none;
    if (n_grid == 0) put_grid(block, p, &none, 1);
}

static hw_status launch(hw_stream *stream, const char *file, const char *function, const define_list *defines,
                        uint64_t blocks, uint32_t threads, void *const *params, hw_diag *diag) {
    const hw_kernel_request request = {file, function, defines->items, defines->count};
    hw_kernel *kernel;
    hw_status status = hw_device_kernel(hw_stream_device(stream), &request, &kernel, diag);
    if (status != HW_OK) return status;
    const hw_kernel_launch launch = {
        .kernel = kernel, .grid = {(uint32_t)blocks, 1, 1}, .block = {threads, 1, 1}, .params = params};
    return hw_stream_launch(stream, &launch, diag);
}

// ---- The kernels ----------------------------------------------------------------------------------------------------

static hw_status launch_boxes(hw_stream *stream, const hw_permutation *p, const hw_tile_plan *plan, hw_diag *diag) {
    define_list defines = {.count = 0};
    define(&defines, "ELEMENT_BYTES", plan->elem_bytes);
    define(&defines, "THREADS", plan->threads);
    define(&defines, "AXES", plan->n_axes);
    define_list_of(&defines, "BOX", plan->box, plan->n_axes);
    define_list_of(&defines, "OUT_ORDER", plan->out_order, plan->n_axes);
    define_list_of(&defines, "SHARED_STRIDE", plan->shared_stride, plan->n_axes);
    define(&defines, "SHARED_CELLS", plan->shared_cells);
    define(&defines, "LOAD_VECTOR", plan->load_vector);
    define(&defines, "STORE_VECTOR", plan->store_vector);
    define(&defines, "MICRO", plan->micro);
    define(&defines, "GRID_AXES", plan->n_grid);
    define_list_of(&defines, "CUT", (const uint32_t *)plan->cut, plan->n_axes);
    define(&defines, "INDEX_BITS", plan->index64 ? 64 : 32);

    param_block shape = {.index64 = plan->index64};
    put_grid(&shape, p, plan->grid, plan->n_grid);
    for (uint32_t a = 0; a < plan->n_axes; a++) put_offset(&shape, p->in_stride[plan->axis[a]]);
    for (uint32_t a = 0; a < plan->n_axes; a++) put_offset(&shape, p->out_stride[plan->axis[a]]);
    void *params[] = {(void *)&p->in, (void *)&p->out, shape.bytes};
    return launch(stream, "transpose/90_permute.cu", "permute", &defines, plan->blocks, plan->threads, params, diag);
}

static hw_status launch_ragged(hw_stream *stream, const hw_permutation *p, const hw_tile_plan *plan, hw_diag *diag) {
    define_list defines = {.count = 0};
    define(&defines, "ELEMENT_BYTES", plan->elem_bytes);
    define(&defines, "THREADS", plan->threads);
    define(&defines, "BOX_COLS", plan->box[0]);
    define(&defines, "BOX_ROWS", plan->box[1]);
    define(&defines, "GRID_AXES", plan->n_grid);
    define(&defines, "INDEX_BITS", plan->index64 ? 64 : 32);

    const uint32_t col = plan->axis[0], row = plan->axis[1];
    param_block shape = {.index64 = plan->index64};
    put_u32(&shape, (uint32_t)p->n[row]);
    put_u32(&shape, (uint32_t)p->n[col]);
    put_offset(&shape, p->in_stride[row]);
    put_offset(&shape, p->out_stride[col]);
    put_grid(&shape, p, plan->grid, plan->n_grid);
    void *params[] = {(void *)&p->in, (void *)&p->out, shape.bytes};
    return launch(stream, "transpose/92_ragged.cu", "ragged", &defines, plan->blocks, plan->threads, params, diag);
}

static hw_status launch_swap(hw_stream *stream, const hw_permutation *p, const hw_swap_plan *plan, hw_diag *diag) {
    define_list defines = {.count = 0};
    define(&defines, "ELEMENT_BYTES", plan->elem_bytes);
    define(&defines, "THREADS", plan->threads);
    define(&defines, "BOX", plan->box);
    define(&defines, "VECTOR", plan->vector);
    define(&defines, "GRID_AXES", plan->n_grid);
    define(&defines, "INDEX_BITS", plan->index64 ? 64 : 32);

    param_block shape = {.index64 = plan->index64};
    put_u32(&shape, (uint32_t)p->n[plan->row_axis]);
    put_u32(&shape, plan->pairs);
    put_u32(&shape, plan->multiplier);
    put_u32(&shape, plan->shift);
    put_offset(&shape, p->in_stride[plan->row_axis]);
    put_grid(&shape, p, plan->grid, plan->n_grid);
    void *params[] = {(void *)&p->out, shape.bytes};
    return launch(stream, "transpose/95_swap.cu", "swap", &defines, plan->blocks, plan->threads, params, diag);
}

// ---- To another place -----------------------------------------------------------------------------------------------

static uint32_t longest_axis(const hw_permutation *p) {
    uint32_t longest = 0;
    for (uint32_t i = 1; i < p->rank; i++)
        if (p->n[i] > p->n[longest]) longest = i;
    return longest;
}

static hw_status run_apart(hw_stream *stream, const hw_permutation *p, hw_diag *diag);

// Cuts the longest axis in two, for arrays with more boxes than a grid has.
static hw_status run_halves(hw_stream *stream, const hw_permutation *p, hw_diag *diag) {
    hw_permutation half = *p;
    uint32_t axis = longest_axis(p);
    uint64_t first = p->n[axis] / 2;
    half.n[axis] = first;
    half.elems = p->elems / p->n[axis] * first;
    hw_status status = run_apart(stream, &half, diag);
    if (status != HW_OK) return status;
    half.n[axis] = p->n[axis] - first;
    half.elems = p->elems - half.elems;
    half.in = (const char *)p->in + (int64_t)first * p->in_stride[axis] * p->elem_bytes;
    half.out = (char *)p->out + (int64_t)first * p->out_stride[axis] * p->elem_bytes;
    return run_apart(stream, &half, diag);
}

static bool is_one_run(const hw_permutation *p) {
    return p->rank == 0 || (p->rank == 1 && p->in_stride[0] == 1 && p->out_stride[0] == 1);
}

static void make_plan(const hw_device *device, const hw_permutation *p, hw_tile_plan *plan) {
    hw_tile_goals goals = hw_tile_goals_for(p, hw_device_get_properties(device)->multiprocessors);
    hw_tile_plan_make(p, &goals, plan);
}

static hw_status run_apart(hw_stream *stream, const hw_permutation *p, hw_diag *diag) {
    if (p->elems == 0) return HW_OK;
    if (is_one_run(p)) return hw_copy(stream, p->out, p->in, p->elems * p->elem_bytes, diag);
    if (p->n[longest_axis(p)] > HW_TILE_MOST) return run_halves(stream, p, diag);
    hw_tile_plan plan;
    make_plan(hw_stream_device(stream), p, &plan);
    if (plan.blocks > HW_TILE_MOST) return run_halves(stream, p, diag);
    return plan.kind == HW_TILE_RAGGED ? launch_ragged(stream, p, &plan, diag) : launch_boxes(stream, p, &plan, diag);
}

// ---- In place -------------------------------------------------------------------------------------------------------

static bool moves_nothing(const hw_permutation *p) {
    for (uint32_t i = 0; i < p->rank; i++)
        if (p->in_stride[i] != p->out_stride[i]) return false;
    return true;
}

// The memory that out fills, which is in's: from its lowest element on.
static char *lowest(const hw_permutation *p) {
    char *begin = p->out;
    for (uint32_t i = 0; i < p->rank; i++)
        if (p->out_stride[i] < 0) begin += (int64_t)(p->n[i] - 1) * p->out_stride[i] * p->elem_bytes;
    return begin;
}

static hw_status run_through_scratch(hw_stream *stream, const hw_permutation *p, hw_diag *diag) {
    const size_t bytes = p->elems * p->elem_bytes;
    void *scratch;
    hw_status status = hw_stream_alloc(stream, bytes, &scratch, diag);
    if (status != HW_OK) return status;
    hw_permutation apart = *p;
    apart.in_place = false;
    apart.out = (char *)scratch + ((char *)p->out - lowest(p));
    status = run_apart(stream, &apart, diag);
    if (status == HW_OK) status = hw_copy(stream, lowest(p), scratch, bytes, diag);
    hw_stream_free(stream, scratch);
    return status;
}

static hw_status run_in_place(hw_stream *stream, const hw_permutation *p, hw_diag *diag) {
    hw_swap_plan swap;
    if (moves_nothing(p)) return HW_OK;
    if (hw_swap_plan_make(p, &swap)) return launch_swap(stream, p, &swap, diag);
    return run_through_scratch(stream, p, diag);
}

hw_status hw_gpu_transpose(hw_stream *stream, const hw_permutation *merged, hw_diag *diag) {
    hw_permutation p = *merged;
    hw_permutation_widen(&p, 16);
    return p.in_place ? run_in_place(stream, &p, diag) : run_apart(stream, &p, diag);
}

// ---- In words -------------------------------------------------------------------------------------------------------

typedef struct page {
    char *text;
    size_t bytes, used;
} page;

static void say(page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(page *page, const char *format, ...) {
    if (page->used + 1 >= page->bytes) return;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(page->text + page->used, page->bytes - page->used, format, args);
    va_end(args);
    if (n > 0) page->used += (size_t)n;
}

static void say_box(page *page, const hw_permutation *p, const hw_tile_plan *plan) {
    say(page, "box: ");
    for (uint32_t a = 0; a < plan->n_axes; a++)
        say(page, "%s%u of axis %u (%llu)", a ? " x " : "", plan->box[a], plan->axis[a],
            (unsigned long long)p->n[plan->axis[a]]);
    say(page, ", %llu blocks of %u threads, %d-bit offsets\n", (unsigned long long)plan->blocks, plan->threads,
        plan->index64 ? 64 : 32);
}

static void say_boxes(page *page, const hw_permutation *p, const hw_tile_plan *plan) {
    const uint32_t bytes = plan->elem_bytes * plan->micro;
    say(page, "kernel: transpose/90_permute.cu, %s\n",
        plan->kind == HW_TILE_DIRECT ? "rows of the same bytes on both sides, no shared memory" : "through shared memory");
    say_box(page, p, plan);
    say(page, "lanes: %u bytes a load, %u bytes a store%s\n", bytes * plan->load_vector, bytes * plan->store_vector,
        plan->micro > 1 ? ", small elements turned round in registers" : "");
    if (plan->kind != HW_TILE_SHARED) return;
    uint64_t stores, loads, ideal;
    hw_tile_plan_wavefronts(plan, &stores, &loads, &ideal);
    say(page, "shared memory: %u bytes, per box %llu wavefronts of stores and %llu of loads, %llu in all without conflicts\n",
        plan->shared_cells * bytes, (unsigned long long)stores, (unsigned long long)loads, (unsigned long long)ideal);
}

static void explain_apart(page *page, hw_device *device, const hw_permutation *p) {
    if (is_one_run(p)) {
        say(page, "a copy of %llu bytes\n", (unsigned long long)(p->elems * p->elem_bytes));
        return;
    }
    hw_permutation part = *p;
    uint64_t parts = 1;
    hw_tile_plan plan;
    for (;; parts *= 2) {
        uint32_t axis = longest_axis(&part);
        if (part.n[axis] <= HW_TILE_MOST) {
            make_plan(device, &part, &plan);
            if (plan.blocks <= HW_TILE_MOST) break;
        }
        uint64_t before = part.n[axis];
        part.n[axis] -= before / 2;
        part.elems = part.elems / before * part.n[axis];
    }
    if (parts > 1) say(page, "in %llu parts, each:\n", (unsigned long long)parts);
    if (plan.kind == HW_TILE_RAGGED) {
        say(page, "kernel: transpose/92_ragged.cu, rows that begin anywhere, moved in aligned words\n");
        say_box(page, &part, &plan);
    } else {
        say_boxes(page, &part, &plan);
    }
}

const char *hw_gpu_transpose_explain(hw_device *device, const hw_permutation *merged, char *text, size_t text_bytes) {
    page page = {text, text_bytes, 0};
    hw_permutation p = *merged;
    if (text_bytes) text[0] = 0;
    if (p.elems == 0) return text;
    hw_permutation_widen(&p, 16);
    if (p.elem_bytes != merged->elem_bytes) say(&page, "moved as elements of %u bytes\n", p.elem_bytes);
    hw_swap_plan swap;
    if (p.in_place && moves_nothing(&p)) {
        say(&page, "in place: nothing moves\n");
    } else if (p.in_place && hw_swap_plan_make(&p, &swap)) {
        say(&page, "kernel: transpose/95_swap.cu, in place, pairs of %u x %u tiles change places, %llu blocks of %u threads\n",
            swap.box, swap.box, (unsigned long long)swap.blocks, swap.threads);
    } else {
        if (p.in_place)
            say(&page, "in place: through %llu bytes of scratch memory and back\n",
                (unsigned long long)(p.elems * p.elem_bytes));
        explain_apart(&page, device, &p);
    }
    return text;
}
