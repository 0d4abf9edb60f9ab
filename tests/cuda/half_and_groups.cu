// cuda_fp16.h, cuda_bf16.h, cuComplex.h and cooperative groups; checks itself.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_profiler_api.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void halves(const float *in, __half *sum, __half2 *sum2) {
    __half one = __float2half(in[1]), three = __float2half(in[3]), third = one / three;
    CHECK(__half2float(one + three) == 4.0f && __half2float(one - three) == -2.0f &&
          __half2float(three * three) == 9.0f);
    CHECK(__half_as_ushort(third) == 0x3555 && __half_as_ushort(__hfma(third, three, __hneg(one))) == 0x8c00);
    CHECK(one < three && one == __int2half_rn(1) && __hne(one, three) && __hge(three, one) && !__hisnan(one));
    CHECK(__half2int_rn(__float2half(2.5f)) == 2 && __half2int_ru(third) == 1 && __half2uint_rz(__hneg(one)) == 0u);
    CHECK(__half2float(__hmax(one, three)) == 3.0f && __half2float(__hmin(one, three)) == 1.0f);
    CHECK(__half2float(__hadd_sat(one, three)) == 1.0f && __half2float(hsqrt(three * three)) == 3.0f);
    CHECK(__half_as_ushort(__float2half_rz(65519.0f * in[1])) == 0x7bff &&
          __hisinf(__float2half(65520.0f * in[1])) == 1);
    CHECK(__half_as_ushort(__float2half_ru(0x1p-30f * in[1])) == 1 &&
          __half_as_ushort(__float2half_rd(0x1p-30f * in[1])) == 0);
    __half2 pair = __floats2half2_rn(in[1], in[3]), doubled = __hadd2(pair, pair);
    CHECK(__low2float(doubled) == 2.0f && __high2float(doubled) == 6.0f && __hbgt2(doubled, pair));
    float2 both = __half22float2(__hfma2(pair, pair, pair));
    CHECK(both.x == 2.0f && both.y == 12.0f && __low2float(__lowhigh2highlow(pair)) == 3.0f);
    CHECK(__half2float(__shfl_xor_sync(0xffffffffu, __int2half_rn(threadIdx.x), 1)) == (threadIdx.x ^ 1));
    atomicAdd(sum, one);
    atomicAdd(sum2, pair);
    __syncthreads();
    CHECK(__half2float(*sum) == 32.0f && __high2float(*sum2) == 96.0f);
}

__global__ void bfloats(const float *in, __nv_bfloat16 *sum, __nv_bfloat162 *sum2) {
    __nv_bfloat16 one = __float2bfloat16(in[1]), three = __float2bfloat16(in[3]), third = one / three;
    CHECK(__bfloat162float(one + three) == 4.0f && __bfloat162float(three * three) == 9.0f);
    CHECK(__bfloat16_as_ushort(third) == 0x3eab && __bfloat162float(__hfma(three, three, one)) == 10.0f);
    CHECK(one < three && __bfloat162float(__hmax(one, three)) == 3.0f && !__hisnan(one));
    CHECK(__bfloat16_as_ushort(__float2bfloat16_rz(third)) == 0x3eab &&
          __bfloat16_as_ushort(__float2bfloat16(in[1] + 0x1p-9f)) == 0x3f80);
    __nv_bfloat162 pair = __floats2bfloat162_rn(in[1], in[3]), doubled = pair + pair;
    CHECK(__low2float(doubled) == 2.0f && __high2float(__hfma2(pair, pair, pair)) == 12.0f);
    atomicAdd(sum, one);
    atomicAdd(sum2, pair);
    __syncthreads();
    CHECK(__bfloat162float(*sum) == 32.0f && __high2float(*sum2) == 96.0f);
}

// As tutorials write it: any group, and shared memory as large as the group.
__device__ int tree_sum(cg::thread_group group, int *scratch, int value) {
    int rank = group.thread_rank();
    for (int step = group.size() / 2; step > 0; step /= 2) {
        scratch[rank] = value;
        group.sync();
        if (rank < step) value += scratch[rank + step];
        group.sync();
    }
    return value;
}

