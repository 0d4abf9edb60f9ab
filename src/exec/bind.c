// Gives each decoded instruction its body, for the best instruction-set level that this processor has.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "exec/warp/builtin.h"
#include "exec/ops/level.h"
#include "exec/memory/texture.h"
#include "exec/warp/warp.h"

static const hw_body_row *const common_tables[] = {hw_flow_bodies,    hw_call_bodies,   hw_barrier_bodies,
                                                   hw_special_bodies, hw_atomic_bodies, hw_async_bodies,
                                                   hw_mbarrier_bodies, hw_texture_bodies, NULL};

// What this processor runs, and all rows by name. Filled once.
static struct {
    const hw_level *best;
    struct named_body {
        const char *name;
        hw_body body, convoy;
        bool works_on_lanes;     // of the level's tables
    } *rows;                     // open addressing, capacity a power of two
    size_t capacity;
} level;
static pthread_once_t level_once = PTHREAD_ONCE_INIT;

static size_t hash(const char *name) {
    uint64_t h = 14695981039346656037u;
    for (; *name; name++) h = (h ^ (uint8_t)*name) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

// A row that is another name of a body has the convoy form of the row that defines it.
static hw_body convoy_form(const hw_body_row *table, const hw_body_row *row) {
    for (const hw_body_row *other = table; other->name && !row->convoy; other++)
        if (other->body == row->body && other->convoy) return other->convoy;
    return row->convoy;
}

static void add_table(const hw_body_row *table, bool works_on_lanes) {
    for (const hw_body_row *row = table; row->name; row++) {
        size_t at = hash(row->name) & (level.capacity - 1);
        while (level.rows[at].name && strcmp(level.rows[at].name, row->name)) at = (at + 1) & (level.capacity - 1);
        if (level.rows[at].name) continue;
        level.rows[at] = (struct named_body){row->name, row->body, convoy_form(table, row), works_on_lanes};
    }
}

static size_t count_rows(const hw_body_row *const *tables) {
    size_t n = 0;
    for (; *tables; tables++)
        for (const hw_body_row *row = *tables; row->name; row++) n++;
    return n;
}

static void build_index(void) {
    level.best = hw_level_best();
    if (!level.best) return;
    size_t n = count_rows(level.best->tables) + count_rows(common_tables);
    for (level.capacity = 64; level.capacity < 2 * n;) level.capacity *= 2;
    level.rows = calloc(level.capacity, sizeof *level.rows);
    if (!level.rows) return;
    for (const hw_body_row *const *t = common_tables; *t; t++) add_table(*t, false);
    for (const hw_body_row *const *t = level.best->tables; *t; t++) add_table(*t, true);
}

static const struct named_body *find_row(const char *name) {
    for (size_t at = hash(name) & (level.capacity - 1); level.rows[at].name; at = (at + 1) & (level.capacity - 1))
        if (!strcmp(level.rows[at].name, name)) return &level.rows[at];
    return NULL;
}

static hw_body find(const char *name) {
    const struct named_body *row = find_row(name);
    return row ? row->body : NULL;
}

static bool begins(const char *name, const char *prefix) { return !strncmp(name, prefix, strlen(prefix)); }

// Instructions that must gather the lanes of their member mask first.
static bool gathers_lanes(const char *name) {
    static const char *const prefixes[] = {"shfl.", "vote.", "match.", "redux.", "elect"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (begins(name, prefixes[i])) return true;
    return false;
}

static void bind_gathering(hw_inst *in, const char *name) {
    bool in_p = begins(name, "shfl.");
    if ((in_p ? in->p : in->c) == HW_NO_SLOT) return;    // the forms of before 7.0 name no members
    in->imm = (int64_t)(intptr_t)in->body;
    in->list = in_p ? HW_SYNC_MEMBERS_IN_P : HW_SYNC_MEMBERS_IN_C;
    in->reg_bytes = begins(name, "vote.") && !begins(name, "vote.ballot") ? 0 : 4;    // of d; 0: a predicate
    in->body = hw_sync_then;
}

static void bind_inst(hw_inst *in, const char *name) {
    if (!strcmp(name, "ld")) {
        in->body = level.best->select(in, false).body;
    } else if (!strcmp(name, "st")) {
        in->body = level.best->select(in, true).body;
    } else if (begins(name, "red.")) {
        char atom[96];
        size_t length = strlen(name + 4) + 1;
        if (length > sizeof atom - 5) return;
        memcpy(atom, "atom.", 5);
        memcpy(atom + 5, name + 4, length);
        in->body = find(atom);
    } else {
        in->body = find(name);
        if (in->body && !strcmp(name, "bar.warp.sync")) in->imm = 0;
        if (in->body && gathers_lanes(name)) bind_gathering(in, name);
    }
}

// The source line of an instruction, or its line of the PTX where there is none.
static int place_of(const hw_program_set *set, const hw_note *note, const char **file) {
    const hw_ptx_module *module = set->module;
    *file = module->name;
    if (!note->line || note->file >= module->n_files || !module->files[note->file]) return (int)note->ptx_line;
    *file = module->files[note->file];
    return (int)note->line;
}

static hw_status refuse(const hw_program_set *set, const hw_program *program, const hw_inst *in, const char *name,
                        hw_diag *diag) {
    const hw_note *note = &set->notes[in->note];
    uint32_t index = in->note - program->first_note;
    const char *written = index < program->function->n_insts ? program->function->insts[index].text : name, *file;
    int line = place_of(set, note, &file);
    return hw_diag_set_at(diag, HW_UNSUPPORTED, file, line, "instruction %s is not supported (line %u of the PTX)",
                          written ? written : name, note->ptx_line);
}

// Does a load or store of the parameter memory itself stay inside? Addresses that are computed are checked when used.
static bool is_inside_params(const hw_program *program, const hw_inst *in, const char *name) {
    bool is_access = !strcmp(name, "ld.param") || !strcmp(name, "st.param");
    if (!is_access || in->a != HW_NO_SLOT) return true;
    uint64_t size = in->sub ? program->param_bytes : program->function->param_bytes;
    uint64_t bytes = (uint64_t)in->width * in->vector;
    if (!in->sub && name[0] == 's') return false;    // a kernel cannot change its parameters
    return in->imm >= 0 && bytes <= size && (uint64_t)in->imm <= size - bytes;
}

// A function that takes the address of its own parameters gets them on its stack (call.c).
static bool note_own_address(hw_program *program, const hw_inst *in, const char *name) {
    bool is_address = !strcmp(name, "param.address");
    bool is_computed = (!strcmp(name, "ld.param") || !strcmp(name, "st.param")) && in->a != HW_NO_SLOT;
    if (!in->sub || !(is_address || is_computed)) return true;
    if (program->function->is_entry) return false;
    program->takes_param_address = true;
    return !is_address || (uint64_t)in->imm <= program->formal_param_bytes;
}

static hw_status bind_list(const hw_program_set *set, hw_program *program, hw_inst *insts,
                           const char *const *names, uint32_t n, hw_diag *diag) {
    for (uint32_t i = 0; i < n; i++) {
        bind_inst(&insts[i], names[i]);
        program->may_wait |= insts[i].flags & HW_INST_VOLATILE;
        if (!insts[i].body || !is_inside_params(program, &insts[i], names[i]) ||
            !note_own_address(program, &insts[i], names[i]))
            return refuse(set, program, &insts[i], names[i], diag);
    }
    return HW_OK;
}

// The kernel's instructions a second time, for convoys (convoy.c).
static hw_status bind_convoys(hw_program_set *set, hw_program *program, hw_diag *diag) {
    hw_body *bodies = hw_malloc((program->n_insts + 1) * sizeof *bodies);
    if (!bodies) return hw_diag_no_memory(diag);
    for (uint32_t i = 0; i < program->n_insts; i++) {
        const hw_inst *in = &program->insts[i];
        const char *name = program->body_names[i];
        bool is_load = !strcmp(name, "ld"), is_memory = is_load || !strcmp(name, "st");
        const struct named_body *row = find_row(name);
        hw_body form = is_memory ? level.best->select(in, !is_load).convoy : row ? row->convoy : NULL;
        bool works_on_lanes = is_memory || begins(name, "red.") || (row && row->works_on_lanes);
        bodies[i] = hw_convoy_body(in, name, form, works_on_lanes);
    }
    bool done = hw_convoy_bind(program, bodies, set->arena);
    hw_free(bodies);
    return done ? HW_OK : hw_diag_no_memory(diag);
}

static const hw_inst *find_call(const hw_program *program, uint32_t site) {
    for (uint32_t i = 0; i < program->n_insts; i++)
        if (begins(program->body_names[i], "call") && program->insts[i].list == site) return &program->insts[i];
    return program->insts;
}

static hw_status check_calls(const hw_program_set *set, const hw_program *program, hw_diag *diag) {
    for (uint32_t i = 0; i < program->n_calls; i++) {
        const char *name = program->calls[i].builtin, *file;
        if (!name || hw_builtin_exists(name)) continue;
        char caller[256], callee[256];
        int line = place_of(set, &set->notes[find_call(program, i)->note], &file);
        return hw_diag_set_at(diag, HW_UNSUPPORTED, file, line,
                              "%s calls %s, which the program does not define and Halfwarp does not provide",
                              hw_demangle(program->name, caller, sizeof caller),
                              hw_demangle(name, callee, sizeof callee));
    }
    return HW_OK;
}

hw_status hw_exec_bind(hw_program_set *set, hw_diag *diag) {
    pthread_once(&level_once, build_index);
    if (!level.best)
        return hw_diag_set(diag, HW_UNSUPPORTED,
                           "Halfwarp was built for another processor (%s); build it here, or with -DHW_LEVELS=all for "
                           "all of them", hw_level_names);
    if (!level.rows) return hw_diag_no_memory(diag);
    for (uint32_t i = 0; i < set->n_programs; i++) {
        hw_program *p = set->programs[i];
        if (!p) continue;
        hw_status status = check_calls(set, p, diag);
        if (status == HW_OK) status = bind_list(set, p, p->insts, p->body_names, p->n_insts, diag);
        if (status == HW_OK) status = bind_list(set, p, p->launch_insts, p->launch_names, p->n_launch, diag);
        if (status == HW_OK) status = bind_list(set, p, p->block_insts, p->block_names, p->n_block, diag);
        if (status == HW_OK) status = bind_list(set, p, p->warp_insts, p->warp_names, p->n_warp, diag);
        if (status == HW_OK && p->function->is_entry) status = bind_convoys(set, p, diag);
        if (status != HW_OK) return status;
    }
    return HW_OK;
}

void hw_bind_leave(void) { level.best->leave(); }
