// Calls: frames, parameters, returns, and the functions that exec provides itself.
#include "exec/warp/builtin.h"

#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "exec/undefined/undefined.h"
#include "exec/warp/warp.h"

// A call takes this much of the thread's stack besides its .local variables: what a real call saves, roughly. It
// bounds the depth of a recursion that has no local variables.
enum { CALL_BYTES = 16 };

static hw_frame *new_frame(hw_state *s, const hw_program *program) {
    uint32_t stride = (uint32_t)hw_align_up(program->param_bytes, 16);
    size_t registers = hw_align_up(program->frame_bytes, 64);
    size_t bytes = registers + (size_t)stride * 32 + 64;
    hw_frame *frame = NULL, **link = &s->free_frames;
    for (; *link; link = &(*link)->next_free) {
        if ((*link)->bytes < bytes) continue;
        frame = *link;
        *link = frame->next_free;
        break;
    }
    if (!frame) {
        frame = hw_calloc(1, sizeof *frame);
        if (!frame) return NULL;
        frame->bytes = bytes;
        frame->registers = hw_alloc_lanes(bytes);
        if (!frame->registers) {
            hw_free(frame);
            return NULL;
        }
        frame->next_made = s->made_frames;
        s->made_frames = frame;
    }
    frame->program = program;
    frame->param_stride = stride;
    frame->params = frame->registers + registers;
    return frame;
}

static char *param_at(const hw_frame *frame, int lane, uint32_t offset) {
    return frame->params + (size_t)lane * frame->param_stride + offset;
}

// Where a function whose parameters' address is taken finds them: in local memory, behind its variables.
uint32_t hw_call_local_params(const hw_frame *frame) {
    return (uint32_t)hw_align_up(frame->local_offset + frame->program->local_bytes, 16);
}

// What a call passes for parameter k: no more bytes than either side knows of.
static size_t passed_bytes(const hw_ptx_symbol *formal, hw_ptx_symbol *const *known, uint32_t n_known, uint32_t k) {
    uint64_t bytes = formal->size_bytes;
    return k < n_known && known[k]->size_bytes < bytes ? known[k]->size_bytes : bytes;
}

static bool pass_arguments(hw_state *s, const hw_inst *in, const hw_call_site *site, const hw_frame *frame) {
    const hw_warp *w = &s->warp;
    const hw_ptx_function *f = frame->program->function, *known = site->signature;
    uint32_t n = f->n_params < site->n_args ? f->n_params : site->n_args;
    for (uint32_t k = 0; k < n; k++) {
        size_t bytes = passed_bytes(f->params[k], known->params, known->n_params, k);
        HW_EACH_ACTIVE_LANE(memcpy(param_at(frame, i, (uint32_t)f->params[k]->offset),
                                   param_at(frame->parent, i, site->arg_offsets[k]), bytes));
    }
    if (!frame->program->takes_param_address) return true;
    uint64_t at = HW_LOCAL_WINDOW + hw_call_local_params(frame);
    HW_EACH_ACTIVE_LANE(if (!hw_access_write(s, in, i, at, param_at(frame, i, 0), frame->program->formal_param_bytes))
                            return false);
    return true;
}

static const hw_inst *enter_function(hw_state *s, const hw_inst *in, const hw_call_site *site,
                                     const hw_program *callee) {
    int first = __builtin_ctz(s->warp.mask);
    hw_frame *caller = s->frame;
    hw_frame *frame = new_frame(s, callee);
    if (!frame || !hw_flow_enter(s, in + 1)) return hw_fault_stop(s, in, HW_FAULT_NO_MEMORY, first);
    frame->parent = caller;
    frame->return_to = in + 1;
    frame->site = site;
    frame->live = s->warp.mask;
    frame->local_offset = (uint32_t)hw_align_up(caller->local_top + CALL_BYTES, 16);
    frame->local_top = frame->local_offset + callee->local_bytes;
    if (callee->takes_param_address) frame->local_top = hw_call_local_params(frame) + callee->formal_param_bytes;
    if (frame->local_top > s->run->local_bytes) return hw_fault_stop(s, in, HW_FAULT_STACK, first);
    if (!pass_arguments(s, in, site, frame)) return NULL;
    if (s->undefined && !hw_undefined_enter(s, site, frame)) return hw_fault_stop(s, in, HW_FAULT_NO_MEMORY, first);
    hw_flow_use_frame(s, frame);
    return hw_flow_spend(s, s->insts);
}

static const hw_inst *call_ret(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    hw_frame *frame = s->frame, *caller = frame->parent;
    if (!caller) return hw_flow_exit(s, in);
    hw_flow_account(s, in);
    const hw_ptx_function *f = frame->program->function;
    const hw_call_site *site = frame->site;
    uint32_t n = f->n_rets < site->n_rets ? f->n_rets : site->n_rets;
    for (uint32_t k = 0; k < n; k++) {
        size_t bytes = passed_bytes(f->rets[k], site->signature->rets, site->signature->n_rets, k);
        HW_EACH_ACTIVE_LANE(memcpy(param_at(caller, i, site->ret_offsets[k]),
                                   param_at(frame, i, (uint32_t)f->rets[k]->offset), bytes));
    }
    if (s->undefined) hw_undefined_return(s, site, frame);
    const hw_inst *next = frame->return_to;
    frame->live &= ~w->mask;
    if (!frame->live) {
        frame->next_free = s->free_frames;
        s->free_frames = frame;
    }
    hw_flow_use_frame(s, caller);
    return hw_flow_go(s, in, next);
}

