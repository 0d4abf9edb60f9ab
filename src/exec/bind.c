// Gives each decoded instruction its body, for the instruction-set level that is used: the best of this processor.
#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "exec/warp/builtin.h"
#include "exec/ops/level.h"
#include "exec/undefined/undefined.h"
#include "exec/warp/warp.h"

// The bodies' forms by group; forms of loads and stores are chosen one by one.
static const hw_body_forms *const common_tables[HW_BODIES_OF_LANES] = {
    [HW_BODIES_flow] = hw_flow_bodies,       [HW_BODIES_call] = hw_call_bodies,
    [HW_BODIES_barrier] = hw_barrier_bodies, [HW_BODIES_special] = hw_special_bodies,
    [HW_BODIES_async] = hw_async_bodies,     [HW_BODIES_bulk] = hw_bulk_bodies,
    [HW_BODIES_atomic] = hw_atomic_bodies,   [HW_BODIES_mbarrier] = hw_mbarrier_bodies,
};

// What this processor runs, and the forms of all bodies by number. Filled once.
static struct {
    const hw_level *used;
    hw_body_forms *forms;
} level;
static pthread_once_t level_once = PTHREAD_ONCE_INIT;

// A row that is another name of a body has the convoy form of the row that defines it.
static hw_body convoy_form(const hw_body_forms *table, uint32_t n, const hw_body_forms *row) {
    for (uint32_t k = 0; k < n && !row->convoy; k++)
        if (table[k].body == row->body && table[k].convoy) return table[k].convoy;
    return row->convoy;
}

static void add_group(hw_body_group group, const hw_body_forms *table) {
    hw_body_forms *forms = level.forms + hw_body_first(group);
    uint32_t n = hw_body_count_of(group);
    for (uint32_t k = 0; k < n; k++) forms[k] = (hw_body_forms){table[k].body, convoy_form(table, n, &table[k])};
}

static void build_index(void) {
    level.used = hw_level_used();
    if (!level.used) return;
    level.forms = calloc(hw_body_count(), sizeof *level.forms);
    if (!level.forms) return;
    for (int g = 0; g < HW_BODY_GROUP_COUNT; g++) {
        const hw_body_forms *table = g < HW_BODIES_OF_LANES ? common_tables[g]
                                                            : level.used->tables[g - HW_BODIES_OF_LANES];
        if (table) add_group((hw_body_group)g, table);
    }
}

static bool is_load_or_store(hw_body_id id) { return id == HW_BODY_LD || id == HW_BODY_ST; }

static hw_body_forms forms_of(const hw_inst *in, hw_body_id id) {
    return is_load_or_store(id) ? level.used->select(in, id == HW_BODY_ST) : level.forms[id];
}

// An instruction that gathers lanes runs the gathering body first, and its own body when all lanes are there.
static void bind_inst(hw_inst *in, hw_body_id id) {
    in->body = forms_of(in, id).body;
    if (hw_body_info_of(id)->members == HW_MEMBERS_NONE) return;
    in->then = in->body;
    in->body = hw_sync_then;
}

// The source line of an instruction, or its line of the PTX where there is none.
static int place_of_note(const hw_program_set *set, const hw_note *note, const char **file) {
    const hw_ptx_module *module = set->module;
    *file = module->name;
    if (!note->line || note->file >= module->n_files || !module->files[note->file]) return (int)note->ptx_line;
    *file = module->files[note->file];
    return (int)note->line;
}

static hw_status refuse_instruction(const hw_program_set *set, const hw_program *program, const hw_inst *in,
                                    hw_body_id id, hw_diag *diag) {
    const hw_note *note = &set->notes[in->note];
    uint32_t index = in->note - program->first_note;
    const char *written = index < program->function->n_insts ? program->function->insts[index].text : NULL;
    const char *file;
    int line = place_of_note(set, note, &file);
    return hw_diag_set_at(diag, HW_UNSUPPORTED, file, line, "instruction %s is not supported (line %u of the PTX)",
                          written ? written : hw_body_name(id), note->ptx_line);
}

