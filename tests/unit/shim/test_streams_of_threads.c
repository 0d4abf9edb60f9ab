// Programs compiled for a default stream of each thread: what an observer hears of their calls names that stream.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "shim/cudart/registry.h"
#include "toolchain/binary/fatbin.h"

#define OK(call) assert_int_equal(call, cudaSuccess)

typedef struct stream_sink {
    hw_sink sink;
    uint64_t streams[64];
    bool are_in_order[64];     // of allocations
    uint32_t n;
} stream_sink;

static stream_sink heard;

static void keep(uint64_t stream, bool is_in_order) {
    assert_true(heard.n < 64);
    heard.streams[heard.n] = stream;
    heard.are_in_order[heard.n++] = is_in_order;
}

// What a launch allocates for itself nobody has asked for.
static void keep_host(hw_sink *sink, const hw_host_event *event) {
    (void)sink;
    if (!event->site) return;
    bool is_memory = event->action == HW_HOST_ALLOCATE || event->action == HW_HOST_FREE;
    keep(event->stream, is_memory && event->memory.is_in_order);
}

static hw_status keep_launch(hw_sink *sink, const hw_launch_info *info, hw_diag *diag) {
    (void)sink, (void)diag;
    keep(info->stream, false);
    return HW_OK;
}

static hw_sim *simulation(void) {
    assert_int_equal(hw_rt_open(hw_shim_runtime()), HW_RT_SUCCESS);
    return hw_rt_simulation(hw_shim_runtime());
}

// Which our header has no need of.
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t sharedBytes,
                               cudaStream_t stream);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t srcPitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dstPitch, cudaArray_const_t src, size_t x, size_t y,
                                       size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream);

// What the calls work on.
static const char KERNEL[] = ".version 7.5\n.target sm_75\n.address_size 64\n.global .b8 variable[64];\n"
                             ".visible .entry nothing()\n{\n    ret;\n}\n";
static const char a_kernel, a_variable;     // their addresses stand for them
static char *memory, *other, host[64];
static cudaArray_t array;
static cudaEvent_t event;
static cudaKernel_t kernel;

static int make_things(void **state) {
    (void)state;
    static struct { uint32_t magic, version; const void *data; void *file; } wrapper = {0x466243b1, 1, NULL, NULL};
    uint8_t *container;
    size_t bytes;
    assert_int_equal(hw_fatbin_write(KERNEL, strlen(KERNEL), 75, "k", &container, &bytes, NULL), HW_OK);
    wrapper.data = container;
    hw_image *image = hw_registry_add_image(&wrapper);
    hw_registry_add_function(image, &a_kernel, "nothing");
    hw_registry_add_variable(image, &a_variable, NULL, "variable");
    const struct cudaChannelFormatDesc bytes_of_8 = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
    OK(cudaMalloc((void **)&memory, 64));
    OK(cudaMallocArray(&array, &bytes_of_8, 8, 8, 0));
    OK(cudaEventCreate(&event));
    OK(cudaGetKernel(&kernel, &a_kernel));
    heard.sink = (hw_sink){.events = HW_WANTS(HOST), .host = keep_host, .launch_begin = keep_launch};
    assert_int_equal(hw_sim_add_sink(simulation(), &heard.sink, NULL), HW_OK);
    return 0;
}

static int drop_things(void **state) {
    (void)state;
    hw_sim_remove_sink(simulation(), &heard.sink);
    OK(cudaFree(memory));
    OK(cudaFreeArray(array));
    OK(cudaEventDestroy(event));
    return 0;
}

// The variants that a header gives to programs compiled so.
#define OF_THREAD(second, first) __typeof__(first) second;
OF_THREAD(cudaMallocAsync_ptsz, cudaMallocAsync)
OF_THREAD(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync)
OF_THREAD(cudaFreeAsync_ptsz, cudaFreeAsync)
OF_THREAD(cudaMemcpy_ptds, cudaMemcpy)
OF_THREAD(cudaMemcpyAsync_ptsz, cudaMemcpyAsync)
OF_THREAD(cudaMemcpy2D_ptds, cudaMemcpy2D)
OF_THREAD(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync)
OF_THREAD(cudaMemcpy3D_ptds, cudaMemcpy3D)
OF_THREAD(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync)
OF_THREAD(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer)
OF_THREAD(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync)
OF_THREAD(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol)
OF_THREAD(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync)
OF_THREAD(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol)
OF_THREAD(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync)
OF_THREAD(cudaMemcpyToArray_ptds, cudaMemcpyToArray)
OF_THREAD(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray)
OF_THREAD(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray)
OF_THREAD(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync)
OF_THREAD(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray)
OF_THREAD(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync)
OF_THREAD(cudaMemset_ptds, cudaMemset)
OF_THREAD(cudaMemsetAsync_ptsz, cudaMemsetAsync)
OF_THREAD(cudaMemset2D_ptds, cudaMemset2D)
OF_THREAD(cudaMemset2DAsync_ptsz, cudaMemset2DAsync)
OF_THREAD(cudaMemset3D_ptds, cudaMemset3D)
OF_THREAD(cudaMemset3DAsync_ptsz, cudaMemset3DAsync)
OF_THREAD(cudaEventRecord_ptsz, cudaEventRecord)
OF_THREAD(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags)
OF_THREAD(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent)
OF_THREAD(cudaStreamSynchronize_ptsz, cudaStreamSynchronize)
OF_THREAD(cudaStreamGetId_ptsz, cudaStreamGetId)
OF_THREAD(cudaStreamAddCallback_ptsz, cudaStreamAddCallback)
OF_THREAD(cudaLaunchKernel_ptsz, cudaLaunchKernel)
OF_THREAD(__cudaLaunchKernel_ptsz, __cudaLaunchKernel)
OF_THREAD(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel)
OF_THREAD(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC)

