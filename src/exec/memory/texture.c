// tex: reading texels. What is read where is the CUDA programming guide's appendix "Texture Fetching".
#include "exec/memory/texture.h"

#include <math.h>
#include <string.h>

#include "exec/ops/half.h"
#include "exec/warp/warp.h"
#include "mem/texture.h"

typedef struct texel {
    float f[4];                            // as numbers, for filtering
    uint32_t bits[4];                      // as a register gets them
} texel;

// A channel of a texel in memory: its bits widened to 32, or the number that it stands for.
static uint32_t channel_bits(const hw_texture *t, const uint8_t *at) {
    uint32_t bits = 0;
    memcpy(&bits, at, t->channel_bits / 8);
    if (t->kind == HW_TEXEL_SIGNED && t->channel_bits < 32) {
        uint32_t shift = 32u - t->channel_bits;
        return (uint32_t)((int32_t)(bits << shift) >> shift);
    }
    return bits;
}

static float channel_number(const hw_texture *t, uint32_t bits) {
    float f;
    if (t->kind == HW_TEXEL_FLOAT && t->channel_bits == 16) return hw_half_to_float((uint16_t)bits);
    if (t->kind == HW_TEXEL_FLOAT) {
        memcpy(&f, &bits, sizeof f);
        return f;
    }
    if (t->kind == HW_TEXEL_UNSIGNED) return (float)bits / (float)((1ull << t->channel_bits) - 1);
    f = (float)(int32_t)bits / (float)((1ull << (t->channel_bits - 1)) - 1);
    return f < -1 ? -1 : f;
}

static bool reads_numbers(const hw_texture *t) { return t->kind == HW_TEXEL_FLOAT || t->reads_fractions; }

static void set_bits(const hw_texture *t, texel *out) {
    if (reads_numbers(t)) memcpy(out->bits, out->f, sizeof out->bits);
}

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

static void read_texel(const hw_texture *t, const int64_t index[3], texel *out) {
    int64_t at[3];
    memset(out, 0, sizeof *out);
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = place_texel(t, axis, index[axis]);
        if (at[axis] >= 0) continue;
        if (!t->is_buffer) memcpy(out->f, t->border, sizeof out->f);
        set_bits(t, out);
        return;
    }
    uint32_t channel_bytes = t->channel_bits / 8;
    uint64_t offset = (uint64_t)at[2] * t->slice_bytes + (uint64_t)at[1] * t->pitch_bytes +
                      (uint64_t)at[0] * channel_bytes * t->channels;
    const uint8_t *from = (const uint8_t *)(uintptr_t)(t->address + offset);
    for (uint32_t c = 0; c < t->channels; c++) {
        out->bits[c] = channel_bits(t, from + c * channel_bytes);
        out->f[c] = reads_numbers(t) ? channel_number(t, out->bits[c]) : 0;
    }
    set_bits(t, out);
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

