// Telling sinks which texels an instruction reads. Where they are, texture_lanes.c has worked out for reading them.
#ifndef HW_EXEC_TEXELS_H
#define HW_EXEC_TEXELS_H

#include "exec/warp/warp.h"
#include "mem/texture.h"

enum { HW_TEXEL_CORNERS = 8 };             // of a cube; the most that a lane reads

typedef struct hw_texels {
    uint64_t address[HW_TEXEL_CORNERS][32];   // as the program knows them
    uint32_t lanes[HW_TEXEL_CORNERS];      // those that read a texel there; the border is none
    uint32_t bytes[32];                    // of a lane's texel
} hw_texels;

static inline uint32_t hw_texel_bytes(const hw_texture *t) { return t->channel_bits / 8u * t->channels; }

// Tells the texels of all lanes (hw_lane_access), each once for a lane. Where HW_IS_TOLD says that LANE_ACCESS is
// wanted.
void hw_texels_tell(hw_state *s, const hw_inst *in, const hw_texels *texels);

#endif
