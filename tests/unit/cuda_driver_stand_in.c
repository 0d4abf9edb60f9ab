// Stands in for libcuda.so.1 and libnvrtc.so.13 in test_device_driver.c: memory is this machine's, kernels do nothing.
// STAND_IN says what is wrong with it: "none" (no GPU), "broken" (cuInit fails), "fault" (streams fail), "old"
// (compiled with -DOLD: a function is missing), "ptx" and "new" (NVRTC knows an older GPU only, or newer ones only).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/cuda_driver.h"
#include "toolchain/compilers/nvrtc.h"

static int is(const char *what) { return getenv("STAND_IN") && !strcmp(getenv("STAND_IN"), what); }
static __thread CUcontext current;
static int live;    // allocations
static void *const pool_handle = &live;

CUresult cuInit(unsigned flags) { return flags ? 1 : is("none") ? 100 : is("broken") ? 999 : 0; }
CUresult cuDriverGetVersion(int *version) { return *version = 13000, 0; }
CUresult cuDeviceGetCount(int *count) { return *count = 2, 0; }
CUresult cuDeviceGet(CUdevice *device, int ordinal) { return *device = ordinal, 0; }
CUresult cuDeviceGetName(char *name, int bytes, CUdevice device) {
    return snprintf(name, (size_t)bytes, "Stand-in %d", device), 0;
}
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) { return *bytes = (size_t)8 << 30, device < 0; }
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    static const int values[128] = {
        [1] = 1024,  [2] = 1024,        [3] = 1024,    [4] = 64,       [5] = 2147483647, [6] = 65535,    [7] = 65535,
        [8] = 49152, [11] = 2147483647, [16] = 100,    [36] = 1000000, [37] = 512,       [38] = 1 << 20, [39] = 2048,
        [75] = 9,    [76] = 0,          [81] = 233472, [97] = 232448,  [115] = 1};
    return *value = values[attribute], device < 0;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    return *context = (CUcontext)(size_t)(device + 1), 0;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    if (live) fprintf(stderr, "%d allocations of device %d are left\n", live, device);
    return live ? abort(), 1 : 0;
}
CUresult cuCtxPushCurrent_v2(CUcontext context) { return current ? abort(), 1 : (current = context, 0); }
CUresult cuCtxPopCurrent_v2(CUcontext *context) { return *context = current, current = NULL, 0; }
// What needs a context.
#define IN_CONTEXT(result) (current ? (result) : (abort(), 201))
CUresult cuCtxSynchronize(void) { return IN_CONTEXT(is("fault") ? 700 : 0); }
static CUresult take(void **memory, size_t bytes) {
    if (bytes > (size_t)8 << 30) return 2;
    *memory = aligned_alloc(512, (bytes + 511) / 512 * 512);
    return *memory ? __atomic_add_fetch(&live, 1, __ATOMIC_SEQ_CST), 0 : 2;
}
static CUresult give_back(void *memory) { return free(memory), __atomic_sub_fetch(&live, 1, __ATOMIC_SEQ_CST), 0; }
CUresult cuMemAlloc_v2(CUdeviceptr *memory, size_t bytes) { return IN_CONTEXT(take((void **)memory, bytes)); }
CUresult cuMemFree_v2(CUdeviceptr memory) { return IN_CONTEXT(give_back((void *)memory)); }
CUresult cuMemGetInfo_v2(size_t *left, size_t *total) {
    return IN_CONTEXT((*left = 1 << 30, *total = (size_t)8 << 30, 0));
}
CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
    return IN_CONTEXT((flags & ~4u) != 1 ? 1 : take(memory, bytes));
}
CUresult cuMemFreeHost(void *memory) { return IN_CONTEXT(give_back(memory)); }
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address) {
    if (attribute == 3) return *(CUdeviceptr *)value = address, !address;
    return *(unsigned *)value = 1, attribute != 2 || !address;
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return IN_CONTEXT((memcpy((void *)to, (void *)from, bytes), !stream));
}
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream stream) {
    if (c->srcMemoryType == 1 && c->dstMemoryType == 3 && c->dstArray)
        return memcpy(c->dstArray, c->srcHost, c->WidthInBytes * c->Height), IN_CONTEXT(!stream);
    if (c->srcMemoryType != 1 || c->dstMemoryType != 1 || c->srcPitch > 2147483647 || c->dstPitch > 2147483647)
        return 1;
    for (size_t row = 0; row < c->Height; row++)
        memcpy((char *)c->dstHost + row * c->dstPitch, (const char *)c->srcHost + row * c->srcPitch, c->WidthInBytes);
    return IN_CONTEXT(!stream);
}
// Arrays and textures: which words are copied where is told to nobody but the driver.
CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *shape) {
    if (shape->Width * shape->Height > 1 << 24 || shape->Format != 3 || shape->NumChannels != 1) return 2;
    return IN_CONTEXT(take((void **)array, 4 * shape->Width * shape->Height));
}
CUresult cuArrayDestroy(CUarray array) { return IN_CONTEXT(give_back(array)); }
CUresult cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *from, const CUDA_TEXTURE_DESC *reads,
                           const void *view) {
    // What stands for it is where its words are.
    *texture = from->resType ? from->res.linear.devPtr : (CUtexObject)from->res.array.hArray;
    return IN_CONTEXT(view || reads->flags != 1 || reads->addressMode[1] != 1 || (from->resType & ~2));
}
CUresult cuTexObjectDestroy(CUtexObject texture) { return IN_CONTEXT(!texture); }
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t bytes, CUstream stream) {
    return IN_CONTEXT((memset((void *)to, byte, bytes), !stream));
}
CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    return IN_CONTEXT((*stream = (CUstream)&live, flags != 1));
}
CUresult cuStreamDestroy_v2(CUstream stream) { return IN_CONTEXT(!stream); }
CUresult cuStreamSynchronize(CUstream stream) { return IN_CONTEXT(is("fault") ? 700 : !stream); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    return IN_CONTEXT(!stream || !event || flags);
}
CUresult cuEventCreate(CUevent *event, unsigned flags) {
    return IN_CONTEXT((*event = calloc(1, sizeof(double)), flags != 0));
}
CUresult cuEventDestroy_v2(CUevent event) { return IN_CONTEXT((free(event), 0)); }
CUresult cuEventRecord(CUevent event, CUstream stream) {
    return IN_CONTEXT((*(double *)event = (double)clock(), !stream));
}
CUresult cuEventSynchronize(CUevent event) { return IN_CONTEXT(!event); }
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent stop) {
    return IN_CONTEXT((*ms = (float)((*(double *)stop - *(double *)start) * 1e3 / CLOCKS_PER_SEC), 0));
}
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned n, CUjit_option *options, void **values) {
    if (n != 2 || options[0] != 5 || options[1] != 6 || (size_t)values[1] < 100) return 1;
    // The image says what it is: see nvrtcGetCUBIN.
    if (!strncmp(image, "refused", 7)) return strcpy(values[0], "ptxas says no\nin two lines"), 218;
    return IN_CONTEXT((*module = (CUmodule)strdup(image), 0));
}
CUresult cuModuleUnload(CUmodule module) { return IN_CONTEXT((free(module), 0)); }
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    return IN_CONTEXT(!module || !strstr((char *)module, name) ? 500 : (*function = (CUfunction)module, 0));
}
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
    static const int values[] = {[0] = 512, [1] = 1000, [3] = 8, [4] = 40};
    return IN_CONTEXT((*value = values[attribute], !function));
}
static int allowed;
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    return IN_CONTEXT((allowed = value, attribute != 8 || !function));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t bytes) {
    return IN_CONTEXT((*blocks = threads > 0 && bytes < 240000 ? 3 : 0, !function));
}
CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned bytes, CUstream stream, void **params, void **extra) {
    // Its first parameter is a place for what it was launched with.
    unsigned *out = *(unsigned **)params[0];
    if (bytes + 1000 > 48 << 10 && (int)bytes > allowed) return 1;
    memcpy(out, (unsigned[]){gx, gy, gz, bx, by, bz, bytes}, 28);
    return IN_CONTEXT(!function || !stream || extra);
}
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned bytes, CUstream stream, void **params) {
    return gx > 300 ? 720 : cuLaunchKernel(f, gx, gy, gz, bx, by, bz, bytes, stream, params, NULL);
}
CUresult cuGetErrorName(CUresult result, const char **text) {
    return *text = result == 700   ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                   : result == 999 ? "CUDA_ERROR_UNKNOWN"
                                   : "CUDA_ERROR_X",
           0;
}
CUresult cuGetErrorString(CUresult result, const char **text) { return *text = "words", result < 0; }
#ifndef OLD
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *p) {
    return IN_CONTEXT((*pool = pool_handle, p->allocType != 1 || p->location.type != 1));
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) { return IN_CONTEXT(pool != pool_handle); }
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
    return !pool || attribute != 4 || *(unsigned long long *)value != ~0ull;
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
    return *(unsigned long long *)value = attribute == 5 ? 3000 : 1000, !pool;
}
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes) { return IN_CONTEXT(!pool || bytes); }
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *memory, size_t bytes, CUmemoryPool pool, CUstream stream) {
    return IN_CONTEXT(!pool || !stream ? 1 : take((void **)memory, bytes));
}
CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream stream) {
    return IN_CONTEXT(!stream ? 1 : give_back((void *)memory));
}
#endif