static bool accesses_params(hw_body_id id) { return id == HW_BODY_LD_PARAM || id == HW_BODY_ST_PARAM; }

// Does a load or store of the parameter memory itself stay inside? Addresses that are computed are checked when used.
static bool is_inside_params(const hw_program *program, const hw_inst *in, hw_body_id id) {
    if (!accesses_params(id) || in->a != HW_NO_SLOT) return true;
    uint64_t size = in->is_own_param ? program->param_bytes : program->function->param_bytes;
    uint64_t bytes = (uint64_t)in->width * in->vector;
    if (!in->is_own_param && id == HW_BODY_ST_PARAM) return false;    // a kernel cannot change its parameters
    return in->imm >= 0 && bytes <= size && (uint64_t)in->imm <= size - bytes;
}

// Does the function take the address of one of its own parameters? A called function then gets the parameters on its
// stack (call.c); a kernel has no stack for them.
static bool has_address(const hw_program *program, const hw_inst *in, hw_body_id id) {
    bool is_address = id == HW_BODY_PARAM_ADDRESS, is_computed = accesses_params(id) && in->a != HW_NO_SLOT;
    if (!in->is_own_param || !(is_address || is_computed)) return true;
    return !program->function->is_entry && (!is_address || (uint64_t)in->imm <= program->formal_param_bytes);
}

static void bind_call(const hw_program *program, hw_inst *in) {
    const char *name = program->calls[in->call].builtin;
    if (name) in->builtin = hw_builtin_find(name);
}

static hw_status bind_list(const hw_program_set *set, const hw_program *program, hw_inst *insts,
                           const hw_body_id *bodies, uint32_t n, hw_diag *diag) {
    for (uint32_t i = 0; i < n; i++) {
        bind_inst(&insts[i], bodies[i]);
        if (bodies[i] == HW_BODY_CALL) bind_call(program, &insts[i]);
        if (!insts[i].body || !is_inside_params(program, &insts[i], bodies[i]) ||
            !has_address(program, &insts[i], bodies[i]))
            return refuse_instruction(set, program, &insts[i], bodies[i], diag);
    }
    return HW_OK;
}

// The kernel's instructions a second time, for convoys (convoy.c).
static hw_status bind_convoys(hw_program_set *set, hw_program *program, hw_diag *diag) {
    hw_body *bodies = hw_malloc((program->n_insts + 1) * sizeof *bodies);
    if (!bodies) return hw_diag_no_memory(diag);
    for (uint32_t i = 0; i < program->n_insts; i++) {
        const hw_inst *in = &program->insts[i];
        bodies[i] = hw_convoy_body(in, program->bodies[i], forms_of(in, program->bodies[i]).convoy);
    }
    bool done = hw_convoy_bind(program, bodies, set->arena);
    hw_free(bodies);
    return done ? HW_OK : hw_diag_no_memory(diag);
}

// Room for a byte for each of `wanted`. Another thread may be looking at the old ones, which stay as they are.
static hw_status make_room_for(hw_arena *arena, _Atomic(uint8_t *) *bytes, uint32_t *capacity, uint32_t wanted,
                               hw_diag *diag) {
    const uint8_t *old = *bytes;
    if (wanted <= *capacity) return HW_OK;
    uint8_t *fresh = hw_arena_take(arena, 2 * (size_t)wanted);
    if (!fresh) return hw_diag_no_memory(diag);
    for (uint32_t i = 0; i < *capacity; i++) fresh[i] = __atomic_load_n(&old[i], __ATOMIC_RELAXED);
    *bytes = fresh;
    *capacity = 2 * wanted;
    return HW_OK;
}

// Room for what is learned of accesses and branches.
static hw_status make_room_for_seen(hw_program_set *set, hw_diag *diag) {
    hw_status status = make_room_for(set->arena, &set->seen, &set->seen_capacity, set->n_patterns + 1, diag);
    if (status) return status;
    return make_room_for(set->arena, &set->parted, &set->parted_capacity, set->n_blocks + 1, diag);
}

