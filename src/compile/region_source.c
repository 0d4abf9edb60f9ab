// The text of a region: its branches and loops as C's own, with the lanes that are on in m, and between them pieces,
// which are functions as segments without accesses are.
//
//     int region_P_N(char *w, run *r) {
//         u32 m = MASK;
//         { const u32 e0 = m;                             // a loop
//           for (;;) {
//             piece_P_N_4(w, 1, 0);
//             if (!step(w, r, 0)) return FAULT;
//             { const u32 t = PREDICATE(0, 64) & m; ended(...); m = t; }
//             if (!m) break;
//             set_mask(w, m);
//             if (--*r->fuel < 0) { ... return STOPPED; }
//           }
//           set_mask(w, m = e0);
//         }
//         return DONE;
//     }
#include <string.h>

#include "compile/draft.h"
#include "compile/lanewise.h"
#include "compile/regions.h"
#include "compile/usage.h"

// What has begun and not ended, from the outside in.
typedef struct open_item {
    const hw_region_item *item;
    uint32_t number;         // of its names in the text
    bool is_behind_else;
} open_item;

typedef struct writer {
    FILE *to;
    const hw_program *program;
    open_item open[2 * HW_REGION_DEPTH + 2];     // guards too
    uint32_t n_open, n_numbers, n_lanewise;
} writer;

static const hw_inst *inst_of(const writer *x, const hw_region_item *item) { return &x->program->insts[item->index]; }

static uint32_t begin(writer *x, const hw_region_item *item) {
    x->open[x->n_open++] = (open_item){.item = item, .number = x->n_numbers};
    return x->n_numbers++;
}

// The lanes that take a branch, or whose guard holds.
static void put_taken(writer *x, const hw_inst *in, uint32_t number) {
    fprintf(x->to, "    const u32 e%u = m, t%u = %sPREDICATE(%u, %u) & m;\n", number, number,
            in->flags & HW_INST_NEGATE_P ? "~" : "", in->p & 3, in->p);
}

void hw_draft_ended(FILE *to, const hw_program *program, const hw_inst *in, const char *taken) {
    fprintf(to, "    ended(pack, &counts[%u], issued, ends, m, %u, %s);\n", in->basic_block - program->first_block,
            in->count, taken);
}

static void put_ended(writer *x, const hw_inst *in, const char *taken) {
    hw_draft_ended(x->to, x->program, in, taken);
}

// A branch whose lanes part where some of them take it.
static uint32_t put_branch(writer *x, const hw_region_item *item) {
    char taken[16];
    const uint32_t number = begin(x, item);
    fprintf(x->to, "    {\n");
    put_taken(x, inst_of(x, item), number);
    snprintf(taken, sizeof taken, "t%u", number);
    put_ended(x, inst_of(x, item), taken);
    return number;
}

static uint32_t reconvergence_of(const writer *x, const hw_region_item *item) {
    return item->kind == HW_REGION_LOOP ? item->count : inst_of(x, item)->reconverge;
}

// The turn is over at the head of the innermost loop.
static void put_stop(writer *x) {
    uint32_t depth = 0;
    fprintf(x->to, "    if (--*r->fuel < 0) {\n");
    for (uint32_t k = 0; k < x->n_open; k++) {
        const open_item *o = &x->open[k];
        const bool has_others = o->item->kind == HW_REGION_IF_ELSE && !o->is_behind_else;
        fprintf(x->to, "        r->open[%u] = (open){%u, e%u, ", depth++, reconvergence_of(x, o->item), o->number);
        if (has_others) fprintf(x->to, "t%u, %u};\n", o->number, inst_of(x, o->item)->target);
        else fprintf(x->to, "0, 0};\n");
    }
    fprintf(x->to, "        r->at = %u, r->depth = %u;\n        return %d;\n    }\n",
            x->open[x->n_open - 1].item->index, depth, HW_REGION_STOPPED);
}

static void put_latch(writer *x, const hw_region_item *item) {
    const hw_inst *in = inst_of(x, item);
    const uint32_t loop = x->open[x->n_open - 1].number;
    if (x->program->bodies[item->index] == HW_BODY_BRA) {
        put_ended(x, in, "0");
    } else {
        put_branch(x, item);
        fprintf(x->to, "    m = t%u;\n    }\n    if (!m) break;\n    set_mask(w, m);\n", x->open[--x->n_open].number);
    }
    put_stop(x);
    fprintf(x->to, "    }\n    set_mask(w, m = e%u);\n    }\n", loop);
    x->n_open--;
}

static void put_break(writer *x, const hw_region_item *item) {
    const uint32_t number = put_branch(x, item);
    x->n_open--;
    fprintf(x->to, "    m = e%u & ~t%u;\n    }\n    if (!m) break;\n    set_mask(w, m);\n", number, number);
}

