// Counts memory accesses, on the worker threads. The models are asked once per pattern and base modulo 256.
#include <string.h>

#include "model/banks.h"
#include "model/constant.h"
#include "model/lanes.h"
#include "prof/internal.h"

static bool space_of(const hw_access *access, hw_prof_space *space) {
    switch (access->space) {
    case HW_SPACE_GLOBAL: *space = HW_PROF_GLOBAL; return true;
    case HW_SPACE_SHARED: *space = HW_PROF_SHARED; return true;
    case HW_SPACE_LOCAL: *space = HW_PROF_LOCAL; return true;
    case HW_SPACE_CONST: *space = HW_PROF_CONST; return true;
    default: return false;
    }
}

static void begin_accesses(const hw_prof *prof, hw_prof_accesses *accesses, uint32_t note_index) {
    const hw_note *note = &prof->notes[note_index];
    memset(accesses, 0, offsetof(hw_prof_accesses, patterns));
    for (int i = 0; i < HW_PATTERN_WAYS; i++) accesses->patterns[i].serial = 0;
    accesses->epoch = prof->epoch;
    accesses->kind = note->kind;
    accesses->width = note->merged_bytes ? note->merged_bytes : note->width_bytes;
    accesses->is_merged = note->merged_bytes > note->width_bytes;
    accesses->skips_l1 = prof->no_l1 || note->skips_l1;
}

static uint32_t cost_of_access(const hw_prof *prof, const hw_prof_accesses *accesses, const hw_access *a,
                               hw_prof_space space) {
    const hw_arch *arch = prof->gpu->arch;
    // A merged access begins where its bytes do, not where its first part in program order does.
    uint64_t base = accesses->is_merged ? a->base & ~(uint64_t)(accesses->width - 1) : a->base;
    switch (space) {
    case HW_PROF_SHARED:
        return hw_banks_wavefronts(arch, (hw_note_kind)accesses->kind, prof->bank_bytes, a->pattern->mask, base,
                                   a->pattern->delta, accesses->width);
    case HW_PROF_LOCAL:
        return hw_coalesce_local_sectors(arch, a->pattern->mask, base, a->pattern->delta, accesses->width);
    case HW_PROF_CONST: return hw_constant_passes(arch, a->pattern->mask, a->pattern->delta);
    default: return hw_coalesce_sectors(arch, a->pattern->mask, base, a->pattern->delta, accesses->width);
    }
}

// The most that the ideal can be, whatever the access costs.
static uint32_t packed_cost(const hw_prof *prof, const hw_prof_accesses *accesses, const hw_access *a,
                            hw_prof_space space) {
    if (space == HW_PROF_SHARED)
        return hw_banks_ideal(prof->gpu->arch, a->pattern->mask, accesses->width, UINT16_MAX);
    return hw_coalesce_ideal_sectors(a->pattern->mask, accesses->width, UINT16_MAX);
}

// Bytes that the lanes ask for; what they share is told apart only where all share it.
static uint32_t asked_bytes(const hw_prof_accesses *accesses, const hw_access *a) {
    uint32_t lanes = hw_lanes_on(a->pattern->mask);
    for (uint32_t left = a->pattern->mask; left; left &= left - 1)
        if (a->pattern->delta[__builtin_ctz(left)]) return lanes * accesses->width;
    return accesses->width;
}

static void remember_pattern(const hw_prof *prof, hw_prof_accesses *accesses, hw_prof_pattern *p, const hw_access *a,
                             hw_prof_space space) {
    accesses->n_patterns += !p->serial;
    p->serial = a->pattern->serial;
    p->of = a->pattern;
    p->packed = (uint16_t)packed_cost(prof, accesses, a, space);
    p->asked = (uint16_t)asked_bytes(accesses, a);
    p->space = (uint8_t)space;
    memset(p->cost, 0, sizeof p->cost);
}

static void count_access(hw_prof *prof, hw_prof_accesses *accesses, const hw_access *a, hw_prof_space space,
                         uint32_t cost, uint32_t packed, uint32_t asked) {
    accesses->cost[space] += cost * a->repeat;
    accesses->ideal[space] += (cost < packed ? cost : packed) * a->repeat;
    if (space == HW_PROF_GLOBAL) accesses->asked += (cost * 32 < asked ? cost * 32 : asked) * a->repeat;
    if (prof->is_old) hw_prof_count_generation(prof, accesses, a, space, cost);
}

void hw_prof_access(hw_sink *sink, uint32_t worker, const hw_access *a) {
    hw_prof *prof = (hw_prof *)sink;
    hw_prof_space space;
    if (a->note >= prof->n_notes || worker >= prof->n_workers) return;
    uint32_t index = prof->accesses_of[a->note];
    if (index == HW_PROF_NO_ACCESSES || !space_of(a, &space)) return;
    hw_prof_accesses *accesses = &prof->workers[worker].accesses[index];
    if (accesses->epoch != prof->epoch) begin_accesses(prof, accesses, a->note);
    accesses->inst[space] += a->repeat;
    if (!a->pattern->mask) return;
    accesses->requests[space] += a->repeat;
    if (a->pattern->index == HW_NO_PATTERN) {
        const uint32_t asked = space == HW_PROF_GLOBAL ? asked_bytes(accesses, a) : 0;
        count_access(prof, accesses, a, space, cost_of_access(prof, accesses, a, space),
                     packed_cost(prof, accesses, a, space), asked);
        return;
    }
    hw_prof_pattern *p = &accesses->patterns[a->pattern->index % HW_PATTERN_WAYS];
    if (p->serial != a->pattern->serial) remember_pattern(prof, accesses, p, a, space);
    uint16_t *known = &p->cost[a->base % HW_PROF_PHASES];
    if (!*known) *known = (uint16_t)(cost_of_access(prof, accesses, a, space) + 1);
    count_access(prof, accesses, a, space, *known - 1u, p->packed, p->asked);
}

// ---- copies past the first-level cache ----

static hw_fetched fetched_by(const hw_copy_begun *copy) {
    uint64_t from[HW_WARP_LANES];
    uint32_t to[HW_WARP_LANES];
    for (int i = 0; i < HW_WARP_LANES; i++) {
        from[i] = copy->from + (uint64_t)copy->from_pattern->delta[i];
        to[i] = (uint32_t)(copy->to + (uint64_t)copy->to_pattern->delta[i]);
    }
    return hw_coalesce_copies(copy->reading, from, to);
}

void hw_prof_copy(hw_sink *sink, uint32_t worker, const hw_copy_begun *copy) {
    hw_prof *prof = (hw_prof *)sink;
    if (copy->note >= prof->n_notes || worker >= prof->n_workers || !copy->reading) return;
    uint32_t index = prof->accesses_of[copy->note];
    if (index == HW_PROF_NO_ACCESSES || prof->notes[copy->note].kind != HW_NOTE_COPY_BYPASS) return;
    hw_prof_accesses *accesses = &prof->workers[worker].accesses[index];
    if (accesses->epoch != prof->epoch) begin_accesses(prof, accesses, copy->note);
    hw_prof_copies *known = &accesses->copies;
    if (known->from_serial != copy->from_pattern->serial || known->to_serial != copy->to_pattern->serial ||
        known->from_phase != copy->from % 128 || known->to_phase != copy->to % 128)
        *known = (hw_prof_copies){.from_serial = copy->from_pattern->serial, .to_serial = copy->to_pattern->serial,
                                  .from_phase = copy->from % 128, .to_phase = copy->to % 128,
                                  .cost = fetched_by(copy)};
    accesses->fetched += known->cost.sectors;
    accesses->l2_fetched += known->cost.l2_sectors;
}