static hw_status make_room_for_code(hw_program_set *set, hw_program *program, hw_diag *diag) {
    program->segments = hw_arena_take(set->arena, (program->n_insts + 1) * sizeof *program->segments);
    program->regions = hw_arena_take(set->arena, (program->n_insts + 1) * sizeof *program->regions);
    return program->segments && program->regions ? HW_OK : hw_diag_no_memory(diag);
}

static const hw_inst *find_call(const hw_program *program, uint32_t site) {
    for (uint32_t i = 0; i < program->n_insts; i++)
        if ((program->bodies[i] == HW_BODY_CALL || program->bodies[i] == HW_BODY_CALL_INDIRECT) &&
            program->insts[i].call == site)
            return &program->insts[i];
    return program->insts;
}

static hw_status check_calls(const hw_program_set *set, const hw_program *program, hw_diag *diag) {
    for (uint32_t i = 0; i < program->n_calls; i++) {
        const char *name = program->calls[i].builtin, *file;
        if (!name || hw_builtin_find(name)) continue;
        char caller[256], callee[256];
        int line = place_of_note(set, &set->notes[find_call(program, i)->note], &file);
        return hw_diag_set_at(diag, HW_UNSUPPORTED, file, line,
                              "%s calls %s, which the program does not define and Halfwarp does not provide",
                              hw_demangle(program->name, caller, sizeof caller),
                              hw_demangle(name, callee, sizeof callee));
    }
    return HW_OK;
}

static hw_status bind_program(hw_program_set *set, hw_program *p, hw_diag *diag) {
    hw_status status = check_calls(set, p, diag);
    if (status == HW_OK) status = bind_list(set, p, p->insts, p->bodies, p->n_insts, diag);
    if (status == HW_OK) status = bind_list(set, p, p->launch_insts, p->launch_bodies, p->n_launch, diag);
    if (status == HW_OK) status = bind_list(set, p, p->block_insts, p->block_bodies, p->n_block, diag);
    if (status == HW_OK) status = bind_list(set, p, p->warp_insts, p->warp_bodies, p->n_warp, diag);
    if (status == HW_OK && p->function->is_entry) status = bind_convoys(set, p, diag);
    if (status == HW_OK) status = make_room_for_code(set, p, diag);
    p->is_bound = status == HW_OK;
    return status;
}

hw_status hw_exec_bind(hw_program_set *set, hw_program *const *programs, uint32_t n, hw_diag *diag) {
    pthread_once(&level_once, build_index);
    if (!level.used)
        return hw_diag_set(diag, HW_UNSUPPORTED,
                           "Halfwarp was built for another processor (%s); build it here, or with -DHW_LEVELS=all for "
                           "all of them", hw_level_names);
    if (!level.forms) return hw_diag_no_memory(diag);
    hw_status status = make_room_for_seen(set, diag);
    for (uint32_t i = 0; i < n && status == HW_OK; i++)
        if (!programs[i]->is_bound) status = bind_program(set, programs[i], diag);
    return status;
}

hw_status hw_exec_watch(hw_program_set *set, hw_diag *diag) {
    for (uint32_t i = 0; i < set->n_programs; i++) {
        hw_program *program = set->programs[i];
        if (program && program->is_bound && !program->watched && !hw_undefined_watch(program, set->arena))
            return hw_diag_no_memory(diag);
    }
    return HW_OK;
}

bool hw_undefined_all_clean(const hw_state *s, const hw_inst *in, uint32_t bytes, uint32_t n) {
    return level.used->all_clean(s, in, bytes, n);
}


void hw_set_mask(hw_warp *w, uint32_t mask) { level.used->set_mask(w, mask); }

hw_space hw_lanes_at(hw_state *s, const hw_inst *in, uint64_t at[32]) { return level.used->lanes_at(s, in, at); }
