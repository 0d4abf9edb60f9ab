// Registers: their undefined bits, and what instructions make of them.
#include <string.h>

#include "exec/undefined/undefined.h"
#include "exec/undefined/values.h"

enum { UNIT = 64, PREDICATE = 0 };

// ---- a slot ---------------------------------------------------------------------------------------------------------

static bool is_of_frame(hw_slot slot) { return slot != HW_NO_SLOT && (slot & 3) == HW_BASE_FRAME; }
static uint32_t slot_bytes(uint32_t bytes) { return bytes ? 32 * bytes : 4; }

static bool has_unit(const hw_shadow *shadow, uint32_t unit) { return shadow->units[unit / 64] >> unit % 64 & 1; }

bool hw_undefined_has(const hw_shadow *shadow, hw_slot slot, uint32_t bytes) {
    if (!is_of_frame(slot) || !shadow->n_undefined) return false;
    bool has = false;
    for (uint32_t at = slot; at < slot + slot_bytes(bytes); at += UNIT) has |= has_unit(shadow, at / UNIT);
    return has;
}

// Of 16 bytes the two halves, or-ed.
uint64_t hw_undefined_get(const hw_shadow *shadow, hw_slot slot, uint32_t bytes, int lane) {
    uint64_t value = 0, high = 0;
    if (!is_of_frame(slot)) return 0;
    const uint8_t *at = shadow->bits + slot;
    if (bytes == PREDICATE) {
        uint32_t mask;
        memcpy(&mask, at, sizeof mask);
        return mask >> lane & 1;
    }
    at += (size_t)lane * bytes;
    memcpy(&value, at, bytes < 8 ? bytes : 8);
    if (bytes == 16) memcpy(&high, at + 8, 8);
    return value | high;
}

void hw_undefined_put(hw_shadow *shadow, hw_slot slot, uint32_t bytes, int lane, uint64_t bits) {
    uint8_t *at = shadow->bits + slot;
    if (bytes == PREDICATE) {
        uint32_t mask;
        memcpy(&mask, at, sizeof mask);
        mask = (mask & ~(1u << lane)) | (uint32_t)(bits & 1) << lane;
        memcpy(at, &mask, sizeof mask);
        return;
    }
    at += (size_t)lane * bytes;
    memcpy(at, &bits, bytes < 8 ? bytes : 8);
    if (bytes == 16) memcpy(at + 8, &bits, 8);
}

void hw_undefined_settle(hw_state *s, hw_shadow *shadow, uint32_t offset, uint32_t bytes) {
    static const uint8_t defined[UNIT];
    for (uint32_t unit = offset / UNIT; unit <= (offset + bytes - 1) / UNIT; unit++) {
        const bool has = memcmp(shadow->bits + (size_t)unit * UNIT, defined, UNIT) != 0;
        if (has == has_unit(shadow, unit)) continue;
        shadow->units[unit / 64] ^= (uint64_t)1 << unit % 64;
        shadow->n_undefined += has ? 1 : -1u;
        s->undefined->n_undefined += has ? 1 : -1u;
    }
}

void hw_undefined_settle_slot(hw_state *s, hw_slot slot, uint32_t bytes, hw_origin origin) {
    hw_shadow *shadow = s->frame->shadow;
    hw_undefined_settle(s, shadow, slot, slot_bytes(bytes));
    if (origin) shadow->origins[slot / 4] = origin;
}

void hw_undefined_clear(hw_state *s, hw_slot slot, uint32_t bytes, uint32_t mask) {
    hw_shadow *shadow = s->frame->shadow;
    if (!hw_undefined_has(shadow, slot, bytes)) return;
    for (uint32_t left = mask; left; left &= left - 1) hw_undefined_put(shadow, slot, bytes, __builtin_ctz(left), 0);
    hw_undefined_settle(s, shadow, slot, slot_bytes(bytes));
}

uint32_t hw_undefined_lanes_of(const hw_state *s, hw_slot slot, uint32_t bytes, hw_origin *origin) {
    const hw_shadow *shadow = s->frame->shadow;
    uint32_t lanes = 0;
    if (!hw_undefined_has(shadow, slot, bytes)) return 0;
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        lanes |= (uint32_t)(hw_undefined_get(shadow, slot, bytes, lane) != 0) << lane;
    }
    if (lanes && origin && !*origin) *origin = shadow->origins[slot / 4];
    return lanes;
}

