// A cooperative kernel whose blocks wait for each other: what one wrote before grid.sync(), another reads behind it.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

enum { BLOCKS = 200, THREADS = 64, CELLS = BLOCKS * THREADS, ROUNDS = 5 };

__global__ void rounds(int *cells) {
    cg::grid_group grid = cg::this_grid();
    int i = blockIdx.x * THREADS + threadIdx.x;
    for (int round = 0; round < ROUNDS; round++) {
        cells[i] = round * CELLS + i;
        grid.sync();
        int neighbour = (i + THREADS) % CELLS;
        CHECK(cells[neighbour] == round * CELLS + neighbour);
        grid.sync();
    }
}

int main() {
    int *cells;
    failures found;
    API(cudaMalloc(&cells, CELLS * sizeof(int)));
    void *arguments[] = {&cells};
    API(cudaLaunchCooperativeKernel((void *)rounds, BLOCKS, THREADS, arguments, 0, 0));
    API(cudaDeviceSynchronize());
    API(cudaMemcpyFromSymbol(&found, device_failures, sizeof found));
    // More blocks than the GPU holds at one time could never all meet.
    cudaError_t refused = cudaLaunchCooperativeKernel((void *)rounds, 1 << 20, THREADS, arguments, 0, 0);
    if (refused != cudaErrorCooperativeLaunchTooLarge) found.count++;
    cudaGetLastError();
    if (found.count) printf("%d checks failed, first at line %d\n", found.count, found.line);
    else printf("ok\n");
    return found.count != 0;
}
