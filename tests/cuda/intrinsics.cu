// Every kind of device function that cuda_runtime.h offers, with arguments that the compiler cannot see through. It
// checks itself, so that the headers, the compiler and whatever runs it are held to what a GPU does.
#include <algorithm>
#include <cmath>
#include <memory>

#include <assert.h>
#include <cuda_runtime.h>
#include <device_functions.h>
#include <math_constants.h>
#include <sm_30_intrinsics.h>

#include "check.h"

__global__ void bits(const int *in) {
    int one = in[1], minus = in[2], lane = threadIdx.x;
    CHECK(__popc(one * 0xff) == 8 && __popcll((long long)minus) == 64);
    CHECK(__clz(one) == 31 && __clz(one - 1) == 32 && __clzll((long long)one) == 63 &&
          __clzll((long long)one - 1) == 64);
    CHECK(__ffs(one << 4) == 5 && __ffs(one - 1) == 0 && __ffsll((long long)one << 40) == 41);
    CHECK(__brev((unsigned)one) == 0x80000000u && __brevll((unsigned long long)one) == 1ull << 63);
    CHECK(__byte_perm(0x03020100u * one, 0x07060504u, 0x7531u) == 0x07050301u);
    CHECK(__mulhi(minus, 2) == -1 && __umulhi((unsigned)minus, 2u) == 1u);
    CHECK(__mul64hi((long long)minus, 2ll) == -1 && __umul64hi((unsigned long long)(long long)minus, 2ull) == 1ull);
    CHECK(__mul24(one * 0x1000001, 3) == 3 && __umul24((unsigned)one * 0xff000002u, 3u) == 6u);
    CHECK(__sad(one, 5, 10u) == 14u && __usad((unsigned)one, 5u, 10u) == 14u);
    CHECK(__hadd(one * -3, 2) == -1 && __rhadd(one * -3, 2) == 0 && __uhadd(~0u * one, ~0u) == ~0u);
    CHECK(__funnelshift_l(0x80000000u * one, 1u, 1) == 3u && __funnelshift_r(1u * one, 3u, 1) == 0x80000000u);
    CHECK(__dp4a(0x01010101 * one, 0x04030201, 5) == 15 && __dp4a(0xff * (unsigned)one, 2u, 0u) == 510u);
    CHECK(abs(minus) == 1 && llabs((long long)minus) == 1 && min(one, 3) == 1 && max(one, 3u) == 3u);
    CHECK(min(2ll * one, 3ll) == 2 && max(2ull * one, 3ull) == 3 && umin((unsigned)minus, 3u) == 3u);
    CHECK(__float_as_int(1.0f * one) == 0x3f800000 && __int_as_float(0x40000000 * one) == 2.0f);
    CHECK(__double_as_longlong(1.0 * one) == 0x3ff0000000000000ll && __hiloint2double(0x40000000, one - 1) == 2.0);
    CHECK(__double2hiint(1.0 * one) == 0x3ff00000 && __double2loint(1.0 * one) == 0);
    CHECK(lane < 32 && warpSize == 32);
    CHECK(__dp2a_lo(make_short2(2 * one, 3), make_char4(1, 2, 3, 4), 5) == 13);
    CHECK(__dp2a_hi(make_ushort2(2 * one, 3), make_uchar4(1, 2, 3, 4), 5u) == 23u);
    CHECK(__nv_bswap32(0x01020304u * one) == 0x04030201u && __nv_bswap16((unsigned short)(0x0102 * one)) == 0x0201);
    __prof_trigger(3);
}

