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
    uint64_t place;                        // the same for hw_texel_fetch
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
        if (texels->is_sampled) texels->place[corner][i] = told->place + hw_texture_place(f->texture, f->offset[i]);
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

static void read_nearest(const hw_texture *t, int dims, float (*coordinates)[32], const int32_t *layer,
                         uint32_t wanted, const telling *told, channels out) {
    int32_t index[AXES][32] = {{0}};
    double x[32];
    if (layer) memcpy(index[AXES - 1], layer, sizeof index[AXES - 1]);
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
static inline __attribute__((always_inline)) void sum_corners(int corners, int32_t (*weight)[32],
                                                              const float *const *numbers, double *sums) {
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

static void read_filtered(const hw_texture *t, int dims, float (*coordinates)[32], const int32_t *layer,
                          uint32_t wanted, const telling *told, channels out) {
    static const places origin;
    places at[AXES][2];
    const places *low = &origin, *high = &origin;    // on the third axis
    if (layer) {
        place_texels(t, AXES - 1, layer, &at[AXES - 1][0]);
        low = &at[AXES - 1][0];
    }
    int32_t upper[AXES][32], weight[CORNERS][32];
    fetch texels[CORNERS];
    int planes = dims == 1 ? 2 : dims;
    uint32_t read = wanted & (is_bounded(t) ? 15 : (1u << t->channels) - 1);    // the others are zeros
    for (int axis = 0; axis < planes; axis++)
        place_pairs(t, axis, axis < dims ? coordinates[axis] : NULL, at[axis], upper[axis]);
    // A line is filtered with what is before the first row of a plane; one of several layers is not (an H100,
    // tests/cuda/arrays.h100.txt).
    if (dims == 1 && layer) {
        at[1][0] = at[1][1] = origin;
        memset(upper[1], 0, sizeof upper[1]);
    }
    if (planes == AXES) low = &at[2][0], high = &at[2][1];
    weigh_texels(planes, upper, weight);
    for (int corner = 0; corner < 1 << planes; corner++) {
        find_texels(t, &at[0][corner & 1], &at[1][corner >> 1 & 1], corner & 4 ? high : low, &texels[corner]);
        note_texels(told, &texels[corner], corner, weight[corner]);
    }
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        float read_numbers[CORNERS][32];
        const float *numbers[CORNERS];
        double sums[32];
        if (!(wanted >> channel & 1)) continue;
        if (read >> channel & 1) {
            for (int corner = 0; corner < 1 << planes; corner++) {
                read_channel(&texels[corner], channel, (uint32_t *)read_numbers[corner]);
                numbers[corner] = read_numbers[corner];
            }
            if (planes == AXES) sum_corners(CORNERS, weight, numbers, sums);
            else sum_corners(CORNERS / 2, weight, numbers, sums);
            finish_filtered(t, sums, (float *)out[channel]);
        } else {
            HW_ALL_LANES(out[channel], 0);
        }
    }
}

// ---- planes, filtered, in 32 bits ----

// What most filtered fetches read: a line or a plane without a border whose texels fit into a word each, while nobody
// wants to know which they are. Its places and offsets are integers of 32 bits, and a texel is loaded once for all its
// channels. The sums are those of the general way.
enum { MOST_SIDE = 1 << 20 };
static bool is_simple_plane(const hw_texture *t, int dims, const telling *told) {
    const uint32_t bytes = hw_texel_bytes(t);
    return dims < AXES && !told->texels && !is_bounded(t) && (bytes == 1 || bytes == 2 || bytes == 4) &&
           t->bytes < 1u << 31 && t->size[0] <= MOST_SIDE && t->size[1] <= MOST_SIDE;
}

// Where the lanes are on an axis: 256ths of a texel from the middle of the first one on, rounded.
static void place_in_256ths(const hw_texture *t, int axis, const float *coordinates, int32_t *place) {
    const float far = 2 * MOST_SIDE * 256.0f;
    for (int i = 0; i < 32; i += LANES) {
        floats x;
        memcpy(&x, coordinates + i, sizeof x);
        x *= 256;
        x = choose_floats(x > -far, x, (floats){0} - far);    // NaN becomes a number
        x = choose_floats(x < far, x, (floats){0} + far);
        ints whole = __builtin_convertvector(x, ints);
        whole += __builtin_convertvector(whole, floats) > x;
        whole -= x - __builtin_convertvector(whole, floats) >= 0.5f;
        whole -= 128;
        memcpy(place + i, &whole, sizeof whole);
    }
    if (!t->is_normalized) return;
    double in_256ths[32];
    in_texels(t, axis, coordinates, in_256ths);
    HW_LANE_LOOP for (int i = 0; i < 32; i++) {
        double low = in_256ths[i] > -2 * MOST_SIDE ? in_256ths[i] : -2 * MOST_SIDE;
        double rounded = (low < 2 * MOST_SIDE ? low : 2 * MOST_SIDE) * 256 + 0.5;
        place[i] = (int32_t)floor(rounded) - 128;
    }
}

// Indices that wrap, or are mirrored, less than a period away; and others, that are clamped.
static inline ints fold_indices(const hw_texture *t, int axis, ints at) {
    const int32_t n = (int32_t)t->size[axis];
    if (t->is_normalized && t->edge[axis] == HW_TEXTURE_WRAP) {
        at += n & (at < 0);
        at -= n & (at >= n);
    } else if (t->is_normalized && t->edge[axis] == HW_TEXTURE_MIRROR) {
        at = choose(at < 0, -1 - at, at);
        at -= 2 * n & (at >= 2 * n);
        at = choose(at < n, at, 2 * n - 1 - at);
    }
    at &= at > 0;
    return choose(at < n, at, at - at + n - 1);
}

// The offsets on an axis of the two texels that a place is between.
static void offset_pairs(const hw_texture *t, int axis, const int32_t *place, uint32_t offset[2][32]) {
    const int32_t step = axis ? (int32_t)t->pitch_bytes : (int32_t)hw_texel_bytes(t);
    for (int i = 0; i < 32; i += LANES) {
        ints low;
        memcpy(&low, place + i, sizeof low);
        low >>= 8;
        ints at[2] = {fold_indices(t, axis, low) * step, fold_indices(t, axis, low + 1) * step};
        memcpy(offset[0] + i, &at[0], sizeof at[0]);
        memcpy(offset[1] + i, &at[1], sizeof at[1]);
    }
}

// As weigh_texels has it for two axes.
static void weigh_plane(const int32_t *x, const int32_t *y, int32_t (*weight)[32]) {
    HW_LANE_LOOP for (int i = 0; i < 32; i++) {
        const int32_t right = x[i] & 255, left = 256 - right, upper = y[i] & 255;
        const int32_t upper_left = (left * upper + 127) >> 8, upper_right = (right * upper + 128) >> 8;
        weight[0][i] = left - upper_left;
        weight[1][i] = right - upper_right;
        weight[2][i] = upper_left;
        weight[3][i] = upper_right;
    }
}

// Do the lanes' offsets follow each other as texels do, in lines that are so far apart on the other axis?
static bool are_lines(uint32_t (*x)[32], uint32_t (*y)[32], uint32_t bytes) {
    uints differ = {0}, number;
    for (int i = 0; i < LANES; i++) number[i] = (uint32_t)i * bytes;
    for (int i = 0; i < 32; i += LANES, number += LANES * bytes)
        for (int high = 0; high < 2; high++) {
            uints column, row;
            memcpy(&column, x[high] + i, sizeof column);
            memcpy(&row, y[high] + i, sizeof row);
            differ |= (column - number) ^ x[high][0];
            differ |= row ^ y[high][0];
        }
    return !any_bit(differ);
}

// The lanes' texels, as they lie in memory: at the sum of their offsets on both axes.
#define LOAD_WORDS(type)                                                                                       \
    do {                                                                                                       \
        type line[32];                                                                                         \
        if (is_line) memcpy(line, from + x[0] + y[0], sizeof line);                                            \
        else for (int i = 0; i < 32; i++) memcpy(&line[i], from + x[i] + y[i], sizeof *line);                  \
        HW_LANE_LOOP for (int i = 0; i < 32; i++) to[i] = line[i];                                             \
    } while (0)
static void load_words(const hw_texture *t, const uint32_t *x, const uint32_t *y, bool is_line, uint32_t *to) {
    const char *from = (const char *)(uintptr_t)t->address;
    const uint32_t bytes = hw_texel_bytes(t);
    if (bytes == 4) LOAD_WORDS(uint32_t);
    else if (bytes == 2) LOAD_WORDS(uint16_t);
    else LOAD_WORDS(uint8_t);
}

// A channel of texels, as numbers. Words may be all that there is to it.
static const uint32_t *take_channel(const hw_texture *t, uint32_t channel, const uint32_t *words, uint32_t *to) {
    if (t->kind == HW_TEXEL_FLOAT && t->channel_bits == 32) return words;
    const uint32_t bits = t->channel_bits, above = 32 - bits - channel * bits, below = 32 - bits;
    if (t->kind == HW_TEXEL_SIGNED) HW_LANE_LOOP for (int i = 0; i < 32; i++)
        to[i] = (uint32_t)((int32_t)(words[i] << above) >> below);
    else HW_LANE_LOOP for (int i = 0; i < 32; i++) to[i] = words[i] << above >> below;
    number_texels(t, to);
    return to;
}

static void read_plane(const hw_texture *t, int dims, float (*coordinates)[32], uint32_t wanted, channels out) {
    enum { PLANE_CORNERS = CORNERS / 2 };
    int32_t place[2][32], weight[PLANE_CORNERS][32];
    uint32_t offset[2][2][32], words[PLANE_CORNERS][32];
    for (int axis = 0; axis < 2; axis++) {
        if (axis < dims) place_in_256ths(t, axis, coordinates[axis], place[axis]);
        else for (int i = 0; i < 32; i++) place[axis][i] = -128;    // a line's upper edge
        offset_pairs(t, axis, place[axis], offset[axis]);
    }
    weigh_plane(place[0], place[1], weight);
    const bool are_in_lines = are_lines(offset[0], offset[1], hw_texel_bytes(t));
    for (int corner = 0; corner < PLANE_CORNERS; corner++)
        load_words(t, offset[0][corner & 1], offset[1][corner >> 1], are_in_lines, words[corner]);
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        uint32_t numbers[PLANE_CORNERS][32];
        const float *taken[PLANE_CORNERS];
        double sums[32];
        if (!(wanted >> channel & 1)) continue;
        if (channel >= t->channels) {
            HW_ALL_LANES(out[channel], 0);
            continue;
        }
        for (int corner = 0; corner < PLANE_CORNERS; corner++)
            taken[corner] = (const float *)take_channel(t, channel, words[corner], numbers[corner]);
        sum_corners(PLANE_CORNERS, weight, taken, sums);
        finish_filtered(t, sums, (float *)out[channel]);
    }
}

