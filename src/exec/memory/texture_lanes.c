// tex: reading texels, 32 lanes at a time. What is read where is the CUDA programming guide's appendix "Texture
// Fetching". Lanes that are off have coordinates too, and read what nobody gets: every coordinate leads to a texel or
// to the border.
#include <math.h>
#include <string.h>

#include "exec/memory/texels.h"
#include "exec/memory/texture.h"
#include "exec/ops/half_lanes.h"

enum { AXES = 3, CHANNELS = 4, CORNERS = 8, BORDER = -1 };

typedef struct texels {
    float numbers[32];                     // of one channel, for filtering
    uint32_t bits[32];                     // as a register gets them
} texels;

static bool reads_numbers(const hw_texture *t) { return t->kind == HW_TEXEL_FLOAT || t->reads_fractions; }

// ---- places ----

// An index that wraps or is mirrored; others are clamped.
static int32_t fold_index(const hw_texture *t, int axis, int32_t i) {
    int64_t n = t->size[axis], period = t->edge[axis] == HW_TEXTURE_WRAP ? n : 2 * n, m = i % period;
    if (m < 0) m += period;
    return (int32_t)(m < n ? m : 2 * n - 1 - m);
}

// Indices on one axis to those of texels, or BORDER.
static void place_texels(const hw_texture *t, int axis, const int32_t *index, int32_t *at) {
    int32_t n = (int32_t)t->size[axis];
    uint8_t edge = t->edge[axis];
    if (t->is_buffer || edge == HW_TEXTURE_BORDER) {
        HW_LANE_LOOP for (int i = 0; i < 32; i++) at[i] = (index[i] >= 0) & (index[i] < n) ? index[i] : BORDER;
    } else if (edge == HW_TEXTURE_CLAMP || !t->is_normalized) {    // only coordinates from 0 to 1 wrap and are mirrored
        HW_LANE_LOOP for (int i = 0; i < 32; i++) {
            int32_t low = index[i] > 0 ? index[i] : 0;
            at[i] = low < n ? low : n - 1;
        }
    } else {
        for (int i = 0; i < 32; i++)
            at[i] = (index[i] >= 0) & (index[i] < n) ? index[i] : fold_index(t, axis, index[i]);
    }
}

// Coordinates in texels, within what an index can hold. Wrapping takes off whole periods first, where it is exact.
static void in_texels(const hw_texture *t, int axis, const float *coordinates, double *x) {
    const double far = 1 << 30, size = t->size[axis];
    if (!t->is_normalized) HW_LANE_LOOP for (int i = 0; i < 32; i++) x[i] = coordinates[i];
    else if (t->edge[axis] == HW_TEXTURE_WRAP)
        HW_LANE_LOOP for (int i = 0; i < 32; i++) x[i] = (coordinates[i] - floor(coordinates[i])) * size;
    else if (t->edge[axis] == HW_TEXTURE_MIRROR)
        HW_LANE_LOOP for (int i = 0; i < 32; i++) {
            double coordinate = coordinates[i];
            x[i] = (coordinate - 2 * floor(coordinate / 2)) * size;
        }
    else HW_LANE_LOOP for (int i = 0; i < 32; i++) x[i] = coordinates[i] * size;
    HW_LANE_LOOP for (int i = 0; i < 32; i++) {
        double low = x[i] < -far ? -far : x[i], within = low > far ? far : low;
        x[i] = x[i] == x[i] ? within : 0;
    }
}

// ---- texels ----

typedef struct fetch {
    const hw_texture *texture;
    uint64_t offset[32];                   // of each lane's texel
    int32_t is_border[32];                 // -1, or 0
    int32_t has_border;                    // a lane's is
} fetch;

// places: of each axis, its texels' indices.
static void find_texels(const hw_texture *t, const int32_t *const places[AXES], fetch *f) {
    uint64_t bytes = (uint64_t)t->channel_bits / 8 * t->channels, pitch = t->pitch_bytes, slice = t->slice_bytes;
    const int32_t *x = places[0], *y = places[1], *z = places[2];
    int32_t any = 0;
    f->texture = t;
    HW_LANE_LOOP for (int i = 0; i < 32; i++) {
        int32_t is_border = (x[i] | y[i] | z[i]) >> 31;
        uint64_t offset = (uint32_t)z[i] * slice + (uint32_t)y[i] * pitch + (uint32_t)x[i] * bytes;
        f->is_border[i] = is_border;
        f->offset[i] = is_border ? 0 : offset;
        any |= is_border;
    }
    f->has_border = any;
}

// A channel's bits, widened to 32.
#define GATHER(type)                                                                                           \
    for (int i = 0; i < 32; i++) {                                                                             \
        type value;                                                                                            \
        memcpy(&value, (const char *)(uintptr_t)(from + f->offset[i]), sizeof value);                          \
        to[i] = (uint32_t)value;                                                                               \
    }
