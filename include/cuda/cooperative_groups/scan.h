// inclusive_scan and exclusive_scan, for tiles and coalesced groups.
#ifndef _CG_SCAN_H_
#define _CG_SCAN_H_
#ifdef __clang__
#pragma clang system_header
#endif

#include "reduce.h"

#if defined(__CUDA__) && defined(__cplusplus)

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cooperative_groups {

template <class Group, class T, class Op> __HALFWARP_CG__ T inclusive_scan(const Group &group, T value, Op op) {
    for (unsigned int step = 1; step < group.size(); step *= 2) {
        T before = group.shfl_up(value, step);
        if (group.thread_rank() >= step) value = op(before, value);
    }
    return value;
}

template <class Group, class T> __HALFWARP_CG__ T inclusive_scan(const Group &group, T value) {
    return inclusive_scan(group, value, plus<T>());
}

// The first thread gets T().
template <class Group, class T, class Op> __HALFWARP_CG__ T exclusive_scan(const Group &group, T value, Op op) {
    T before = group.shfl_up(inclusive_scan(group, value, op), 1);
    return group.thread_rank() ? before : T();
}

template <class Group, class T> __HALFWARP_CG__ T exclusive_scan(const Group &group, T value) {
    return exclusive_scan(group, value, plus<T>());
}

}

#pragma clang attribute pop

#endif

#endif