// ---- instructions ----

// Which face of a cube a direction meets, and where: the CUDA programming guide's table of cubemap textures.
// coordinates: x, y and z become two, of 0 to 1.
static void find_faces(float (*coordinates)[32], int32_t *face) {
    for (int i = 0; i < 32; i++) {
        const float x = coordinates[0][i], y = coordinates[1][i], z = coordinates[2][i];
        const float far_x = fabsf(x), far_y = fabsf(y), far_z = fabsf(z);
        const int axis = far_x >= far_y && far_x >= far_z ? 0 : far_y >= far_z ? 1 : 2;
        const bool is_back = axis == 0 ? x < 0 : axis == 1 ? y < 0 : z < 0;
        const float m = axis == 0 ? far_x : axis == 1 ? far_y : far_z;
        const float s = axis == 0 ? (is_back ? z : -z) : axis == 1 ? x : is_back ? -x : x;
        const float t = axis == 1 ? (is_back ? -z : z) : -y;
        face[i] = 2 * axis + is_back;
        coordinates[0][i] = (s / m + 1) / 2;
        coordinates[1][i] = (t / m + 1) / 2;
    }
}

// What the instruction asks of a texture.
typedef struct sampling {
    uint32_t (*coordinates)[32];           // 32-bit floats or integers
    int dims;
    bool are_integers;
    const int32_t *layer, *face;           // NULL: none
    uint32_t wanted;                       // channels
} sampling;

