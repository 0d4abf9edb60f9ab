// The steps of building a tree, in the type REAL. A record is dims coordinates and the number of the row in the bits of
// one more.
#include <math.h>
#include <string.h>

#include "base/integers.h"
#include "op/nearest/cpu/nearest_tree.h"

#define INLINE static inline __attribute__((always_inline))
enum { DIMS = HW_NEIGHBOURS_DIMS };

typedef struct record {
    REAL x[DIMS + 1];
} record;

INLINE void record_copy(REAL *to, const REAL *from, int dims) {
    if (dims <= 4) memcpy(to, from, (size_t)(dims + 1) * sizeof(REAL));   // one or two moves
    else
        for (int a = 0; a <= dims; a++) memcpy(to + a, from + a, sizeof(REAL));
}

INLINE uint32_t record_row(const REAL *r, int dims) {
    uint32_t row;
    memcpy(&row, r + dims, sizeof row);
    return row;
}

typedef enum row_kind { ROW_FINITE, ROW_INFINITE, ROW_NAN } row_kind;

INLINE row_kind row_read(const hw_point_rows *rows, uint64_t i, REAL *x, int dims) {
    const REAL *from = (const REAL *)rows->data + (int64_t)i * rows->row_stride;
    REAL odd = 0;   // becomes NaN
    for (int a = 0; a < dims; a++) {
        x[a] = from[a * rows->axis_stride];
        odd += x[a] - x[a];
    }
    if (odd == 0) return ROW_FINITE;
    for (int a = 0; a < dims; a++)
        if (x[a] != x[a]) return ROW_NAN;
    return ROW_INFINITE;
}

// ---- Boxes and cuts -------------------------------------------------------------------------------------------------

INLINE void box_of(const REAL *records, uint64_t n, REAL *low, REAL *high, int dims) {
    for (int a = 0; a < dims; a++) low[a] = INFINITY, high[a] = -INFINITY;
    for (uint64_t i = 0; i < n; i++, records += dims + 1)
        for (int a = 0; a < dims; a++) {
            low[a] = records[a] < low[a] ? records[a] : low[a];
            high[a] = records[a] > high[a] ? records[a] : high[a];
        }
}

// The widest axis; -1: no width at all.
INLINE int widest(const REAL *low, const REAL *high, int dims) {
    int axis = -1;
    REAL width = 0;
    for (int a = 0; a < dims; a++)
        if (high[a] - low[a] > width) width = high[a] - low[a], axis = a;
    return axis;
}

// Puts records with a coordinate below (or not above) the pivot first; returns how many. Without a branch on the data:
// each record changes places with the first of the others.
INLINE uint64_t partition(REAL *records, uint64_t n, int axis, REAL pivot, bool or_equal, int dims) {
    uint64_t left = 0;
    for (uint64_t i = 0; i < n; i++) {
        REAL *here = records + i * (unsigned)(dims + 1), *first = records + left * (unsigned)(dims + 1);
        record moved;
        const REAL key = here[axis];
        record_copy(moved.x, here, dims);
        record_copy(here, first, dims);
        record_copy(first, moved.x, dims);
        left += or_equal ? key <= pivot : key < pivot;
    }
    return left;
}

INLINE void insertion_sort(REAL *records, uint64_t n, int axis, int dims) {
    for (uint64_t i = 1; i < n; i++) {
        record moved;
        record_copy(moved.x, records + i * (unsigned)(dims + 1), dims);
        uint64_t j = i;
        for (; j > 0 && records[(j - 1) * (unsigned)(dims + 1) + axis] > moved.x[axis]; j--)
            record_copy(records + j * (unsigned)(dims + 1), records + (j - 1) * (unsigned)(dims + 1), dims);
        record_copy(records + j * (unsigned)(dims + 1), moved.x, dims);
    }
}

// The coordinate near rank `target` of n, from a few evenly spaced records.
INLINE REAL choose_pivot(const REAL *records, uint64_t n, uint64_t target, int axis, int dims) {
    enum { MOST = 31 };
    REAL keys[MOST];
    const unsigned count = n > 1000 ? MOST : n > 200 ? 15 : 5;
    for (unsigned i = 0; i < count; i++) {
        REAL key = records[(i * (n - 1) / (count - 1)) * (unsigned)(dims + 1) + axis];
        unsigned j = i;
        for (; j > 0 && keys[j - 1] > key; j--) keys[j] = keys[j - 1];
        keys[j] = key;
    }
    const unsigned rank = (unsigned)((double)target / (double)n * count);
    return keys[rank < count ? rank : count - 1];
}

