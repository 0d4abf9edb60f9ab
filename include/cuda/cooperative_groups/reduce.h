// reduce(group, value, op), for tiles and coalesced groups: every thread gets the result.
#ifndef _CG_REDUCE_H_
#define _CG_REDUCE_H_
#ifdef __clang__
#pragma clang system_header
#endif

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__cplusplus)

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cooperative_groups {

template <class T = void> struct plus {
    __HALFWARP_CG__ T operator()(T a, T b) const { return a + b; }
};
template <class T = void> struct less {
    __HALFWARP_CG__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T = void> struct greater {
    __HALFWARP_CG__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T = void> struct bit_and {
    __HALFWARP_CG__ T operator()(T a, T b) const { return a & b; }
};
template <class T = void> struct bit_or {
    __HALFWARP_CG__ T operator()(T a, T b) const { return a | b; }
};
template <class T = void> struct bit_xor {
    __HALFWARP_CG__ T operator()(T a, T b) const { return a ^ b; }
};

template <unsigned int Size, class Parent, class T, class Op>
__HALFWARP_CG__ T reduce(const thread_block_tile<Size, Parent, false> &group, T value, Op op) {
#pragma unroll
    for (unsigned int step = Size / 2; step; step /= 2) value = op(value, group.shfl_xor(value, step));
    return value;
}

// More than a warp: each warp for itself, then all of them from shared memory, in the order of the warps.
template <unsigned int Size, class Parent, class T, class Op>
__HALFWARP_CG__ T reduce(const thread_block_tile<Size, Parent, true> &group, T value, Op op) {
    static_assert(sizeof(T) <= 8, "tiles of more than a warp reduce types of up to 8 bytes");
    unsigned long long *values = group.__halfwarp_scratch()->values + group.meta_group_rank() * (Size / 32);
    value = reduce(thread_block_tile<32>(), value, op);
    if (details::lane() == 0) memcpy(&values[group.thread_rank() / 32], &value, sizeof(T));
    group.sync();
    memcpy(&value, &values[0], sizeof(T));
    for (unsigned int warp = 1; warp < Size / 32; warp++) {
        T other;
        memcpy(&other, &values[warp], sizeof(T));
        value = op(value, other);
    }
    group.sync();
    return value;
}

template <class T, class Op> __HALFWARP_CG__ T reduce(const coalesced_group &group, T value, Op op) {
    for (unsigned int step = 1; step < group.size(); step *= 2) {
        T other = group.shfl_down(value, step);
        if (group.thread_rank() + step < group.size()) value = op(value, other);
    }
    return group.shfl(value, 0);
}

}

#pragma clang attribute pop

#endif

#endif
