// What the tests of hw_transpose share: types by their size, the plainest loop, and the first byte that is wrong.
#ifndef HW_TEST_TRANSPOSE_TEST_H
#define HW_TEST_TRANSPOSE_TEST_H

#include "op_test.h"

enum { GUARD = 256, GUARD_BYTE = 0xa5 };   // bytes around arrays, and what is not written

static inline DLDataType type_of(uint32_t bytes) {
    return (DLDataType){kDLUInt, (uint8_t)(bytes == 16 ? 64 : 8 * bytes), bytes == 16 ? 2 : 1};
}

static inline uint64_t count_elems(int rank, const int64_t *shape) {
    uint64_t elems = 1;
    for (int k = 0; k < rank; k++) elems *= (uint64_t)shape[k];
    return elems;
}

// Strides of an array without gaps.
static inline void dense_strides(int rank, const int64_t *shape, int64_t *stride) {
    int64_t next = 1;
    for (int k = rank; k-- > 0; next *= shape[k]) stride[k] = next;
}

// Axis k of out is axis axes[k] of in. Strides in elements, from element (0, 0, ...) of each.
static inline void transpose_plainly(int rank, const int *axes, const int64_t *out_shape, uint32_t elem_bytes,
                                     const unsigned char *in, const int64_t *in_stride, unsigned char *out,
                                     const int64_t *out_stride) {
    const int64_t elems = (int64_t)count_elems(rank, out_shape);
    for (int64_t o = 0; o < elems; o++) {
        int64_t rest = o, from = 0, to = 0;
        for (int k = rank; k-- > 0; rest /= out_shape[k]) {
            from += rest % out_shape[k] * in_stride[axes[k]];
            to += rest % out_shape[k] * out_stride[k];
        }
        memcpy(out + to * elem_bytes, in + from * elem_bytes, elem_bytes);
    }
}

// The same of arrays without gaps.
static inline void transpose_dense(int rank, const int *axes, const int64_t *shape, uint32_t elem_bytes,
                                   const unsigned char *in, unsigned char *out) {
    int64_t out_shape[32], in_stride[32], out_stride[32];
    for (int k = 0; k < rank; k++) out_shape[k] = shape[axes[k]];
    dense_strides(rank, shape, in_stride);
    dense_strides(rank, out_shape, out_stride);
    transpose_plainly(rank, axes, out_shape, elem_bytes, in, in_stride, out, out_stride);
}

// begin: where the array begins in these bytes. text: what was done.
static inline void expect_bytes(const unsigned char *got, const unsigned char *wanted, uint64_t bytes, uint64_t begin,
                                const char *text) {
    uint64_t at = 0;
    while (at < bytes && got[at] == wanted[at]) at++;
    if (at < bytes) fail_msg("byte %lld is wrong:\n%s", (long long)at - (long long)begin, text);
}

#endif
