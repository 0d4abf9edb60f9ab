// Words from anywhere of arrays of 1 MB to 4 GB, columns of a matrix, and what tensor cores take for products, by how
// many warps there are and how many products do not wait for each other.
__global__ void gather_random(const float *a, float *o, unsigned mask, int each) {
    unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345;
    float s = 0;
    for (int i = 0; i < each; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        s += a[x & mask];
    }
    o[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void gather_columns(const float *a, float *o, int n, int into) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (into) o[(size_t)x * n + y] = a[(size_t)y * n + x];
    else o[(size_t)y * n + x] = a[(size_t)x * n + y];
}
__global__ void gather_index(const float *a, const int *index, float *o, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = a[index[i]];
}
__global__ void fill_index(int *index, int n, unsigned mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i * 2654435761u + 1;
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    x ^= x >> 16;
    if (i < n) index[i] = x & mask;
}
enum { T_F16, T_TF32, T_F64, T_S8, T_BF16, T_HALF_K };
#define FLOATS(c) "+f"((c)[0]), "+f"((c)[1]), "+f"((c)[2]), "+f"((c)[3])
#define WORDS(a, b) "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1])
#define PRODUCT(shape, types)                                                                                          \
    "mma.sync.aligned." shape ".row.col." types " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
template <int KIND, int CHAINS> __global__ void tensor(float *out, int turns) {
    float c[CHAINS][4] = {};
    double d[CHAINS][2] = {};
    int e[CHAINS][4] = {};
    const unsigned t = threadIdx.x, a[4] = {t, t + 1, t + 2, t + 3}, b[2] = {t + 4, t + 5};
    const double x = t, y = x + 1;
#pragma unroll 1
    for (int i = 0; i < turns; i++)
#pragma unroll
        for (int k = 0; k < CHAINS; k++) {
            if (KIND == T_F16) asm volatile(PRODUCT("m16n8k16", "f32.f16.f16.f32") : FLOATS(c[k]) : WORDS(a, b));
            if (KIND == T_BF16) asm volatile(PRODUCT("m16n8k16", "f32.bf16.bf16.f32") : FLOATS(c[k]) : WORDS(a, b));
            if (KIND == T_TF32) asm volatile(PRODUCT("m16n8k8", "f32.tf32.tf32.f32") : FLOATS(c[k]) : WORDS(a, b));
            if (KIND == T_S8)
                asm volatile(PRODUCT("m16n8k32", "s32.s8.s8.s32")
                             : "+r"(e[k][0]), "+r"(e[k][1]), "+r"(e[k][2]), "+r"(e[k][3])
                             : WORDS(a, b));
            if (KIND == T_HALF_K)
                asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
                             "{%0,%1,%2,%3};"
                             : FLOATS(c[k])
                             : "r"(a[0]), "r"(a[1]), "r"(b[0]));
            if (KIND == T_F64)
                asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                             : "+d"(d[k][0]), "+d"(d[k][1])
                             : "d"(x), "d"(y));
        }
    float s = 0;
    for (int k = 0; k < CHAINS; k++) s += c[k][0] + c[k][3] + d[k][0] + e[k][1];
    if (s == 12345) *out = s;
}
template <int KIND, int CHAINS> static void tensors(const char *name, float *o) {
    char label[100];
    for (int warps : {1, 4, 8, 16}) {
        snprintf(label, sizeof label, "tensor_%s_%d_chains_%d_warps", name, CHAINS, warps);
        timed(label, 4096.0 * CHAINS, "products", [&] { tensor<KIND, CHAINS><<<132, warps * 32>>>(o, 4096); });
    }
}
static void spread() {
    enum { WORDS_READ = 1 << 24 };
    float *big, *o;
    int *index;
    char label[100];
    M(cudaMalloc(&big, 4ull << 30));
    M(cudaMalloc(&o, 1ull << 30));
    M(cudaMalloc(&index, WORDS_READ * sizeof *index));
    M(cudaMemset(big, 0, 4ull << 30));
    for (int mb : {1, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}) {
        const unsigned mask = mb * 262144ull - 1;
        snprintf(label, sizeof label, "gather_random_%d_MB", mb);
        timed(label, WORDS_READ, "words", [&] { gather_random<<<4096, 256>>>(big, o, mask, 16); });
        fill_index<<<WORDS_READ / 256, 256>>>(index, WORDS_READ, mask);
        snprintf(label, sizeof label, "gather_index_%d_MB", mb);
        timed(label, WORDS_READ, "words", [&] { gather_index<<<WORDS_READ / 256, 256>>>(big, index, o, WORDS_READ); });
    }
    for (int n : {1024, 2048, 4096, 8192, 16384, 2080, 8224})
        for (int into : {0, 1}) {
            snprintf(label, sizeof label, "columns_%s_%d", into ? "stored" : "loaded", n);
            timed(label, (double)n * n, "words",
                  [&] { gather_columns<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(big, o, n, into); });
        }
    tensors<T_F16, 1>("f16_k16", o), tensors<T_F16, 4>("f16_k16", o), tensors<T_BF16, 4>("bf16_k16", o);
    tensors<T_HALF_K, 4>("f16_k8", o), tensors<T_TF32, 1>("tf32_k8", o), tensors<T_TF32, 4>("tf32_k8", o);
    tensors<T_F64, 1>("f64_k4", o), tensors<T_F64, 4>("f64_k4", o);
    tensors<T_S8, 1>("s8_k32", o), tensors<T_S8, 4>("s8_k32", o);
}
