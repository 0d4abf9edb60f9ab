// The text of a segment: for each warp, for each half of its lanes, one loop over 16 lanes that a C compiler turns into
// vector code, with each register a variable.
//
//     void segment_P_N(char *w, u32 n, const at *m) {
//         ... what is the same for all lanes of all warps
//         for (u32 k = 0; k < n; k++, w += WARP_BYTES) {
//             ... predicates of the warp
//             for (u32 h = 0; h < 2; h++) {
//                 ... addresses; values that are the same in the half
//                 LANES { ... loads, values; PUT(...) of registers that are needed afterwards }
//             }
//             ... predicates that are needed afterwards; the store
//         }
//     }
//
// A register that is written twice has two variables. A float whose NaN need not be canonical yet is `raw`: arithmetic
// that gives the same for any NaN takes it as it is, everything else takes canon(x).
#include "compile/source.h"

#include <stdlib.h>
#include <string.h>

#include "compile/draft.h"
#include "compile/usage.h"
#include "exec/ops/lanes.h"

static bool is_needed(const hw_draft *w, hw_slot slot) {
    for (uint32_t g = 0; g < w->segment->n_guards; g++)
        if (w->segment->guards[g].predicate == slot) return true;
    return w->is_live[slot / 4];
}

static FILE *part_of(hw_draft *w, uint32_t stage, hw_draft_part part) {
    return w->stages[stage][part - HW_DRAFT_HALF].to;
}

static void put_predicate(hw_draft *w, const hw_draft_variable *v) {
    fprintf(w->parts[HW_DRAFT_WARP], "        u32 n%u = 0;\n", v->made);
    fprintf(part_of(w, v->made_in, HW_DRAFT_HALF), "            ALIGNED int t%u[16];\n", v->made);
    fprintf(part_of(w, v->made_in, HW_DRAFT_LANE), "                t%u[i] = -v%u;\n", v->made, v->made);
    fprintf(part_of(w, v->made_in, HW_DRAFT_HALF_END), "            n%u |= packed(t%u) << 16 * h;\n", v->made, v->made);
    fprintf(w->parts[HW_DRAFT_WARP_END], "        PUT_PREDICATE(*(u32 *)REGISTER(%u, %u), n%u);\n", v->slot & 3,
            v->slot, v->made);
}

// Of a lane by itself: the register's bits.
static void put_variable(FILE *to, const hw_draft_variable *v) {
    const char *bits = v->type[0] != 'f' ? v->type : v->type[1] == '6' ? "u64" : "u32";
    fprintf(to, v->is_raw ? "                s%u = AS(%s, canon(v%u));\n" : "                s%u = AS(%s, v%u);\n",
            v->slot, bits, v->made);
}

static void put_registers(hw_draft *w) {
    for (uint32_t k = 0; k < w->n_variables; k++) {
        const hw_draft_variable *v = &w->variables[k];
        if (!v->is_dirty || !is_needed(w, v->slot)) continue;
        while (v->made_in > w->stage) hw_draft_next_stage(w);
        FILE *lane = part_of(w, v->made_in, HW_DRAFT_LANE);
        if (w->is_lanewise) put_variable(lane, v);
        else if (!strcmp(v->type, "int")) put_predicate(w, v);
        else if (v->is_loaded)
            fprintf(lane, "                PUT(((%s *)REGISTER(%u, %u))[LANE], x%u[LANE]);\n", v->type, v->slot & 3,
                    v->slot, v->kept - 1);
        else
            fprintf(lane,
                    v->is_raw ? "                PUT(((%s *)REGISTER(%u, %u))[LANE], canon(v%u));\n"
                              : "                PUT(((%s *)REGISTER(%u, %u))[LANE], v%u);\n",
                    v->type, v->slot & 3, v->slot, v->made);
    }
}

// ---- the parts put together ----

static void choose_form(FILE *to, const char *form) {
    static const char *const macros[] = {"PUT", "PUT_PREDICATE", "LOADED", "STORE", "STORE_LATE"};
    for (size_t k = 0; k < sizeof macros / sizeof *macros; k++)
        fprintf(to, "#undef %s\n#define %s %s_%s\n", macros[k], macros[k], macros[k], form);
}

static void put_stage(FILE *to, const hw_draft_text *stage, const char *halves) {
    fprintf(to, "        %s {\n%s", halves, stage[0].text);
    fprintf(to, "            LANES {\n%s            }\n%s        }\n%s", stage[HW_DRAFT_LANE - HW_DRAFT_HALF].text,
            stage[HW_DRAFT_HALF_END - HW_DRAFT_HALF].text, stage[HW_DRAFT_BEHIND - HW_DRAFT_HALF].text);
}