// ---- values ---------------------------------------------------------------------------------------------------------

// The registers that an instruction reads.
enum { SOURCES = 5 };
typedef struct sources {
    hw_slot slots[SOURCES];
    uint8_t bytes[SOURCES];
    hw_origin origin;                // of the first that has undefined bits
    bool has;
} sources;

static sources sources_of(const hw_state *s, const hw_inst *in, const hw_undefined_facts *f) {
    sources all = {.slots = {in->a, in->b, in->c, f->has_fourth ? in->fourth : HW_NO_SLOT, in->p},
                   .bytes = {f->a, f->b, f->c, f->x, PREDICATE}};
    for (int k = 0; k < SOURCES; k++) {
        if (!hw_undefined_has(s->frame->shadow, all.slots[k], all.bytes[k])) continue;
        all.has = true;
        if (!all.origin) all.origin = s->frame->shadow->origins[all.slots[k] / 4];
    }
    return all;
}

static uint64_t value_at(const hw_warp *w, hw_slot slot, uint32_t bytes, int lane) {
    uint64_t value = 0;
    if (slot == HW_NO_SLOT) return 0;
    if (bytes == PREDICATE) return hw_pred(w, slot) >> lane & 1;
    memcpy(&value, (const char *)hw_at(w, slot) + (size_t)lane * bytes, bytes < 8 ? bytes : 8);
    return value;
}

static hw_undefined_lane lane_of(const hw_state *s, const hw_inst *in, const sources *all, int lane) {
    const hw_warp *w = &s->warp;
    uint64_t values[SOURCES], undefined[SOURCES];
    for (int k = 0; k < SOURCES; k++) {
        values[k] = value_at(w, all->slots[k], all->bytes[k], lane);
        undefined[k] = hw_undefined_get(s->frame->shadow, all->slots[k], all->bytes[k], lane);
    }
    return (hw_undefined_lane){.a = values[0], .b = values[1], .c = values[2], .x = values[3],
                               .p = values[4] ^ (in->flags & HW_INST_NEGATE_P && in->p != HW_NO_SLOT),
                               .undefined_a = undefined[0], .undefined_b = undefined[1], .undefined_c = undefined[2],
                               .undefined_x = undefined[3], .undefined_p = undefined[4]};
}

// setp: the comparison, combined with a predicate. A defined one may decide alone.
static uint64_t combined(const hw_inst *in, uint64_t undefined, const hw_undefined_lane *l) {
    const bool is_and = in->combination == HW_COMBINE_AND, is_or = in->combination == HW_COMBINE_OR;
    const bool decides = !l->undefined_p && (is_and ? !l->p : is_or && l->p);
    return in->combination && in->p != HW_NO_SLOT ? (undefined && !decides) || l->undefined_p : undefined;
}

// Predicates have a second result, its complement or what is left of it.
static bool has_second(const hw_undefined_facts *f, const hw_inst *in) { return !f->has_fourth && in->e != HW_NO_SLOT; }

static bool is_move(uint8_t rule) {
    return rule == HW_RULE_MOVE || rule == HW_RULE_RESIZE || rule == HW_RULE_SELECT || rule == HW_RULE_PERMUTE ||
           rule == HW_RULE_PACK || rule == HW_RULE_UNPACK || rule == HW_RULE_EXTRACT || rule == HW_RULE_INSERT ||
           rule == HW_RULE_SHUFFLE || rule == HW_RULE_FUNNEL;
}

static hw_origin origin_of_result(const hw_undefined_facts *f, hw_origin origin) {
    return is_move(f->rule) ? origin : origin | HW_ORIGIN_COUNTS;
}

static void define_results(hw_state *s, const hw_inst *in, const hw_undefined_facts *f) {
    hw_undefined_clear(s, in->d, f->d, s->warp.mask);
    if (has_second(f, in)) hw_undefined_clear(s, in->e, PREDICATE, s->warp.mask);
}

