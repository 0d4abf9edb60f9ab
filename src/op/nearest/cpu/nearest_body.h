// Nearest neighbours at one instruction-set level and in one type. The file that includes this has defined
//
//   REAL, REAL_IS_F64, LANES    the type of coordinates, and how many of them a vector has
//   vec                         LOAD(p), STORE(p, v), SET(x), SUB, MUL, MAX, MIN (the second operand where one is NaN),
//                               FMA(a, b, c) = a * b + c rounded once
//   LT, LE, EQ(a, b)            a bit for each lane, none where one is NaN
//   LEAST(v)                    the least lane
//   BRUTE_VECS                  vectors of queries that are held while the points go by
//   UNROLL                      before a loop over vectors: what unrolls it
//   INLINE                      before a function that is a part of others
//   FOR_DIMS(call)              call(dims), with dims a constant where that is worth its code
//
// and, for REAL float, may define INSERT(list, elems, key), which puts a number into an ascending list in place of its
// last one.
#include <math.h>
#include <string.h>

#include "op/nearest/cpu/nearest.h"

#define PACK (HW_BLOCK / LANES)               // vectors for the lanes of a block
#define GROUP_BLOCKS (BRUTE_VECS * LANES / HW_BLOCK)

typedef struct pack {
    vec v[PACK];
} pack;

// A block of queries on its way.
typedef struct group {
    _Alignas(64) REAL worst[HW_BLOCK];        // distance of the last one kept; -1 in lanes without a query
    _Alignas(64) uint32_t worst_index[HW_BLOCK];
    const hw_nearest_job *job;
    const REAL *coords;                       // of the queries: [axis][HW_BLOCK]
    const REAL *points;
    uint64_t block;                           // which block of the queries it is
    uint32_t k, elems;                        // of a list
    uint64_t *lists;                          // ascending; f32: distance and index in one; f64: distances, then indices
} group;

static const REAL inf_at[HW_BLOCK][HW_BLOCK] = {
    [0][0] = INFINITY,   [1][1] = INFINITY,   [2][2] = INFINITY,   [3][3] = INFINITY,
    [4][4] = INFINITY,   [5][5] = INFINITY,   [6][6] = INFINITY,   [7][7] = INFINITY,
    [8][8] = INFINITY,   [9][9] = INFINITY,   [10][10] = INFINITY, [11][11] = INFINITY,
    [12][12] = INFINITY, [13][13] = INFINITY, [14][14] = INFINITY, [15][15] = INFINITY,
};

// ---- Lists ----------------------------------------------------------------------------------------------------------

#if REAL_IS_F64
enum { LIST_WORDS = 2 };

INLINE double *list_distances(const group *g, unsigned lane) {
    return (double *)(g->lists + (size_t)lane * g->elems * LIST_WORDS);
}

static void list_clear(const group *g, unsigned lane) {
    double *distance = list_distances(g, lane);
    uint64_t *index = (uint64_t *)(distance + g->elems);
    for (uint32_t i = 0; i < g->elems; i++) distance[i] = g->job->limit, index[i] = HW_NO_POINT;
}

INLINE void list_insert(group *g, unsigned lane, REAL d, uint32_t row) {
    double *distance = list_distances(g, lane);
    uint64_t *index = (uint64_t *)(distance + g->elems);
    uint32_t i = g->k - 1;
    for (; i > 0 && (distance[i - 1] > d || (distance[i - 1] == d && index[i - 1] > row)); i--)
        distance[i] = distance[i - 1], index[i] = index[i - 1];
    distance[i] = d;
    index[i] = row;
    g->worst[lane] = distance[g->k - 1];
    g->worst_index[lane] = (uint32_t)index[g->k - 1];
}

static void group_write(const group *g, unsigned lane, uint32_t row) {
    if (g->k == 1) {
        double distance = g->worst[lane];
        uint64_t index = g->worst_index[lane];
        hw_nearest_write_f64(g->job, row, &distance, &index);
    } else {
        const double *distance = list_distances(g, lane);
        hw_nearest_write_f64(g->job, row, distance, (const uint64_t *)(distance + g->elems));
    }
}
#else
enum { LIST_WORDS = 1 };

#ifndef INSERT
#define INSERT insert_singly
INLINE void insert_singly(uint64_t *list, uint32_t elems, uint64_t key) {
    uint32_t i = elems - 1;
    for (; i > 0 && list[i - 1] > key; i--) list[i] = list[i - 1];
    list[i] = key;
}
#endif

// No distance is negative: their bits are in their order.
INLINE uint64_t key_of(float d, uint32_t row) {
    uint32_t bits;
    memcpy(&bits, &d, sizeof bits);
    return (uint64_t)bits << 32 | row;
}