// Bytes and half-words, and minima and maxima of three.
__global__ void packed(const int *in) {
    unsigned int one = (unsigned)in[1], a = 0x80017fffu * one, b = 0x7fff8000u * one, c = 0x00050003u * one;
    int x = in[2], y = in[3];    // -1, 3
    bool first, low;
    CHECK(__vabsdiffu4(0x01ff8010u * one, 0x0201ff20u) == 0x01fe7f10u);
    CHECK(__vsadu4(0x01ff8010u * one, 0x0201ff20u) == 398u);
    CHECK(__vabsdiffs4(0x01ff8010u * one, 0x0201ff20u) == 0x01027f10u && __vabs4(0x80ff0102u * one) == 0x80010102u);
    CHECK(__vsads4(0x01ff8010u * one, 0x0201ff20u) == 146u && __vsadu2(0x0001ffffu * one, 0x00030000u) == 65537u);
    CHECK(__vadd4(0x01ff8010u * one, 0x01018001u) == 0x02000011u && __vaddss2(a, a) == 0x80007fffu);
    CHECK(__vmaxs2(a, b) == 0x7fff7fffu && __vminu2(a, b) == 0x7fff7fffu);
    CHECK(__vcmpgtu4(0x01020304u * one, 0x02020202u) == 0x0000ffffu);
    CHECK(__vseteq4(0x01020304u * one, 0x01010303u) == 0x01000100u);
    CHECK(__vimax3_s32(x, y, 2) == 3 && __vimin3_s32(x, y, 2) == -1 && __vimax3_u32((unsigned)x, 3u, 2u) == ~0u);
    CHECK(__vimax3_s16x2(a, b, c) == 0x7fff7fffu && __vimin3_s16x2(a, b, c) == 0x80018000u);
    CHECK(__vimin3_u16x2(a, b, c) == 0x00050003u && __vimin3_s16x2_relu(a, b, c) == 0 && __vimax_s32_relu(x, -2) == 0);
    CHECK(__viaddmax_s32(x, 5, 3) == 4 && __viaddmin_u32(~0u * one, 2u, 5u) == 1u);
    CHECK(__viaddmax_s16x2(a, c, c) == 0x00050003u && __viaddmin_s16x2(a, c, c) == 0x80068002u);
    CHECK(__viaddmin_s16x2_relu(a, c, c) == 0 && __viaddmax_u16x2(a, c, c) == 0x80068002u);
    CHECK(__vibmax_s32(x, y, &first) == 3 && !first && __vibmin_s32(x, x, &first) == -1 && first);
    CHECK(__vibmax_s16x2(a, b, &first, &low) == 0x7fff7fffu && !first && low);
    CHECK(__vibmin_u16x2(a, b, &first, &low) == 0x7fff7fffu && !first && low);
}