static const hw_inst *call_direct(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    const hw_call_site *site = &s->frame->program->calls[in->call];
    if (site->callee) {
        hw_flow_account(s, in);
        return enter_function(s, in, site, site->callee);
    }
    const hw_inst *stopped = hw_builtin_call(s, in, site);
    if (stopped != in) return stopped;
    hw_flow_account(s, in);
    return hw_flow_go(s, in, in + 1);
}

// Lanes may call different functions: those that agree with the first go now, the others come back here.
static const hw_inst *call_indirect(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    const hw_call_site *site = &s->frame->program->calls[in->call];
    const uint64_t *target = hw_at(w, site->target);
    int first = __builtin_ctz(w->mask);
    uint64_t handle = target[first];
    uint64_t index = (handle - HW_FUNCTION_HANDLE) / 16 - 1;
    const hw_program_set *set = s->run->set;
    if (handle < HW_FUNCTION_HANDLE + 16 || (handle - HW_FUNCTION_HANDLE) % 16 || index >= set->n_programs ||
        !set->programs[index] || set->programs[index]->function->is_entry)
        return hw_fault_stop(s, in, HW_FAULT_INVALID_CALL, first);
    uint32_t same = 0;
    HW_EACH_ACTIVE_LANE(if (target[i] == handle) same |= 1u << i);
    if (same != w->mask) {
        uint32_t others = w->mask & ~same;
        if (!hw_flow_enter(s, in + 1)) return hw_fault_stop(s, in, HW_FAULT_NO_MEMORY, first);
        hw_set_mask(w, others);
        hw_flow_suspend(s, in, HW_PATH_READY);
        hw_set_mask(w, same);
    }
    hw_flow_account(s, in);
    return enter_function(s, in, site, set->programs[index]);
}

// ld.param and st.param of a function's own parameters and of those of the calls it makes.
static const hw_inst *call_ld_param(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    const hw_program *program = s->frame->program;
    const hw_slot *registers = in->vector > 1 ? w->slots + in->list : &in->d;
    bool is_local = program->takes_param_address && !program->function->is_entry &&
                    (uint64_t)in->imm < program->formal_param_bytes;
    for (uint32_t e = 0; e < in->vector; e++) {
        if (registers[e] == HW_NO_SLOT) continue;
        char *d = hw_at(w, registers[e]);
        uint32_t offset = (uint32_t)in->imm + e * in->width;
        if (is_local) {
            uint64_t at = HW_LOCAL_WINDOW + hw_call_local_params(s->frame) + offset, value[2];
            HW_EACH_ACTIVE_LANE(if (!hw_access_read(s, in, i, at, value, in->width)) return NULL;
                                hw_extend(d + (size_t)i * in->reg_bytes, in->reg_bytes, value, in->width,
                                          in->flags & HW_INST_SIGNED));
            continue;
        }
        HW_EACH_ACTIVE_LANE(hw_extend(d + (size_t)i * in->reg_bytes, in->reg_bytes, param_at(s->frame, i, offset),
                                      in->width, in->flags & HW_INST_SIGNED));
    }
    return in + 1;
}

static const hw_inst *call_st_param(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    if (in->a != HW_NO_SLOT) return hw_access_general(s, in, true);
    const hw_slot *registers = in->vector > 1 ? w->slots + in->list : &in->b;
    for (uint32_t e = 0; e < in->vector; e++) {
        const char *b = hw_at(w, registers[e]);
        uint32_t offset = (uint32_t)in->imm + e * in->width;
        HW_EACH_ACTIVE_LANE(memcpy(param_at(s->frame, i, offset), b + (size_t)i * in->reg_bytes, in->width));
    }
    return in + 1;
}

// A kernel's parameters: the same for all lanes, unless the kernel computes the address.
static const hw_inst *call_ld_param_entry(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    if (in->a != HW_NO_SLOT) return hw_access_general(s, in, false);
    if (in->is_own_param) return call_ld_param(w, in);
    const hw_slot *registers = in->vector > 1 ? w->slots + in->list : &in->d;
    for (uint32_t e = 0; e < in->vector; e++) {
        if (registers[e] == HW_NO_SLOT) continue;
        char *d = hw_at(w, registers[e]);
        const uint8_t *from = s->run->params + in->imm + e * in->width;
        HW_EACH_ACTIVE_LANE(
            hw_extend(d + (size_t)i * in->reg_bytes, in->reg_bytes, from, in->width, in->flags & HW_INST_SIGNED));
    }
    return in + 1;
}

bool hw_call_is_ret(const hw_inst *in) { return in->body == call_ret; }

#define NAMED(id, name, function, ...) {function, NULL},
const hw_body_forms hw_call_bodies[] = {
#include "isa/bodies/call.def"
};