static void list_clear(const group *g, unsigned lane) {
    uint64_t *list = g->lists + (size_t)lane * g->elems, none = key_of((float)g->job->limit, HW_NO_POINT);
    for (uint32_t i = 0; i < g->elems; i++) list[i] = none;
}

INLINE void list_insert(group *g, unsigned lane, REAL d, uint32_t row) {
    uint64_t *list = g->lists + (size_t)lane * g->elems;
    INSERT(list, g->elems, key_of(d, row));
    uint64_t last = list[g->k - 1];
    uint32_t bits = (uint32_t)(last >> 32);
    memcpy(&g->worst[lane], &bits, sizeof bits);
    g->worst_index[lane] = (uint32_t)last;
}

static void group_write(const group *g, unsigned lane, uint32_t row) {
    uint64_t one = key_of(g->worst[lane], g->worst_index[lane]);
    hw_nearest_write_f32(g->job, row, g->k == 1 ? &one : g->lists + (size_t)lane * g->elems);
}
#endif

static void group_begin(group *g, const hw_nearest_job *job, uint64_t block, void *lists, int dims) {
    const uint32_t *rows = job->queries.index + block * HW_BLOCK;
    g->job = job;
    g->coords = (const REAL *)job->queries.coords + block * HW_BLOCK * (unsigned)dims;
    g->points = job->points.coords;
    g->block = block;
    g->k = job->problem->k;
    g->elems = job->list_elems;
    g->lists = lists;
    for (unsigned lane = 0; lane < HW_BLOCK; lane++) {
        g->worst[lane] = rows[lane] == HW_NO_POINT ? -1 : (REAL)job->limit;
        g->worst_index[lane] = HW_NO_POINT;
        if (g->k > 1) list_clear(g, lane);
    }
}

static void group_end(const group *g) {
    const uint32_t *rows = g->job->queries.index + g->block * HW_BLOCK;
    for (unsigned lane = 0; lane < HW_BLOCK; lane++)
        if (rows[lane] != HW_NO_POINT) group_write(g, lane, rows[lane]);
}

// ---- A query and a block of points ----------------------------------------------------------------------------------

INLINE unsigned pack_less(const pack *a, const REAL *b) {
    unsigned mask = 0;
    UNROLL for (int i = 0; i < PACK; i++) mask |= LT(a->v[i], LOAD(b + i * LANES)) << (i * LANES);
    return mask;
}

INLINE unsigned pack_equal(const pack *a, const REAL *b) {
    unsigned mask = 0;
    UNROLL for (int i = 0; i < PACK; i++) mask |= EQ(a->v[i], LOAD(b + i * LANES)) << (i * LANES);
    return mask;
}

// The distances of one query to the points of a block.
INLINE pack point_distances(const REAL *query, const REAL *points, int dims) {
    pack s;
    const vec first = SET(query[0]);
    UNROLL for (int i = 0; i < PACK; i++) {
        vec difference = SUB(LOAD(points + i * LANES), first);
        s.v[i] = MUL(difference, difference);
    }
    for (int a = 1; a < dims; a++) {
        const vec q = SET(query[a * HW_BLOCK]);
        UNROLL for (int i = 0; i < PACK; i++) {
            vec difference = SUB(LOAD(points + a * HW_BLOCK + i * LANES), q);
            s.v[i] = FMA(difference, difference, s.v[i]);
        }
    }
    return s;
}

INLINE uint32_t lowest_row(const uint32_t *rows, unsigned mask) {
    uint32_t lowest = rows[__builtin_ctz(mask)];
    while (mask &= mask - 1)
        if (rows[__builtin_ctz(mask)] < lowest) lowest = rows[__builtin_ctz(mask)];
    return lowest;
}

// k = 1: the nearest of a block at once.
INLINE void take_nearest(group *g, unsigned lane, const pack *s, const uint32_t *rows) {
    vec least = s->v[0];
    UNROLL for (int i = 1; i < PACK; i++) least = MIN(least, s->v[i]);
    const REAL d = LEAST(least);
    if (!(d <= g->worst[lane])) return;
    unsigned mask = 0;
    UNROLL for (int i = 0; i < PACK; i++) mask |= EQ(s->v[i], SET(d)) << (i * LANES);
    const uint32_t row = lowest_row(rows, mask);
    if (d == g->worst[lane] && row > g->worst_index[lane]) return;
    g->worst[lane] = d;
    g->worst_index[lane] = row;
}

static void take_several(group *g, unsigned lane, const pack *s, unsigned mask, const uint32_t *rows) {
    _Alignas(64) REAL distance[HW_BLOCK];
    UNROLL for (int i = 0; i < PACK; i++) STORE(distance + i * LANES, s->v[i]);
    for (; mask; mask &= mask - 1) {
        const unsigned i = (unsigned)__builtin_ctz(mask);
        const REAL d = distance[i];
        if (d < g->worst[lane] || (d == g->worst[lane] && rows[i] < g->worst_index[lane]))
            list_insert(g, lane, d, rows[i]);
    }
}

