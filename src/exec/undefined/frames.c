// Shadow memory of blocks, warps and calls, and what is undefined when they begin.
#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "exec/undefined/undefined.h"

enum { UNIT = 64, WORD = 4, UNDEFINED = 0xff, LOCAL_ROOM = 128 };

// ---- room -----------------------------------------------------------------------------------------------------------

static bool make_memory(hw_shadow_memory *memory, uint32_t bytes, uint32_t room) {
    memory->bytes = bytes;
    memory->bits = hw_alloc_lanes(room + UNIT);
    memory->origins = hw_alloc_lanes((size_t)room + UNIT);
    return memory->bits && memory->origins;
}

static void free_memory(hw_shadow_memory *memory) {
    hw_free_aligned(memory->bits);
    hw_free_aligned(memory->origins);
}

static bool make_shadow(hw_shadow *shadow, size_t bytes) {
    shadow->bytes = (uint32_t)hw_align_up(bytes, UNIT) + UNIT;
    shadow->n_units = shadow->bytes / UNIT;
    shadow->bits = hw_alloc_lanes(shadow->bytes);
    shadow->origins = hw_alloc_lanes(shadow->bytes);
    shadow->units = hw_alloc_lanes((shadow->n_units / 64 + 1) * sizeof *shadow->units);
    return shadow->bits && shadow->origins && shadow->units;
}

static void free_shadow(hw_shadow *shadow) {
    hw_free_aligned(shadow->bits);
    hw_free_aligned(shadow->origins);
    hw_free_aligned(shadow->units);
}

static void free_warp(hw_state *s) {
    if (!s->undefined) return;
    free_memory(&s->undefined->local);
    free_shadow(&s->undefined->entry);
    hw_free(s->undefined);
    s->undefined = NULL;
    s->entry_frame.shadow = NULL;
}

static bool create_warp(hw_state *s, hw_shadow_memory *shared) {
    const hw_frame *entry = &s->entry_frame;
    const uint32_t local = s->run->local_bytes;
    hw_undefined *u = s->undefined = hw_calloc(1, sizeof *u);
    if (!u) return false;
    u->defined = s->run->defined;
    u->shared = shared;
    u->is_of_cluster = s->run->cluster_blocks > 1;
    s->entry_frame.shadow = &u->entry;
    return make_shadow(&u->entry, (size_t)(entry->params - entry->registers) + (size_t)entry->param_stride * 32) &&
           make_memory(&u->local, local, local * 32 + LOCAL_ROOM);
}

bool hw_undefined_create(hw_block *block) {
    const hw_run *run = block->warps[0].run;
    hw_shadow_memory *shared = block->shadow = hw_calloc(1, sizeof *shared);
    bool good = shared && make_memory(shared, run->shared_bytes, run->shared_bytes);
    for (uint32_t i = 0; good && i < block->n_warps; i++) good = create_warp(&block->warps[i], shared);
    return good;
}

void hw_undefined_destroy(hw_block *block) {
    for (uint32_t i = 0; block->warps && i < block->n_warps; i++) free_warp(&block->warps[i]);
    if (block->shadow) free_memory(block->shadow);
    hw_free(block->shadow);
    block->shadow = NULL;
}

void hw_undefined_free_frame(hw_frame *frame) {
    if (!frame->shadow) return;
    free_shadow(frame->shadow);
    hw_free(frame->shadow);
}

// ---- beginning ------------------------------------------------------------------------------------------------------

static void clear_shadow(hw_state *s, hw_shadow *shadow) {
    s->undefined->n_undefined -= shadow->n_undefined;
    shadow->n_undefined = 0;
    for (uint32_t i = 0; i <= shadow->n_units / 64; i++) {
        for (uint64_t left = shadow->units[i]; left; left &= left - 1)
            memset(shadow->bits + ((size_t)i * 64 + (size_t)__builtin_ctzll(left)) * UNIT, 0, UNIT);
        shadow->units[i] = 0;
    }
}

// Registers that may be read before they are written, in the lanes of mask.
static void begin_registers(hw_state *s, hw_frame *frame, uint32_t mask) {
    const hw_program *program = frame->program;
    if (!program->n_unset) return;
    const hw_origin origin = hw_undefined_origin_of_registers(s) | HW_ORIGIN_COUNTS;
    for (uint32_t k = 0; k < program->n_unset; k++) {
        const hw_unset_register *r = &program->unset[k];
        for (uint32_t left = mask; left; left &= left - 1)
            hw_undefined_put(frame->shadow, r->slot, r->bytes, __builtin_ctz(left), ~(uint64_t)0);
        hw_undefined_settle(s, frame->shadow, r->slot, r->bytes ? 32u * r->bytes : 4);
        frame->shadow->origins[r->slot / WORD] = origin;
    }
}

