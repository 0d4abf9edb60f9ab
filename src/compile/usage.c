// Registers read and written, and liveness by basic block. Each lane follows one way through the flow graph, whatever
// the others of its warp do, so that liveness is what it is for a scalar program.
#include "compile/usage.h"

#include <stdlib.h>
#include <string.h>

#include "compile/forms.h"

struct hw_liveness {
    const hw_program *program;
    bool *is_leader;          // by instruction
    uint32_t words;           // of a set: one bit for each 4 bytes of the frame
    uint64_t *before;         // by instruction that is a leader: index[i] * words
    uint32_t *index;          // of leaders among leaders
};

// ---- one instruction ----

static void read_slot(hw_usage *u, hw_slot slot, uint32_t bytes) {
    if (slot == HW_NO_SLOT || u->n_reads == HW_USAGE_MOST) return;
    u->read_bytes[u->n_reads] = (uint8_t)bytes;
    u->reads[u->n_reads++] = slot;
}

static void write_slot(hw_usage *u, hw_slot slot, uint32_t bytes) {
    if (slot == HW_NO_SLOT || u->n_writes == HW_USAGE_MOST) return;
    u->write_bytes[u->n_writes] = (uint8_t)bytes;
    u->writes[u->n_writes++] = slot;
}

// Of a form's type: "f64", "s8"; C's own names of floats; "int", a predicate.
static uint32_t bytes_of(const char *type) {
    if (!strcmp(type, "int")) return 0;
    if (!strcmp(type, "float")) return 4;
    return !strcmp(type, "double") ? 8 : (uint32_t)atoi(type + 1) / 8;
}

static uint32_t address_bytes(const hw_inst *in) { return in->flags & HW_INST_ADDRESS_32 ? 4 : 8; }

// Registers of a vector, or the one that is not a vector.
static void use_registers(hw_usage *u, const hw_program *program, const hw_inst *in, hw_slot single, bool is_write) {
    for (uint32_t k = 0; k < in->vector; k++) {
        hw_slot slot = in->vector > 1 ? program->slots[in->list + k] : single;
        if (is_write) write_slot(u, slot, in->reg_bytes);
        else read_slot(u, slot, in->reg_bytes);
    }
}

static void use_parts(hw_usage *u, const hw_program *program, const hw_inst *in, const hw_form *form) {
    const bool packs = form->kind == HW_FORM_PACK;
    for (uint32_t k = 0; k < in->vector; k++) {
        const hw_slot part = program->slots[in->list + k];
        if (packs) read_slot(u, part, bytes_of(form->sources[0]));
        else write_slot(u, part, bytes_of(form->sources[0]));
    }
    if (packs) write_slot(u, in->d, bytes_of(form->result));
    else read_slot(u, in->a, bytes_of(form->result));
}

static void use_form(hw_usage *u, const hw_program *program, const hw_inst *in, const hw_form *form) {
    if (form->kind == HW_FORM_PACK || form->kind == HW_FORM_UNPACK) {
        use_parts(u, program, in, form);
        return;
    }
    const hw_slot operands[] = {in->a, in->b, in->c};
    const bool is_of_predicates = form->kind == HW_FORM_PREDICATE || form->kind == HW_FORM_TEST;
    const uint32_t bytes = is_of_predicates ? 0 : form->kind == HW_FORM_LOP3 ? 4 : bytes_of(form->result);
    for (unsigned k = 0; k < 3; k++) {
        const bool has_type = form->kind == HW_FORM_VALUE || form->kind == HW_FORM_TEST;
        if (has_type && form->sources[k]) read_slot(u, operands[k], bytes_of(form->sources[k]));
        else read_slot(u, operands[k], has_type ? HW_USAGE_BYTES_UNKNOWN : bytes);
    }
    read_slot(u, in->p, 0);
    write_slot(u, in->d, bytes);
    if (form->kind == HW_FORM_TEST) write_slot(u, in->e, 0);
    else read_slot(u, in->fourth, form->sources[3] ? bytes_of(form->sources[3]) : HW_USAGE_BYTES_UNKNOWN);
}

// Reads of all operands are taken for granted; a write for none, so that nothing is thought dead that is not.
static void use_other(hw_usage *u, const hw_inst *in, hw_body_id id) {
    uint8_t group = hw_body_info_of(id)->group;
    bool has_list = hw_body_info_of(id)->uses & HW_USES_LIST || group == HW_BODIES_matrix || group == HW_BODIES_mma ||
                    group == HW_BODIES_texture || in->vector > 1;
    u->is_known = !has_list;
    const hw_slot operands[] = {in->a, in->b, in->c, in->fourth};
    for (unsigned k = 0; k < sizeof operands / sizeof *operands; k++)
        read_slot(u, operands[k], HW_USAGE_BYTES_UNKNOWN);
    read_slot(u, in->p, id == HW_BODY_BRA_P || id == HW_BODY_GUARD ? 0 : HW_USAGE_BYTES_UNKNOWN);
    if (id == HW_BODY_SREG) write_slot(u, in->d, HW_USAGE_BYTES_UNKNOWN);
}

