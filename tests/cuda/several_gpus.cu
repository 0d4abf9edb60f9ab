// Several GPUs in one process: each its own memory, variables, streams and events; copies between them, peer access.
#include <cstdio>
#include <cstring>
#include <pthread.h>

#define MUST(call)                                                                                      \
    do {                                                                                                \
        const cudaError_t error = (call);                                                               \
        if (error) printf("line %d: %s gives %s\n", __LINE__, #call, cudaGetErrorName(error));          \
    } while (0)

enum { N = 1 << 14, BYTES = N * sizeof(int), MOST = 4 };

__device__ int offset_of_gpu;
__managed__ int counted;

__global__ void add(int *to, const int *from, int by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) to[i] = from[i] + by + offset_of_gpu;
    if (i == 0) atomicAdd_system(&counted, 1);
}

static int n_gpus, *data[MOST], host[N];

static int is_filled(const int *from, int value) {
    MUST(cudaMemcpy(host, from, BYTES, cudaMemcpyDefault));
    for (int i = 0; i < N; i++)
        if (host[i] != value) return 0;
    return 1;
}

static void open_gpus() {
    for (int g = 0; g < n_gpus; g++) {
        int value = 100 * g, current = -1;
        MUST(cudaSetDevice(g));
        MUST(cudaGetDevice(&current));
        MUST(cudaMalloc(&data[g], BYTES));
        MUST(cudaMemset(data[g], 0, BYTES));
        MUST(cudaMemcpyToSymbol(offset_of_gpu, &value, sizeof value));
        if (current != g) printf("current %d, not %d\n", current, g);
    }
    for (int g = 0; g < n_gpus; g++) {
        MUST(cudaSetDevice(g));
        add<<<N / 256, 256>>>(data[g], data[g], 1);
        MUST(cudaGetLastError());
    }
    for (int g = 0; g < n_gpus; g++) {
        MUST(cudaSetDevice(g));
        MUST(cudaDeviceSynchronize());
        printf("gpu %d adds its own: %d\n", g, is_filled(data[g], 1 + 100 * g));
    }
    printf("one managed variable: %d\n", counted == n_gpus);
}

static void test_names() {
    char ids[2][16];
    cudaDeviceProp first, second;
    int device = -1;
    MUST(cudaDeviceGetPCIBusId(ids[0], sizeof ids[0], 0));
    MUST(cudaDeviceGetPCIBusId(ids[1], sizeof ids[1], 1));
    MUST(cudaDeviceGetByPCIBusId(&device, ids[1]));
    MUST(cudaGetDeviceProperties(&first, 0));
    MUST(cudaGetDeviceProperties(&second, 1));
    printf("names: %d %d %d\n", strcmp(ids[0], ids[1]) != 0, device, memcmp(&first.uuid, &second.uuid, 16) != 0);
    printf("no such gpu: %s\n", cudaGetErrorName(cudaSetDevice(n_gpus)));
    (void)cudaGetLastError();
}

static void test_peers() {
    int can = -1, own = -1;
    cudaPointerAttributes what;
    MUST(cudaDeviceCanAccessPeer(&can, 0, 1));
    MUST(cudaDeviceCanAccessPeer(&own, 1, 1));
    printf("peers: %d, of itself: %d\n", can, own);
    MUST(cudaSetDevice(0));
    MUST(cudaPointerGetAttributes(&what, data[1]));
    printf("memory of gpu %d\n", what.device);
    MUST(cudaMemcpyPeer(data[1], 1, data[0], 0, BYTES));
    printf("copied to the other: %d\n", is_filled(data[1], 1));
    MUST(cudaDeviceEnablePeerAccess(1, 0));
    printf("once more: %s\n", cudaGetErrorName(cudaDeviceEnablePeerAccess(1, 0)));
    (void)cudaGetLastError();
    add<<<N / 256, 256>>>(data[1], data[0], 1);
    MUST(cudaDeviceSynchronize());
    printf("written by the other: %d\n", is_filled(data[1], 2));
    MUST(cudaDeviceDisablePeerAccess(1));
    printf("once more: %s\n", cudaGetErrorName(cudaDeviceDisablePeerAccess(1)));
    (void)cudaGetLastError();
}