// Afterwards the first `target` records are none above the rest. 0 < target < n.
INLINE void select_records(REAL *records, uint64_t n, uint64_t target, int axis, int dims) {
    enum { FEW = 12 };
    while (n > FEW) {
        const REAL pivot = choose_pivot(records, n, target, axis, dims);
        uint64_t left = partition(records, n, axis, pivot, false, dims);
        if (left == 0) {   // the pivot is the least: those that equal it are in their places
            left = partition(records, n, axis, pivot, true, dims);
            if (target <= left) return;
        }
        if (target == left) return;
        if (target < left) {
            n = left;
        } else {
            records += left * (unsigned)(dims + 1);
            n -= left;
            target -= left;
        }
    }
    insertion_sort(records, n, axis, dims);
}

// ---- The top, from a sample -----------------------------------------------------------------------------------------

// A value that has records on either side of it: the median, or where that is the least one, the next.
INLINE REAL cut_value(REAL *records, uint64_t n, int axis, REAL low, int dims) {
    select_records(records, n, n / 2, axis, dims);
    REAL value = INFINITY, next = INFINITY;
    for (uint64_t i = n / 2; i < n; i++) {
        const REAL key = records[i * (unsigned)(dims + 1) + axis];
        if (key < value) value = key;
        if (key > low && key < next) next = key;
    }
    return value > low ? value : next;
}

static void cut_sample(const hw_tree_plan *plan, REAL *records, uint64_t n, uint32_t node, int dims) {
    if (node >> plan->depth) return;
    REAL low[DIMS], high[DIMS], value = INFINITY;
    box_of(records, n, low, high, dims);
    int axis = n > 1 ? widest(low, high, dims) : -1;
    if (axis >= 0) value = cut_value(records, n, axis, low[axis], dims);
    plan->cut_axis[node] = (uint8_t)(axis < 0 ? 0 : axis);
    ((REAL *)plan->cut_value)[node] = value;
    uint64_t left = axis < 0 ? n : partition(records, n, axis, value, false, dims);
    cut_sample(plan, records, left, 2 * node, dims);
    cut_sample(plan, records + left * (unsigned)(dims + 1), n - left, 2 * node + 1, dims);
}

static void cut_tree_top(const hw_tree_plan *plan, void *sample, uint64_t n_samples) {
    const int dims = (int)plan->dims;
    const uint64_t n = plan->rows->count;
    uint64_t kept = 0, noise = 1;
    for (uint64_t i = 0; i < n_samples; i++) {
        // One from each n_samples-th part, not always at the same place of it: rows may have a pattern.
        noise = noise * 6364136223846793005u + 1442695040888963407u;   // Knuth's MMIX
        const uint64_t from = i * n / n_samples, to = (i + 1) * n / n_samples;
        REAL *r = (REAL *)sample + kept * (plan->dims + 1);
        r[dims] = 0;
        kept += row_read(plan->rows, from + (noise >> 33) % (to - from), r, dims) == ROW_FINITE;
    }
    cut_sample(plan, sample, kept, 1, dims);
}

// ---- Rows to buckets ------------------------------------------------------------------------------------------------

INLINE void classify_dims(const hw_tree_plan *plan, uint64_t chunk, int dims) {
    const uint32_t depth = plan->depth, n_buckets = 1u << depth;
    uint32_t *count = plan->count + chunk * n_buckets;
    const REAL *value = plan->cut_value;
    const uint64_t first = chunk * plan->chunk_rows, rest = plan->rows->count - first;
    const uint64_t end = first + (rest < plan->chunk_rows ? rest : plan->chunk_rows);
    memset(count, 0, n_buckets * sizeof *count);
    plan->nan_row[chunk] = UINT64_MAX;
    for (uint64_t i = first; i < end; i++) {
        REAL x[DIMS];
        const row_kind kind = row_read(plan->rows, i, x, dims);
        if (kind != ROW_FINITE) {
            plan->bucket[i] = HW_NO_BUCKET;
            if (kind == ROW_NAN && plan->nan_row[chunk] == UINT64_MAX) plan->nan_row[chunk] = i;
            continue;
        }
        uint32_t node = 1;
        for (uint32_t level = 0; level < depth; level++) node = 2 * node + (x[plan->cut_axis[node]] >= value[node]);
        node -= n_buckets;
        plan->bucket[i] = (uint16_t)node;
        count[node]++;
    }
}

