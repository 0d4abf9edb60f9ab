// Kernels that wait for kernels that they have launched (CUDA 11: nvcc -DCUDA_FORCE_CDP1_IF_SUPPORTED, before 9.0). As
// in children.cu: with Ordered a case has no hazard, without it has a race between the lines that end with its name.
#include <cstdio>
#include <cstring>

__global__ void put(int *out) { out[threadIdx.x] = threadIdx.x; }                  // wait_put
__global__ void take(int *out, int *to) { to[threadIdx.x] = out[threadIdx.x]; }    // wait_take
__global__ void idle() {}

template <bool Ordered>
__global__ void wait_missing(int *out) {
    put<<<1, 32>>>(out);
    if (Ordered) cudaDeviceSynchronize();
    int sum = 0;
    for (int i = 0; i < 32; i++) sum += out[i];     // wait_missing
    out[64] = sum;
    if (!Ordered) cudaDeviceSynchronize();
}

// Who waits has the order, and others of the block behind a barrier.
template <bool Ordered>
__global__ void wait_barrier(int *out) {
    if (threadIdx.x == 0) {
        put<<<1, 64>>>(out);
        cudaDeviceSynchronize();
    }
    if (Ordered) __syncthreads();
    out[64 + threadIdx.x] = out[threadIdx.x];       // wait_barrier
}

// Of its own block's threads it waits for all launches, not only its own; so may those that wait as well.
template <bool Ordered>
__global__ void wait_own(int *out) {
    if (threadIdx.x == 0) put<<<1, 64>>>(out);
    __syncthreads();
    if (threadIdx.x == 0 || Ordered) cudaDeviceSynchronize();
    out[64 + threadIdx.x] = out[threadIdx.x];       // wait_own
}

template <bool Ordered>
__global__ void wait_syncwarp(int *out) {
    if (threadIdx.x == 5) {
        put<<<1, 32>>>(out);
        cudaDeviceSynchronize();
    }
    if (Ordered) __syncwarp();
    if (threadIdx.x == 0) out[0] = 7;               // wait_syncwarp
}

// What was launched before the wait, and not what is launched behind it.
template <bool Ordered>
__global__ void wait_late(int *out) {
    if (Ordered) put<<<1, 32>>>(out);
    else idle<<<1, 1>>>();
    cudaDeviceSynchronize();
    if (!Ordered) put<<<1, 32>>>(out);
    out[64] = out[3];                               // wait_late
}

// Another block waits for its own launches alone.
template <bool Ordered>
__global__ void wait_block(int *out) {
    if (blockIdx.x == 0) {
        put<<<1, 32>>>(out);
        cudaDeviceSynchronize();
        if (Ordered) __threadfence();
        atomicExch(out + 100, 1);
    } else {
        while (!atomicAdd(out + 100, 0)) {}
        if (Ordered) __threadfence();
        idle<<<1, 1>>>();
        cudaDeviceSynchronize();
        out[64] = out[3];                           // wait_block
    }
}

// What others have launched whom it has not met, may be launched behind its wait.
template <bool Ordered>
__global__ void wait_unmet(int *out) {
    if (threadIdx.x == 0) {
        put<<<1, 32>>>(out);
        if (Ordered) __threadfence();
        atomicExch(out + 100, 1);
    } else if (threadIdx.x == 32) {
        while (!atomicAdd(out + 100, 0)) {}
        if (Ordered) __threadfence();
        cudaDeviceSynchronize();
        out[64] = out[3];                           // wait_unmet
    }
}

// A launch comes after what its thread has waited for.
template <bool Ordered>
__global__ void wait_streams(int *out, int value) { *out = value; }                // wait_streams
template <bool Ordered>
__global__ void wait_streams(int *out) {
    cudaStream_t other;
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    wait_streams<Ordered><<<1, 1>>>(out, 1);
    if (Ordered) cudaDeviceSynchronize();
    wait_streams<Ordered><<<1, 1, 0, other>>>(out, 2);
    cudaDeviceSynchronize();
    cudaStreamDestroy(other);
}

template <bool Ordered>
__global__ void wait_parent(int *out) {
    if (threadIdx.x == 1) out[0] = 1;               // wait_parent
    if (Ordered) __syncwarp();
    if (threadIdx.x == 0) {
        take<<<1, 32>>>(out, out + 64);
        cudaDeviceSynchronize();
    }
}

// Whoever waits, waits for all that comes of it.
template <bool Ordered>
__global__ void puts(int *out) {
    put<<<1, 32>>>(out);
    if (Ordered) cudaDeviceSynchronize();
    if (Ordered) out[1] = out[0];
}
template <bool Ordered>
__global__ void wait_grandchild(int *out) {
    puts<Ordered><<<1, 1>>>(out);
    if (Ordered) cudaDeviceSynchronize();
    out[64] = out[2];                               // wait_grandchild
    cudaDeviceSynchronize();
}

// Two blocks of two axes and a half warp, each with launches that it waits for, in a stream of its own, and others.
template <bool Ordered>
__global__ void wait_stream(int *out) {
    int *own = out + 128 * blockIdx.x;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (thread == 72) {
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        puts<false><<<1, 1, 0, stream>>>(own);
        cudaDeviceSynchronize();
        take<<<1, 32, 0, stream>>>(own, own + 64);
        atomicExch(own + 127, 1);
    }
    while (thread < 32 && !atomicAdd(own + 127, 0)) {}
    if (Ordered) __syncthreads();
    if (thread < 32) own[32 + thread] = own[thread];    // wait_stream
}

