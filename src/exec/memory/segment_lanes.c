// The bodies that execute segments: they find the accesses' addresses, as loads and stores do the quick way, and call
// the segment's code.
#include "exec/memory/known.h"
#include "exec/ops/level.h"
#include "exec/segment.h"

static inline bool is_as_expected(const hw_pattern *p, hw_seen_shape shape) {
    return shape == HW_SEEN_UNIT ? p->shape == HW_SHAPE_UNIT || p->shape == HW_SHAPE_UNIT_HALVES
                                 : p->shape == HW_SHAPE_SAME || p->shape == HW_SHAPE_SAME_HALVES;
}

// The interpreter goes on, with the body that the instruction had. A segment that often runs in vain costs more than it
// saves; each launch's first access of a pattern has to be looked at anyway.
enum { TOO_MANY_MISSES = 4096 };
static __attribute__((noinline)) hw_body miss(hw_segment *segment, const hw_inst *in, hw_body body,
                                              const hw_pattern *p) {
    if (!p->mask || !p->limit) return body;
    uint32_t misses = atomic_fetch_add_explicit(&segment->misses, 1, memory_order_relaxed);
    if (misses > TOO_MANY_MISSES) __atomic_store_n(&((hw_inst *)(uintptr_t)in)->body, body, __ATOMIC_RELEASE);
    return body;
}

static void count_guards(hw_warp *w, uint32_t n_warps, const hw_segment *segment) {
    uint64_t *guarded_off = hw_state_of(w)->worker->guarded_off;
    for (uint32_t g = 0; g < segment->n_guards; g++) {
        const hw_segment_guard *guard = &segment->guards[g];
        hw_warp *member = w;
        uint64_t off = 0;
        for (uint32_t k = 0; k < n_warps; k++, member = hw_next_warp(member)) {
            uint32_t p = hw_pred(member, guard->predicate) ^ (guard->is_negated ? ~0u : 0);
            off += (uint32_t)__builtin_popcount(member->mask & ~p);
        }
        guarded_off[guard->note] += off * guard->count;
    }
}

// The next convoy likely loads as far from this one as this one from the last: the next block's rows of a matrix. A
// wrong guess costs little, and cannot fault; it is made where a processor's second-level cache does not hold the
// memory. Inlined by force: GCC drops calls of what seems to be without effect.
enum { LARGE_BYTES = 1 << 21 };
static inline __attribute__((always_inline)) void prefetch_next(const hw_warp *w, const hw_inst *access,
                                                                hw_pattern *p) {
    if (p->space != HW_SPACE_GLOBAL || p->shape != HW_SHAPE_UNIT || access->d == HW_NO_SLOT) return;
    if (p->limit < LARGE_BYTES || p->fixed_for) return;
    const uint64_t at = (uint64_t)(uintptr_t)p->at[0], step = at - p->last, bytes = 32 * (uint64_t)access->width;
    p->last = at;
    if (step == w->convoy * bytes) return;       // the processor sees that by itself
    for (uint32_t k = 0; k < w->convoy; k++) {
        const uint64_t next = (uint64_t)(uintptr_t)p->at[k] + step;
        __builtin_prefetch((const void *)(uintptr_t)next);
        if (bytes > 64) __builtin_prefetch((const void *)(uintptr_t)(next + 64));
    }
}

// What the two bodies do is in functions of their own: a compiler makes no jump of a call at the end of a function that
// has shown its arrays to others, and bodies that call the next one take a frame of the stack each, until it is full.
// They return NULL, or the body that the first instruction had, which is to be executed instead.
static __attribute__((noinline)) hw_body run_convoy(hw_warp *w, const hw_inst *in, hw_segment *segment) {
    hw_state *s = hw_state_of(w);
    const hw_inst *first = s->frame->program->insts + (in - s->frame->program->convoy_insts);
    hw_segment_at at[HW_SEGMENT_ACCESSES];
    const hw_pattern *patterns[HW_SEGMENT_ACCESSES];
    for (uint32_t k = 0; k < segment->n_accesses; k++) {
        const hw_segment_access *a = &segment->accesses[k];
        const hw_inst *access = first + a->offset;
        hw_pattern *p = &s->patterns[access->pattern];
        patterns[k] = p;
        if (!hw_known_find_all(w, access, a, p, a->leader == k ? NULL : patterns[a->leader]) ||
            !is_as_expected(p, (hw_seen_shape)a->shape))
            return miss(segment, in, segment->convoy_body, p);
        if (a->is_first) at[a->group] = (hw_segment_at){p->at, p->delta[16]};
    }
    for (uint32_t k = 0; k < segment->n_accesses; k++) {
        const hw_inst *access = first + segment->accesses[k].offset;
        hw_pattern *p = &s->patterns[access->pattern];
        if (segment->accesses[k].is_first) prefetch_next(w, access, p);
        hw_known_count_all(w, p);
    }
    segment->all((char *)w, w->convoy, at);
    if (segment->n_guards) count_guards(w, w->convoy, segment);
    return NULL;
}

