// What the CUDA driver answers where its reference leaves it open: captures, graphs, virtual memory, memory pools,
// memory between processes. Each question is a process of its own, so that one that crashes says so and the others go
// on.
// driver_answers.h200.txt is what this program printed on an H200 (CUDA 13.0, driver 580.159).
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda.h"

// The call and what it returns.
#define ASK(call) printf("  %s = %d\n", #call, (int)(call))
#define SAY(value) printf("  %s: %lld\n", #value, (long long)(value))

static const char kernels_ptx[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".visible .entry add(.param .u64 p, .param .u32 n) {\n .reg .u64 %rd<2>; .reg .u32 %r<3>;\n"
    " ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, %r1;\n"
    " st.global.u32 [%rd1], %r2; ret;\n}\n";

static CUfunction add;
static CUdeviceptr word;
static CUstream stream, other, blocking;
static CUevent event, second;

static void set_up(void) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context) || cuModuleLoadData(&module, kernels_ptx) ||
        cuModuleGetFunction(&add, module, "add") || cuMemAlloc(&word, 1024) || cuMemsetD8(word, 0, 1024) ||
        cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) || cuStreamCreate(&other, CU_STREAM_NON_BLOCKING) ||
        cuStreamCreate(&blocking, 0) || cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) ||
        cuEventCreate(&second, CU_EVENT_DISABLE_TIMING))
        printf("  no GPU as expected\n");
}

static CUresult launch(CUstream where, unsigned n) {
    void *params[] = {&word, &n};
    return cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, where, params, NULL);
}

static unsigned get(CUdeviceptr from) {
    unsigned value = 0;
    cuMemcpyDtoH(&value, from, sizeof value);
    return value;
}

static void status_of(CUstream s) {
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)9;
    ASK(cuStreamIsCapturing(s, &status));
    SAY(status);
}

// ---- capture ----

static void begin(CUstreamCaptureMode mode) {
    ASK(cuStreamBeginCapture(stream, mode));
    ASK(launch(stream, 1));
}

static void end(void) {
    CUgraph graph = (CUgraph)1;
    status_of(stream);
    ASK(cuStreamEndCapture(stream, &graph));
    SAY(graph == NULL);
}

static void capture_of_legacy_stream(void) { ASK(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL)); }

static void capture_of_per_thread_stream(void) {
    CUgraph graph;
    ASK(cuStreamBeginCapture(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_GLOBAL));
    ASK(launch(CU_STREAM_PER_THREAD, 1));
    ASK(cuStreamEndCapture(CU_STREAM_PER_THREAD, &graph));
}

static void end_without_begin(void) {
    CUgraph graph = (CUgraph)1;
    ASK(cuStreamEndCapture(stream, &graph));
    SAY(graph == NULL);
}

static void begin_twice(void) {
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    end();
}

static void query_of_captured(void) {
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuStreamQuery(stream));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuStreamQuery(stream));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuStreamQuery(other));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuStreamQuery(NULL));
    end();
}

static void synchronize_captured(void) {
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuStreamSynchronize(stream));
    ASK(launch(stream, 1));
    end();
    ASK(launch(stream, 1));
}

static void synchronize_other(void) {
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuStreamSynchronize(other));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuStreamSynchronize(NULL));
    end();
}

static void synchronize_context(void) {
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuCtxSynchronize());
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuCtxSynchronize());
    end();
}

static void allocate_in_capture(void) {
    CUdeviceptr p = 0;
    void *host = NULL;
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuMemAlloc(&p, 4));
    end();
    begin(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    ASK(cuMemAlloc(&p, 4));
    end();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuMemAlloc(&p, 4));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuMemFree(p));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuMemAllocHost(&host, 4));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuMemAllocManaged(&p, 4, CU_MEM_ATTACH_GLOBAL));
    end();
}

static void copies_in_capture(void) {
    unsigned one = 1;
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuMemcpyHtoD(word, &one, 4));
    end();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuMemcpyHtoD(word, &one, 4));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuMemsetD8(word, 1, 4));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuMemcpyHtoDAsync(word, &one, 4, other));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuMemcpyHtoDAsync(word, &one, 4, stream));
    end();
}

