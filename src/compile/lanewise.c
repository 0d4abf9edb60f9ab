// Loops that a region's lanes go through one after the other, each for some steps, in place of all lanes side by side.
// Where lanes lie apart an access is as many loads either way; a lane by itself keeps its registers in the processor's,
// has neither masks nor places of others, and lets the processor begin the next lane's loads before this one's are
// there. What the warp has done together, step by step, is told afterwards: which lanes took which branch, and where
// each access lay, have been put down.
//
//     static s64 lanewise_P_N(char *w, const run *r, ..., u32 m0) {
//         lane_room q0; ...                                   // of each access; all or nothing
//         for (u32 left = m0; left; left &= left - 1) {
//             u32 s64 = ..., j = 0;                           // registers
//             for (;;) { ... behind[j][0][lane] = f0; taken[j][0] |= bit & -t; if (++j == STEPS | !t) break; }
//             kept64[lane] = s64;
//         }
//         ... registers into memory
//         for (u32 j = 0; j < most; j++) { count_behind(...); store_behind(...); ended(...); m = taken[j][0]; }
//         return m;
//     }
//
// Until all lanes are done nothing has been written: what the loop stores, one value that is the same for all lanes,
// is kept back and written step by step, where no load of the loop reads. So a lane that leaves its room, or is not
// aligned, ends the attempt as if there had been none, and the steps are done side by side.
#include "compile/lanewise.h"

#include <string.h>

#include "compile/usage.h"
#include "exec/segment.h"

// How far a lane goes before the next one: places are 128 bytes of the stack for each access of a step, 6 KiB in all,
// so that they stay in the first-level cache beside what is loaded. Chosen, not measured, as the others are: loops with
// fewer values for an access are those for which it was (docs/performance.md).
enum { MOST_PLACES = 2 * HW_DRAFT_LANE_ACCESSES, MOST_STEPS = 16, MOST_BRANCHES = 8, VALUES_AN_ACCESS = 5 };

// From the loop's beginning to its latch.
typedef struct loop {
    const hw_program *program;
    const hw_region_item *items;
    uint32_t n_items, n_accesses, n_values, n_branches, n_stores, first_step;
    hw_region_register registers[HW_REGION_REGISTERS];
    uint32_t n_registers;
} loop;

// ---- which loops ----

static bool note_piece(loop *l, const hw_region_item *item) {
    if (!l->n_accesses) l->first_step = item->step;
    for (uint32_t i = item->index; i < item->index + item->count; i++) {
        const hw_inst *in = &l->program->insts[i];
        const hw_body_id id = l->program->bodies[i];
        if (!hw_body_is_access(id)) {
            l->n_values++;
            continue;
        }
        if (in->space == HW_SPACE_LOCAL || (id == HW_BODY_ST && !hw_slot_is_uniform(in->b))) return false;
        l->n_stores += id == HW_BODY_ST;
        l->n_accesses++;
    }
    return true;
}

static bool note_item(loop *l, const hw_region_item *item) {
    switch ((hw_region_item_kind)item->kind) {
    case HW_REGION_PIECE: return note_piece(l, item);
    case HW_REGION_IF: case HW_REGION_IF_ELSE: l->n_branches++; return true;
    case HW_REGION_ELSE: case HW_REGION_END: case HW_REGION_BLOCK: return true;
    default: return false;
    }
}

// With AVX2 a gather is as many loads. With AVX-512 it takes less than these and what they are made of.
static bool has_slow_gathers(void) { return hw_segment_level() && !strcmp(hw_segment_level(), "avx2"); }

// Values are quicker side by side, so a loop must have enough accesses.
static bool find_loop(const hw_program *program, const hw_region_item *items, uint32_t n, loop *l) {
    *l = (loop){.program = program, .items = items};
    uint32_t k = 1;
    if (!has_slow_gathers()) return false;
    while (k < n && items[k].kind != HW_REGION_LATCH)
        if (!note_item(l, &items[k++])) return false;
    if (k == n || program->bodies[items[k].index] != HW_BODY_BRA_P) return false;
    l->n_items = k + 1;
    l->n_branches++;
    const bool pays = l->n_accesses && l->n_values <= VALUES_AN_ACCESS * l->n_accesses;
    if (!pays || l->n_accesses > HW_DRAFT_LANE_ACCESSES || l->n_branches > MOST_BRANCHES) return false;
    return l->n_stores <= 1 &&
           hw_compile_note_registers(program, items[0].index, items[k].index + 1, l->registers, &l->n_registers);
}

bool hw_lanewise_has(const hw_program *program, const hw_region_item *items, uint32_t n, uint32_t *step) {
    loop l;
    const bool is_found = find_loop(program, items, n, &l);
    *step = l.first_step;
    return is_found;
}

