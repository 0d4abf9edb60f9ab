// Graphs and the capture of streams, as a program of C alone asks the CUDA driver for them. Expected answers are those
// of the CUDA driver API's reference. Prints what is not so.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cuda.h"
#include "expect.h"

// add(unsigned *p, unsigned n): *p += n. count(unsigned *p, unsigned long long condition): *p -= 1, and the condition
// is what is left.
static const char kernels_ptx[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
    ".visible .entry add(.param .u64 p, .param .u32 n) {\n .reg .u64 %rd<2>; .reg .u32 %r<3>;\n"
    " ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, %r1;\n"
    " st.global.u32 [%rd1], %r2; ret;\n}\n"
    ".visible .entry count(.param .u64 p, .param .u64 condition) {\n .reg .u64 %rd<3>; .reg .u32 %r<2>;\n"
    " ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [condition]; ld.global.u32 %r1, [%rd1]; sub.u32 %r1, %r1, 1;\n"
    " st.global.u32 [%rd1], %r1;\n {\n .param .b64 handle; .param .b32 value;\n st.param.b64 [handle], %rd2;\n"
    " st.param.b32 [value], %r1;\n call.uni cudaGraphSetConditional, (handle, value);\n }\n ret;\n}\n";

static CUfunction add, count;
static CUdeviceptr word;
static CUstream stream, other;
static CUcontext context;

static void set(unsigned value) { GOOD(cuMemsetD32(word, value, 1)); }

static unsigned get(void) {
    unsigned value = 0;
    GOOD(cuMemcpyDtoH(&value, word, sizeof value));
    return value;
}

static void launch_add(CUstream where, unsigned n) {
    void *params[] = {&word, &n};
    GOOD(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, where, params, NULL));
}

static CUDA_KERNEL_NODE_PARAMS adding(void **params) {
    return (CUDA_KERNEL_NODE_PARAMS){.func = add, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1,
                                     .blockDimY = 1, .blockDimZ = 1, .kernelParams = params};
}