static void legacy_beside_nonblocking(void) {
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(launch(NULL, 1));
    end();
}

static void legacy_beside_blocking(void) {
    CUgraph graph = NULL;
    ASK(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    ASK(launch(blocking, 1));
    ASK(launch(NULL, 1));
    status_of(blocking);
    status_of(NULL);
    ASK(cuStreamEndCapture(blocking, &graph));
    ASK(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    ASK(cuMemcpyHtoD(word, &(unsigned){1}, 4));
    status_of(blocking);
    ASK(cuStreamEndCapture(blocking, &graph));
}

static void events_of_captures(void) {
    float ms;
    CUevent timed;
    cuEventCreate(&timed, 0);
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuEventRecord(event, stream));
    ASK(cuEventQuery(event));
    end();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuEventRecord(event, stream));
    ASK(cuEventSynchronize(event));
    end();
    ASK(cuEventSynchronize(event));
    ASK(cuEventQuery(event));
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuEventRecord(timed, stream));
    ASK(cuEventElapsedTime(&ms, timed, timed));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuEventQuery(second));
    end();
    ASK(cuEventRecord(second, other));
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuEventQuery(second));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuEventSynchronize(second));
    end();
}

static void wait_for_uncaptured(void) {
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuStreamWaitEvent(stream, second, 0));   // never recorded
    end();
    ASK(cuEventRecord(event, other));
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuStreamWaitEvent(stream, event, 0));
    end();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuStreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL));
    end();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL));
    end();
}

static void stale_event(void) {   // of a capture that has ended
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuEventRecord(event, stream));
    end();
    ASK(cuStreamWaitEvent(other, event, 0));
    status_of(other);
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuStreamWaitEvent(stream, event, 0));
    end();
}

static void unjoined(void) {
    CUgraph graph = NULL;
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuEventRecord(event, stream));
    ASK(cuStreamWaitEvent(other, event, 0));
    status_of(other);
    end();
    status_of(other);
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuEventRecord(event, stream));
    ASK(cuStreamWaitEvent(other, event, 0));
    ASK(launch(other, 1));
    ASK(cuStreamEndCapture(other, &graph));
    status_of(other);
    end();
    status_of(other);
    ASK(launch(other, 1));
}

static void merge_of_captures(void) {
    CUgraph graph;
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    ASK(cuStreamBeginCapture(other, CU_STREAM_CAPTURE_MODE_RELAXED));
    ASK(launch(other, 1));
    ASK(cuEventRecord(event, other));
    ASK(cuStreamWaitEvent(stream, event, 0));
    status_of(other);
    end();
    ASK(cuStreamEndCapture(other, &graph));
}

static void things_destroyed_in_capture(void) {
    CUgraph graph;
    CUstream short_lived;
    cuStreamCreate(&short_lived, CU_STREAM_NON_BLOCKING);
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuEventDestroy(second));
    end();
    ASK(cuStreamBeginCapture(short_lived, CU_STREAM_CAPTURE_MODE_RELAXED));
    ASK(cuStreamGetId(short_lived, &(unsigned long long){0}));
    ASK(cuStreamDestroy(short_lived));
    (void)graph;
}

static void modules_in_capture(void) {
    CUmodule module;
    CUfunction f;
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuModuleLoadData(&module, kernels_ptx));
    end();
    ASK(cuModuleLoadData(&module, kernels_ptx));
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuModuleGetFunction(&f, module, "add"));
    end();
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ASK(cuModuleUnload(module));
    end();
}

static void empty_capture(void) {
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    size_t n = 9;
    ASK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    ASK(cuStreamEndCapture(stream, &graph));
    ASK(cuGraphGetNodes(graph, NULL, &n));
    SAY(n);
    ASK(cuGraphInstantiate(&exec, graph, 0));
    ASK(cuGraphLaunch(exec, stream));
}

static void bad_capture_arguments(void) {
    CUgraph graph;
    ASK(cuStreamBeginCapture(stream, (CUstreamCaptureMode)7));
    ASK(cuStreamIsCapturing(stream, NULL));
    ASK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    ASK(cuStreamEndCapture(stream, NULL));
    ASK(cuStreamEndCapture(stream, &graph));
    ASK(cuThreadExchangeStreamCaptureMode(&(CUstreamCaptureMode){9}));
}

