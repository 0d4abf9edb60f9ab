// Special registers, addresses of local and dynamic shared memory, and instructions that do little here.
#include <string.h>
#include <time.h>

#include "base/integers.h"
#include "exec/memory/surface.h"
#include "exec/schedule/cycles.h"
#include "exec/warp/reserved.h"
#include "exec/warp/warp.h"

static uint64_t wall_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// The thread's place in the block, by axis.
static uint32_t tid(const hw_state *s, int lane, int axis) {
    const uint32_t *block = s->run->launch->block;
    uint32_t linear = s->thread_of_lane0 + (uint32_t)lane;
    if (axis == 0) return linear % block[0];
    if (axis == 1) return linear / block[0] % block[1];
    return linear / block[0] / block[1];
}

// Cycles of the multiprocessor; without a model of them it ticks once per PTX instruction that the block has issued.
// Either moves whenever the block does, and is the same in every run.
static uint64_t clock_of(hw_state *s, uint32_t note) {
    return s->run->cycles ? (uint64_t)hw_cycles_now(s, note) : s->block->issued;
}

static uint64_t globaltimer_of(hw_state *s, uint32_t note) {
    const hw_exec_gpu *gpu = &s->run->launch->gpu;
    if (!s->run->cycles || !gpu->clock_khz) return wall_ns();
    return gpu->begin_ns + (uint64_t)(hw_cycles_now(s, note) * 1e6 / gpu->clock_khz);
}

// Where the block's cluster is in the grid, and the block in its cluster.
static uint64_t cluster_value(const hw_state *s, hw_sreg sreg) {
    const uint32_t *grid = s->run->launch->grid, *of = s->run->cluster, *index = s->block->index;
    switch (sreg) {
    case HW_SREG_CLUSTERID_X: return index[0] / of[0];
    case HW_SREG_CLUSTERID_Y: return index[1] / of[1];
    case HW_SREG_CLUSTERID_Z: return index[2] / of[2];
    case HW_SREG_NCLUSTERID_X: return grid[0] / of[0];
    case HW_SREG_NCLUSTERID_Y: return grid[1] / of[1];
    case HW_SREG_NCLUSTERID_Z: return grid[2] / of[2];
    case HW_SREG_CLUSTER_CTAID_X: return index[0] % of[0];
    case HW_SREG_CLUSTER_CTAID_Y: return index[1] % of[1];
    case HW_SREG_CLUSTER_CTAID_Z: return index[2] % of[2];
    case HW_SREG_CLUSTER_NCTAID_X: return of[0];
    case HW_SREG_CLUSTER_NCTAID_Y: return of[1];
    case HW_SREG_CLUSTER_NCTAID_Z: return of[2];
    case HW_SREG_CLUSTER_CTARANK: return s->block->rank;
    case HW_SREG_CLUSTER_NCTARANK: return s->run->cluster_blocks;
    default: return 0;
    }
}

