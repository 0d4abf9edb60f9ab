// Texture and surface objects: what the program describes, in the runtime's words.
#include <string.h>

#include "shim/cudart/cudart.h"

_Static_assert((int)cudaChannelFormatKindFloat == HW_TEXEL_FLOAT && (int)cudaAddressModeBorder == HW_TEXTURE_BORDER,
               "the runtime numbers kinds and modes as CUDA does");

static hw_rt_status use_resource(const struct cudaResourceDesc *resource, hw_rt_texture *out) {
    switch (resource->resType) {
    case cudaResourceTypeArray:
        out->source = HW_RT_TEXTURE_ARRAY;
        out->array = hw_array_of(resource->res.array.array);
        return HW_RT_SUCCESS;
    case cudaResourceTypeLinear:
        out->source = HW_RT_TEXTURE_LINEAR;
        out->address = hw_address(resource->res.linear.devPtr);
        out->channels = hw_channels_of(&resource->res.linear.desc);
        out->bytes = resource->res.linear.sizeInBytes;
        return HW_RT_SUCCESS;
    case cudaResourceTypePitch2D:
        out->source = HW_RT_TEXTURE_ROWS;
        out->address = hw_address(resource->res.pitch2D.devPtr);
        out->channels = hw_channels_of(&resource->res.pitch2D.desc);
        out->width = resource->res.pitch2D.width;
        out->height = resource->res.pitch2D.height;
        out->pitch_bytes = resource->res.pitch2D.pitchInBytes;
        return HW_RT_SUCCESS;
    case cudaResourceTypeMipmappedArray: return hw_shim_unsupported("cudaCreateTextureObject of a mipmapped array");
    default: return HW_RT_INVALID_VALUE;
    }
}

static void use_sampling(const struct cudaTextureDesc *desc, hw_rt_texture *out) {
    for (int axis = 0; axis < 3; axis++) out->edge[axis] = (unsigned)desc->addressMode[axis];
    out->is_filtered = desc->filterMode == cudaFilterModeLinear;
    out->is_normalized = desc->normalizedCoords != 0;
    out->reads_fractions = desc->readMode == cudaReadModeNormalizedFloat;
    out->is_srgb = desc->sRGB != 0;
    memcpy(out->border, desc->borderColor, sizeof out->border);
}

HW_EXPORT cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                                              const struct cudaTextureDesc *desc,
                                              const struct cudaResourceViewDesc *view) {
    HW_ENTER();
    hw_rt_texture texture = {0};
    uint64_t handle;
    if (!object || !resource || !desc) return hw_cudart_return(HW_RT_INVALID_VALUE);
    if (view) return hw_cudart_unsupported("cudaCreateTextureObject with a resource view");
    if (desc->seamlessCubemap) return hw_cudart_unsupported("cudaCreateTextureObject with seamlessCubemap");
    hw_rt_status status = use_resource(resource, &texture);
    if (status) return hw_cudart_return(status);
    use_sampling(desc, &texture);
    status = hw_rt_texture_create(hw_shim_runtime(), &texture, &handle);
    if (status == HW_RT_NOT_SUPPORTED) hw_shim_unsupported("cudaCreateTextureObject with sRGB");
    if (!status) *object = handle;
    return hw_cudart_return(status);
}
HW_ALIAS(cudaCreateTextureObject_v2, cudaCreateTextureObject);

HW_EXPORT cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_texture_destroy(hw_shim_runtime(), object));
}

HW_EXPORT cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource) {
    HW_ENTER();
    uint64_t handle;
    if (!object || !resource) return hw_cudart_return(HW_RT_INVALID_VALUE);
    if (resource->resType != cudaResourceTypeArray) return hw_cudart_return(HW_RT_INVALID_CHANNELS);
    const hw_rt_array *array = hw_array_of(resource->res.array.array);
    hw_rt_status status = hw_rt_surface_create(hw_shim_runtime(), array, &handle);
    if (!status) *object = handle;
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_surface_destroy(hw_shim_runtime(), object));
}
