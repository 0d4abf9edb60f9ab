// Copies of two and three dimensions, and copies from and to arrays.
#include "shim/cuda/graph.h"

// One side of a copy, as the three descriptions of copies have it.
typedef struct side {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x_bytes, y, z, pitch, height;
} side;

static hw_rt_status region_of(const side *s, hw_rt_shape shape, hw_rt_region *out) {
    const bool is_host = s->type == CU_MEMORYTYPE_HOST;
    if (s->type == CU_MEMORYTYPE_ARRAY)
        return hw_rt_array_region(hw_shim_runtime(), hw_array_of(s->array), s->x_bytes, s->y, s->z, shape.width,
                                  shape.height, shape.depth, out) ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE;
    if (!is_host && s->type != CU_MEMORYTYPE_DEVICE && s->type != CU_MEMORYTYPE_UNIFIED) return HW_RT_INVALID_VALUE;
    const size_t pitch = s->pitch ? s->pitch : shape.width + s->x_bytes, height = s->height ? s->height : shape.height;
    if (s->x_bytes + shape.width > pitch || (shape.depth > 1 && s->y + shape.height > height))
        return HW_RT_INVALID_VALUE;
    const uint64_t start = is_host ? hw_address(s->host) : s->device;
    *out = (hw_rt_region){.start = (char *)(uintptr_t)(start + (s->z * height + s->y) * pitch + s->x_bytes),
                          .pitch = pitch, .slice = pitch * height};
    return HW_RT_SUCCESS;
}

static hw_host_copy_kind direction_of(CUmemorytype to, CUmemorytype from) {
    if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED) return HW_HOST_COPY_ANY;
    if (from == CU_MEMORYTYPE_HOST)
        return to == CU_MEMORYTYPE_HOST ? HW_HOST_COPY_HOST_TO_HOST : HW_HOST_COPY_HOST_TO_DEVICE;
    return to == CU_MEMORYTYPE_HOST ? HW_HOST_COPY_DEVICE_TO_HOST : HW_HOST_COPY_DEVICE_TO_DEVICE;
}

static hw_rt_status work_of_sides(const side *to, const side *from, hw_rt_shape shape, hw_rt_work *out) {
    *out = (hw_rt_work){.kind = HW_RT_NODE_COPY,
                        .copy = {.shape = shape, .direction = (unsigned)direction_of(to->type, from->type)}};
    const hw_rt_status status = region_of(to, shape, &out->copy.to);
    return status ? status : region_of(from, shape, &out->copy.from);
}

static CUresult copy_sides(const side *to, const side *from, hw_rt_shape shape, hw_rt_order order) {
    HW_ENTER();
    hw_rt_work work;
    if (!shape.width || !shape.height || !shape.depth) return CUDA_SUCCESS;
    hw_rt_status status = work_of_sides(to, from, shape, &work);
    if (!status)
        status = hw_rt_copy(hw_shim_runtime(), work.copy.to, work.copy.from, shape, work.copy.direction, order);
    return hw_cuda_return(status);
}

// ---- two dimensions ----

static CUresult copy_2d(const CUDA_MEMCPY2D *c, hw_rt_order order) {
    if (!c) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const side to = {c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c->dstXInBytes, c->dstY, 0,
                     c->dstPitch, 0};
    const side from = {c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcXInBytes, c->srcY, 0,
                       c->srcPitch, 0};
    return copy_sides(&to, &from, (hw_rt_shape){c->WidthInBytes, c->Height, 1}, order);
}

HW_EXPORT CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) { return copy_2d(copy, hw_in_turn()); }
HW_EXPORT CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D *copy) { return copy_2d(copy, hw_in_turn_of_thread()); }
HW_ALIAS(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);
HW_ALIAS(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2_ptds);

HW_EXPORT CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
    return copy_2d(copy, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D *copy, CUstream stream) {
    return cuMemcpy2DAsync_v2(copy, hw_of_thread(stream));
}

// ---- three dimensions ----

// src or dst of a description, which names the members of both kinds alike.
#define SIDE_OF(c, which)                                                                                              \
    (&(side){(c)->which##MemoryType, (c)->which##Host, (c)->which##Device, (c)->which##Array, (c)->which##XInBytes,    \
             (c)->which##Y, (c)->which##Z, (c)->which##Pitch, (c)->which##Height})

static CUresult copy_3d(const CUDA_MEMCPY3D *c, hw_rt_order order) {
    if (!c || c->srcLOD || c->dstLOD) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_shape shape = {c->WidthInBytes, c->Height, c->Depth};
    return copy_sides(SIDE_OF(c, dst), SIDE_OF(c, src), shape, order);
}

hw_rt_status hw_cuda_copy_work(const CUDA_MEMCPY3D *c, hw_rt_work *out) {
    if (!c || c->srcLOD || c->dstLOD) return HW_RT_INVALID_VALUE;
    return work_of_sides(SIDE_OF(c, dst), SIDE_OF(c, src), (hw_rt_shape){c->WidthInBytes, c->Height, c->Depth}, out);
}

HW_EXPORT CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy) { return copy_3d(copy, hw_in_turn()); }
HW_EXPORT CUresult cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D *copy) { return copy_3d(copy, hw_in_turn_of_thread()); }

