// Where the elements of a surface lie, whose reads and writes are ordinary loads and stores. PTX ISA 9.0 section
// 9.7.11.
#include "exec/memory/surface.h"

#include "exec/memory/texels.h"
#include "exec/memory/texture.h"

enum { AXES = 3 };

// The coordinates of one lane: bytes, rows, and slices or layers.
typedef struct spot {
    int64_t at[AXES];
} spot;

static spot spot_of(hw_warp *w, const hw_inst *in, int lane) {
    const hw_slot slots[] = {in->a, in->b, in->c};
    spot s = {{0}};
    for (int axis = 0; axis < in->dimensions; axis++) s.at[axis] = ((const int32_t *)hw_at(w, slots[axis]))[lane];
    if (in->p != HW_NO_SLOT) s.at[AXES - 1] = ((const int32_t *)hw_at(w, in->p))[lane];
    return s;
}

// False: it lies outside. A clamped one is moved to the last element that lies within.
static bool bring_inside(const hw_texture *t, int64_t bytes, bool clamps, spot *s) {
    const int64_t last[AXES] = {(int64_t)t->size[0] * hw_texel_bytes(t) - bytes, t->size[1] - 1, t->size[2] - 1};
    for (int axis = 0; axis < AXES; axis++) {
        if (s->at[axis] >= 0 && s->at[axis] <= last[axis]) continue;
        if (!clamps || last[axis] < 0) return false;
        s->at[axis] = s->at[axis] < 0 ? 0 : last[axis];
    }
    return true;
}

const hw_inst *hw_surface_address(hw_warp *w, const hw_inst *in) {
    hw_state *state = hw_state_of(w);
    const uint32_t bytes = HW_SURFACE_BYTES(in->imm), outside = HW_SURFACE_OUTSIDE(in->imm);
    const uint64_t *handles = hw_at(w, in->fourth);
    uint64_t *d = hw_at(w, in->d), found[32], known = 0;
    hw_texture surface = {0};
    for (uint32_t left = w->mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (handles[lane] != known || !known) {
            if (!hw_texture_find(state, in, lane, handles[lane], true) ||
                !hw_textures_find(hw_mem_textures(state->run->launch->mem), handles[lane], &surface))
                return NULL;
            known = handles[lane];
        }
        spot s = spot_of(w, in, lane);
        const bool is_inside = bring_inside(&surface, bytes, outside == HW_SURFACE_CLAMP, &s);
        const uint64_t address = surface.address + (uint64_t)s.at[2] * surface.slice_bytes +
                                 (uint64_t)s.at[1] * surface.pitch_bytes + (uint64_t)s.at[0];
        if (!is_inside && outside != HW_SURFACE_ZERO)
            return hw_fault_surface(state, in, lane, s.at, &surface);
        found[lane] = is_inside ? address : 0;
    }
    for (uint32_t left = w->mask; left; left &= left - 1) d[__builtin_ctz(left)] = found[__builtin_ctz(left)];
    return in + 1;
}