__global__ void floats(const int *in) {
    float f = (float)in[3], third = 1.0f / f;    // f is 3
    double d = (double)in[3];
    CHECK(__fadd_rd(1.0f, 0x1p-30f * f) == 1.0f && __fadd_ru(1.0f, 0x1p-30f * f) > 1.0f);
    CHECK(__fmul_rz(third, third) <= __fmul_ru(third, third) && __fmaf_rn(f, f, 1.0f) == 10.0f);
    CHECK(__fdiv_ru(1.0f, f) > __fdiv_rd(1.0f, f) && __frcp_rn(f) == third && __fsqrt_rn(f * f) == f);
    CHECK(__dadd_rd(1.0, 0x1p-60 * d) == 1.0 && __dadd_ru(1.0, 0x1p-60 * d) > 1.0 && __fma_rn(d, d, 1.0) == 10.0);
    CHECK(__ddiv_rn(1.0, d) == 1.0 / d && __dsqrt_rn(d * d) == d && __drcp_rn(d) == 1.0 / d);
    CHECK(__float2int_rn(f * 0.5f) == 2 && __float2int_rz(f * 0.5f) == 1 && __float2int_rd(-f * 0.5f) == -2);
    CHECK(__float2int_ru(f * 0.5f) == 2 && __float2uint_rn(f * 0.5f) == 2u && __float2ll_rz(f) == 3);
    CHECK(__double2int_rn(d * 0.5) == 2 && __double2uint_rz(d) == 3u && __double2float_rn(d) == 3.0f);
    CHECK(__int2float_rn(in[3]) == 3.0f && __uint2float_rz(3u) == 3.0f && __ll2double_rn(3ll) == 3.0);
    CHECK(__saturatef(f) == 1.0f && __saturatef(-f) == 0.0f && fabsf(-f) == 3.0f && fabs(-d) == 3.0);
    CHECK(floorf(f * 0.5f) == 1.0f && ceilf(f * 0.5f) == 2.0f && truncf(-f * 0.5f) == -1.0f && rintf(f * 0.5f) == 2.0f);
    CHECK(roundf(f * 0.5f) == 2.0f && round(-d * 0.5) == -2.0 && nearbyint(d * 0.5) == 2.0 && lrintf(f) == 3);
    CHECK(fminf(f, CUDART_NAN_F) == 3.0f && fmax(d, CUDART_NAN) == 3.0 && copysignf(f, -1.0f) == -3.0f);
    CHECK(isnan(nanf("1")) && isnan(nan("")) && !(nan("") == nan("")));
    CHECK(isnan(f * CUDART_NAN_F) && isinf(f * CUDART_INF_F) && !isfinite(d * CUDART_INF) && signbit(-f));
    CHECK(max(f, 1.0f) == 3.0f && std::abs(-f) == 3.0f && min(f, 2.0f) == 2.0f && max(d, 4.0) == 4.0);
    CHECK(fmaf(f, f, 1.0f) == 10.0f && fma(d, d, 1.0) == 10.0 && fmodf(f * 2.5f, 2.0f) == 1.5f &&
          fdimf(f, 1.0f) == 2.0f);
    CHECK(ldexpf(f, 2) == 12.0f && scalbn(d, 1) == 6.0 && ilogbf(f) == 1 && logb(d * 4.0) == 3.0);
    int exponent;
    CHECK(frexpf(f, &exponent) == 0.75f && exponent == 2);
    float whole;
    CHECK(modff(f * 0.5f, &whole) == 0.5f && whole == 1.0f);
}

// Relative error of x against what the host computed in double.
#define NEAR(x, value, error) CHECK(fabs((double)(x) - (value)) <= (error) * fabs((double)(value)))

__global__ void functions(const int *in, const double *expected) {
    float f = 0.5f * in[1];
    double d = 0.5 * in[1];
    NEAR(sinf(f), expected[0], 3e-7);
    NEAR(cosf(f), expected[1], 3e-7);
    NEAR(expf(f), expected[2], 3e-7);
    NEAR(logf(f), expected[3], 3e-7);
    NEAR(powf(f, 2.5f), expected[4], 1e-6);
    NEAR(sqrtf(f), expected[5], 1e-7);
    NEAR(rsqrtf(f), expected[6], 3e-7);
    NEAR(cbrtf(f), expected[7], 3e-7);
    NEAR(erff(f), expected[8], 3e-7);
    NEAR(tgammaf(f), expected[9], 1e-6);
    NEAR(sinpif(f * 0.5f), expected[10], 3e-7);
    NEAR(normcdff(f), expected[11], 5e-7);
    NEAR(erfinvf(f), expected[12], 5e-7);
    NEAR(norm3df(f, f, f), expected[13], 3e-7);
    NEAR(sin(d), expected[0], 3e-16);
    NEAR(cos(d), expected[1], 3e-16);
    NEAR(exp(d), expected[2], 3e-16);
    NEAR(log(d), expected[3], 3e-16);
    NEAR(pow(d, 2.5), expected[4], 5e-16);
    NEAR(std::sqrt(d), expected[5], 2e-16);
    NEAR(rsqrt(d), expected[6], 3e-16);
    NEAR(erf(d), expected[8], 5e-16);
    NEAR(erfinv(d), expected[12], 1e-15);
    NEAR(__sinf(f), expected[0], 1e-5);
    NEAR(__cosf(f), expected[1], 1e-5);
    NEAR(__expf(f), expected[2], 1e-5);
    NEAR(__logf(f), expected[3], 1e-5);
    NEAR(__powf(f, 2.5f), expected[4], 1e-5);
    NEAR(__fdividef(f, 3.0f), 1.0 / 6, 1e-6);
    float s, c;
    sincosf(f, &s, &c);
    NEAR(s, expected[0], 3e-7);
    NEAR(c, expected[1], 3e-7);
}

