// The passes in order, what they leave behind, and which functions go through them.
#include <string.h>

#include "base/alloc.h"
#include "isa/rates.h"
#include "lower/lowering.h"
#include "lower/root.h"

// ---- notes ----

// Do the operands describe the access: elements of the instruction's type, in the space that it names?
static bool accesses_its_space(const hw_traits *traits) {
    return traits->emitter == HW_EMIT_LOAD_STORE || traits->emitter == HW_EMIT_ATOMIC;
}

// Parameters are operands of other instructions, not accesses.
static hw_issue_cost cost_of_inst(const hw_ptx_inst *inst) {
    if (accesses_its_space(hw_op_traits(inst->op))) return (hw_issue_cost){HW_RATE_ISSUE, 0};
    return hw_issue_cost_of(inst->op, &inst->mods, inst->types);
}

static void write_notes(hw_program *program) {
    const hw_ptx_function *f = program->function;
    for (uint32_t i = 0; i < f->n_insts; i++) {
        const hw_ptx_inst *inst = &f->insts[i];
        hw_note *note = &program->notes[i];
        const hw_traits *traits = hw_op_traits(inst->op);
        note->kind = hw_inst_effects(inst->op, &inst->mods, inst->space, inst->guard >= 0).kind;
        hw_order_write(inst, note);
        note->function = (uint32_t)program->index;
        note->ptx_line = (uint32_t)inst->line;
        note->file = inst->loc_file;
        note->line = inst->loc_line;
        note->inlined = inst->loc_inlined;
        note->copies_rows = traits->emitter == HW_EMIT_BULK_COPY;
        if (traits->emitter == HW_EMIT_COPY || traits->emitter == HW_EMIT_MATRIX_ACCESS) {
            note->space = HW_SPACE_SHARED;
            note->width_bytes = note->merged_bytes = hw_emit_copies(inst) ? (uint8_t)inst->operands[2].imm : 16;
        }
        if (traits->emitter == HW_EMIT_FRAGMENT_ACCESS) {
            note->space = (uint8_t)inst->space;
            note->width_bytes = note->merged_bytes = (uint8_t)hw_emit_wmma_bytes(inst);
        }
        note->fetches_texels = traits->emitter == HW_EMIT_TEXTURE;
        if (traits->emitter == HW_EMIT_SURFACE) {
            note->space = HW_SPACE_GLOBAL;
            note->width_bytes = note->merged_bytes = hw_emit_surface_bytes(inst);
        }
        if (note->kind == HW_NOTE_PLAIN) {
            const hw_issue_cost cost = cost_of_inst(inst);
            note->pipe = cost.rate;
            note->issues = cost.count;
            const hw_flop_count flops = hw_flops_of(inst->op, &inst->mods, inst->types);
            note->flop = flops.flop;
            note->flops = flops.count;
        }
        if (note->kind == HW_NOTE_PLAIN || !accesses_its_space(traits)) continue;
        unsigned elements = inst->vector ? inst->vector : 1;
        note->space = (uint8_t)inst->space;
        note->width_bytes = note->merged_bytes = (uint8_t)(hw_type_bits(inst->types[0]) / 8 * elements);
        note->skips_l1 = hw_has_mod(&inst->mods, HW_M_CG) || hw_has_mod(&inst->mods, HW_M_CV);
    }
}

// ---- one function ----

static bool keep_list(hw_lowering *lo, const hw_inst_list *list, hw_inst **insts, hw_body_id **bodies, uint32_t *n) {
    *insts = hw_arena_take(lo->arena, ((size_t)list->n + 1) * sizeof **insts);
    *bodies = hw_arena_take(lo->arena, ((size_t)list->n + 1) * sizeof **bodies);
    if (!*insts || !*bodies) return false;
    if (list->n) {
        memcpy(*insts, list->insts, list->n * sizeof **insts);
        memcpy(*bodies, list->bodies, list->n * sizeof **bodies);
    }
    *n = list->n;
    return true;
}

// Constants at an address that is the same in the whole launch are operands of other instructions for the hardware.
static void note_indexed(hw_lowering *lo) {
    for (uint32_t i = 0; i < lo->body.n; i++) {
        const hw_inst *in = &lo->body.insts[i];
        if (in->note - lo->program->first_note >= lo->program->n_notes) continue;
        hw_note *note = &lo->program->notes[in->note - lo->program->first_note];
        if (note->kind != HW_NOTE_LOAD || note->space != HW_SPACE_CONST || in->a == HW_NO_SLOT) continue;
        note->is_indexed |= (in->a & 3) != HW_BASE_LAUNCH;
    }
}

