// Which tile of the matrix a block has.
#ifndef HALFWARP_GRID_CUH
#define HALFWARP_GRID_CUH

#include "common/element.cuh"

// The tile's place among the tiles: blocks run over columns first. A grid has at most 65535 rows of blocks, so more of
// them go on in z; what lies past the last row there is outside of the matrix, and the guards of every kernel skip it.
__device__ __forceinline__ index_t tile_col() { return (index_t)blockIdx.x; }
__device__ __forceinline__ index_t tile_row() { return (index_t)blockIdx.z * gridDim.y + blockIdx.y; }

#endif
