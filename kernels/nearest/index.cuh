// Where the spatial index lies in the scratch memory; as hw_nearest_index in src/op/nearest/nearest_plan.h.
//
// The points are sorted along a Hilbert curve; 32 neighbours on it are a leaf. A box around the points of each leaf is
// a box of level 0; 32 neighbouring boxes of a level have a box in the next, until there are no more than 32.
#ifndef HALFWARP_NEAREST_INDEX_CUH
#define HALFWARP_NEAREST_INDEX_CUH

#include "nearest/point.cuh"

constexpr unsigned LEAF = 32;

struct index_layout {
    unsigned long long keys[2], values[2];   // of the sort; points are written over the keys in the end
    unsigned long long counts, bounds, slots;
    unsigned long long points, order, query_order, boxes, box_index;
    unsigned level_count[7], level_first[7];
    unsigned first_bits, spare;
};

// The lowest and the highest coordinates.
struct box {
    point low, high;
};

__device__ __forceinline__ box load_box(const char *scratch, const index_layout &at, unsigned number) {
    const real *boxes = (const real *)(scratch + at.boxes);
    return {load_packed(boxes, 2ull * number), load_packed(boxes, 2ull * number + 1)};
}

__device__ __forceinline__ void store_box(char *scratch, const index_layout &at, unsigned number, const box &b) {
    real *boxes = (real *)(scratch + at.boxes);
    store_packed(boxes, 2ull * number, b.low);
    store_packed(boxes, 2ull * number + 1, b.high);
}

#endif
