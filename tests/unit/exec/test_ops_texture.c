// Texture fetches of a warp, at every level, against reading texel by texel: all formats, edges and filters, and
// coordinates of every kind. What an H200 reads is compared by tests/cli/programs/textures.sh.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>

#include "exec/ops/half.h"
#include "exec/ops/level.h"
#include "mem/mem.h"
#include "mem/texture.h"

// ---- one texel after the other ----

typedef struct texel {
    float f[4];
    uint32_t bits[4];
} texel;

static bool reads_numbers(const hw_texture *t) { return t->kind == HW_TEXEL_FLOAT || t->reads_fractions; }

static uint32_t channel_bits(const hw_texture *t, const uint8_t *at) {
    uint32_t bits = 0, shift = 32u - t->channel_bits;
    memcpy(&bits, at, t->channel_bits / 8);
    return t->kind == HW_TEXEL_SIGNED ? (uint32_t)((int32_t)(bits << shift) >> shift) : bits;
}

static float channel_number(const hw_texture *t, uint32_t bits) {
    bool is_half = t->channel_bits == 16;
    if (t->kind == HW_TEXEL_FLOAT) return is_half ? hw_half_to_float((uint16_t)bits) : hw_bits_float(bits);
    if (t->kind == HW_TEXEL_UNSIGNED) return (float)bits / (float)((1ull << t->channel_bits) - 1);
    float f = (float)(int32_t)bits / (float)((1ull << (t->channel_bits - 1)) - 1);
    return f < -1 ? -1 : f;
}

static int64_t place(const hw_texture *t, int axis, int64_t i) {
    int64_t n = t->size[axis];
    uint8_t edge = t->edge[axis];
    if (i >= 0 && i < n) return i;
    if (t->is_buffer || edge == HW_TEXTURE_BORDER) return -1;
    if (edge == HW_TEXTURE_CLAMP || !t->is_normalized) return i < 0 ? 0 : n - 1;
    int64_t period = edge == HW_TEXTURE_WRAP ? n : 2 * n, m = (i % period + period) % period;
    return m < n ? m : 2 * n - 1 - m;
}

static texel read_one(const hw_texture *t, const uint8_t *texels, const int64_t index[3]) {
    texel out = {{0}, {0}};
    int64_t x = place(t, 0, index[0]), y = place(t, 1, index[1]), z = place(t, 2, index[2]);
    uint32_t bytes = t->channel_bits / 8;
    if (x < 0 || y < 0 || z < 0) {
        if (!t->is_buffer) memcpy(out.f, t->border, sizeof out.f);
    } else {
        const uint8_t *from = texels + (uint64_t)z * t->slice_bytes + (uint64_t)y * t->pitch_bytes +
                              (uint64_t)x * bytes * t->channels;
        for (uint32_t c = 0; c < t->channels; c++) out.bits[c] = channel_bits(t, from + c * bytes);
        for (uint32_t c = 0; c < t->channels; c++) out.f[c] = reads_numbers(t) ? channel_number(t, out.bits[c]) : 0;
    }
    if (reads_numbers(t)) memcpy(out.bits, out.f, sizeof out.bits);
    return out;
}

static double in_texels(const hw_texture *t, int axis, float coordinate) {
    double x = coordinate, far = 1 << 30;
    if (t->is_normalized) {
        if (t->edge[axis] == HW_TEXTURE_WRAP) x -= floor(x);
        if (t->edge[axis] == HW_TEXTURE_MIRROR) x -= 2 * floor(x / 2);
        x *= t->size[axis];
    }
    return x != x ? 0 : x < -far ? -far : x > far ? far : x;
}

// Shares of a weight in 256ths: x first, then z, then y; a half goes down, but on the y axis of the upper x.
static int weight_of(int corner, int dims, const int upper[3]) {
    int weight = 256, is_right = corner & 1;
    for (int k = 0; k < 3; k++) {
        int axis = k == 0 ? 0 : 3 - k, half = axis == 1 && is_right ? 128 : 127;
        if (axis >= dims) continue;
        int share = (weight * upper[axis] + half) / 256;
        weight = corner >> axis & 1 ? share : weight - share;
    }
    return weight;
}

static texel filter(const hw_texture *t, const uint8_t *texels, int dims, const float *coordinates) {
    const bool has_rows = dims == 1 && !t->has_layers;    // a line is one of a plane's
    int64_t first[3] = {0, has_rows ? -1 : 0, 0};
    int upper[3] = {0, has_rows ? 128 : 0, 0}, planes = dims == 1 ? 2 : dims;
    double sum[4] = {0, 0, 0, 0}, most = t->kind == HW_TEXEL_SIGNED ? 32767 : 65535;
    texel out;
    for (int axis = 0; axis < dims; axis++) {
        double x = in_texels(t, axis, coordinates[axis]) - 0.5, whole = floor(x);
        first[axis] = (int64_t)whole;
        upper[axis] = (int)floor((x - whole) * 256 + 0.5);
    }
    for (int corner = 0; corner < 1 << planes; corner++) {
        int weight = weight_of(corner, planes, upper);
        if (!weight) continue;
        const int64_t index[] = {first[0] + (corner & 1), first[1] + (corner >> 1 & 1), first[2] + (corner >> 2)};
        texel one = read_one(t, texels, index);
        for (int c = 0; c < 4; c++) sum[c] += weight * (double)one.f[c];
    }
    for (int c = 0; c < 4; c++)
        out.f[c] = (float)(t->kind == HW_TEXEL_FLOAT ? sum[c] / 256 : rint(sum[c] / 256 * most) / most);
    memcpy(out.bits, out.f, sizeof out.bits);
    return out;
}