static hw_status keep_lists(hw_lowering *lo) {
    hw_program *p = lo->program;
    hw_inst end = hw_emit_blank();
    lo->index = 0;
    for (unsigned k = 0; k < 3; k++) {
        lo->list = &lo->lists[k];
        hw_status status = hw_emit_inst(lo, HW_BODY_END, &end);
        if (status != HW_OK) return status;
    }
    if (!keep_list(lo, &lo->body, &p->insts, &p->bodies, &p->n_insts) ||
        !keep_list(lo, &lo->lists[HW_LEVEL_LAUNCH], &p->launch_insts, &p->launch_bodies, &p->n_launch) ||
        !keep_list(lo, &lo->lists[HW_LEVEL_BLOCK], &p->block_insts, &p->block_bodies, &p->n_block) ||
        !keep_list(lo, &lo->lists[HW_LEVEL_THREAD], &p->warp_insts, &p->warp_bodies, &p->n_warp))
        return hw_diag_no_memory(lo->diag);
    return HW_OK;
}

// A program that fails stays as it was, so that whoever asks again gets the same answer.
static hw_status lower_function(hw_program_set *set, hw_program *program, hw_diag *diag) {
    const hw_ptx_function *f = program->function;
    const hw_program before = *program;
    hw_lowering lo = {.set = set, .module = set->module, .arena = set->arena, .scratch = hw_arena_create(),
                      .diag = diag, .spelled = set->spelled, .f = f, .program = program,
                      .dynamic_shared_align = hw_layout_dynamic_alignment(set->module)};
    hw_status status = HW_OK;
    for (int lane = 0; lane < HW_LANE_COUNT; lane++) {
        lo.dynamic_shared[lane] = HW_NO_SLOT;
        for (int k = 0; k < HW_SCRATCH_MAX; k++) lo.scratch_slots[lane][k] = HW_NO_SLOT;
    }
    if (lo.scratch) {
        lo.regs = hw_arena_take(lo.scratch, ((size_t)f->n_regs + 1) * sizeof *lo.regs);
        lo.lifted = hw_arena_take(lo.scratch, (size_t)f->n_insts + 1);
    }
    if (!lo.scratch || !lo.regs || !lo.lifted) status = hw_diag_no_memory(diag);
    program->first_block = set->n_blocks;
    if (status == HW_OK) status = hw_cfg_build(lo.scratch, f, &lo.cfg, diag);
    if (status == HW_OK) status = hw_layout_function(&lo);
    if (status == HW_OK) status = hw_merge(&lo);
    if (status == HW_OK) status = hw_watch_find(&lo);
    if (status == HW_OK) status = hw_lift(&lo);
    if (status == HW_OK) status = hw_narrow_find(&lo);
    if (status == HW_OK) status = hw_live_assign(&lo);
    if (status == HW_OK) status = hw_emit_body(&lo);
    if (status == HW_OK) note_indexed(&lo);
    if (status == HW_OK) status = keep_lists(&lo);
    if (status == HW_OK) status = hw_slots_launch_image(&lo);
    hw_arena_destroy(lo.scratch);
    if (status == HW_OK) program->is_lowered = true;
    else *program = before;
    return status;
}

// ---- what a kernel can call ----

typedef struct reach {
    hw_program **found;
    uint32_t n;
    uint8_t *is_found;      // by program
} reach;

static void find_program(reach *r, hw_program *program) {
    if (!r->is_found[program->index]) r->found[r->n++] = program;
    r->is_found[program->index] = 1;
}

// As exec marks them before a launch (src/exec/exec.c).
static void find_callees(const hw_program_set *set, const hw_program *program, reach *r) {
    for (uint32_t i = 0; i < program->n_calls; i++) {
        const hw_call_site *site = &program->calls[i];
        if (site->callee) find_program(r, site->callee);
        for (uint32_t k = 0; !site->callee && !site->builtin && k < set->n_programs; k++)
            if (set->programs[k] && hw_ptx_has_address(set->programs[k]->function)) find_program(r, set->programs[k]);
    }
}

