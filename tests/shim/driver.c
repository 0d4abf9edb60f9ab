// The CUDA driver API as a program of C alone calls it, with kernels as text. Expected answers are those of the CUDA
// driver API's reference. Prints what is not so.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"
#include "expect.h"

// scale(unsigned *p, unsigned factor, unsigned char small): p[i] = p[i] * factor + small + bias
static const char scale_ptx[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n.visible .global .align 4 .u32 bias = 5;\n"
    ".visible .entry scale(.param .u64 p, .param .u32 factor, .param .u8 small) {\n"
    " .reg .u64 %rd<4>; .reg .u32 %r<8>;\n ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [factor];\n"
    " ld.param.u8 %r2, [small]; mov.u32 %r3, %tid.x; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2;\n"
    " ld.global.u32 %r4, [%rd3]; mad.lo.u32 %r5, %r4, %r1, %r2; ld.global.u32 %r6, [bias]; add.u32 %r5, %r5, %r6;\n"
    " st.global.u32 [%rd3], %r5; ret;\n}\n"
    ".visible .entry wild() {\n .reg .u64 %rd<2>; .reg .u32 %r<2>;\n"
    " mov.u64 %rd1, 64; ld.global.u32 %r1, [%rd1]; ret;\n}\n";

static void test_before_init(void) {
    int count;
    CUcontext context;
    IS(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    IS(cuCtxGetCurrent(&context), CUDA_ERROR_NOT_INITIALIZED);
    IS(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    GOOD(cuInit(0));
    GOOD(cuCtxGetCurrent(&context));
    CHECK(context == NULL);
    CUdeviceptr p;
    IS(cuMemAlloc(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
}

static void test_device(void) {
    int count = 0, value = 0, version = 0, major = 0, minor = -1;
    char name[100] = "", id[20] = "";
    size_t bytes = 0;
    const char *words = "";
    CUdevice device = 7;
    GOOD(cuDriverGetVersion(&version));
    IS(version, 13000);
    GOOD(cuDeviceGetCount(&count));
    IS(count, 1);
    GOOD(cuDeviceGet(&device, 0));
    IS(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
    GOOD(cuDeviceGetName(name, sizeof name, device));
    CHECK(strstr(name, "H200"));
    GOOD(cuDeviceTotalMem(&bytes, device));
    CHECK(bytes > (size_t)100 << 30);
    GOOD(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    IS(value, 32);
    IS(cuDeviceGetAttribute(&value, (CUdevice_attribute)100000, device), CUDA_ERROR_INVALID_VALUE);
    GOOD(cuDeviceComputeCapability(&major, &minor, device));
    CHECK(major == 9 && minor == 0);
    GOOD(cuDeviceGetPCIBusId(id, sizeof id, device));
    device = 7;
    GOOD(cuDeviceGetByPCIBusId(&device, id));
    IS(device, 0);
    GOOD(cuGetErrorName(CUDA_ERROR_INVALID_PTX, &words));
    CHECK(strcmp(words, "CUDA_ERROR_INVALID_PTX") == 0);
    IS(cuGetErrorString((CUresult)123456, &words), CUDA_ERROR_INVALID_VALUE);
}

static void test_contexts(void) {
    CUcontext one, other, current, primary;
    unsigned flags = 7, version = 0;
    int active = 7;
    GOOD(cuCtxCreate_v2(&one, CU_CTX_SCHED_SPIN, 0));
    GOOD(cuCtxCreate(&other, NULL, 0, 0));
    GOOD(cuCtxGetCurrent(&current));
    CHECK(current == other);
    GOOD(cuCtxPopCurrent(&current));
    CHECK(current == other);
    GOOD(cuCtxGetFlags(&flags));
    IS(flags, CU_CTX_SCHED_SPIN);
    GOOD(cuCtxGetApiVersion(one, &version));
    IS(version, 3020);
    GOOD(cuCtxSetCurrent(other));
    GOOD(cuCtxDestroy(one));
    IS(cuCtxPushCurrent(one), CUDA_ERROR_INVALID_CONTEXT);
    // Attached once more, it is detached twice.
    IS(cuCtxDetach(one), CUDA_ERROR_INVALID_CONTEXT);
    GOOD(cuCtxAttach(&current, 0));
    CHECK(current == other);
    GOOD(cuCtxDetach(other));
    GOOD(cuCtxGetApiVersion(other, &version));
    GOOD(cuCtxDetach(other));
    IS(cuCtxPushCurrent(other), CUDA_ERROR_INVALID_CONTEXT);
    GOOD(cuCtxGetCurrent(&current));
    CHECK(current == NULL);
    GOOD(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(!active);
    GOOD(cuDevicePrimaryCtxRetain(&primary, 0));
    GOOD(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active);
    GOOD(cuCtxSetCurrent(primary));
    IS(cuCtxDestroy(primary), CUDA_ERROR_INVALID_CONTEXT);
    size_t is_graphics = 7;   // cuBLAS does without devices' properties where it is not told
    GOOD(cuCtxGetLimit(&is_graphics, CU_LIMIT_CIG_ENABLED));
    CHECK(is_graphics == 0);
}

static void test_memory(void) {
    enum { WIDTH = 24, HEIGHT = 5, PITCH = 32 };
    unsigned char in[HEIGHT * PITCH], out[HEIGHT * PITCH] = {0}, *pinned;
    CUdeviceptr p, start;
    size_t pitch, bytes, unused, total;
    for (int i = 0; i < HEIGHT * PITCH; i++) in[i] = (unsigned char)(i * 7);
    IS(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemAllocPitch(&p, &pitch, WIDTH, HEIGHT, 3), CUDA_ERROR_INVALID_VALUE);
    GOOD(cuMemAllocPitch(&p, &pitch, WIDTH, HEIGHT, 4));
    CUDA_MEMCPY2D to = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in, .srcPitch = PITCH, .srcXInBytes = 3,
                        .srcY = 1, .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = p, .dstPitch = pitch,
                        .WidthInBytes = 10, .Height = 3};
    GOOD(cuMemcpy2D(&to));
    CUDA_MEMCPY2D from = {.dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = out, .dstPitch = PITCH,
                          .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = p, .srcPitch = pitch,
                          .WidthInBytes = 10, .Height = 3};
    GOOD(cuMemcpy2DAsync(&from, NULL));
    for (int y = 0; y < 3; y++) CHECK(memcmp(out + y * PITCH, in + (y + 1) * PITCH + 3, 10) == 0);
    to.WidthInBytes = PITCH;
    IS(cuMemcpy2D(&to), CUDA_ERROR_INVALID_VALUE);
    GOOD(cuMemGetAddressRange(&start, &bytes, p + 100));
    CHECK(start == p && bytes == pitch * HEIGHT);
    GOOD(cuMemsetD16(p, 0x1234, 9));
    GOOD(cuMemcpyDtoH(out, p, 20));
    CHECK(out[0] == 0x34 && out[17] == 0x12 && out[18] != 0x34);
    IS(cuMemsetD32(p + 2, 1, 1), CUDA_ERROR_INVALID_VALUE);
    GOOD(cuMemsetD2D32(p, pitch, 0xdeadbeef, 2, 3));
    GOOD(cuMemcpyDtoH(out, p + 2 * pitch, 8));
    CHECK(out[4] == 0xef && out[7] == 0xde);
    GOOD(cuMemHostAlloc((void **)&pinned, 64, CU_MEMHOSTALLOC_PORTABLE));
    GOOD(cuMemcpy((CUdeviceptr)(uintptr_t)pinned, p, 8));
    CHECK(pinned[0] == 0xef);
    GOOD(cuMemFreeHost(pinned));
    GOOD(cuMemFree(p));
    IS(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    GOOD(cuMemGetInfo(&unused, &total));
    CHECK(unused == total);
}

static void test_pointers(void) {
    CUdeviceptr p, managed;
    unsigned type = 0;
    unsigned is_managed = 0x07070707;
    void *host = &p;
    int device = 7, local;
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *values[] = {&type, &device};
    GOOD(cuMemAlloc(&p, 100));
    GOOD(cuMemAllocManaged(&managed, 100, CU_MEM_ATTACH_GLOBAL));
    GOOD(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 50));
    IS(type, CU_MEMORYTYPE_DEVICE);
    IS(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, p), CUDA_ERROR_INVALID_VALUE);
    GOOD(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
    IS(is_managed, 1);
    IS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)&local),
       CUDA_ERROR_INVALID_VALUE);
    GOOD(cuPointerGetAttributes(2, wanted, values, (CUdeviceptr)(uintptr_t)&local));
    CHECK(type == 0 && device == CU_DEVICE_INVALID);
    GOOD(cuMemFree(managed));
    GOOD(cuMemFree(p));
}

// What two memories beside each other are, in one range.
static void test_mapped_pointers(void) {
    const CUmemAllocationProp file = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    const CUmemAccessDesc both = {file.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    const CUmemAccessDesc only_read = {file.location, CU_MEM_ACCESS_FLAGS_PROT_READ};
    enum { EACH = 2 << 20 };
    CUmemGenericAllocationHandle memory[2];
    CUdeviceptr range, base = 0, start = 0;
    size_t bytes = 0;
    cuuint64_t handles = 0;
    unsigned access = 9;
    unsigned char byte = 0;
    GOOD(cuMemAddressReserve(&range, 4 * EACH, 0, 0, 0));
    for (int i = 0; i < 2; i++) {
        GOOD(cuMemCreate(&memory[i], EACH, &file, 0));
        GOOD(cuMemMap(range + i * EACH, EACH, 0, memory[i], 0));
    }
    GOOD(cuMemSetAccess(range + EACH, EACH, &both, 1));
    GOOD(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, range + EACH + 5));
    GOOD(cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, range + EACH + 5));
    GOOD(cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_MAPPING_SIZE, range + EACH + 5));
    GOOD(cuPointerGetAttribute(&handles, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, range));
    CHECK(start == range && base == range + EACH && bytes == EACH);
    IS(handles, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    GOOD(cuPointerGetAttribute(&access, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, range));
    IS(access, CU_MEM_ACCESS_FLAGS_PROT_NONE);
    GOOD(cuPointerGetAttribute(&access, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, range + EACH));
    IS(access, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    GOOD(cuMemsetD8(range + EACH, 7, 1));
    GOOD(cuMemSetAccess(range + EACH, EACH, &only_read, 1));
    IS(cuMemsetD8(range + EACH, 9, 1), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemcpyHtoD(range + EACH, &access, 1), CUDA_ERROR_INVALID_VALUE);
    GOOD(cuMemcpyDtoH(&byte, range + EACH, 1));
    IS(byte, 7);
    GOOD(cuMemUnmap(range, 2 * EACH));
    for (int i = 0; i < 2; i++) GOOD(cuMemRelease(memory[i]));
    GOOD(cuMemAddressFree(range, 4 * EACH));
}

static void test_arrays(void) {
    unsigned short in[2 * 3 * 4], out[2 * 3 * 4] = {0};
    CUarray array;
    CUDA_ARRAY3D_DESCRIPTOR desc = {.Width = 4, .Height = 3, .Depth = 2, .Format = CU_AD_FORMAT_UNSIGNED_INT16,
                                    .NumChannels = 1}, found;
    for (int i = 0; i < 24; i++) in[i] = (unsigned short)(i * 100);
    desc.NumChannels = 3;
    IS(cuArray3DCreate(&array, &desc), CUDA_ERROR_INVALID_VALUE);
    desc.NumChannels = 1;
    GOOD(cuArray3DCreate(&array, &desc));
    GOOD(cuArray3DGetDescriptor(&found, array));
    CHECK(found.Width == 4 && found.Depth == 2 && found.Format == CU_AD_FORMAT_UNSIGNED_INT16);
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in, .srcPitch = 8, .srcHeight = 3,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = array, .WidthInBytes = 8, .Height = 3,
                          .Depth = 2};
    GOOD(cuMemcpy3D(&copy));
    GOOD(cuMemcpyAtoH(out, array, 4, 4));
    CHECK(out[0] == 200 && out[1] == 300);
    CUDA_MEMCPY3D back = {.dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = out, .dstPitch = 8, .dstHeight = 3,
                          .srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = array, .WidthInBytes = 8, .Height = 3,
                          .Depth = 2};
    GOOD(cuMemcpy3D(&back));
    CHECK(memcmp(in, out, sizeof in) == 0);
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
    CUDA_TEXTURE_DESC texture = {.flags = CU_TRSF_READ_AS_INTEGER};
    CUtexObject object;
    GOOD(cuTexObjectCreate(&object, &resource, &texture, NULL));
    GOOD(cuTexObjectDestroy(object));
    GOOD(cuArrayDestroy(array));
    IS(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
}

static void test_module_errors(void) {
    CUmodule module;
    char log[300] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    IS(cuModuleLoadDataEx(&module, ".version 7.0\n.target sm_50\n.entry k() { wrong.u32 %r1; }", 2, options, values),
       CUDA_ERROR_INVALID_PTX);
    CHECK(strstr(log, "wrong") && (size_t)(uintptr_t)values[1] == strlen(log));
    IS(cuModuleLoad(&module, "/nowhere/at/all.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
    IS(cuModuleLoadData(&module, ""), CUDA_ERROR_INVALID_IMAGE);
    IS(cuModuleUnload((CUmodule)&module), CUDA_ERROR_INVALID_HANDLE);
}

// What the kernel makes of 1, 2, 3, ...; true where p holds that.
static int is_scaled(CUdeviceptr p, unsigned factor, unsigned small, unsigned bias) {
    unsigned got[32];
    int good = 1;
    GOOD(cuMemcpyDtoH(got, p, sizeof got));
    for (unsigned i = 0; i < 32; i++) good &= got[i] == (i + 1) * factor + small + bias;
    return good;
}

static void fill(CUdeviceptr p) {
    unsigned in[32];
    for (unsigned i = 0; i < 32; i++) in[i] = i + 1;
    GOOD(cuMemcpyHtoD(p, in, sizeof in));
}

static void test_launches(CUmodule module) {
    CUfunction scale;
    CUdeviceptr p, bias;
    unsigned factor = 3, ten = 10;
    unsigned char small = 200;
    size_t offset, bytes;
    void *params[] = {&p, &factor, &small};
    GOOD(cuMemAlloc(&p, 128));
    GOOD(cuModuleGetFunction(&scale, module, "scale"));
    IS(cuModuleGetFunction(&scale, module, "nothing"), CUDA_ERROR_NOT_FOUND);
    GOOD(cuModuleGetFunction(&scale, module, "scale"));
    fill(p);
    GOOD(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    CHECK(is_scaled(p, 3, 200, 5));
    GOOD(cuModuleGetGlobal(&bias, &bytes, module, "bias"));
    IS(bytes, 4);
    GOOD(cuMemcpyHtoD(bias, &ten, 4));
    // The same arguments as they lie in memory.
    struct { CUdeviceptr p; unsigned factor; unsigned char small; } packed = {p, 7, 9};
    size_t size = 13;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_END};
    fill(p);
    GOOD(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, CU_STREAM_PER_THREAD, NULL, extra));
    CHECK(is_scaled(p, 7, 9, 10));
    size = 12;
    IS(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra), CUDA_ERROR_INVALID_VALUE);
    IS(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, NULL, params, extra), CUDA_ERROR_INVALID_VALUE);
    IS(cuLaunchKernel((CUfunction)&p, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_HANDLE);
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    CUlaunchConfig config = {.gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1,
                             .blockDimZ = 1, .attrs = &attribute, .numAttrs = 1};
    fill(p);
    GOOD(cuLaunchKernelEx(&config, scale, params, NULL));
    CHECK(is_scaled(p, 3, 200, 10));
    GOOD(cuFuncGetParamInfo(scale, 2, &offset, &bytes));
    CHECK(offset == 12 && bytes == 1);
    IS(cuFuncGetParamInfo(scale, 3, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
    GOOD(cuMemFree(p));
}

static void test_functions(CUmodule module) {
    CUfunction all[4] = {0}, scale;
    CUmodule of;
    unsigned count = 0;
    int value = 0, grid = 0, block = 0, blocks = 0;
    const char *name = "";
    GOOD(cuModuleGetFunctionCount(&count, module));
    IS(count, 2);
    GOOD(cuModuleEnumerateFunctions(all, 2, module));
    GOOD(cuModuleGetFunction(&scale, module, "scale"));
    CHECK(all[0] == scale || all[1] == scale);
    GOOD(cuFuncGetName(&name, scale));
    CHECK(strcmp(name, "scale") == 0);
    GOOD(cuFuncGetModule(&of, scale));
    CHECK(of == module);
    GOOD(cuFuncSetBlockShape(scale, 64, 1, 1));
    IS(cuFuncSetBlockShape(scale, 64, 0, 1), CUDA_ERROR_INVALID_VALUE);
    GOOD(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
    IS(value, 1024);
    GOOD(cuFuncSetAttribute(scale, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    GOOD(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, scale));
    IS(value, 100000);
    GOOD(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0));
    IS(blocks, 8);
    GOOD(cuOccupancyMaxPotentialBlockSize(&grid, &block, scale, NULL, 0, 0));
    CHECK(block == 1024 && grid == 2 * 132);
}

static void test_streams(void) {
    CUstream stream;
    CUevent begin, end;
    unsigned flags = 7;
    float ms = -1;
    CUstreamCaptureStatus capturing;
    GOOD(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    GOOD(cuStreamGetFlags(stream, &flags));
    IS(flags, CU_STREAM_NON_BLOCKING);
    GOOD(cuEventCreate(&begin, 0));
    GOOD(cuEventCreate(&end, 0));
    IS(cuEventElapsedTime(&ms, begin, end), CUDA_ERROR_INVALID_HANDLE);
    GOOD(cuEventRecord(begin, stream));
    GOOD(cuEventRecord(end, stream));
    GOOD(cuStreamWaitEvent(stream, end, 0));
    GOOD(cuEventSynchronize(end));
    GOOD(cuEventElapsedTime(&ms, begin, end));
    CHECK(ms >= 0 && ms < 1000);
    GOOD(cuStreamIsCapturing(stream, &capturing));
    IS(capturing, CU_STREAM_CAPTURE_STATUS_NONE);
    GOOD(cuStreamDestroy(stream));
    IS(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
    GOOD(cuEventDestroy(begin));
    GOOD(cuEventDestroy(end));
    CUmemoryPool pool;
    CUdeviceptr p;
    cuuint64_t threshold = 0, set = 1 << 20;
    GOOD(cuDeviceGetDefaultMemPool(&pool, 0));
    GOOD(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &set));
    GOOD(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    IS(threshold, 1 << 20);
    GOOD(cuMemAllocFromPoolAsync(&p, 100, pool, NULL));
    GOOD(cuMemFreeAsync(p, NULL));
}

static void test_entries(void) {
    void *entry, *thread_entry;
    CUdriverProcAddressQueryResult result;
    GOOD(cuGetProcAddress("cuMemAlloc", &entry, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &result));
    CHECK(entry == (void *)cuMemAlloc && result == CU_GET_PROC_ADDRESS_SUCCESS);
    GOOD(cuGetProcAddress("cuCtxCreate", &entry, 11000, 0, NULL));
    CHECK(entry == (void *)cuCtxCreate_v2);
    GOOD(cuGetProcAddress("cuCtxCreate", &entry, 13000, 0, NULL));
    CHECK(entry == (void *)cuCtxCreate_v4);
    GOOD(cuGetProcAddress("cuMemcpyHtoD", &entry, 12000, 0, NULL));
    GOOD(cuGetProcAddress("cuMemcpyHtoD", &thread_entry, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
    CHECK(entry == (void *)cuMemcpyHtoD_v2 && thread_entry == (void *)cuMemcpyHtoD_v2_ptds);
    IS(cuGetProcAddress("cuLaunchKernelEx", &entry, 11000, 0, &result), CUDA_ERROR_NOT_FOUND);
    CHECK(!entry && result == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    IS(cuGetProcAddress("cuMemAlloc_v2", &entry, 13000, 0, &result), CUDA_ERROR_NOT_FOUND);
    CHECK(result == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

static void test_link(void) {
    static char caller[] = ".version 7.0\n.target sm_50\n.address_size 64\n.extern .func (.param .u32 r) seven();\n"
                           ".visible .entry call(.param .u64 p) {\n .reg .u64 %rd<2>; .reg .u32 %r<2>;\n"
                           " ld.param.u64 %rd1, [p]; .param .u32 x; call.uni (x), seven, ();\n ld.param.u32 %r1, [x];\n"
                           " st.global.u32 [%rd1], %r1; ret;\n}\n";
    static char callee[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
                           ".visible .func (.param .u32 r) seven() {\n st.param.u32 [r], 7; ret;\n}\n";
    CUlinkState state;
    CUmodule module;
    CUfunction call;
    CUdeviceptr p;
    void *image, *params[] = {&p};
    size_t bytes;
    unsigned seven = 0;
    GOOD(cuLinkCreate(0, NULL, NULL, &state));
    GOOD(cuLinkAddData(state, CU_JIT_INPUT_PTX, caller, sizeof caller, "caller", 0, NULL, NULL));
    GOOD(cuLinkAddData(state, CU_JIT_INPUT_PTX, callee, strlen(callee), NULL, 0, NULL, NULL));
    GOOD(cuLinkComplete(state, &image, &bytes));
    GOOD(cuModuleLoadData(&module, image));
    GOOD(cuLinkDestroy(state));
    GOOD(cuModuleGetFunction(&call, module, "call"));
    GOOD(cuMemAlloc(&p, 4));
    GOOD(cuLaunchKernel(call, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    GOOD(cuMemcpyDtoH(&seven, p, 4));
    IS(seven, 7);
    GOOD(cuModuleUnload(module));
    GOOD(cuMemFree(p));
}

// A library outlives its context, and so do its kernels. A fault goes with the context.
static void test_library_and_fault(void) {
    CUlibrary library;
    CUkernel scale, wild, all[2];
    CUfunction function;
    CUdeviceptr p;
    unsigned count = 0, factor = 2;
    unsigned char small = 1;
    const char *name = "";
    void *params[] = {&p, &factor, &small};
    GOOD(cuLibraryLoadData(&library, scale_ptx, NULL, NULL, 0, NULL, NULL, 0));
    GOOD(cuLibraryGetKernelCount(&count, library));
    IS(count, 2);
    GOOD(cuLibraryEnumerateKernels(all, 2, library));
    GOOD(cuLibraryGetKernel(&scale, library, "scale"));
    GOOD(cuLibraryGetKernel(&wild, library, "wild"));
    CHECK(all[0] == scale && all[1] == wild);
    IS(cuLibraryGetKernel(&scale, library, "none"), CUDA_ERROR_NOT_FOUND);
    GOOD(cuLibraryGetKernel(&scale, library, "scale"));
    GOOD(cuKernelGetName(&name, wild));
    CHECK(strcmp(name, "wild") == 0);
    GOOD(cuLaunchKernel((CUfunction)wild, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    IS(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    IS(cuMemAlloc(&p, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
    GOOD(cuDevicePrimaryCtxReset(0));
    GOOD(cuMemAlloc(&p, 128));
    fill(p);
    GOOD(cuKernelGetFunction(&function, scale));
    GOOD(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    CHECK(is_scaled(p, 2, 1, 5));
    GOOD(cuLibraryUnload(library));
    IS(cuKernelGetFunction(&function, scale), CUDA_ERROR_INVALID_HANDLE);
    GOOD(cuMemFree(p));
}

int main(void) {
    CUmodule module;
    test_before_init();
    test_device();
    test_contexts();
    test_memory();
    test_pointers();
    test_mapped_pointers();
    test_arrays();
    test_module_errors();
    GOOD(cuModuleLoadData(&module, scale_ptx));
    test_launches(module);
    test_functions(module);
    GOOD(cuModuleUnload(module));
    test_streams();
    test_entries();
    test_link();
    test_library_and_fault();
    GOOD(cuDevicePrimaryCtxRelease(0));
    CUdeviceptr p;
    cuCtxSetCurrent(NULL);
    IS(cuMemAlloc(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
    printf("%d failures\n", failures);
    return failures != 0;
}
