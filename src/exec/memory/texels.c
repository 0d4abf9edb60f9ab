// Telling which texels a fetch reads.
#include "exec/memory/texels.h"

static bool is_listed(const hw_lane_bytes *list, uint32_t n, uint64_t address, int lane) {
    for (uint32_t k = n; k > 0 && list[k - 1].lane == lane; k--)
        if (list[k - 1].address == address) return true;
    return false;
}

// The texels of one lane, behind the n that are in the list; returns how many there are then.
static uint32_t list_texels(const hw_texels *texels, int lane, hw_lane_bytes *list, uint32_t n) {
    for (int corner = 0; corner < HW_TEXEL_CORNERS; corner++) {
        uint64_t address = texels->address[corner][lane];
        if (!(texels->lanes[corner] >> lane & 1) || is_listed(list, n, address, lane)) continue;
        list[n++] = (hw_lane_bytes){.address = address, .bytes = texels->bytes[lane], .lane = (uint8_t)lane,
                                    .space = HW_SPACE_GLOBAL};
    }
    return n;
}

// Multiples of the golden ratio's part spread any number of blocks evenly, whatever the grid's shape. The first block,
// in a corner of the data, is none of many.
static bool is_sample(const hw_state *s) {
    const uint32_t spread = (uint32_t)s->block->linear * 0x9e3779b1u + 0x80000000u;
    return spread * (unsigned __int128)s->run->n_blocks < (uint64_t)HW_TEXEL_BLOCKS << 32;
}

bool hw_texels_are_wanted(const hw_state *s, hw_texels *texels) {
    texels->is_listed = HW_IS_TOLD(s, LANE_ACCESS);
    texels->is_sampled = HW_IS_TOLD(s, TEXELS) && is_sample(s);
    return texels->is_listed || texels->is_sampled;
}

static void tell_fetch(hw_state *s, const hw_inst *in, const hw_texels *texels) {
    const hw_texel_fetch fetch = {.where = hw_where_of(s), .note = in->note, .block = s->block->linear,
                                  .mask = s->warp.mask, .lanes = texels->lanes, .place = texels->place};
    hw_tell_texels(&s->run->observers->all, s->worker->index, &fetch);
}

static void tell_lanes(hw_state *s, const hw_inst *in, const hw_texels *texels) {
    hw_lane_bytes list[32 * HW_TEXEL_CORNERS];
    uint32_t n = 0;
    for (uint32_t left = s->warp.mask; left; left &= left - 1)
        n = list_texels(texels, __builtin_ctz(left), list, n);
    if (n) hw_access_tell_lanes(s, in, false, list, n);
}

void hw_texels_tell(hw_state *s, const hw_inst *in, const hw_texels *texels) {
    if (texels->is_listed) tell_lanes(s, in, texels);
    if (texels->is_sampled) tell_fetch(s, in, texels);
}
