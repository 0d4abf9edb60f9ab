// The checks of hw_matmul's arguments, in the order in which a caller would want to hear of them, and what the arrays
// are to a kernel: which operand is transposed, which batch axes are one.
#include <math.h>
#include <string.h>

#include "base/integers.h"
#include "base/text.h"
#include "op/common/family.h"
#include "op/matmul/matmul.h"

enum { A, B, C, ARRAYS };
static const char *const names[ARRAYS] = {"A", "B", "C"};

static const int64_t MOST_EXTENT = INT32_MAX;

// All three arrays. Batch strides are counted as C's axes are: 0 where one matrix serves all.
typedef struct arrays {
    const DLTensor *tensor[ARRAYS];
    hw_layout layout[ARRAYS];
    uint32_t n_batch;
    int64_t batch_stride[ARRAYS][HW_MAX_RANK];
} arrays;

// ---- Each array -----------------------------------------------------------------------------------------------------

static hw_status check_rank(const DLTensor *t, const char *name, hw_diag *diag) {
    if (!t) return hw_diag_set(diag, HW_USAGE, "%s is NULL", name);
    if (t->ndim < 2)
        return hw_diag_set(diag, HW_USAGE, "%s has rank %d; the operands of a matrix product have rank 2 or more", name,
                           (int)t->ndim);
    return HW_OK;
}

static hw_status check_extents(const hw_layout *l, hw_diag *diag) {
    for (uint32_t k = l->rank - 2; k < l->rank; k++)
        if (l->n[k] > (uint64_t)MOST_EXTENT)
            return hw_diag_set(diag, HW_UNSUPPORTED, "%s has the extent %llu in axis %u; a matrix has less than 2^31 "
                               "rows and columns", l->name, (unsigned long long)l->n[k], k);
    return HW_OK;
}

static bool is_type(DLDataType type, uint8_t code, uint8_t bits) {
    return type.code == code && type.bits == bits && type.lanes == 1;
}

static bool is_half(DLDataType type) { return is_type(type, kDLFloat, 16) || is_type(type, kDLBfloat, 16); }

static bool is_integer(DLDataType type) {
    return (type.code == kDLInt || type.code == kDLUInt) && type.lanes == 1 &&
           (type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64);
}

static hw_status check_types(const DLTensor *a, const DLTensor *b, const DLTensor *c, hw_diag *diag) {
    const DLTensor *all[ARRAYS] = {a, b, c};
    for (int x = 0; x < ARRAYS; x++) {
        DLDataType type = all[x]->dtype;
        if (!is_half(type) && !is_integer(type) && !is_type(type, kDLFloat, 32) && !is_type(type, kDLFloat, 64))
            return hw_diag_set(diag, HW_UNSUPPORTED, "%s has elements of DLPack type %u of %u bits in %u lanes; matrix "
                               "products are of f32, f64, f16 and bf16, i8 to i64 and u8 to u64", names[x], type.code,
                               type.bits, type.lanes);
    }
    if (!is_type(b->dtype, a->dtype.code, a->dtype.bits))
        return hw_diag_set(diag, HW_UNSUPPORTED, "A and B have elements of different types");
    const bool is_small = is_integer(a->dtype) && a->dtype.bits < 32;
    const DLDataType sums = {is_small ? a->dtype.code : kDLFloat, 32, 1};
    const bool is_wider = (is_half(a->dtype) || is_small) && is_type(c->dtype, sums.code, sums.bits);
    char name[48];
    if (!is_wider && !is_type(c->dtype, a->dtype.code, a->dtype.bits))
        return hw_diag_set(diag, HW_UNSUPPORTED, "C has not the type of A and B%s%s",
                           is_half(a->dtype) || is_small ? ", nor " : "",
                           is_half(a->dtype) || is_small ? hw_dtype_name(sums, name, sizeof name) : "");
    return HW_OK;
}

