// Calls: frames, parameters, returns, and the functions that exec provides itself.
#include "exec/builtin.h"

#include <string.h>

#include "base/alloc.h"
#include "exec/warp.h"

// A call takes this much of the thread's stack besides its .local variables: what a real call saves, roughly. It
// bounds the depth of a recursion that has no local variables.
enum { CALL_BYTES = 16 };

static uint32_t round_up(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }

static hw_frame *new_frame(hw_state *s, const hw_program *program) {
    uint32_t stride = round_up(program->param_bytes, 16);
    size_t registers = round_up(program->frame_bytes, 64);
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
    }
    frame->program = program;
    frame->param_stride = stride;
    frame->params = frame->registers + registers;
    return frame;
}

static char *param_at(const hw_frame *frame, int lane, uint32_t offset) {
    return frame->params + (size_t)lane * frame->param_stride + offset;
}

static const hw_inst *enter(hw_state *s, const hw_inst *in, const hw_call_site *site, const hw_program *callee) {
    hw_warp *w = &s->warp;
    int first = __builtin_ctz(w->mask);
    hw_frame *caller = s->frame;
    hw_frame *frame = new_frame(s, callee);
    if (!frame || !hw_flow_enter(s, in + 1)) return hw_fault_stop(s, in, HW_FAULT_NO_MEMORY, first);
    frame->parent = caller;
    frame->return_to = in + 1;
    frame->site = site;
    frame->live = w->mask;
    frame->local_offset = round_up(caller->local_top + CALL_BYTES, 16);
    frame->local_top = frame->local_offset + callee->local_bytes;
    if (frame->local_top > s->run->local_bytes) {
        frame->next_free = s->free_frames;
        s->free_frames = frame;
        return hw_fault_stop(s, in, HW_FAULT_STACK, first);
    }
    const hw_ptx_function *f = callee->function;
    uint32_t n = f->n_params < site->n_args ? f->n_params : site->n_args;
    for (uint32_t k = 0; k < n; k++)
        HW_EACH_ACTIVE_LANE(memcpy(param_at(frame, i, (uint32_t)f->params[k]->offset),
                                   param_at(caller, i, site->arg_offsets[k]), f->params[k]->size_bytes));
    hw_flow_use_frame(s, frame);
    return callee->insts;
}

static const hw_inst *call_ret(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    hw_frame *frame = s->frame, *caller = frame->parent;
    if (!caller) return hw_flow_exit(s, in);
    hw_flow_account(s, in);
    const hw_ptx_function *f = frame->program->function;
    const hw_call_site *site = frame->site;
    uint32_t n = f->n_rets < site->n_rets ? f->n_rets : site->n_rets;
    for (uint32_t k = 0; k < n; k++)
        HW_EACH_ACTIVE_LANE(memcpy(param_at(caller, i, site->ret_offsets[k]),
                                   param_at(frame, i, (uint32_t)f->rets[k]->offset), f->rets[k]->size_bytes));
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
    const hw_call_site *site = &s->frame->program->calls[in->list];
    if (site->callee) {
        hw_flow_account(s, in);
        return enter(s, in, site, site->callee);
    }
    const hw_inst *stopped = hw_builtin_call(s, in, site);
    if (stopped != in) return stopped;
    hw_flow_account(s, in);
    return hw_flow_go(s, in, in + 1);
}

// Lanes may call different functions: those that agree with the first go now, the others come back here.
static const hw_inst *call_indirect(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    const hw_call_site *site = &s->frame->program->calls[in->list];
    const uint64_t *target = hw_at(w, site->target);
    int first = __builtin_ctz(w->mask);
    uint64_t handle = target[first];
    uint64_t index = (handle - HW_FUNCTION_HANDLE) / 16 - 1;
    const hw_program_set *set = s->run->set;
    if (handle < HW_FUNCTION_HANDLE + 16 || (handle - HW_FUNCTION_HANDLE) % 16 || index >= set->n_programs ||
        !set->programs[index])
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
    return enter(s, in, site, set->programs[index]);
}

// ld.param and st.param of a function's own parameters and of those of the calls it makes.
static const hw_inst *call_ld_param(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    const hw_slot *registers = in->vector > 1 ? w->slots + in->list : &in->d;
    for (uint32_t e = 0; e < in->vector; e++) {
        if (registers[e] == HW_NO_SLOT) continue;
        char *d = hw_at(w, registers[e]);
        uint32_t offset = (uint32_t)in->imm + e * in->width;
        HW_EACH_ACTIVE_LANE(hw_extend(d + (size_t)i * in->reg_bytes, in->reg_bytes, param_at(s->frame, i, offset),
                                      in->width, in->flags & HW_INST_SIGNED));
    }
    return in + 1;
}

static const hw_inst *call_st_param(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
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
    if (in->sub) return call_ld_param(w, in);
    hw_state *s = hw_state_of(w);
    if (in->a != HW_NO_SLOT) return hw_access_general(s, in, false);
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

const hw_body_row hw_call_bodies[] = {
    {"call", call_direct},         {"call.indirect", call_indirect}, {"ret", call_ret},
    {"ld.param", call_ld_param_entry}, {"st.param", call_st_param},      {NULL, NULL},
};
