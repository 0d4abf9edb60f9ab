// Nearest neighbours in the plainest form, as kernels and the processor's version see them, after all arguments have
// been checked; and what every version computes, to the bit.
#ifndef HW_OP_NEIGHBOURS_H
#define HW_OP_NEIGHBOURS_H

#include "base/pool.h"
#include "halfwarp.h"

enum { HW_NEIGHBOURS_DIMS = 16, HW_NEIGHBOURS_K = 128 };

// Rows of dims coordinates: coordinate a of row i is data[i * row_stride + a * axis_stride].
typedef struct hw_point_rows {
    const void *data;
    uint64_t count;                          // below 2^31
    int64_t row_stride, axis_stride;         // elements; any, 0 and negative ones included
} hw_point_rows;

// For each query the k nearest points, the nearest first.
//
// Type         float, or double when is_f64, of coordinates, distances and every step of the arithmetic.
// Distance     s = (p0 - q0) * (p0 - q0), then s = fma(pa - qa, pa - qa, s) for a = 1, 2, ...: no other contraction, no
//              other order, denormals kept. An s that is NaN (infinite coordinates that are equal) counts as infinite.
// Neighbours   All points whose distance is at most radius_squared; not the query itself where `self`. A distance that
//              is infinite is one like others while radius_squared is infinite. In the order of distance, then index.
// Missing      index -1, distance infinite.
// NaN          The processor's version looks for NaN coordinates itself, before anything is written: the lowest row, of
//              the points first (hw_neighbours_refuse).
typedef struct hw_neighbours {
    uint32_t dims, k;                        // 1 to 16, 1 to 128
    bool is_f64;
    bool self;                               // queries are the points, with the same strides: none is its own neighbour
    double radius_squared;                   // a value of the type; infinite: any distance
    hw_nearest_method method;
    hw_point_rows points, queries;
    int64_t *indices;                        // queries.count rows of k
    void *squared_distances;                 // alike; or NULL
} hw_neighbours;

// HW_USAGE, with the row that has a NaN coordinate.
hw_status hw_neighbours_refuse(bool in_queries, uint64_t row, hw_diag *diag);

// On this machine's processors (src/op/nearest/cpu): pool of n_threads workers. queries.count is not 0. HW_NO_MEMORY;
// HW_USAGE for a NaN. Deterministic.
hw_status hw_cpu_nearest(const hw_neighbours *problem, hw_pool *pool, uint32_t n_threads, hw_diag *diag);

// What it would do, in words; data may be NULL.
const char *hw_cpu_nearest_explain(const hw_neighbours *problem, char *text, size_t text_bytes);

#endif