// ---- graphs ----

static void graph_in_itself(void) {
    CUgraph graph;
    CUgraphNode node;
    ASK(cuGraphCreate(&graph, 0));
    ASK(cuGraphAddChildGraphNode(&node, graph, NULL, 0, graph));
}

static void graph_destroyed_twice(void) {
    CUgraph graph;
    ASK(cuGraphCreate(&graph, 0));
    ASK(cuGraphDestroy(graph));
    ASK(cuGraphDestroy(graph));
}

static void node_destroyed_twice(void) {
    CUgraph graph;
    CUgraphNode node;
    ASK(cuGraphCreate(&graph, 0));
    ASK(cuGraphAddEmptyNode(&node, graph, NULL, 0));
    ASK(cuGraphDestroyNode(node));
    ASK(cuGraphDestroyNode(node));
}

static void circle(void) {
    CUgraph graph;
    CUgraphNode a, b;
    CUgraphExec exec;
    ASK(cuGraphCreate(&graph, 0));
    ASK(cuGraphAddEmptyNode(&a, graph, NULL, 0));
    ASK(cuGraphAddEmptyNode(&b, graph, &a, 1));
    ASK(cuGraphAddDependencies(graph, &a, &b, NULL, 1));
    ASK(cuGraphAddDependencies(graph, &a, &a, NULL, 1));
    ASK(cuGraphAddDependencies(graph, &b, &a, NULL, 1));
    ASK(cuGraphInstantiate(&exec, graph, 0));
    ASK(cuGraphRemoveDependencies(graph, &b, &a, NULL, 1));
    ASK(cuGraphRemoveDependencies(graph, &b, &a, NULL, 1));
    ASK(cuGraphInstantiate(&exec, graph, 0));
}

static void allocation_nodes(void) {
    CUgraph graph, clone;
    CUgraphNode node, set;
    CUgraphExec exec, twice;
    cuuint64_t used = 1, reserved = 1;
    CUDA_MEM_ALLOC_NODE_PARAMS alloc = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
                                        .bytesize = 1 << 20};
    ASK(cuGraphCreate(&graph, 0));
    ASK(cuGraphAddMemAllocNode(&node, graph, NULL, 0, &alloc));
    const CUDA_MEMSET_NODE_PARAMS nine = {.dst = alloc.dptr, .value = 9, .elementSize = 4, .width = 8, .height = 1};
    ASK(cuGraphAddMemsetNode(&set, graph, &node, 1, &nine, NULL));
    ASK(cuGraphClone(&clone, graph));
    ASK(cuGraphDestroyNode(node));
    ASK(cuMemsetD8(alloc.dptr, 1, 4));
    ASK(cuGraphInstantiate(&exec, graph, 0));
    ASK(cuGraphInstantiate(&twice, graph, 0));
    ASK(cuGraphLaunch(exec, stream));
    ASK(cuStreamSynchronize(stream));
    ASK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    ASK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &reserved));
    SAY(used);
    SAY(reserved);
    ASK(cuGraphLaunch(exec, stream));
    ASK(cuMemFreeAsync(alloc.dptr, stream));
    ASK(cuGraphLaunch(exec, stream));
    ASK(cuMemFree(alloc.dptr));
    ASK(cuMemFree(alloc.dptr));
    ASK(cuGraphExecDestroy(exec));
    ASK(cuDeviceGraphMemTrim(0));
    ASK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &reserved));
    SAY(reserved);
}

// ---- virtual memory ----