static void test_streams() {
    cudaStream_t streams[2];
    cudaEvent_t events[2];
    for (int g = 0; g < 2; g++) {
        MUST(cudaSetDevice(g));
        MUST(cudaStreamCreate(&streams[g]));
        MUST(cudaEventCreate(&events[g]));
    }
    MUST(cudaSetDevice(0));
    MUST(cudaMemcpyAsync(data[1], data[0], BYTES, cudaMemcpyDefault, streams[1]));
    MUST(cudaEventRecord(events[1], streams[1]));
    MUST(cudaStreamWaitEvent(streams[0], events[1], 0));
    add<<<N / 256, 256, 0, streams[0]>>>(data[0], data[0], 1);
    MUST(cudaEventRecord(events[0], streams[0]));
    MUST(cudaStreamSynchronize(streams[0]));
    MUST(cudaEventSynchronize(events[1]));
    printf("across: %d %d\n", is_filled(data[1], 1), is_filled(data[0], 2));
    printf("event of another: %s\n", cudaGetErrorName(cudaEventRecord(events[0], streams[1])));
    add<<<1, 32, 0, streams[1]>>>(data[0], data[0], 1);
    printf("stream of another: %s\n", cudaGetErrorName(cudaGetLastError()));
    for (int g = 0; g < 2; g++) {
        MUST(cudaEventDestroy(events[g]));
        MUST(cudaStreamDestroy(streams[g]));
    }
}

// What waits for the other GPU cannot be done before it; what does not goes on beside it.
static void test_times() {
    enum { COPIES = 50 };
    cudaEvent_t begin[2], end[2];
    static int *pinned;
    float ms[3] = {0};
    MUST(cudaHostAlloc(&pinned, COPIES * BYTES, cudaHostAllocPortable));
    for (int g = 0; g < 2; g++) {
        MUST(cudaSetDevice(g));
        MUST(cudaEventCreate(&begin[g]));
        MUST(cudaEventCreate(&end[g]));
    }
    for (int waits = 0; waits < 2; waits++) {
        for (int g = 0; g < 2; g++) {
            MUST(cudaSetDevice(g));
            MUST(cudaDeviceSynchronize());
        }
        for (int g = 0; g < 2; g++) {
            MUST(cudaSetDevice(g));
            MUST(cudaEventRecord(begin[g]));
            if (g && waits) MUST(cudaStreamWaitEvent(0, end[0], 0));
            for (int i = 0; i < COPIES; i++)
                MUST(cudaMemcpyAsync(data[g], pinned + (size_t)i * N, BYTES, cudaMemcpyDefault));
            MUST(cudaEventRecord(end[g]));
        }
        for (int g = 0; g < 2; g++) MUST(cudaEventSynchronize(end[g]));
        MUST(cudaEventElapsedTime(&ms[waits], begin[1], end[1]));
        MUST(cudaEventElapsedTime(&ms[2], begin[0], end[0]));
    }
    printf("beside each other: %d, behind each other: %d\n", ms[0] < 1.2f * ms[2], ms[1] > 1.2f * ms[0]);
    printf("times of two gpus: %s\n", cudaGetErrorName(cudaEventElapsedTime(&ms[0], begin[0], end[1])));
    (void)cudaGetLastError();
    MUST(cudaFreeHost(pinned));
}

// A pool's memory is opened to another GPU by the pool, and not by the GPUs.
static void test_pools() {
    cudaMemPool_t pool;
    cudaStream_t stream;
    int *of_pool;
    cudaMemAccessFlags flags;
    cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtReadWrite};
    MUST(cudaSetDevice(0));
    MUST(cudaStreamCreate(&stream));
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaMallocAsync(&of_pool, BYTES, stream));
    MUST(cudaMemsetAsync(of_pool, 0, BYTES, stream));
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaMemPoolSetAccess(pool, &access, 1));
    MUST(cudaMemPoolGetAccess(&flags, pool, &access.location));
    MUST(cudaSetDevice(1));
    add<<<N / 256, 256>>>(data[1], of_pool, 7);
    MUST(cudaDeviceSynchronize());
    printf("pool: %d %d\n", flags == cudaMemAccessFlagsProtReadWrite, is_filled(data[1], 107));
    MUST(cudaFreeAsync(of_pool, stream));
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaStreamDestroy(stream));
}

static unsigned long long used_of(cudaMemPool_t pool) {
    unsigned long long used = 0;
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    return used;
}

static int gpu_of(const void *p) {
    cudaPointerAttributes attributes;
    MUST(cudaPointerGetAttributes(&attributes, p));
    return attributes.device;
}

