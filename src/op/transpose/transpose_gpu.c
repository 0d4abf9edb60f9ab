// The permutation on a device with kernels: whole, in parts, in place; and what would be done in words.
#include "op/transpose/transpose_gpu.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "op/transpose/transpose_launch.h"

enum { IN, OUT };   // a plan's arrays

// What a call launches, remembered with the device. The key is what a plan depends on.
typedef struct prepared {
    hw_plan plan;
    hw_kernel *kernels[HW_PLAN_LAUNCHES];
} prepared;

typedef struct plan_key {
    uint64_t words[4 + 3 * HW_MAX_RANK];
    size_t bytes;
} plan_key;

static void make_key(const hw_permutation *p, plan_key *key) {
    size_t n = 0;
    key->words[n++] = p->rank;
    key->words[n++] = (uint64_t)p->elem_bytes << 1 | p->in_place;
    key->words[n++] = (uintptr_t)p->in % 16;
    key->words[n++] = (uintptr_t)p->out % 16;
    for (uint32_t i = 0; i < p->rank; i++) {
        key->words[n++] = p->n[i];
        key->words[n++] = (uint64_t)p->in_stride[i];
        key->words[n++] = (uint64_t)p->out_stride[i];
    }
    key->bytes = n * sizeof key->words[0];
}

static bool recall_plan(hw_stream *stream, const plan_key *key, prepared *known) {
    return hw_device_recall(hw_stream_device(stream), key->words, key->bytes, known, sizeof *known);
}

hw_status hw_transpose_in_part(hw_status status, hw_diag *diag) {
    static const char words[] = "; out may be written in part";
    if (status == HW_OK || !diag || strstr(diag->text, words)) return status;
    const size_t used = strlen(diag->text);
    snprintf(diag->text + used, sizeof diag->text - used, "%s", words);
    return status;
}

static hw_status launch_prepared(hw_stream *stream, const hw_permutation *p, const prepared *known, hw_diag *diag) {
    void *const arrays[] = {[IN] = (void *)p->in, [OUT] = p->out};
    return hw_transpose_in_part(hw_plan_launch_all(stream, &known->plan, known->kernels, arrays, diag), diag);
}