static const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                         .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
static const CUmemAccessDesc both = {.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                     .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
static const CUmemAccessDesc reading = {.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                        .flags = CU_MEM_ACCESS_FLAGS_PROT_READ};
static const CUmemAccessDesc nothing = {.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                        .flags = CU_MEM_ACCESS_FLAGS_PROT_NONE};
static CUdeviceptr va;
static CUmemGenericAllocationHandle h, h2;
static size_t g;

static void reserve(void) {
    ASK(cuMemGetAllocationGranularity(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    ASK(cuMemAddressReserve(&va, 4 * g, 0, 0, 0));
    ASK(cuMemCreate(&h, g, &prop, 0));
    ASK(cuMemCreate(&h2, 2 * g, &prop, 0));
}

static void granularity(void) {
    CUmemAllocationProp host = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_HOST, 0}};
    CUmemAllocationProp wrong = {.type = (CUmemAllocationType)77, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemAllocationProp far = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 9}};
    size_t n = 0;
    ASK(cuMemGetAllocationGranularity(&n, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    SAY(n);
    ASK(cuMemGetAllocationGranularity(&n, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    SAY(n);
    ASK(cuMemGetAllocationGranularity(&n, &prop, (CUmemAllocationGranularity_flags)5));
    ASK(cuMemGetAllocationGranularity(&n, &host, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    ASK(cuMemGetAllocationGranularity(&n, &wrong, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    ASK(cuMemGetAllocationGranularity(&n, &far, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
}

static void reservations(void) {
    CUdeviceptr p = 0, q = 0;
    reserve();
    ASK(cuMemAddressReserve(&p, 4096, 0, 0, 0));
    ASK(cuMemAddressReserve(&p, 0, 0, 0, 0));
    ASK(cuMemAddressReserve(&p, g, 3, 0, 0));
    ASK(cuMemAddressReserve(&p, g, 4096, 0, 0));
    ASK(cuMemAddressReserve(&p, g, 8 * g, 0, 0));
    SAY(p % (8 * g));
    ASK(cuMemAddressReserve(&q, g, 0, p, 0));   // where something is
    SAY(p != q);
    ASK(cuMemAddressReserve(&q, g, 0, 0, 1));
    ASK(cuMemAddressFree(p, 2 * g));
    ASK(cuMemAddressFree(p, g));
    ASK(cuMemAddressFree(p, g));
    ASK(cuMemAddressFree(va, g));
    ASK(cuMemAddressFree(va, 4 * g));
}

static void creations(void) {
    CUmemGenericAllocationHandle made = 0;
    CUmemAllocationProp back;
    reserve();
    ASK(cuMemCreate(&made, 4096, &prop, 0));
    ASK(cuMemCreate(&made, 0, &prop, 0));
    ASK(cuMemCreate(&made, g, &prop, 1));
    ASK(cuMemGetAllocationPropertiesFromHandle(&back, h));
    ASK(cuMemRelease(h));
    ASK(cuMemRelease(h2));
}

static void released_twice(void) {
    reserve();
    ASK(cuMemRelease(h));
    ASK(cuMemRelease(h));
}

static void mappings(void) {
    reserve();
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuMemMap(va, g, 0, h2, 0));
    ASK(cuMemMap(va + g, g, g, h2, 0));
    ASK(cuMemMap(va + g, g, 0, h2, 0));
    ASK(cuMemMap(va + 2 * g, 2 * g, 0, h, 0));
    ASK(cuMemMap(va + 2 * g, 2 * g, 0, h2, 0));
    ASK(cuMemMap(va + 4 * g, g, 0, h, 0));
    ASK(cuMemMap(word, g, 0, h, 0));
    ASK(cuMemUnmap(va + 2 * g, g));
    ASK(cuMemUnmap(va, g / 2));
    ASK(cuMemUnmap(va, 4 * g));
    ASK(cuMemUnmap(va, 4 * g));
    ASK(cuMemUnmap(va, g));
}

static void without_access(void) {
    reserve();
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuMemsetD8(va, 1, 16));
    ASK(cuCtxSynchronize());
    ASK(cuMemcpyDtoH(&(unsigned){0}, va, 4));
}

static void kernel_without_access(void) {
    reserve();
    ASK(cuMemMap(va, g, 0, h, 0));
    word = va;
    ASK(launch(stream, 1));
    ASK(cuStreamSynchronize(stream));
}

static void kernel_writes_what_it_may_read(void) {
    reserve();
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuMemSetAccess(va, g, &reading, 1));
    word = va;
    ASK(launch(stream, 1));
    ASK(cuStreamSynchronize(stream));
}

static void access_rights(void) {
    unsigned long long flags = 9;
    CUmemAccessDesc host = {.location = {CU_MEM_LOCATION_TYPE_HOST, 0}, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    reserve();
    ASK(cuMemSetAccess(va, g, &both, 1));
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuMemGetAccess(&flags, &both.location, va));
    SAY(flags);
    ASK(cuMemSetAccess(va, 2 * g, &both, 1));
    ASK(cuMemSetAccess(va, g, &both, 1));
    ASK(cuMemGetAccess(&flags, &both.location, va));
    SAY(flags);
    ASK(cuMemSetAccess(va, g, &reading, 1));
    ASK(cuMemGetAccess(&flags, &both.location, va));
    SAY(flags);
    ASK(cuMemSetAccess(va, g, &nothing, 1));
    ASK(cuMemGetAccess(&flags, &both.location, va));
    SAY(flags);
    ASK(cuMemSetAccess(va, g / 2, &both, 1));
    ASK(cuMemSetAccess(va, g, &both, 0));
    ASK(cuMemSetAccess(va, g, &host, 1));
    ASK(cuMemGetAccess(&flags, &both.location, va + g));
}

static void one_memory_at_two_places(void) {
    reserve();
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuMemMap(va + g, g, 0, h, 0));
    ASK(cuMemSetAccess(va, 2 * g, &both, 1));
    ASK(cuMemsetD32(va, 77, 4));
    SAY(get(va + g));
    ASK(cuMemUnmap(va, g));
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuMemSetAccess(va, g, &both, 1));
    SAY(get(va));
}

static void released_while_mapped(void) {
    CUmemGenericAllocationHandle again = 0;
    reserve();
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuMemSetAccess(va, g, &both, 1));
    ASK(cuMemRelease(h));
    ASK(cuMemsetD32(va, 5, 4));
    SAY(get(va));
    ASK(cuMemRetainAllocationHandle(&again, (void *)va));
    SAY(again == h);
    ASK(cuMemRelease(again));
    ASK(cuMemAddressFree(va, 4 * g));
    ASK(cuMemFree(va));
    ASK(cuMemUnmap(va, g));
    ASK(cuMemRetainAllocationHandle(&again, (void *)va));
    ASK(cuMemRetainAllocationHandle(&again, (void *)word));
    ASK(cuMemAddressFree(va, 4 * g));
}

static void across_two_mappings(void) {
    static unsigned char bytes[64];
    CUmemGenericAllocationHandle h3;
    CUdeviceptr base = 0;
    size_t size = 0;
    reserve();
    ASK(cuMemCreate(&h3, g, &prop, 0));
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuMemMap(va + g, g, 0, h3, 0));
    ASK(cuMemSetAccess(va, 2 * g, &both, 1));
    ASK(cuMemsetD8(va + g - 32, 3, 64));
    ASK(cuMemcpyDtoH(bytes, va + g - 32, 64));
    SAY(bytes[0]);
    SAY(bytes[63]);
    ASK(cuMemsetD8(va, 3, 3 * g));
    ASK(cuMemGetAddressRange(&base, &size, va + 5));
    SAY(base - va);
    SAY(size / g);
}

static void pointer_attributes_of_mappings(void) {
    CUdeviceptr p = 0;
    size_t size = 0;
    unsigned type = 9;
    int mapped = 9;
    reserve();
    p = va + 9;
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, va));
    SAY(type);
    ASK(cuPointerGetAttribute(&p, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, va + 4));
    SAY(p - va);
    ASK(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, va + 4));
    SAY(size / g);
    ASK(cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, va));
    SAY(mapped);
    ASK(cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, va + g));
    SAY(mapped);
    ASK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, va + g));
}