// Each pool counts its own, also what it has given to another GPU's stream: a made pool, and the GPUs' first ones.
static void test_accounts() {
    cudaMemPool_t made[2], first[2];
    cudaStream_t stream;
    cudaGraph_t graph;
    int *of_made, *of_first, *of_graph = nullptr;
    for (int g = 0; g < 2; g++) {
        cudaMemPoolProps props = {};
        props.allocType = cudaMemAllocationTypePinned;
        props.location.type = cudaMemLocationTypeDevice;
        props.location.id = g;
        MUST(cudaMemPoolCreate(&made[g], &props));
        MUST(cudaDeviceGetDefaultMemPool(&first[g], g));
    }
    MUST(cudaSetDevice(1));
    MUST(cudaStreamCreate(&stream));
    MUST(cudaMallocFromPoolAsync(&of_made, 1024, made[0], stream));
    MUST(cudaMallocFromPoolAsync(&of_first, 512, first[0], stream));
    printf("accounts: %llu %llu %llu %llu", used_of(made[0]), used_of(first[0]), used_of(made[1]), used_of(first[1]));
    const int were[] = {gpu_of(of_made), gpu_of(of_first)};
    MUST(cudaFreeAsync(of_made, stream));
    MUST(cudaFreeAsync(of_first, stream));
    MUST(cudaStreamSynchronize(stream));
    printf(", then %llu %llu\n", used_of(made[0]), used_of(first[0]));
    // Its memory is its own GPU's, whose stream or graph it may be given out in.
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    MUST(cudaMallocFromPoolAsync(&of_graph, 512, made[0], stream));
    MUST(cudaStreamEndCapture(stream, &graph));
    printf("its own: %d %d %d\n", were[0], were[1], gpu_of(of_graph));
    MUST(cudaGraphDestroy(graph));
    for (int g = 0; g < 2; g++) MUST(cudaMemPoolDestroy(made[g]));
    MUST(cudaStreamDestroy(stream));
}

// A graph has work of both, which one's stream has been given by way of the other's event; any stream launches it.
static cudaGraphExec_t capture(cudaStream_t *streams, cudaEvent_t *events, bool joins) {
    cudaGraph_t graph;
    cudaGraphExec_t made = nullptr;
    MUST(cudaSetDevice(0));
    MUST(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
    add<<<N / 256, 256, 0, streams[0]>>>(data[0], data[0], 1);
    MUST(cudaEventRecord(events[0], streams[0]));
    MUST(cudaSetDevice(1));
    MUST(cudaStreamWaitEvent(streams[1], events[0], 0));
    add<<<N / 256, 256, 0, streams[1]>>>(data[1], data[1], 1);
    MUST(cudaMemcpyAsync(data[1], data[0], BYTES / 2, cudaMemcpyDefault, streams[1]));
    MUST(cudaEventRecord(events[1], streams[1]));
    MUST(cudaSetDevice(0));
    if (joins) MUST(cudaStreamWaitEvent(streams[0], events[1], 0));
    add<<<N / 256, 256, 0, streams[0]>>>(data[0], data[0], 1);
    const cudaError_t ended = cudaStreamEndCapture(streams[0], &graph);
    if (!joins) printf("not joined: %s\n", cudaGetErrorName(ended));
    if (ended) return (void)cudaGetLastError(), made;
    MUST(cudaGraphInstantiate(&made, graph, 0));
    MUST(cudaGraphDestroy(graph));
    return made;
}

static cudaGraphExec_t make_by_hand() {
    cudaGraph_t graph;
    cudaGraphNode_t first = nullptr, node;
    cudaGraphExec_t made = nullptr;
    MUST(cudaGraphCreate(&graph, 0));
    for (int g = 1; g >= 0; g--) {
        int by = 5;
        void *values[] = {&data[g], &data[1], &by};
        const cudaKernelNodeParams kernel = {(void *)add, N / 256, 256, 0, values, nullptr};
        MUST(cudaSetDevice(g));
        MUST(cudaGraphAddKernelNode(&node, graph, &first, first != nullptr, &kernel));
        first = node;
    }
    MUST(cudaGraphInstantiate(&made, graph, 0));
    MUST(cudaGraphDestroy(graph));
    return made;
}

static int last_of(int g) {
    MUST(cudaMemcpy(host, data[g], BYTES, cudaMemcpyDefault));
    return host[N - 1];
}

// An event's node is its event's GPU's, also when that is another one than before.
static cudaError_t record_another(cudaStream_t stream, cudaEvent_t *events) {
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec = nullptr;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, events[0]));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphExecEventRecordNodeSetEvent(exec, node, events[1]));
    MUST(cudaGraphDestroy(graph));
    const cudaError_t launched = cudaGraphLaunch(exec, stream);
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaGraphExecDestroy(exec));
    return launched;
}