static void compute(hw_state *s, const hw_inst *in, const hw_undefined_facts *f) {
    hw_shadow *shadow = s->frame->shadow;
    const sources all = sources_of(s, in, f);
    if (!all.has) {
        define_results(s, in, f);
        return;
    }
    const hw_origin origin = origin_of_result(f, all.origin);
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const hw_undefined_lane l = lane_of(s, in, &all, lane);
        uint64_t bits = hw_undefined_value(in, f, &l);
        if (f->rule == HW_RULE_COMPARE) bits = combined(in, bits, &l);
        if (in->d != HW_NO_SLOT) hw_undefined_put(shadow, in->d, f->d, lane, bits);
        if (has_second(f, in)) hw_undefined_put(shadow, in->e, PREDICATE, lane, bits != 0);
    }
    if (in->d != HW_NO_SLOT) hw_undefined_settle_slot(s, in->d, f->d, origin);
    if (has_second(f, in)) hw_undefined_settle_slot(s, in->e, PREDICATE, origin);
}

// ---- the condition code ---------------------------------------------------------------------------------------------

static void compute_with_carry(hw_state *s, const hw_inst *in, const hw_undefined_facts *f) {
    hw_shadow *shadow = s->frame->shadow;
    const sources all = sources_of(s, in, f);
    uint32_t *carry = &s->undefined->carry;
    if (!all.has && !(*carry & s->warp.mask)) {
        define_results(s, in, f);
        return;
    }
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const hw_undefined_lane l = lane_of(s, in, &all, lane);
        const bool any = hw_undefined_value(in, f, &l) || (f->reads_carry && *carry >> lane & 1);
        *carry = (*carry & ~(1u << lane)) | (uint32_t)any << lane;
        if (in->d != HW_NO_SLOT) hw_undefined_put(shadow, in->d, f->d, lane, any ? ~(uint64_t)0 : 0);
    }
    if (in->d != HW_NO_SLOT) hw_undefined_settle_slot(s, in->d, f->d, origin_of_result(f, all.origin));
}

// ---- lists of registers ---------------------------------------------------------------------------------------------

// mov.pack.<n>x<bits>, mov.unpack: the parts of an integer, each in a register of its own, of 16 bits at least.
typedef struct parts {
    uint32_t n, bits, part_bytes, whole_bytes;
} parts;

static parts parts_of(const hw_inst *in) {
    const uint32_t bits = 8u * in->lane_bytes;
    return (parts){.n = in->vector, .bits = bits, .part_bytes = bits == 8 ? 2 : in->lane_bytes,
                   .whole_bytes = in->vector * in->lane_bytes};
}

static void pack(hw_state *s, const hw_inst *in, const parts *p) {
    hw_shadow *shadow = s->frame->shadow;
    const hw_slot *from = s->warp.slots + in->list;
    hw_origin origin = 0;
    bool has = hw_undefined_has(shadow, in->d, p->whole_bytes);
    for (uint32_t k = 0; k < p->n; k++) has |= hw_undefined_has(shadow, from[k], p->part_bytes);
    if (!has) return;
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        uint8_t bytes[16] = {0};
        for (uint32_t k = 0; k < p->n; k++) {
            const uint64_t bits = hw_undefined_get(shadow, from[k], p->part_bytes, lane);
            memcpy(bytes + k * in->lane_bytes, &bits, in->lane_bytes);
            if (bits && !origin) origin = shadow->origins[from[k] / 4];
        }
        memcpy(shadow->bits + in->d + (size_t)lane * p->whole_bytes, bytes, p->whole_bytes);
    }
    hw_undefined_settle_slot(s, in->d, p->whole_bytes, origin);
}

static void unpack(hw_state *s, const hw_inst *in, const parts *p) {
    hw_shadow *shadow = s->frame->shadow;
    const hw_slot *to = s->warp.slots + in->list;
    const bool has = hw_undefined_has(shadow, in->a, p->whole_bytes);
    const hw_origin origin = has ? shadow->origins[in->a / 4] : 0;
    uint8_t whole[32][16] = {{0}};
    for (uint32_t left = has ? s->warp.mask : 0; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        memcpy(whole[lane], shadow->bits + in->a + (size_t)lane * p->whole_bytes, p->whole_bytes);
    }
    for (uint32_t k = 0; k < p->n; k++) {
        if (to[k] == HW_NO_SLOT) continue;
        for (uint32_t left = s->warp.mask; left; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            uint64_t bits = 0;
            memcpy(&bits, whole[lane] + k * in->lane_bytes, in->lane_bytes);
            hw_undefined_put(shadow, to[k], p->part_bytes, lane, bits);
        }
        hw_undefined_settle_slot(s, to[k], p->part_bytes, origin);
    }
}

