// Accesses that a region's text makes itself: of lanes whose addresses have been seen not to repeat. Their places are
// found by the room that the interpreter knows for the instruction (exec/memory/pattern.h), all lanes at once, by the
// 32-bit index that the address is made of where there is one. What does not lie in that room, or is to be looked at
// otherwise, is executed by the instruction's body, for which the registers that it uses are put in memory.
#include <string.h>

#include "compile/draft.h"

// One element for each lane, so that none is HW_INST_WHOLE. Local memory has words.
bool hw_draft_can_access(const hw_program *program, uint32_t index) {
    const hw_inst *in = &program->insts[index];
    const hw_body_id id = program->bodies[index];
    if ((id != HW_BODY_LD && id != HW_BODY_ST) || in->flags & HW_INST_VOLATILE || in->vector != 1) return false;
    if (in->a == HW_NO_SLOT || in->width > 8 || in->reg_bytes < in->width) return false;
    if (in->flags & HW_INST_ADDRESS_32 && in->space != HW_SPACE_SHARED) return false;
    return in->space == HW_SPACE_GLOBAL || in->space == HW_SPACE_SHARED || in->space == HW_SPACE_GENERIC ||
           (in->space == HW_SPACE_LOCAL && in->width == 4);
}

// ---- addresses ----

static bool has_lanes(hw_slot slot) { return (slot & 3) == HW_BASE_FRAME || (slot & 3) == HW_BASE_WARP; }

// Whose scale elements are found by, and whose root can still be read. Local memory has words.
static bool is_usable(const hw_draft *w, const hw_inst *in, const hw_segment_address *a) {
    if (!hw_symbols_has_root(w->symbols, a) || !has_lanes(a->root)) return false;
    if (!a->is_extended) return a->root_bytes == 4;
    if (in->space == HW_SPACE_LOCAL && a->scale < 4) return false;
    return a->scale <= 1024 && !(a->scale & (a->scale - 1));
}

static uint32_t declare(hw_draft *w, const char *type) {
    fprintf(w->parts[HW_DRAFT_WARP], "        ALIGNED %s x%u[32];\n", type, w->n_numbers);
    return w->n_numbers++;
}

// The array of the indices.
static uint32_t put_index(hw_draft *w, const hw_segment_address *a) {
    if (!a->n_terms_32 && !a->add_32) return hw_draft_keep(w, a->root, "u32");
    const uint32_t array = declare(w, "u32");
    char text[1024], part[128];
    int length = snprintf(text, sizeof text, "%s", hw_draft_read(w, part, a->root, "u32", false));
    for (uint32_t k = 0; k < a->n_terms_32; k++) {
        const hw_segment_term *t = &a->terms_32[k];
        length += snprintf(text + length, sizeof text - (size_t)length, " + %s",
                           hw_draft_read(w, part, t->a, "u32", false));
        if (t->b != HW_NO_SLOT)
            length += snprintf(text + length, sizeof text - (size_t)length, " * %s",
                               hw_draft_read(w, part, t->b, "u32", false));
    }
    fprintf(w->parts[HW_DRAFT_LANE], "                x%u[LANE] = %s + %uu;\n", array, text, a->add_32);
    return array;
}

static void put_sum(hw_draft *w, const hw_segment_address *a, char *out, size_t size) {
    char part[128];
    int length = snprintf(out, size, "%lluull", (unsigned long long)a->add_64);
    for (uint32_t k = 0; k < a->n_terms_64; k++)
        length += snprintf(out + length, size - (size_t)length, " + %s",
                           hw_draft_read(w, part, a->terms_64[k].a, "u64", false));
}

