// Accesses to look at: of each line, by space, the one that costs most beyond what it would with its lanes side by
// side.
#include <string.h>

#include "event/sinks.h"
#include "prof/internal.h"

void hw_prof_see_lone(hw_prof_accesses *accesses, const hw_lone_access *a, hw_prof_space space, uint32_t cost,
                      uint32_t packed) {
    hw_report_access *worst = &accesses->lone;
    if (worst->mask && cost <= packed + (uint32_t)(worst->cost - worst->packed)) return;
    *worst = (hw_report_access){.mask = a->mask, .cost = (uint16_t)cost, .packed = (uint16_t)packed,
                                .kind = accesses->kind, .width_bytes = accesses->width};
    worst->base = hw_lone_deltas(a, worst->delta);
    accesses->lone_space = (uint8_t)space;
}

static hw_report_access access_of(const hw_prof_accesses *accesses, const hw_prof_pattern *p) {
    hw_report_access access = {.base = p->worst, .mask = p->of->mask, .cost = (uint16_t)(p->cost[p->worst] - 1),
                               .packed = p->packed, .kind = accesses->kind, .width_bytes = accesses->width};
    memcpy(access.delta, p->of->delta, sizeof access.delta);
    for (int lane = 0; lane < HW_WARP_LANES; lane++)
        if (!(access.mask >> lane & 1)) access.delta[lane] = 0;
    return access;
}

// Without memory the line shows what it has shown.
static void offer(hw_prof *prof, hw_report_line *line, const hw_report_access *access, hw_prof_space space) {
    if (space != HW_PROF_GLOBAL && space != HW_PROF_SHARED) return;
    const hw_report_access **shown = &line->shown[space == HW_PROF_SHARED ? HW_SHOWN_SHARED : HW_SHOWN_GLOBAL];
    if (*shown && !hw_access_is_worse(access, *shown)) return;
    hw_report_access *copy = hw_arena_take(prof->arena, sizeof *copy);
    if (!copy) return;
    *copy = *access;
    *shown = copy;
}

void hw_prof_show(hw_prof *prof, hw_report_line *line, const hw_prof_accesses *accesses) {
    for (int i = 0; i < HW_PATTERN_WAYS_COUNTED; i++) {
        const hw_prof_pattern *p = &accesses->patterns[i];
        const bool is_there = p->serial && p->of->serial == p->serial && p->cost[p->worst];
        if (!is_there) continue;
        const hw_report_access access = access_of(accesses, p);
        offer(prof, line, &access, (hw_prof_space)p->space);
    }
    if (accesses->lone.mask) offer(prof, line, &accesses->lone, (hw_prof_space)accesses->lone_space);
}
