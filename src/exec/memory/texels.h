// Telling sinks which texels an instruction reads. Where they are, texture_lanes.c has worked out for reading them.
#ifndef HW_EXEC_TEXELS_H
#define HW_EXEC_TEXELS_H

#include "exec/warp/warp.h"
#include "mem/texture.h"

typedef struct hw_texels {
    bool is_listed, is_sampled;            // wanted as LANE_ACCESS; as TEXELS, of this block
    uint64_t address[HW_TEXEL_CORNERS][32];   // as the program knows them
    uint32_t lanes[HW_TEXEL_CORNERS];      // those that read a texel there; the border is none
    uint32_t bytes[32];                    // of a lane's texel
    uint64_t place[HW_TEXEL_CORNERS][32];  // where is_sampled: as a GPU has them
} hw_texels;

static inline uint32_t hw_texel_bytes(const hw_texture *t) { return t->channel_bits / 8u * t->channels; }

// Does anybody want to know of this fetch? Fills in who does.
bool hw_texels_are_wanted(const hw_state *s, hw_texels *texels);

// Tells the texels of all lanes: as hw_lane_access each once for a lane, and as hw_texel_fetch.
void hw_texels_tell(hw_state *s, const hw_inst *in, const hw_texels *texels);

#endif
