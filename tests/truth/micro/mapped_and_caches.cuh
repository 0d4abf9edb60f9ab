// Kernels whose time counts: on mapped memory, and on what caches hold.
template <class F> static void timed(const char *label, double amount, const char *unit, F f, int times = 5) {
    cudaEvent_t a, b;
    float ms;
    M(cudaEventCreate(&a));
    M(cudaEventCreate(&b));
    std::vector<double> v;
    f();
    M(cudaDeviceSynchronize());
    for (int i = 0; i < times; i++) {
        M(cudaEventRecord(a));
        f();
        M(cudaEventRecord(b));
        M(cudaEventSynchronize(b));
        M(cudaEventElapsedTime(&ms, a, b));
        v.push_back(ms * 1e3);
    }
    printf("time,%s,us,%.3f,%s,%.0f,per_ns,%.4f\n", label, median(v), unit, amount, amount / (median(v) * 1e3));
    M(cudaGetLastError());
    cudaEventDestroy(a);
    cudaEventDestroy(b);
    fflush(stdout);
}

__global__ void read_words(const float *in, float *out, size_t n, int stride) {
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        s += in[i * stride];
    if (s == -1.5f) *out = s;
}
__global__ void read_vectors(const float4 *in, float *out, size_t n) {
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float4 v = in[i];
        s += v.x + v.y + v.z + v.w;
    }
    if (s == -1.5f) *out = s;
}
__global__ void write_words(float *o, size_t n, int stride) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        o[i * stride] = i;
}
__global__ void copy_words(const float *in, float *o, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        o[i] = in[i];
}

static void zero_copy() {
    const size_t bytes = 64 << 20;
    float *h, *d, *o;
    char label[100];
    M(cudaHostAlloc(&h, bytes, cudaHostAllocMapped));
    memset(h, 0, bytes);
    M(cudaHostGetDevicePointer(&d, h, 0));
    M(cudaMalloc(&o, bytes));
    for (size_t n : {(size_t)1 << 10, (size_t)1 << 16, (size_t)1 << 20, (size_t)4 << 20, bytes / 4}) {
        snprintf(label, sizeof label, "mapped_read_words_%zu", n);
        timed(
            label, n * 4, "bytes", [&] { read_words<<<std::min<size_t>(132 * 8, (n + 255) / 256), 256>>>(d, o, n, 1); },
            3);
        snprintf(label, sizeof label, "mapped_read_vectors_%zu", n);
        timed(
            label, n * 4, "bytes",
            [&] { read_vectors<<<std::min<size_t>(132 * 8, (n / 4 + 255) / 256), 256>>>((float4 *)d, o, n / 4); }, 3);
        snprintf(label, sizeof label, "mapped_write_words_%zu", n);
        timed(
            label, n * 4, "bytes", [&] { write_words<<<std::min<size_t>(132 * 8, (n + 255) / 256), 256>>>(d, n, 1); },
            3);
        snprintf(label, sizeof label, "mapped_to_device_copy_%zu", n);
        timed(
            label, n * 4, "bytes", [&] { copy_words<<<std::min<size_t>(132 * 8, (n + 255) / 256), 256>>>(d, o, n); },
            3);
        snprintf(label, sizeof label, "device_to_mapped_copy_%zu", n);
        timed(
            label, n * 4, "bytes", [&] { copy_words<<<std::min<size_t>(132 * 8, (n + 255) / 256), 256>>>(o, d, n); },
            3);
    }
    for (int stride : {1, 2, 4, 8, 16, 32}) {
        size_t n = (8 << 20) / 4 / stride * (stride > 1 ? 1 : 1);
        snprintf(label, sizeof label, "mapped_read_stride_%d", stride);
        timed(
            label, n, "words", [&] { read_words<<<132 * 8, 256>>>(d, o, n, stride); }, 3);
        snprintf(label, sizeof label, "mapped_write_stride_%d", stride);
        timed(
            label, n, "words", [&] { write_words<<<132 * 8, 256>>>(d, n, stride); }, 3);
    }
    timed(
        "mapped_read_one_warp", 32 * 4 * 64, "bytes", [&] { read_words<<<1, 32>>>(d, o, 32 * 64, 1); }, 3);
    cudaFreeHost(h);
    cudaFree(o);
}