void hw_draft_write(FILE *to, const hw_draft *w, const char *name, const char *form) {
    choose_form(to, form);
    fprintf(to, "%s(char *w, u32 n, const at *m) {\n"
            "    char *const b1 = BASE(1), *const b2 = BASE(2);\n%s", name, w->common[HW_DRAFT_LAUNCH].text);
    fprintf(to, "    for (u32 k = 0; k < n; k++, w += WARP_BYTES) {\n"
            "        char *const b0 = BASE(0), *const b3 = BASE(3);\n%s", w->common[HW_DRAFT_WARP].text);
    put_stage(to, w->stages[0], "for (u32 h = 0; h < 2; h++)");
    fprintf(to, "%s    }\n}\n\n", w->common[HW_DRAFT_WARP_END].text);
}

void hw_draft_write_piece(FILE *to, const hw_draft *w, const char *name) {
    choose_form(to, "SOME");
    fprintf(to, "static inline int %s(char *w, const run *r, u32 m, u32 k0) {\n"
            "    char *const b0 = BASE(0), *const b1 = BASE(1), *const b2 = BASE(2), *const b3 = BASE(3);\n%s%s", name,
            w->common[HW_DRAFT_LAUNCH].text, w->common[HW_DRAFT_WARP].text);
    for (uint32_t k = 0; k < w->n_stages; k++) put_stage(to, w->stages[k], "HALVES_ON");
    fprintf(to, "%s    return 1;\n}\n\n", w->common[HW_DRAFT_WARP_END].text);
}

bool hw_draft_open_texts(hw_draft_text *texts, unsigned n, FILE **parts) {
    for (unsigned k = 0; k < n; k++)
        if (!(parts[k] = texts[k].to = open_memstream(&texts[k].text, &texts[k].length))) return false;
    return true;
}

bool hw_draft_close_texts(hw_draft_text *texts, unsigned n) {
    bool is_whole = true;
    for (unsigned k = 0; k < n; k++)
        if (texts[k].to && fclose(texts[k].to) != 0) is_whole = false;
    return is_whole;
}

enum { STAGE_PARTS = HW_DRAFT_PARTS - HW_DRAFT_HALF };

static bool begin_stage(hw_draft *w) {
    return hw_draft_open_texts(w->stages[w->n_stages++], STAGE_PARTS, w->parts + HW_DRAFT_HALF);
}

void hw_draft_next_stage(hw_draft *w) {
    w->n_pending = 0;
    if (w->n_stages == HW_DRAFT_STAGES || !begin_stage(w)) w->failed = true;
    else w->stage++;
}

static bool close_parts(hw_draft *w) {
    bool is_whole = hw_draft_close_texts(w->common, HW_DRAFT_HALF);
    for (uint32_t k = 0; k < w->n_stages; k++) is_whole &= hw_draft_close_texts(w->stages[k], STAGE_PARTS);
    return is_whole;
}

bool hw_draft_translate(hw_draft *w, const hw_segment *segment) {
    w->segment = segment;
    w->n_variables = w->access = w->bit_number = 0;
    if (!w->is_lanewise) w->n_numbers = 0;    // else its pieces share a function
    w->n_stages = w->stage = w->n_pending = 0;
    w->guard = NULL;
    w->last = (hw_draft_made){0};
    if (!hw_draft_open_texts(w->common, HW_DRAFT_HALF, w->parts) || !begin_stage(w)) return false;
    for (uint32_t i = 0; i < segment->count && !w->failed; i++) hw_draft_instruction(w, segment->first + i);
    put_registers(w);
    return close_parts(w) && !w->failed;
}

void hw_draft_forget_texts(hw_draft_text *texts, unsigned n) {
    for (unsigned k = 0; k < n; k++) {
        free(texts[k].text);
        texts[k] = (hw_draft_text){0};
    }
}

void hw_draft_forget(hw_draft *w) {
    hw_draft_forget_texts(w->common, HW_DRAFT_HALF);
    for (uint32_t k = 0; k < w->n_stages; k++) hw_draft_forget_texts(w->stages[k], STAGE_PARTS);
    w->n_stages = 0;
}