static void exports(void) {
    CUmemAllocationProp file = prop;
    CUmemGenericAllocationHandle shared = 0, imported = 0;
    int fd = -1;
    reserve();
    ASK(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    file.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    ASK(cuMemCreate(&shared, g, &file, 0));
    ASK(cuMemExportToShareableHandle(&fd, shared, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    ASK(cuMemImportFromShareableHandle(&imported, (void *)(uintptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    SAY(imported == shared);
    ASK(cuMemMap(va, g, 0, shared, 0));
    ASK(cuMemMap(va + g, g, 0, imported, 0));
    ASK(cuMemSetAccess(va, 2 * g, &both, 1));
    ASK(cuMemsetD32(va, 42, 4));
    SAY(get(va + g));
    ASK(cuMemImportFromShareableHandle(&imported, (void *)(uintptr_t)999, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
}

// ---- memory pools ----

static void pools(void) {
    CUmemoryPool pool, preset, current;
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUdeviceptr p = 0, q = 0;
    cuuint64_t value = 9;
    int flag = 9;
    ASK(cuDeviceGetDefaultMemPool(&preset, 0));
    ASK(cuDeviceGetMemPool(&current, 0));
    SAY(current == preset);
    ASK(cuMemPoolDestroy(preset));
    ASK(cuMemPoolCreate(&pool, &props));
    ASK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    SAY(value);
    ASK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &flag));
    SAY(flag);
    ASK(cuMemAllocFromPoolAsync(&p, 100, pool, stream));
    ASK(cuMemAllocFromPoolAsync(&q, 1 << 20, pool, stream));
    ASK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    SAY(value);
    ASK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &value));
    SAY(value);
    ASK(cuMemFreeAsync(p, stream));
    ASK(cuMemFreeAsync(q, other));
    ASK(cuStreamSynchronize(stream));
    ASK(cuStreamSynchronize(other));
    ASK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    SAY(value);
    ASK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &value));
    SAY(value);
    ASK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value));
    SAY(value);
    value = 5;
    ASK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value));
    value = 0;
    ASK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value));
    ASK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    ASK(cuMemPoolTrimTo(pool, 0));
    ASK(cuDeviceSetMemPool(0, pool));
    ASK(cuMemPoolDestroy(pool));
    ASK(cuDeviceGetMemPool(&current, 0));
    SAY(current == preset);
}

