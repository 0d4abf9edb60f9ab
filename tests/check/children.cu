// Kernels that kernels launch. With Ordered a case has no hazard, without it has a race between its lines that end with
// its name, and those of what it launches.
#include <cstdio>
#include <cstring>

__global__ void idle() {}

// ---- a kernel and one that it has launched ----

__global__ void take(int *out, int *to) { to[threadIdx.x] = out[threadIdx.x]; }    // child_take
__global__ void clear(int *out) { out[threadIdx.x] = 0; }    // child_clear

template <bool Ordered>
__global__ void after_launch(int *out) {
    if (Ordered) out[0] = 1;
    take<<<1, 1>>>(out, out + 64);
    if (!Ordered) out[0] = 1;                       // after_launch
}

template <bool Ordered>
__global__ void no_meeting(int *out) {
    out[threadIdx.x] = 1;                           // no_meeting
    if (Ordered) __syncthreads();
    if (threadIdx.x == 0) take<<<1, 64>>>(out, out + 64);
}

template <bool Ordered>
__global__ void other_lane(int *out) {
    if (threadIdx.x == 3) out[1] = out[0];          // other_lane
    if (Ordered) __syncwarp();
    if (threadIdx.x == 1) clear<<<1, 1>>>(out);
}

template <bool Ordered>
__global__ void other_block(int *out) {
    out[blockIdx.x] = 1;                            // other_block
    if (blockIdx.x == 0) {
        if (Ordered) take<<<1, 2, 0, cudaStreamTailLaunch>>>(out, out + 64);
        else take<<<1, 2>>>(out, out + 64);
    }
}

template <bool Ordered>
__global__ void read_after(int *out) {
    if (Ordered) out[64] = out[0];
    clear<<<1, 1>>>(out);
    if (!Ordered) out[64] = out[0];                 // read_after
}

template <bool Ordered>
__global__ void launches_clear(int *out) {
    clear<<<1, 1>>>(out);
}
template <bool Ordered>
__global__ void grandchild(int *out) {
    if (Ordered) out[0] = 1;
    launches_clear<Ordered><<<1, 1>>>(out);
    if (!Ordered) out[0] = 1;                       // grandchild
}

// ---- launches within a kernel ----

// Each launches the same twice, which has one line.

template <bool Ordered>
__global__ void other_stream(int *out, int value) { *out = value; }                // other_stream
template <bool Ordered>
__global__ void other_stream(int *out) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    other_stream<Ordered><<<1, 1, 0, stream>>>(out, 1);
    if (Ordered) other_stream<Ordered><<<1, 1, 0, stream>>>(out, 2);
    else other_stream<Ordered><<<1, 1>>>(out, 2);
    cudaStreamDestroy(stream);
}

template <bool Ordered>
__global__ void fire_and_forget(int *out, int value) { *out = value; }             // fire_and_forget
template <bool Ordered>
__global__ void fire_and_forget(int *out) {
    if (Ordered) fire_and_forget<Ordered><<<1, 1>>>(out, 1);
    else fire_and_forget<Ordered><<<1, 1, 0, cudaStreamFireAndForget>>>(out, 1);
    fire_and_forget<Ordered><<<1, 1>>>(out, 2);
}

template <bool Ordered>
__global__ void blocks_streams(int *out, int value) { *out = value; }              // blocks_streams
template <bool Ordered>
__global__ void blocks_streams(int *out) {
    blocks_streams<Ordered><<<1, 1>>>(out + (Ordered ? blockIdx.x : 0), 1);
}

template <bool Ordered>
__global__ void event(int *out, int value) { *out = value; }                       // event
template <bool Ordered>
__global__ void event(int *out) {
    cudaStream_t one, other;
    cudaEvent_t written;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&written, cudaEventDisableTiming);
    event<Ordered><<<1, 1, 0, one>>>(out, 1);
    cudaEventRecord(written, one);
    if (Ordered) cudaStreamWaitEvent(other, written, 0);
    event<Ordered><<<1, 1, 0, other>>>(out, 2);
}

template <bool Ordered>
__global__ void streams_threads(int *out, int value) { *out = value; }             // streams_threads
template <bool Ordered>
__global__ void streams_threads(int *out) {
    streams_threads<Ordered><<<1, 1, 0, cudaStreamPerThread>>>(out + (Ordered ? threadIdx.x : 0), 1);
    if (Ordered) streams_threads<Ordered><<<1, 1, 0, cudaStreamPerThread>>>(out + threadIdx.x, 2);
}

