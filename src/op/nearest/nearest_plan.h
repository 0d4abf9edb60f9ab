// How nearest neighbours are found on a GPU: a pure function of the sizes, the type and the device. The kernels are
// kernels/nearest/ from 75 on; they say what the numbers mean.
#ifndef HW_OP_NEAREST_PLAN_H
#define HW_OP_NEAREST_PLAN_H

#include "op/nearest/neighbours.h"
#include "op/common/plan.h"

// The order of the arrays that the launches are run with.
enum {
    HW_NEAREST_POINTS, HW_NEAREST_QUERIES, HW_NEAREST_INDICES, HW_NEAREST_DISTANCES, HW_NEAREST_SCRATCH,
    HW_NEAREST_ARRAYS,
};

enum {
    HW_NEAREST_FINDINGS_BYTES = 256,   // at the beginning of the scratch memory; zero before the launches
    HW_NEAREST_LEAF = 32,              // points of a leaf, and boxes of a node
    HW_NEAREST_LEVELS = 7,
};

// What the kernels leave there: HW_NEAREST_NO_ROW - the first row with a NaN, or 0.
typedef struct hw_nearest_findings {
    uint32_t nan_point, nan_query;
} hw_nearest_findings;
#define HW_NEAREST_NO_ROW UINT32_MAX

// Where what lies in the scratch memory: bytes from its beginning. As in kernels/nearest/index.cuh.
typedef struct hw_nearest_index {
    uint64_t keys[2], values[2];       // of the sort; points are written over the keys in the end
    uint64_t counts, bounds, slots;    // slots: the array that holds the rows' order in the end
    uint64_t points, order, query_order, boxes, box_index;
    uint32_t level_count[HW_NEAREST_LEVELS], level_first[HW_NEAREST_LEVELS];   // boxes of each level, the leaves' first
    uint32_t first_bits, spare;        // of the first sort's keys
} hw_nearest_index;

typedef struct hw_nearest_plan {
    hw_nearest_method method;          // BRUTE or SEARCH
    uint32_t threads;
    bool selects;                      // brute: a warp for queries (82_select.cu), not threads (80_brute.cu)
    uint32_t queries;                  // of a thread or warp
    uint32_t tile;                     // points in shared memory at a time
    uint32_t parts, part_points;       // the points are cut into
    uint32_t n_levels, build_blocks;   // search
    bool sorts_queries;
    hw_nearest_index index;
    uint64_t scratch_bytes;
} hw_nearest_plan;

// queries.count is not 0. Pointers are not looked at. Never fails: every problem has a plan.
void hw_nearest_plan_make(const hw_neighbours *problem, const hw_device_properties *device, hw_nearest_plan *plan);

// The launches, for the arrays above. QUERIES is POINTS where the problem is `self`; DISTANCES may be NULL.
void hw_nearest_plan_launch(const hw_neighbours *problem, const hw_nearest_plan *plan, hw_plan *launches);

#endif
