// Lanes of a warp that meet in one instruction (shfl, vote, ...) while they are in several calls of one function: each
// call has its operands in a frame of its own.
#include <string.h>

#include "exec/warp/warp.h"

enum { RESULTS = 2, OPERANDS = 6, OPERAND_BYTES = 32 * 8, PREDICATE = 0 };

// The operands of all lanes, results first: where each lies in a call, how wide a lane of it is, and a copy.
typedef struct meeting {
    hw_slot slots[OPERANDS];
    uint32_t lane_bytes[OPERANDS];
    _Alignas(64) char operands[OPERANDS][OPERAND_BYTES];
} meeting;

static void copy_lanes(char *to, const char *from, uint32_t lane_bytes, uint32_t lanes) {
    if (lane_bytes == PREDICATE) {
        uint32_t *bits = (uint32_t *)to;
        *bits = (*bits & ~lanes) | (*(const uint32_t *)from & lanes);
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        size_t at = (size_t)__builtin_ctz(lanes) * lane_bytes;
        memcpy(to + at, from + at, lane_bytes);
    }
}

// Sources into the copy, or results out of it.
static void copy_operands(hw_state *s, meeting *m, uint32_t together, bool is_results) {
    uint32_t begin = is_results ? 0 : RESULTS, end = is_results ? RESULTS : OPERANDS;
    for (uint32_t i = 0; i < s->n_paths; i++) {
        const hw_path *path = &s->paths[i];
        if (path->state != HW_PATH_AT_SYNC || !(path->mask & together)) continue;
        hw_flow_use_frame(s, path->frame);
        for (uint32_t k = begin; k < end; k++) {
            if (m->slots[k] == HW_NO_SLOT) continue;
            char *own = hw_at(&s->warp, m->slots[k]);
            if (is_results) copy_lanes(own, m->operands[k], m->lane_bytes[k], path->mask);
            else copy_lanes(m->operands[k], own, m->lane_bytes[k], path->mask);
        }
    }
}

// The instruction runs on copies, not in the frame of one of the calls: in a recursion that frame may hold live values
// of the other calls' lanes.
void hw_frames_meet(hw_state *s, const hw_inst *in, uint32_t together) {
    meeting m = {
        .slots = {in->d, in->e, in->a, in->b, in->c, in->p},
        .lane_bytes = {in->reg_bytes, PREDICATE, in->width == 8 ? 8 : 4, 4, 4,
                       in->members == HW_MEMBERS_IN_P ? 4 : PREDICATE},
    };
    hw_inst copy = *in;
    hw_slot *const fields[OPERANDS] = {&copy.d, &copy.e, &copy.a, &copy.b, &copy.c, &copy.p};
    for (uint32_t k = 0; k < OPERANDS; k++)
        if (m.slots[k] != HW_NO_SLOT) *fields[k] = k * OPERAND_BYTES | HW_BASE_FRAME;
    copy_operands(s, &m, together, false);
    hw_set_base(&s->warp, HW_BASE_FRAME, m.operands[0]);
    hw_set_mask(&s->warp, together);
    in->then(&s->warp, &copy);
    copy_operands(s, &m, together, true);
}