static uint64_t lane_value(hw_state *s, hw_sreg sreg, int lane, uint32_t note) {
    const hw_launch *launch = s->run->launch;
    switch (sreg) {
    case HW_SREG_TID_X: return tid(s, lane, 0);
    case HW_SREG_TID_Y: return tid(s, lane, 1);
    case HW_SREG_TID_Z: return tid(s, lane, 2);
    case HW_SREG_NTID_X: return launch->block[0];
    case HW_SREG_NTID_Y: return launch->block[1];
    case HW_SREG_NTID_Z: return launch->block[2];
    case HW_SREG_CTAID_X: return s->block->index[0];
    case HW_SREG_CTAID_Y: return s->block->index[1];
    case HW_SREG_CTAID_Z: return s->block->index[2];
    case HW_SREG_NCTAID_X: return launch->grid[0];
    case HW_SREG_NCTAID_Y: return launch->grid[1];
    case HW_SREG_NCTAID_Z: return launch->grid[2];
    case HW_SREG_LANEID: return (uint64_t)lane;
    case HW_SREG_WARPID: return s->index;
    case HW_SREG_NWARPID: return s->run->n_warps;
    case HW_SREG_SMID: return s->block->linear % launch->gpu.sms;
    case HW_SREG_NSMID: return launch->gpu.sms;
    case HW_SREG_GRIDID: return launch->grid_id;
    case HW_SREG_LANEMASK_EQ: return 1u << lane;
    case HW_SREG_LANEMASK_LE: return (uint32_t)((2ull << lane) - 1);
    case HW_SREG_LANEMASK_LT: return (1u << lane) - 1;
    case HW_SREG_LANEMASK_GE: return ~((1u << lane) - 1);
    case HW_SREG_LANEMASK_GT: return ~(uint32_t)((2ull << lane) - 1);
    case HW_SREG_CLOCK: return (uint32_t)clock_of(s, note);
    case HW_SREG_CLOCK_HI: return clock_of(s, note) >> 32;
    case HW_SREG_CLOCK64: return clock_of(s, note);
    case HW_SREG_GLOBALTIMER: return globaltimer_of(s, note);
    case HW_SREG_GLOBALTIMER_LO: return (uint32_t)globaltimer_of(s, note);
    case HW_SREG_GLOBALTIMER_HI: return globaltimer_of(s, note) >> 32;
    case HW_SREG_TOTAL_SMEM_SIZE: case HW_SREG_AGGR_SMEM_SIZE: return s->run->shared_bytes;
    case HW_SREG_RESERVED_SMEM_BEGIN: case HW_SREG_RESERVED_SMEM_0: case HW_SREG_RESERVED_SMEM_1:
        return s->run->shared_bytes - HW_RESERVED_SHARED_BYTES;
    case HW_SREG_RESERVED_SMEM_END: return s->run->shared_bytes;
    case HW_SREG_RESERVED_SMEM_CAP: return HW_RESERVED_SHARED_BYTES;
    case HW_SREG_DYNAMIC_SMEM_SIZE: return launch->dynamic_shared_bytes;
    case HW_SREG_ENVREG1: return launch->grid_barrier >> 32;
    case HW_SREG_ENVREG2: return (uint32_t)launch->grid_barrier;
    default: return cluster_value(s, sreg);
    }
}

static bool is_same_for_all_lanes(hw_sreg sreg) {
    return !(sreg <= HW_SREG_TID_Z && sreg >= HW_SREG_TID_X) && sreg != HW_SREG_LANEID &&
           !(sreg >= HW_SREG_LANEMASK_EQ && sreg <= HW_SREG_LANEMASK_GT);
}

void hw_outside_tell(hw_state *s, uint32_t note, hw_outside_kind kind) {
    if (!HW_IS_TOLD(s, OUTSIDE) || s->worker->told_outside) return;
    s->worker->told_outside = true;
    hw_tell_outside(&s->run->observers->all, s->worker->index, &(hw_outside){note, kind});
}

static const hw_inst *special_sreg(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    hw_sreg sreg = (hw_sreg)in->sreg;
    bool is_clock = hw_sreg_is_clock(sreg);
    // Reading the clock is how a loop waits for time to pass.
    if (is_clock) s->block->issued++;
    if (is_clock) hw_outside_tell(s, in->note, HW_OUTSIDE_CLOCK);
    if (sreg == HW_SREG_GRIDID) hw_outside_tell(s, in->note, HW_OUTSIDE_NUMBER);
    if (hw_sreg_type(sreg) == HW_T_PRED) {
        hw_set_pred(w, in->d, s->run->cluster_blocks > 1 ? ~0u : 0);
    } else if (hw_type_bits(hw_sreg_type(sreg)) == 64) {
        uint64_t *d = hw_at(w, in->d), value = lane_value(s, sreg, 0, in->note);
        HW_LANES(d, value);
    } else if (is_same_for_all_lanes(sreg)) {
        uint32_t *d = hw_at(w, in->d), value = (uint32_t)lane_value(s, sreg, 0, in->note);
        HW_LANES(d, value);
    } else {
        uint32_t *d = hw_at(w, in->d);
        HW_EACH_ACTIVE_LANE(d[i] = (uint32_t)lane_value(s, sreg, i, in->note));
    }
    return in + 1;
}

