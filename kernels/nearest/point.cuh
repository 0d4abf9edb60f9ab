// Points of DIMS coordinates, their distance to the bit as halfwarp.h defines it, and the order of neighbours.
//
//   REAL_BYTES   4: float, 8: double
//   DIMS         1 to 16
//   K            neighbours for each query, 1 to 128
#ifndef HALFWARP_NEAREST_POINT_CUH
#define HALFWARP_NEAREST_POINT_CUH

#include "common/word.cuh"

#ifndef REAL_BYTES
#define REAL_BYTES 4
#endif
#ifndef DIMS
#define DIMS 3
#endif
#ifndef K
#define K 1
#endif

#if REAL_BYTES == 4
typedef float real;
#else
typedef double real;
#endif

constexpr unsigned NONE = 0xffffffffu;   // the index that comes after all others
constexpr unsigned ALL_LANES = 0xffffffffu;

// Coordinates between points in shared memory and in scratch memory: whole words of up to 16 bytes, so that a point is
// loaded in as few instructions as possible.
constexpr int PITCH = DIMS * REAL_BYTES <= 4 ? 1 : DIMS * REAL_BYTES <= 8 ? 8 / REAL_BYTES
                    : (DIMS * REAL_BYTES + 15) / 16 * 16 / REAL_BYTES;
constexpr int WORD_BYTES = PITCH * REAL_BYTES < 16 ? PITCH * REAL_BYTES : 16;
constexpr int WORD_REALS = WORD_BYTES / REAL_BYTES;

struct point { real at[DIMS]; };

// Rows of coordinates as the caller has them; strides in elements.
struct rows_shape {
    long long row_stride, axis_stride;
    unsigned count;
};

__device__ __forceinline__ real infinity() {
#if REAL_BYTES == 4
    return __int_as_float(0x7f800000);
#else
    return __longlong_as_double(0x7ff0000000000000ll);
#endif
}

__device__ __forceinline__ real multiply_add(real a, real b, real c) {
#if REAL_BYTES == 4
    return fmaf(a, b, c);
#else
    return fma(a, b, c);
#endif
}

// The other one where one is NaN.
__device__ __forceinline__ real smaller(real a, real b) {
#if REAL_BYTES == 4
    return fminf(a, b);
#else
    return fmin(a, b);
#endif
}

__device__ __forceinline__ real larger(real a, real b) {
#if REAL_BYTES == 4
    return fmaxf(a, b);
#else
    return fmax(a, b);
#endif
}

// Squared. NaN where infinite coordinates are equal, which counts as infinite.
__device__ __forceinline__ real distance(const point &p, const point &q) {
    real difference = p.at[0] - q.at[0], sum = difference * difference;
#pragma unroll
    for (int a = 1; a < DIMS; a++) {
        difference = p.at[a] - q.at[a];
        sum = multiply_add(difference, difference, sum);
    }
    return sum;
}

__device__ __forceinline__ point load_row(const real *__restrict__ rows, const rows_shape &shape, unsigned row) {
    point p;
    const real *from = rows + row * shape.row_stride;
#pragma unroll
    for (int a = 0; a < DIMS; a++) p.at[a] = from[a * shape.axis_stride];
    return p;
}

// Of points that lie PITCH apart.
__device__ __forceinline__ point load_packed(const real *points, unsigned long long index) {
    point p;
    const real *from = points + index * PITCH;
#pragma unroll
    for (int w = 0; w < DIMS; w += WORD_REALS) {
        parts_of<real, WORD_REALS> word;
        word.whole = *(const word_of<WORD_BYTES> *)(from + w);
#pragma unroll
        for (int i = 0; i < WORD_REALS; i++)
            if (w + i < DIMS) p.at[w + i] = word.parts[i];
    }
    return p;
}

__device__ __forceinline__ void store_packed(real *points, unsigned long long index, const point &p) {
    real *to = points + index * PITCH;
#pragma unroll
    for (int w = 0; w < DIMS; w += WORD_REALS) {
        parts_of<real, WORD_REALS> word;
#pragma unroll
        for (int i = 0; i < WORD_REALS; i++) word.parts[i] = w + i < DIMS ? p.at[w + i] : 0;
        *(word_of<WORD_BYTES> *)(to + w) = word.whole;
    }
}

// A neighbour: nearer ones come first, of those at the same distance the lower index.
struct neighbour {
    real distance;
    unsigned index;
};

__device__ __forceinline__ bool before(const neighbour &a, const neighbour &b) {
    return a.distance < b.distance || (a.distance == b.distance && a.index < b.index);
}

// The beginning of the scratch memory, zero when a call begins: what is known of all coordinates before a result is
// written.
struct findings {
    unsigned nan_point, nan_query;     // NONE - the first row with a NaN; 0: there is none
    unsigned arrived, generation;      // of blocks that wait for each other
    unsigned runs, unresolved;         // 90_index.cu
};
constexpr unsigned BEHIND_FINDINGS = 256;   // bytes: here the rest of the scratch memory begins

__device__ __forceinline__ bool refused(const findings *found) { return found->nan_point | found->nan_query; }

__device__ __forceinline__ void write_neighbour(long long *indices, real *distances, unsigned long long place,
                                                const neighbour &n) {
    indices[place] = n.index == NONE ? -1ll : (long long)n.index;
    if (distances) distances[place] = n.index == NONE ? infinity() : n.distance;
}

#endif
