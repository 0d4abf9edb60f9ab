// What blocks cost: grids of empty blocks, and of blocks that store once.
__global__ void store_once(int *o) { o[threadIdx.x] = 1; }
__global__ void with_shared() {
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
}
__global__ void with_barrier(int *o) {
    __shared__ int s[1024];
    s[threadIdx.x] = 1;
    __syncthreads();
    if (s[threadIdx.x ^ 1] == 7) *o = 1;
}
static void grids() {
    int *o;
    char label[100];
    M(cudaMalloc(&o, 1 << 20));
    for (int block : {32, 128, 256, 512, 1024})
        for (int grid : {1, 132, 1056, 4224, 16896, 65536}) {
            for (int twice = 0; twice < 3; twice++) {
                printf("L,empty %d x %d\n", grid, block);
                empty<<<grid, block>>>();
            }
            for (int twice = 0; twice < 3; twice++) {
                printf("L,store %d x %d\n", grid, block);
                store_once<<<grid, block>>>(o);
            }
            for (int twice = 0; twice < 3; twice++) {
                printf("L,barrier %d x %d\n", grid, block);
                with_barrier<<<grid, block>>>(o);
            }
            M(cudaDeviceSynchronize());
        }
    (void)label;
}