__global__ void lanes() {
    int lane = threadIdx.x;
    unsigned all = 0xffffffffu;
    CHECK(__shfl_sync(all, lane, 5) == 5 && __shfl_up_sync(all, lane, 1) == (lane ? lane - 1 : 0));
    CHECK(__shfl_down_sync(all, (float)lane, 2) == (lane < 30 ? lane + 2 : lane));
    CHECK(__shfl_xor_sync(all, (double)lane, 3) == (lane ^ 3) &&
          __shfl_sync(all, (long long)lane << 33, 1, 8) >> 33 == (lane & ~7) + 1);
    CHECK(__ballot_sync(all, lane & 1) == 0xaaaaaaaau && __any_sync(all, lane == 3) && !__all_sync(all, lane));
    CHECK(__activemask() == all);
#if __CUDA_ARCH__ >= 700
    int same;
    CHECK(__match_any_sync(all, lane / 16) == (lane < 16 ? 0xffffu : 0xffff0000u));
    CHECK(__match_any_sync(all, (long long)(lane & 1)) == (lane & 1 ? 0xaaaaaaaau : 0x55555555u));
    CHECK(__match_all_sync(all, 7ll, &same) == all && same && !__match_all_sync(all, lane, &same) && !same);
#endif
#if __CUDA_ARCH__ >= 800
    CHECK(__reduce_add_sync(all, lane) == 496 && __reduce_max_sync(all, lane) == 31 &&
          __reduce_min_sync(all, lane - 4) == -4);
    CHECK(__reduce_or_sync(all, 1u << lane) == all && __reduce_and_sync(all, 6u | lane) == 6u);
    CHECK(__reduce_xor_sync(all, 1u << lane) == all);
#endif
    if (lane & 1) CHECK(__activemask() == 0xaaaaaaaau);
    __syncwarp();
    CHECK(__syncthreads_count(lane & 1) == 16 && __syncthreads_or(lane == 9) && !__syncthreads_and(lane));
}

struct counters {
    int i;
    unsigned u;
    unsigned long long l;
    float f;
    double d;
    unsigned short s;
};

__global__ void atomics(counters *c) {
    unsigned lane = threadIdx.x;
    atomicAdd(&c->i, -1);
    atomicAdd(&c->u, 2u);
    atomicAdd(&c->l, 1ull << 32);
    atomicAdd(&c->f, 0.5f);
    atomicAdd(&c->d, 0.25);
    __threadfence();
    __syncthreads();
    CHECK(c->i == -32 && c->u == 64 && c->l == 32ull << 32 && c->f == 16.0f && c->d == 8.0);
    __syncthreads();
    atomicMin(&c->i, (int)lane - 40);
    atomicMax(&c->u, lane + 50);
    atomicMax_block(&c->l, (unsigned long long)lane << 33);
    __syncthreads();
    CHECK(c->i == -40 && c->u == 81 && c->l == 31ull << 33);
    __syncthreads();
    if (lane == 0) {
        CHECK(atomicExch(&c->f, 3.0f) == 16.0f && atomicExch_system(&c->u, 5u) == 81u && atomicSub(&c->u, 2u) == 5u);
        CHECK(atomicInc(&c->u, 3u) == 3u && c->u == 0u && atomicDec(&c->u, 9u) == 0u && c->u == 9u);
        CHECK(atomicCAS(&c->u, 9u, 12u) == 9u && atomicCAS(&c->u, 9u, 1u) == 12u && c->u == 12u);
        CHECK(atomicAnd(&c->u, 10u) == 12u && atomicOr(&c->u, 1u) == 8u && atomicXor(&c->u, 15u) == 9u && c->u == 6u);
        CHECK(atomicCAS(&c->s, (unsigned short)0, (unsigned short)7) == 0 && c->s == 7);
        CHECK(atomicCAS_block(&c->l, 31ull << 33, 4ull) == 31ull << 33 && c->l == 4ull);
    }
}