// What a second reading of n bytes costs, by all multiprocessors: the second-level cache's size and rate; and of the
// first level's
__global__ void reread(const float4 *in, float *out, size_t n, int rounds) {
    float s = 0;
    for (int r = 0; r < rounds; r++)
        for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
            float4 v = __ldcg(in + i);
            s += v.x + v.y + v.z + v.w;
        }
    if (s == -1.5f) *out = s;
}
__global__ void reread_own(const float *in, float *out, int n, int rounds) {
    float s = 0;
    const float *mine = in + (size_t)blockIdx.x * n;
    for (int r = 0; r < rounds; r++)
        for (int i = threadIdx.x; i < n; i += blockDim.x) s += mine[i];
    if (s == -1.5f) *out = s;
}
__global__ void chase(const int *next, int *out, int steps) {
    int p = 0;
    for (int i = 0; i < steps; i++) p = next[p];
    *out = p;
}
static void caches() {
    float *d, *o;
    char label[100];
    M(cudaMalloc(&d, (size_t)512 << 20));
    M(cudaMalloc(&o, 1 << 20));
    M(cudaMemset(d, 0, (size_t)512 << 20));
    for (int mb : {1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128, 256, 512}) {
        size_t n = (size_t)mb << 16;
        snprintf(label, sizeof label, "reread_%d_MB_4_times", mb);
        timed(
            label, (double)n * 16 * 4, "bytes", [&] { reread<<<132 * 4, 512>>>((float4 *)d, o, n, 4); }, 3);
    }
    for (int kb : {8, 32, 64, 128, 192, 224, 256, 320, 512}) {
        int n = kb * 256;
        snprintf(label, sizeof label, "reread_own_%d_KB_8_times", kb);
        timed(
            label, (double)n * 4 * 8 * 132, "bytes", [&] { reread_own<<<132, 1024>>>(d, o, n, 8); }, 3);
    }
    for (int mb : {1, 8, 64, 512}) {
        size_t n = (size_t)mb << 16;
        snprintf(label, sizeof label, "read_once_%d_MB", mb);
        timed(
            label, (double)n * 16, "bytes", [&] { reread<<<132 * 4, 512>>>((float4 *)d, o, n, 1); }, 3);
        snprintf(label, sizeof label, "write_once_%d_MB", mb);
        timed(
            label, (double)n * 16, "bytes", [&] { write_words<<<132 * 8, 512>>>(d, n * 4, 1); }, 3);
        snprintf(label, sizeof label, "copy_once_%d_MB", mb);
        timed(
            label, (double)n * 16, "bytes", [&] { copy_words<<<132 * 16, 512>>>(d, d + n * 2, n * 2); }, 3);
    }
    for (int kb : {16, 128, 4096, 16384, 131072}) {
        size_t n = kb * 256;
        std::vector<int> next(n, 0);
        size_t step = 32 * 37;
        size_t p = 0; /* lines apart, a permutation of lines */
        size_t lines = n / 32;
        if (lines % 37 == 0) step = 32 * 41;
        for (size_t i = 0; i < lines; i++) {
            size_t q = (p + step) % n;
            next[p] = (int)q;
            p = q;
        }
        M(cudaMemcpy(d, next.data(), n * 4, cudaMemcpyHostToDevice));
        int steps = 4096;
        snprintf(label, sizeof label, "chase_%d_KB", kb);
        timed(
            label, steps, "loads", [&] { chase<<<1, 1>>>((int *)d, (int *)o, steps); }, 3);
    }
    cudaFree(d);
    cudaFree(o);
}