INLINE void visit(group *g, uint64_t block, unsigned lane, bool is_own, int dims) {
    const uint32_t *rows = g->job->points.index + block * HW_BLOCK;
    pack s = point_distances(g->coords + lane, g->points + block * HW_BLOCK * (unsigned)dims, dims);
    if (is_own) UNROLL for (int i = 0; i < PACK; i++) s.v[i] = MAX(s.v[i], LOAD(inf_at[lane] + i * LANES));
    const vec worst = SET(g->worst[lane]);
    unsigned mask = 0;
    UNROLL for (int i = 0; i < PACK; i++) mask |= LE(s.v[i], worst) << (i * LANES);
    if (!mask) return;
    if (g->k == 1) take_nearest(g, lane, &s, rows);
    else take_several(g, lane, &s, mask, rows);
}

// ---- Search ---------------------------------------------------------------------------------------------------------

// How far the queries are outside of a box along one axis.
INLINE vec outside(const vec low, const vec high, const REAL *query) {
    const vec q = LOAD(query);
    return MAX(MAX(SUB(low, q), SUB(q, high)), SET(0));
}

// The distance of a node's box to each query: at most what is computed for any point in the box.
INLINE pack box_distances(const group *g, uint32_t node, int dims) {
    const REAL *low = (const REAL *)g->job->tree.boxes + (size_t)node * 2 * (unsigned)dims, *high = low + dims;
    pack s;
    UNROLL for (int i = 0; i < PACK; i++) {
        const vec t = outside(SET(low[0]), SET(high[0]), g->coords + i * LANES);
        s.v[i] = MUL(t, t);
    }
    for (int a = 1; a < dims; a++) {
        UNROLL for (int i = 0; i < PACK; i++) {
            const vec t = outside(SET(low[a]), SET(high[a]), g->coords + a * HW_BLOCK + i * LANES);
            s.v[i] = FMA(t, t, s.v[i]);
        }
    }
    return s;
}

// The queries for which there may be something under a node.
INLINE unsigned wanting(const group *g, uint32_t node, const pack *s) {
    unsigned mask = pack_less(s, g->worst), ties = pack_equal(s, g->worst);
    if (__builtin_expect(ties != 0, 0)) {
        const uint32_t lowest = g->job->tree.min_index[node];
        for (; ties; ties &= ties - 1)
            if (lowest < g->worst_index[__builtin_ctz(ties)]) mask |= ties & -ties;
    }
    return mask;
}

INLINE void visit_leaf(group *g, uint64_t block, unsigned mask, bool is_own, int dims) {
    for (; mask; mask &= mask - 1) visit(g, block, (unsigned)__builtin_ctz(mask), is_own, dims);
}

// Whether most queries are nearer to b than to a; else the lower row goes first.
INLINE bool comes_first(const hw_tree *tree, uint32_t b, const pack *to_b, uint32_t a, const pack *to_a) {
    unsigned b_nearer = 0, a_nearer = 0;
    UNROLL for (int i = 0; i < PACK; i++) {
        b_nearer |= LT(to_b->v[i], to_a->v[i]) << (i * LANES);
        a_nearer |= LT(to_a->v[i], to_b->v[i]) << (i * LANES);
    }
    const int difference = __builtin_popcount(b_nearer) - __builtin_popcount(a_nearer);
    return difference ? difference > 0 : tree->min_index[b] < tree->min_index[a];
}

enum { STACK = 64 };   // HW_TREE_MAX_DEPTH levels above the buckets, and at most 27 of halves within

typedef struct waiting {
    pack distances;
    uint32_t node;
} waiting;

INLINE void search_below(group *g, uint32_t root, waiting *stack, int dims) {
    const hw_tree *tree = &g->job->tree;
    uint32_t node = root, depth = 0;
    pack s = box_distances(g, root, dims);
    unsigned mask = wanting(g, root, &s);
    for (;;) {
        while (mask && !(tree->child[node] & HW_NODE_LEAF)) {
            uint32_t a = tree->child[node], b = a + 1;
            pack to_a = box_distances(g, a, dims), to_b = box_distances(g, b, dims);
            unsigned want_a = wanting(g, a, &to_a), want_b = wanting(g, b, &to_b);
            const bool b_first = want_a && want_b ? comes_first(tree, b, &to_b, a, &to_a) : want_b != 0;
            if (want_a && want_b) {
                stack[depth].node = b_first ? a : b;
                stack[depth++].distances = b_first ? to_a : to_b;
            }
            node = b_first ? b : a;
            mask = b_first ? want_b : want_a;
        }
        if (mask) {
            const uint64_t block = tree->child[node] & ~HW_NODE_LEAF;
            visit_leaf(g, block, mask, g->job->problem->self && block == g->block, dims);
        }
        do {
            if (!depth) return;
            node = stack[--depth].node;
            mask = wanting(g, node, &stack[depth].distances);
        } while (!mask);
    }
}

