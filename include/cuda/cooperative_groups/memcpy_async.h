// memcpy_async(group, to, from, bytes), which copies at once, and wait, which is a sync.
#ifndef _CG_MEMCPY_ASYNC_H_
#define _CG_MEMCPY_ASYNC_H_
#ifdef __clang__
#pragma clang system_header
#endif

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__cplusplus)

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cooperative_groups {

template <class Group, class T>
__HALFWARP_CG__ void memcpy_async(const Group &group, T *to, const T *from, size_t bytes) {
    if ((((size_t)to | (size_t)from | bytes) & 3) == 0) {
        for (size_t i = group.thread_rank(); i < bytes / 4; i += group.size())
            ((unsigned int *)to)[i] = ((const unsigned int *)from)[i];
    } else {
        for (size_t i = group.thread_rank(); i < bytes; i += group.size()) ((char *)to)[i] = ((const char *)from)[i];
    }
}

template <class Group> __HALFWARP_CG__ void wait(const Group &group) { group.sync(); }

}

#pragma clang attribute pop

#endif

#endif