// The layers of a texture of cubes are its faces. A layer is an unsigned number, and behind the last one is the last:
// -1 is the last as well (tests/cuda/arrays.h100.txt).
static const int32_t *find_layers(const hw_texture *t, const sampling *want, int32_t *to) {
    if (!want->layer && !want->face) return NULL;
    const uint32_t faces = want->face ? 6 : 1, layers = t->size[AXES - 1] / faces, last = layers ? layers - 1 : 0;
    for (int i = 0; i < 32; i++) {
        const uint32_t layer = want->layer ? (uint32_t)want->layer[i] : 0;
        to[i] = (int32_t)(faces * (layer < last ? layer : last)) + (want->face ? want->face[i] : 0);
    }
    return to;
}

static void sample_texture(const hw_texture *t, const sampling *want, const telling *told, channels out) {
    float (*numbers)[32] = (float (*)[32])want->coordinates;
    const bool filters = t->is_filtered && reads_numbers(t);
    int32_t layers[32];
    const int32_t *layer = find_layers(t, want, layers);
    if (want->are_integers && layer) {
        int32_t index[AXES][32];
        memcpy(index, want->coordinates, sizeof index);
        memcpy(index[AXES - 1], layer, sizeof index[AXES - 1]);
        read_texels(t, index, want->wanted, told, out);
    } else if (want->are_integers) {
        read_texels(t, (int32_t (*)[32])want->coordinates, want->wanted, told, out);
    } else if (filters && !layer && is_simple_plane(t, want->dims, told)) {
        read_plane(t, want->dims, numbers, want->wanted, out);
    } else if (filters) {
        read_filtered(t, want->dims, numbers, layer, want->wanted, told, out);
    } else {
        read_nearest(t, want->dims, numbers, layer, want->wanted, told, out);
    }
}