INLINE bool has_width(const REAL *box, int dims) {
    bool width = false;
    for (int a = 0; a < dims; a++) width |= box[a] < box[dims + a];
    return width;
}

INLINE void search_dims(const hw_nearest_job *job, uint64_t first, uint64_t end, void *lists, int dims) {
    const hw_tree *tree = &job->tree;
    waiting stack[STACK];
    for (uint64_t block = first; block < end; block++) {
        group g;
        group_begin(&g, job, block, lists, dims);
        // The search goes from the queries' own block upwards, since near points come first so. But where all points of
        // the block are equal there may be many such blocks, and the search from the root finds the lowest rows.
        uint32_t node = job->problem->self ? tree->leaf[block] : 1;
        if (!has_width((const REAL *)tree->boxes + (size_t)node * 2 * (unsigned)dims, dims)) node = 1;
        for (uint32_t next = node;; next = node ^ 1, node = tree->parent[node / 2]) {
            search_below(&g, next, stack, dims);
            if (node == 1) break;
        }
        group_end(&g);
    }
}

static void search_tree(const hw_nearest_job *job, uint64_t first, uint64_t end, void *lists) {
#define SEARCH(dims) search_dims(job, first, end, lists, dims)
    FOR_DIMS(SEARCH);
}

// ---- Every pair -----------------------------------------------------------------------------------------------------

// Where vector r of the queries' coordinates along an axis is.
INLINE vec brute_query(const REAL *const *queries, int r, int axis) {
    return LOAD(queries[r * LANES / HW_BLOCK] + axis * HW_BLOCK + r * LANES % HW_BLOCK);
}

// The least distance of each query to the points of a block.
INLINE void least_distances(const REAL *points, const REAL *const *queries, vec least[BRUTE_VECS], int dims) {
    UNROLL for (int r = 0; r < BRUTE_VECS; r++) least[r] = SET(INFINITY);
    for (int j = 0; j < HW_BLOCK; j++) {
        vec s[BRUTE_VECS];
        const vec first = SET(points[j]);
        UNROLL for (int r = 0; r < BRUTE_VECS; r++) {
            const vec t = SUB(first, brute_query(queries, r, 0));
            s[r] = MUL(t, t);
        }
        for (int a = 1; a < dims; a++) {
            const vec p = SET(points[a * HW_BLOCK + j]);
            UNROLL for (int r = 0; r < BRUTE_VECS; r++) {
                const vec t = SUB(p, brute_query(queries, r, a));
                s[r] = FMA(t, t, s[r]);
            }
        }
        UNROLL for (int r = 0; r < BRUTE_VECS; r++) least[r] = MIN(s[r], least[r]);
    }
}

INLINE void brute_dims(const hw_nearest_job *job, uint64_t first, uint64_t end, char *lists, int dims) {
    const uint64_t n_blocks = job->points.n_blocks;
    const size_t list_bytes = (size_t)HW_BLOCK * job->list_elems * LIST_WORDS * sizeof(uint64_t);
    for (uint64_t block = first; block < end; block += GROUP_BLOCKS) {
        group groups[GROUP_BLOCKS];
        const REAL *queries[GROUP_BLOCKS];
        const uint64_t count = end - block < GROUP_BLOCKS ? end - block : GROUP_BLOCKS;
        for (unsigned i = 0; i < GROUP_BLOCKS; i++) {
            group_begin(&groups[i], job, block + (i < count ? i : 0), lists + i * list_bytes, dims);
            queries[i] = groups[i].coords;
            for (unsigned lane = 0; lane < HW_BLOCK && i >= count; lane++) groups[i].worst[lane] = -1;
        }
        for (uint64_t b = 0; b < n_blocks; b++) {
            vec least[BRUTE_VECS];
            least_distances(groups[0].points + b * HW_BLOCK * (unsigned)dims, queries, least, dims);
            UNROLL for (int r = 0; r < BRUTE_VECS; r++) {
                group *g = &groups[r * LANES / HW_BLOCK];
                unsigned mask = LE(least[r], LOAD(g->worst + r * LANES % HW_BLOCK)) << (r * LANES % HW_BLOCK);
                for (; mask; mask &= mask - 1)
                    visit(g, b, (unsigned)__builtin_ctz(mask), job->problem->self && b == g->block, dims);
            }
        }
        for (unsigned i = 0; i < count; i++) group_end(&groups[i]);
    }
}

static void search_all_blocks(const hw_nearest_job *job, uint64_t first, uint64_t end, void *lists) {
#define BRUTE(dims) brute_dims(job, first, end, lists, dims)
    FOR_DIMS(BRUTE);
}
