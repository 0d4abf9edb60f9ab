// The checks of hw_nearest's arguments.
#include "op/nearest/nearest_check.h"

#include <inttypes.h>
#include <math.h>

#include "op/common/family.h"
#include "op/common/layout.h"

static const uint64_t MOST_ROWS = ((uint64_t)1 << 31) - 1;

static hw_status check_options(const hw_nearest_options *options, hw_neighbours *out, hw_diag *diag) {
    if (!options) return hw_diag_set(diag, HW_USAGE, "hw_nearest: the options are NULL");
    if (options->k < 1 || options->k > HW_NEIGHBOURS_K)
        return hw_diag_set(diag, HW_USAGE, "hw_nearest: k is %d; 1 to %d neighbours can be asked for", options->k,
                           HW_NEIGHBOURS_K);
    if (!(options->radius >= 0))
        return hw_diag_set(diag, HW_USAGE, "hw_nearest: the radius is %g; it is 0 or more, and 0 means any distance",
                           options->radius);
    if (options->method > HW_NEAREST_SEARCH)
        return hw_diag_set(diag, HW_USAGE, "hw_nearest: %d is no method", (int)options->method);
    out->k = (uint32_t)options->k;
    out->method = options->method;
    return HW_OK;
}

static hw_status check_point_type(const DLTensor *t, const char *name, bool *is_f64, hw_diag *diag) {
    char type[32];
    bool is_real = t->dtype.code == kDLFloat && t->dtype.lanes == 1 && (t->dtype.bits == 32 || t->dtype.bits == 64);
    if (!is_real)
        return hw_diag_set(diag, HW_UNSUPPORTED, "hw_nearest: %s are of %s; coordinates are f32 or f64", name,
                           hw_dtype_name(t->dtype, type, sizeof type));
    *is_f64 = t->dtype.bits == 64;
    return HW_OK;
}

static hw_status check_rows(const DLTensor *t, const char *name, bool pointers, hw_layout *l, hw_point_rows *rows,
                            bool *is_f64, hw_diag *diag) {
    if (!t) return hw_diag_set(diag, HW_USAGE, "hw_nearest: %s are NULL", name);
    hw_status status = check_point_type(t, name, is_f64, diag);
    if (status == HW_OK) status = hw_layout_make(t, name, *is_f64 ? 8 : 4, pointers, l, diag);
    if (status != HW_OK) return status;
    if (l->rank != 2)
        return hw_diag_set(diag, HW_USAGE, "hw_nearest: %s have rank %u; they are rows of coordinates", name, l->rank);
    if (l->n[1] < 1)
        return hw_diag_set(diag, HW_USAGE, "hw_nearest: %s have no coordinates", name);
    if (l->n[1] > HW_NEIGHBOURS_DIMS)
        return hw_diag_set(diag, HW_UNSUPPORTED, "hw_nearest: %s have %" PRIu64 " coordinates; the most is %d", name,
                           l->n[1], HW_NEIGHBOURS_DIMS);
    if (l->n[0] > MOST_ROWS)
        return hw_diag_set(diag, HW_UNSUPPORTED, "hw_nearest: there are %" PRIu64 " %s; the most is 2^31 - 1", l->n[0],
                           name);
    *rows = (hw_point_rows){(const void *)l->first, l->n[0], l->stride[0], l->stride[1]};
    return HW_OK;
}

// Contiguous rows of k, one for each query; for k = 1 without the axis as well.
static hw_status check_result(const DLTensor *t, const char *name, const hw_neighbours *p, uint8_t code, uint8_t bits,
                              bool pointers, hw_layout *l, hw_diag *diag) {
    char type[32], wanted[32];
    const uint64_t queries = p->queries.count, k = p->k;
    if (t->dtype.code != code || t->dtype.bits != bits || t->dtype.lanes != 1)
        return hw_diag_set(diag, HW_UNSUPPORTED, "hw_nearest: %s are of %s; they have to be %s", name,
                           hw_dtype_name(t->dtype, type, sizeof type),
                           hw_dtype_name((DLDataType){code, bits, 1}, wanted, sizeof wanted));
    hw_status status = hw_layout_make(t, name, bits / 8, pointers, l, diag);
    if (status != HW_OK) return status;
    bool fits = (l->rank == 2 && l->n[0] == queries && l->n[1] == k) || (l->rank == 1 && k == 1 && l->n[0] == queries);
    if (!fits)
        return hw_diag_set(diag, HW_USAGE, "hw_nearest: the shape of %s is not (%" PRIu64 ", %u)%s", name, queries,
                           p->k, k == 1 ? " or without the 1" : "");
    const uint32_t last = l->rank - 1;
    bool is_contiguous = l->n[last] == 1 || l->stride[last] == 1;
    if (last == 1 && l->n[0] != 1 && l->stride[0] != (int64_t)k) is_contiguous = false;
    if (l->elems && !is_contiguous) return hw_diag_set(diag, HW_USAGE, "hw_nearest: %s are not contiguous", name);
    return HW_OK;
}

