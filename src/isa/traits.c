// The attributes of opcodes, from the rows of ops.def, and what an instruction's modifiers change of them.
#include "isa/rates.h"
#include "isa/undefined.h"

// The words of ops.def's attributes.
#define EMIT(emitter_) .emitter = HW_EMIT_##emitter_
#define SHAPE(operands) .shape = operands
#define SHAPES(operands, other) .shape = operands, .other_shape = other
#define TYPE(spelling_) .spelling = HW_SPELL_##spelling_
#define ISSUE(pipe_, n, n_float) .pipe = HW_RATE_##pipe_, .count = n, .float_count = n_float
#define ISSUES_ONLY .pipe = HW_RATE_ISSUE, .count = 1
#define KIND(note) .kind = HW_NOTE_##note
#define GLOBAL HW_IN(HW_SPACE_GLOBAL)
#define SHARED HW_IN(HW_SPACE_SHARED)
#define ITS_SPACE HW_IN_ITS_SPACE
#define ANY_SPACE HW_IN_ANY
#define READS(spaces) .reads = spaces
#define WRITES(spaces) .writes = spaces
#define IS_ATOMIC .is_atomic = true
#define MERGES .is_merged = true
#define IS_FENCE .is_fence = true
#define ORDERS(scope_) .scope = HW_SCOPE_##scope_
#define SAYS(order_, scope_) .says_order = HW_ORDER_##order_, .says_scope = HW_SCOPE_##scope_
#define GATHERS(lanes) .gathers = HW_GATHER_##lanes
#define MAY_WAIT .may_wait = true
#define FLOW(where) .flow = HW_FLOW_##where
#define UNMASKABLE .is_unmaskable = true
#define NO_DESTINATION .has_no_destination = true
#define READS_CARRY .reads_carry = true
#define COMPARES .compares = true
#define NEAREST .rounds_to_nearest = true
#define UNDEFINED(rule) .undefined = HW_RULE_##rule
#define FTZ_OF_SOURCE .has_ftz_of_source = true

static const hw_traits traits[HW_OP_COUNT] = {
#define HW_OP(id, name, operands, types, mods, section, ...) [HW_OP_##id] = {__VA_ARGS__},
#include "isa/ops.def"
#undef HW_OP
};

const hw_traits *hw_op_traits(hw_op op) { return &traits[(unsigned)op < HW_OP_COUNT ? op : HW_OP_NONE]; }

// ---- what modifiers change ------------------------------------------------------------------------------------------

// A copy of the instruction: only its modifiers ca and cg say that cp.async moves data.
static bool moves_nothing(hw_op op, const hw_mods *mods) {
    return op == HW_OP_CP_ASYNC && !hw_has_mod(mods, HW_M_CA) && !hw_has_mod(mods, HW_M_CG);
}

static uint8_t spaces_of(uint8_t spaces, hw_space space) {
    if (spaces != HW_IN_ITS_SPACE) return spaces;
    return space == HW_SPACE_GENERIC ? HW_IN_GENERIC : (uint8_t)HW_IN(space);
}

// Modifiers, and what each means.
typedef struct meaning {
    uint8_t mod, means;
} meaning;
static const meaning scopes[] = {{HW_M_CTA, HW_SCOPE_CTA}, {HW_M_CLUSTER, HW_SCOPE_CLUSTER}, {HW_M_GPU, HW_SCOPE_GPU},
                                 {HW_M_GL, HW_SCOPE_GPU}, {HW_M_SYS, HW_SCOPE_SYS}, {HW_M_WARP, HW_SCOPE_WARP}};
static const meaning orders[] = {{HW_M_VOLATILE, HW_ORDER_VOLATILE}, {HW_M_MMIO, HW_ORDER_MMIO},
                                 {HW_M_RELAXED, HW_ORDER_RELAXED}, {HW_M_ACQUIRE, HW_ORDER_ACQUIRE},
                                 {HW_M_RELEASE, HW_ORDER_RELEASE}, {HW_M_ACQ_REL, HW_ORDER_ACQ_REL},
                                 {HW_M_SC, HW_ORDER_SC}};
static const meaning atomics[] = {{HW_M_AND, HW_ATOMIC_AND}, {HW_M_OR, HW_ATOMIC_OR}, {HW_M_XOR, HW_ATOMIC_XOR},
                                  {HW_M_ADD, HW_ATOMIC_ADD}, {HW_M_INC, HW_ATOMIC_INC}, {HW_M_DEC, HW_ATOMIC_DEC},
                                  {HW_M_MIN, HW_ATOMIC_MIN}, {HW_M_MAX, HW_ATOMIC_MAX}, {HW_M_EXCH, HW_ATOMIC_EXCH},
                                  {HW_M_CAS, HW_ATOMIC_CAS}};

static uint8_t find_meaning(const hw_mods *mods, const meaning *words, unsigned n, uint8_t otherwise) {
    for (unsigned k = 0; k < n; k++)
        if (hw_has_mod(mods, (hw_mod)words[k].mod)) return words[k].means;
    return otherwise;
}
#define MEANING(mods, words, otherwise) find_meaning(mods, words, sizeof(words) / sizeof *(words), otherwise)

static uint8_t scope_of(const hw_traits *t, const hw_mods *mods) {
    bool synchronizes = hw_has_mod(mods, HW_M_ACQUIRE) || hw_has_mod(mods, HW_M_RELEASE) ||
                        hw_has_mod(mods, HW_M_ACQ_REL) || hw_has_mod(mods, HW_M_SC);
    if (hw_has_mod(mods, HW_M_RELAXED) || (!t->scope && !synchronizes)) return HW_SCOPE_NONE;
    // atom and red that name none: PTX ISA 9.0 section 9.7.13.5
    return MEANING(mods, scopes, t->scope ? t->scope : HW_SCOPE_GPU);
}

