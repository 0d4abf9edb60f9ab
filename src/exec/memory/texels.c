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

void hw_texels_tell(hw_state *s, const hw_inst *in, const hw_texels *texels) {
    hw_lane_bytes list[32 * HW_TEXEL_CORNERS];
    uint32_t n = 0;
    for (uint32_t left = s->warp.mask; left; left &= left - 1)
        n = list_texels(texels, __builtin_ctz(left), list, n);
    if (n) hw_access_tell_lanes(s, in, false, list, n);
}
