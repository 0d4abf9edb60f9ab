// Variables of the device, by the address of the host variable that stands for them.
#include "shim/cudart/registry.h"

typedef struct place {
    uint64_t address, bytes;
} place;

// On the thread's current GPU: each has variables of its own.
static cudaError_t locate_symbol(const void *symbol, place *out) {
    HW_ENTER();
    const hw_registered_variable *found = hw_registry_variable(symbol);
    *out = found ? (place){found->addresses[hw_registry_gpu()], found->bytes} : (place){0};
    return out->address ? cudaSuccess : hw_cudart_return(HW_RT_INVALID_SYMBOL);
}

HW_EXPORT cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
    place variable;
    cudaError_t error = locate_symbol(symbol, &variable);
    if (error) return error;
    if (!pointer) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *pointer = (void *)(uintptr_t)variable.address;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
    place variable;
    cudaError_t error = locate_symbol(symbol, &variable);
    if (error) return error;
    if (!bytes) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *bytes = variable.bytes;
    return cudaSuccess;
}

static cudaError_t copy_symbol(const void *symbol, void *other, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
                               bool to_symbol, hw_rt_order order) {
    place variable;
    cudaError_t error = locate_symbol(symbol, &variable);
    if (error) return error;
    if (!hw_rt_is_stream(hw_shim_runtime(), order.stream)) return hw_cudart_return(HW_RT_INVALID_HANDLE);
    const bool is_wrong_way = kind == cudaMemcpyHostToHost ||
                              kind == (to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
    const bool is_beyond = offset > variable.bytes || bytes > variable.bytes - offset;
    if (is_wrong_way || (bytes && is_beyond))
        hw_rt_tell_bad_bytes(hw_shim_runtime(), HW_HOST_COPY,
                             is_wrong_way ? HW_HOST_WRONG_DIRECTION : HW_HOST_BEYOND_END, variable.address, 0);
    if (is_wrong_way) return hw_cudart_return(HW_RT_INVALID_DIRECTION);
    if (!bytes) return cudaSuccess;
    if (is_beyond) return hw_cudart_return(HW_RT_INVALID_VALUE);
    hw_rt_region there = {.start = (char *)(uintptr_t)variable.address + offset, .pitch = bytes};
    hw_rt_region plain = {.start = other, .pitch = bytes};
    return hw_cudart_return(hw_rt_copy(hw_shim_runtime(), to_symbol ? there : plain, to_symbol ? plain : there,
                                       (hw_rt_shape){bytes, 1, 1}, (unsigned)kind, order));
}

HW_EXPORT cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset,
                                         enum cudaMemcpyKind kind) {
    return copy_symbol(symbol, (void *)src, bytes, offset, kind, true, hw_in_turn());
}

HW_EXPORT cudaError_t cudaMemcpyToSymbol_ptds(const void *symbol, const void *src, size_t bytes, size_t offset,
                                              enum cudaMemcpyKind kind) {
    return copy_symbol(symbol, (void *)src, bytes, offset, kind, true, hw_in_turn_of_thread());
}

HW_EXPORT cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset,
                                           enum cudaMemcpyKind kind) {
    return copy_symbol(symbol, dst, bytes, offset, kind, false, hw_in_turn());
}

HW_EXPORT cudaError_t cudaMemcpyFromSymbol_ptds(void *dst, const void *symbol, size_t bytes, size_t offset,
                                                enum cudaMemcpyKind kind) {
    return copy_symbol(symbol, dst, bytes, offset, kind, false, hw_in_turn_of_thread());
}

HW_EXPORT cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset,
                                              enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_symbol(symbol, (void *)src, bytes, offset, kind, true, hw_in_stream(stream));
}

HW_EXPORT cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void *symbol, const void *src, size_t bytes, size_t offset,
                                                   enum cudaMemcpyKind kind, cudaStream_t stream) {
    return cudaMemcpyToSymbolAsync(symbol, src, bytes, offset, kind, hw_of_thread(stream));
}

HW_EXPORT cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
                                                enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_symbol(symbol, dst, bytes, offset, kind, false, hw_in_stream(stream));
}

HW_EXPORT cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void *dst, const void *symbol, size_t bytes, size_t offset,
                                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
    return cudaMemcpyFromSymbolAsync(dst, symbol, bytes, offset, kind, hw_of_thread(stream));
}