static void read_nearest(const hw_texture *t, int dims, const float *coordinates, texel *out) {
    int64_t index[3] = {0, 0, 0};
    for (int axis = 0; axis < dims; axis++) index[axis] = (int64_t)floor(in_texels(t, axis, coordinates[axis]));
    read_texel(t, index, out);
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

// Filtered fractions have 16 bits.
static float filtered_number(const hw_texture *t, double x) {
    double most = t->kind == HW_TEXEL_SIGNED ? 32767 : 65535;
    return (float)(t->kind == HW_TEXEL_FLOAT ? x : rint(x * most) / most);
}

// A line is a plane one texel high, read at its upper edge: half of it is border where there is one.
static void read_filtered(const hw_texture *t, int dims, const float *coordinates, texel *out) {
    int64_t first[3] = {0, -(dims == 1), 0};
    int upper[3] = {0, 128, 0}, weight[8];
    double sum[4] = {0, 0, 0, 0};
    for (int axis = 0; axis < dims; axis++) {
        double x = in_texels(t, axis, coordinates[axis]) - 0.5, whole = floor(x);
        first[axis] = (int64_t)whole;
        upper[axis] = (int)floor((x - whole) * 256 + 0.5);
    }
    weigh_texels(dims == 1 ? 2 : dims, upper, weight);
    for (int corner = 0; corner < 8; corner++) {
        const int64_t index[] = {first[0] + (corner & 1), first[1] + (corner >> 1 & 1), first[2] + (corner >> 2)};
        texel one;
        if (!weight[corner]) continue;
        read_texel(t, index, &one);
        for (int c = 0; c < 4; c++) sum[c] += weight[corner] * (double)one.f[c];
    }
    memset(out, 0, sizeof *out);
    for (int c = 0; c < 4; c++) out->f[c] = filtered_number(t, sum[c] / 256);
    set_bits(t, out);
}

// The texture of a handle, when all of its memory is still there, with the address at which the host finds its texels.
static bool find_texture(hw_state *s, const hw_inst *in, int lane, uint64_t handle, hw_texture *out) {
    hw_mem *mem = s->run->launch->mem;
    hw_allocation found;
    if (hw_textures_find(hw_mem_textures(mem), handle, out)) {
        if (hw_mem_find(mem, out->address, out->bytes, &found)) {
            if (HW_IS_TOLD(s, TOUCHED)) hw_access_tell_touched(s, &found, HW_TOUCHED_TEXTURE);
            out->address = (uint64_t)(uintptr_t)hw_mem_host(mem, out->address);
            return true;
        }
        hw_fault_access(s, in, HW_FAULT_ADDRESS, lane, HW_SPACE_GLOBAL, out->address, 1, false);
    } else {
        hw_fault_access(s, in, HW_FAULT_ADDRESS, lane, HW_SPACE_GLOBAL, handle, 1, false);
    }
    return false;
}

static void sample_texture(const hw_texture *t, int dims, const uint32_t coordinates[3], bool has_integers,
                           texel *out) {
    int64_t index[3] = {0, 0, 0};
    float numbers[3] = {0, 0, 0};
    for (int axis = 0; axis < dims; axis++) {
        index[axis] = (int32_t)coordinates[axis];
        memcpy(&numbers[axis], &coordinates[axis], sizeof *numbers);
    }
    if (has_integers) read_texel(t, index, out);
    else if (t->is_filtered && reads_numbers(t)) read_filtered(t, dims, numbers, out);
    else read_nearest(t, dims, numbers, out);
}

// Destinations may lie where sources do: all sources are taken before anything is written.
static const hw_inst *fetch_texture(hw_warp *w, const hw_inst *in, bool has_integers) {
    hw_state *s = hw_state_of(w);
    const hw_slot slots[] = {in->a, in->b, in->c};
    uint64_t handles[32], handle = 0;
    uint32_t coordinates[32][3] = {{0}};
    hw_texture texture;
    memcpy(handles, hw_at(w, in->fourth), sizeof handles);
    for (int axis = 0; axis < in->sub; axis++) {
        const uint32_t *lanes = hw_at(w, slots[axis]);
        for (int i = 0; i < 32; i++) coordinates[i][axis] = lanes[i];
    }
    for (uint32_t left = w->mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        texel value;
        if ((!handle || handles[i] != handle) && !find_texture(s, in, i, handles[i], &texture)) return NULL;
        handle = handles[i];
        sample_texture(&texture, in->sub, coordinates[i], has_integers, &value);
        for (uint32_t c = 0; c < 4; c++) {
            hw_slot d = w->slots[in->list + c];
            if (d != HW_NO_SLOT) ((uint32_t *)hw_at(w, d))[i] = value.bits[c];
        }
    }
    return in + 1;
}

static const hw_inst *texture_at_floats(hw_warp *w, const hw_inst *in) { return fetch_texture(w, in, false); }
static const hw_inst *texture_at_integers(hw_warp *w, const hw_inst *in) { return fetch_texture(w, in, true); }

#define ROW(name, function) {function, NULL},
const hw_body_forms hw_texture_bodies[] = {
#include "isa/bodies/texture.def"
};