static hw_status choose_precision(DLDataType input, hw_precision asked, hw_precision *precision, hw_diag *diag) {
    static const char *const words[] = {"its own", "fp32", "tf32", "bf16", "fp64"};
    if ((unsigned)asked > HW_PRECISION_FP64)
        return hw_diag_set(diag, HW_USAGE, "%d is no precision", (int)asked);
    bool fits = asked == HW_PRECISION_OF_TYPE;
    *precision = asked;
    if (is_type(input, kDLFloat, 32)) {
        fits |= asked != HW_PRECISION_FP64;
        if (asked == HW_PRECISION_OF_TYPE) *precision = HW_PRECISION_FP32;
    } else if (is_type(input, kDLFloat, 64)) {
        fits |= asked == HW_PRECISION_FP64;
        *precision = HW_PRECISION_FP64;
    } else {
        fits |= asked == HW_PRECISION_BF16 && input.code == kDLBfloat;
        *precision = HW_PRECISION_OF_TYPE;
    }
    if (fits) return HW_OK;
    char name[48];
    return hw_diag_set(diag, HW_USAGE, "matrices of %s have no products in %s",
                       hw_dtype_name(input, name, sizeof name), words[asked]);
}

// alpha and beta of integers must be whole numbers that a double tells from their neighbours.
static hw_status check_factors(DLDataType input, double alpha, double beta, hw_diag *diag) {
    const double both[] = {alpha, beta};
    static const char *const words[] = {"alpha", "beta"};
    for (int i = 0; i < 2 && is_integer(input); i++)
        if (!(fabs(both[i]) <= 0x1p53) || both[i] != (double)(int64_t)both[i])
            return hw_diag_set(diag, HW_USAGE, "%s is %g; of matrices of integers it is a whole number of at most 2^53",
                               words[i], both[i]);
    return HW_OK;
}

// ---- Shapes ---------------------------------------------------------------------------------------------------------

static uint64_t rows_of_layout(const hw_layout *l) { return l->n[l->rank - 2]; }
static uint64_t cols_of(const hw_layout *l) { return l->n[l->rank - 1]; }

static hw_status check_matrices(const hw_layout *a, const hw_layout *b, const hw_layout *c, hw_diag *diag) {
    if (cols_of(a) != rows_of_layout(b))
        return hw_diag_set(diag, HW_USAGE, "A has %llu column%s and B %llu row%s", (unsigned long long)cols_of(a),
                           hw_text_plural(cols_of(a)), (unsigned long long)rows_of_layout(b),
                           hw_text_plural(rows_of_layout(b)));
    if (rows_of_layout(c) != rows_of_layout(a) || cols_of(c) != cols_of(b))
        return hw_diag_set(diag, HW_USAGE, "C is %llu x %llu, and A B is %llu x %llu",
                           (unsigned long long)rows_of_layout(c), (unsigned long long)cols_of(c),
                           (unsigned long long)rows_of_layout(a), (unsigned long long)cols_of(b));
    return HW_OK;
}

static hw_status spread_batches(arrays *all, int x, hw_diag *diag) {
    const hw_layout *l = &all->layout[x], *c = &all->layout[C];
    if (l->rank > c->rank)
        return hw_diag_set(diag, HW_USAGE, "%s has rank %u and C rank %u", names[x], l->rank, c->rank);
    const uint32_t missing = c->rank - l->rank;
    for (uint32_t k = missing; k < all->n_batch; k++) {
        const uint64_t extent = l->n[k - missing];
        if (extent != 1 && extent != c->n[k])
            return hw_diag_set(diag, HW_USAGE, "axis %u of %s has the extent %llu; axis %u of C has %llu", k - missing,
                               names[x], (unsigned long long)extent, k, (unsigned long long)c->n[k]);
        all->batch_stride[x][k] = l->stride[k - missing];
    }
    return HW_OK;
}