void hw_usage_of(const hw_program *program, uint32_t index, hw_usage *u) {
    const hw_inst *in = &program->insts[index];
    hw_body_id id = program->bodies[index];
    const hw_form *form = hw_form_of(id);
    *u = (hw_usage){.is_known = true};
    switch (id) {
    case HW_BODY_LD: case HW_BODY_LD_PARAM:
        read_slot(u, in->a, address_bytes(in));
        use_registers(u, program, in, in->d, true);
        return;
    case HW_BODY_ST: case HW_BODY_ST_PARAM:
        read_slot(u, in->a, address_bytes(in));
        use_registers(u, program, in, in->b, false);
        return;
    default:
        if (form->kind != HW_FORM_NONE) use_form(u, program, in, form);
        else use_other(u, in, id);
    }
}

uint32_t hw_usage_next(const hw_program *program, uint32_t index, uint32_t *next, uint32_t most) {
    const hw_inst *in = &program->insts[index];
    uint32_t n = 0;
    switch (program->bodies[index]) {
    case HW_BODY_EXIT: case HW_BODY_RET: case HW_BODY_TRAP: case HW_BODY_BRKPT: return 0;
    case HW_BODY_BRA:
        next[n++] = in->target;
        return n;
    case HW_BODY_BRX:
        while (n < most && n < (uint64_t)in->imm) next[n] = program->targets[in->targets + n], n++;
        return n;
    case HW_BODY_BRA_P: case HW_BODY_GUARD: next[n++] = in->target; break;
    default: break;
    }
    if (index + 1 < program->n_insts) next[n++] = index + 1;
    return n;
}

// ---- liveness ----

static bool is_frame(const hw_liveness *live, hw_slot slot) {
    return (slot & 3) == HW_BASE_FRAME && slot / 4 < live->words * 64;
}

static void step_back(const hw_liveness *live, uint32_t index, uint64_t *set) {
    hw_usage u;
    hw_usage_of(live->program, index, &u);
    if (!u.is_known) memset(set, 0xff, live->words * sizeof *set);
    for (uint32_t k = 0; k < u.n_writes; k++)
        if (is_frame(live, u.writes[k])) set[u.writes[k] / 256] &= ~(1ull << u.writes[k] / 4 % 64);
    for (uint32_t k = 0; k < u.n_reads; k++)
        if (is_frame(live, u.reads[k])) set[u.reads[k] / 256] |= 1ull << u.reads[k] / 4 % 64;
}

static bool ends_block(const hw_liveness *live, uint32_t index) {
    if (index + 1 >= live->program->n_insts || live->is_leader[index + 1]) return true;
    uint32_t next[2];
    return hw_usage_next(live->program, index, next, 1) != 1 || next[0] != index + 1;
}

enum { MOST_TARGETS = 1024 };

// What is live behind instruction `index`, the last of its block.
static void join_next(const hw_liveness *live, uint32_t index, uint64_t *set) {
    uint32_t next[MOST_TARGETS + 2], n = hw_usage_next(live->program, index, next, MOST_TARGETS);
    memset(set, n == MOST_TARGETS ? 0xff : 0, live->words * sizeof *set);
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t *before = live->before + (size_t)live->index[next[k]] * live->words;
        for (uint32_t w = 0; w < live->words; w++) set[w] |= before[w];
    }
}

static void find_before(const hw_liveness *live, uint32_t index, uint64_t *set) {
    uint32_t last = index;
    while (!ends_block(live, last)) last++;
    join_next(live, last, set);
    for (uint32_t i = last + 1; i-- > index;) step_back(live, i, set);
}

static uint32_t mark_leaders(hw_liveness *live) {
    const hw_program *program = live->program;
    uint32_t n = 0, next[MOST_TARGETS + 2];
    live->is_leader[0] = true;
    for (uint32_t i = 0; i < program->n_insts; i++) {
        uint32_t count = hw_usage_next(program, i, next, MOST_TARGETS);
        bool is_straight = count == 1 && next[0] == i + 1;
        if (is_straight) continue;
        for (uint32_t k = 0; k < count; k++) live->is_leader[next[k]] = true;
        if (i + 1 < program->n_insts) live->is_leader[i + 1] = true;
    }
    for (uint32_t i = 0; i < program->n_insts; i++)
        if (live->is_leader[i]) live->index[i] = n++;
    return n;
}

hw_liveness *hw_liveness_find(const hw_program *program, hw_arena *arena) {
    hw_liveness *live = hw_arena_take(arena, sizeof *live);
    if (!live) return NULL;
    live->program = program;
    live->words = program->frame_bytes / 256 + 1;
    live->is_leader = hw_arena_take(arena, program->n_insts + 1);
    live->index = hw_arena_take(arena, (program->n_insts + 1) * sizeof *live->index);
    uint64_t *set = hw_arena_take(arena, live->words * sizeof *set);
    if (!live->is_leader || !live->index || !set || !program->n_insts) return NULL;
    uint32_t n = mark_leaders(live);
    live->before = hw_arena_take(arena, (size_t)n * live->words * sizeof *live->before);
    if (!live->before) return NULL;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t i = program->n_insts; i-- > 0;) {
            if (!live->is_leader[i]) continue;
            uint64_t *before = live->before + (size_t)live->index[i] * live->words;
            find_before(live, i, set);
            if (!memcmp(before, set, live->words * sizeof *set)) continue;
            memcpy(before, set, live->words * sizeof *set);
            has_changed = true;
        }
    }
    return live;
}

void hw_liveness_before(const hw_liveness *live, uint32_t index, uint8_t *is_live) {
    uint64_t set[live->words];
    find_before(live, index, set);
    for (uint32_t k = 0; k < live->words * 64; k++) is_live[k] = set[k / 64] >> k % 64 & 1;
}
