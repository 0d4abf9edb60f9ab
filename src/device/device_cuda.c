// A GPU, by the driver: opening, memory, streams, events, copies. Each call makes the primary context the thread's and
// takes it off again, so that threads, and other users of the GPU in the same process, do not meet.
#define _GNU_SOURCE
#include "device/device_cuda.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/rates.h"
#include "toolchain/compilers/nvrtc.h"

CUresult hw_cuda_enter(const hw_cuda *cuda) { return cuda->driver->cuCtxPushCurrent(cuda->context); }

void hw_cuda_leave(const hw_cuda *cuda) {
    CUcontext ours;
    cuda->driver->cuCtxPopCurrent(&ours);
}

// 700 to 719 are what kernels do wrong, and the machine under them: after these a GPU takes no more work of the
// process.
static hw_status status_of(CUresult result) {
    switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY: return HW_NO_MEMORY;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_NOT_FOUND: return HW_NOT_FOUND;
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION: return HW_COMPILE;
    case CUDA_ERROR_NOT_SUPPORTED: return HW_UNSUPPORTED;
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE: return HW_USAGE;
    default: return HW_FAULT;
    }
}

hw_status hw_cuda_status(hw_device *device, CUresult result, hw_diag *diag, const char *format, ...) {
    if (!result) return HW_OK;
    char what[512], words[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    hw_cuda_driver_words(hw_cuda_of(device)->driver, result, words, sizeof words);
    return hw_diag_set(diag, status_of(result), "%s: %s: %s", device->name, what, words);
}

// ---- Opening --------------------------------------------------------------------------------------------------------

static int attribute(const hw_cuda *cuda, CUdevice_attribute which) {
    int value = 0;
    return cuda->driver->cuDeviceGetAttribute(&value, which, cuda->device) || value < 0 ? 0 : value;
}

// Boards of one name differ in their multiprocessors.
static const hw_gpu *known_gpu(const hw_device_properties *p) {
    const hw_gpu *gpu;
    for (size_t i = 0; (gpu = hw_gpu_at(i)); i++)
        if (hw_gpu_is_called(gpu, p->name) && gpu->arch->cc == p->cc && gpu->sms == p->multiprocessors) return gpu;
    return NULL;
}

// By the datasheet where the GPU is known; else by its clock, of which memory moves two words at a time.
static double bandwidth(const hw_cuda *cuda, const hw_device_properties *p) {
    const hw_gpu *gpu = known_gpu(p);
    if (gpu && gpu->memory_gbs > 0) return gpu->memory_gbs;
    return 2e3 * attribute(cuda, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) *
           (attribute(cuda, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8) / 1e9;
}

// By the datasheet too, whose figure may be 0; else what the multiprocessors do at their clock, which is in kHz.
static double float_rate(const hw_cuda *cuda, const hw_device_properties *p, double gflops, hw_rate rate) {
    const hw_arch *arch = hw_arch_find(p->cc);
    if (gflops > 0) return gflops / 1e3;
    return arch ? 2.0 * hw_rate_of(arch, rate) * p->multiprocessors *
                      attribute(cuda, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1e9 : 0;
}

static CUresult read_properties(hw_cuda *cuda, hw_device_properties *p, int ordinal) {
    size_t memory = 0;
    CUresult result = cuda->driver->cuDeviceGetName(p->name, sizeof p->name, cuda->device);
    if (!result) result = cuda->driver->cuDeviceTotalMem(&memory, cuda->device);
    if (result) return result;
    p->kind = HW_DEVICE_CUDA;
    p->dl = (DLDevice){kDLCUDA, ordinal};
    p->cc = 10 * attribute(cuda, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
            attribute(cuda, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    const hw_arch *arch = hw_arch_find(p->cc);
    p->multiprocessors = (uint32_t)attribute(cuda, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    p->memory_bytes = memory;
    p->l2_bytes = (uint32_t)attribute(cuda, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    p->shared_bytes = (uint32_t)attribute(cuda, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    if (!p->shared_bytes) p->shared_bytes = (uint32_t)attribute(cuda, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    p->shared_bytes_per_multiprocessor =
        (uint32_t)attribute(cuda, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    p->threads_per_multiprocessor = (uint32_t)attribute(cuda, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    p->banks = arch ? arch->smem_banks : 32;
    p->bank_bytes = arch ? arch->smem_bank_bytes : 4;
    p->memory_gbs = bandwidth(cuda, p);
    const hw_gpu *gpu = known_gpu(p);
    p->fp32_tflops = float_rate(cuda, p, gpu ? gpu->fp32_gflops : 0, HW_RATE_F32);
    p->fp64_tflops = float_rate(cuda, p, gpu ? gpu->fp64_gflops : 0, HW_RATE_F64);
    cuda->max_pitch = (size_t)attribute(cuda, CU_DEVICE_ATTRIBUTE_MAX_PITCH);
    cuda->max_block_threads = (uint32_t)attribute(cuda, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    for (int i = 0; i < 3; i++) {
        cuda->max_block[i] = (uint32_t)attribute(cuda, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i);
        cuda->max_grid[i] = (uint32_t)attribute(cuda, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i);
    }
    return result;
}

// A pool of our own, which keeps what it was given until the device is closed, or memory runs short. Without one,
// memory in the order of streams is ordinary memory.
static void create_pool(hw_cuda *cuda) {
    if (!cuda->driver->has_pools || !attribute(cuda, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)) return;
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, cuda->device}};
    unsigned long long all = UINT64_MAX;
    CUresult result;
    HW_CUDA_CALL(cuda, result, cuMemPoolCreate(&cuda->pool, &properties));
    if (result) cuda->pool = NULL;
    else cuda->driver->cuMemPoolSetAttribute(cuda->pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all);
}

static hw_status find_gpu(hw_device *device, hw_cuda *cuda, int ordinal, hw_diag *diag) {
    char reason[512];
    if (!(cuda->driver = hw_cuda_driver_open(reason, sizeof reason)))
        return hw_diag_set(diag, HW_NOT_FOUND, "there is no %s: %s", device->name, reason);
    int count = cuda->driver->n_devices;
    if (ordinal >= count && count == 1)
        return hw_diag_set(diag, HW_NOT_FOUND, "there is no %s: this machine has one GPU, cuda:0", device->name);
    if (ordinal >= count)
        return hw_diag_set(diag, HW_NOT_FOUND, "there is no %s: this machine has %d GPUs, cuda:0 to cuda:%d",
                           device->name, count, count - 1);
    hw_diag why = {0};
    if (!hw_nvrtc_open(cuda->driver->version / 1000, &why))
        return hw_diag_set(diag, HW_NOT_FOUND, "%s cannot be used: %s", device->name, why.text);
    return HW_OK;
}

static hw_status cuda_open(hw_device *device, const char *place, hw_diag *diag) {
    size_t digits = strspn(place, "0123456789");
    if (!digits || digits > 9 || place[digits])
        return hw_diag_set(diag, HW_USAGE, "no device is called \"%s\": N of cuda:N is the number of a GPU",
                           device->name);
    int ordinal = atoi(place);
    hw_cuda *cuda = hw_calloc(1, sizeof *cuda);
    if (!cuda) return hw_diag_no_memory(diag);
    hw_status status = find_gpu(device, cuda, ordinal, diag);
    if (status != HW_OK) {
        hw_free(cuda);
        return status;
    }
    device->own = cuda;
    CUresult result = cuda->driver->cuDeviceGet(&cuda->device, ordinal);
    if (!result) result = read_properties(cuda, &device->properties, ordinal);
    if (!result) result = cuda->driver->cuDevicePrimaryCtxRetain(&cuda->context, cuda->device);
    if (result) {
        cuda->context = NULL;
        return hw_cuda_status(device, result, diag, "the GPU cannot be used");
    }
    create_pool(cuda);
    return HW_OK;
}

static void cuda_close(hw_device *device) {
    hw_cuda *cuda = hw_cuda_of(device);
    CUresult result;
    if (!cuda) return;
    if (cuda->pool) HW_CUDA_CALL(cuda, result, cuMemPoolDestroy(cuda->pool));
    if (cuda->context) cuda->driver->cuDevicePrimaryCtxRelease(cuda->device);
    hw_free(cuda);
}

static void cuda_wait(hw_device *device) {
    const hw_cuda *cuda = hw_cuda_of(device);
    CUresult result;
    if (cuda->context) HW_CUDA_CALL(cuda, result, cuCtxSynchronize());
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

// What the pool keeps without using it goes back to the driver.
static void trim_pool(hw_device *device) {
    const hw_cuda *cuda = hw_cuda_of(device);
    CUresult result;
    if (!cuda->pool) return;
    cuda_wait(device);
    HW_CUDA_CALL(cuda, result, cuMemPoolTrimTo(cuda->pool, 0));
}

static hw_status cuda_alloc(hw_device *device, hw_device_block *block, hw_diag *diag) {
    const hw_cuda *cuda = hw_cuda_of(device);
    CUresult result;
    CUdeviceptr memory = 0;
    if (block->is_host) {
        void *host = NULL;
        const unsigned flags = CU_MEMHOSTALLOC_PORTABLE | (block->is_combined ? CU_MEMHOSTALLOC_WRITECOMBINED : 0);
        HW_CUDA_CALL(cuda, result, cuMemHostAlloc(&host, block->bytes, flags));
        block->address = (uintptr_t)host;
        // The driver calls sizes wrong that no address space has.
        if (result == CUDA_ERROR_INVALID_VALUE) result = CUDA_ERROR_OUT_OF_MEMORY;
        return hw_cuda_status(device, result, diag, "%zu bytes of pinned memory cannot be had", block->bytes);
    }
    HW_CUDA_CALL(cuda, result, cuMemAlloc(&memory, block->bytes));
    if (result == CUDA_ERROR_OUT_OF_MEMORY && cuda->pool) {
        trim_pool(device);
        HW_CUDA_CALL(cuda, result, cuMemAlloc(&memory, block->bytes));
    }
    block->address = (uintptr_t)memory;
    if (result == CUDA_ERROR_INVALID_VALUE) result = CUDA_ERROR_OUT_OF_MEMORY;
    return hw_cuda_status(device, result, diag, "%zu bytes of memory cannot be had", block->bytes);
}

static void cuda_free(hw_device *device, const hw_device_block *block) {
    const hw_cuda *cuda = hw_cuda_of(device);
    CUresult result;
    if (block->is_host) HW_CUDA_CALL(cuda, result, cuMemFreeHost((void *)block->address));
    else HW_CUDA_CALL(cuda, result, cuMemFree(block->address));
}

static hw_status cuda_stream_alloc(hw_stream *stream, hw_device_block *block, hw_diag *diag) {
    hw_device *device = stream->device;
    const hw_cuda *cuda = hw_cuda_of(device);
    CUresult result;
    CUdeviceptr memory = 0;
    if (!cuda->pool) return cuda_alloc(device, block, diag);
    HW_CUDA_CALL(cuda, result, cuMemAllocFromPoolAsync(&memory, block->bytes, cuda->pool, stream->handle));
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        trim_pool(device);
        HW_CUDA_CALL(cuda, result, cuMemAllocFromPoolAsync(&memory, block->bytes, cuda->pool, stream->handle));
    }
    block->address = (uintptr_t)memory;
    block->is_ordered = true;
    if (result == CUDA_ERROR_INVALID_VALUE) result = CUDA_ERROR_OUT_OF_MEMORY;
    return hw_cuda_status(device, result, diag, "%zu bytes of memory cannot be had", block->bytes);
}

static void cuda_stream_free(hw_stream *stream, const hw_device_block *block) {
    const hw_cuda *cuda = hw_cuda_of(stream->device);
    CUresult result;
    HW_CUDA_CALL(cuda, result, cuMemFreeAsync(block->address, stream->handle));
}

static hw_status cuda_free_bytes(hw_device *device, uint64_t *bytes, hw_diag *diag) {
    const hw_cuda *cuda = hw_cuda_of(device);
    size_t available = 0, total = 0;
    unsigned long long reserved = 0, used = 0;
    CUresult result;
    HW_CUDA_CALL(cuda, result, cuMemGetInfo(&available, &total));
    if (!result && cuda->pool &&
        !cuda->driver->cuMemPoolGetAttribute(cuda->pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved) &&
        !cuda->driver->cuMemPoolGetAttribute(cuda->pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used) && reserved > used)
        available += reserved - used;
    *bytes = available;
    return hw_cuda_status(device, result, diag, "the free memory cannot be asked for");
}

// ---- Streams and events ---------------------------------------------------------------------------------------------

static hw_status cuda_stream_create(hw_stream *stream, hw_diag *diag) {
    const hw_cuda *cuda = hw_cuda_of(stream->device);
    CUresult result;
    CUstream handle = NULL;
    HW_CUDA_CALL(cuda, result, cuStreamCreate(&handle, CU_STREAM_NON_BLOCKING));
    stream->handle = handle;
    return hw_cuda_status(stream->device, result, diag, "a stream cannot be made");
}

static void cuda_stream_destroy(hw_stream *stream) {
    const hw_cuda *cuda = hw_cuda_of(stream->device);
    CUresult result;
    HW_CUDA_CALL(cuda, result, cuStreamSynchronize(stream->handle));
    HW_CUDA_CALL(cuda, result, cuStreamDestroy(stream->handle));
}

static hw_status cuda_stream_synchronize(hw_stream *stream, hw_diag *diag) {
    const hw_cuda *cuda = hw_cuda_of(stream->device);
    CUresult result;
    HW_CUDA_CALL(cuda, result, cuStreamSynchronize(stream->handle));
    return hw_cuda_status(stream->device, result, diag,
                          "the stream's work has failed, and the GPU takes no more of this process");
}

static hw_status cuda_event_create(hw_event *event, hw_diag *diag) {
    const hw_cuda *cuda = hw_cuda_of(event->device);
    CUresult result;
    CUevent handle = NULL;
    HW_CUDA_CALL(cuda, result, cuEventCreate(&handle, 0));
    event->handle = handle;
    return hw_cuda_status(event->device, result, diag, "an event cannot be made");
}

static void cuda_event_destroy(hw_event *event) {
    const hw_cuda *cuda = hw_cuda_of(event->device);
    CUresult result;
    HW_CUDA_CALL(cuda, result, cuEventDestroy(event->handle));
}

static hw_status cuda_event_record(hw_event *event, hw_stream *stream, hw_diag *diag) {
    const hw_cuda *cuda = hw_cuda_of(event->device);
    CUresult result;
    HW_CUDA_CALL(cuda, result, cuEventRecord(event->handle, stream->handle));
    return hw_cuda_status(event->device, result, diag, "an event cannot be recorded");
}

static hw_status cuda_stream_wait(hw_stream *stream, hw_event *event, hw_diag *diag) {
    const hw_cuda *cuda = hw_cuda_of(event->device);
    CUresult result;
    HW_CUDA_CALL(cuda, result, cuStreamWaitEvent(stream->handle, event->handle, 0));
    return hw_cuda_status(event->device, result, diag, "a stream cannot wait for an event");
}

static hw_status cuda_event_elapsed(hw_event *start, hw_event *stop, double *ns, hw_diag *diag) {
    const hw_cuda *cuda = hw_cuda_of(start->device);
    CUresult result;
    float milliseconds = 0;
    HW_CUDA_CALL(cuda, result, cuEventSynchronize(start->handle));
    if (!result) HW_CUDA_CALL(cuda, result, cuEventSynchronize(stop->handle));
    if (!result) HW_CUDA_CALL(cuda, result, cuEventElapsedTime(&milliseconds, start->handle, stop->handle));
    *ns = 1e6 * (double)milliseconds;
    return hw_cuda_status(start->device, result, diag, "the time between two events cannot be had");
}

// Pinned memory has the same address on the device, but for some that was registered.
static bool cuda_reaches(hw_device *device, const void *memory) {
    const hw_cuda *cuda = hw_cuda_of(device);
    CUdeviceptr there = 0, here = (CUdeviceptr)(uintptr_t)memory;
    CUresult result;
    HW_CUDA_CALL(cuda, result, cuPointerGetAttribute(&there, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, here));
    return !result && there == here;
}

// ---- Copies ---------------------------------------------------------------------------------------------------------

// Memory that the driver does not know is this machine's.
static CUmemorytype type_of(const hw_cuda *cuda, const void *address) {
    unsigned type = 0;
    if (cuda->driver->cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)address))
        return CU_MEMORYTYPE_HOST;
    return type == CU_MEMORYTYPE_DEVICE ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
}

// In the context.
static CUresult copy_rows(const hw_cuda *cuda, CUstream stream, const hw_copy_args *a) {
    CUdeviceptr to = (CUdeviceptr)(uintptr_t)a->to, from = (CUdeviceptr)(uintptr_t)a->from;
    CUresult result = 0;
    // Wider pitches than the GPU takes in one go: row by row.
    if (a->rows == 1 || a->to_pitch > cuda->max_pitch || a->from_pitch > cuda->max_pitch) {
        for (size_t row = 0; row < a->rows && !result; row++)
            result =
                cuda->driver->cuMemcpyAsync(to + row * a->to_pitch, from + row * a->from_pitch, a->row_bytes, stream);
        return result;
    }
    CUDA_MEMCPY2D copy = {
        .srcMemoryType = type_of(cuda, a->from),
        .srcHost = a->from,
        .srcDevice = from,
        .srcPitch = a->from_pitch,
        .dstMemoryType = type_of(cuda, a->to),
        .dstHost = a->to,
        .dstDevice = to,
        .dstPitch = a->to_pitch,
        .WidthInBytes = a->row_bytes,
        .Height = a->rows,
    };
    return cuda->driver->cuMemcpy2DAsync(&copy, stream);
}

static hw_status cuda_copy(hw_stream *stream, const hw_copy_args *args, hw_diag *diag) {
    const hw_cuda *cuda = hw_cuda_of(stream->device);
    CUresult result = hw_cuda_enter(cuda);
    if (!result) {
        result = copy_rows(cuda, stream->handle, args);
        hw_cuda_leave(cuda);
    }
    return hw_cuda_status(stream->device, result, diag, "%zu bytes in each of %zu rows cannot be copied",
                          args->row_bytes, args->rows);
}

static hw_status cuda_fill(hw_stream *stream, void *to, int byte, size_t bytes, hw_diag *diag) {
    const hw_cuda *cuda = hw_cuda_of(stream->device);
    CUresult result;
    HW_CUDA_CALL(cuda, result, cuMemsetD8Async((CUdeviceptr)(uintptr_t)to, (unsigned char)byte, bytes, stream->handle));
    return hw_cuda_status(stream->device, result, diag, "%zu bytes cannot be filled", bytes);
}

const hw_device_table hw_cuda_table = {
    .open = cuda_open,
    .close = cuda_close,
    .wait = cuda_wait,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .stream_alloc = cuda_stream_alloc,
    .stream_free = cuda_stream_free,
    .free_bytes = cuda_free_bytes,
    .reaches = cuda_reaches,
    .stream_create = cuda_stream_create,
    .stream_destroy = cuda_stream_destroy,
    .stream_synchronize = cuda_stream_synchronize,
    .event_create = cuda_event_create,
    .event_destroy = cuda_event_destroy,
    .event_record = cuda_event_record,
    .stream_wait = cuda_stream_wait,
    .event_elapsed = cuda_event_elapsed,
    .copy = cuda_copy,
    .fill = cuda_fill,
    .code_wish = hw_cuda_code_wish,
    .module_load = hw_cuda_module_load,
    .module_unload = hw_cuda_module_unload,
    .kernel_find = hw_cuda_kernel_find,
    .blocks_per_multiprocessor = hw_cuda_blocks,
    .allow_dynamic_shared = hw_cuda_allow_dynamic_shared,
    .launch = hw_cuda_launch,
    .image_create = hw_cuda_image_create,
    .image_destroy = hw_cuda_image_destroy,
};
