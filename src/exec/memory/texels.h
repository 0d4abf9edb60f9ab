// Which texels a fetch reads: the CUDA programming guide's appendix "Texture Fetching".
#ifndef HW_EXEC_TEXELS_H
#define HW_EXEC_TEXELS_H

#include "exec/warp/warp.h"
#include "mem/texture.h"

typedef struct hw_texels {
    uint32_t n;                            // 1, or the 8 corners of a cube; bit k of a number: the upper one on axis k
    int64_t index[8][3];                   // x, y, z, before wrapping and the like
    int weight[8];                         // in 256ths; 0: it is not read
} hw_texels;

// Of one lane. coordinates: of `dims` axes, as the registers hold them, 32-bit integers or floats.
void hw_texels_place(const hw_texture *t, int dims, const uint32_t coordinates[3], bool has_integers, hw_texels *out);

// Bytes from the first texel to the one of an index; false: that lies in the border.
bool hw_texel_find(const hw_texture *t, const int64_t index[3], uint64_t *offset);
static inline uint32_t hw_texel_bytes(const hw_texture *t) { return t->channel_bits / 8u * t->channels; }

// Are texels read as numbers, which can be filtered? Else as their bits.
static inline bool hw_texels_are_numbers(const hw_texture *t) {
    return t->kind == HW_TEXEL_FLOAT || t->reads_fractions;
}

// Tells sinks the texels that all active lanes are about to read (hw_lane_access), each once for a lane. Of lanes whose
// handle is no texture, none. Where HW_IS_TOLD says that LANE_ACCESS is wanted.
void hw_texels_tell(hw_state *s, const hw_inst *in, bool has_integers);

#endif