// All that was heard since the last time is of this stream, and something was.
static void expect_stream(uint64_t stream) {
    assert_true(heard.n > 0);
    for (uint32_t i = 0; i < heard.n; i++) assert_int_equal(heard.streams[i], stream);
    heard.n = 0;
}

static uint64_t name_of_this_thread(void) { return hw_rt_stream_name(HW_RT_STREAM_PER_THREAD); }

#define OF_THIS_THREAD(call)                 \
    do {                                     \
        OK(call);                            \
        expect_stream(name_of_this_thread()); \
    } while (0)

static void test_copies(void **state) {
    (void)state;
    OF_THIS_THREAD(cudaMemcpy_ptds(memory, host, 64, cudaMemcpyDefault));
    OF_THIS_THREAD(cudaMemcpyAsync_ptsz(memory, host, 64, cudaMemcpyDefault, NULL));
    OF_THIS_THREAD(cudaMemcpy2D_ptds(memory, 8, host, 8, 4, 4, cudaMemcpyDefault));
    OF_THIS_THREAD(cudaMemcpy2DAsync_ptsz(memory, 8, host, 8, 4, 4, cudaMemcpyDefault, NULL));
    const struct cudaMemcpy3DParms cube = {.srcPtr = {host, 8, 8, 8}, .dstPtr = {memory, 8, 8, 8}, .extent = {4, 4, 1},
                                           .kind = cudaMemcpyDefault};
    const struct cudaMemcpy3DPeerParms peer = {.srcPtr = {host, 8, 8, 8}, .dstPtr = {memory, 8, 8, 8},
                                               .extent = {4, 4, 1}};
    OF_THIS_THREAD(cudaMemcpy3D_ptds(&cube));
    OF_THIS_THREAD(cudaMemcpy3DAsync_ptsz(&cube, NULL));
    OF_THIS_THREAD(cudaMemcpy3DPeer_ptds(&peer));
    OF_THIS_THREAD(cudaMemcpy3DPeerAsync_ptsz(&peer, NULL));
    OF_THIS_THREAD(cudaMemcpyToSymbol_ptds(&a_variable, host, 64, 0, cudaMemcpyDefault));
    OF_THIS_THREAD(cudaMemcpyToSymbolAsync_ptsz(&a_variable, host, 64, 0, cudaMemcpyDefault, NULL));
    OF_THIS_THREAD(cudaMemcpyFromSymbol_ptds(host, &a_variable, 64, 0, cudaMemcpyDefault));
    OF_THIS_THREAD(cudaMemcpyFromSymbolAsync_ptsz(host, &a_variable, 64, 0, cudaMemcpyDefault, NULL));
    OF_THIS_THREAD(cudaMemcpyToArray_ptds(array, 0, 0, host, 8, cudaMemcpyDefault));
    OF_THIS_THREAD(cudaMemcpyFromArray_ptds(host, array, 0, 0, 8, cudaMemcpyDefault));
    OF_THIS_THREAD(cudaMemcpy2DToArray_ptds(array, 0, 0, host, 8, 8, 8, cudaMemcpyDefault));
    OF_THIS_THREAD(cudaMemcpy2DToArrayAsync_ptsz(array, 0, 0, host, 8, 8, 8, cudaMemcpyDefault, NULL));
    OF_THIS_THREAD(cudaMemcpy2DFromArray_ptds(host, 8, array, 0, 0, 8, 8, cudaMemcpyDefault));
    OF_THIS_THREAD(cudaMemcpy2DFromArrayAsync_ptsz(host, 8, array, 0, 0, 8, 8, cudaMemcpyDefault, NULL));
}

static void test_sets(void **state) {
    (void)state;
    const struct cudaPitchedPtr cube = {memory, 8, 8, 8};
    const struct cudaExtent extent = {4, 4, 1};
    OF_THIS_THREAD(cudaMemset_ptds(memory, 1, 64));
    OF_THIS_THREAD(cudaMemsetAsync_ptsz(memory, 1, 64, NULL));
    OF_THIS_THREAD(cudaMemset2D_ptds(memory, 8, 1, 4, 4));
    OF_THIS_THREAD(cudaMemset2DAsync_ptsz(memory, 8, 1, 4, 4, NULL));
    OF_THIS_THREAD(cudaMemset3D_ptds(cube, 1, extent));
    OF_THIS_THREAD(cudaMemset3DAsync_ptsz(cube, 1, extent, NULL));
}