__global__ void memory(float4 *v, int *p) {
    __shared__ int tile[32];
    extern __shared__ char dynamic[];
    int lane = threadIdx.x;
    float4 a = __ldg(v), b = __ldcg(v), c = __ldcs(v), d = __ldca(v);
    CHECK(a.x == 1 && b.y == 2 && c.z == 3 && d.w == 4 && __ldg(p + lane) == lane && __ldcv(p + lane) == lane);
    __syncthreads();
    __stcg(p + lane, lane + 1);
    __stwt((short *)(v + 1) + lane, (short)lane);
    dynamic[lane] = (char)lane;
    tile[31 - lane] = lane;
    __syncthreads();
    CHECK(__ldcg(p + lane) == lane + 1 && tile[lane] == 31 - lane && dynamic[lane ^ 1] == (lane ^ 1));
    CHECK(__ldcg((short *)(v + 1) + (lane ^ 1)) == (lane ^ 1));
    CHECK(__isShared(tile) && __isGlobal(p) && !__isGlobal(tile) && __isLocal(&lane));
    unsigned address = (unsigned)__cvta_generic_to_shared(&tile[lane]);
    int value;
    asm volatile("ld.shared.s32 %0, [%1];" : "=r"(value) : "r"(address));
    CHECK(value == 31 - lane);
    char bytes[16];
    memset(bytes, 7, sizeof bytes);
    memcpy(bytes + 4, &lane, 4);
    CHECK(bytes[0] == 7 && bytes[4] == lane && bytes[8] == 7);
    int *heap = (int *)malloc(16);
    CHECK(heap != nullptr);
    if (heap) heap[lane & 3] = lane;
    CHECK(!heap || heap[lane & 3] == lane);
    free(heap);
    long long before = clock64();
    __nanosleep(10);
    CHECK(clock64() >= before && clock() != 0x7fffffff);
}

struct shape {
    __device__ virtual int area() const { return 0; }
    __device__ virtual ~shape() {}
};
struct square : shape {
    int side;
    __device__ explicit square(int s) : side(s) {}
    __device__ int area() const override { return side * side; }
};

__noinline__ __device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

template <class F> __global__ void apply(F f, int *p) { p[threadIdx.x] = f(p[threadIdx.x]); }

__launch_bounds__(64, 2) __global__ void language(int n) {
    shape *s = new square(n + (int)threadIdx.x);
    CHECK(s->area() == (n + (int)threadIdx.x) * (n + (int)threadIdx.x));
    delete s;
    CHECK(fibonacci(10) == 55);
    dim3 size = blockDim;
    uint3 index = threadIdx;
    CHECK(size.x == blockDim.x && index.x == threadIdx.x && dim3(2).y == 1);
    assert(n == 3);
}

__managed__ int managed = 7;
__constant__ float table[4];
__device__ double variable;

__global__ void variables() {
    CHECK(managed == 8 && table[2] == 3.0f && variable == 1.5);
    __syncthreads();
    if (threadIdx.x == 0) managed = 9;
}

static int host_side() {
    HOST_CHECK(fabsf(rsqrtf(4.0f) - 0.5f) < 1e-6f && fabs(erfinv(0.5) - 0.47693627620446987) < 1e-15);
    HOST_CHECK(fabs(erfcinv(1e-10) - 4.5728249673894852) < 1e-14 &&
               fabs(normcdfinv(0.975) - 1.9599639845400543) < 1e-14);
    HOST_CHECK(sinpi(0.5) == 1.0 && cospi(0.5) == 0.0 && sinpi(2.0) == 0.0 &&
               fabs(erfcx(30.0) - 0.018795888861416751) < 1e-16);
    HOST_CHECK(fabs(rcbrt(8.0) - 0.5) < 1e-15 && fabs(exp10f(2.0f) - 100.0f) < 1e-4f && normcdf(0.0) == 0.5);
    HOST_CHECK(min(1, 2) == 1 && max(1u, 2u) == 2u && min(1.0f, 2.0f) == 1.0f && max(1ll, 2ll) == 2);
    return 0;
}