static void find_place(hw_draft *w, const hw_inst *in, hw_draft_place *p) {
    hw_segment_address a;
    const bool is_narrow = in->flags & HW_INST_ADDRESS_32;
    *p = (hw_draft_place){.is_scaled = hw_symbols_address(w->symbols, in, &a) && is_usable(w, in, &a)};
    if (is_narrow && !p->is_scaled) {
        a = (hw_segment_address){.root = in->a, .root_bytes = 4, .scale = 1, .add_32 = (uint32_t)in->imm};
        p->is_scaled = true;
    }
    if (!p->is_scaled) {
        p->array = hw_draft_keep(w, in->a, "u64");
        return;
    }
    p->is_signed = a.is_signed;
    p->log_scale = (unsigned)__builtin_ctzll((unsigned long long)a.scale);
    p->array = put_index(w, &a);
    put_sum(w, &a, p->sum, sizeof p->sum);
}

// ---- accesses ----

static bool is_changed(const hw_draft *w, hw_slot slot) {
    const hw_draft_variable *v = hw_draft_find(w, slot);
    return v && v->is_dirty;
}

#define EACH_LANE "                for (u32 h = 0; h < 2; h++) LANES "

// For the instruction's body: the address in its register.
static void put_address(hw_draft *w, const hw_inst *in, const hw_draft_place *p) {
    FILE *to = w->parts[HW_DRAFT_BEHIND];
    if (!is_changed(w, in->a)) return;
    if (!p->is_scaled)
        fprintf(to, EACH_LANE "PUT(((u64 *)REGISTER(%u, %u))[LANE], x%u[LANE]);\n", in->a & 3, in->a, p->array);
    else if (in->flags & HW_INST_ADDRESS_32)
        fprintf(to, EACH_LANE "PUT(((u32 *)REGISTER(%u, %u))[LANE], x%u[LANE] - %uu);\n", in->a & 3, in->a, p->array,
                (uint32_t)in->imm);
    else
        fprintf(to, EACH_LANE "PUT(((u64 *)REGISTER(%u, %u))[LANE], ((u64)%sx%u[LANE] << %u) + %s - %lluull);\n",
                in->a & 3, in->a, p->is_signed ? "(long long)(int)" : "", p->array, p->log_scale, p->sum,
                (unsigned long long)in->imm);
}

static uint32_t address_of(const hw_draft *w, const hw_inst *in) {
    const hw_draft_variable *v = hw_draft_find(w, in->a);
    return v ? v->made + 1 : 0;
}

// As a counter in memory is read, changed, and written.
static bool is_again(const hw_draft *w, const hw_inst *in) {
    const hw_inst *last = w->last.inst;
    return last && last->a == in->a && last->imm == in->imm && last->width == in->width && last->space == in->space &&
           w->last.address == address_of(w, in);
}

static void put_condition(hw_draft *w, const hw_inst *in, const hw_draft_place *p, uint32_t places) {
    FILE *to = w->parts[HW_DRAFT_BEHIND];
    const unsigned log_width = (unsigned)__builtin_ctz(in->width);
    const int is_local = in->space == HW_SPACE_LOCAL;
    const uint32_t step = w->step;
    fprintf(w->parts[HW_DRAFT_WARP], "        const char *g%u = 0;\n        const lone *c%u = 0;\n", step, step);
    fprintf(to, "        {\n            if (");
    if (p->is_scaled)
        fprintf(to, "find_scaled(w, r, k0 + %u, m, x%u, %s, %u, %u, %d, %d, x%u, &g%u, &c%u)) {\n", step, p->array,
                p->sum, p->log_scale, log_width, p->is_signed, is_local, places, step, step);
    else
        fprintf(to, "find_wide(w, r, k0 + %u, m, x%u, %lluull, %u, %d, x%u, &g%u, &c%u)) {\n", step, p->array,
                (unsigned long long)in->imm, log_width, is_local, places, step, step);
}

// The access is made only where the one before it was.
static void put_condition_again(hw_draft *w, const hw_inst *in, uint32_t places) {
    const uint32_t step = w->step, last = w->last.step;
    fprintf(w->parts[HW_DRAFT_WARP], "        const char *g%u = 0;\n        const lone *c%u = 0;\n", step, step);
    fprintf(w->parts[HW_DRAFT_BEHIND],
            "        {\n            g%u = g%u;\n"
            "            if (g%u && find_again(r, k0 + %u, k0 + %u, m, %d, c%u, x%u, x%u, &c%u)) {\n",
            step, last, last, last, step, __builtin_ctz(in->width), last, w->last.places, places, step);
}

