// What the parts of the processor's nearest neighbours share: points in blocks, the tree over them, the table of what
// one instruction-set level does, and the order of the work.
//
//   gather  the rows become blocks of 16, axis by axis, so that one vector holds one coordinate of many points
//   tree    for searches: the blocks are the leaves of a kd-tree with the exact box of each node
//   level   groups of 16 queries go through all blocks, or through the tree
//
// Both ways accept a point when its distance is less than the worst of those kept, or equal with a lower index, so that
// the result does not depend on the order in which points are met. Boxes are tested with the arithmetic of distances:
// rounding is monotonic, so no point is nearer than its box says, and no margin is needed.
#ifndef HW_OP_CPU_NEAREST_H
#define HW_OP_CPU_NEAREST_H

#include "base/processor.h"
#include "op/nearest/neighbours.h"

enum { HW_BLOCK = 16 };                       // points or queries side by side
#define HW_NO_POINT UINT32_MAX                // the index of a place that holds none
#define HW_NODE_LEAF 0x80000000u              // in hw_tree.child: the rest is the number of the block
#define HW_NODE_EMPTY UINT32_MAX

// Points in blocks. Places behind the last point of a block have infinite coordinates.
typedef struct hw_cloud {
    uint32_t dims;
    bool is_f64;
    uint64_t n_blocks;
    void *coords;                             // [block][axis][HW_BLOCK], at a multiple of 64 bytes
    uint32_t *index;                          // [block][HW_BLOCK]: the row
    void *coords_memory;
    uint64_t n_infinite;                      // rows with an infinite coordinate, which a tree does not have
} hw_cloud;

// A kd-tree. Node 1 is the root. Children lie beside each other, the left one at an even place.
typedef struct hw_tree {
    uint64_t n_nodes;
    uint32_t *child;                          // the left one; HW_NODE_LEAF + block; HW_NODE_EMPTY
    uint32_t *parent;                         // of the nodes 2 i and 2 i + 1
    uint32_t *min_index;                      // the lowest row below
    uint32_t *leaf;                           // the node of each block
    void *boxes;                              // [node][lowest of each axis, highest of each axis]
} hw_tree;

typedef struct hw_nearest_job {
    const hw_neighbours *problem;
    hw_cloud points, queries;                 // queries: points' where the problem is `self`
    hw_tree tree;                             // child NULL: every pair is looked at
    double limit;                             // distances accepted: at most this, which is finite
    uint32_t list_elems;                      // k, rounded up to a multiple of 8
} hw_nearest_job;

typedef struct hw_nearest_level {
    const char *name;                         // "base", "avx2", "avx512"
    uint32_t brute_blocks;                    // blocks of queries that `brute` takes at a time, at most HW_BRUTE_BLOCKS
    // Finds and writes the neighbours of the queries in the blocks from `first` to before `end`. lists:
    // hw_nearest_lists_bytes, of the calling thread, at a multiple of 64.
    void (*search)(const hw_nearest_job *job, uint64_t first, uint64_t end, void *lists);
    void (*brute)(const hw_nearest_job *job, uint64_t first, uint64_t end, void *lists);
} hw_nearest_level;

enum { HW_BRUTE_BLOCKS = 4 };

// NULL where this processor does not run the level.
const hw_nearest_level *hw_nearest_level_at(hw_simd_level level, bool is_f64);

size_t hw_nearest_lists_bytes(const hw_nearest_job *job);

// Rows into blocks in their order. HW_NO_MEMORY; HW_USAGE for a NaN. Released also on failure.
hw_status hw_cloud_gather(const hw_neighbours *problem, bool of_queries, hw_pool *pool, uint32_t n_threads,
                          hw_cloud *cloud, hw_diag *diag);
// Rows into blocks of neighbours, and the tree over them; tree NULL: only the blocks. Errors as above. The same for any
// number of threads.
hw_status hw_tree_build(const hw_neighbours *problem, bool of_queries, hw_pool *pool, uint32_t n_threads,
                        hw_cloud *cloud, hw_tree *tree, hw_diag *diag);
void hw_cloud_release(hw_cloud *cloud);
void hw_tree_release(hw_tree *tree);

// Do the sizes and the method call for a tree? A pure function. Where the sizes do not but the points may, both ways
// are tried on a few queries; the result does not depend on the way.
bool hw_nearest_searches(const hw_neighbours *problem);

// hw_cpu_nearest at one level.
hw_status hw_cpu_nearest_at(const hw_neighbours *problem, unsigned level, hw_pool *pool, uint32_t n_threads,
                            hw_diag *diag);

// Writes the result of one query from a sorted list, in which places without a point have HW_NO_POINT; f32 distances
// and indices are in one number, the distance's bits above the index.
void hw_nearest_write_f32(const hw_nearest_job *job, uint32_t query, const uint64_t *list);
void hw_nearest_write_f64(const hw_nearest_job *job, uint32_t query, const double *distance, const uint64_t *index);

extern const hw_nearest_level hw_nearest_base_f32, hw_nearest_base_f64, hw_nearest_avx2_f32, hw_nearest_avx2_f64,
    hw_nearest_avx512_f32, hw_nearest_avx512_f64;

#endif