static unsigned long long next_stream() {
    cudaStream_t stream;
    unsigned long long id = 0;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamGetId(stream, &id));
    MUST(cudaStreamDestroy(stream));
    return id;
}

static void test_graphs() {
    cudaStream_t streams[2];
    cudaEvent_t events[2];
    for (int g = 0; g < 2; g++) {
        MUST(cudaSetDevice(g));
        MUST(cudaStreamCreate(&streams[g]));
        MUST(cudaEventCreateWithFlags(&events[g], cudaEventDisableTiming));
        MUST(cudaMemset(data[g], 0, BYTES));
    }
    capture(streams, events, false);
    cudaGraphExec_t exec = capture(streams, events, true);
    for (int g = 0; g < 3; g++) {
        MUST(cudaGraphLaunch(exec, streams[g & 1]));
        MUST(cudaStreamSynchronize(streams[g & 1]));
    }
    const int last[] = {last_of(0), last_of(1)};   // the first half is the other's, as it was between its two kernels
    printf("graph of two gpus: %d %d, %d\n", last[0], last[1], host[0]);
    const unsigned long long streams_before = next_stream();
    for (int i = 0; i < 20; i++) MUST(cudaGraphLaunch(exec, streams[1]));
    printf("streams of 20 launches: %d\n", (int)(next_stream() - streams_before) - 1);
    MUST(cudaGraphExecDestroy(exec));
    printf("another's event: %s\n", cudaGetErrorName(record_another(streams[0], events)));
    MUST(cudaMemset(data[0], 0, BYTES));
    MUST(cudaMemset(data[1], 0, BYTES));
    exec = make_by_hand();
    MUST(cudaSetDevice(0));
    MUST(cudaDeviceEnablePeerAccess(1, 0));
    MUST(cudaGraphLaunch(exec, streams[0]));
    MUST(cudaStreamSynchronize(streams[0]));
    printf("by hand: %d %d\n", last_of(0), last_of(1));
    MUST(cudaDeviceDisablePeerAccess(1));
    MUST(cudaGraphExecDestroy(exec));
    for (int g = 0; g < 2; g++) {
        MUST(cudaEventDestroy(events[g]));
        MUST(cudaStreamDestroy(streams[g]));
    }
}

// What one GPU has given out is freed in the other's captured stream: by the graph's launches, and not before.
static void test_frees() {
    cudaStream_t streams[2];
    cudaEvent_t events[2];
    cudaGraph_t graph;
    cudaGraphExec_t exec = nullptr;
    int *of_graph = nullptr, *of_pool = nullptr;
    size_t nodes = 0;
    for (int g = 0; g < 2; g++) {
        MUST(cudaSetDevice(g));
        MUST(cudaStreamCreate(&streams[g]));
        MUST(cudaEventCreateWithFlags(&events[g], cudaEventDisableTiming));
    }
    MUST(cudaMallocAsync(&of_pool, BYTES, streams[1]));
    MUST(cudaStreamSynchronize(streams[1]));
    MUST(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeRelaxed));
    MUST(cudaEventRecord(events[0], streams[0]));
    MUST(cudaStreamWaitEvent(streams[1], events[0], 0));
    MUST(cudaMallocAsync(&of_graph, BYTES, streams[1]));
    MUST(cudaMemsetAsync(of_graph, 0, BYTES, streams[1]));
    MUST(cudaEventRecord(events[1], streams[1]));
    MUST(cudaStreamWaitEvent(streams[0], events[1], 0));
    MUST(cudaFreeAsync(of_graph, streams[0]));
    MUST(cudaStreamEndCapture(streams[0], &graph));
    MUST(cudaGraphGetNodes(graph, nullptr, &nodes));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) MUST(cudaGraphLaunch(exec, streams[0]));
    MUST(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeRelaxed));
    MUST(cudaFreeAsync(of_pool, streams[0]));
    MUST(cudaStreamEndCapture(streams[0], &graph));
    const cudaError_t before = cudaMemset(of_pool, 0, BYTES);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, streams[0]));
    MUST(cudaStreamSynchronize(streams[0]));
    printf("freed by graphs: %d nodes, %s, %s\n", (int)nodes, cudaGetErrorName(before),
           cudaGetErrorName(cudaMemset(of_pool, 0, BYTES)));
    (void)cudaGetLastError();
    for (int g = 0; g < 2; g++) {
        MUST(cudaEventDestroy(events[g]));
        MUST(cudaStreamDestroy(streams[g]));
    }
}