static void pool_misuse(void) {
    CUdeviceptr p = 0;
    ASK(cuMemAllocAsync(&p, 0, stream));
    ASK(cuMemAllocAsync(&p, 100, stream));
    ASK(cuMemFree(p));
    ASK(cuMemFreeAsync(word, stream));
    ASK(cuMemFreeAsync(0, stream));
    ASK(cuMemFreeAsync(0x1234, stream));
    ASK(cuMemAllocAsync(&p, (size_t)1 << 50, stream));
}

static void pool_access(void) {
    CUmemoryPool pool;
    CUmemAccess_flags flags = (CUmemAccess_flags)9;
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, far = {CU_MEM_LOCATION_TYPE_DEVICE, 9};
    CUmemAccessDesc wrong = {.location = far, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    ASK(cuDeviceGetDefaultMemPool(&pool, 0));
    ASK(cuMemPoolGetAccess(&flags, pool, &here));
    SAY(flags);
    ASK(cuMemPoolGetAccess(&flags, pool, &far));
    ASK(cuMemPoolSetAccess(pool, &both, 1));
    ASK(cuMemPoolSetAccess(pool, &reading, 1));
    ASK(cuMemPoolSetAccess(pool, &nothing, 1));
    ASK(cuMemPoolSetAccess(pool, &wrong, 1));
}

// ---- between processes and devices ----

static void ipc_by_itself(void) {
    CUipcMemHandle handle;
    CUipcEventHandle of_event;
    CUdeviceptr p = 0, pooled = 0;
    CUevent sharable, opened;
    void *host;
    cuMemAllocHost(&host, 64);
    cuMemAllocAsync(&pooled, 64, stream);
    ASK(cuIpcGetMemHandle(&handle, word));
    ASK(cuIpcGetMemHandle(&handle, word + 4));
    ASK(cuIpcOpenMemHandle(&p, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    ASK(cuIpcCloseMemHandle(word));
    ASK(cuIpcGetMemHandle(&handle, (CUdeviceptr)host));
    ASK(cuIpcGetMemHandle(&handle, pooled));
    ASK(cuIpcGetMemHandle(&handle, 0x1234));
    memset(&handle, 5, sizeof handle);
    ASK(cuIpcOpenMemHandle(&p, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    ASK(cuIpcOpenMemHandle(&p, handle, 0));
    ASK(cuIpcGetEventHandle(&of_event, event));
    ASK(cuEventCreate(&sharable, CU_EVENT_INTERPROCESS));
    ASK(cuEventCreate(&sharable, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    ASK(cuIpcGetEventHandle(&of_event, sharable));
    ASK(cuIpcOpenEventHandle(&opened, of_event));
    memset(&of_event, 5, sizeof of_event);
    ASK(cuIpcOpenEventHandle(&opened, of_event));
}

// A parent's memory in a child: pipes carry the handle and say when.
static void ipc_between_two(void) {
    CUipcMemHandle handle;
    CUdeviceptr p = 0;
    char go = 1;
    int forth[2], back[2];
    if (pipe(forth) || pipe(back)) return;
    fflush(stdout);
    if (!fork()) {
        if (read(forth[0], &handle, sizeof handle) != (ssize_t)sizeof handle) _exit(1);
        set_up();
        ASK(cuIpcOpenMemHandle(&p, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
        SAY(get(p));
        ASK(cuMemsetD32(p + 4, 6, 1));
        ASK(cuCtxSynchronize());
        SAY(get(p + 4));
        ASK(cuMemFree(p));
        ASK(cuIpcCloseMemHandle(p));
        ASK(cuIpcCloseMemHandle(p));
        fflush(stdout);
        if (write(back[1], &go, 1) != 1) _exit(1);
        _exit(0);
    }
    set_up();
    ASK(cuMemsetD32(word, 5, 1));
    ASK(cuIpcGetMemHandle(&handle, word));
    fflush(stdout);
    if (write(forth[1], &handle, sizeof handle) == (ssize_t)sizeof handle && read(back[0], &go, 1) == 1)
        SAY(get(word + 4));
    ASK(cuMemFree(word));
}

static void peers(void) {
    int can = 9;
    CUcontext context;
    ASK(cuDeviceCanAccessPeer(&can, 0, 0));
    SAY(can);
    cuCtxGetCurrent(&context);
    ASK(cuCtxEnablePeerAccess(context, 0));
    ASK(cuCtxEnablePeerAccess(context, 1));
    ASK(cuCtxDisablePeerAccess(context));
    ASK(cuMemcpyPeer(word, context, word + 16, context, 4));
    ASK(cuDeviceGetP2PAttribute(&can, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
    ASK(cuDeviceCanAccessPeer(&can, 0, 9));
}

typedef struct question {
    const char *name;
    void (*ask)(void);
    int sets_up_itself;
} question;

#define Q(name) {#name, name, 0}
static const question questions[] = {
    Q(capture_of_legacy_stream), Q(capture_of_per_thread_stream), Q(end_without_begin), Q(begin_twice),
    Q(query_of_captured), Q(synchronize_captured), Q(synchronize_other), Q(synchronize_context),
    Q(allocate_in_capture), Q(copies_in_capture), Q(legacy_beside_nonblocking), Q(legacy_beside_blocking),
    Q(events_of_captures), Q(wait_for_uncaptured), Q(stale_event), Q(unjoined), Q(merge_of_captures),
    Q(things_destroyed_in_capture), Q(modules_in_capture), Q(empty_capture), Q(bad_capture_arguments),
    Q(circle), Q(allocation_nodes), Q(granularity), Q(reservations), Q(creations), Q(mappings), Q(without_access),
    Q(kernel_without_access), Q(kernel_writes_what_it_may_read), Q(access_rights), Q(one_memory_at_two_places),
    Q(released_while_mapped), Q(across_two_mappings), Q(pointer_attributes_of_mappings), Q(exports), Q(pools),
    Q(pool_misuse), Q(pool_access), Q(ipc_by_itself), {"ipc_between_two", ipc_between_two, 1}, Q(peers),
    Q(graph_in_itself), Q(graph_destroyed_twice), Q(node_destroyed_twice), Q(released_twice)};

static void answer(const question *q) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(20);
    if (!q->sets_up_itself) set_up();
    q->ask();
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        int status = 0;
        if (argc > 1 && strcmp(argv[1], questions[i].name) != 0) continue;
        printf("%s\n", questions[i].name);
        fflush(stdout);
        pid_t child = fork();
        if (!child) answer(&questions[i]);
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) printf("  ended by signal %d\n", WTERMSIG(status));
    }
    return 0;
}