hw_status hw_lower_reach(hw_program_set *set, hw_program *entry, hw_program **reached, uint32_t *n, hw_diag *diag) {
    reach r = {.found = reached, .is_found = hw_calloc(set->n_programs, 1)};
    hw_status status = r.is_found ? HW_OK : hw_diag_no_memory(diag);
    if (status == HW_OK) find_program(&r, entry);
    for (uint32_t k = 0; k < r.n && status == HW_OK; k++) {
        if (!r.found[k]->is_lowered) status = lower_function(set, r.found[k], diag);
        find_callees(set, r.found[k], &r);
    }
    hw_free(r.is_found);
    *n = r.n;
    return status;
}

// ---- the module ----

static hw_status create_programs(hw_program_set *set, const hw_ptx_module *module, hw_diag *diag) {
    set->n_programs = module->n_functions;
    set->programs = hw_arena_take(set->arena, ((size_t)set->n_programs + 1) * sizeof *set->programs);
    if (!set->programs) return hw_diag_no_memory(diag);
    uint64_t n_notes = 0;
    for (uint32_t k = 0; k < set->n_programs; k++) {
        const hw_ptx_function *f = module->functions[k];
        if (!f->has_body) continue;
        hw_program *program = hw_arena_take(set->arena, sizeof *program);
        if (!program) return hw_diag_no_memory(diag);
        program->name = f->name;
        program->function = f;
        program->index = (int)k;
        program->regs_estimate = 1;      // until it is lowered
        program->first_note = (uint32_t)n_notes;
        // An empty function has one note, for the return at its end.
        program->n_notes = f->n_insts ? f->n_insts : 1;
        n_notes += program->n_notes;
        set->programs[k] = program;
    }
    if (n_notes > 1u << 28) return hw_diag_set(diag, HW_UNSUPPORTED, "%s has too many instructions", module->name);
    set->n_notes = (uint32_t)n_notes;
    set->notes = hw_arena_take(set->arena, (n_notes + 1) * sizeof *set->notes);
    if (!set->notes) return hw_diag_no_memory(diag);
    for (uint32_t k = 0; k < set->n_programs; k++)
        if (set->programs[k]) set->programs[k]->notes = set->notes + set->programs[k]->first_note;
    return HW_OK;
}

static hw_status describe_programs(hw_program_set *set, hw_diag *diag) {
    hw_status status = hw_layout_module(set, set->module, diag);
    for (uint32_t k = 0; k < set->n_programs && status == HW_OK; k++) {
        if (!set->programs[k]) continue;
        write_notes(set->programs[k]);
        status = hw_layout_local(set->module, set->programs[k], diag);
    }
    if (status == HW_OK) hw_order_number(set);
    return status;
}

hw_status hw_lower_open(hw_ptx_module *module, hw_program_set **out, hw_diag *diag) {
    hw_arena *arena = hw_arena_create();
    hw_program_set *set = arena ? hw_arena_take(arena, sizeof *set) : NULL;
    *out = NULL;
    if (set) set->spelled = hw_arena_take(arena, HW_SPELLED * sizeof *set->spelled);
    if (!set || !set->spelled) {
        hw_arena_destroy(arena);
        return hw_diag_no_memory(diag);
    }
    set->arena = arena;
    set->module = module;
    hw_status status = create_programs(set, module, diag);
    if (status == HW_OK) status = describe_programs(set, diag);
    if (status == HW_OK) *out = set;
    else hw_arena_destroy(arena);
    return status;
}

hw_status hw_lower_module(hw_ptx_module *module, hw_program_set **out, hw_diag *diag) {
    hw_program_set *set;
    *out = NULL;
    hw_status status = hw_lower_open(module, &set, diag);
    if (status != HW_OK) return status;
    for (uint32_t k = 0; k < set->n_programs && status == HW_OK; k++)
        if (set->programs[k]) status = lower_function(set, set->programs[k], diag);
    if (status == HW_OK) *out = set;
    else hw_program_set_free(set);
    return status;
}

void hw_program_set_free(hw_program_set *set) {
    for (uint32_t k = 0; set && k < set->n_programs; k++)
        if (set->programs[k]) hw_roots_free(set->programs[k]->roots);
    if (set) hw_arena_destroy(set->arena);
}
