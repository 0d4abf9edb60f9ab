// Arrays, and the texture objects that read them or plain memory.
#ifndef HW_RUNTIME_ARRAY_H
#define HW_RUNTIME_ARRAY_H

#include "runtime/memory.h"

typedef struct hw_rt_array hw_rt_array;

// What an element is made of. bits of absent channels are 0; kind is a hw_texel_kind or another of CUDA's numbers.
typedef struct hw_rt_channels {
    int bits[4];
    int kind;
} hw_rt_channels;

// flags, as CUDA's.
enum { HW_RT_ARRAY_LAYERED = 1, HW_RT_ARRAY_SURFACE = 2, HW_RT_ARRAY_CUBE = 4 };

typedef struct hw_rt_array_info {
    hw_rt_channels channels;
    size_t size[3];                    // elements, as the caller gave them: 0 on axes that it has not
    unsigned flags;
    size_t element_bytes, row_bytes, rows, slices;   // 1 at least
} hw_rt_array_info;

// Rows lie one after the other. HW_RT_INVALID_VALUE, HW_RT_INVALID_CHANNELS, HW_RT_NO_MEMORY.
hw_rt_status hw_rt_array_create(hw_runtime *runtime, const hw_rt_channels *channels, const size_t size[3],
                                unsigned flags, const void *site, hw_rt_array **out);
hw_rt_status hw_rt_array_destroy(hw_runtime *runtime, hw_rt_array *array, const void *site);   // HW_RT_INVALID_HANDLE
bool hw_rt_is_array(hw_runtime *runtime, const hw_rt_array *array);
hw_rt_status hw_rt_array_get_info(hw_runtime *runtime, const hw_rt_array *array, hw_rt_array_info *out);

// Where [x_bytes, x_bytes + width_bytes) of height rows and depth slices lie, from row y and slice z on. False where
// that is not all within the array, or it is none.
bool hw_rt_array_region(hw_runtime *runtime, const hw_rt_array *array, size_t x_bytes, size_t y, size_t z,
                        size_t width_bytes, size_t height, size_t depth, hw_rt_region *out);
// The same for a run of bytes that may go over several rows of the first slice.
bool hw_rt_array_run(hw_runtime *runtime, const hw_rt_array *array, size_t x_bytes, size_t y, size_t bytes,
                     hw_rt_region *out);

// ---- textures ----

typedef enum hw_rt_texture_source {
    HW_RT_TEXTURE_ARRAY, HW_RT_TEXTURE_LINEAR, HW_RT_TEXTURE_ROWS
} hw_rt_texture_source;

typedef struct hw_rt_texture {
    hw_rt_texture_source source;
    const hw_rt_array *array;          // ARRAY: with channels of its own
    uint64_t address;                  // LINEAR, ROWS
    hw_rt_channels channels;
    size_t bytes;                      // LINEAR
    size_t width, height, pitch_bytes; // ROWS: texels
    unsigned edge[3];                  // hw_texture_edge
    bool is_filtered, is_normalized;   // linear filter; coordinates 0 to 1
    bool reads_fractions;              // integers as -1 to 1 or 0 to 1
    bool is_srgb;
    float border[4];
} hw_rt_texture;

// HW_RT_INVALID_HANDLE (an array that is none), HW_RT_INVALID_CHANNELS, HW_RT_INVALID_VALUE,
// HW_RT_INVALID_NORMALIZATION, HW_RT_INVALID_FILTER, HW_RT_NOT_SUPPORTED (sRGB), HW_RT_NO_MEMORY.
hw_rt_status hw_rt_texture_create(hw_runtime *runtime, const hw_rt_texture *texture, uint64_t *handle);
hw_rt_status hw_rt_texture_destroy(hw_runtime *runtime, uint64_t handle);   // HW_RT_INVALID_VALUE; 0: success

// Surfaces, of arrays alone: as textures are, of which they are a kind.
hw_rt_status hw_rt_surface_create(hw_runtime *runtime, const hw_rt_array *array, uint64_t *handle);
hw_rt_status hw_rt_surface_destroy(hw_runtime *runtime, uint64_t handle);

#endif