// The kernel that waits is itself a child: what its own children know, it does not know for that.
template <bool Ordered>
__global__ void wait_inner(int *out) {
    if (threadIdx.x == 0) {
        put<<<1, 32>>>(out);
        cudaDeviceSynchronize();
        idle<<<1, 1>>>();
        cudaDeviceSynchronize();
        for (int i = 0; i < 100; i++) idle<<<1, 1>>>();
    }
    if (Ordered) __syncwarp();
    if (threadIdx.x == 1) out[64] = out[3];         // wait_inner
}
template <bool Ordered>
__global__ void launches_inner(int *out) {
    wait_inner<Ordered><<<1, 32>>>(out);
}
__global__ void set(int *out) {
    out[1] = 1;                                     // wait_set
    idle<<<1, 1>>>();
}
template <bool Ordered>
__global__ void wait_launcher(int *out) {
    if (threadIdx.x == 0) {
        set<<<1, 1>>>(out);
        cudaDeviceSynchronize();
    }
    if (Ordered) __syncwarp();
    if (threadIdx.x == 1) out[64] = out[1];         // wait_launcher
}
template <bool Ordered>
__global__ void launches_launcher(int *out) {
    wait_launcher<Ordered><<<1, 32>>>(out);
}

// Of two blocks one waits: the events of the other stand between its launches as ever, which are made later, and those
// of the one between its own, whatever the other has done with events before.
template <bool Ordered>
__global__ void wait_event(int *out, int value) { *out = value; }                  // wait_event
template <bool Ordered>
__device__ void launch_by_event(int *out) {
    cudaStream_t a, b;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    wait_event<Ordered><<<1, 1, 0, a>>>(out, 1);
    cudaEventRecord(event, a);
    if (Ordered) cudaStreamWaitEvent(b, event, 0);
    wait_event<Ordered><<<1, 1, 0, b>>>(out, 2);
}
template <bool Ordered>
__global__ void waits_by_events(int *out, unsigned waiting) {
    if (blockIdx.x == waiting) {
        while (!atomicAdd(out + 100, 0)) {}
        idle<<<1, 1>>>();
        cudaDeviceSynchronize();
    }
    launch_by_event<Ordered>(out + blockIdx.x);
    if (blockIdx.x == waiting) cudaDeviceSynchronize();
    __threadfence();
    atomicExch(out + 100, 1);
}

// ---- order that is there in either version ----

// Sums of halves lie behind their sum: one word less than two for each number.
__global__ void halves(int *from, int n, int *to) {
    __shared__ int sums[2];
    __shared__ int turned[64];
    turned[threadIdx.x] = threadIdx.x;
    if (n == 1) {
        if (threadIdx.x == 0) *to = *from;
        return;
    }
    if (threadIdx.x < 2) {
        halves<<<1, 64>>>(from + threadIdx.x * n / 2, n / 2, to + 1 + threadIdx.x * (n - 1));
        cudaDeviceSynchronize();
        sums[threadIdx.x] = to[1 + threadIdx.x * (n - 1)];
    }
    __syncthreads();
    if (threadIdx.x == 0) *to = sums[0] + sums[1] + turned[63] - 63;
}

static int *out;
template <void (*Kernel)(int *)>
static void run(int blocks, int threads) {
    cudaMemset(out, 0, 512 * sizeof(int));
    Kernel<<<blocks, threads>>>(out);
}

template <bool Ordered>
static void run_all() {
    run<wait_missing<Ordered>>(1, 1);
    run<wait_barrier<Ordered>>(1, 64);
    run<wait_own<Ordered>>(1, 64);
    run<wait_syncwarp<Ordered>>(1, 32);
    run<wait_late<Ordered>>(1, 1);
    run<wait_block<Ordered>>(2, 1);
    run<wait_unmet<Ordered>>(1, 64);
    run<wait_streams<Ordered>>(1, 1);
    run<wait_parent<Ordered>>(1, 32);
    run<wait_grandchild<Ordered>>(1, 1);
    cudaMemset(out, 0, 512 * sizeof(int));
    wait_stream<Ordered><<<2, dim3(8, 10)>>>(out);
    run<launches_inner<Ordered>>(1, 1);
    run<launches_launcher<Ordered>>(1, 1);
    for (unsigned waiting = 0; waiting < 2; waiting++) {
        cudaMemset(out, 0, 512 * sizeof(int));
        waits_by_events<Ordered><<<2, 1>>>(out, waiting);
    }
    cudaMemset(out, 1, 8 * sizeof(int));
    halves<<<1, 64>>>(out, 8, out + 128);
}

int main(int argc, char **argv) {
    cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4);
    cudaMalloc(&out, 512 * sizeof(int));
    if (argc > 1 && strcmp(argv[1], "racy") == 0) run_all<false>();
    else run_all<true>();
    int sum = 0;
    cudaMemcpy(&sum, out + 128, sizeof sum, cudaMemcpyDeviceToHost);
    printf(cudaDeviceSynchronize() || sum != 8 * 0x1010101 ? "failed\n" : "done\n");
    cudaFree(out);
}