// The rank of the block whose shared memory an address is in: of one that names none, the own.
static uint32_t rank_of(const hw_state *s, uint64_t address) {
    const uint64_t offset = (uint32_t)address;
    return hw_has_rank(offset) ? (uint32_t)(offset >> HW_RANK_BITS) - 1 : s->block->rank;
}

static const hw_inst *special_rank_u32(hw_warp *w, const hw_inst *in) {
    const uint32_t *a = hw_at(w, in->a);
    uint32_t *d = hw_at(w, in->d);
    HW_LANES(d, rank_of(hw_state_of(w), a[i]));
    return in + 1;
}

static const hw_inst *special_rank_u64(hw_warp *w, const hw_inst *in) {
    const uint64_t *a = hw_at(w, in->a);
    uint32_t *d = hw_at(w, in->d);
    HW_LANES(d, rank_of(hw_state_of(w), a[i]));
    return in + 1;
}

static const hw_inst *store_address(hw_warp *w, const hw_inst *in, uint64_t value) {
    if (in->lane_bytes == 4) {
        uint32_t *d = hw_at(w, in->d);
        HW_LANES(d, (uint32_t)value);
    } else {
        uint64_t *d = hw_at(w, in->d);
        HW_LANES(d, value);
    }
    return in + 1;
}

static const hw_inst *special_local_address(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    return store_address(w, in, (s->frame ? s->frame->local_offset : 0) + (uint64_t)in->imm);
}

static const hw_inst *special_param_address(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    uint64_t params = in->is_own_param ? hw_call_local_params(s->frame) : s->run->param_address;
    return store_address(w, in, params + (uint64_t)in->imm);
}

// Dynamic shared memory begins behind the kernel's static variables.
static const hw_inst *special_shared_dynamic(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    uint64_t alignment = in->imm > 0 ? (uint64_t)in->imm : 16;
    return store_address(w, in, hw_align_up(s->run->entry->shared_bytes, alignment));
}

// barrier.cluster.arrive is a fence here: who arrives will wait, which is what the barrier of the cluster counts.
void hw_fence_tell(hw_state *s, const hw_inst *in) {
    const hw_note *note = &s->run->set->notes[in->note];
    const hw_listeners *all = &s->run->observers->all;
    if (note->kind == HW_NOTE_BARRIER) {
        const hw_barrier_step step = {.where = hw_where_of(s), .note = in->note, .action = HW_BARRIER_ARRIVE,
                                      .barrier = HW_CLUSTER_BARRIER, .mask = s->warp.mask};
        hw_tell_barrier(all, s->worker->index, &step);
        return;
    }
    const hw_fence fence = {.where = hw_where_of(s), .note = in->note, .mask = s->warp.mask, .order = note->order,
                            .scope = note->scope, .proxy = note->proxy};
    hw_tell_fence(all, s->worker->index, &fence);
}

static const hw_inst *special_fence(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (s->events & (HW_WANTS(FENCE) | HW_WANTS(BARRIER))) hw_fence_tell(s, in);
    return in + 1;
}

static const hw_inst *special_nop(hw_warp *w, const hw_inst *in) {
    (void)w;
    return in + 1;
}

// ---- arithmetic that is watched: of programs that have been lowered so ----

static void tell_arithmetic(hw_state *s, const hw_inst *in, uint32_t mask, hw_arithmetic_kind kind) {
    const hw_arithmetic event = {.where = hw_where_of(s), .note = in->note, .mask = mask, .kind = kind};
    if (mask && HW_IS_TOLD(s, ARITHMETIC)) hw_tell_arithmetic(&s->run->observers->all, s->worker->index, &event);
}

