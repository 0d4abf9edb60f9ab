// What the kernels of a product are told of it, by src/op/matmul/product_launch.c, and which tile of C a block has.
#pragma once

#if ELEMENT_BYTES == 4
typedef float element;
#elif ELEMENT_BYTES == 8
typedef double element;
#else
#error ELEMENT_BYTES is 4 or 8
#endif

// Tiles from number whole_tiles on are made in `parts` parts, of depths_per_part steps of TILE_DEPTH each. After
// every `section` such steps the sums go to memory: each is rounded as often as it has terms, and sums of sums are
// rounded less.
struct product_shape {
    long long m, n, k;
    long long a_ld, b_ld, c_ld;
    long long a_start, b_start, c_start, scratch_start;
    long long batches, batch[4], a_batch[4], b_batch[4], c_batch[4];
    double alpha, beta;
    unsigned tiles_m, tiles_n, group_rows;
    unsigned whole_tiles, split_tiles, parts, depths_per_part;
    int section;
};

// Tiles are counted down a group of rows first, then along the group, so that blocks that run at the same time share
// rows of A and columns of B in L2.
__device__ __forceinline__ void find_tile(const product_shape &shape, unsigned index, unsigned &tile_m,
                                          unsigned &tile_n) {
    const unsigned per_group = shape.group_rows * shape.tiles_n, group = index / per_group;
    const unsigned first = group * shape.group_rows, left = shape.tiles_m - first;
    const unsigned rows = left < shape.group_rows ? left : shape.group_rows;
    index -= group * per_group;
    tile_n = index / rows;
    tile_m = first + (index - tile_n * rows);
}

// The block's batch; not below shape.batches: none.
__device__ __forceinline__ long long batch_of_block() { return (long long)blockIdx.z * gridDim.y + blockIdx.y; }

// Moves to a batch of an array.
template <typename pointer>
__device__ __forceinline__ void go_to_batch(const product_shape &shape, const long long *strides, long long batch,
                                            pointer &array) {
#pragma unroll
    for (int i = BATCH_AXES - 1; i >= 0; i--) {
        const long long next = i > 0 ? batch / shape.batch[i] : 0;
        array += (batch - next * shape.batch[i]) * strides[i];
        batch = next;
    }
}
