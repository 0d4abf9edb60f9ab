// Where the elements of an array lie: the checks of a DLTensor that operations on arrays of different shapes share.
#ifndef HW_OP_LAYOUT_H
#define HW_OP_LAYOUT_H

#include "base/status.h"
#include "halfwarp.h"
#include "op/common/overlap.h"
#include "op/transpose/permutation.h"   // HW_MAX_RANK

// Strides in elements; those of axes with one element are 0. Addresses are 0 without pointers, or without elements.
typedef struct hw_layout {
    const char *name;               // "in", for messages
    uint32_t rank, elem_bytes;
    uint64_t elems;                 // at most 2^40
    uint64_t n[HW_MAX_RANK];
    int64_t stride[HW_MAX_RANK];
    uintptr_t first, lowest, end;   // of element (0, 0, ...), of the first byte, and past the last
} hw_layout;

// Checks rank, shape, strides and, with pointers, the data of an array whose elements have elem_bytes; fills the
// layout. HW_USAGE: NULL, a negative extent, strides beyond the address space, data that are NULL or begin at no
// multiple of an element. HW_UNSUPPORTED: more than 2^40 elements.
hw_status hw_layout_make(const DLTensor *tensor, const char *name, uint32_t elem_bytes, bool pointers,
                         hw_layout *layout,
                         hw_diag *diag);

// Is the array in memory that the device works on? A cpu device: this machine's. HW_USAGE, with the caller's name.
hw_status hw_layout_check_place(const hw_device_properties *device, const DLTensor *tensor, const char *caller,
                                const char *name, hw_diag *diag);

// Do two arrays with addresses share memory? Do two elements of one?
hw_overlap hw_layout_shared(const hw_layout *a, const hw_layout *b);
hw_overlap hw_layout_self(const hw_layout *layout);

#endif