static void put_guard(writer *x, const hw_region_item *item) {
    const hw_inst *in = inst_of(x, item);
    const uint32_t number = begin(x, item);
    fprintf(x->to, "    {\n");
    put_taken(x, in, number);
    fprintf(x->to, "    r->guarded_off[%u] += (u64)__builtin_popcount(e%u & ~t%u) * %u;\n",
            in->note - x->program->first_note, number, number, in->count);
    fprintf(x->to, "    if (t%u) {\n    set_mask(w, m = t%u);\n", number, number);
}

// Lanes that exit are counted there, and are in nobody's way from then on.
static void put_exit_if(writer *x, const hw_region_item *item) {
    const hw_inst *exit = &x->program->insts[item->count];
    const uint32_t number = put_branch(x, item);
    x->n_open--;
    fprintf(x->to, "    if (t%u) {\n    ended(pack, &counts[%u], issued, ends, t%u, %u, 0);\n", number,
            exit->basic_block - x->program->first_block, number, exit->count);
    fprintf(x->to, "    set_mask(w, m &= ~t%u);\n    if (!m) return %d;\n    }\n    }\n", number, HW_REGION_DONE);
}

// Some steps by one lane after the other, where these can.
static void put_loop(writer *x, const hw_region_item *item) {
    const uint32_t number = begin(x, item);
    fprintf(x->to, "    {\n    const u32 e%u = m;\n    for (;;) {\n", number);
    if (!item->is_lanewise) return;
    const uint32_t loop = x->n_lanewise++;
    fprintf(x->to, "    const s64 l%u = is_waiting(&waits[%u]) ? NOT_NOW\n"
            "        : lanewise_%d_%u(w, r, pack, counts, issued, ends, %u, m);\n    note_attempt(&waits[%u], l%u);\n",
            number, loop, x->program->index, item->index, item->step, loop, number);
    fprintf(x->to, "    if (l%u >= 0) {\n    if (!(m = (u32)l%u)) break;\n    set_mask(w, m);\n", number, number);
    put_stop(x);
    fprintf(x->to, "    continue;\n    }\n");
}

static void put_item(writer *x, const hw_region_item *item) {
    uint32_t number;
    switch ((hw_region_item_kind)item->kind) {
    case HW_REGION_PIECE:
        fprintf(x->to, "    if (!piece_%d_%u_%u(w, r, m, %u)) return %d;\n", x->program->index, item->index,
                item->count, item->step, HW_REGION_FAULT);
        break;
    case HW_REGION_STEP: fprintf(x->to, "    if (!step(w, r, %u)) return %d;\n", item->count, HW_REGION_FAULT); break;
    case HW_REGION_BLOCK: put_ended(x, inst_of(x, item), "0"); break;
    case HW_REGION_IF: case HW_REGION_IF_ELSE:
        number = put_branch(x, item);
        fprintf(x->to, "    if (e%u & ~t%u) {\n    set_mask(w, m = e%u & ~t%u);\n", number, number, number, number);
        break;
    case HW_REGION_ELSE:
        number = x->open[x->n_open - 1].number;
        x->open[x->n_open - 1].is_behind_else = true;
        put_ended(x, inst_of(x, item), "0");
        fprintf(x->to, "    }\n    if (t%u) {\n    set_mask(w, m = t%u);\n", number, number);
        break;
    case HW_REGION_EXIT_IF: put_exit_if(x, item); break;
    case HW_REGION_GUARD: put_guard(x, item); break;
    case HW_REGION_END: fprintf(x->to, "    }\n    set_mask(w, m = e%u);\n    }\n", x->open[--x->n_open].number); break;
    case HW_REGION_LOOP: put_loop(x, item); break;
    case HW_REGION_BREAK: put_break(x, item); break;
    case HW_REGION_LATCH: put_latch(x, item); break;
    }
}

// What the text of all of a region has at hand.
static void put_counters(FILE *to, const hw_region_plan *plan) {
    uint32_t n_lanewise = 0;
    for (uint32_t k = 0; k < plan->n_items; k++) n_lanewise += plan->items[k].is_lanewise;
    if (n_lanewise) fprintf(to, "    lane_wait waits[%u] = {};\n", n_lanewise);
    fprintf(to, "    count *const counts = r->counts;\n    u64 *const issued = r->issued;\n");
    fprintf(to, "    region_pack *const pack = r->pack;\n    u32 m = MASK;\n");
}

