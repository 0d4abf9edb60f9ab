// Which launches may keep sums (exec/sums.h).
#include "exec/sums.h"

#include "exec/region.h"
#include "exec/warp/warp.h"

enum { DEVICE = HW_IN(HW_SPACE_GLOBAL) };

// ---- what the PTX says ----

static bool is_atomic_of_device(const hw_ptx_inst *inst, const hw_effects *does) {
    const bool is_atom = inst->op == HW_OP_ATOM || inst->op == HW_OP_RED;
    return is_atom && (does->reads | does->writes) & DEVICE;
}

// Nothing that puts accesses in an order for other blocks, and no access to device memory whose address has no home.
static bool is_harmless(const hw_ptx_inst *inst, const hw_note *note, const hw_effects *does) {
    const bool is_device = (does->reads | does->writes) & DEVICE;
    if (does->is_fence || does->scope > HW_SCOPE_CTA) return false;
    if (is_atomic_of_device(inst, does)) return note->order == HW_ORDER_RELAXED;
    return !is_device || (!does->is_strong && note->kind != HW_NOTE_PLAIN);
}

// Its atomics on device memory; -1: something in it forbids sums.
static int64_t count_atomics(const hw_program *program) {
    const hw_ptx_function *f = program->function;
    int64_t n = 0;
    for (uint32_t i = 0; i < program->n_calls; i++)
        if (program->calls[i].builtin) return -1;
    for (uint32_t i = 0; i < f->n_insts; i++) {
        const hw_ptx_inst *inst = &f->insts[i];
        const hw_effects does = hw_inst_effects(inst->op, &inst->mods, inst->space, inst->guard >= 0);
        if (!is_harmless(inst, &program->notes[i], &does)) return -1;
        n += is_atomic_of_device(inst, &does);
    }
    return n;
}

static int64_t count_sums(const hw_program *program) {
    int64_t n = 0;
    for (uint32_t i = 0; i < program->n_insts; i++)
        n += program->insts[i].space != HW_SPACE_SHARED && hw_atomic_is_sum(program, i);
    return n;
}

// All atomics on device memory are sums, and there are some.
static bool find_possible(const hw_run *run) {
    int64_t in_all = 0;
    for (uint32_t i = 0; i < run->set->n_programs; i++) {
        if (!run->areas[i].is_reachable) continue;
        const int64_t n = count_atomics(run->set->programs[i]);
        if (n < 0 || n != count_sums(run->set->programs[i])) return false;
        in_all += n;
    }
    return in_all > 0;
}

bool hw_sums_are_possible(const hw_run *run) {
    hw_program *keeper = run->set->programs[run->entry->index];
    if (!keeper->keeps_sums) keeper->keeps_sums = find_possible(run) ? HW_SUMS_POSSIBLE : HW_SUMS_IMPOSSIBLE;
    return keeper->keeps_sums == HW_SUMS_POSSIBLE;
}

// ---- what this launch's arguments say ----

// How accesses of a set use device memory.
enum { ADDS = 1, DOES_ELSE = 2 };

static bool is_of_device(const hw_note *note) {
    const bool is_copy = note->kind == HW_NOTE_COPY || note->kind == HW_NOTE_COPY_BYPASS;
    return note->space == HW_SPACE_GLOBAL || note->space == HW_SPACE_GENERIC || is_copy;
}

static void note_uses(const hw_run *run, uint8_t *uses) {
    for (uint32_t i = 0; i < run->set->n_programs; i++) {
        const hw_program *program = run->set->programs[i];
        for (uint32_t k = 0; run->areas[i].is_reachable && k < program->n_notes; k++) {
            const hw_note *note = &program->notes[k];
            if (!hw_note_is_access(note) || !is_of_device(note)) continue;
            const bool adds = note->kind == HW_NOTE_ATOMIC || note->kind == HW_NOTE_REDUCTION;
            uses[run->homes.set_of[note->access - run->homes.first_access]] |= adds ? ADDS : DOES_ELSE;
        }
    }
}

static bool do_overlap(const hw_home *a, const hw_home *b) {
    return a->space == b->space && a->begin < b->begin + b->bytes && b->begin < a->begin + a->bytes;
}

// Does an access of another kind reach this home?
static bool is_used_otherwise(const hw_homes *homes, const uint8_t *uses, const hw_home *home) {
    for (uint32_t k = 0; k < homes->n_sets; k++)
        for (uint32_t i = 0; uses[k] & DOES_ELSE && i < homes->sets[k].n; i++)
            if (do_overlap(home, &homes->items[homes->sets[k].first + i])) return true;
    return false;
}

// Memory that the host cannot look at while the kernel runs.
static bool is_device_memory(const hw_run *run, const hw_home *home) {
    hw_allocation a;
    return home->space == HW_SPACE_GLOBAL && hw_mem_find(run->launch->mem, home->begin, 1, &a) &&
           (a.kind == HW_ALLOC_DEVICE || a.kind == HW_ALLOC_GLOBAL);
}

bool hw_sums_are_kept(const hw_run *run) {
    const hw_homes *homes = &run->homes;
    uint8_t *uses = hw_arena_take(run->homes_arena, homes->n_sets + 1);
    if (!uses) return false;
    note_uses(run, uses);
    for (uint32_t k = 0; k < homes->n_sets; k++) {
        if (uses[k] && !homes->sets[k].n) return false;
        for (uint32_t i = 0; uses[k] & ADDS && i < homes->sets[k].n; i++) {
            const hw_home *home = &homes->items[homes->sets[k].first + i];
            if (!is_device_memory(run, home) || is_used_otherwise(homes, uses, home)) return false;
        }
    }
    return true;
}

// ---- the table ----

void hw_sums_flush(hw_sums *sums) {
    for (uint32_t k = 0; k < HW_SUMS_KEPT; k++) {
        if (!sums->at[k]) continue;
        __atomic_fetch_add((uint32_t *)(uintptr_t)sums->at[k], sums->sum[k], __ATOMIC_SEQ_CST);
        sums->at[k] = 0;
    }
}
