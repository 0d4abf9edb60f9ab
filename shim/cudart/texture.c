// Texture objects: what the program describes becomes a texture of the simulated device.
#include <string.h>

#include "shim/shim.h"

// Texels of a channel description: 1, 2 or 4 channels of the same width.
static bool use_format(const struct cudaChannelFormatDesc *desc, hw_texture *out) {
    const int bits[] = {desc->x, desc->y, desc->z, desc->w};
    int n = 0;
    while (n < 4 && bits[n]) n++;
    for (int i = 0; i < 4; i++)
        if (bits[i] != (i < n ? bits[0] : 0)) return false;
    bool is_width = bits[0] == 8 || bits[0] == 16 || bits[0] == 32;
    bool is_kind = desc->f == cudaChannelFormatKindSigned || desc->f == cudaChannelFormatKindUnsigned ||
                   (desc->f == cudaChannelFormatKindFloat && bits[0] > 8);
    if (!is_width || !is_kind || n == 0 || n == 3) return false;
    out->channels = (uint8_t)n;
    out->channel_bits = (uint8_t)bits[0];
    out->kind = (uint8_t)desc->f;
    return true;
}

static bool fits_32_bits(size_t n) { return n > 0 && n <= 0x7fffffff; }

static cudaError_t use_plane(hw_texture *out, const void *start, size_t width, size_t height, size_t pitch) {
    size_t row = width * out->channels * (out->channel_bits / 8u);
    if (!fits_32_bits(width) || !fits_32_bits(height) || pitch < row) return cudaErrorInvalidValue;
    if (__builtin_mul_overflow(pitch, height - 1, &out->bytes) || __builtin_add_overflow(out->bytes, row, &out->bytes))
        return cudaErrorInvalidValue;
    out->address = hw_address(start);
    out->size[0] = (uint32_t)width;
    out->size[1] = (uint32_t)height;
    out->size[2] = 1;
    out->pitch_bytes = pitch;
    return cudaSuccess;
}

static cudaError_t use_resource(const struct cudaResourceDesc *resource, hw_texture *out) {
    hw_allocation found;
    cudaError_t error;
    switch (resource->resType) {
    case cudaResourceTypeArray: {
        const struct cudaChannelFormatDesc *desc = hw_array_place(resource->res.array.array, out);
        if (!desc) return cudaErrorInvalidResourceHandle;
        return use_format(desc, out) ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
    }
    case cudaResourceTypeLinear: {
        if (!use_format(&resource->res.linear.desc, out)) return cudaErrorInvalidChannelDescriptor;
        size_t texel_bytes = out->channels * (out->channel_bits / 8u);
        size_t count = resource->res.linear.sizeInBytes / texel_bytes;
        out->is_buffer = true;
        error = use_plane(out, resource->res.linear.devPtr, count, 1, count * texel_bytes);
        break;
    }
    case cudaResourceTypePitch2D:
        if (!use_format(&resource->res.pitch2D.desc, out)) return cudaErrorInvalidChannelDescriptor;
        error = use_plane(out, resource->res.pitch2D.devPtr, resource->res.pitch2D.width, resource->res.pitch2D.height,
                          resource->res.pitch2D.pitchInBytes);
        break;
    case cudaResourceTypeMipmappedArray: return hw_shim_unsupported("cudaCreateTextureObject of a mipmapped array");
    default: return cudaErrorInvalidValue;
    }
    if (error) return error;
    bool is_there = hw_mem_find(hw_sim_mem(hw_shim_sim()), out->address, out->bytes, &found);
    return is_there ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t use_sampling(const struct cudaTextureDesc *desc, hw_texture *out) {
    for (int axis = 0; axis < 3; axis++) {
        if ((unsigned)desc->addressMode[axis] > cudaAddressModeBorder) return cudaErrorInvalidValue;
        out->edge[axis] = (uint8_t)desc->addressMode[axis];
    }
    bool is_integer = out->kind != HW_TEXEL_FLOAT;
    out->is_filtered = desc->filterMode == cudaFilterModeLinear;
    out->is_normalized = desc->normalizedCoords != 0;
    out->reads_fractions = is_integer && desc->readMode == cudaReadModeNormalizedFloat;
    memcpy(out->border, desc->borderColor, sizeof out->border);
    if (out->reads_fractions && out->channel_bits == 32) return cudaErrorInvalidNormSetting;
    if (out->is_filtered && is_integer && !out->reads_fractions) return cudaErrorInvalidFilterSetting;
    if (desc->sRGB) return hw_shim_unsupported("cudaCreateTextureObject with sRGB");
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                                              const struct cudaTextureDesc *desc,
                                              const struct cudaResourceViewDesc *view) {
    HW_ENTER();
    hw_texture texture = {.size = {1, 1, 1}};
    uint64_t handle;
    if (!object || !resource || !desc) return hw_shim_return(cudaErrorInvalidValue);
    if (view) return hw_shim_return(hw_shim_unsupported("cudaCreateTextureObject with a resource view"));
    cudaError_t error = use_resource(resource, &texture);
    if (!error) error = use_sampling(desc, &texture);
    if (!error && hw_textures_add(hw_mem_textures(hw_sim_mem(hw_shim_sim())), &texture, &handle, NULL) != HW_OK)
        error = cudaErrorMemoryAllocation;
    if (!error) *object = handle;
    return hw_shim_return(error);
}
HW_ALIAS(cudaCreateTextureObject_v2, cudaCreateTextureObject);

HW_EXPORT cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
    HW_ENTER();
    bool known = hw_textures_remove(hw_mem_textures(hw_sim_mem(hw_shim_sim())), object);
    return hw_shim_return(known || !object ? cudaSuccess : cudaErrorInvalidValue);
}
