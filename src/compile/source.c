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

static void put_registers(hw_draft *w) {
    for (uint32_t k = 0; k < w->n_variables; k++) {
        const hw_draft_variable *v = &w->variables[k];
        if (!v->is_dirty || !is_needed(w, v->slot)) continue;
        if (!strcmp(v->type, "int")) {
            fprintf(w->parts[HW_DRAFT_WARP], "        u32 n%u = 0;\n", v->number);
            fprintf(w->parts[HW_DRAFT_HALF], "            ALIGNED int t%u[16];\n", v->number);
            fprintf(w->parts[HW_DRAFT_LANE], "                t%u[i] = -v%u;\n", v->number, v->number);
            fprintf(w->parts[HW_DRAFT_HALF_END], "            n%u |= packed(t%u) << 16 * h;\n", v->number, v->number);
            fprintf(w->parts[HW_DRAFT_WARP_END], "        PUT_PREDICATE(*(u32 *)REGISTER(%u, %u), n%u);\n",
                    v->slot & 3, v->slot, v->number);
        } else {
            fprintf(w->parts[HW_DRAFT_LANE],
                    v->is_raw ? "                PUT(((%s *)REGISTER(%u, %u))[LANE], canon(v%u));\n"
                              : "                PUT(((%s *)REGISTER(%u, %u))[LANE], v%u);\n",
                    v->type, v->slot & 3, v->slot, v->number);
        }
    }
}

void hw_draft_write(FILE *to, const hw_draft *w, const char *name, const char *form) {
    static const char *const macros[] = {"PUT", "PUT_PREDICATE", "LOADED", "STORE", "STORE_LATE"};
    for (size_t k = 0; k < sizeof macros / sizeof *macros; k++)
        fprintf(to, "#undef %s\n#define %s %s_%s\n", macros[k], macros[k], macros[k], form);
    fprintf(to, "%s(char *w, u32 n, const at *m) {\n"
            "    char *const b1 = BASE(1), *const b2 = BASE(2);\n%s", name, w->texts[HW_DRAFT_LAUNCH]);
    fprintf(to, "    for (u32 k = 0; k < n; k++, w += WARP_BYTES) {\n"
            "        char *const b0 = BASE(0), *const b3 = BASE(3);\n%s", w->texts[HW_DRAFT_WARP]);
    fprintf(to, "        for (u32 h = 0; h < 2; h++) {\n%s", w->texts[HW_DRAFT_HALF]);
    fprintf(to, "            LANES {\n%s            }\n%s        }\n%s    }\n}\n\n", w->texts[HW_DRAFT_LANE],
            w->texts[HW_DRAFT_HALF_END], w->texts[HW_DRAFT_WARP_END]);
}

static bool open_parts(hw_draft *w) {
    for (unsigned k = 0; k < HW_DRAFT_PARTS; k++)
        if (!(w->parts[k] = open_memstream(&w->texts[k], &w->lengths[k]))) return false;
    return true;
}

static bool close_parts(hw_draft *w) {
    bool is_whole = true;
    for (unsigned k = 0; k < HW_DRAFT_PARTS; k++)
        if (w->parts[k] && fclose(w->parts[k]) != 0) is_whole = false;
    return is_whole;
}

bool hw_draft_translate(hw_draft *w, const hw_segment *segment) {
    w->segment = segment;
    w->n_variables = w->n_numbers = w->access = w->bit_number = 0;
    w->guard = NULL;
    if (!open_parts(w)) return false;
    for (uint32_t i = 0; i < segment->count; i++) hw_draft_instruction(w, segment->first + i);
    put_registers(w);
    return close_parts(w) && !w->failed;
}

void hw_draft_forget(hw_draft *w) {
    for (unsigned k = 0; k < HW_DRAFT_PARTS; k++) {
        free(w->texts[k]);
        w->texts[k] = NULL;
        w->parts[k] = NULL;
    }
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
    fprintf(to, "#define REGION_DEPTH %d\n#define INST_BYTES %zu\n", HW_REGION_DEPTH, sizeof(hw_inst));
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
