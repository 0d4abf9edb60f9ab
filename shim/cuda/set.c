// Sets: bytes, words of 16 and of 32 bits, in one row or several.
#include "shim/cuda/driver.h"

static CUresult set_words(CUdeviceptr address, size_t pitch, uint32_t word, size_t word_bytes, size_t width,
                          size_t height, hw_rt_order order) {
    HW_ENTER();
    size_t bytes;
    if (__builtin_mul_overflow(width, word_bytes, &bytes)) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_region to = {.start = (char *)(uintptr_t)address, .pitch = pitch};
    return hw_cuda_return(hw_rt_set_words(hw_shim_runtime(), to, word, word_bytes, (hw_rt_shape){bytes, height, 1},
                                          order));
}

HW_EXPORT CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
    return set_words(to, 0, value, 1, count, 1, hw_in_turn());
}

HW_EXPORT CUresult cuMemsetD8_v2_ptds(CUdeviceptr to, unsigned char value, size_t count) {
    return set_words(to, 0, value, 1, count, 1, hw_in_turn_of_thread());
}

HW_EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
    return set_words(to, 0, value, 1, count, 1, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemsetD8Async_ptsz(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
    return cuMemsetD8Async(to, value, count, hw_of_thread(stream));
}

HW_EXPORT CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
    return set_words(to, pitch, value, 1, width, height, hw_in_turn());
}

HW_EXPORT CUresult cuMemsetD2D8_v2_ptds(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                                        size_t height) {
    return set_words(to, pitch, value, 1, width, height, hw_in_turn_of_thread());
}

HW_EXPORT CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                                     CUstream stream) {
    return set_words(to, pitch, value, 1, width, height, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemsetD2D8Async_ptsz(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                                          size_t height, CUstream stream) {
    return cuMemsetD2D8Async(to, pitch, value, width, height, hw_of_thread(stream));
}

HW_EXPORT CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) {
    return set_words(to, 0, value, 2, count, 1, hw_in_turn());
}

HW_EXPORT CUresult cuMemsetD16_v2_ptds(CUdeviceptr to, unsigned short value, size_t count) {
    return set_words(to, 0, value, 2, count, 1, hw_in_turn_of_thread());
}

HW_EXPORT CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
    return set_words(to, 0, value, 2, count, 1, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemsetD16Async_ptsz(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
    return cuMemsetD16Async(to, value, count, hw_of_thread(stream));
}

HW_EXPORT CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
    return set_words(to, pitch, value, 2, width, height, hw_in_turn());
}

HW_EXPORT CUresult cuMemsetD2D16_v2_ptds(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                                         size_t height) {
    return set_words(to, pitch, value, 2, width, height, hw_in_turn_of_thread());
}

HW_EXPORT CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
                                      CUstream stream) {
    return set_words(to, pitch, value, 2, width, height, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemsetD2D16Async_ptsz(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                                           size_t height, CUstream stream) {
    return cuMemsetD2D16Async(to, pitch, value, width, height, hw_of_thread(stream));
}

HW_EXPORT CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
    return set_words(to, 0, value, 4, count, 1, hw_in_turn());
}

HW_EXPORT CUresult cuMemsetD32_v2_ptds(CUdeviceptr to, unsigned value, size_t count) {
    return set_words(to, 0, value, 4, count, 1, hw_in_turn_of_thread());
}

HW_EXPORT CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
    return set_words(to, 0, value, 4, count, 1, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemsetD32Async_ptsz(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
    return cuMemsetD32Async(to, value, count, hw_of_thread(stream));
}

HW_EXPORT CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
    return set_words(to, pitch, value, 4, width, height, hw_in_turn());
}

HW_EXPORT CUresult cuMemsetD2D32_v2_ptds(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
    return set_words(to, pitch, value, 4, width, height, hw_in_turn_of_thread());
}

HW_EXPORT CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,
                                      CUstream stream) {
    return set_words(to, pitch, value, 4, width, height, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemsetD2D32Async_ptsz(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,
                                           CUstream stream) {
    return cuMemsetD2D32Async(to, pitch, value, width, height, hw_of_thread(stream));
}