int main() {
    const int host_in[4] = {0, 1, -1, 3};
    const double x = 0.5;
    const double expected[] = {sin(x),
                               cos(x),
                               exp(x),
                               log(x),
                               pow(x, 2.5),
                               sqrt(x),
                               1 / sqrt(x),
                               cbrt(x),
                               erf(x),
                               tgamma(x),
                               sin(M_PI / 4),
                               0.5 * erfc(-x * M_SQRT1_2),
                               0.47693627620446987,
                               sqrt(3 * x * x)};
    int *in, *ints;
    double *device_expected;
    counters *c;
    float4 *v, host_v = make_float4(1, 2, 3, 4);
    if (host_side()) return 1;
    API(cudaMalloc(&in, sizeof host_in));
    API(cudaMalloc(&ints, 32 * sizeof(int)));
    API(cudaMalloc(&v, sizeof host_v + 64));
    API(cudaMalloc(&device_expected, sizeof expected));
    API(cudaMallocManaged(&c, sizeof *c));
    API(cudaMemcpy(in, host_in, sizeof host_in, cudaMemcpyHostToDevice));
    API(cudaMemcpy(v, &host_v, sizeof host_v, cudaMemcpyHostToDevice));
    API(cudaMemcpy(device_expected, expected, sizeof expected, cudaMemcpyHostToDevice));
    int numbers[32];
    for (int i = 0; i < 32; i++) numbers[i] = i;
    API(cudaMemcpy(ints, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    *c = counters{};

    cudaStream_t stream;
    API(cudaStreamCreate(&stream));
    bits<<<1, 32>>>(in);
    packed<<<1, 32>>>(in);
    floats<<<dim3(1), dim3(32)>>>(in);
    functions<<<1, 32>>>(in, device_expected);
    lanes<<<1, 32, 0, stream>>>();
    API(cudaStreamSynchronize(stream));
    atomics<<<1, 32>>>(c);
    memory<<<1, 32, 256>>>(v, ints);
    language<<<1, 32>>>(3);

    const float host_table[4] = {1, 2, 3, 4};
    double half = 1.5;
    void *address;
    API(cudaMemcpyToSymbol(table, host_table, sizeof host_table));
    API(cudaGetSymbolAddress(&address, variable));
    API(cudaMemcpy(address, &half, sizeof half, cudaMemcpyDefault));
    API(cudaDeviceSynchronize());
    managed = 8;
    variables<<<1, 32>>>();
    API(cudaDeviceSynchronize());
    HOST_CHECK(managed == 9);

    int grid, block;
#if defined(__clang__) || defined(__CUDACC_EXTENDED_LAMBDA__)
    apply<<<1, 32>>>([] __device__(int i) { return i * 2; }, ints);
    API(cudaMemcpy(numbers, ints, sizeof numbers, cudaMemcpyDeviceToHost));
    HOST_CHECK(numbers[5] == 12);
#endif
    API(cudaOccupancyMaxPotentialBlockSize(&grid, &block, variables, 0, 0));
    HOST_CHECK(grid > 0 && block >= 32 && block % 32 == 0);
    API(cudaFuncSetAttribute(memory, cudaFuncAttributeMaxDynamicSharedMemorySize, 32768));
    void *no_arguments[] = {nullptr};
    API(cudaLaunchKernel(lanes, dim3(1), dim3(32), no_arguments));
    std::shared_ptr<int> counted = std::make_shared<int>(3);
    HOST_CHECK(*counted == 3);
    return report(__FILE__);
}
