// What the tests of nearest neighbours share: point sets of every kind, and the plain loop over all pairs.
#ifndef HW_TEST_POINTS_TEST_H
#define HW_TEST_POINTS_TEST_H

#include <math.h>

#include "op_test.h"

typedef enum kind {
    UNIFORM, EQUAL, PAIRS, GRID, LINE, CLUSTERS, FAR, MAGNITUDES, INFINITIES, HUGE_DISTANCES,
    DEVICE_KINDS,                     // those before are tried on every device, the others on processors only
    HALF_EQUAL = DEVICE_KINDS, AXIS, ALL_INFINITE, DENORMAL, NEAR_MOST,
    KINDS,
} kind;
static const char *const kind_names[KINDS] = {"uniform",    "equal",      "pairs", "grid",       "line",
                                              "clusters",   "far",        "magnitudes", "infinities", "huge",
                                              "half equal", "along axis", "all infinite", "denormal", "near the most"};

static inline double uniform(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

// Coordinate `axis` of point i of n. along: the point's place, in [0, 1).
static inline double coordinate(kind what, uint64_t i, uint64_t n, uint32_t axis, double along) {
    const uint64_t cluster = i % 7;
    switch (what) {
        case EQUAL: return 3.25;
        case PAIRS: return (double)(i * 2654435761u % (n / 2 + 1));   // each point about twice
        case GRID: return floor(uniform() * 4);
        case LINE: return along * (axis + 1);
        case CLUSTERS: return (double)(cluster * 37 % 11) + 1e-4 * (uniform() + uniform() - 1);
        case FAR: return i % 97 == 5 ? (uniform() - 0.5) * 2e6 : (double)(cluster * 37 % 11) / 11 + 1e-4 * uniform();
        case MAGNITUDES: return ldexp(uniform() - 0.5, (int)(uniform() * 120) - 60);
        case INFINITIES: return uniform() < 0.1 ? INFINITY : uniform() < 0.1 ? -INFINITY : uniform();
        case HUGE_DISTANCES: return (uniform() - 0.5) * 1e30;
        case HALF_EQUAL: return i % 2 ? 0.25 : uniform();
        case AXIS: return axis ? 7 : along;
        case ALL_INFINITE: return INFINITY;
        case DENORMAL: return uniform() * 0x1p-140;   // whose squares vanish in f32
        case NEAR_MOST: return (uniform() - 0.5) * 6e38;
        default: return uniform();
    }
}

// Rounded to the type, as doubles, row by row. Free with free.
static inline double *make_rows(kind what, uint64_t n, uint32_t dims, bool is_f64) {
    double *rows = malloc((n * dims + 1) * sizeof *rows);
    assert_non_null(rows);
    for (uint64_t i = 0; i < n; i++) {
        const double along = uniform();
        for (uint32_t a = 0; a < dims; a++) {
            const double x = coordinate(what, i, n, a, along);
            rows[i * dims + a] = is_f64 ? x : (double)(float)x;
        }
    }
    return rows;
}

// As src/op/nearest/neighbours.h says.
static inline double plain_distance(const double *p, const double *q, uint32_t dims, bool is_f64) {
    double sum = 0;
    for (uint32_t a = 0; a < dims; a++) {
        if (is_f64) {
            const double t = p[a] - q[a];
            sum = a ? fma(t, t, sum) : t * t;
        } else {
            const float t = (float)p[a] - (float)q[a];
            sum = a ? fmaf(t, t, (float)sum) : t * t;
        }
    }
    return isnan(sum) ? INFINITY : sum;
}

// Rows, as make_rows makes them. limit: of the squared distance.
typedef struct plain_problem {
    const double *points, *queries;
    uint64_t n, n_queries;
    uint32_t dims, k;
    bool is_f64, is_self;
    double limit;
} plain_problem;

static inline void find_plainly(const plain_problem *p, int64_t *index, double *best) {
    for (uint64_t q = 0; q < p->n_queries; q++) {
        int64_t *to = index + q * p->k;
        double *d = best + q * p->k;
        uint32_t kept = 0;
        for (uint64_t i = 0; i < p->n; i++) {
            if (p->is_self && i == q) continue;
            const double is = plain_distance(p->points + i * p->dims, p->queries + q * p->dims, p->dims, p->is_f64);
            if (!(is <= p->limit) || (kept == p->k && !(is < d[kept - 1]))) continue;
            uint32_t j = kept < p->k ? kept++ : kept - 1;
            for (; j > 0 && is < d[j - 1]; j--) {
                d[j] = d[j - 1];
                to[j] = to[j - 1];
            }
            d[j] = is;
            to[j] = (int64_t)i;
        }
        for (; kept < p->k; kept++) {
            d[kept] = INFINITY;
            to[kept] = -1;
        }
    }
}

#endif