// Places are in units of so many bytes, as a logarithm.
static unsigned unit_of(const hw_inst *in, const hw_draft_place *p) {
    const unsigned log_width = (unsigned)__builtin_ctz(in->width);
    if (!p->is_scaled && in->space != HW_SPACE_LOCAL) return 0;
    return in->space == HW_SPACE_LOCAL || p->log_scale > log_width ? log_width : p->log_scale;
}

static void put_load(hw_draft *w, const hw_inst *in, const hw_draft_place *p, uint32_t places) {
    FILE *to = w->parts[HW_DRAFT_BEHIND];
    const char *type = hw_draft_bits_type(in->reg_bytes);
    const uint32_t loaded = declare(w, type), word = in->width == in->reg_bytes && in->width > 2 ? loaded
                                                                                                : declare(w, "u32");
    if (in->width < 4)
        fprintf(to, "                load_narrow(g%u, x%u, %u, m, x%u);\n", w->step, places, unit_of(in, p), word);
    else
        fprintf(to, "                LOAD_APART_%s(g%u, x%u, %u, x%u);\n", hw_draft_bits_type(in->width), w->step,
                places, unit_of(in, p), word);
    if (word != loaded)
        fprintf(to, EACH_LANE "x%u[LANE] = (%s)(%s)x%u[LANE];\n", loaded, type, hw_draft_memory_type(in), word);
    fprintf(to, "            } else {\n");
    put_address(w, in, p);
    fprintf(to, "                if (!step(w, r, k0 + %u)) return 0;\n", w->step);
    if (in->d != HW_NO_SLOT) {
        fprintf(to, EACH_LANE "x%u[LANE] = ((const %s *)REGISTER(%u, %u))[LANE];\n", loaded, type, in->d & 3, in->d);
        hw_draft_assign_loaded(w, in->d, type, loaded);
    }
    fprintf(to, "            }\n        }\n");
}

static void put_store(hw_draft *w, const hw_inst *in, const hw_draft_place *p, uint32_t places, uint32_t values) {
    FILE *to = w->parts[HW_DRAFT_BEHIND];
    const char *type = hw_draft_bits_type(in->reg_bytes);
    fprintf(to, "                STORE_APART(%s, g%u, x%u, %u, x%u);\n            } else {\n",
            hw_draft_bits_type(in->width), w->step, places, unit_of(in, p), values);
    put_address(w, in, p);
    if (is_changed(w, in->b))
        fprintf(to, EACH_LANE "PUT(((%s *)REGISTER(%u, %u))[LANE], x%u[LANE]);\n", type, in->b & 3, in->b, values);
    fprintf(to, "                if (!step(w, r, k0 + %u)) return 0;\n            }\n        }\n", w->step);
}

static void note_pending(hw_draft *w, hw_slot slot) {
    if (slot != HW_NO_SLOT) w->pending[w->n_pending++] = slot;
}

void hw_draft_access(hw_draft *w, uint32_t index) {
    const hw_inst *in = &w->program->insts[index];
    const bool is_store = w->program->bodies[index] == HW_BODY_ST, again = is_again(w, in);
    const uint32_t places = declare(w, "u32");
    hw_draft_place p;
    if (again) p = w->last.place;
    else find_place(w, in, &p);
    const uint32_t values = is_store ? hw_draft_keep(w, in->b, hw_draft_bits_type(in->reg_bytes)) : 0;
    if (again) put_condition_again(w, in, places);
    else put_condition(w, in, &p, places);
    w->last = (hw_draft_made){in, address_of(w, in), w->step, places, p};
    if (is_store) put_store(w, in, &p, places, values);
    else put_load(w, in, &p, places);
    note_pending(w, in->a);
    note_pending(w, is_store ? in->b : in->d);
    w->step++;
}