// By hw_watched_float: floats in a lane, their bits, and infinity, which what is less than is finite.
static const struct {
    uint8_t n, bits;
    uint64_t infinite;
} floats[] = {
    [HW_WATCHED_F32] = {1, 32, 0x7f800000},   [HW_WATCHED_F64] = {1, 64, 0x7ff0000000000000},
    [HW_WATCHED_F16] = {1, 16, 0x7c00},       [HW_WATCHED_F16X2] = {2, 16, 0x7c00},
    [HW_WATCHED_BF16] = {1, 16, 0x7f80},      [HW_WATCHED_BF16X2] = {2, 16, 0x7f80},
    [HW_WATCHED_F32X2] = {2, 32, 0x7f800000},
};

// Element i of so many bits.
static inline uint64_t element_at(const void *elements, uint32_t bits, uint32_t i) {
    return bits == 16 ? ((const uint16_t *)elements)[i] : bits == 32 ? ((const uint32_t *)elements)[i]
                                                                     : ((const uint64_t *)elements)[i];
}

// Lanes whose float, at this place of the lane, is neither NaN nor infinite, by the exponent alone; nan: that are NaN.
static uint32_t finite_lanes(const hw_warp *w, hw_slot slot, hw_watched_float is, uint32_t place, uint32_t *nan) {
    const void *elements = hw_at(w, slot);
    const uint32_t bits = floats[is].bits, n = floats[is].n;
    const uint64_t sign = 1ull << (bits - 1), infinite = floats[is].infinite;
    uint32_t finite = 0;
    *nan = 0;
    for (uint32_t i = 0; i < 32; i++) {
        const uint64_t magnitude = element_at(elements, bits, i * n + place) & (sign - 1);
        finite |= (uint32_t)(magnitude < infinite) << i;
        *nan |= (uint32_t)(magnitude > infinite) << i;
    }
    return finite;
}

// The result may lie where an operand was: so those are looked at before. What is no pair counts for both of one.
static const hw_inst *special_watch_operands(hw_warp *w, const hw_inst *in) {
    const hw_slot operands[] = {in->a, in->b, in->c};
    hw_state *s = hw_state_of(w);
    uint32_t nan;
    s->finite[0] = s->finite[1] = w->mask;
    for (int k = 0; k < 3; k++) {
        const hw_watched_float is = (hw_watched_float)(in->imm >> 8 * k & 255);
        if (!is) continue;
        for (uint32_t place = 0; place < 2; place++)
            s->finite[place] &= finite_lanes(w, operands[k], is, place < floats[is].n ? place : 0, &nan);
    }
    return in + 1;
}

static const hw_inst *special_watch_result(hw_warp *w, const hw_inst *in) {
    const hw_watched_float is = (hw_watched_float)in->imm;
    hw_state *s = hw_state_of(w);
    uint32_t nans = 0, infinities = 0;
    for (uint32_t place = 0; place < floats[is].n; place++) {
        uint32_t nan;
        const uint32_t finite = finite_lanes(w, in->a, is, place, &nan), born = s->finite[place] & w->mask & ~finite;
        nans |= born & nan;
        infinities |= born & ~nan;
    }
    tell_arithmetic(s, in, nans, HW_ARITHMETIC_NAN);
    tell_arithmetic(s, in, infinities, HW_ARITHMETIC_INFINITY);
    return in + 1;
}

static inline int64_t exact(int64_t what, int64_t a, int64_t b, int64_t c) {
    switch (what) {
    case HW_WATCHED_ADD: return a + b;
    case HW_WATCHED_SUB: return a - b;
    case HW_WATCHED_MUL: return a * b;
    case HW_WATCHED_SHL: return b >= 0 && b < 32 ? a * (1ll << b) : 0;
    default: return a * b + c;
    }
}