HW_EXPORT CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream) {
    return copy_3d(copy, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D *copy, CUstream stream) {
    return cuMemcpy3DAsync_v2(copy, hw_of_thread(stream));
}

static CUresult copy_3d_peer(const CUDA_MEMCPY3D_PEER *c, hw_rt_order order) {
    if (!c || c->srcLOD || c->dstLOD) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_shape shape = {c->WidthInBytes, c->Height, c->Depth};
    return copy_sides(SIDE_OF(c, dst), SIDE_OF(c, src), shape, order);
}

HW_EXPORT CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy) { return copy_3d_peer(copy, hw_in_turn()); }

HW_EXPORT CUresult cuMemcpy3DPeer_ptds(const CUDA_MEMCPY3D_PEER *copy) {
    return copy_3d_peer(copy, hw_in_turn_of_thread());
}

HW_EXPORT CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream) {
    return copy_3d_peer(copy, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemcpy3DPeerAsync_ptsz(const CUDA_MEMCPY3D_PEER *copy, CUstream stream) {
    return cuMemcpy3DPeerAsync(copy, hw_of_thread(stream));
}

// ---- bytes of arrays from an offset on ----

static side bytes_of_array(CUarray array, size_t offset) {
    return (side){.type = CU_MEMORYTYPE_ARRAY, .array = array, .x_bytes = offset};
}

static side bytes_of_host(const void *host) { return (side){.type = CU_MEMORYTYPE_HOST, .host = host}; }
static side bytes_of_device(CUdeviceptr device) { return (side){.type = CU_MEMORYTYPE_DEVICE, .device = device}; }

static CUresult copy_bytes(side to, side from, size_t bytes, hw_rt_order order) {
    return copy_sides(&to, &from, (hw_rt_shape){bytes, 1, 1}, order);
}

HW_EXPORT CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void *from, size_t bytes) {
    return copy_bytes(bytes_of_array(to, offset), bytes_of_host(from), bytes, hw_in_turn());
}

HW_EXPORT CUresult cuMemcpyHtoA_v2_ptds(CUarray to, size_t offset, const void *from, size_t bytes) {
    return copy_bytes(bytes_of_array(to, offset), bytes_of_host(from), bytes, hw_in_turn_of_thread());
}

HW_EXPORT CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream) {
    return copy_bytes(bytes_of_array(to, offset), bytes_of_host(from), bytes, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemcpyHtoAAsync_v2_ptsz(CUarray to, size_t offset, const void *from, size_t bytes,
                                             CUstream stream) {
    return cuMemcpyHtoAAsync_v2(to, offset, from, bytes, hw_of_thread(stream));
}

HW_EXPORT CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t offset, size_t bytes) {
    return copy_bytes(bytes_of_host(to), bytes_of_array(from, offset), bytes, hw_in_turn());
}

HW_EXPORT CUresult cuMemcpyAtoH_v2_ptds(void *to, CUarray from, size_t offset, size_t bytes) {
    return copy_bytes(bytes_of_host(to), bytes_of_array(from, offset), bytes, hw_in_turn_of_thread());
}

HW_EXPORT CUresult cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t offset, size_t bytes, CUstream stream) {
    return copy_bytes(bytes_of_host(to), bytes_of_array(from, offset), bytes, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemcpyAtoHAsync_v2_ptsz(void *to, CUarray from, size_t offset, size_t bytes, CUstream stream) {
    return cuMemcpyAtoHAsync_v2(to, from, offset, bytes, hw_of_thread(stream));
}

HW_EXPORT CUresult cuMemcpyDtoA_v2(CUarray to, size_t offset, CUdeviceptr from, size_t bytes) {
    return copy_bytes(bytes_of_array(to, offset), bytes_of_device(from), bytes, hw_in_turn());
}

HW_EXPORT CUresult cuMemcpyDtoA_v2_ptds(CUarray to, size_t offset, CUdeviceptr from, size_t bytes) {
    return copy_bytes(bytes_of_array(to, offset), bytes_of_device(from), bytes, hw_in_turn_of_thread());
}

HW_EXPORT CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t offset, size_t bytes) {
    return copy_bytes(bytes_of_device(to), bytes_of_array(from, offset), bytes, hw_in_turn());
}

HW_EXPORT CUresult cuMemcpyAtoD_v2_ptds(CUdeviceptr to, CUarray from, size_t offset, size_t bytes) {
    return copy_bytes(bytes_of_device(to), bytes_of_array(from, offset), bytes, hw_in_turn_of_thread());
}

HW_EXPORT CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes) {
    return copy_bytes(bytes_of_array(to, to_offset), bytes_of_array(from, from_offset), bytes, hw_in_turn());
}

HW_EXPORT CUresult cuMemcpyAtoA_v2_ptds(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                                        size_t bytes) {
    return copy_bytes(bytes_of_array(to, to_offset), bytes_of_array(from, from_offset), bytes, hw_in_turn_of_thread());
}
