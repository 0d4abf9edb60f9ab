// Texture and surface objects: what a program describes becomes a texture of the simulated device.
#include <string.h>

#include "runtime/array.h"
#include "runtime/internal.h"
#include "runtime/tell.h"

enum { MOST_TEXELS = 0x7fffffff };   // along an axis

// Texels of 1, 2 or 4 channels of the same width.
static bool use_channels(const hw_rt_channels *channels, hw_texture *out) {
    const int *bits = channels->bits;
    int n = 0;
    while (n < 4 && bits[n]) n++;
    for (int i = 0; i < 4; i++)
        if (bits[i] != (i < n ? bits[0] : 0)) return false;
    bool is_width = bits[0] == 8 || bits[0] == 16 || bits[0] == 32;
    bool is_kind = channels->kind == HW_TEXEL_SIGNED || channels->kind == HW_TEXEL_UNSIGNED ||
                   (channels->kind == HW_TEXEL_FLOAT && bits[0] > 8);
    if (!is_width || !is_kind || n == 0 || n == 3) return false;
    out->channels = (uint8_t)n;
    out->channel_bits = (uint8_t)bits[0];
    out->kind = (uint8_t)channels->kind;
    return true;
}

static hw_rt_status use_array(hw_runtime *runtime, const hw_rt_array *array, hw_texture *out) {
    hw_rt_array_info info;
    hw_rt_region all;
    if (!hw_rt_is_array(runtime, array) || hw_rt_array_get_info(runtime, array, &info) ||
        info.row_bytes / info.element_bytes > MOST_TEXELS || info.rows > MOST_TEXELS || info.slices > MOST_TEXELS ||
        !hw_rt_array_region(runtime, array, 0, 0, 0, info.row_bytes, info.rows, info.slices, &all))
        return HW_RT_INVALID_HANDLE;
    out->address = (uint64_t)(uintptr_t)all.start;
    out->is_array = true;
    out->pitch_bytes = all.pitch;
    out->slice_bytes = all.slice;
    out->bytes = all.slice * info.slices;
    out->size[0] = (uint32_t)(info.row_bytes / info.element_bytes);
    out->size[1] = (uint32_t)info.rows;
    out->size[2] = (uint32_t)info.slices;
    out->has_layers = (info.flags & (HW_RT_ARRAY_LAYERED | HW_RT_ARRAY_CUBE)) != 0;
    out->is_cube = (info.flags & HW_RT_ARRAY_CUBE) != 0;
    return use_channels(&info.channels, out) ? HW_RT_SUCCESS : HW_RT_INVALID_CHANNELS;
}

static bool is_extent(size_t n) { return n > 0 && n <= MOST_TEXELS; }

static hw_rt_status use_memory(hw_runtime *runtime, const hw_rt_texture *texture, hw_texture *out) {
    if (!use_channels(&texture->channels, out)) return HW_RT_INVALID_CHANNELS;
    size_t texel_bytes = out->channels * (out->channel_bits / 8u);
    size_t width = texture->width, height = texture->height, pitch = texture->pitch_bytes;
    out->is_buffer = texture->source == HW_RT_TEXTURE_LINEAR;
    if (out->is_buffer) {
        width = texture->bytes / texel_bytes;
        height = 1;
        pitch = width * texel_bytes;
    }
    size_t row = width * texel_bytes;
    hw_allocation found;
    if (!is_extent(width) || !is_extent(height) || pitch < row ||
        __builtin_mul_overflow(pitch, height - 1, &out->bytes) ||
        __builtin_add_overflow(out->bytes, row, &out->bytes) ||
        !hw_rt_find(runtime, texture->address, out->bytes, &found))
        return HW_RT_INVALID_VALUE;
    out->address = texture->address;
    out->size[0] = (uint32_t)width;
    out->size[1] = (uint32_t)height;
    out->pitch_bytes = pitch;
    return HW_RT_SUCCESS;
}

static hw_rt_status use_sampling(const hw_rt_texture *texture, hw_texture *out) {
    for (int axis = 0; axis < 3; axis++) {
        if (texture->edge[axis] > HW_TEXTURE_BORDER) return HW_RT_INVALID_VALUE;
        out->edge[axis] = (uint8_t)texture->edge[axis];
    }
    // A layer's number is clamped. What is beyond a cube's face, for a filter, is the same face's, as the texture says
    // (tests/cuda/arrays.h100.txt).
    if (out->has_layers) out->edge[2] = HW_TEXTURE_CLAMP;
    bool is_integer = out->kind != HW_TEXEL_FLOAT;
    out->is_filtered = texture->is_filtered;
    out->is_normalized = texture->is_normalized || out->is_cube;
    out->reads_fractions = is_integer && texture->reads_fractions;
    memcpy(out->border, texture->border, sizeof out->border);
    if (out->reads_fractions && out->channel_bits == 32) return HW_RT_INVALID_NORMALIZATION;
    if (out->is_filtered && is_integer && !out->reads_fractions) return HW_RT_INVALID_FILTER;
    return texture->is_srgb ? HW_RT_NOT_SUPPORTED : HW_RT_SUCCESS;
}

static hw_rt_status add_texture(hw_runtime *runtime, const hw_texture *made, uint64_t *handle) {
    if (hw_textures_add(hw_mem_textures(hw_rt_mem(runtime)), made, handle, NULL)) return HW_RT_NO_MEMORY;
    hw_rt_tell_object(runtime, HW_HOST_OBJECT_CREATE, &(hw_host_object){HW_HOST_TEXTURE, *handle, 0});
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_texture_create(hw_runtime *runtime, const hw_rt_texture *texture, uint64_t *handle) {
    HW_RT_ENTER(runtime);
    hw_texture made = {.size = {1, 1, 1}};
    hw_rt_status status = texture->source == HW_RT_TEXTURE_ARRAY ? use_array(runtime, texture->array, &made)
                                                                 : use_memory(runtime, texture, &made);
    if (!status) status = use_sampling(texture, &made);
    return status ? status : add_texture(runtime, &made, handle);
}

hw_rt_status hw_rt_surface_create(hw_runtime *runtime, const hw_rt_array *array, uint64_t *handle) {
    HW_RT_ENTER(runtime);
    hw_texture made = {.size = {1, 1, 1}, .is_surface = true};
    hw_rt_status status = use_array(runtime, array, &made);
    return status ? status : add_texture(runtime, &made, handle);
}

static hw_rt_status destroy_object(hw_runtime *runtime, uint64_t handle, bool is_surface) {
    HW_RT_ENTER(runtime);
    hw_textures *textures = hw_mem_textures(hw_rt_mem(runtime));
    hw_texture found;
    if (!handle) return HW_RT_SUCCESS;
    if (hw_textures_find(textures, handle, &found) && found.is_surface == is_surface &&
        hw_textures_remove(textures, handle)) {
        hw_rt_tell_object(runtime, HW_HOST_OBJECT_DESTROY, &(hw_host_object){HW_HOST_TEXTURE, handle, 0});
        return HW_RT_SUCCESS;
    }
    hw_rt_tell_no_object(runtime, HW_HOST_NO_OBJECT_TO_DESTROY, HW_HOST_TEXTURE, (const void *)(uintptr_t)handle);
    return HW_RT_INVALID_VALUE;
}

hw_rt_status hw_rt_texture_destroy(hw_runtime *runtime, uint64_t handle) {
    return destroy_object(runtime, handle, false);
}

hw_rt_status hw_rt_surface_destroy(hw_runtime *runtime, uint64_t handle) {
    return destroy_object(runtime, handle, true);
}