// ---- a lane's steps ----

void hw_draft_lanewise_access(hw_draft *w, uint32_t index) {
    const hw_inst *in = &w->program->insts[index];
    FILE *to = w->parts[HW_DRAFT_LANE];
    const bool is_narrow = in->flags & HW_INST_ADDRESS_32;
    const uint32_t number = w->n_numbers++, step = w->step++;
    const uint32_t room = w->rooms[step];
    const char *type = hw_draft_bits_type(in->reg_bytes);
    char part[128], text[256];
    hw_draft_read(w, part, in->a, is_narrow ? "u32" : "u64", false);
    fprintf(to, "                const u64 f%u = (%s)(%s + %lluull) - q%u.begin;\n", number,
            is_narrow ? "u32" : "u64", part, (unsigned long long)in->imm, room);
    fprintf(to, "                if (f%u >= q%u.size) return LANES_PARTED;\n", number, room);
    if (in->width > 1) fprintf(to, "                if (f%u & %u) return LANES_PARTED;\n", number, in->width - 1u);
    fprintf(to, "                behind[j][%u][lane] = (u32)f%u;\n", step, number);
    if (w->program->bodies[index] == HW_BODY_ST) {
        hw_draft_read(w, w->stored, in->b, type, false);
        return;
    }
    snprintf(text, sizeof text, "(%s)*(const %s *)(q%u.host + f%u)", type, hw_draft_memory_type(in), room, number);
    hw_draft_assign(w, in->d, type, text, false);
}

// What is the same for all lanes goes to `head`.
static bool put_piece(FILE *head, FILE *to, hw_draft *w, const loop *l, const hw_region_item *item,
                      const hw_liveness *live) {
    const hw_segment piece = {.first = item->index, .count = item->count};
    hw_liveness_before(live, item->index + item->count, w->is_live);
    w->is_lanewise = true;
    w->step = item->step - l->first_step;
    const bool is_whole = hw_draft_translate(w, &piece);
    if (is_whole) {
        fputs(w->common[HW_DRAFT_LAUNCH].text, head);
        fprintf(to, "            {\n%s            }\n", w->stages[0][HW_DRAFT_LANE - HW_DRAFT_HALF].text);
    }
    w->is_lanewise = false;
    hw_draft_forget(w);
    return is_whole;
}

static void put_taken(FILE *to, const hw_inst *in, uint32_t branch) {
    const char *negated = in->flags & HW_INST_NEGATE_P ? " ^ 1" : "";
    if (hw_slot_is_uniform(in->p))
        fprintf(to, "            const u32 t = (PREDICATE(%u, %u) >> lane & 1)%s;\n", in->p & 3, in->p, negated);
    else
        fprintf(to, "            const u32 t = (u32)s%u%s;\n", in->p, negated);
    fprintf(to, "            taken[j][%u] |= bit & -t;\n", branch);
}

static bool put_steps(FILE *head, FILE *to, hw_draft *w, const loop *l, const hw_liveness *live) {
    uint32_t branch = 0;
    for (uint32_t k = 1; k < l->n_items; k++) {
        const hw_region_item *item = &l->items[k];
        const hw_inst *in = &l->program->insts[item->index];
        switch ((hw_region_item_kind)item->kind) {
        case HW_REGION_PIECE:
            if (!put_piece(head, to, w, l, item, live)) return false;
            break;
        case HW_REGION_IF: case HW_REGION_IF_ELSE:
            fprintf(to, "            {\n");
            put_taken(to, in, branch++);
            fprintf(to, "            if (!t) {\n");
            break;
        case HW_REGION_ELSE: fprintf(to, "            } else {\n"); break;
        case HW_REGION_END: fprintf(to, "            }\n            }\n"); break;
        case HW_REGION_LATCH:
            put_taken(to, in, branch++);
            fprintf(to, "            if ((++j == STEPS) | !t) break;\n");
            break;
        default: break;
        }
    }
    return true;
}

// ---- registers ----

static void put_reads(FILE *to, const loop *l) {
    for (uint32_t k = 0; k < l->n_registers; k++) {
        const hw_region_register *x = &l->registers[k];
        if (x->bytes)
            fprintf(to, "        %s s%u = ((const %s *)REGISTER(%u, %u))[lane];\n", hw_draft_bits_type(x->bytes),
                    x->slot, hw_draft_bits_type(x->bytes), x->slot & 3, x->slot);
        else
            fprintf(to, "        int s%u = *(const u32 *)REGISTER(%u, %u) >> lane & 1;\n", x->slot, x->slot & 3,
                    x->slot);
    }
}