static void keep_stream(cudaStream_t stream, cudaError_t error, void *user) {
    OK(error);
    *(cudaStream_t *)user = stream;
}

static void test_callbacks(void **state) {
    (void)state;
    cudaStream_t stream, got = NULL;
    OK(cudaStreamAddCallback_ptsz(NULL, keep_stream, &got, 0));
    assert_ptr_equal(got, cudaStreamPerThread);
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamAddCallback_ptsz(stream, keep_stream, &got, 0));
    assert_ptr_equal(got, stream);
    OK(cudaStreamDestroy(stream));
    OK(cudaStreamAddCallback(NULL, keep_stream, &got, 0));
    assert_null(got);
    heard.n = 0;    // that a stream came and went
}

static void test_order(void **state) {
    (void)state;
    unsigned long long id;
    OF_THIS_THREAD(cudaEventRecord_ptsz(event, NULL));
    OF_THIS_THREAD(cudaEventRecordWithFlags_ptsz(event, NULL, 0));
    OF_THIS_THREAD(cudaStreamWaitEvent_ptsz(NULL, event, 0));
    OF_THIS_THREAD(cudaStreamSynchronize_ptsz(NULL));
    OK(cudaStreamGetId_ptsz(NULL, &id));
    assert_int_equal(id, 2);
}

static void test_launches(void **state) {
    (void)state;
    const dim3 one = {1, 1, 1};
    cudaLaunchConfig_t config = {.gridDim = one, .blockDim = one};
    OF_THIS_THREAD(cudaLaunchKernel_ptsz(&a_kernel, one, one, NULL, 0, NULL));
    OF_THIS_THREAD(__cudaLaunchKernel_ptsz(kernel, one, one, NULL, 0, NULL));
    OF_THIS_THREAD(cudaLaunchCooperativeKernel_ptsz(&a_kernel, one, one, NULL, 0, NULL));
    OF_THIS_THREAD(cudaLaunchKernelExC_ptsz(&config, &a_kernel, NULL));
    assert_int_equal(cudaLaunchKernelExC_ptsz(NULL, &a_kernel, NULL), cudaErrorInvalidValue);
    OK(cudaLaunchKernel(&a_kernel, one, one, NULL, 0, NULL));
    expect_stream(0);
}

// An allocation is work of a stream, or it is not.
static void test_allocations(void **state) {
    (void)state;
    cudaStream_t stream;
    cudaMemPool_t pool;
    OK(cudaStreamCreate(&stream));
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    heard.n = 0;
    OK(cudaMallocAsync((void **)&other, 64, stream));
    OK(cudaFreeAsync(other, stream));
    OK(cudaMallocFromPoolAsync((void **)&other, 64, pool, stream));
    OK(cudaFreeAsync(other, stream));
    for (int i = 0; i < 4; i++) assert_true(heard.are_in_order[i]);
    expect_stream(hw_address(stream));
    OK(cudaMalloc((void **)&other, 64));
    assert_false(heard.are_in_order[0]);
    OK(cudaFree(other));
    assert_false(heard.are_in_order[1]);
    expect_stream(0);
    OK(cudaMallocAsync((void **)&other, 64, NULL));
    assert_true(heard.are_in_order[0]);
    OK(cudaFreeAsync(other, cudaStreamLegacy));
    assert_true(heard.are_in_order[1]);
    expect_stream(0);
    OF_THIS_THREAD(cudaMallocAsync_ptsz((void **)&other, 64, NULL));
    OF_THIS_THREAD(cudaFreeAsync_ptsz(other, NULL));
    OF_THIS_THREAD(cudaMallocFromPoolAsync_ptsz((void **)&other, 64, pool, NULL));
    OF_THIS_THREAD(cudaFreeAsync(other, cudaStreamPerThread));
    OK(cudaStreamDestroy(stream));
    assert_int_equal(cudaMallocAsync((void **)&other, 64, (cudaStream_t)host), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaFreeAsync(memory, (cudaStream_t)host), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaFreeAsync(NULL, (cudaStream_t)host), cudaErrorInvalidResourceHandle);
    heard.n = 0;
}

static void *name_thread(void *name) {
    *(uint64_t *)name = name_of_this_thread();
    return NULL;
}

// A stream that is named is the one that is meant, and no two threads have one stream.
static void test_names(void **state) {
    (void)state;
    pthread_t thread;
    uint64_t another;
    OK(cudaMemsetAsync_ptsz(memory, 1, 64, cudaStreamLegacy));
    expect_stream(0);
    OF_THIS_THREAD(cudaMemsetAsync(memory, 1, 64, cudaStreamPerThread));
    assert_int_equal(pthread_create(&thread, NULL, name_thread, &another), 0);
    pthread_join(thread, NULL);
    assert_int_not_equal(another, name_of_this_thread());
    assert_true(another & name_of_this_thread() & 1);
    assert_true(another > 2 && name_of_this_thread() > 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies), cmocka_unit_test(test_sets), cmocka_unit_test(test_order),
        cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_launches), cmocka_unit_test(test_allocations), cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, make_things, drop_things);
}
