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

#include "driver_answers/capture.h"
#include "driver_answers/graphs.h"
#include "driver_answers/virtual_memory.h"
#include "driver_answers/pools.h"
#include "driver_answers/between_processes.h"

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
