// Which texels a fetch reads, and telling them.
#include "exec/memory/texels.h"

#include <math.h>
#include <string.h>

// The index on one axis, or -1 for the border.
static int64_t place_texel(const hw_texture *t, int axis, int64_t i) {
    int64_t n = t->size[axis];
    uint8_t edge = t->edge[axis];
    if (i >= 0 && i < n) return i;
    if (t->is_buffer || edge == HW_TEXTURE_BORDER) return -1;
    // Only coordinates from 0 to 1 wrap and are mirrored; others are clamped.
    if (edge == HW_TEXTURE_CLAMP || !t->is_normalized) return i < 0 ? 0 : n - 1;
    int64_t period = edge == HW_TEXTURE_WRAP ? n : 2 * n, m = i % period;
    if (m < 0) m += period;
    return m < n ? m : 2 * n - 1 - m;
}

bool hw_texel_find(const hw_texture *t, const int64_t index[3], uint64_t *offset) {
    const uint64_t bytes[3] = {hw_texel_bytes(t), t->pitch_bytes, t->slice_bytes};
    *offset = 0;
    for (int axis = 0; axis < 3; axis++) {
        int64_t at = place_texel(t, axis, index[axis]);
        if (at < 0) return false;
        *offset += (uint64_t)at * bytes[axis];
    }
    return true;
}

// A coordinate in texels, within what an index can hold. Wrapping takes off whole periods first, where it is exact.
static double in_texels(const hw_texture *t, int axis, float coordinate) {
    double x = coordinate, far = 1 << 30;
    if (t->is_normalized) {
        if (t->edge[axis] == HW_TEXTURE_WRAP) x -= floor(x);
        if (t->edge[axis] == HW_TEXTURE_MIRROR) x -= 2 * floor(x / 2);
        x *= t->size[axis];
    }
    if (x != x) return 0;
    return x < -far ? -far : x > far ? far : x;
}

// How much each of the 2, 4 or 8 texels around counts, in 256ths; bit k of a corner's number: the upper one on axis k.
// An H200 rounds each product of weights so (tests/cuda/textures.h200.txt): x first, then z, then y. In three
// dimensions it differs by one 256th once in a while.
static void weigh_texels(int dims, const int upper[3], int weight[8]) {
    static const uint8_t order[] = {0, 2, 1};
    memset(weight, 0, 8 * sizeof *weight);
    weight[0] = 256;
    for (int k = 0; k < 3; k++) {
        int axis = order[k];
        if (axis >= dims) continue;
        for (int corner = 7; corner >= 0; corner--) {
            if (corner >> axis & 1 || !weight[corner]) continue;
            // A half goes to the lower texel, but on the y axis of the upper x.
            int share = (weight[corner] * upper[axis] + (axis == 1 && corner & 1 ? 128 : 127)) / 256;
            weight[corner | 1 << axis] = share;
            weight[corner] -= share;
        }
    }
}

static void place_one(const hw_texture *t, int dims, const uint32_t coordinates[3], bool has_integers, hw_texels *out) {
    out->n = 1;
    out->weight[0] = 256;
    memset(out->index[0], 0, sizeof out->index[0]);
    for (int axis = 0; axis < dims; axis++) {
        float number;
        memcpy(&number, &coordinates[axis], sizeof number);
        out->index[0][axis] = has_integers ? (int32_t)coordinates[axis] : (int64_t)floor(in_texels(t, axis, number));
    }
}

// A line is a plane one texel high, read at its upper edge: half of it is border where there is one.
static void place_corners(const hw_texture *t, int dims, const uint32_t coordinates[3], hw_texels *out) {
    int64_t first[3] = {0, -(dims == 1), 0};
    int upper[3] = {0, 128, 0};
    for (int axis = 0; axis < dims; axis++) {
        float number;
        memcpy(&number, &coordinates[axis], sizeof number);
        double x = in_texels(t, axis, number) - 0.5, whole = floor(x);
        first[axis] = (int64_t)whole;
        upper[axis] = (int)floor((x - whole) * 256 + 0.5);
    }
    out->n = 8;
    weigh_texels(dims == 1 ? 2 : dims, upper, out->weight);
    for (int corner = 0; corner < 8; corner++)
        for (int axis = 0; axis < 3; axis++) out->index[corner][axis] = first[axis] + (corner >> axis & 1);
}

void hw_texels_place(const hw_texture *t, int dims, const uint32_t coordinates[3], bool has_integers, hw_texels *out) {
    bool is_filtered = !has_integers && t->is_filtered && hw_texels_are_numbers(t);
    if (is_filtered) place_corners(t, dims, coordinates, out);
    else place_one(t, dims, coordinates, has_integers, out);
}

// ---- telling ----

enum { MOST_TEXELS = 8 };

static bool is_listed(const hw_lane_bytes *list, uint32_t n, uint64_t address, int lane) {
    for (uint32_t k = n; k > 0 && list[k - 1].lane == lane; k--)
        if (list[k - 1].address == address) return true;
    return false;
}

// The texels of one lane, behind the n that are in the list; returns how many there are then.
static uint32_t list_texels(const hw_texture *t, const hw_texels *at, int lane, hw_lane_bytes *list, uint32_t n) {
    for (uint32_t k = 0; k < at->n; k++) {
        uint64_t offset;
        if (!at->weight[k] || !hw_texel_find(t, at->index[k], &offset)) continue;
        if (is_listed(list, n, t->address + offset, lane)) continue;
        list[n++] = (hw_lane_bytes){.address = t->address + offset, .bytes = hw_texel_bytes(t), .lane = (uint8_t)lane,
                                    .space = HW_SPACE_GLOBAL};
    }
    return n;
}

void hw_texels_tell(hw_state *s, const hw_inst *in, bool has_integers) {
    const hw_warp *w = &s->warp;
    hw_textures *textures = hw_mem_textures(s->run->launch->mem);
    const uint64_t *handles = hw_at(w, in->fourth);
    const hw_slot slots[] = {in->a, in->b, in->c};
    hw_lane_bytes list[32 * MOST_TEXELS];
    uint32_t n = 0;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint32_t coordinates[3] = {0};
        hw_texture texture;
        hw_texels at;
        if (!hw_textures_find(textures, handles[lane], &texture)) continue;
        for (int axis = 0; axis < in->sub; axis++) coordinates[axis] = ((uint32_t *)hw_at(w, slots[axis]))[lane];
        hw_texels_place(&texture, in->sub, coordinates, has_integers, &at);
        n = list_texels(&texture, &at, lane, list, n);
    }
    if (n) hw_access_tell_lanes(s, in, false, list, n);
}
