// tex: reading texels, 32 lanes at a time. What is read where is the CUDA programming guide's appendix "Texture
// Fetching". Lanes that are off have coordinates too, and read what nobody gets: every coordinate leads to a texel or
// to the border.
#include <math.h>
#include <string.h>

#include "exec/memory/texels.h"
#include "exec/memory/texture.h"
#include "exec/ops/half_lanes.h"

enum { AXES = 3, CHANNELS = 4, CORNERS = HW_TEXEL_CORNERS };

static bool reads_numbers(const hw_texture *t) { return t->kind == HW_TEXEL_FLOAT || t->reads_fractions; }

// ---- places ----

// Indices on one axis, as they are and as bytes from the axis's first texel.
typedef struct places {
    uint64_t offset[32];
    int32_t is_border[32];                 // -1, or 0
} places;

// An index that wraps or is mirrored; others are clamped.
static int32_t fold_index(const hw_texture *t, int axis, int32_t i) {
    int64_t n = t->size[axis], period = t->edge[axis] == HW_TEXTURE_WRAP ? n : 2 * n, m = i % period;
    if (m < 0) m += period;
    return (int32_t)(m < n ? m : 2 * n - 1 - m);
}

static bool has_border(const hw_texture *t, int axis) { return t->is_buffer || t->edge[axis] == HW_TEXTURE_BORDER; }
static bool is_bounded(const hw_texture *t) { return has_border(t, 0) || has_border(t, 1) || has_border(t, 2); }

static void place_texels(const hw_texture *t, int axis, const int32_t *index, places *p) {
    int32_t n = (int32_t)t->size[axis], at[32];
    uint64_t step = axis == 0 ? hw_texel_bytes(t) : axis == 1 ? t->pitch_bytes : t->slice_bytes;
    uint8_t edge = t->edge[axis];
    // Only coordinates from 0 to 1 wrap and are mirrored.
    bool folds = (edge == HW_TEXTURE_WRAP || edge == HW_TEXTURE_MIRROR) && t->is_normalized && !t->is_buffer;
    HW_LANE_LOOP for (int i = 0; i < 32; i++) {
        int32_t low = index[i] > 0 ? index[i] : 0;
        at[i] = low < n ? low : n - 1;
    }
    for (int i = 0; folds && i < 32; i++)
        if (at[i] != index[i]) at[i] = fold_index(t, axis, index[i]);
    HW_LANE_LOOP for (int i = 0; i < 32; i++) p->offset[i] = (uint32_t)at[i] * step;
    if (has_border(t, axis)) HW_LANE_LOOP for (int i = 0; i < 32; i++) p->is_border[i] = at[i] == index[i] ? 0 : -1;
    else memset(p->is_border, 0, sizeof p->is_border);
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
    bool has_border;                       // lanes may have none
    uint64_t offset[32];                   // of each lane's texel; of the border's some texel's
    int32_t is_border[32];                 // -1, or 0
} fetch;

static void find_texels(const hw_texture *t, const places *x, const places *y, const places *z, fetch *f) {
    f->texture = t;
    f->has_border = is_bounded(t);
    HW_LANE_LOOP for (int i = 0; i < 32; i++) f->offset[i] = x->offset[i] + y->offset[i] + z->offset[i];
    if (f->has_border)
        HW_LANE_LOOP for (int i = 0; i < 32; i++) f->is_border[i] = x->is_border[i] | y->is_border[i] | z->is_border[i];
}

// What sinks are told, and of which lanes now: those of one texture. texels NULL: nobody wants to know.
typedef struct telling {
    hw_texels *texels;
    uint32_t lanes;
    uint64_t address;                      // of the texture's first texel, as the program knows it
} telling;

// share: how much each texel counts; NULL: all of them do.
static void note_texels(const telling *told, const fetch *f, int corner, const int32_t *share) {
    hw_texels *texels = told->texels;
    if (!texels) return;
    for (uint32_t left = told->lanes; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if ((f->has_border && f->is_border[i]) || (share && !share[i])) continue;
        texels->address[corner][i] = told->address + f->offset[i];
        texels->lanes[corner] |= 1u << i;
        texels->bytes[i] = hw_texel_bytes(f->texture);
    }
}

// Do the lanes' texels lie side by side, as those of neighbouring pixels do?
static bool are_in_line(const fetch *f, uint32_t bytes) {
    uint64_t differ = 0;
    HW_LANE_LOOP for (int i = 0; i < 32; i++) differ |= f->offset[i] - f->offset[0] - (uint32_t)i * (uint64_t)bytes;
    return !differ;
}

// A channel's bits, widened to 32.
#define GATHER(type)                                                                                           \
    if (t->channels == 1 && are_in_line(f, sizeof(type))) {                                                    \
        type line[32];                                                                                         \
        memcpy(line, from + f->offset[0], sizeof line);                                                        \
        HW_LANE_LOOP for (int i = 0; i < 32; i++) to[i] = (uint32_t)line[i];                                   \
    } else for (int i = 0; i < 32; i++) {                                                                             \
        type value;                                                                                            \
        memcpy(&value, from + f->offset[i], sizeof value);                                                     \
        to[i] = (uint32_t)value;                                                                               \
    }
