// Kernels that spend their time on one kind of instruction, each checked: halves, conversions, textures, arithmetic
// that needs no memory. numbers NAME [SIDE [LAUNCHES]]; bench/compare.py compares two builds of Halfwarp by them, as
// by kinds.cu.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstring>

#include "common.h"

__constant__ float factors[FACTORS];

// ---- kernels: all take the texture, which one of them reads ---------------------------------------------------------

// Four chains of multiply-adds in pairs, all of which tend to 1/2.
template <class PAIR>
__device__ void chains(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const PAIR half = PAIR(0.5f, 0.5f), quarter = PAIR(0.25f, 0.25f);
    PAIR a = PAIR(in[i], -in[i]), b = __hadd2(a, a), c = __hadd2(a, b), d = __hadd2(a, c);
    for (int k = 0; k < STEPS; k++) {
        a = __hfma2(a, half, quarter);
        b = __hfma2(b, half, quarter);
        c = __hfma2(c, half, quarter);
        d = __hfma2(d, half, quarter);
    }
    PAIR sum = __hadd2(__hadd2(a, b), __hadd2(c, d));
    out[i] = (float)sum.x + (float)sum.y;
}
__global__ void half2_chains(float *out, const float *in, int n, cudaTextureObject_t) {
    chains<__half2>(out, in, n);
}
__global__ void bfloat2_chains(float *out, const float *in, int n, cudaTextureObject_t) {
    chains<__nv_bfloat162>(out, in, n);
}

// To the narrower or the integer type and back, so that each step depends on the one before it.
__device__ __host__ inline float convert_once(float value, int k) {
    value = (float)(int)(value * 1000.0f) * 0.001f + 0.01f;
    value = (float)(unsigned char)(value * 100.0f) * 0.01f + 0.25f;
    value = (float)((double)value * 0.75) + (float)(k & 3);
    return (float)(long long)(value * 65536.0f) * 0x1p-16f * 0.2f;
}
__global__ void conversions(float *out, const float *in, int n, cudaTextureObject_t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? in[i] : 0;
    for (int k = 0; k < STEPS; k++) value = convert_once(value, k);
    if (i < n) out[i] = value;
}
__global__ void half_conversions(float *out, const float *in, int n, cudaTextureObject_t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? in[i] : 0;
    for (int k = 0; k < STEPS; k++) {
        value = __half2float(__float2half(value)) * 0.5f + 0.25f;
        value = __bfloat162float(__float2bfloat16(value)) * 0.5f + 0.125f;
    }
    if (i < n) out[i] = value;
}

__global__ void texture_linear(float *out, const float *, int side, cudaTextureObject_t image) {
    int col = (blockIdx.x * blockDim.x + threadIdx.x) % side, row = (blockIdx.x * blockDim.x + threadIdx.x) / side;
    float sum = 0;
    for (int k = 0; k < TAPS * TAPS; k++)
        sum += tex2D<float>(image, col + 0.25f * (k % TAPS), row + 0.25f * (k / TAPS));
    if (row < side) out[row * side + col] = sum;
}

__device__ __host__ inline float normal_below(float x) { return 0.5f * erfcf(-x * 0.70710678f); }
__device__ __host__ inline float price(float in) {
    float stock = 5 + 25 * in, strike = 1 + 99 * in, years = 0.25f + 9.75f * in, rate = 0.02f, spread = 0.3f;
    float root = sqrtf(years), a = (logf(stock / strike) + (rate + 0.5f * spread * spread) * years) / (spread * root);
    return stock * normal_below(a) - strike * expf(-rate * years) * normal_below(a - spread * root);
}
__global__ void black_scholes(float *out, const float *in, int n, cudaTextureObject_t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = price(in[i]);
}

__device__ __host__ inline unsigned hash_once(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}
__global__ void hash(unsigned *out, const float *in, int n, cudaTextureObject_t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = i < n ? __float_as_uint(in[i]) : 0;
    for (int k = 0; k < STEPS; k++) x = hash_once(x);
    if (i < n) out[i] = x;
}

__global__ void constant(float *out, const float *in, int n, cudaTextureObject_t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i < n ? in[i] : 0, sum = 0;
    for (int k = FACTORS; k--;) sum = sum * x + factors[k];
    if (i < n) out[i] = sum;
}

// ---- what comes out -------------------------------------------------------------------------------------------------

using values = std::vector<float>;

static unsigned bits_of(float value) {
    unsigned same;
    memcpy(&same, &value, sizeof same);
    return same;
}

