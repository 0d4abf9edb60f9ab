// Variables of the device, by the address of the host variable that stands for them.
#include "registry.h"
#include "tell.h"

static cudaError_t locate(const void *symbol, hw_registered_variable **found) {
    HW_ENTER();
    *found = hw_registry_variable(symbol);
    return *found && (*found)->address ? cudaSuccess : hw_shim_return(cudaErrorInvalidSymbol);
}

HW_EXPORT cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
    hw_registered_variable *variable;
    cudaError_t error = locate(symbol, &variable);
    if (error) return error;
    if (!pointer) return hw_shim_return(cudaErrorInvalidValue);
    *pointer = (void *)(uintptr_t)variable->address;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
    hw_registered_variable *variable;
    cudaError_t error = locate(symbol, &variable);
    if (error) return error;
    if (!bytes) return hw_shim_return(cudaErrorInvalidValue);
    *bytes = variable->bytes;
    return cudaSuccess;
}

static cudaError_t copy(const void *symbol, void *other, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
                        bool to_symbol, cudaStream_t stream) {
    hw_registered_variable *variable;
    cudaError_t error = locate(symbol, &variable);
    if (error) return error;
    if (!hw_stream_is_valid(stream)) return hw_shim_return(cudaErrorInvalidResourceHandle);
    if (kind == cudaMemcpyHostToHost || kind == (to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice))
        return hw_shim_return(cudaErrorInvalidMemcpyDirection);
    if (!bytes) return hw_shim_return(cudaSuccess);
    if (offset > variable->bytes || bytes > variable->bytes - offset) return hw_shim_return(cudaErrorInvalidValue);
    hw_region place = {.start = (char *)(uintptr_t)variable->address + offset, .pitch = bytes};
    hw_region plain = {.start = other, .pitch = bytes};
    return hw_shim_return(hw_copy_rows(to_symbol ? place : plain, to_symbol ? plain : place, bytes, 1, 1, kind,
                                       stream));
}

HW_EXPORT cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset,
                                         enum cudaMemcpyKind kind) {
    return hw_shim_waited(copy(symbol, (void *)src, bytes, offset, kind, true, NULL), kind);
}
HW_ALIAS(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);

HW_EXPORT cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset,
                                           enum cudaMemcpyKind kind) {
    return hw_shim_waited(copy(symbol, dst, bytes, offset, kind, false, NULL), kind);
}
HW_ALIAS(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);

HW_EXPORT cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset,
                                              enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy(symbol, (void *)src, bytes, offset, kind, true, stream);
}
HW_ALIAS(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);

HW_EXPORT cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
                                                enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy(symbol, dst, bytes, offset, kind, false, stream);
}
HW_ALIAS(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);