static void gather_bits(const fetch *f, uint32_t channel, uint32_t *to) {
    const hw_texture *t = f->texture;
    const char *from = (const char *)(uintptr_t)(t->address + channel * (t->channel_bits / 8));
    bool is_signed = t->kind == HW_TEXEL_SIGNED;
    if (t->channel_bits == 32) GATHER(uint32_t)
    else if (t->channel_bits == 16 && is_signed) GATHER(int16_t)
    else if (t->channel_bits == 16) GATHER(uint16_t)
    else if (is_signed) GATHER(int8_t)
    else GATHER(uint8_t)
}

// The numbers that a channel's bits stand for, in their place.
static void number_texels(const hw_texture *t, uint32_t *bits) {
    float most = (float)((1ull << (t->channel_bits - (t->kind == HW_TEXEL_SIGNED))) - 1);
    if (t->kind == HW_TEXEL_FLOAT && t->channel_bits == 16) {
        HW_LANE_LOOP for (int i = 0; i < 32; i++) bits[i] = hw_float_bits(hw_half_to_float((uint16_t)bits[i]));
    } else if (t->kind == HW_TEXEL_UNSIGNED) {
        HW_LANE_LOOP for (int i = 0; i < 32; i++) bits[i] = hw_float_bits((float)bits[i] / most);
    } else if (t->kind == HW_TEXEL_SIGNED) {
        HW_LANE_LOOP for (int i = 0; i < 32; i++) {
            float number = (float)(int32_t)bits[i] / most;
            bits[i] = hw_float_bits(number < -1 ? -1 : number);
        }
    }
}

// A channel as a register gets it. What texels without the channel, and the border, have of it: zeros, but where
// numbers are read the border has its own.
static void read_channel(const fetch *f, uint32_t channel, uint32_t *out) {
    const hw_texture *t = f->texture;
    if (channel < t->channels) {
        gather_bits(f, channel, out);
        if (reads_numbers(t)) number_texels(t, out);
    } else {
        memset(out, 0, 32 * sizeof *out);
    }
    if (!f->has_border) return;
    uint32_t border = t->is_buffer || !reads_numbers(t) ? 0 : hw_float_bits(t->border[channel]);
    HW_LANE_LOOP for (int i = 0; i < 32; i++) out[i] = f->is_border[i] ? border : out[i];
}

// ---- one texel for each lane ----

typedef uint32_t channels[CHANNELS][32];

static void read_texels(const hw_texture *t, int32_t (*index)[32], uint32_t wanted, const telling *told, channels out) {
    places at[AXES];
    fetch f;
    for (int axis = 0; axis < AXES; axis++) place_texels(t, axis, index[axis], &at[axis]);
    find_texels(t, &at[0], &at[1], &at[2], &f);
    note_texels(told, &f, 0, NULL);
    for (uint32_t channel = 0; channel < CHANNELS; channel++)
        if (wanted >> channel & 1) read_channel(&f, channel, out[channel]);
}