// Finds the kernels of known->plan, remembers all of it, and launches.
static hw_status launch_new(hw_stream *stream, const hw_permutation *p, const plan_key *key, prepared *known,
                            hw_diag *diag) {
    hw_device *device = hw_stream_device(stream);
    hw_status status = hw_plan_kernels(device, &known->plan, known->kernels, diag);
    if (status != HW_OK) return status;
    hw_device_remember(device, key->words, key->bytes, known, sizeof *known);
    return launch_prepared(stream, p, known, diag);
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

static void make_tile_plan(const hw_device *device, const hw_permutation *p, hw_tile_plan *plan) {
    const hw_device_properties *properties = hw_device_get_properties(device);
    const hw_tile_goals goals = hw_tile_goals_for(p, properties);
    hw_tile_plan_make(p, &goals, plan);
}

static uint32_t blocks_most(const hw_device *device) { return hw_tile_blocks_most(hw_device_get_properties(device)); }

static hw_status run_apart(hw_stream *stream, const hw_permutation *p, hw_diag *diag) {
    if (p->elems == 0) return HW_OK;
    if (is_one_run(p)) return hw_copy(stream, p->out, p->in, p->elems * p->elem_bytes, diag);
    if (p->n[longest_axis(p)] > HW_TILE_MOST) return run_halves(stream, p, diag);
    plan_key key;
    prepared known;
    make_key(p, &key);
    if (recall_plan(stream, &key, &known)) return launch_prepared(stream, p, &known, diag);
    hw_tile_plan plan;
    make_tile_plan(hw_stream_device(stream), p, &plan);
    if (plan.blocks > blocks_most(hw_stream_device(stream))) return run_halves(stream, p, diag);
    hw_tile_plan_launch(p, &plan, IN, OUT, &known.plan);
    return launch_new(stream, p, &key, &known, diag);
}

// ---- In place -------------------------------------------------------------------------------------------------------

static bool moves_nothing(const hw_permutation *p) {
    for (uint32_t i = 0; i < p->rank; i++)
        if (p->in_stride[i] != p->out_stride[i]) return false;
    return true;
}

// The memory that out fills, which is in's: from its lowest element on.
static char *lowest_address(const hw_permutation *p) {
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
    apart.out = (char *)scratch + ((char *)p->out - lowest_address(p));
    status = run_apart(stream, &apart, diag);
    if (status == HW_OK) status = hw_copy(stream, lowest_address(p), scratch, bytes, diag);
    hw_stream_free(stream, scratch);
    return status;
}

static hw_status run_in_place(hw_stream *stream, const hw_permutation *p, hw_diag *diag) {
    if (moves_nothing(p)) return HW_OK;
    plan_key key;
    prepared known;
    make_key(p, &key);
    if (recall_plan(stream, &key, &known)) return launch_prepared(stream, p, &known, diag);
    hw_swap_plan swap;
    const hw_device_properties *properties = hw_device_get_properties(hw_stream_device(stream));
    if (!hw_swap_plan_make(p, properties, &swap)) return run_through_scratch(stream, p, diag);
    hw_swap_plan_launch(p, &swap, OUT, &known.plan);
    return launch_new(stream, p, &key, &known, diag);
}

// What kernels can load: elements that begin at their own multiples, as wide as can be.
static hw_status fit_elements(hw_permutation *p, hw_diag *diag) {
    if (!hw_permutation_narrow(p))
        return hw_diag_set(diag, HW_UNSUPPORTED,
                           "hw_transpose: an array of %d axes that cannot be merged begins at no multiple of its "
                           "elements", HW_MAX_RANK);
    hw_permutation_widen(p, 16);
    return HW_OK;
}

hw_status hw_gpu_transpose(hw_stream *stream, const hw_permutation *merged, hw_diag *diag) {
    hw_permutation p = *merged;
    hw_status status = fit_elements(&p, diag);
    if (status != HW_OK) return status;
    return p.in_place ? run_in_place(stream, &p, diag) : run_apart(stream, &p, diag);
}

// ---- In words -------------------------------------------------------------------------------------------------------

static void say_box(hw_text *page, const hw_permutation *p, const hw_tile_plan *plan) {
    hw_text_put(page, "box: ");
    for (uint32_t a = 0; a < plan->n_axes; a++)
        hw_text_put(page, "%s%u of axis %u (%llu)", a ? " x " : "", plan->box[a], plan->axis[a],
                    (unsigned long long)p->n[plan->axis[a]]);
    hw_text_put(page, ", %llu block%s of %u threads, %d-bit offsets\n", (unsigned long long)plan->blocks,
                hw_text_plural(plan->blocks), plan->threads, plan->index64 ? 64 : 32);
}

static void say_boxes(hw_text *page, const hw_permutation *p, const hw_tile_plan *plan) {
    const uint32_t bytes = plan->elem_bytes * plan->micro;
    hw_text_put(page, "kernel: transpose/90_permute.cu, %s\n",
                plan->kind == HW_TILE_DIRECT ? "rows of the same bytes on both sides, no shared memory"
                                             : "through shared memory");
    say_box(page, p, plan);
    hw_text_put(page, "lanes: %u byte%s a load, %u byte%s a store%s\n", bytes * plan->load_vector,
                hw_text_plural(bytes * plan->load_vector), bytes * plan->store_vector,
                hw_text_plural(bytes * plan->store_vector),
                plan->micro > 1 ? ", small elements turned round in registers" : "");
    if (plan->kind != HW_TILE_SHARED) return;
    uint64_t stores, loads, ideal;
    hw_tile_plan_wavefronts(plan, &stores, &loads, &ideal);
    hw_text_put(page, "shared memory: %u bytes, per box %llu wavefront%s of stores and %llu of loads, %llu in all "
                "without conflicts\n", plan->shared_cells * bytes, (unsigned long long)stores, hw_text_plural(stores),
                (unsigned long long)loads, (unsigned long long)ideal);
}

static void explain_apart(hw_text *page, hw_device *device, const hw_permutation *p) {
    if (is_one_run(p)) {
        hw_text_put(page, "a copy of %llu byte%s\n", (unsigned long long)(p->elems * p->elem_bytes),
                    hw_text_plural(p->elems * p->elem_bytes));
        return;
    }
    hw_permutation part = *p;
    uint64_t parts = 1;
    hw_tile_plan plan;
    for (;; parts *= 2) {
        uint32_t axis = longest_axis(&part);
        if (part.n[axis] <= HW_TILE_MOST) {
            make_tile_plan(device, &part, &plan);
            if (plan.blocks <= blocks_most(device)) break;
        }
        uint64_t before = part.n[axis];
        part.n[axis] -= before / 2;
        part.elems = part.elems / before * part.n[axis];
    }
    if (parts > 1) hw_text_put(page, "in %llu parts, each:\n", (unsigned long long)parts);
    if (plan.kind == HW_TILE_RAGGED) {
        hw_text_put(page, "kernel: transpose/92_ragged.cu, rows that begin anywhere, moved in aligned words\n");
        say_box(page, &part, &plan);
    } else {
        say_boxes(page, &part, &plan);
    }
}

const char *hw_gpu_transpose_explain(hw_device *device, const hw_permutation *merged, char *text,
                                     size_t text_bytes) {
    hw_text page = hw_text_in(text, text_bytes);
    hw_permutation p = *merged;
    if (p.elems == 0) return text;
    if (!hw_permutation_narrow(&p)) {
        hw_text_put(&page, "not at all: it begins at no multiple of its elements, and has too many axes\n");
        return text;
    }
    hw_permutation_widen(&p, 16);
    if (p.elem_bytes != merged->elem_bytes)
        hw_text_put(&page, "moved as elements of %u byte%s\n", p.elem_bytes, hw_text_plural(p.elem_bytes));
    hw_swap_plan swap;
    if (p.in_place && moves_nothing(&p)) {
        hw_text_put(&page, "in place: nothing moves\n");
    } else if (p.in_place && hw_swap_plan_make(&p, hw_device_get_properties(device), &swap)) {
        hw_text_put(&page, "kernel: transpose/95_swap.cu, in place, pairs of %u x %u tiles change places, %llu block%s "
                    "of %u threads\n", swap.box, swap.box, (unsigned long long)swap.blocks,
                    hw_text_plural(swap.blocks), swap.threads);
    } else {
        if (p.in_place)
            hw_text_put(&page, "in place: through %llu bytes of scratch memory and back\n",
                        (unsigned long long)(p.elems * p.elem_bytes));
        explain_apart(&page, device, &p);
    }
    return text;
}