static void *work(void *argument) {
    const int gpu = (int)(size_t)argument;
    int *own, first = -1;
    MUST(cudaGetDevice(&first));
    MUST(cudaSetDevice(gpu));
    MUST(cudaMalloc(&own, BYTES));
    MUST(cudaMemset(own, 0, BYTES));
    for (int i = 0; i < 20; i++) add<<<N / 256, 256>>>(own, own, 1);
    int last = 0;
    MUST(cudaMemcpy(&last, own + N - 1, sizeof last, cudaMemcpyDeviceToHost));
    MUST(cudaFree(own));
    return (void *)(size_t)(first == 0 && last == 20 * (1 + 100 * gpu));
}

static void test_threads() {
    pthread_t threads[MOST];
    int right = 0;
    for (int g = 0; g < n_gpus; g++) pthread_create(&threads[g], NULL, work, (void *)(size_t)g);
    for (int g = 0; g < n_gpus; g++) {
        void *result;
        pthread_join(threads[g], &result);
        right += (int)(size_t)result;
    }
    printf("a thread for each: %d\n", right == n_gpus);
}

// A graph that the other GPU's stream has launched, by an event of that one, goes on behind its reset in a new stream.
static void launch_after_reset() {
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec = nullptr;
    cudaError_t launched[2];
    MUST(cudaSetDevice(0));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphDestroy(graph));
    for (int i = 0; i < 2; i++) {
        cudaStream_t stream;
        MUST(cudaSetDevice(1));
        MUST(cudaStreamCreate(&stream));
        launched[i] = cudaGraphLaunch(exec, stream);
        MUST(cudaStreamSynchronize(stream));
        MUST(cudaDeviceReset());
    }
    MUST(cudaSetDevice(0));
    MUST(cudaGraphExecDestroy(exec));
    printf("graph before a reset: %s, behind it: %s\n", cudaGetErrorName(launched[0]), cudaGetErrorName(launched[1]));
}

// What one GPU has goes with its reset, and what the others have stays.
static void test_reset() {
    cudaMemPool_t first;
    cudaStream_t stream;
    int *of_first;
    MUST(cudaDeviceGetDefaultMemPool(&first, 0));
    MUST(cudaSetDevice(1));
    MUST(cudaStreamCreate(&stream));
    MUST(cudaMallocFromPoolAsync(&of_first, 2048, first, stream));
    MUST(cudaDeviceReset());
    MUST(cudaSetDevice(0));
    printf("of the others: %d, of the one that was reset: %s\n", is_filled(data[0], 0) || host[0] != 0,
           cudaGetErrorName(cudaMemset(data[1], 0, 4)));
    (void)cudaGetLastError();
    const cudaError_t is_there = cudaMemset(of_first, 0, 2048);
    printf("of the other's pool: %llu, %s", used_of(first), cudaGetErrorName(is_there));
    MUST(cudaFree(of_first));
    printf(", then %llu\n", used_of(first));
    const int before = counted;
    add<<<N / 256, 256>>>(data[0], data[0], 0);
    MUST(cudaDeviceSynchronize());
    printf("managed memory of the others: %d\n", counted == before + 1);
    MUST(cudaSetDevice(1));
    MUST(cudaMalloc(&data[1], BYTES));
    MUST(cudaMemset(data[1], 0, BYTES));
    add<<<N / 256, 256>>>(data[1], data[1], 3);    // its variables are as at first
    MUST(cudaDeviceSynchronize());
    printf("and goes on: %d\n", is_filled(data[1], 3) && counted == before + 2);
}

int main() {
    MUST(cudaGetDeviceCount(&n_gpus));
    if (n_gpus < 2 || n_gpus > MOST) return printf("%d GPUs\n", n_gpus) < 0;
    open_gpus();
    test_names();
    test_peers();
    test_streams();
    test_times();
    test_pools();
    test_accounts();
    test_graphs();
    test_frees();
    test_threads();
    test_reset();
    launch_after_reset();
    return 0;
}