static void classify_chunk(const hw_tree_plan *plan, uint64_t chunk) {
    switch (plan->dims) {
        case 2: classify_dims(plan, chunk, 2); break;
        case 3: classify_dims(plan, chunk, 3); break;
        default: classify_dims(plan, chunk, (int)plan->dims); break;
    }
}

INLINE void scatter_dims(const hw_tree_plan *plan, uint64_t chunk, int dims) {
    uint32_t *next = plan->count + (chunk << plan->depth);
    const uint64_t first = chunk * plan->chunk_rows, rest = plan->rows->count - first;
    const uint64_t end = first + (rest < plan->chunk_rows ? rest : plan->chunk_rows);
    for (uint64_t i = first; i < end; i++) {
        if (plan->bucket[i] == HW_NO_BUCKET) continue;
        record r;
        const uint32_t row = (uint32_t)i;
        row_read(plan->rows, i, r.x, dims);
        r.x[dims] = 0;
        memcpy(&r.x[dims], &row, sizeof row);
        record_copy((REAL *)plan->records + (uint64_t)next[plan->bucket[i]]++ * (unsigned)(dims + 1), r.x, dims);
    }
}

static void scatter_chunk(const hw_tree_plan *plan, uint64_t chunk) {
    switch (plan->dims) {
        case 2: scatter_dims(plan, chunk, 2); break;
        case 3: scatter_dims(plan, chunk, 3); break;
        default: scatter_dims(plan, chunk, (int)plan->dims); break;
    }
}

// ---- A bucket's subtree ---------------------------------------------------------------------------------------------

// Returns the lowest row.
INLINE uint32_t write_block(hw_cloud *cloud, uint64_t block, const REAL *records, uint64_t n, int dims) {
    REAL *coords = (REAL *)cloud->coords + block * HW_BLOCK * (unsigned)dims;
    uint32_t *index = cloud->index + block * HW_BLOCK, lowest = HW_NO_POINT;
    for (uint64_t i = 0; i < HW_BLOCK; i++) {
        const REAL *r = records + i * (unsigned)(dims + 1);
        for (int a = 0; a < dims; a++) coords[a * HW_BLOCK + (int)i] = i < n ? r[a] : (REAL)INFINITY;
        index[i] = i < n ? record_row(r, dims) : HW_NO_POINT;
        if (index[i] < lowest) lowest = index[i];
    }
    return lowest;
}

INLINE void write_box(hw_tree *tree, uint32_t node, const REAL *low, const REAL *high, int dims) {
    REAL *box = (REAL *)tree->boxes + (size_t)node * 2 * (unsigned)dims;
    memcpy(box, low, (size_t)dims * sizeof *low);
    memcpy(box + dims, high, (size_t)dims * sizeof *high);
}

typedef struct place {
    uint32_t node;
    uint64_t block, pair;      // the first ones of the subtree
} place;

#define DEFINE_GROW(name, dims)                                                                                        \
    static uint32_t name(const hw_tree_plan *plan, REAL *records, uint64_t n, place at) {                              \
        return grow_dims(plan, records, n, at, dims, name);                                                            \
    }

typedef uint32_t grow_function(const hw_tree_plan *plan, REAL *records, uint64_t n, place at);

