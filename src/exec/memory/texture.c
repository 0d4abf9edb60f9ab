// tex: reading texels. What is read where is the CUDA programming guide's appendix "Texture Fetching".
#include "exec/memory/texture.h"

#include <math.h>
#include <string.h>

#include "exec/memory/texels.h"
#include "exec/ops/half.h"

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

static void set_bits(const hw_texture *t, texel *out) {
    if (hw_texels_are_numbers(t)) memcpy(out->bits, out->f, sizeof out->bits);
}

static void read_texel(const hw_texture *t, const int64_t index[3], texel *out) {
    uint64_t offset;
    memset(out, 0, sizeof *out);
    if (!hw_texel_find(t, index, &offset)) {
        if (!t->is_buffer) memcpy(out->f, t->border, sizeof out->f);
        set_bits(t, out);
        return;
    }
    uint32_t channel_bytes = t->channel_bits / 8;
    const uint8_t *from = (const uint8_t *)(uintptr_t)(t->address + offset);
    for (uint32_t c = 0; c < t->channels; c++) {
        out->bits[c] = channel_bits(t, from + c * channel_bytes);
        out->f[c] = hw_texels_are_numbers(t) ? channel_number(t, out->bits[c]) : 0;
    }
    set_bits(t, out);
}

// Filtered fractions have 16 bits.
static float filtered_number(const hw_texture *t, double x) {
    double most = t->kind == HW_TEXEL_SIGNED ? 32767 : 65535;
    return (float)(t->kind == HW_TEXEL_FLOAT ? x : rint(x * most) / most);
}

static void read_filtered(const hw_texture *t, const hw_texels *at, texel *out) {
    double sum[4] = {0, 0, 0, 0};
    for (uint32_t k = 0; k < at->n; k++) {
        texel one;
        if (!at->weight[k]) continue;
        read_texel(t, at->index[k], &one);
        for (int c = 0; c < 4; c++) sum[c] += at->weight[k] * (double)one.f[c];
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
            out->address = (uint64_t)(uintptr_t)hw_mem_host(mem, out->address);
            return true;
        }
        hw_fault_access(s, in, HW_FAULT_ADDRESS, lane, HW_SPACE_GLOBAL, out->address, 1, false);
    } else {
        hw_fault_access(s, in, HW_FAULT_ADDRESS, lane, HW_SPACE_GLOBAL, handle, 1, false);
    }
    return false;
}

static void sample_texture(const hw_texture *t, const hw_texels *at, texel *out) {
    if (at->n == 1) read_texel(t, at->index[0], out);
    else read_filtered(t, at, out);
}

// Destinations may lie where sources do: all sources are taken before anything is written.
static const hw_inst *fetch_texture(hw_warp *w, const hw_inst *in, bool has_integers) {
    hw_state *s = hw_state_of(w);
    const hw_slot slots[] = {in->a, in->b, in->c};
    uint64_t handles[32], handle = 0;
    uint32_t coordinates[32][3] = {{0}};
    hw_texture texture;
    if (HW_IS_TOLD(s, LANE_ACCESS)) hw_texels_tell(s, in, has_integers);
    memcpy(handles, hw_at(w, in->fourth), sizeof handles);
    for (int axis = 0; axis < in->sub; axis++) {
        const uint32_t *lanes = hw_at(w, slots[axis]);
        for (int i = 0; i < 32; i++) coordinates[i][axis] = lanes[i];
    }
    for (uint32_t left = w->mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        texel value;
        hw_texels at;
        if ((!handle || handles[i] != handle) && !find_texture(s, in, i, handles[i], &texture)) return NULL;
        handle = handles[i];
        hw_texels_place(&texture, in->sub, coordinates[i], has_integers, &at);
        sample_texture(&texture, &at, &value);
        for (uint32_t c = 0; c < 4; c++) {
            hw_slot d = w->slots[in->list + c];
            if (d != HW_NO_SLOT) ((uint32_t *)hw_at(w, d))[i] = value.bits[c];
        }
    }
    return in + 1;
}

static const hw_inst *texture_at_floats(hw_warp *w, const hw_inst *in) { return fetch_texture(w, in, false); }
static const hw_inst *texture_at_integers(hw_warp *w, const hw_inst *in) { return fetch_texture(w, in, true); }

#define ROW(name, function, ...) {function, NULL},
const hw_body_forms hw_texture_bodies[] = {
#include "isa/bodies/texture.def"
};