static void gather_bits(const fetch *f, uint32_t channel, uint32_t *to) {
    const hw_texture *t = f->texture;
    uint64_t from = t->address + channel * (t->channel_bits / 8);
    bool is_signed = t->kind == HW_TEXEL_SIGNED;
    if (t->channel_bits == 32) GATHER(uint32_t)
    else if (t->channel_bits == 16 && is_signed) GATHER(int16_t)
    else if (t->channel_bits == 16) GATHER(uint16_t)
    else if (is_signed) GATHER(int8_t)
    else GATHER(uint8_t)
}

// The numbers that a channel's bits stand for.
static void number_texels(const hw_texture *t, const uint32_t *bits, float *numbers) {
    float most = (float)((1ull << (t->channel_bits - (t->kind == HW_TEXEL_SIGNED))) - 1);
    if (t->kind == HW_TEXEL_FLOAT && t->channel_bits == 16) {
        HW_LANE_LOOP for (int i = 0; i < 32; i++) numbers[i] = hw_half_to_float((uint16_t)bits[i]);
    } else if (t->kind == HW_TEXEL_FLOAT) {
        memcpy(numbers, bits, 32 * sizeof *numbers);
    } else if (t->kind == HW_TEXEL_UNSIGNED) {
        HW_LANE_LOOP for (int i = 0; i < 32; i++) numbers[i] = (float)bits[i] / most;
    } else {
        HW_LANE_LOOP for (int i = 0; i < 32; i++) {
            float number = (float)(int32_t)bits[i] / most;
            numbers[i] = number < -1 ? -1 : number;
        }
    }
}

// What texels without the channel, and the border, have of it: zeros, but the border its own number.
static void read_channel(const fetch *f, uint32_t channel, texels *out) {
    const hw_texture *t = f->texture;
    float border = t->is_buffer ? 0 : t->border[channel];
    memset(out, 0, sizeof *out);
    if (channel < t->channels) {
        gather_bits(f, channel, out->bits);
        if (reads_numbers(t)) number_texels(t, out->bits, out->numbers);
    }
    if (f->has_border)
        HW_LANE_LOOP for (int i = 0; i < 32; i++) {
            out->numbers[i] = f->is_border[i] ? border : out->numbers[i];
            out->bits[i] = f->is_border[i] ? 0 : out->bits[i];
        }
    if (reads_numbers(t)) memcpy(out->bits, out->numbers, sizeof out->bits);
}

// ---- one texel for each lane ----

typedef uint32_t channels[CHANNELS][32];

static void read_texels(const hw_texture *t, int32_t (*index)[32], uint32_t wanted, channels out) {
    int32_t at[AXES][32];
    fetch f;
    texels one;
    for (int axis = 0; axis < AXES; axis++) place_texels(t, axis, index[axis], at[axis]);
    find_texels(t, (const int32_t *const[]){at[0], at[1], at[2]}, &f);
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        if (!(wanted >> channel & 1)) continue;
        read_channel(&f, channel, &one);
        memcpy(out[channel], one.bits, sizeof one.bits);
    }
}

static void read_nearest(const hw_texture *t, int dims, float (*coordinates)[32], uint32_t wanted, channels out) {
    int32_t index[AXES][32] = {{0}};
    double x[32];
    for (int axis = 0; axis < dims; axis++) {
        in_texels(t, axis, coordinates[axis], x);
        HW_LANE_LOOP for (int i = 0; i < 32; i++) index[axis][i] = (int32_t)floor(x[i]);
    }
    read_texels(t, index, wanted, out);
}

// ---- several, filtered ----

// How much each of the 2, 4 or 8 texels around counts, in 256ths; bit k of a corner's number: the upper one on axis k.
// An H200 rounds each product of weights so (tests/cuda/textures.h200.txt): x first, then z, then y. In three
// dimensions it differs by one 256th once in a while.
static void weigh_texels(int dims, int32_t (*upper)[32], int32_t (*weight)[32]) {
    static const uint8_t order[] = {0, 2, 1};
    for (int i = 0; i < 32; i++) weight[0][i] = 256;
    for (int k = 0, corners = 1; k < AXES; k++) {
        int axis = order[k];
        if (axis >= dims) continue;
        for (int corner = corners - 1; corner >= 0; corner--) {
            // The corners so far have bits of x, then of z: as y comes last, theirs are numbers without y's.
            int low = axis == 1 && corner & 2 ? corner + 2 : corner, high = low | 1 << axis;
            // A half goes to the lower texel, but on the y axis of the upper x.
            int32_t half = axis == 1 && low & 1 ? 128 : 127;
            HW_LANE_LOOP for (int i = 0; i < 32; i++) {
                int32_t share = (weight[low][i] * upper[axis][i] + half) >> 8;
                weight[high][i] = share;
                weight[low][i] -= share;
            }
        }
        corners *= 2;
    }
}

