# Cooperative groups of several warps keep their barriers in shared memory that is the system's, not the kernel's.
about_nvcc=1
. "$(dirname "$0")/../check.bash"
command -v nvcc > /dev/null || exit 77

cat > "$work/tiles.cu" <<'CUDA'
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;
// Threads of a block of 256 sum their numbers in groups of 128, twice; own holds what must not be touched.
__global__ void sums(int *out) {
    __shared__ int own[256];
    __shared__ cg::block_tile_memory<256> room;
    cg::thread_block block = cg::this_thread_block(room);
    auto tile = cg::tiled_partition<128>(block);
    int me = threadIdx.x;
    own[me] = -me;
    block.sync();
    int sum = cg::reduce(tile, me, cg::plus<int>());
    tile.sync();
    int largest = cg::reduce(tile, me, cg::greater<int>());
    out[me] = own[me] == -me ? sum * 1000 + largest : -1;
}
int main() {
    int *d, h[256], wrong = 0;
    cudaMalloc(&d, sizeof h);
    sums<<<1, 256>>>(d);
    if (cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost)) return 1;
    for (int i = 0; i < 256; i++) wrong += h[i] != (i < 128 ? 8128 * 1000 + 127 : (8128 + 128 * 128) * 1000 + 255);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
CUDA
for gpu in h200 t4; do
    expect 0 "$halfwarp" run --compiler nvcc --gpu $gpu "$work/tiles.cu"
    says out "0 wrong"
    silent err
done
finish
