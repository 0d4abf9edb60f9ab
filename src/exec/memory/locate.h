// Where a warp's access lies, for any mask and without going through the lanes one by one when its relative addresses
// are those of the last time. Private to exec; for the bodies that are no plain loads and stores of all lanes as well.
#ifndef HW_EXEC_LOCATE_H
#define HW_EXEC_LOCATE_H

#include "exec/warp/warp.h"

hw_space HW_LEVEL_NAME(hw_lanes_at)(hw_state *s, const hw_inst *in, uint64_t at[32]);    // of this level: hw_lanes_at

static inline bool hw_is_same_pattern(const hw_warp *w, const hw_inst *in, const hw_pattern *p, int lowest) {
    uint64_t differ = 0;
    if (p->mask != w->mask) return false;
    if (in->flags & HW_INST_ADDRESS_32) {
        const uint32_t *a = hw_at(w, in->a), first = a[lowest];
        for (int i = 0; i < 32; i++) differ |= ((a[i] - first) ^ (uint32_t)p->delta_32[i]) & (uint32_t)w->lanes[i];
    } else {
        const uint64_t *a = hw_at(w, in->a), first = a[lowest];
        for (int i = 0; i < 32; i++) differ |= ((a[i] - first) ^ (uint64_t)p->delta[i]) & (uint64_t)w->lanes[i];
    }
    return !differ;
}

static inline void hw_learn_pattern(hw_state *s, const hw_inst *in, hw_pattern *p) {
    uint64_t addresses[32];
    if (in->flags & HW_INST_ADDRESS_32) {
        const uint32_t *a = hw_at(&s->warp, in->a);
        for (int i = 0; i < 32; i++) addresses[i] = (uint32_t)(a[i] + (uint32_t)in->imm);
    } else {
        const uint64_t *a = hw_at(&s->warp, in->a);
        for (int i = 0; i < 32; i++) addresses[i] = a[i] + (uint64_t)in->imm;
    }
    hw_access_learn(s, in, p, addresses);
}

// The address, in the instruction's space, of one lane's element. in->a is a slot.
static inline uint64_t hw_address_of(const hw_warp *w, const hw_inst *in, int lane) {
    return in->flags & HW_INST_ADDRESS_32 ? (uint32_t)(((const uint32_t *)hw_at(w, in->a))[lane] + (uint32_t)in->imm)
                                          : ((const uint64_t *)hw_at(w, in->a))[lane] + (uint64_t)in->imm;
}

// The host address of the lowest active lane's element, for any mask, known pattern or not, with the access counted;
// NULL: take the general way. in->a is a slot.
static __attribute__((noinline)) char *hw_locate(hw_state *s, const hw_inst *in) {
    const hw_warp *w = &s->warp;
    hw_pattern *p = &s->patterns[in->pattern];
    int lowest = __builtin_ctz(w->mask);
    uint32_t bytes = (uint32_t)in->width * in->vector;
    if (!hw_is_same_pattern(w, in, p, lowest)) hw_learn_pattern(s, in, p);
    uint64_t base = hw_address_of(w, in, lowest);
    if (base - p->begin >= p->limit || base & (bytes - 1))
        if (!hw_access_check(s, in, p, base)) return NULL;
    hw_access_count(p, base);
    return (char *)((p->space == HW_SPACE_SHARED ? (uintptr_t)s->shared : 0) + (base - p->window));
}

// The host addresses of all active lanes' elements, with the access counted; false after a fault.
static inline bool hw_locate_lanes(hw_state *s, const hw_inst *in, bool is_write, void *at[32]) {
    hw_warp *w = &s->warp;
    char *m = in->a == HW_NO_SLOT ? NULL : hw_locate(s, in);
    if (!m) return hw_access_pointers(s, in, is_write, at);
    const int64_t *delta = s->patterns[in->pattern].delta;
    for (int i = 0; i < 32; i++) at[i] = m + (delta[i] & (int64_t)w->lanes[i]);
    return true;
}

#endif