// What is needed afterwards: variables with all lanes' values, how a lane fills in its own, how they get to memory.
static void put_results(FILE *variables, FILE *by_lane, FILE *to_memory, const hw_draft *w, const loop *l) {
    for (uint32_t k = 0; k < l->n_registers; k++) {
        const hw_region_register *x = &l->registers[k];
        const char *type = hw_draft_bits_type(x->bytes);
        if (!x->is_written || !w->is_live[x->slot / 4]) continue;
        if (x->bytes) {
            fprintf(variables, "    ALIGNED %s kept%u[32];\n", type, x->slot);
            fprintf(by_lane, "        kept%u[lane] = s%u;\n", x->slot, x->slot);
            fprintf(to_memory, "    for (u32 h = 0; h < 2; h++)\n"
                    "        LANES PUT_SOME(((%s *)REGISTER(%u, %u))[LANE], kept%u[LANE]);\n", type,
                    x->slot & 3, x->slot, x->slot);
        } else {
            fprintf(variables, "    u32 kept%u = 0;\n", x->slot);
            fprintf(by_lane, "        kept%u |= (u32)s%u << lane;\n", x->slot, x->slot);
            fprintf(to_memory, "    PUT_PREDICATE_SOME(*(u32 *)REGISTER(%u, %u), kept%u);\n", x->slot & 3, x->slot,
                    x->slot);
        }
    }
}

// ---- what the warp has done ----

static void put_count(FILE *to, const hw_draft *w, uint32_t index, uint32_t step) {
    const hw_inst *in = &w->program->insts[index];
    fprintf(to, "        count_behind(r, k0 + %u, m, %d, &q%u, behind[j][%u]);\n", step, __builtin_ctz(in->width),
            w->rooms[step], step);
    if (w->program->bodies[index] == HW_BODY_ST)
        fprintf(to, "        STORE_BEHIND(%s, &q%u, behind[j][%u], %s);\n", hw_draft_bits_type(in->width),
                w->rooms[step], step, w->stored);
}

static void put_counts(FILE *to, const hw_draft *w, const loop *l) {
    uint32_t branch = 0, step = 0;
    for (uint32_t k = 1; k < l->n_items; k++) {
        const hw_region_item *item = &l->items[k];
        const hw_inst *in = &l->program->insts[item->index];
        switch ((hw_region_item_kind)item->kind) {
        case HW_REGION_PIECE:
            for (uint32_t i = item->index; i < item->index + item->count; i++)
                if (hw_body_is_access(l->program->bodies[i])) put_count(to, w, i, step++);
            break;
        case HW_REGION_BLOCK: hw_draft_ended(to, l->program, in, "0"); break;
        case HW_REGION_IF: case HW_REGION_IF_ELSE:
            fprintf(to, "        {\n        const u32 e = m, t = taken[j][%u];\n", branch++);
            hw_draft_ended(to, l->program, in, "t");
            fprintf(to, "        if (e & ~t) {\n        m = e & ~t;\n");
            break;
        case HW_REGION_ELSE:
            hw_draft_ended(to, l->program, in, "0");
            fprintf(to, "        }\n        if (t) {\n        m = t;\n");
            break;
        case HW_REGION_END: fprintf(to, "        }\n        m = e;\n        }\n"); break;
        case HW_REGION_LATCH:
            fprintf(to, "        const u32 t = taken[j][%u];\n", branch);
            hw_draft_ended(to, l->program, in, "t");
            fprintf(to, "        m = t;\n");
            break;
        default: break;
        }
    }
}

// ---- the function ----

// The base that is added to an index, of an instruction that means global memory: what has the same base lies in the
// same memory, and where it does not the room will tell. HW_NO_SLOT: there is none.
static hw_slot base_of(const hw_draft *w, const hw_inst *in) {
    hw_segment_address a;
    if (in->space != HW_SPACE_GLOBAL || !hw_symbols_address(w->symbols, in, &a)) return HW_NO_SLOT;
    return a.is_extended && a.n_terms_64 == 1 ? a.terms_64[0].a : HW_NO_SLOT;
}