static __attribute__((noinline)) hw_body run_warp(hw_warp *w, const hw_inst *in, hw_segment *segment) {
    hw_state *s = hw_state_of(w);
    hw_segment_at at[HW_SEGMENT_ACCESSES];
    const hw_pattern *patterns[HW_SEGMENT_ACCESSES];
    char *host[HW_SEGMENT_ACCESSES];
    uint64_t bases[HW_SEGMENT_ACCESSES];
    for (uint32_t k = 0; k < segment->n_accesses; k++) {
        const hw_segment_access *a = &segment->accesses[k];
        const hw_inst *access = in + a->offset;
        hw_pattern *p = &s->patterns[access->pattern];
        patterns[k] = p;
        if (!hw_known_find(w, access, &a->address, p, a->leader == k ? NULL : patterns[a->leader], &host[k],
                           &bases[k]) ||
            !is_as_expected(p, (hw_seen_shape)a->shape))
            return miss(segment, in, segment->body, p);
        if (a->is_first) at[a->group] = (hw_segment_at){&host[k], p->delta[16]};
    }
    for (uint32_t k = 0; k < segment->n_accesses; k++)
        hw_access_count(&s->patterns[in[segment->accesses[k].offset].pattern], bases[k]);
    segment->all((char *)w, 1, at);
    if (segment->n_guards) count_guards(w, 1, segment);
    return NULL;
}

// Masks that change from one time to the next are no reason to give up all lanes' code.
static __attribute__((noinline)) hw_body miss_some(hw_segment *segment, const hw_pattern *p) {
    if (!p->mask) return segment->body;
    uint32_t misses = atomic_fetch_add_explicit(&segment->misses_of_some, 1, memory_order_relaxed);
    if (misses > TOO_MANY_MISSES) __atomic_store_n(&segment->some, NULL, __ATOMIC_RELEASE);
    return segment->body;
}

// The same as run_warp, of a warp that has lanes off.
static __attribute__((noinline)) hw_body run_some(hw_warp *w, const hw_inst *in, hw_segment *segment) {
    hw_state *s = hw_state_of(w);
    const hw_segment_code code = __atomic_load_n(&segment->some, __ATOMIC_ACQUIRE);
    hw_segment_at at[HW_SEGMENT_ACCESSES];
    const hw_pattern *patterns[HW_SEGMENT_ACCESSES];
    char *host[HW_SEGMENT_ACCESSES];
    uint64_t bases[HW_SEGMENT_ACCESSES];
    if (!code) return segment->body;
    for (uint32_t k = 0; k < segment->n_accesses; k++) {
        const hw_segment_access *a = &segment->accesses[k];
        const hw_inst *access = in + a->offset;
        hw_pattern *p = &s->patterns[access->pattern];
        patterns[k] = p;
        if (!hw_known_find_some(w, access, &a->address, p, a->leader == k ? NULL : patterns[a->leader], &host[k],
                                &bases[k]) ||
            !is_as_expected(p, (hw_seen_shape)a->shape))
            return miss_some(segment, p);
        if (a->is_first) at[a->group] = (hw_segment_at){&host[k], p->lane_16 - p->lane_0};
    }
    for (uint32_t k = 0; k < segment->n_accesses; k++)
        hw_access_count(&s->patterns[in[segment->accesses[k].offset].pattern], bases[k]);
    code((char *)w, 1, at);
    if (segment->n_guards) count_guards(w, 1, segment);
    return NULL;
}

static const hw_inst *segment_convoy(hw_warp *w, const hw_inst *in) {
    const hw_program *program = hw_state_of(w)->frame->program;
    hw_segment *segment = program->segments[in - program->convoy_insts];
    hw_body instead = run_convoy(w, in, segment);
    if (instead) return instead(w, in);
    HW_GO_ON(w, in + segment->count);
}

static const hw_inst *segment_warp(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    hw_segment *segment = s->frame->program->segments[in - s->insts];
    if (!HW_ALL_ON(w) && !segment->n_accesses && segment->some) {    // the usual way of lanes that have parted
        segment->some((char *)w, 1, NULL);
        if (segment->n_guards) count_guards(w, 1, segment);
        HW_GO_ON(w, in + segment->count);
    }
    hw_body instead = HW_ALL_ON(w) ? run_warp(w, in, segment) : run_some(w, in, segment);
    if (instead) return instead(w, in);
    HW_GO_ON(w, in + segment->count);
}

const hw_body_forms HW_LEVEL_NAME(hw_segment_bodies) = {segment_warp, segment_convoy};