// Products of matrices count as defined: most programs multiply tiles whose ends nobody has written, and use no more
// of the result than they should.
static void define_product(hw_state *s, const hw_inst *in, uint32_t result_bits) {
    const uint32_t m = (uint8_t)in->imm, n = (uint8_t)(in->imm >> 8), word_bits = result_bits == 64 ? 64 : 32;
    const hw_slot *to = s->warp.slots + in->list;
    for (uint32_t k = 0; k < m * n * result_bits / (32 * word_bits); k++)
        hw_undefined_clear(s, to[k], word_bits / 8, s->warp.mask);
}

// ---- predicates -----------------------------------------------------------------------------------------------------

static uint32_t shadow_mask(const hw_state *s, hw_slot slot) {
    uint32_t mask = 0;
    if (is_of_frame(slot)) memcpy(&mask, s->frame->shadow->bits + slot, sizeof mask);
    return mask;
}

static void put_mask(hw_state *s, hw_slot slot, uint32_t mask, hw_origin origin) {
    const uint32_t old = shadow_mask(s, slot), new = (old & ~s->warp.mask) | (mask & s->warp.mask);
    memcpy(s->frame->shadow->bits + slot, &new, sizeof new);
    hw_undefined_settle_slot(s, slot, PREDICATE, new ? origin : 0);
}

static void compute_predicate(hw_state *s, const hw_inst *in, const hw_undefined_facts *f) {
    const uint32_t undefined_a = shadow_mask(s, in->a), undefined_b = shadow_mask(s, in->b);
    const uint32_t a = hw_pred(&s->warp, in->a), b = in->b == HW_NO_SLOT ? 0 : hw_pred(&s->warp, in->b);
    uint32_t all = undefined_a | undefined_b;
    if (f->rule == HW_RULE_PREDICATE_AND)
        all = (undefined_a & undefined_b) | (undefined_a & b) | (undefined_b & a);
    if (f->rule == HW_RULE_PREDICATE_OR)
        all = (undefined_a & undefined_b) | (undefined_a & ~b) | (undefined_b & ~a);
    if (f->rule == HW_RULE_PREDICATE_XOR && in->a == in->b) all = 0;
    put_mask(s, in->d, all, sources_of(s, in, f).origin);
}

// ---- other lanes' values --------------------------------------------------------------------------------------------

// Does a lane decide the vote alone: one that is for `any`, or against `all`?
static bool is_decided(const hw_state *s, const hw_inst *in, const hw_undefined_facts *f, uint32_t undefined) {
    const uint32_t p = hw_pred(&s->warp, in->p) ^ (in->flags & HW_INST_NEGATE_P ? ~0u : 0);
    const uint32_t defined = s->warp.mask & ~undefined;
    return (f->votes_any && p & defined) || (f->votes_all && ~p & defined);
}

// A vote of which some part is undefined; the ballot's bits are those of the lanes.
static void compute_vote(hw_state *s, const hw_inst *in, const hw_undefined_facts *f) {
    hw_shadow *shadow = s->frame->shadow;
    hw_origin origin = 0;
    const uint32_t lanes = hw_undefined_lanes_of(s, in->p, PREDICATE, &origin);
    const uint64_t bits = f->rule == HW_RULE_BALLOT ? lanes : lanes && !is_decided(s, in, f, lanes);
    if (in->d == HW_NO_SLOT) return;
    for (uint32_t left = s->warp.mask; left; left &= left - 1)
        hw_undefined_put(shadow, in->d, f->d, __builtin_ctz(left), bits);
    hw_undefined_settle_slot(s, in->d, f->d, origin | HW_ORIGIN_COUNTS);
}

// What depends on all lanes' values.
static void compute_gathered(hw_state *s, const hw_inst *in, const hw_undefined_facts *f) {
    hw_shadow *shadow = s->frame->shadow;
    hw_origin origin = 0;
    const bool any = hw_undefined_lanes_of(s, in->a, f->a, &origin) != 0;
    for (uint32_t left = any ? s->warp.mask : 0; left; left &= left - 1) {
        hw_undefined_put(shadow, in->d, f->d, __builtin_ctz(left), ~(uint64_t)0);
        if (in->e != HW_NO_SLOT) hw_undefined_put(shadow, in->e, PREDICATE, __builtin_ctz(left), 1);
    }
    if (!any) define_results(s, in, f);
    else hw_undefined_settle_slot(s, in->d, f->d, origin | HW_ORIGIN_COUNTS);
    if (any && in->e != HW_NO_SLOT) hw_undefined_settle_slot(s, in->e, PREDICATE, origin | HW_ORIGIN_COUNTS);
}