// A line is a plane one texel high, read at its upper edge: half of it is border where there is one.
static void read_filtered(const hw_texture *t, int dims, float (*coordinates)[32], uint32_t wanted, channels out) {
    int32_t at[AXES][2][32] = {{{0}}}, upper[AXES][32], weight[CORNERS][32];
    double x[32], sums[CHANNELS][32] = {{0}};
    int planes = dims == 1 ? 2 : dims;
    for (int axis = 0; axis < planes; axis++) {
        int32_t index[2][32];
        if (axis < dims) {
            in_texels(t, axis, coordinates[axis], x);
            HW_LANE_LOOP for (int i = 0; i < 32; i++) {
                double whole = floor(x[i] - 0.5);
                index[0][i] = (int32_t)whole;
                upper[axis][i] = (int32_t)floor((x[i] - 0.5 - whole) * 256 + 0.5);
            }
        } else {
            for (int i = 0; i < 32; i++) index[0][i] = -1, upper[axis][i] = 128;
        }
        HW_LANE_LOOP for (int i = 0; i < 32; i++) index[1][i] = index[0][i] + 1;
        place_texels(t, axis, index[0], at[axis][0]);
        place_texels(t, axis, index[1], at[axis][1]);
    }
    weigh_texels(planes, upper, weight);
    for (int corner = 0; corner < 1 << planes; corner++) {
        fetch f;
        texels one;
        find_texels(t, (const int32_t *const[]){at[0][corner & 1], at[1][corner >> 1 & 1], at[2][corner >> 2]}, &f);
        for (uint32_t channel = 0; channel < CHANNELS; channel++) {
            bool is_zero = channel >= t->channels && !f.has_border;
            if (is_zero || !(wanted >> channel & 1)) continue;
            read_channel(&f, channel, &one);
            double *sum = sums[channel];
            const int32_t *share = weight[corner];
            // A texel that does not count may be infinite, or NaN.
            HW_LANE_LOOP for (int i = 0; i < 32; i++) sum[i] += share[i] ? share[i] * (double)one.numbers[i] : 0;
        }
    }
    // Filtered fractions have 16 bits.
    double most = t->kind == HW_TEXEL_SIGNED ? 32767 : 65535;
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        float *to = (float *)out[channel];
        const double *sum = sums[channel];
        if (!(wanted >> channel & 1)) continue;
        if (t->kind == HW_TEXEL_FLOAT) HW_LANE_LOOP for (int i = 0; i < 32; i++) to[i] = (float)(sum[i] / 256);
        else HW_LANE_LOOP for (int i = 0; i < 32; i++) to[i] = (float)(rint(sum[i] / 256 * most) / most);
    }
}

// ---- instructions ----

static void sample_texture(const hw_texture *t, int dims, uint32_t (*coordinates)[32], bool are_integers,
                           uint32_t wanted, channels out) {
    if (are_integers) read_texels(t, (int32_t (*)[32])coordinates, wanted, out);
    else if (t->is_filtered && reads_numbers(t)) read_filtered(t, dims, (float (*)[32])coordinates, wanted, out);
    else read_nearest(t, dims, (float (*)[32])coordinates, wanted, out);
}

// Destinations may lie where sources do: all sources are taken before anything is written.
static const hw_inst *fetch_texture(hw_warp *w, const hw_inst *in, bool are_integers) {
    const hw_slot slots[] = {in->a, in->b, in->c};
    uint32_t coordinates[AXES][32] = {{0}}, wanted = 0;
    channels all, some;
    uint64_t handles[32];
    if (HW_IS_TOLD(hw_state_of(w), LANE_ACCESS)) hw_texels_tell(hw_state_of(w), in, are_integers);
    memcpy(handles, hw_at(w, in->fourth), sizeof handles);
    for (int axis = 0; axis < in->sub; axis++) memcpy(coordinates[axis], hw_at(w, slots[axis]), sizeof *coordinates);
    for (uint32_t c = 0; c < CHANNELS; c++) wanted |= (uint32_t)(w->slots[in->list + c] != HW_NO_SLOT) << c;
    for (uint32_t left = w->mask; left;) {
        int first = __builtin_ctz(left);
        uint32_t same = 0;
        const hw_texture *t = hw_texture_find(hw_state_of(w), in, first, handles[first]);
        if (!t) return NULL;
        for (int i = 0; i < 32; i++) same |= (uint32_t)(handles[i] == handles[first]) << i;
        bool is_only = left == w->mask && !(left & ~same);
        sample_texture(t, in->sub, coordinates, are_integers, wanted, is_only ? all : some);
        for (uint32_t c = 0; !is_only && c < CHANNELS; c++)
            for (int i = 0; i < 32; i++) all[c][i] = same >> i & 1 ? some[c][i] : all[c][i];
        left &= ~same;
    }
    for (uint32_t c = 0; c < CHANNELS; c++) {
        if (!(wanted >> c & 1)) continue;
        uint32_t *d = hw_at(w, w->slots[in->list + c]);
        HW_LANES(d, all[c][i]);
    }
    return in + 1;
}

static const hw_inst *texture_at_floats(hw_warp *w, const hw_inst *in) { return fetch_texture(w, in, false); }
static const hw_inst *texture_at_integers(hw_warp *w, const hw_inst *in) { return fetch_texture(w, in, true); }

#define ROW(name, function, ...) {function, NULL},
const hw_body_forms HW_LEVEL_NAME(hw_ops_texture)[] = {
#include "isa/bodies/texture.def"
};