static void begin_telling(hw_state *s, hw_texels *texels, telling *told) {
    *told = (telling){.texels = hw_texels_are_wanted(s, texels) ? texels : NULL};
    if (told->texels) memset(texels->lanes, 0, sizeof texels->lanes);
}

static void tell_of(hw_state *s, uint64_t handle, uint32_t lanes, telling *told) {
    hw_texture texture;
    told->lanes = lanes;
    if (told->texels && hw_textures_find(hw_mem_textures(s->run->launch->mem), handle, &texture))
        told->address = texture.address, told->place = handle << 40 | texture.address % HW_TEXTURE_ALIGNMENT;
}

// The lanes whose texture is that of the first of those left.
static uint32_t lanes_alike(const uint64_t *handles, int first) {
    uint32_t same = 0;
    for (int i = 0; i < 32; i++) same |= (uint32_t)(handles[i] == handles[first]) << i;
    return same;
}

// Texture by texture, for all lanes each; of which it is, those lanes are taken.
static bool fetch_each(hw_warp *w, const hw_inst *in, const sampling *want, hw_texels *texels, channels all) {
    const bool have_one = (in->fourth & 3) == HW_BASE_LAUNCH || (in->fourth & 3) == HW_BASE_BLOCK;
    uint64_t handles[32];
    channels some;
    telling told;
    begin_telling(hw_state_of(w), texels, &told);
    memcpy(handles, hw_at(w, in->fourth), sizeof handles);
    for (uint32_t left = w->mask; left;) {
        const int first = __builtin_ctz(left);
        const uint32_t same = have_one ? 0xffffffffu : lanes_alike(handles, first);
        const hw_texture *t = hw_texture_find(hw_state_of(w), in, first, handles[first], false);
        if (!t) return false;
        const bool is_only = left == w->mask && !(left & ~same);
        tell_of(hw_state_of(w), handles[first], left & same, &told);
        sample_texture(t, want, &told, is_only ? all : some);
        for (uint32_t c = 0; !is_only && c < CHANNELS; c++)
            for (int i = 0; i < 32; i++) all[c][i] = same >> i & 1 ? some[c][i] : all[c][i];
        left &= ~same;
    }
    if (told.texels) hw_texels_tell(hw_state_of(w), in, texels);
    return true;
}

// Destinations may lie where sources do: all sources are taken before anything is written.
static const hw_inst *fetch_texture(hw_warp *w, const hw_inst *in, bool are_integers, bool is_cube) {
    const hw_slot slots[] = {in->a, in->b, in->c};
    uint32_t coordinates[AXES][32];
    int32_t layer[32], face[32];
    sampling want = {.coordinates = coordinates, .dims = is_cube ? 2 : in->dimensions, .are_integers = are_integers};
    channels all;
    hw_texels texels;
    for (int axis = 0; axis < AXES; axis++) {
        if (axis < in->dimensions) memcpy(coordinates[axis], hw_at(w, slots[axis]), sizeof *coordinates);
        else HW_ALL_LANES(coordinates[axis], 0);
    }
    if (in->p != HW_NO_SLOT) want.layer = memcpy(layer, hw_at(w, in->p), sizeof layer);
    if (is_cube) {
        find_faces((float (*)[32])coordinates, face);
        want.face = face;
    }
    for (uint32_t c = 0; c < CHANNELS; c++) want.wanted |= (uint32_t)(w->slots[in->list + c] != HW_NO_SLOT) << c;
    if (!fetch_each(w, in, &want, &texels, all)) return NULL;
    for (uint32_t c = 0; c < CHANNELS; c++) {
        if (!(want.wanted >> c & 1)) continue;
        uint32_t *d = hw_at(w, w->slots[in->list + c]);
        HW_LANES(d, all[c][i]);
    }
    return in + 1;
}

static const hw_inst *texture_at_floats(hw_warp *w, const hw_inst *in) { return fetch_texture(w, in, false, false); }
static const hw_inst *texture_at_integers(hw_warp *w, const hw_inst *in) { return fetch_texture(w, in, true, false); }
static const hw_inst *texture_in_direction(hw_warp *w, const hw_inst *in) { return fetch_texture(w, in, false, true); }

#define ROW(name, function, ...) {function, NULL},
const hw_body_forms HW_LEVEL_NAME(hw_ops_texture)[] = {
#include "isa/bodies/texture.def"
};