// Without the branch that it begins with, so that packed lanes can go in where their warps have come through that.
static void put_inside(FILE *to, const hw_program *program, const hw_region_plan *plan) {
    const hw_region *region = plan->region;
    const uint32_t n_items = plan->n_items - !region->has_exits;    // an `if` has an end
    writer x = {.to = to, .program = program};
    fprintf(to, "static inline __attribute__((always_inline)) int inside_%d_%u(char *w, run *r, u32 e0, u32 ends) {\n",
            program->index, region->first);
    put_counters(to, plan);
    if (region->has_exits) x.n_numbers++;
    else begin(&x, &plan->items[0]);
    for (uint32_t k = 1; k < n_items; k++) put_item(&x, &plan->items[k]);
    if (region->has_exits) put_ended(&x, &program->insts[region->end], "0");
    fprintf(to, "    return %d;\n}\n\n", HW_REGION_DONE);
    fprintf(to, "int packed_%d_%u(char *w, run *r) { return inside_%d_%u(w, r, 0, r->ends); }\n\n", program->index,
            region->first, program->index, region->first);
}

static void put_region(FILE *to, const hw_program *program, const hw_region_plan *plan) {
    const uint32_t first = plan->region->first;
    const bool has_inside = plan->region->registers != NULL;
    writer x = {.to = to, .program = program};
    if (has_inside) put_inside(to, program, plan);
    if (plan->region->is_only_packed) return;
    fprintf(to, "int region_%d_%u(char *w, run *r) {\n    const u32 ends = 0;\n", program->index, first);
    put_counters(to, plan);
    for (uint32_t k = 0; k < plan->n_items; k++) {
        const bool is_inside = k && k + 1 < plan->n_items;
        if (!has_inside || !is_inside) put_item(&x, &plan->items[k]);
        if (has_inside && !k)
            fprintf(to, "    const int x = inside_%d_%u(w, r, e0, 0);\n    if (x != %d) return x;\n", program->index,
                    first, HW_REGION_DONE);
    }
    fprintf(to, "    return %d;\n}\n\n", HW_REGION_DONE);
}

// ---- pieces ----

static bool put_piece(FILE *to, hw_draft *w, const hw_region_item *item, const hw_liveness *live) {
    char name[96];
    const hw_segment piece = {.first = item->index, .count = item->count};
    hw_liveness_before(live, item->index + item->count, w->is_live);
    w->is_piece = true;
    w->step = 0;
    w->symbols->n = w->symbols->n_versions = 0;
    const bool is_whole = hw_draft_translate(w, &piece);
    snprintf(name, sizeof name, "piece_%d_%u_%u", w->program->index, item->index, item->count);
    if (is_whole) hw_draft_write_piece(to, w, name);
    w->is_piece = false;
    hw_draft_forget(w);
    return is_whole;
}

// Regions that lie in each other share pieces. written: by first instruction, of how many.
static bool put_pieces(FILE *to, hw_draft *w, const hw_region_plan *plan, const hw_liveness *live, uint32_t *written) {
    for (uint32_t k = 0; k < plan->n_items; k++) {
        const hw_region_item *item = &plan->items[k];
        if (item->kind != HW_REGION_PIECE || written[item->index] == item->count) continue;
        written[item->index] = item->count;
        if (!put_piece(to, w, item, live)) return false;
    }
    return true;
}

// Loops too. written: likewise, what is behind them.
static bool put_lanewise(FILE *to, hw_draft *w, const hw_region_plan *plan, const hw_liveness *live,
                         uint32_t *written) {
    for (uint32_t k = 0; k < plan->n_items; k++) {
        const hw_region_item *item = &plan->items[k];
        if (!item->is_lanewise || written[item->index] == item->count) continue;
        written[item->index] = item->count;
        if (!hw_draft_lanewise(to, w, item, plan->n_items - k, live)) return false;
    }
    return true;
}

bool hw_draft_regions(FILE *to, hw_draft *w, const hw_compile_part *part, const hw_liveness *live, hw_arena *scratch) {
    uint32_t *written = hw_arena_take(scratch, (part->program->n_insts + 1) * sizeof *written);
    uint32_t *written_loops = hw_arena_take(scratch, (part->program->n_insts + 1) * sizeof *written_loops);
    w->symbols = hw_arena_take(scratch, sizeof *w->symbols);
    bool is_whole = written && written_loops && w->symbols;
    if (is_whole) *w->symbols = (hw_symbols){.program = part->program, .follows_all = true};
    for (uint32_t k = 0; k < part->n_regions && is_whole; k++) {
        is_whole = put_pieces(to, w, &part->regions[k], live, written) &&
                   put_lanewise(to, w, &part->regions[k], live, written_loops);
        if (is_whole) put_region(to, part->program, &part->regions[k]);
    }
    return is_whole;
}