// For each access the first of those that have its room: of its width, since the room ends before the last address that
// is too near the memory's end.
static bool find_rooms(hw_draft *w, const loop *l) {
    hw_slot bases[HW_DRAFT_LANE_ACCESSES];
    uint32_t widths[HW_DRAFT_LANE_ACCESSES];
    uint32_t step = 0;
    for (uint32_t k = 1; k < l->n_items; k++) {
        const hw_region_item *item = &l->items[k];
        w->symbols->n = w->symbols->n_versions = 0;
        for (uint32_t i = item->index; item->kind == HW_REGION_PIECE && i < item->index + item->count; i++) {
            if (hw_body_is_access(l->program->bodies[i])) {
                bases[step] = base_of(w, &l->program->insts[i]);
                widths[step] = l->program->insts[i].width;
                w->rooms[step] = step;
                for (uint32_t s = step; s-- > 0 && bases[step] != HW_NO_SLOT;)
                    if (bases[s] == bases[step] && widths[s] == widths[step]) w->rooms[step] = w->rooms[s];
                step++;
            }
            if (!hw_symbols_note(w->symbols, i, false)) return false;
        }
    }
    return true;
}

// In the store's room no load may lie.
static void put_rooms(FILE *to, const hw_draft *w, const loop *l) {
    uint32_t step = 0, store = HW_NO_SLOT;
    for (uint32_t k = 1; k < l->n_items; k++) {
        const hw_region_item *item = &l->items[k];
        for (uint32_t i = item->index; item->kind == HW_REGION_PIECE && i < item->index + item->count; i++) {
            if (!hw_body_is_access(l->program->bodies[i])) continue;
            if (l->program->bodies[i] == HW_BODY_ST) store = step;
            if (w->rooms[step] == step)
                fprintf(to, "    lane_room q%u;\n    if (!find_lane_room(r, k0 + %u, &q%u)) return NOT_NOW;\n", step,
                        step, step);
            step++;
        }
    }
    for (uint32_t k = 0; k < step && store != HW_NO_SLOT; k++)
        if (k != store)
            fprintf(to, "    if (rooms_meet(&q%u, &q%u)) return NOT_NOW;\n", w->rooms[k], w->rooms[store]);
}

static void put_beginning(FILE *to, const loop *l) {
    uint32_t steps = MOST_PLACES / l->n_accesses;
    if (steps > MOST_STEPS) steps = MOST_STEPS;
    fprintf(to, "static s64 lanewise_%d_%u(char *w, const run *r, region_pack *pack, count *counts, u64 *issued,\n"
            "                         u32 ends, u32 k0, u32 m0) {\n    enum { STEPS = %u };\n"
            "    char *const b0 = BASE(0), *const b1 = BASE(1), *const b2 = BASE(2), *const b3 = BASE(3);\n"
            "    ALIGNED u32 behind[STEPS][%u][32];\n    u32 taken[STEPS][%u] = {}, most = 0, m = m0;\n"
            "    if (*r->fuel < STEPS) return NOT_NOW;\n", l->program->index, l->items[0].index, steps, l->n_accesses,
            l->n_branches);
}

// The texts that a function is put together of.
typedef enum text { HEAD, VARIABLES, STEPS, BY_LANE, TO_MEMORY, TEXTS } text;

static void put_function(FILE *to, const hw_draft *w, const loop *l, hw_draft_text texts[TEXTS]) {
    put_beginning(to, l);
    put_rooms(to, w, l);
    fprintf(to, "%s%s    for (u32 left = m0; left; left &= left - 1) {\n"
            "        const u32 lane = __builtin_ctz(left), bit = left & -left;\n        u32 j = 0;\n",
            texts[VARIABLES].text, texts[HEAD].text);
    put_reads(to, l);
    fprintf(to, "        for (;;) {\n%s        }\n        most = most < j ? j : most;\n%s    }\n", texts[STEPS].text,
            texts[BY_LANE].text);
    fprintf(to, "%s    for (u32 j = 0; j < most; j++) {\n", texts[TO_MEMORY].text);
    put_counts(to, w, l);
    fprintf(to, "    }\n    *r->fuel -= (int)most - 1;\n    return m;\n}\n\n");
}

bool hw_draft_lanewise(FILE *to, hw_draft *w, const hw_region_item *items, uint32_t n, const hw_liveness *live) {
    hw_draft_text texts[TEXTS] = {{0}};
    FILE *parts[TEXTS];
    loop l;
    bool is_whole = find_loop(w->program, items, n, &l) && find_rooms(w, &l) &&
                    hw_draft_open_texts(texts, TEXTS, parts);
    w->n_numbers = 0;
    is_whole = is_whole && put_steps(parts[HEAD], parts[STEPS], w, &l, live);
    hw_liveness_before(live, items[l.n_items - 1].index, w->is_live);
    if (is_whole) put_results(parts[VARIABLES], parts[BY_LANE], parts[TO_MEMORY], w, &l);
    is_whole &= hw_draft_close_texts(texts, TEXTS);
    if (is_whole) put_function(to, w, &l, texts);
    hw_draft_forget_texts(texts, TEXTS);
    return is_whole;
}