static hw_status check_matmul_shapes(arrays *all, hw_diag *diag) {
    hw_status status = check_matrices(&all->layout[A], &all->layout[B], &all->layout[C], diag);
    all->n_batch = all->layout[C].rank - 2;
    for (int x = 0; x < ARRAYS && !status; x++) status = spread_batches(all, x, diag);
    return status;
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

static hw_status check_matmul_memory(const arrays *all, hw_diag *diag) {
    const hw_layout *c = &all->layout[C];
    hw_status status = hw_layout_check_written(c, diag);
    for (int x = A; x <= B && !status; x++) status = hw_layout_check_apart(c, &all->layout[x], diag);
    return status;
}

// ---- The product ----------------------------------------------------------------------------------------------------

// Where both ways are right (a single row or column) the long axis is the contiguous one.
static hw_status make_matrix(const hw_layout *l, hw_matrix *matrix, hw_diag *diag) {
    const uint64_t rows = rows_of_layout(l), cols = cols_of(l);
    const int64_t down = l->stride[l->rank - 2], across = l->stride[l->rank - 1];
    bool is_row_major = cols <= 1 || across == 1, is_column_major = rows <= 1 || down == 1;
    if (!is_row_major && !is_column_major)
        return hw_diag_set(diag, HW_UNSUPPORTED, "%s has strides %lld and %lld in its last two axes; one of them has "
                           "to be contiguous", l->name, (long long)down, (long long)across);
    matrix->transposed = is_row_major && is_column_major ? rows > cols : is_column_major;
    matrix->ld = matrix->transposed ? (cols > 1 ? across : (int64_t)rows) : rows > 1 ? down : (int64_t)cols;
    if (matrix->ld < 0)
        return hw_diag_set(diag, HW_UNSUPPORTED, "%s has the stride %lld in its last two axes; it runs backwards",
                           l->name,
                           (long long)matrix->ld);
    return HW_OK;
}

typedef struct batch_axis {
    uint64_t n;
    int64_t stride[ARRAYS];
} batch_axis;

// Keeps the batch axes of more than one element, the one with C's largest stride first, and merges axes that go on
// where the next one ends in all three arrays.
static uint32_t merge_batches(const arrays *all, batch_axis *axes) {
    uint32_t n = 0, kept = 0;
    for (uint32_t k = 0; k < all->n_batch; k++) {
        batch_axis axis = {all->layout[C].n[k],
                           {all->batch_stride[A][k], all->batch_stride[B][k], all->batch_stride[C][k]}};
        if (axis.n == 1) continue;
        uint32_t at = n++;
        for (; at && hw_magnitude(axes[at - 1].stride[C]) < hw_magnitude(axis.stride[C]); at--) axes[at] = axes[at - 1];
        axes[at] = axis;
    }
    for (uint32_t k = 0; k < n; k++) {
        batch_axis *before = kept ? &axes[kept - 1] : NULL;
        bool goes_on = before;
        for (int x = 0; x < ARRAYS && goes_on; x++)
            goes_on = before->stride[x] == (int64_t)axes[k].n * axes[k].stride[x];
        if (goes_on) {
            const uint64_t together = before->n * axes[k].n;
            *before = axes[k];
            before->n = together;
        } else {
            axes[kept++] = axes[k];
        }
    }
    return kept;
}

static void swap_operands(hw_matmul_job *job, batch_axis *axes, uint32_t n_axes) {
    hw_product *p = &job->product;
    const hw_matrix b = p->b;
    const void *b_data = job->b;
    const uint64_t n = p->n;
    p->b = p->a;
    p->a = b;
    p->a.transposed = !p->a.transposed;
    p->b.transposed = !p->b.transposed;
    p->c.transposed = false;
    p->n = p->m;
    p->m = n;
    job->b = job->a;
    job->a = b_data;
    job->is_turned = true;
    for (uint32_t k = 0; k < n_axes; k++) {
        int64_t stride = axes[k].stride[A];
        axes[k].stride[A] = axes[k].stride[B];
        axes[k].stride[B] = stride;
    }
}

// Where matrices A lie below each other, the matrices C lie likewise, and B is the same for all, they are one matrix.
static bool stack_rows(hw_product *p, const batch_axis *axis) {
    const int64_t rows = (int64_t)p->m, step = p->a.transposed ? 1 : p->a.ld;
    if (axis->stride[B] || axis->stride[A] != rows * step || axis->stride[C] != rows * p->c.ld) return false;
    if (axis->n > (uint64_t)MOST_EXTENT || p->m * axis->n > (uint64_t)MOST_EXTENT) return false;
    p->m *= axis->n;
    return true;
}

static void place_batches(hw_matmul_job *job, const batch_axis *axes, uint32_t n_axes) {
    hw_product *p = &job->product;
    while (n_axes && p->m && stack_rows(p, &axes[n_axes - 1])) n_axes--;
    job->n_outer = n_axes > HW_PRODUCT_BATCH_AXES ? n_axes - HW_PRODUCT_BATCH_AXES : 0;
    p->n_batch_axes = n_axes - job->n_outer;
    for (uint32_t k = 0; k < n_axes; k++) {
        if (k < job->n_outer) {
            job->outer[k] = axes[k].n;
            for (int x = 0; x < ARRAYS; x++) job->outer_stride[x][k] = axes[k].stride[x];
        } else {
            uint32_t at = k - job->n_outer;
            p->batch[at] = axes[k].n;
            p->a.batch_stride[at] = axes[k].stride[A];
            p->b.batch_stride[at] = axes[k].stride[B];
            p->c.batch_stride[at] = axes[k].stride[C];
        }
    }
}

static uint32_t alignment_of_matrix(const void *data, const hw_matrix *matrix, uint64_t rows, uint64_t cols,
                                    uint32_t elem_bytes, const hw_matmul_job *job, int x) {
    uint64_t bits = 16 | (uintptr_t)data;
    if ((matrix->transposed ? cols : rows) > 1) bits |= (uint64_t)matrix->ld * elem_bytes;
    for (uint32_t k = 0; k < job->product.n_batch_axes; k++) bits |= (uint64_t)matrix->batch_stride[k] * elem_bytes;
    for (uint32_t k = 0; k < job->n_outer; k++) bits |= (uint64_t)job->outer_stride[x][k] * elem_bytes;
    return (uint32_t)(bits & -bits);
}

static hw_status make_product(const arrays *all, hw_matmul_job *job, hw_diag *diag) {
    hw_product *p = &job->product;
    const hw_layout *l = all->layout;
    batch_axis axes[HW_MAX_RANK];
    hw_status status = make_matrix(&l[A], &p->a, diag);
    if (!status) status = make_matrix(&l[B], &p->b, diag);
    if (!status) status = make_matrix(&l[C], &p->c, diag);
    if (status) return status;
    job->a = (const void *)l[A].first;
    job->b = (const void *)l[B].first;
    job->c = (void *)l[C].first;
    uint32_t n_axes = merge_batches(all, axes);
    if (p->c.transposed) swap_operands(job, axes, n_axes);
    place_batches(job, axes, n_axes);
    p->a.align_bytes = alignment_of_matrix(job->a, &p->a, p->m, p->k, l[A].elem_bytes, job, A);
    p->b.align_bytes = alignment_of_matrix(job->b, &p->b, p->k, p->n, l[B].elem_bytes, job, B);
    p->c.align_bytes = alignment_of_matrix(job->c, &p->c, p->m, p->n, l[C].elem_bytes, job, C);
    return HW_OK;
}

bool hw_matmul_is_empty(const hw_matmul_job *job) { return !job->product.m || !job->product.n; }

hw_status hw_matmul_make(double alpha, const DLTensor *a, const DLTensor *b, double beta, const DLTensor *c,
                         hw_precision precision, bool pointers, hw_matmul_job *job, hw_diag *diag) {
    arrays all = {.tensor = {a, b, c}};
    hw_product *p = &job->product;
    memset(job, 0, sizeof *job);   // padding too: the product is part of a key
    hw_status status = HW_OK;
    for (int x = 0; x < ARRAYS && !status; x++) status = check_rank(all.tensor[x], names[x], diag);
    if (!status) status = check_types(a, b, c, diag);
    if (!status) status = choose_precision(a->dtype, precision, &p->precision, diag);
    if (!status) status = check_factors(a->dtype, alpha, beta, diag);
    // Where alpha is 0 no element of A and B is read.
    for (int x = 0; x < ARRAYS && !status; x++)
        status = hw_layout_make(all.tensor[x], names[x], all.tensor[x]->dtype.bits / 8, pointers && (x == C || alpha),
                                &all.layout[x], diag);
    for (int x = 0; x < ARRAYS && !status; x++) status = check_extents(&all.layout[x], diag);
    if (!status) status = check_matmul_shapes(&all, diag);
    if (status) return status;
    const bool is_empty = !all.layout[C].elems;
    p->m = is_empty ? 0 : rows_of_layout(&all.layout[C]);
    p->n = is_empty ? 0 : cols_of(&all.layout[C]);
    p->k = alpha ? cols_of(&all.layout[A]) : 0;
    p->input = a->dtype;
    p->output = c->dtype;
    p->alpha = alpha;
    p->beta = beta;
    if (is_empty) return HW_OK;
    if (!p->k) memset(all.batch_stride, 0, C * sizeof all.batch_stride[0]);   // no element of A and B is looked for
    status = check_matmul_memory(&all, diag);
    return status ? status : make_product(&all, job, diag);
}