// Between the centres of the four texels around.
static float between_texels(const values &in, int side, float x, float y) {
    float left = floorf(x - 0.5f), top = floorf(y - 0.5f), right_share = x - 0.5f - left, low_share = y - 0.5f - top;
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        int col = (int)left + (k & 1), row = (int)top + (k >> 1);
        col = col < 0 ? 0 : col < side ? col : side - 1;
        row = row < 0 ? 0 : row < side ? row : side - 1;
        sum += (k & 1 ? right_share : 1 - right_share) * (k >> 1 ? low_share : 1 - low_share) * in[row * side + col];
    }
    return sum;
}

static float expect(const char *name, const values &in, const values &constants, int side, int at) {
    float value = in[at], sum = 0;
    if (strstr(name, "chains")) return 4;
    if (!strcmp(name, "conversions")) {
        for (int k = 0; k < STEPS; k++) value = convert_once(value, k);
        return value;
    }
    if (!strcmp(name, "half_conversions")) {
        for (int k = 0; k < 2 * STEPS; k++) value = value * 0.5f + (k % 2 ? 0.125f : 0.25f);
        return value;
    }
    if (!strcmp(name, "texture_linear"))
        for (int k = 0; k < TAPS * TAPS; k++)
            sum += between_texels(in, side, at % side + 0.25f * (k % TAPS), at / side + 0.25f * (k / TAPS));
    if (!strcmp(name, "black_scholes")) return price(value);
    if (!strcmp(name, "hash")) {
        unsigned x = bits_of(value);
        for (int k = 0; k < STEPS; k++) x = hash_once(x);
        memcpy(&value, &x, sizeof value);
        return value;
    }
    if (!strcmp(name, "constant")) for (int k = FACTORS; k--;) sum = sum * value + constants[k];
    return sum;
}

// Every 61st element, which meets all lanes.
static int verify(const char *name, const values &out, const values &in, const values &constants, int side, int n) {
    for (int at = 0; at < n; at += 61) {
        float want = expect(name, in, constants, side, at);
        bool is_right = !strcmp(name, "hash") ? bits_of(out[at]) == bits_of(want)
                                              : fabsf(out[at] - want) <= 1e-2f * (1 + fabsf(want));
        if (!is_right) return fprintf(stderr, "%s: element %d is %g, not %g\n", name, at, out[at], want), 1;
    }
    return 0;
}

// A texture of side x side texels, filtered and clamped.
static cudaTextureObject_t texture_of(const float *pixels, int side) {
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    check(cudaMallocArray(&array, &format, side, side), "cudaMallocArray");
    check(cudaMemcpy2DToArray(array, 0, 0, pixels, side * sizeof(float), side * sizeof(float), side,
                              cudaMemcpyDeviceToDevice), "cudaMemcpy2DToArray");
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    check(cudaCreateTextureObject(&texture, &resource, &how, nullptr), "cudaCreateTextureObject");
    return texture;
}

// ---- the list -------------------------------------------------------------------------------------------------------

static const struct {
    const char *name;
    const void *kernel;
    int side;          // side x side elements
} kinds[] = {
    {"half2_chains", (const void *)half2_chains, 512},
    {"bfloat2_chains", (const void *)bfloat2_chains, 512},
    {"conversions", (const void *)conversions, 256},
    {"half_conversions", (const void *)half_conversions, 512},
    {"texture_linear", (const void *)texture_linear, 256},
    {"black_scholes", (const void *)black_scholes, 512},
    {"hash", (const void *)hash, 512},
    {"constant", (const void *)constant, 512},
};

int main(int argc, char **argv) {
    for (const auto &kind : kinds) {
        if (argc < 2 || strcmp(argv[1], kind.name)) continue;
        int side = argument(argc, argv, 2, kind.side), launches = argument(argc, argv, 3, 7), n = side * side;
        values in = numbers(n), constants = numbers(FACTORS);
        float *d_in = on_device(in), *d_out = on_device(values(n));
        check(cudaMemcpyToSymbol(factors, constants.data(), sizeof factors), "cudaMemcpyToSymbol");
        cudaTextureObject_t texture = texture_of(d_in, side);
        int given = !strcmp(kind.name, "texture_linear") ? side : n;
        void *arguments[] = {&d_out, &d_in, &given, &texture};
        time_launches(launches, [&] {
            check(cudaLaunchKernel(kind.kernel, dim3((n + BLOCK - 1) / BLOCK), dim3(BLOCK), arguments, 0, 0), argv[1]);
        });
        values out = result(d_out, n);
        if (!strcmp(kind.name, "hash")) print_words((const unsigned *)out.data(), n);
        else print_floats(out.data(), n);
        return verify(argv[1], out, in, constants, side, n);
    }
    fprintf(stderr, "usage: %s NAME [SIDE [LAUNCHES]]; the names are\n", argv[0]);
    for (const auto &kind : kinds) fprintf(stderr, "  %s\n", kind.name);
    return 2;
}