static void read_nearest(const hw_texture *t, int dims, float (*coordinates)[32], uint32_t wanted, const telling *told,
                         channels out) {
    int32_t index[AXES][32] = {{0}};
    double x[32];
    for (int axis = 0; axis < dims; axis++) {
        in_texels(t, axis, coordinates[axis], x);
        HW_LANE_LOOP for (int i = 0; i < 32; i++) index[axis][i] = (int32_t)floor(x[i]);
    }
    read_texels(t, index, wanted, told, out);
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

// On one axis the two texels that a coordinate is between, and how much the upper one counts. A line is a plane one
// texel high, read at its upper edge: half of it is border where there is one.
static void place_pairs(const hw_texture *t, int axis, const float *coordinates, places at[2], int32_t *upper) {
    int32_t index[2][32];
    double x[32];
    if (coordinates) {
        in_texels(t, axis, coordinates, x);
        HW_LANE_LOOP for (int i = 0; i < 32; i++) {
            double place = x[i] - 0.5, whole = floor(place);
            index[0][i] = (int32_t)whole;
            upper[i] = (int32_t)floor((place - whole) * 256 + 0.5);
        }
    } else {
        for (int i = 0; i < 32; i++) index[0][i] = -1, upper[i] = 128;
    }
    HW_LANE_LOOP for (int i = 0; i < 32; i++) index[1][i] = index[0][i] + 1;
    place_texels(t, axis, index[0], &at[0]);
    place_texels(t, axis, index[1], &at[1]);
}

// What the texels at all corners add up to, of one channel. A texel that does not count may be infinite, or NaN.
static inline __attribute__((always_inline)) void sum_corners(int corners, int32_t (*weight)[32], float (*numbers)[32],
                                                              double *sums) {
    HW_LANE_LOOP for (int i = 0; i < 32; i++) {
        double sum = 0;
        for (int corner = 0; corner < corners; corner++) {
            const int32_t share = weight[corner][i];
            sum += share ? share * (double)numbers[corner][i] : 0;
        }
        sums[i] = sum;
    }
}

// Filtered fractions have 16 bits.
static void finish_filtered(const hw_texture *t, const double *sums, float *to) {
    const double most = t->kind == HW_TEXEL_SIGNED ? 32767 : 65535;
    if (t->kind == HW_TEXEL_FLOAT) HW_LANE_LOOP for (int i = 0; i < 32; i++) to[i] = (float)(sums[i] / 256);
    else HW_LANE_LOOP for (int i = 0; i < 32; i++) to[i] = (float)(rint(sums[i] / 256 * most) / most);
}

static void read_filtered(const hw_texture *t, int dims, float (*coordinates)[32], uint32_t wanted, const telling *told,
                          channels out) {
    static const places origin;
    places at[AXES][2];
    const places *low = &origin, *high = &origin;    // on the third axis
    int32_t upper[AXES][32], weight[CORNERS][32];
    fetch texels[CORNERS];
    int planes = dims == 1 ? 2 : dims;
    uint32_t read = wanted & (is_bounded(t) ? 15 : (1u << t->channels) - 1);    // the others are zeros
    for (int axis = 0; axis < planes; axis++)
        place_pairs(t, axis, axis < dims ? coordinates[axis] : NULL, at[axis], upper[axis]);
    if (planes == AXES) low = &at[2][0], high = &at[2][1];
    weigh_texels(planes, upper, weight);
    for (int corner = 0; corner < 1 << planes; corner++) {
        find_texels(t, &at[0][corner & 1], &at[1][corner >> 1 & 1], corner & 4 ? high : low, &texels[corner]);
        note_texels(told, &texels[corner], corner, weight[corner]);
    }
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        float numbers[CORNERS][32];
        double sums[32];
        if (!(wanted >> channel & 1)) continue;
        if (read >> channel & 1) {
            for (int corner = 0; corner < 1 << planes; corner++)
                read_channel(&texels[corner], channel, (uint32_t *)numbers[corner]);
            if (planes == AXES) sum_corners(CORNERS, weight, numbers, sums);
            else sum_corners(CORNERS / 2, weight, numbers, sums);
            finish_filtered(t, sums, (float *)out[channel]);
        } else {
            HW_ALL_LANES(out[channel], 0);
        }
    }
}

// ---- instructions ----

static void sample_texture(const hw_texture *t, int dims, uint32_t (*coordinates)[32], bool are_integers,
                           uint32_t wanted, const telling *told, channels out) {
    float (*numbers)[32] = (float (*)[32])coordinates;
    if (are_integers) read_texels(t, (int32_t (*)[32])coordinates, wanted, told, out);
    else if (t->is_filtered && reads_numbers(t)) read_filtered(t, dims, numbers, wanted, told, out);
    else read_nearest(t, dims, numbers, wanted, told, out);
}

static void begin_telling(hw_state *s, hw_texels *texels, telling *told) {
    *told = (telling){.texels = HW_IS_TOLD(s, LANE_ACCESS) ? texels : NULL};
    if (told->texels) memset(texels->lanes, 0, sizeof texels->lanes);
}

static void tell_of(hw_state *s, uint64_t handle, uint32_t lanes, telling *told) {
    hw_texture texture;
    told->lanes = lanes;
    if (told->texels && hw_textures_find(hw_mem_textures(s->run->launch->mem), handle, &texture))
        told->address = texture.address;
}

// Destinations may lie where sources do: all sources are taken before anything is written.
static const hw_inst *fetch_texture(hw_warp *w, const hw_inst *in, bool are_integers) {
    const hw_slot slots[] = {in->a, in->b, in->c};
    uint32_t coordinates[AXES][32] = {{0}}, wanted = 0;
    channels all, some;
    uint64_t handles[32];
    hw_texels texels;
    telling told;
    begin_telling(hw_state_of(w), &texels, &told);
    memcpy(handles, hw_at(w, in->fourth), sizeof handles);
    for (int axis = 0; axis < in->dimensions; axis++)
        memcpy(coordinates[axis], hw_at(w, slots[axis]), sizeof *coordinates);
    for (uint32_t c = 0; c < CHANNELS; c++) wanted |= (uint32_t)(w->slots[in->list + c] != HW_NO_SLOT) << c;
    for (uint32_t left = w->mask; left;) {
        int first = __builtin_ctz(left);
        uint32_t same = 0;
        const hw_texture *t = hw_texture_find(hw_state_of(w), in, first, handles[first]);
        if (!t) return NULL;
        for (int i = 0; i < 32; i++) same |= (uint32_t)(handles[i] == handles[first]) << i;
        bool is_only = left == w->mask && !(left & ~same);
        tell_of(hw_state_of(w), handles[first], left & same, &told);
        sample_texture(t, in->dimensions, coordinates, are_integers, wanted, &told, is_only ? all : some);
        for (uint32_t c = 0; !is_only && c < CHANNELS; c++)
            for (int i = 0; i < 32; i++) all[c][i] = same >> i & 1 ? some[c][i] : all[c][i];
        left &= ~same;
    }
    if (told.texels) hw_texels_tell(hw_state_of(w), in, &texels);
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