// ---- NVRTC: what it makes of a source is the source -----------------------------------------------------------------

struct hw_nvrtc_program_data {
    char *text;
};
const char *nvrtcGetErrorString(int result) { return result ? "no" : "yes"; }
int nvrtcVersion(int *major, int *minor) { return *major = 13, *minor = 0; }
int nvrtcGetNumSupportedArchs(int *count) { return *count = 2, 0; }
int nvrtcGetSupportedArchs(int *archs) {
    return archs[0] = is("ptx") ? 75 : is("new") ? 100 : 80, archs[1] = is("ptx") ? 80 : is("new") ? 120 : 90, 0;
}
int nvrtcCreateProgram(hw_nvrtc_program *program, const char *source, const char *name, int n,
                       const char *const *headers, const char *const *names) {
    *program = malloc(sizeof **program);
    (*program)->text = strdup(source);
    return n && (!headers || !names || !name);
}
int nvrtcDestroyProgram(hw_nvrtc_program *program) { return free((*program)->text), free(*program), 0; }
int nvrtcCompileProgram(hw_nvrtc_program program, int n, const char *const *options) {
    const char *wanted = is("ptx") ? "--gpu-architecture=compute_80" : "--gpu-architecture=sm_90";
    return strcmp(options[0], wanted) != 0 || n < 3 || strstr(program->text, "wrong") ? 6 : 0;
}
int nvrtcGetPTXSize(hw_nvrtc_program program, size_t *bytes) { return *bytes = strlen(program->text) + 1, !is("ptx"); }
int nvrtcGetPTX(hw_nvrtc_program program, char *ptx) { return strcpy(ptx, program->text), 0; }
int nvrtcGetCUBINSize(hw_nvrtc_program program, size_t *bytes) { return *bytes = strlen(program->text), is("ptx"); }
int nvrtcGetCUBIN(hw_nvrtc_program program, char *cubin) {
    return memcpy(cubin, program->text, strlen(program->text)), 0;
}
static const char log_text[] = "test/wrong.cu(7): error: it is wrong\n\n1 error detected\n";
int nvrtcGetProgramLogSize(hw_nvrtc_program program, size_t *bytes) { return *bytes = sizeof log_text, !program; }
int nvrtcGetProgramLog(hw_nvrtc_program program, char *log) { return memcpy(log, log_text, sizeof log_text), !program; }
