// Texture objects: what a handle stands for. Reading texels is exec's.
#ifndef HW_MEM_TEXTURE_H
#define HW_MEM_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { HW_TEXTURE_ALIGNMENT = 512 };         // of addresses that textures begin at, as CUDA tells programs

typedef enum hw_texel_kind { HW_TEXEL_SIGNED, HW_TEXEL_UNSIGNED, HW_TEXEL_FLOAT } hw_texel_kind;   // CUDA's numbers
typedef enum hw_texture_edge {
    HW_TEXTURE_WRAP, HW_TEXTURE_CLAMP, HW_TEXTURE_MIRROR, HW_TEXTURE_BORDER
} hw_texture_edge;                         // what lies outside; as CUDA numbers them

// Texels lie row after row: (x, y, z) at address + z * slice_bytes + y * pitch_bytes + x * texel size.
typedef struct hw_texture {
    uint64_t address, bytes;               // bytes: how far texels reach
    uint64_t pitch_bytes, slice_bytes;
    uint32_t size[3];                      // in texels; 1 on axes that it has not
    uint8_t channels, channel_bits;        // 1, 2 or 4 of 8, 16 or 32 bits
    uint8_t kind;                          // hw_texel_kind
    uint8_t edge[3];                       // hw_texture_edge, by axis
    bool is_filtered;                      // linear, not nearest
    bool is_normalized;                    // coordinates 0 to 1
    bool reads_fractions;                  // integers are read as -1 to 1 or 0 to 1
    bool is_buffer;                        // plain memory: 0 is read outside
    bool is_array;                         // a GPU has it in blocks, and not row after row
    bool has_layers, is_cube;              // slices are layers, or faces of cubes: six each
    bool is_surface;                       // for loads and stores, which say where they are in bytes
    float border[4];
} hw_texture;

// Where a GPU has the byte at that offset from address: of plain memory there. Arrays of several rows lie in blocks of
// 64 bytes by 8 rows, in which a sector of 32 bytes is 16 bytes of two rows: as the Tegra's manuals have its "block
// linear" surfaces, and as an H200 counts sectors of fetches (truth/h200_micro.csv).
uint64_t hw_texture_place(const hw_texture *texture, uint64_t offset);

// A table of them. Threads: any.
typedef struct hw_textures hw_textures;
hw_textures *hw_textures_create(void);     // NULL: no memory
void hw_textures_destroy(hw_textures *textures);

// Handles are small numbers, never 0; one that was removed is given again when many others have been. HW_NO_MEMORY.
hw_status hw_textures_add(hw_textures *textures, const hw_texture *texture, uint64_t *handle, hw_diag *diag);
bool hw_textures_find(hw_textures *textures, uint64_t handle, hw_texture *out);
bool hw_textures_remove(hw_textures *textures, uint64_t handle);

// Changes whenever a texture is added or removed: what hw_textures_find said holds while it stays the same.
uint64_t hw_textures_version(const hw_textures *textures);

// How many have been removed: while it stays the same, handles that stood for a texture stand for that one.
uint64_t hw_textures_removed(const hw_textures *textures);

#endif
