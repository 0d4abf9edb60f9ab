// Texture and surface objects: what the program describes, in the runtime's words.
#include <string.h>

#include "shim/cuda/driver.h"

_Static_assert((int)CU_TR_ADDRESS_MODE_BORDER == HW_TEXTURE_BORDER, "the runtime numbers modes as CUDA does");

static hw_rt_status use_resource(const CUDA_RESOURCE_DESC *resource, hw_rt_texture *out) {
    bool is_format = true;
    switch (resource->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        out->source = HW_RT_TEXTURE_ARRAY;
        out->array = hw_array_of(resource->res.array.hArray);
        return HW_RT_SUCCESS;
    case CU_RESOURCE_TYPE_LINEAR:
        out->source = HW_RT_TEXTURE_LINEAR;
        out->address = resource->res.linear.devPtr;
        out->bytes = resource->res.linear.sizeInBytes;
        is_format = hw_cuda_channels(resource->res.linear.format, resource->res.linear.numChannels, &out->channels);
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        out->source = HW_RT_TEXTURE_ROWS;
        out->address = resource->res.pitch2D.devPtr;
        out->width = resource->res.pitch2D.width;
        out->height = resource->res.pitch2D.height;
        out->pitch_bytes = resource->res.pitch2D.pitchInBytes;
        is_format = hw_cuda_channels(resource->res.pitch2D.format, resource->res.pitch2D.numChannels, &out->channels);
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: return hw_shim_unsupported("cuTexObjectCreate of a mipmapped array");
    default: return HW_RT_INVALID_VALUE;
    }
    return is_format ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE;
}

static void use_sampling(const CUDA_TEXTURE_DESC *desc, hw_rt_texture *out) {
    for (int axis = 0; axis < 3; axis++) out->edge[axis] = (unsigned)desc->addressMode[axis];
    out->is_filtered = desc->filterMode == CU_TR_FILTER_MODE_LINEAR;
    out->is_normalized = (desc->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    out->reads_fractions = !(desc->flags & CU_TRSF_READ_AS_INTEGER);
    out->is_srgb = (desc->flags & CU_TRSF_SRGB) != 0;
    memcpy(out->border, desc->borderColor, sizeof out->border);
}

// Integers of 32 bits are read as they are, whatever the flags say (cuda.h, CU_TRSF_READ_AS_INTEGER).
static bool has_wide_integers(const hw_rt_texture *texture) {
    hw_rt_array_info info;
    hw_rt_channels channels = texture->channels;
    if (texture->source == HW_RT_TEXTURE_ARRAY && !hw_rt_array_get_info(hw_shim_runtime(), texture->array, &info))
        channels = info.channels;
    return channels.bits[0] == 32 && channels.kind != HW_TEXEL_FLOAT;
}

HW_EXPORT CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                                     const CUDA_TEXTURE_DESC *desc, const CUDA_RESOURCE_VIEW_DESC *view) {
    HW_ENTER();
    hw_rt_texture texture = {0};
    uint64_t handle;
    if (!object || !resource || !desc) return hw_cuda_return(HW_RT_INVALID_VALUE);
    if (view) return hw_cuda_unsupported("cuTexObjectCreate with a resource view");
    if (desc->flags & CU_TRSF_SEAMLESS_CUBEMAP)
        return hw_cuda_unsupported("cuTexObjectCreate with CU_TRSF_SEAMLESS_CUBEMAP");
    hw_rt_status status = use_resource(resource, &texture);
    if (status) return hw_cuda_return(status);
    use_sampling(desc, &texture);
    if (has_wide_integers(&texture)) texture.reads_fractions = false;
    status = hw_rt_texture_create(hw_shim_runtime(), &texture, &handle);
    if (status == HW_RT_NOT_SUPPORTED) hw_shim_unsupported("cuTexObjectCreate with sRGB");
    if (!status) *object = handle;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuTexObjectDestroy(CUtexObject object) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_texture_destroy(hw_shim_runtime(), object));
}

HW_EXPORT CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource) {
    HW_ENTER();
    uint64_t handle;
    if (!object || !resource || resource->resType != CU_RESOURCE_TYPE_ARRAY) return hw_cuda_return(HW_RT_INVALID_VALUE);
    hw_rt_status status = hw_rt_surface_create(hw_shim_runtime(), hw_array_of(resource->res.array.hArray), &handle);
    if (!status) *object = handle;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuSurfObjectDestroy(CUsurfObject object) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_surface_destroy(hw_shim_runtime(), object));
}