static texel sample(const hw_texture *t, const uint8_t *texels, int dims, const uint32_t coordinates[3],
                    bool integers) {
    int64_t index[3] = {0, 0, 0};
    float numbers[3] = {0, 0, 0};
    memcpy(numbers, coordinates, (size_t)dims * sizeof *numbers);
    if (!integers && t->is_filtered && reads_numbers(t)) return filter(t, texels, dims, numbers);
    for (int axis = 0; axis < dims; axis++)
        index[axis] = integers ? (int32_t)coordinates[axis] : (int64_t)floor(in_texels(t, axis, numbers[axis]));
    return read_one(t, texels, index);
}

// ---- the bodies ----

enum { SLOT_BYTES = 256, TEXTURES = 3, MOST_BYTES = 1 << 16 };

static hw_mem *mem;
static uint64_t address;                   // of all textures' texels

static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

// layers: of lines and planes; 0: none.
static hw_texture make_texture(int dims, uint32_t layers, uint64_t *seed) {
    uint64_t x = next_random(seed);
    static const uint8_t widths[] = {8, 16, 32}, counts[] = {1, 2, 4};
    hw_texture t = {.address = address, .size = {1, 1, 1}, .channels = counts[x % 3]};
    t.kind = (uint8_t)((x >> 8) % 3);
    t.channel_bits = t.kind == HW_TEXEL_FLOAT ? widths[1 + (x >> 16) % 2] : widths[(x >> 16) % 3];
    for (int axis = 0; axis < dims; axis++) t.size[axis] = (uint32_t)(1 + (x >> (20 + 4 * axis)) % 9);
    for (int axis = 0; axis < 3; axis++) t.edge[axis] = (uint8_t)((x >> (40 + 2 * axis)) % 4);
    if (layers) {
        t.has_layers = true;
        t.size[2] = layers;
        t.edge[2] = HW_TEXTURE_CLAMP;
    }
    t.is_filtered = x >> 50 & 1;
    t.is_normalized = x >> 51 & 1;
    t.reads_fractions = t.kind != HW_TEXEL_FLOAT && t.channel_bits < 32 && (x >> 52 & 1);
    t.is_buffer = dims == 1 && !layers && !t.is_filtered && !t.is_normalized && (x >> 53 & 3) == 0;
    t.pitch_bytes = (uint64_t)t.size[0] * t.channels * t.channel_bits / 8 + 32;
    t.slice_bytes = t.pitch_bytes * t.size[1] + 64;
    t.bytes = t.slice_bytes * t.size[2];
    for (int c = 0; c < 4; c++) t.border[c] = 0.25f * (float)c + 0.5f;
    return t;
}

static uint32_t random_coordinate(const hw_texture *t, int axis, bool integers, uint64_t *seed) {
    uint64_t x = next_random(seed);
    static const float edges[] = {0, -0.0f, 1, -1, 0.5f, 1e30f, -1e30f, 1e-40f, -1e-40f, 2, 0.99999994f};
    float f = ((float)(x >> 40) / 0x1p24f * 3 - 1) * (t->is_normalized ? 1 : (float)t->size[axis]);
    if (integers) return x & 15 ? (uint32_t)(int32_t)((x >> 8) % 24 - 8) : (uint32_t)(x >> 32);
    if ((x & 7) == 0) f = edges[(x >> 8) % 11];
    if ((x & 127) == 1) f = x & 128 ? (float)INFINITY : (float)NAN;
    if ((x & 7) == 2) f = floorf(f * 512) / 512;
    return hw_float_bits(f);
}

typedef struct lanes {
    hw_state state;
    hw_run run;
    hw_launch launch;
    _Alignas(64) char frame[10][SLOT_BYTES];
    hw_slot slots[4];
    hw_inst insts[2];
} lanes;

// A layer is a texture without layers, and one beyond the others, -1 as well, is the last of them.
static texel sample_layer(const hw_texture *t, int64_t layer, int dims, const uint32_t coordinates[3], bool integers) {
    const uint8_t *texels = hw_mem_host(mem, address);
    hw_texture one = *t;
    if (dims == 3) return sample(t, texels, dims, coordinates, integers);
    layer = (uint32_t)layer < t->size[2] ? layer : t->size[2] - 1;
    one.size[2] = 1;
    return sample(&one, texels + (uint64_t)layer * t->slice_bytes, dims, coordinates, integers);
}