static void define_function(FILE *to, const hw_form *form) {
    static const char letters[] = "ABCE";
    fprintf(to, "static inline %s %s(", form->result, form->function);
    for (unsigned k = 0; k < 4 && form->sources[k]; k++)
        fprintf(to, "%s%s %c", k ? ", " : "", form->sources[k], letters[k]);
    fprintf(to, ") { return %s; }\n", form->value);
}

static void define_functions(FILE *to, const uint8_t *is_named, uint32_t n_bodies, hw_arena *scratch) {
    const hw_form **done = hw_arena_take(scratch, n_bodies * sizeof *done);
    uint32_t n_done = 0;
    for (uint32_t id = 0; done && id < n_bodies; id++) {
        const hw_form *form = hw_form_of((hw_body_id)id);
        bool is_new = is_named[id];
        for (uint32_t k = 0; k < n_done && is_new; k++) is_new = done[k] != form;
        if (!is_new) continue;
        done[n_done++] = form;
        define_function(to, form);
    }
}

static void write_segment(FILE *to, const hw_draft *w, const char *suffix, const char *form) {
    char name[96];
    snprintf(name, sizeof name, "void segment_%d_%u%s", w->program->index, w->segment->first, suffix);
    hw_draft_write(to, w, name, form);
}

static bool write_part(FILE *to, hw_draft *w, const hw_compile_part *part, hw_arena *scratch) {
    const hw_liveness *live = hw_liveness_find(part->program, scratch);
    w->program = part->program;
    w->is_live = hw_arena_take(scratch, part->program->frame_bytes / 4 + 64);
    bool is_whole = live && w->is_live;
    for (uint32_t k = 0; k < part->count && is_whole; k++) {
        const hw_segment *segment = &part->segments[k];
        hw_liveness_before(live, segment->first + segment->count, w->is_live);
        is_whole = hw_draft_translate(w, segment);
        if (is_whole) write_segment(to, w, "", "ALL");
        if (is_whole && segment->has_some) write_segment(to, w, "_some", "SOME");
        hw_draft_forget(w);
    }
    return is_whole && hw_draft_regions(to, w, part, live, scratch);
}

static void write_beginning(FILE *to, const hw_draft *w, hw_arena *scratch) {
    fprintf(to, "#define WARP_BYTES %d\n#define MASK_OFFSET %zu\n#define LANES_OFFSET %zu\n", HW_WARP_BYTES,
            offsetof(struct hw_warp, mask), offsetof(struct hw_warp, lanes));
    fprintf(to, "#define REGION_DEPTH %d\n#define CONVOY_MAX %d\n#define INST_BYTES %zu\n", HW_REGION_DEPTH,
            HW_CONVOY_MAX, sizeof(hw_inst));
    fprintf(to, "#define INST_NOTE %zu\n#define INST_PATTERN %zu\n#define LONE_KEPT %d\n", offsetof(hw_inst, note),
            offsetof(hw_inst, pattern), HW_LONE_KEPT);
    fprintf(to, "#define PATTERN_BYTES %zu\n#define PATTERN_ROOM %zu\n#define PATTERN_ROOM_SPACE %zu\n"
            "#define PATTERN_APART %zu\n", sizeof(hw_pattern), offsetof(hw_pattern, room_begin),
            offsetof(hw_pattern, room_space), offsetof(hw_pattern, apart));
    fprintf(to, "#define SPACE_GLOBAL %d\n#define SPACE_SHARED %d\n#define SPACE_LOCAL %d\n#define PACK_SHIFT %d\n",
            HW_SPACE_GLOBAL, HW_SPACE_SHARED, HW_SPACE_LOCAL, HW_PACK_SHIFT);
    fputs(hw_compile_values, to);
    define_functions(to, w->is_named, hw_body_count(), scratch);
}

bool hw_compile_write(FILE *to, const hw_compile_part *parts, uint32_t n, hw_arena *scratch) {
    hw_draft *w = hw_arena_take(scratch, sizeof *w);
    char *text = NULL;
    size_t length = 0;
    FILE *functions = w && (w->is_named = hw_arena_take(scratch, hw_body_count())) ? open_memstream(&text, &length)
                                                                                     : NULL;
    if (!functions) return false;
    bool is_whole = true;
    for (uint32_t k = 0; k < n && is_whole; k++) is_whole = write_part(functions, w, &parts[k], scratch);
    if (fclose(functions) != 0) is_whole = false;
    if (is_whole) {
        write_beginning(to, w, scratch);
        fputs(text, to);
    }
    free(text);
    return is_whole && !ferror(to);
}