__global__ void groups() {
    __shared__ int scratch[64];
    cg::thread_block block = cg::this_thread_block();
    int rank = block.thread_rank(), lane = rank & 31;
    CHECK(block.size() == 64 && rank == (int)threadIdx.x && block.group_index().x == blockIdx.x);
    int total = tree_sum(block, scratch, rank);
    if (rank == 0) CHECK(total == 2016);
    block.sync();

    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    CHECK(tile.size() == 16 && (int)tile.thread_rank() == (rank & 15) && (int)tile.meta_group_rank() == rank / 16);
    CHECK(cg::reduce(tile, rank & 15, cg::plus<int>()) == 120 &&
          cg::reduce(tile, rank, cg::greater<int>()) == (rank | 15));
    CHECK(tile.shfl(rank, 3) == (rank & ~15) + 3 && tile.shfl_xor(rank, 1) == (rank ^ 1));
    CHECK(tile.shfl_down(rank, 1) == ((rank & 15) == 15 ? rank : rank + 1) && tile.any(lane == 3) == (lane < 16));
    CHECK(tile.ballot(tile.thread_rank() == 2) == 4u && tile.all(1) && cg::inclusive_scan(tile, 1) == (rank & 15) + 1);
    CHECK(cg::exclusive_scan(tile, rank & 15) == (rank & 15) * ((rank & 15) - 1) / 2);
    CHECK(cg::reduce(tile, 0.5, cg::plus<double>()) == 8.0);

    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    auto quad = cg::tiled_partition<4>(warp);
    CHECK(quad.size() == 4 && cg::reduce(quad, 1, cg::plus<int>()) == 4);
    cg::thread_group eight = cg::tiled_partition(block, 8);
    CHECK(eight.size() == 8 && (int)eight.thread_rank() == (rank & 7));
    int part = tree_sum(eight, scratch + (rank & ~7), 1);
    if (eight.thread_rank() == 0) CHECK(part == 8);
    block.sync();

    __shared__ cg::block_tile_memory<64> memory;
    auto large_block = cg::this_thread_block(memory);
    auto both_warps = cg::tiled_partition<64>(large_block);
    CHECK(both_warps.size() == 64 && (int)both_warps.thread_rank() == rank && both_warps.meta_group_size() == 1);
    CHECK(cg::reduce(both_warps, rank, cg::plus<int>()) == 2016);
    both_warps.sync();

    if (lane % 3 == 0) {
        cg::coalesced_group some = cg::coalesced_threads();
        CHECK(some.size() == 11 && (int)some.thread_rank() == lane / 3 && some.shfl(lane, 2) == 6);
        CHECK(cg::reduce(some, lane, cg::plus<int>()) == 165 && some.ballot(lane == 6) == 4u);
        CHECK(cg::inclusive_scan(some, 1) == lane / 3 + 1);
    }
    warp.sync();
    auto odd = cg::binary_partition(warp, lane & 1);
    CHECK(odd.size() == 16 && (int)odd.thread_rank() == lane / 2);
}

__global__ void whole_grid(int *p) {
    cg::grid_group grid = cg::this_grid();
    CHECK(grid.is_valid() && grid.size() == 256 && grid.thread_rank() == blockIdx.x * 64 + threadIdx.x);
    p[grid.thread_rank()] = (int)grid.thread_rank();
    for (int round = 0; round < 3; round++) {
        grid.sync();
        int other = p[255 - grid.thread_rank()];
        grid.sync();
        p[grid.thread_rank()] = other + 1;
    }
    grid.sync();
    CHECK(p[grid.thread_rank()] == (int)(255 - grid.thread_rank()) + 3);
}

__global__ void complexes(const float *in) {
    cuFloatComplex i = make_cuFloatComplex(in[0], in[1]);
    CHECK(cuCrealf(cuCmulf(i, i)) == -1.0f && cuCabsf(make_cuFloatComplex(in[3], 4.0f)) == 5.0f);
    CHECK(cuCimag(cuCdiv(make_cuDoubleComplex(1.0, 0.0), make_cuDoubleComplex(0.0, 2.0))) == -0.5);
}

int main() {
    const float host_in[4] = {0, 1, -1, 3};
    float *in;
    char *sums;
    int *p;
    __half h(1.5f);
    h = h + __half(2.0f);
    HOST_CHECK((float)h == 3.5f && __half_as_ushort(__float2half(0.1f)) == 0x2e66);
    HOST_CHECK(__bfloat162float(__float2bfloat16(0.1f)) == 0.10009765625f);
    API(cudaMalloc(&in, sizeof host_in));
    API(cudaMalloc(&sums, 64));
    API(cudaMalloc(&p, 256 * sizeof(int)));
    API(cudaMemset(sums, 0, 64));
    API(cudaMemcpy(in, host_in, sizeof host_in, cudaMemcpyHostToDevice));
    API(cudaProfilerStart());
    halves<<<1, 32>>>(in, (__half *)sums, (__half2 *)(sums + 4));
    bfloats<<<1, 32>>>(in, (__nv_bfloat16 *)(sums + 16), (__nv_bfloat162 *)(sums + 20));
    groups<<<2, 64>>>();
    complexes<<<1, 32>>>(in);
    void *arguments[] = {&p};
    API(cudaLaunchCooperativeKernel(whole_grid, dim3(4), dim3(64), arguments));
    API(cudaDeviceSynchronize());
    return report(__FILE__);
}