static void check_case(const hw_level *level, uint64_t number) {
    static lanes l;
    static hw_worker worker;    // remembers a texture from one case to the next, which gives the handle to another
    uint64_t seed = number, handles[TEXTURES];
    hw_texture textures[TEXTURES];
    int dims = (int)(number % 3) + 1, unused = (int)(number % 7);
    uint32_t layers = dims < 3 && number % 4 == 3 ? 1 + (uint32_t)(number % 5) : 0;
    bool integers = number / 3 % 4 == 0;
    uint32_t mask = number % 5 ? ~0u : (uint32_t)next_random(&seed) | 1;
    memset(&l, 0, sizeof l);
    for (int k = 0; k < TEXTURES; k++) {
        textures[k] = make_texture(dims, layers, &seed);
        assert_int_equal(hw_textures_add(hw_mem_textures(mem), &textures[k], &handles[k], NULL), HW_OK);
    }
    l.launch.mem = mem;
    l.run.launch = &l.launch;
    l.state.run = &l.run;
    l.state.worker = &worker;
    l.state.warp.slots = l.slots;
    hw_set_base(&l.state.warp, HW_BASE_FRAME, l.frame[0]);
    level->set_mask(&l.state.warp, mask);
    // The first destination lies where the first coordinates are.
    for (int c = 0; c < 4; c++) l.slots[c] = c == unused ? HW_NO_SLOT : (hw_slot)((c ? 4 + c : 0) * SLOT_BYTES);
    l.insts[0] = (hw_inst){.b = SLOT_BYTES, .c = 2 * SLOT_BYTES, .fourth = 3 * SLOT_BYTES, .dimensions = (uint8_t)dims,
                           .p = layers ? 9 * SLOT_BYTES : HW_NO_SLOT};
    uint32_t before[4][32], coordinates[32][3] = {{0}};
    int texture_of[32];
    for (int i = 0; i < 32; i++) {
        texture_of[i] = number % 11 == 0 ? (int)(next_random(&seed) % TEXTURES) : 0;
        ((uint64_t *)l.frame[3])[i] = handles[texture_of[i]];
        for (int axis = 0; axis < dims; axis++) {
            coordinates[i][axis] = random_coordinate(&textures[texture_of[i]], axis, integers, &seed);
            ((uint32_t *)l.frame[axis])[i] = coordinates[i][axis];
        }
        ((int32_t *)l.frame[9])[i] = (int32_t)(next_random(&seed) % 8) - 1;
    }
    for (int c = 0; c < 4; c++) memcpy(before[c], l.frame[c ? 4 + c : 0], sizeof before[c]);
    hw_body body = hw_level_forms(level, hw_body_find(integers ? "tex.s32" : "tex.f32"))->body;
    assert_ptr_equal(body(&l.state.warp, &l.insts[0]), &l.insts[1]);
    for (int i = 0; i < 32; i++) {
        const hw_texture *t = &textures[texture_of[i]];
        texel want = sample_layer(t, layers ? ((int32_t *)l.frame[9])[i] : -1, dims, coordinates[i], integers);
        for (int c = 0; c < 4; c++) {
            uint32_t found = ((uint32_t *)l.frame[c ? 4 + c : 0])[i];
            uint32_t bits = c != unused && mask >> i & 1 ? want.bits[c] : before[c][i];
            bool are_nan = c != unused && mask >> i & 1 && (bits & 0x7fffffff) > 0x7f800000 &&
                           (found & 0x7fffffff) > 0x7f800000;    // which NaN is nobody's business
            if (found != bits && !are_nan)
                fail_msg("case %d, level %s, lane %d, channel %d: %x, not %x", (int)number, level->name, i, c, found,
                         bits);
        }
    }
    for (int k = 0; k < TEXTURES; k++) assert_true(hw_textures_remove(hw_mem_textures(mem), handles[k]));
}

static void test_fetches(void **state) {
    (void)state;
    const hw_level *level;
    for (size_t i = 0; (level = hw_level_at(i)); i++)
        for (uint64_t number = 0; hw_level_runs_here(level) && number < 6000; number++) check_case(level, number);
}

static int open_memory(void **state) {
    (void)state;
    uint64_t seed = 1;
    if (hw_mem_create(1 << 24, &mem, NULL) != HW_OK) return 1;
    if (hw_mem_alloc(mem, MOST_BYTES, 256, HW_ALLOC_DEVICE, NULL, NULL, &address, NULL) != HW_OK) return 1;
    uint64_t *words = hw_mem_host(mem, address);
    for (int i = 0; i < MOST_BYTES / 8; i++) words[i] = next_random(&seed);
    return 0;
}

static int close_memory(void **state) {
    (void)state;
    hw_mem_destroy(mem);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fetches)};
    return cmocka_run_group_tests(tests, open_memory, close_memory);
}