hw_order_words hw_inst_order(hw_op op, const hw_mods *mods) {
    const hw_traits *t = hw_op_traits(op);
    hw_order_words w = {.order = t->says_order, .scope = t->says_scope};
    bool is_barrier = t->emitter == HW_EMIT_BARRIER;
    if (is_barrier && hw_has_mod(mods, HW_M_ARRIVE)) w.order = HW_ORDER_RELEASE;
    if (is_barrier && hw_has_mod(mods, HW_M_WAIT)) w.order = HW_ORDER_ACQUIRE;
    w.order = MEANING(mods, orders, w.order);
    if (w.order == HW_ORDER_VOLATILE || w.order == HW_ORDER_MMIO) w.scope = HW_SCOPE_SYS;
    w.scope = MEANING(mods, scopes, w.scope);
    if (t->emitter == HW_EMIT_ATOMIC) w.atomic = MEANING(mods, atomics, HW_ATOMIC_NONE);
    if (t->is_fence && hw_has_mod(mods, HW_M_PROXY))
        w.proxy = hw_has_mod(mods, HW_M_ASYNC) ? HW_PROXY_ASYNC : HW_PROXY_ALIAS;
    return w;
}

static uint8_t kind_of(hw_op op, const hw_traits *t, const hw_mods *mods, hw_space space, bool is_guarded) {
    switch ((hw_note_kind)t->kind) {
    case HW_NOTE_LOAD: case HW_NOTE_STORE:    // parameters are operands of other instructions, no accesses
        return space == HW_SPACE_PARAM ? HW_NOTE_PLAIN : t->kind;
    case HW_NOTE_COPY:
        if (moves_nothing(op, mods)) return HW_NOTE_PLAIN;
        return hw_has_mod(mods, HW_M_CG) ? HW_NOTE_COPY_BYPASS : HW_NOTE_COPY;
    case HW_NOTE_BARRIER: return hw_has_mod(mods, HW_M_WARP) ? HW_NOTE_PLAIN : HW_NOTE_BARRIER;
    case HW_NOTE_BRANCH: return t->flow == HW_FLOW_LABEL && !is_guarded ? HW_NOTE_PLAIN : HW_NOTE_BRANCH;
    default: return t->kind;
    }
}

// Of which spaces accesses are not merged across the instruction, as ptxas 13.0 does not (tests/unit/lower/test_merge.c
// has its output). Accesses themselves, atomic and acquiring ones too, keep apart only what they write, for stores also
// what they read; a release makes stores before it visible. All others that order memory or wait keep apart everything,
// except that cp.async.commit_group says something of writes only.
static void part_accesses(hw_op op, const hw_mods *mods, hw_effects *e) {
    uint8_t emitter = hw_op_traits(op)->emitter;
    bool is_access = emitter == HW_EMIT_LOAD_STORE || emitter == HW_EMIT_ATOMIC;
    bool releases = hw_has_mod(mods, HW_M_RELEASE) || hw_has_mod(mods, HW_M_ACQ_REL) || hw_has_mod(mods, HW_M_SC);
    bool orders = !is_access && (e->scope != HW_SCOPE_NONE || e->may_wait || emitter == HW_EMIT_BARRIER);
    bool commits = op == HW_OP_CP_ASYNC && hw_has_mod(mods, HW_M_COMMIT_GROUP);
    e->parts_loads = orders && !commits ? HW_IN_ANY : e->writes;
    e->parts_stores = orders || (e->writes && releases) ? HW_IN_ANY : e->reads | e->writes;
}

bool hw_inst_calls(hw_op op, const hw_mods *mods, hw_type type) {
    const bool divides = op == HW_OP_DIV || op == HW_OP_REM;
    if (hw_type_kind_of(type) != HW_KIND_F) return divides && hw_type_bits(type) == 64;
    if (!divides && op != HW_OP_RCP && op != HW_OP_SQRT) return false;
    return !hw_has_mod(mods, HW_M_APPROX) && !hw_has_mod(mods, HW_M_FULL);
}

hw_effects hw_inst_effects(hw_op op, const hw_mods *mods, hw_space space, bool is_guarded) {
    const hw_traits *t = hw_op_traits(op);
    hw_effects e = {.reads = spaces_of(t->reads, space), .writes = spaces_of(t->writes, space),
                    .scope = scope_of(t, mods), .gathers = t->gathers, .kind = kind_of(op, t, mods, space, is_guarded),
                    .is_atomic = t->is_atomic, .is_fence = t->is_fence, .may_wait = t->may_wait};
    if (moves_nothing(op, mods)) e.reads = e.writes = 0;
    if (hw_has_mod(mods, HW_M_WARP)) e.gathers = HW_GATHER_MEMBERS;            // bar.warp.sync
    if (hw_has_mod(mods, HW_M_ARRIVE) || hw_has_mod(mods, HW_M_LAUNCH_DEPENDENTS)) e.may_wait = false;
    if (hw_has_mod(mods, HW_M_LAUNCH_DEPENDENTS)) e.scope = HW_SCOPE_NONE;
    if (e.reads | e.writes)
        e.is_strong = e.is_atomic || hw_has_mod(mods, HW_M_VOLATILE) || hw_has_mod(mods, HW_M_RELAXED) ||
                      hw_has_mod(mods, HW_M_ACQUIRE) || hw_has_mod(mods, HW_M_RELEASE);
    part_accesses(op, mods, &e);
    return e;
}
