// The order, scope, proxy and atomic operation that an instruction's PTX says, for who watches its execution; and which
// instructions access memory.
// PTX ISA, "Memory Consistency Model", and the sections of ld, st, atom, red, membar, fence and mbarrier.
#include "isa/order.h"
#include "lower/lowering.h"

typedef struct word {
    uint8_t mod, means;      // hw_mod
} word;

static uint8_t find_word(const hw_mods *mods, const word *words, unsigned n, uint8_t otherwise) {
    for (unsigned k = 0; k < n; k++)
        if (hw_has_mod(mods, (hw_mod)words[k].mod)) return words[k].means;
    return otherwise;
}
#define FIND(mods, words, otherwise) find_word(mods, words, sizeof(words) / sizeof *(words), otherwise)

static const word orders[] = {{HW_M_VOLATILE, HW_ORDER_VOLATILE}, {HW_M_MMIO, HW_ORDER_MMIO},
                              {HW_M_RELAXED, HW_ORDER_RELAXED}, {HW_M_ACQUIRE, HW_ORDER_ACQUIRE},
                              {HW_M_RELEASE, HW_ORDER_RELEASE}, {HW_M_ACQ_REL, HW_ORDER_ACQ_REL},
                              {HW_M_SC, HW_ORDER_SC}};
static const word scopes[] = {{HW_M_CTA, HW_SCOPE_CTA}, {HW_M_CLUSTER, HW_SCOPE_CLUSTER}, {HW_M_GPU, HW_SCOPE_GPU},
                              {HW_M_GL, HW_SCOPE_GPU}, {HW_M_SYS, HW_SCOPE_SYS}};
static const word atomics[] = {{HW_M_AND, HW_ATOMIC_AND}, {HW_M_OR, HW_ATOMIC_OR}, {HW_M_XOR, HW_ATOMIC_XOR},
                               {HW_M_ADD, HW_ATOMIC_ADD}, {HW_M_INC, HW_ATOMIC_INC}, {HW_M_DEC, HW_ATOMIC_DEC},
                               {HW_M_MIN, HW_ATOMIC_MIN}, {HW_M_MAX, HW_ATOMIC_MAX}, {HW_M_EXCH, HW_ATOMIC_EXCH},
                               {HW_M_CAS, HW_ATOMIC_CAS}};

// What holds where the instruction names neither order nor scope.
static void write_defaults(const hw_ptx_inst *inst, hw_order *order, hw_scope *scope) {
    *order = HW_ORDER_WEAK;
    *scope = HW_SCOPE_NONE;
    switch (inst->op) {
    case HW_OP_ATOM: case HW_OP_RED: *order = HW_ORDER_RELAXED, *scope = HW_SCOPE_GPU; break;
    case HW_OP_MEMBAR: *order = HW_ORDER_SC; break;            // membar is fence.sc of the same scope
    case HW_OP_FENCE: *order = HW_ORDER_ACQ_REL; break;        // also of fence.proxy
    case HW_OP_MBARRIER_ARRIVE: case HW_OP_MBARRIER_ARRIVE_DROP:
        *order = HW_ORDER_RELEASE, *scope = HW_SCOPE_CTA;
        break;
    case HW_OP_MBARRIER_TEST_WAIT: case HW_OP_MBARRIER_TRY_WAIT:
        *order = HW_ORDER_ACQUIRE, *scope = HW_SCOPE_CTA;
        break;
    case HW_OP_MBARRIER_EXPECT_TX: case HW_OP_MBARRIER_COMPLETE_TX:
        *order = HW_ORDER_RELAXED, *scope = HW_SCOPE_CTA;
        break;
    default: break;
    }
}

void hw_order_write(const hw_ptx_inst *inst, hw_note *note) {
    const hw_mods *mods = &inst->mods;
    hw_order order;
    hw_scope scope;
    write_defaults(inst, &order, &scope);
    note->order = FIND(mods, orders, (uint8_t)order);
    if (note->order == HW_ORDER_VOLATILE || note->order == HW_ORDER_MMIO) scope = HW_SCOPE_SYS;
    note->scope = FIND(mods, scopes, (uint8_t)scope);
    if (inst->op == HW_OP_ATOM || inst->op == HW_OP_RED) note->atomic = FIND(mods, atomics, HW_ATOMIC_NONE);
    bool is_fence = inst->op == HW_OP_FENCE || inst->op == HW_OP_MEMBAR;
    if (is_fence && hw_has_mod(mods, HW_M_PROXY))
        note->proxy = hw_has_mod(mods, HW_M_ASYNC) ? HW_PROXY_ASYNC : HW_PROXY_ALIAS;
}

static bool is_access(hw_note_kind kind) {
    return kind != HW_NOTE_PLAIN && kind != HW_NOTE_BRANCH && kind != HW_NOTE_BARRIER;
}

void hw_order_number(hw_program_set *set) {
    for (uint32_t i = 0; i < set->n_notes; i++)
        if (is_access((hw_note_kind)set->notes[i].kind)) set->notes[i].access = set->n_accesses++;
}