static void set_up(void) {
    CUmodule module;
    GOOD(cuInit(0));
    GOOD(cuCtxCreate(&context, NULL, 0, 0));
    GOOD(cuModuleLoadData(&module, kernels_ptx));
    GOOD(cuModuleGetFunction(&add, module, "add"));
    GOOD(cuModuleGetFunction(&count, module, "count"));
    GOOD(cuMemAlloc(&word, 1024));
    GOOD(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    GOOD(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
}

// ---- capture ----

// A fork into another stream and back: what the other was given comes in between, and nothing runs before the launch.
static void test_capture(void) {
    CUevent fork, join;
    CUgraph graph, seen;
    CUgraphExec exec;
    CUgraphNode from[8], to[8];
    CUstreamCaptureStatus status;
    cuuint64_t id = 0;
    size_t n = 0;
    GOOD(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
    GOOD(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
    set(1);
    GOOD(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    GOOD(cuStreamGetCaptureInfo(stream, &status, &id, &seen, NULL, NULL, &n));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id && n == 0);
    launch_add(stream, 10);
    GOOD(cuEventRecord(fork, stream));
    GOOD(cuStreamWaitEvent(other, fork, 0));
    GOOD(cuStreamIsCapturing(other, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    launch_add(other, 100);
    GOOD(cuEventRecord(join, other));
    GOOD(cuStreamWaitEvent(stream, join, 0));
    launch_add(stream, 1000);
    GOOD(cuStreamEndCapture(stream, &graph));
    CHECK(graph == seen && get() == 1);
    GOOD(cuGraphGetNodes(graph, NULL, &n));
    CHECK(n == 3);
    GOOD(cuGraphGetEdges(graph, NULL, NULL, NULL, &n));
    CHECK(n == 3);   // the last one waits for both: its own stream's first and the other's
    n = 8;
    GOOD(cuGraphGetEdges(graph, from, to, NULL, &n));
    CHECK(n == 3 && from[0] != to[0]);
    GOOD(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) GOOD(cuGraphLaunch(exec, stream));
    GOOD(cuStreamSynchronize(stream));
    CHECK(get() == 1 + 2 * 1110);
    GOOD(cuGraphExecDestroy(exec));
    GOOD(cuGraphDestroy(graph));
    IS(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
    GOOD(cuEventDestroy(fork));
    GOOD(cuEventDestroy(join));
}

static void begin(CUstreamCaptureMode mode) {
    GOOD(cuStreamBeginCapture(stream, mode));
    launch_add(stream, 1);
}

static void end_with(CUresult expected) {
    CUgraph graph = (CUgraph)1;
    IS(cuStreamEndCapture(stream, &graph), expected);
    if (expected) CHECK(graph == NULL);
    else GOOD(cuGraphDestroy(graph));
}

static void test_capture_in_vain(void) {
    CUevent event;
    CUdeviceptr p;
    CUgraph graph;
    GOOD(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    IS(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    IS(cuStreamEndCapture(stream, &graph), CUDA_ERROR_ILLEGAL_STATE);
    // Waiting for a captured stream spoils its capture.
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    IS(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_with(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    // So does an allocation, unless the capture is a relaxed one, or the thread.
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    IS(cuMemAlloc(&p, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_with(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    GOOD(cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    GOOD(cuMemAlloc(&p, 4));
    end_with(CUDA_SUCCESS);
    GOOD(cuMemFree(p));
    GOOD(cuThreadExchangeStreamCaptureMode(&mode));
    // Work of another stream that is not captured.
    GOOD(cuEventRecord(event, other));
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    IS(cuStreamWaitEvent(stream, event, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    end_with(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    // A stream that does not come back.
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    GOOD(cuEventRecord(event, stream));
    GOOD(cuStreamWaitEvent(other, event, 0));
    launch_add(other, 1);
    end_with(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    GOOD(cuEventDestroy(event));
}

// ---- by hand ----

static void add_seven(void *user) { *(int *)user += 7; }

// memset 5 -> add 20 -> copy to the host and a function of the host, both behind it.
static CUgraph make_graph(unsigned *n, unsigned *out, int *called, CUgraphNode nodes[4]) {
    CUgraph graph;
    void *params[] = {&word, n};
    const CUDA_MEMSET_NODE_PARAMS five = {.dst = word, .value = 5, .elementSize = 4, .width = 1, .height = 1};
    const CUDA_KERNEL_NODE_PARAMS kernel = adding(params);
    const CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = word,
                                .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = out, .WidthInBytes = 4, .Height = 1,
                                .Depth = 1};
    const CUDA_HOST_NODE_PARAMS host = {add_seven, called};
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &five, context));
    GOOD(cuGraphAddKernelNode(&nodes[1], graph, &nodes[0], 1, &kernel));
    GOOD(cuGraphAddMemcpyNode(&nodes[2], graph, &nodes[1], 1, &copy, NULL));
    GOOD(cuGraphAddHostNode(&nodes[3], graph, &nodes[1], 1, &host));
    return graph;
}

static void test_by_hand(void) {
    CUgraphNode nodes[4], found, parent;
    CUgraphNodeType type;
    CUgraph clone, whole;
    CUgraphExec exec;
    CUDA_KERNEL_NODE_PARAMS kernel;
    unsigned n = 20, out = 0, is_enabled = 0, forty = 40;
    int called = 0;
    size_t many = 4;
    CUgraph graph = make_graph(&n, &out, &called, nodes);
    n = 0;   // what parameters pointed to is the graph's
    GOOD(cuGraphNodeGetType(nodes[3], &type));
    CHECK(type == CU_GRAPH_NODE_TYPE_HOST);
    GOOD(cuGraphNodeGetDependentNodes(nodes[1], NULL, NULL, &many));
    CHECK(many == 2);
    GOOD(cuGraphKernelNodeGetParams(nodes[1], &kernel));
    CHECK(kernel.func == add && *(unsigned *)kernel.kernelParams[1] == 20);
    GOOD(cuGraphInstantiate(&exec, graph, 0));
    GOOD(cuGraphLaunch(exec, stream));
    CHECK(out == 25 && called == 7);
    // Other work for the kernel of the executable graph, and none.
    kernel.kernelParams = (void *[]){&word, &forty};
    GOOD(cuGraphExecKernelNodeSetParams(exec, nodes[1], &kernel));
    GOOD(cuGraphLaunch(exec, stream));
    CHECK(out == 45);
    GOOD(cuGraphNodeSetEnabled(exec, nodes[1], 0));
    GOOD(cuGraphNodeGetEnabled(exec, nodes[1], &is_enabled));
    GOOD(cuGraphLaunch(exec, stream));
    CHECK(out == 5 && !is_enabled);
    GOOD(cuGraphExecDestroy(exec));
    // A copy has nodes of its own; within another graph it is one node.
    GOOD(cuGraphClone(&clone, graph));
    GOOD(cuGraphNodeFindInClone(&found, nodes[1], clone));
    CHECK(found != nodes[1]);
    GOOD(cuGraphCreate(&whole, 0));
    GOOD(cuGraphAddChildGraphNode(&parent, whole, NULL, 0, clone));
    IS(cuGraphAddChildGraphNode(&parent, whole, NULL, 0, whole), CUDA_ERROR_INVALID_VALUE);
    GOOD(cuGraphDestroy(graph));
    GOOD(cuGraphDestroy(clone));
    GOOD(cuGraphInstantiate(&exec, whole, 0));
    out = 0;
    GOOD(cuGraphLaunch(exec, NULL));
    CHECK(out == 25 && called == 28);
    GOOD(cuGraphExecDestroy(exec));
    GOOD(cuGraphDestroy(whole));
}

static void test_circle(void) {
    CUgraph graph;
    CUgraphNode a, b;
    CUgraphExec exec;
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddEmptyNode(&a, graph, NULL, 0));
    GOOD(cuGraphAddEmptyNode(&b, graph, &a, 1));
    IS(cuGraphAddDependencies(graph, &a, &b, NULL, 1), CUDA_ERROR_INVALID_VALUE);   // there already
    GOOD(cuGraphAddDependencies(graph, &b, &a, NULL, 1));
    IS(cuGraphInstantiate(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE);
    GOOD(cuGraphRemoveDependencies(graph, &b, &a, NULL, 1));
    GOOD(cuGraphInstantiate(&exec, graph, 0));
    GOOD(cuGraphDestroyNode(b));
    IS(cuGraphDestroyNode(b), CUDA_ERROR_INVALID_VALUE);
    GOOD(cuGraphExecDestroy(exec));
    GOOD(cuGraphDestroy(graph));
}

static void test_update(void) {
    CUgraphNode nodes[4];
    CUgraphExec exec;
    CUgraphExecUpdateResultInfo info;
    unsigned n = 20, out = 0;
    int called = 0;
    CUgraph graph = make_graph(&n, &out, &called, nodes);
    GOOD(cuGraphInstantiate(&exec, graph, 0));
    GOOD(cuGraphDestroy(graph));
    n = 300;
    graph = make_graph(&n, &out, &called, nodes);
    GOOD(cuGraphExecUpdate(exec, graph, &info));
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    GOOD(cuGraphLaunch(exec, stream));
    CHECK(out == 305);
    GOOD(cuGraphDestroyNode(nodes[3]));
    IS(cuGraphExecUpdate(exec, graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    GOOD(cuGraphDestroy(graph));
    GOOD(cuGraphExecDestroy(exec));
}

// ---- memory, conditions ----

static void test_memory(void) {
    CUgraph graph;
    CUgraphNode nodes[3];
    CUgraphExec exec;
    cuuint64_t used = 1;
    unsigned got = 0;
    CUDA_MEM_ALLOC_NODE_PARAMS alloc = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
                                        .bytesize = 1 << 20};
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &alloc));
    CHECK(alloc.dptr);
    const CUDA_MEMSET_NODE_PARAMS nine = {.dst = alloc.dptr, .value = 9, .elementSize = 4, .width = 8, .height = 1};
    GOOD(cuGraphAddMemsetNode(&nodes[1], graph, &nodes[0], 1, &nine, context));
    GOOD(cuGraphInstantiate(&exec, graph, 0));
    GOOD(cuGraphLaunch(exec, stream));
    GOOD(cuMemcpyDtoH(&got, alloc.dptr + 28, 4));
    GOOD(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    CHECK(got == 9 && used == 32 << 20);
    IS(cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_VALUE);   // what it has given out has not been freed
    GOOD(cuMemFreeAsync(alloc.dptr, stream));
    GOOD(cuGraphLaunch(exec, stream));
    GOOD(cuMemFree(alloc.dptr));
    GOOD(cuGraphExecDestroy(exec));
    GOOD(cuGraphDestroy(graph));
    // By capture: allocations and frees in stream order are nodes.
    CUdeviceptr p;
    GOOD(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    GOOD(cuMemAllocAsync(&p, 64, stream));
    GOOD(cuMemsetD32Async(p, 3, 16, stream));
    GOOD(cuMemFreeAsync(p, stream));
    GOOD(cuStreamEndCapture(stream, &graph));
    GOOD(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++) GOOD(cuGraphLaunch(exec, stream));
    GOOD(cuGraphExecDestroy(exec));
    GOOD(cuGraphDestroy(graph));
    GOOD(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used == 0);
}

// Graphs with memory are instantiated once at a time; what was made of another graph, which has gone and left its
// address to this one, is no matter.
static void test_memory_once(void) {
    CUDA_MEM_ALLOC_NODE_PARAMS alloc = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
                                        .bytesize = 64};
    CUgraph gone, graph;
    CUgraphNode node;
    CUgraphExec of_gone, exec, again;
    for (int i = 0; i < 40; i++) {
        GOOD(cuGraphCreate(&gone, 0));
        GOOD(cuGraphInstantiate(&of_gone, gone, 0));
        GOOD(cuGraphDestroy(gone));
        GOOD(cuGraphCreate(&graph, 0));
        GOOD(cuGraphAddMemAllocNode(&node, graph, NULL, 0, &alloc));
        GOOD(cuGraphInstantiate(&exec, graph, 0));
        GOOD(cuGraphExecDestroy(of_gone));
        IS(cuGraphInstantiate(&again, graph, 0), CUDA_ERROR_NOT_SUPPORTED);
        GOOD(cuGraphExecDestroy(exec));
        GOOD(cuGraphInstantiate(&exec, graph, 0));
        GOOD(cuGraphDestroy(graph));
        GOOD(cuGraphExecDestroy(exec));
    }
}

// while (condition) count(word), and behind it, if (condition) never.
static void test_conditions(void) {
    CUgraph graph;
    CUgraphConditionalHandle handle, never;
    CUgraphNode loop, node;
    CUgraphExec exec;
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphConditionalHandleCreate(&handle, graph, NULL, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    GOOD(cuGraphConditionalHandleCreate(&never, graph, NULL, 0, CU_GRAPH_COND_ASSIGN_DEFAULT));
    CUgraphNodeParams condition = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
                                   .conditional = {.handle = handle, .type = CU_GRAPH_COND_TYPE_WHILE, .size = 1}};
    GOOD(cuGraphAddNode(&loop, graph, NULL, NULL, 0, &condition));
    void *params[] = {&word, &handle};
    CUDA_KERNEL_NODE_PARAMS kernel = adding(params);
    kernel.func = count;
    GOOD(cuGraphAddKernelNode(&node, condition.conditional.phGraph_out[0], NULL, 0, &kernel));
    IS(cuGraphDestroy(condition.conditional.phGraph_out[0]), CUDA_ERROR_INVALID_VALUE);
    condition.conditional.handle = never;
    condition.conditional.type = CU_GRAPH_COND_TYPE_IF;
    GOOD(cuGraphAddNode(&node, graph, &loop, NULL, 1, &condition));
    GOOD(cuGraphAddKernelNode(&node, condition.conditional.phGraph_out[0], NULL, 0, &kernel));
    condition.conditional.size = 3;
    IS(cuGraphAddNode(&node, graph, NULL, NULL, 0, &condition), CUDA_ERROR_INVALID_VALUE);
    GOOD(cuGraphInstantiate(&exec, graph, 0));
    for (unsigned i = 1; i < 6; i += 2) {
        set(i);
        GOOD(cuGraphLaunch(exec, stream));
        CHECK(get() == 0);
    }
    GOOD(cuGraphExecDestroy(exec));
    GOOD(cuGraphDestroy(graph));
}

static void forget(void *user) { ++*(int *)user; }

static void test_user_objects(void) {
    CUgraph graph;
    CUgraphExec exec;
    CUuserObject object;
    int forgotten = 0;
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuUserObjectCreate(&object, &forgotten, forget, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    GOOD(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    GOOD(cuGraphInstantiate(&exec, graph, 0));
    GOOD(cuGraphDestroy(graph));
    CHECK(!forgotten);
    GOOD(cuGraphExecDestroy(exec));
    CHECK(forgotten == 1);
}

int main(void) {
    set_up();
    test_capture();
    test_capture_in_vain();
    test_by_hand();
    test_circle();
    test_update();
    test_memory();
    test_memory_once();
    test_conditions();
    test_user_objects();
    printf("%d failures\n", failures);
    return failures != 0;
}