template <bool Ordered>
__global__ void cousins(int *out, int value, int) { *out = value; }                // cousins
template <bool Ordered>
__global__ void cousins(int *out, int value) {
    cousins<Ordered><<<1, 1>>>(out, value, 0);
}
template <bool Ordered>
__global__ void cousins(int *out) {
    cousins<Ordered><<<1, 1>>>(out, 1);
    if (Ordered || threadIdx.x) cousins<Ordered><<<1, 1, 0, Ordered ? 0 : cudaStreamFireAndForget>>>(out, 2);
}

// ---- order that is there in either version ----

__global__ void set(int *out, int value) { out[threadIdx.x] = value; }

__global__ void counts(int *out) { atomicAdd(out, 1); }

// One stream by threads of a block, and tails one after the other.
__global__ void in_order(int *out) {
    __shared__ int before;
    if (threadIdx.x == 33) {
        set<<<1, 32>>>(out, 2);
        before = out[200];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        clear<<<1, 32>>>(out);
        idle<<<1, 1, 0, cudaStreamTailLaunch>>>();
        set<<<1, 32, 0, cudaStreamTailLaunch>>>(out, before);
        clear<<<1, 32, 0, cudaStreamTailLaunch>>>(out);
    }
    atomicAdd(out + 100, 1);
    counts<<<1, 1, 0, cudaStreamFireAndForget>>>(out + 100);
}

__global__ void by_flag(int *out) {
    if (blockIdx.x == 1) {
        out[0] = 5;
        __threadfence();
        atomicExch(out + 50, 1);
    } else {
        while (atomicAdd(out + 50, 0) == 0) {}
        __threadfence();
        take<<<1, 1>>>(out, out + 64);
    }
}

// A stream that a kernel has made is one for all of its blocks.
__device__ cudaStream_t shared_stream;
template <int First>
__global__ void one_stream(int *out) {
    if (blockIdx.x == First) {
        cudaStreamCreateWithFlags(&shared_stream, cudaStreamNonBlocking);
        set<<<1, 1, 0, shared_stream>>>(out, 1);
        __threadfence();
        atomicExch(out + 50, 1);
    } else {
        while (atomicAdd(out + 50, 0) == 0) {}
        __threadfence();
        set<<<1, 1, 0, shared_stream>>>(out, 2);
    }
}

// A stream that waits for an event of a later block.
__device__ cudaEvent_t later_event;
template <bool Ordered>
__global__ void later_block(int *out, int value) { *out = value; }                 // later_block
template <bool Ordered>
__global__ void later_block(int *out) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (blockIdx.x == 1) {
        cudaEventCreateWithFlags(&later_event, cudaEventDisableTiming);
        later_block<Ordered><<<1, 1, 0, stream>>>(out, 1);
        cudaEventRecord(later_event, stream);
        __threadfence();
        atomicExch(out + 50, 1);
    } else {
        while (atomicAdd(out + 50, 0) == 0) {}
        __threadfence();
        if (Ordered) cudaStreamWaitEvent(stream, later_event, 0);
        later_block<Ordered><<<1, 1, 0, stream>>>(out, 2);
    }
}

static int *out;
template <void (*Kernel)(int *)>
static int run(int blocks, int threads) {
    cudaMemset(out, 0, 256 * sizeof(int));
    cudaDeviceSynchronize();
    Kernel<<<blocks, threads>>>(out);
    int first;
    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
    cudaMemset(out, 0, 256 * sizeof(int));
    return first;
}

template <bool Ordered>
static void run_all() {
    run<after_launch<Ordered>>(1, 1);
    run<no_meeting<Ordered>>(1, 64);
    run<other_lane<Ordered>>(1, 32);
    run<other_block<Ordered>>(2, 1);
    run<read_after<Ordered>>(1, 1);
    run<grandchild<Ordered>>(1, 1);
    run<other_stream<Ordered>>(1, 1);
    run<fire_and_forget<Ordered>>(1, 1);
    run<blocks_streams<Ordered>>(2, 1);
    run<cousins<Ordered>>(1, 2);
    run<event<Ordered>>(1, 1);
    run<streams_threads<Ordered>>(1, 2);
    if (run<later_block<Ordered>>(2, 1) != 2 && Ordered) printf("the second came first\n");
    run<in_order>(1, 64);
    run<by_flag>(2, 1);
    if (run<one_stream<0>>(2, 1) != 2 || run<one_stream<1>>(2, 1) != 2) printf("the second came first\n");
}

int main(int argc, char **argv) {
    cudaMalloc(&out, 256 * sizeof(int));
    if (argc > 1 && strcmp(argv[1], "racy") == 0) run_all<false>();
    else run_all<true>();
    printf(cudaDeviceSynchronize() ? "failed\n" : "done\n");
    cudaFree(out);
}