INLINE uint32_t grow_dims(const hw_tree_plan *plan, REAL *records, uint64_t n, place at, int dims,
                          grow_function *again) {
    hw_tree *tree = plan->tree;
    uint32_t lowest;
    REAL low[DIMS], high[DIMS];
    const bool is_leaf = n <= HW_BLOCK;
    if (tree || !is_leaf) box_of(records, n, low, high, dims);
    if (is_leaf) {
        lowest = write_block(plan->cloud, at.block, records, n, dims);
        if (tree) tree->child[at.node] = HW_NODE_LEAF | (uint32_t)at.block, tree->leaf[at.block] = at.node;
    } else {
        const uint64_t left_blocks = (hw_divide_up(n, HW_BLOCK) + 1) / 2, left = left_blocks * HW_BLOCK;
        const int axis = widest(low, high, dims);
        if (axis >= 0) select_records(records, n, left, axis, dims);
        const place a = {(uint32_t)at.pair, at.block, at.pair + 2};
        const place b = {(uint32_t)at.pair + 1, at.block + left_blocks, at.pair + 2 * left_blocks};
        lowest = again(plan, records, left, a);
        const uint32_t right = again(plan, records + left * (unsigned)(dims + 1), n - left, b);
        if (right < lowest) lowest = right;
        if (tree) tree->child[at.node] = (uint32_t)at.pair, tree->parent[at.pair / 2] = at.node;
    }
    if (tree) {
        tree->min_index[at.node] = lowest;
        write_box(tree, at.node, low, high, dims);
    }
    return lowest;
}

DEFINE_GROW(grow_2, 2)
DEFINE_GROW(grow_3, 3)
DEFINE_GROW(grow_any, (int)plan->dims)

static void grow_bucket(const hw_tree_plan *plan, uint64_t bucket) {
    const uint64_t n = plan->first_row[bucket + 1] - plan->first_row[bucket];
    const place at = {(uint32_t)((1u << plan->depth) + bucket), plan->first_block[bucket], plan->first_pair[bucket]};
    REAL *records = (REAL *)plan->records + plan->first_row[bucket] * (plan->dims + 1);
    if (n == 0 && plan->tree) {
        REAL low[DIMS], high[DIMS];
        box_of(records, 0, low, high, (int)plan->dims);
        write_box(plan->tree, at.node, low, high, (int)plan->dims);
        plan->tree->child[at.node] = HW_NODE_EMPTY;
        plan->tree->min_index[at.node] = HW_NO_POINT;
    }
    if (n == 0) return;
    switch (plan->dims) {
        case 2: grow_2(plan, records, n, at); break;
        case 3: grow_3(plan, records, n, at); break;
        default: grow_any(plan, records, n, at); break;
    }
}

static void join_tree_top(const hw_tree_plan *plan) {
    hw_tree *tree = plan->tree;
    REAL *boxes = tree->boxes;
    const uint32_t dims = plan->dims;
    for (uint32_t node = (1u << plan->depth) - 1; node > 0; node--) {
        const REAL *a = boxes + (size_t)2 * node * 2 * dims, *b = a + 2 * dims;
        REAL *box = boxes + (size_t)node * 2 * dims;
        for (uint32_t i = 0; i < dims; i++) {
            box[i] = a[i] < b[i] ? a[i] : b[i];
            box[dims + i] = a[dims + i] > b[dims + i] ? a[dims + i] : b[dims + i];
        }
        const uint32_t left = tree->min_index[2 * node], right = tree->min_index[2 * node + 1];
        tree->min_index[node] = left < right ? left : right;
        tree->child[node] = 2 * node;
        tree->parent[node] = node;
    }
}

// ---- Without a tree -------------------------------------------------------------------------------------------------

static uint64_t gather_blocks(const hw_point_rows *rows, uint32_t dims, hw_cloud *cloud, uint64_t first, uint64_t end) {
    uint64_t nan_row = UINT64_MAX;
    for (uint64_t block = first; block < end; block++) {
        REAL *coords = (REAL *)cloud->coords + block * HW_BLOCK * dims;
        for (uint64_t i = 0; i < HW_BLOCK; i++) {
            const uint64_t row = block * HW_BLOCK + i;
            const bool is_there = row < rows->count;
            REAL x[DIMS];
            if (is_there && row_read(rows, row, x, (int)dims) == ROW_NAN && nan_row == UINT64_MAX) nan_row = row;
            for (uint32_t a = 0; a < dims; a++) coords[a * HW_BLOCK + i] = is_there ? x[a] : (REAL)INFINITY;
            cloud->index[row] = is_there ? (uint32_t)row : HW_NO_POINT;
        }
    }
    return nan_row;
}

static size_t record_bytes(uint32_t dims) { return (dims + 1) * sizeof(REAL); }