static void begin_warp(hw_state *s) {
    hw_undefined *u = s->undefined;
    const uint64_t local = s->run->entry->local_bytes;
    u->carry = 0;
    if (u->staged_origin) memset(u->staged, 0, sizeof u->staged);
    u->staged_origin = 0;
    for (hw_frame *frame = s->made_frames; frame; frame = frame->next_made)
        if (frame->shadow) clear_shadow(s, frame->shadow);
    clear_shadow(s, &u->entry);
    begin_registers(s, &s->entry_frame, s->live);
    if (!s->run->local_bytes) return;
    memset(u->local.bits, 0, (size_t)u->local.bytes * 32);
    memset(u->local.bits, UNDEFINED, hw_align_up(local, WORD) * 32);
    memset(u->local.origins, 0, hw_align_up(local, WORD) * 32);
}

void hw_undefined_begin(hw_block *block) {
    hw_undefined_begin_shared(block->warps[0].run, block->shadow);
    for (uint32_t i = 0; i < block->n_warps; i++) begin_warp(&block->warps[i]);
}

// ---- calls ----------------------------------------------------------------------------------------------------------

static uint32_t param_at(const hw_frame *frame, int lane, uint64_t offset) {
    return (uint32_t)((frame->params - frame->registers) + (size_t)lane * frame->param_stride + offset);
}

static void copy_param(hw_state *s, const hw_frame *to, uint64_t to_offset, const hw_frame *from, uint64_t from_offset,
                       uint32_t bytes) {
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const uint32_t at = param_at(to, lane, to_offset), source = param_at(from, lane, from_offset);
        memcpy(to->shadow->bits + at, from->shadow->bits + source, bytes);
        memcpy(to->shadow->origins + at / WORD, from->shadow->origins + source / WORD,
               hw_divide_up(bytes, WORD) * sizeof(hw_origin));
        hw_undefined_settle(s, to->shadow, at, bytes);
    }
}

static uint32_t passed_bytes(const hw_ptx_symbol *formal, hw_ptx_symbol *const *known, uint32_t n_known, uint32_t k) {
    uint64_t bytes = formal->size_bytes;
    if (k < n_known && known[k]->size_bytes < bytes) bytes = known[k]->size_bytes;
    return (uint32_t)bytes;
}

// Parameters whose address the function takes are on its stack.
static void place_on_stack(hw_state *s, hw_frame *frame) {
    const uint32_t bytes = frame->program->formal_param_bytes;
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const uint32_t at = param_at(frame, lane, 0);
        for (uint32_t i = 0; i < bytes; i++)
            hw_undefined_write(s, lane, (hw_undefined_place){HW_SPACE_LOCAL, hw_call_local_params(frame) + i}, 1,
                               frame->shadow->bits + at + i, frame->shadow->origins[(at + i) / WORD]);
    }
}

bool hw_undefined_enter(hw_state *s, const hw_call_site *site, hw_frame *frame) {
    const hw_ptx_function *f = frame->program->function, *known = site->signature;
    if (!frame->shadow) {
        frame->shadow = hw_calloc(1, sizeof *frame->shadow);
        if (!frame->shadow || !make_shadow(frame->shadow, frame->bytes)) return false;
    }
    clear_shadow(s, frame->shadow);
    begin_registers(s, frame, s->warp.mask);
    hw_undefined_forget_local(s, frame->local_offset, frame->program->local_bytes);
    if (s->undefined->n_undefined)
        for (uint32_t k = 0; k < f->n_params && k < site->n_args; k++)
            copy_param(s, frame, f->params[k]->offset, frame->parent, site->arg_offsets[k],
                       passed_bytes(f->params[k], known->params, known->n_params, k));
    if (frame->program->takes_param_address) place_on_stack(s, frame);
    return true;
}

void hw_undefined_return(hw_state *s, const hw_call_site *site, hw_frame *frame) {
    const hw_ptx_function *f = frame->program->function, *known = site->signature;
    if (s->undefined->n_undefined)
        for (uint32_t k = 0; k < f->n_rets && k < site->n_rets; k++)
            copy_param(s, frame->parent, site->ret_offsets[k], frame, f->rets[k]->offset,
                       passed_bytes(f->rets[k], known->rets, known->n_rets, k));
    if (!(frame->live & ~s->warp.mask)) clear_shadow(s, frame->shadow);
}