// Runs the instruction on a register that says of each lane which one it is, to find out whose value it gets.
static void find_sources(hw_state *s, const hw_inst *in, const hw_undefined_facts *f, uint32_t from[32]) {
    enum { NUMBERS, RESULTS, OPERANDS, SLOT_BYTES = 128 };
    _Alignas(64) uint32_t room[OPERANDS + 3][32] = {{0}};
    hw_inst probe = *in;
    char *const frame = s->warp.base[HW_BASE_FRAME];
    hw_slot *const slots[] = {&probe.b, &probe.c, &probe.p};
    for (uint32_t i = 0; i < 32; i++) room[NUMBERS][i] = i + 1;
    // Operands in other areas stay where they are; those of the frame are copied behind the two.
    for (unsigned k = 0; k < 3; k++) {
        if (!is_of_frame(*slots[k])) continue;
        memcpy(room[OPERANDS + k], hw_at(&s->warp, *slots[k]), SLOT_BYTES);
        *slots[k] = (OPERANDS + k) * SLOT_BYTES;
    }
    probe.a = NUMBERS * SLOT_BYTES;
    probe.d = RESULTS * SLOT_BYTES;
    probe.e = HW_NO_SLOT;
    hw_set_base(&s->warp, HW_BASE_FRAME, (char *)room);
    f->body(&s->warp, &probe);
    s->warp.base[HW_BASE_FRAME] = frame;
    memcpy(from, room[RESULTS], SLOT_BYTES);
}

// shfl: the source lane's bits. From a lane that takes no part comes 0.
static void shuffle(hw_state *s, const hw_inst *in, const hw_undefined_facts *f) {
    hw_shadow *shadow = s->frame->shadow;
    uint32_t from[32], moved[32] = {0};
    hw_origin origin = 0;
    const uint32_t undefined_b = hw_undefined_lanes_of(s, in->b, 4, &origin) |
                                 hw_undefined_lanes_of(s, in->c, 4, &origin);
    if (!hw_undefined_has(shadow, in->a, 4) && !undefined_b) {
        define_results(s, in, f);
        return;
    }
    if (is_of_frame(in->a) && hw_undefined_has(shadow, in->a, 4) && !origin) origin = shadow->origins[in->a / 4];
    find_sources(s, in, f, from);
    for (int i = 0; i < 32; i++) {
        if (from[i]) moved[i] = (uint32_t)hw_undefined_get(shadow, in->a, 4, (int)from[i] - 1);
        if (undefined_b >> i & 1) moved[i] = ~0u;
    }
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (in->d != HW_NO_SLOT) hw_undefined_put(shadow, in->d, 4, lane, moved[lane]);
        if (in->e != HW_NO_SLOT) hw_undefined_put(shadow, in->e, PREDICATE, lane, undefined_b >> lane & 1);
    }
    if (in->d != HW_NO_SLOT) hw_undefined_settle_slot(s, in->d, 4, origin);
    if (in->e != HW_NO_SLOT) hw_undefined_settle_slot(s, in->e, PREDICATE, origin);
}

// ---- all ------------------------------------------------------------------------------------------------------------

void hw_undefined_lanes(hw_state *s, const hw_inst *in, const hw_undefined_facts *f) {
    if (f->rule < HW_RULE_VALUES) {
        compute(s, in, f);
        return;
    }
    const parts p = parts_of(in);
    switch ((hw_undefined_rule)f->rule) {
    case HW_RULE_CARRY: compute_with_carry(s, in, f); break;
    case HW_RULE_PACK: pack(s, in, &p); break;
    case HW_RULE_UNPACK: unpack(s, in, &p); break;
    case HW_RULE_PREDICATE_MOVE: case HW_RULE_PREDICATE_AND: case HW_RULE_PREDICATE_OR: case HW_RULE_PREDICATE_XOR:
        compute_predicate(s, in, f);
        break;
    case HW_RULE_SHUFFLE: shuffle(s, in, f); break;
    case HW_RULE_VOTE: case HW_RULE_BALLOT: compute_vote(s, in, f); break;
    case HW_RULE_GATHER: compute_gathered(s, in, f); break;
    case HW_RULE_MMA: define_product(s, in, 8u * f->d); break;
    default: define_results(s, in, f);
    }
}
