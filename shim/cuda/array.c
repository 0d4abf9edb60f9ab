// Arrays: places to copy to and from, and to read through textures.
#include "shim/cuda/driver.h"

_Static_assert(CUDA_ARRAY3D_LAYERED == HW_RT_ARRAY_LAYERED && CUDA_ARRAY3D_CUBEMAP == HW_RT_ARRAY_CUBE,
               "the runtime numbers flags as CUDA does");

static const struct { CUarray_format format; int bits, kind; } format_rows[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, HW_TEXEL_UNSIGNED},   {CU_AD_FORMAT_UNSIGNED_INT16, 16, HW_TEXEL_UNSIGNED},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, HW_TEXEL_UNSIGNED}, {CU_AD_FORMAT_SIGNED_INT8, 8, HW_TEXEL_SIGNED},
    {CU_AD_FORMAT_SIGNED_INT16, 16, HW_TEXEL_SIGNED},     {CU_AD_FORMAT_SIGNED_INT32, 32, HW_TEXEL_SIGNED},
    {CU_AD_FORMAT_HALF, 16, HW_TEXEL_FLOAT},              {CU_AD_FORMAT_FLOAT, 32, HW_TEXEL_FLOAT},
};
enum { FORMATS = sizeof format_rows / sizeof *format_rows };

bool hw_cuda_channels(CUarray_format format, unsigned count, hw_rt_channels *out) {
    if (count != 1 && count != 2 && count != 4) return false;
    for (int i = 0; i < FORMATS; i++) {
        if (format_rows[i].format != format) continue;
        *out = (hw_rt_channels){.kind = format_rows[i].kind};
        for (unsigned c = 0; c < count; c++) out->bits[c] = format_rows[i].bits;
        return true;
    }
    return false;
}

static void describe_channels(const hw_rt_channels *channels, CUarray_format *format, unsigned *count) {
    for (*count = 0; *count < 4 && channels->bits[*count]; (*count)++) {}
    for (int i = 0; i < FORMATS; i++)
        if (format_rows[i].bits == channels->bits[0] && format_rows[i].kind == channels->kind)
            *format = format_rows[i].format;
}

HW_EXPORT CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc) {
    HW_ENTER();
    hw_rt_channels channels;
    if (!array || !desc || !hw_cuda_channels(desc->Format, desc->NumChannels, &channels))
        return hw_cuda_return(HW_RT_INVALID_VALUE);
    const size_t size[3] = {desc->Width, desc->Height, desc->Depth};
    return hw_cuda_return(hw_rt_array_create(hw_shim_runtime(), &channels, size, desc->Flags, hw_shim_site(),
                                             (hw_rt_array **)array));
}

HW_EXPORT CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *desc) {
    if (!desc) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const CUDA_ARRAY3D_DESCRIPTOR solid = {.Width = desc->Width, .Height = desc->Height, .Format = desc->Format,
                                           .NumChannels = desc->NumChannels};
    return cuArray3DCreate_v2(array, &solid);
}

HW_EXPORT CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray array) {
    HW_ENTER();
    hw_rt_array_info info;
    const hw_rt_status status = hw_rt_array_get_info(hw_shim_runtime(), hw_array_of(array), &info);
    if (status || !desc) return hw_cuda_return(status ? status : HW_RT_INVALID_VALUE);
    *desc = (CUDA_ARRAY3D_DESCRIPTOR){.Width = info.size[0], .Height = info.size[1], .Depth = info.size[2],
                                      .Flags = info.flags};
    describe_channels(&info.channels, &desc->Format, &desc->NumChannels);
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *desc, CUarray array) {
    CUDA_ARRAY3D_DESCRIPTOR solid;
    const CUresult result = cuArray3DGetDescriptor_v2(&solid, array);
    if (result || !desc) return result ? result : CUDA_ERROR_INVALID_VALUE;
    *desc = (CUDA_ARRAY_DESCRIPTOR){.Width = solid.Width, .Height = solid.Height, .Format = solid.Format,
                                    .NumChannels = solid.NumChannels};
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuArrayDestroy(CUarray array) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_array_destroy(hw_shim_runtime(), hw_array_of(array), hw_shim_site()));
}
