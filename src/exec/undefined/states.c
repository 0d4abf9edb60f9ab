// Which bytes of shared memory are defined, of all blocks at once.
//
// Blocks do the same to their shared memory, one after the other: it begins undefined, and each access by the same
// warps at the same addresses makes the same of it. So what it is has a number, a state, and what an access makes of a
// state is looked up: that it has read defined bytes alone, and what is defined afterwards. A block's own bits are
// brought up to date when something else asks for them, and a block that goes a way of its own has no state.
#include <string.h>

#include "base/alloc.h"
#include "base/mix.h"
#include "exec/undefined/undefined.h"

enum { STATES = 64, STEPS = 128, MOST_BYTES = 1 << 21, TRIES = 256 };

typedef struct step {
    const hw_inst *inst;             // NULL: none
    uint32_t from, to;               // states
    uint32_t first, n;               // warps
    uint32_t mask;
    uint32_t addresses[HW_CONVOY_MAX][32];
} step;

// 0 is no state, 1 that of a block that begins.
struct hw_undefined_states {
    struct {
        uint8_t *bits;
        uint32_t n_undefined;
    } items[STATES];
    uint32_t n, bytes;
    uint32_t n_known, n_new;         // accesses
    step steps[STEPS];
};

// ---- states ---------------------------------------------------------------------------------------------------------

static uint32_t add_state(struct hw_undefined_states *all, const hw_shadow_memory *shared) {
    if (all->n == STATES || (uint64_t)(all->n + 1) * all->bytes > MOST_BYTES) return 0;
    uint8_t *bits = hw_malloc(all->bytes + 1);
    if (!bits) return 0;
    memcpy(bits, shared->bits, all->bytes);
    all->items[all->n].bits = bits;
    all->items[all->n].n_undefined = shared->n_undefined;
    return all->n++;
}

static uint32_t state_of(struct hw_undefined_states *all, const hw_shadow_memory *shared) {
    for (uint32_t k = 1; k < all->n; k++)
        if (all->items[k].n_undefined == shared->n_undefined && !memcmp(all->items[k].bits, shared->bits, all->bytes))
            return k;
    return add_state(all, shared);
}

void hw_undefined_states_free(struct hw_undefined_states *all) {
    for (uint32_t k = 0; all && k < all->n; k++) hw_free(all->items[k].bits);
    hw_free(all);
}

static struct hw_undefined_states *create_states(hw_shadow_memory *shared) {
    struct hw_undefined_states *all = hw_calloc(1, sizeof *all);
    if (!all) return NULL;
    all->bytes = shared->bytes;
    all->n = 1;
    if (add_state(all, shared)) return all;
    hw_undefined_states_free(all);
    return NULL;
}

void hw_undefined_begin_shared(hw_run *run, hw_shadow_memory *shared) {
    const uint32_t bytes = run->kernels_shared_bytes;
    struct hw_undefined_states *all = run->states;
    if (shared->has_origins) memset(shared->origins, 0, shared->bytes);
    shared->has_origins = false;
    shared->n_undefined = bytes;
    shared->state = all && run->cluster_blocks == 1 && (all->n_new < TRIES || all->n_new < all->n_known);
    shared->is_behind = shared->state;
    if (shared->state) return;
    memset(shared->bits, 0, shared->bytes);
    memset(shared->bits, 0xff, bytes);
    if (all || !bytes || run->cluster_blocks > 1) return;    // blocks of a cluster write each other's
    run->states = create_states(shared);
    shared->state = run->states != NULL;
}

void hw_undefined_catch_up(const hw_run *run, hw_shadow_memory *shared) {
    memcpy(shared->bits, run->states->items[shared->state].bits, run->states->bytes);
    shared->is_behind = false;
}

// ---- steps ----------------------------------------------------------------------------------------------------------

static step *step_at(const hw_state *s, const hw_inst *in) {
    struct hw_undefined_states *all = s->run->states;
    const uint64_t hash = hw_mix_word(s->undefined->shared->state, (uint64_t)(uintptr_t)in + s->warp.mask);
    return &all->steps[hash >> 32 & (STEPS - 1)];
}

static const uint32_t *addresses_of(const hw_state *s, const hw_inst *in) {
    return (const uint32_t *)hw_at(&s->warp, in->a);
}

static uint32_t number_of(const hw_state *s) { return (uint32_t)(s - s->block->warps); }

// Have warps from this one on the same addresses in each block of a launch?
static bool are_fixed(const hw_inst *in) {
    const hw_base base = (hw_base)(in->a & 3);
    return base == HW_BASE_WARP || base == HW_BASE_LAUNCH;
}

static bool has_step(const hw_state *s, const hw_inst *in) {
    return in->space == HW_SPACE_SHARED && in->a != HW_NO_SLOT && in->flags & HW_INST_ADDRESS_32 &&
           s->undefined->shared->state;
}

bool hw_undefined_knows_step(hw_state *s, const hw_inst *in, uint32_t n) {
    hw_shadow_memory *shared = s->undefined->shared;
    if (!has_step(s, in)) return false;
    const step *known = step_at(s, in);
    if (known->inst != in || known->from != shared->state || known->n != n || known->mask != s->warp.mask) return false;
    const bool are_known = are_fixed(in) && known->first == number_of(s);
    for (uint32_t k = 0; k < n && !are_known; k++)
        if (memcmp(known->addresses[k], addresses_of(s + k, in), sizeof known->addresses[k])) return false;
    s->run->states->n_known++;
    if (known->to == shared->state) return true;
    shared->state = known->to;
    shared->n_undefined = s->run->states->items[known->to].n_undefined;
    shared->is_behind = true;
    return true;
}

void hw_undefined_learn_step(hw_state *s, const hw_inst *in, uint32_t n, uint32_t from) {
    hw_shadow_memory *shared = s->undefined->shared;
    struct hw_undefined_states *all = s->run->states;
    if (!from) return;
    const uint32_t to = shared->state ? shared->state : state_of(all, shared);
    shared->state = from;
    if (has_step(s, in) && to) {
        step *new = step_at(s, in);
        *new = (step){.inst = in, .from = from, .to = to, .first = number_of(s), .n = n, .mask = s->warp.mask};
        for (uint32_t k = 0; k < n; k++) memcpy(new->addresses[k], addresses_of(s + k, in), sizeof new->addresses[k]);
        all->n_new++;
    }
    shared->state = to;
}