static const hw_inst *special_watch_overflow(hw_warp *w, const hw_inst *in) {
    const int32_t *a = hw_at(w, in->a), *b = hw_at(w, in->b);
    const int32_t *c = in->c == HW_NO_SLOT ? a : hw_at(w, in->c);
    uint32_t beyond = 0;
    HW_EACH_ACTIVE_LANE(const int64_t result = exact(in->imm, a[i], b[i], c[i]);
                        beyond |= (uint32_t)(result != (int32_t)result) << i);
    tell_arithmetic(hw_state_of(w), in, beyond, HW_ARITHMETIC_OVERFLOW);
    return in + 1;
}

static const hw_inst *special_watch_divisor(hw_warp *w, const hw_inst *in) {
    const void *lanes = hw_at(w, in->a);
    uint32_t zero = 0;
    HW_EACH_ACTIVE_LANE(const uint64_t divisor = in->lane_bytes == 2 ? ((const uint16_t *)lanes)[i]
                                                 : in->lane_bytes == 4 ? ((const uint32_t *)lanes)[i]
                                                                  : ((const uint64_t *)lanes)[i];
                        zero |= (uint32_t)!divisor << i);
    tell_arithmetic(hw_state_of(w), in, zero, HW_ARITHMETIC_DIVISION);
    return in + 1;
}

static const hw_inst *special_watch_shift(hw_warp *w, const hw_inst *in) {
    const uint32_t *amounts = hw_at(w, in->a);
    uint32_t beyond = 0;
    HW_EACH_ACTIVE_LANE(beyond |= (uint32_t)(amounts[i] >= (uint64_t)in->imm) << i);
    tell_arithmetic(hw_state_of(w), in, beyond, HW_ARITHMETIC_SHIFT);
    return in + 1;
}

// The end of a list of lifted instructions.
static const hw_inst *special_end(hw_warp *w, const hw_inst *in) {
    (void)w;
    (void)in;
    return NULL;
}

static const hw_inst *special_nanosleep(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    hw_turn_give_up(&s->turn);
    return in + 1;
}

static const hw_inst *special_trap(hw_warp *w, const hw_inst *in) {
    return hw_fault_stop(hw_state_of(w), in, HW_FAULT_TRAP, __builtin_ctz(w->mask));
}

// alloca: the call's local memory grows by the most that any lane asks for.
static const hw_inst *special_alloca(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    uint64_t most = 0, alignment = in->imm > 0 ? (uint64_t)in->imm : 8;
    const void *a = hw_at(w, in->a);
    HW_EACH_ACTIVE_LANE(uint64_t bytes = in->lane_bytes == 4 ? ((const uint32_t *)a)[i] : ((const uint64_t *)a)[i];
                        most = bytes > most ? bytes : most);
    uint64_t begin = hw_align_up(s->frame->local_top, alignment);
    if (most > s->run->local_bytes || begin + most > s->run->local_bytes)
        return hw_fault_stop(s, in, HW_FAULT_STACK, __builtin_ctz(w->mask));
    s->frame->local_top = (uint32_t)(begin + most);
    return store_address(w, in, begin);
}

static const hw_inst *special_stacksave(hw_warp *w, const hw_inst *in) {
    return store_address(w, in, hw_state_of(w)->frame->local_top);
}

static const hw_inst *special_stackrestore(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    int i = __builtin_ctz(w->mask);
    uint64_t top = in->lane_bytes == 4 ? ((uint32_t *)hw_at(w, in->a))[i] : ((uint64_t *)hw_at(w, in->a))[i];
    if (top > s->run->local_bytes) return hw_fault_stop(s, in, HW_FAULT_STACK, i);
    s->frame->local_top = (uint32_t)top;
    return in + 1;
}

#define NAMED(id, name, function, ...) {function, NULL},
#define ROW(name, function, ...) {function, NULL},
const hw_body_forms hw_special_bodies[] = {
#include "isa/bodies/special.def"
};
