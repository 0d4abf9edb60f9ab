// How a tree is built, in either type.
//
// The top is a heap of 2^depth - 1 cuts, found from a sample; it sends each row to one of 2^depth buckets. Rows are
// moved there as records, and each bucket becomes a subtree of its own, halved at the widest side of its box so that
// all blocks but its last are full. Everything but the sample's cuts is done by all threads.
#ifndef HW_OP_CPU_NEAREST_TREE_H
#define HW_OP_CPU_NEAREST_TREE_H

#include "op/nearest/cpu/nearest.h"

enum { HW_TREE_MAX_DEPTH = 14 };
#define HW_NO_BUCKET UINT16_MAX  // of a row that the tree does not have

typedef struct hw_tree_plan {
    const hw_point_rows *rows;
    uint32_t dims, depth;
    uint64_t n_chunks, chunk_rows;
    uint8_t *cut_axis;           // [1 << depth], from 1; a row goes right when its coordinate is at least cut_value
    void *cut_value;
    uint16_t *bucket;            // of each row
    uint32_t *count;             // [chunk][bucket]: rows; then where the next one goes
    uint64_t *nan_row;           // of each chunk: the first row with a NaN, or UINT64_MAX
    uint64_t *first_row;         // of each bucket, and one more: its place among the records
    uint64_t *first_block, *first_pair;
    void *records;               // dims coordinates and the row's number
    hw_cloud *cloud;
    hw_tree *tree;               // or NULL
} hw_tree_plan;

// What is done in one type. record_bytes of dims coordinates; sample: room for n_samples records.
typedef struct hw_tree_steps {
    size_t (*record_bytes)(uint32_t dims);
    void (*cut)(const hw_tree_plan *plan, void *sample, uint64_t n_samples);
    void (*classify)(const hw_tree_plan *plan, uint64_t chunk);
    void (*scatter)(const hw_tree_plan *plan, uint64_t chunk);
    void (*grow)(const hw_tree_plan *plan, uint64_t bucket);
    void (*join)(const hw_tree_plan *plan);   // the boxes above the buckets
    // For hw_cloud_gather: block by block. Returns the first row with a NaN, or UINT64_MAX.
    uint64_t (*gather)(const hw_point_rows *rows, uint32_t dims, hw_cloud *cloud, uint64_t first, uint64_t end);
} hw_tree_steps;

extern const hw_tree_steps hw_tree_steps_f32, hw_tree_steps_f64;

#endif
