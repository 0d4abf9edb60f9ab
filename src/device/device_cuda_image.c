// Images of a GPU: a CUDA array, or plain memory, and the texture object by which kernels read it.
#include "device/device_cuda.h"

// The array, filled. In the context; the words are the caller's, so the copy is waited for.
static CUresult fill_array(const hw_cuda *cuda, hw_image *image, const void *words) {
    const size_t row_bytes = 4 * (size_t)image->request.cols;
    const CUDA_ARRAY_DESCRIPTOR shape = {image->request.cols, image->request.rows, CU_AD_FORMAT_UNSIGNED_INT32, 1};
    CUarray array = NULL;
    CUresult result = cuda->driver->cuArrayCreate(&array, &shape);
    image->array = array;
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = words, .srcPitch = row_bytes,
                                .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = array, .WidthInBytes = row_bytes,
                                .Height = image->request.rows};
    const CUstream stream = image->device->own_stream->handle;
    if (!result) result = cuda->driver->cuMemcpy2DAsync(&copy, stream);
    return result ? result : cuda->driver->cuStreamSynchronize(stream);
}

static CUresult make_texture(const hw_cuda *cuda, hw_image *image) {
    const CUDA_TEXTURE_DESC reads = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP,
                                                     CU_TR_ADDRESS_MODE_CLAMP},
                                     .flags = CU_TRSF_READ_AS_INTEGER};
    CUDA_RESOURCE_DESC from = {.resType = image->array ? CU_RESOURCE_TYPE_ARRAY : CU_RESOURCE_TYPE_LINEAR};
    if (image->array) from.res.array.hArray = image->array;
    else {
        from.res.linear.devPtr = (CUdeviceptr)(uintptr_t)image->memory;
        from.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT32;
        from.res.linear.numChannels = 1;
        from.res.linear.sizeInBytes = 4 * (size_t)image->request.cols * image->request.rows;
    }
    CUtexObject texture = 0;
    CUresult result = cuda->driver->cuTexObjectCreate(&texture, &from, &reads, NULL);
    image->texture = texture;
    return result;
}

static hw_status fill_memory(hw_image *image, const void *words, hw_diag *diag) {
    const size_t bytes = 4 * (size_t)image->request.cols * image->request.rows;
    hw_stream *stream = image->device->own_stream;
    hw_status status = hw_device_alloc(image->device, bytes, &image->memory, diag);
    if (!status) status = hw_copy(stream, image->memory, words, bytes, diag);
    return status ? status : hw_stream_synchronize(stream, diag);
}

hw_status hw_cuda_image_create(hw_image *image, const void *words, hw_diag *diag) {
    const hw_cuda *cuda = hw_cuda_of(image->device);
    hw_status status = image->request.is_in_blocks ? HW_OK : fill_memory(image, words, diag);
    if (status) return status;
    CUresult result = hw_cuda_enter(cuda);
    if (!result) {
        if (image->request.is_in_blocks) result = fill_array(cuda, image, words);
        if (!result) result = make_texture(cuda, image);
        hw_cuda_leave(cuda);
    }
    return hw_cuda_status(image->device, result, diag, "an image of %u x %u words cannot be had", image->request.cols,
                          image->request.rows);
}

void hw_cuda_image_destroy(hw_image *image) {
    const hw_cuda *cuda = hw_cuda_of(image->device);
    CUresult result;
    if (image->texture) HW_CUDA_CALL(cuda, result, cuTexObjectDestroy(image->texture));
    if (image->array) HW_CUDA_CALL(cuda, result, cuArrayDestroy(image->array));
}