static hw_status check_apart(const hw_layout *result, const hw_layout *other, hw_diag *diag) {
    if (!result->elems || !other->elems || !result->first || !other->first) return HW_OK;
    if (hw_layout_shared(result, other) == HW_OVERLAP_NO) return HW_OK;
    return hw_diag_set(diag, HW_USAGE, "hw_nearest: %s and %s share memory", result->name, other->name);
}

static hw_status check_results(const DLTensor *indices, const DLTensor *distances, bool pointers,
                               const hw_layout *points, const hw_layout *queries, hw_neighbours *out, hw_diag *diag) {
    hw_layout to[2] = {{0}};
    if (!indices) return pointers ? hw_diag_set(diag, HW_USAGE, "hw_nearest: indices are NULL") : HW_OK;
    hw_status status = check_result(indices, "indices", out, kDLInt, 64, pointers, &to[0], diag);
    if (status == HW_OK && distances)
        status = check_result(distances, "squared_distances", out, kDLFloat, out->is_f64 ? 64 : 32, pointers, &to[1],
                              diag);
    for (int i = 0; i < 2 && status == HW_OK; i++) {
        status = check_apart(&to[i], points, diag);
        if (status == HW_OK && !out->self) status = check_apart(&to[i], queries, diag);
    }
    if (status == HW_OK) status = check_apart(&to[0], &to[1], diag);
    out->indices = (int64_t *)to[0].first;
    out->squared_distances = (void *)to[1].first;
    return status;
}

static double square_in_type(double radius, bool is_f64) {
    if (radius <= 0) return INFINITY;
    return is_f64 ? radius * radius : (double)(float)(radius * radius);
}

hw_status hw_neighbours_make(const DLTensor *points, const DLTensor *queries, const hw_nearest_options *options,
                             const DLTensor *indices, const DLTensor *squared_distances, bool pointers,
                             hw_neighbours *out, hw_diag *diag) {
    hw_layout from[2];
    bool is_f64;
    *out = (hw_neighbours){.self = !queries};
    hw_status status = check_options(options, out, diag);
    if (status == HW_OK) status = check_rows(points, "points", pointers, &from[0], &out->points, &out->is_f64, diag);
    if (status != HW_OK) return status;
    out->dims = (uint32_t)from[0].n[1];
    out->queries = out->points;
    from[1] = from[0];
    if (queries) {
        status = check_rows(queries, "queries", pointers, &from[1], &out->queries, &is_f64, diag);
        if (status != HW_OK) return status;
        if (is_f64 != out->is_f64)
            return hw_diag_set(diag, HW_USAGE, "hw_nearest: points are f%d and queries f%d", out->is_f64 ? 64 : 32,
                               is_f64 ? 64 : 32);
        if (from[1].n[1] != out->dims)
            return hw_diag_set(diag, HW_USAGE, "hw_nearest: points have %u coordinates and queries %" PRIu64, out->dims,
                               from[1].n[1]);
    }
    out->radius_squared = square_in_type(options->radius, out->is_f64);
    return check_results(indices, squared_distances, pointers, &from[0], &from[1], out, diag);
}

hw_status hw_neighbours_refuse(bool in_queries, uint64_t row, hw_diag *diag) {
    return hw_diag_set(diag, HW_USAGE, "hw_nearest: row %" PRIu64 " of %s has a coordinate that is NaN", row,
                       in_queries ? "queries" : "points");
}
