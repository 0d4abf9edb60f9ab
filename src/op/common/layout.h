// Where the elements of an array lie: the checks of a DLTensor that operations on arrays of different shapes share.
#ifndef HW_OP_LAYOUT_H
#define HW_OP_LAYOUT_H

#include "base/status.h"
#include "halfwarp.h"
#include "op/common/overlap.h"

enum { HW_MAX_RANK = 32 };
#define HW_MOST_ELEMS ((uint64_t)1 << 40)   // of an array

// Strides in elements; those of axes with one element are 0. Addresses are 0 without pointers, or without elements.
typedef struct hw_layout {
    const char *name;               // "in", for messages
    uint32_t rank, elem_bytes;
    uint64_t elems;                 // at most HW_MOST_ELEMS
    uint64_t n[HW_MAX_RANK];
    int64_t stride[HW_MAX_RANK];
    uintptr_t first, lowest, end;   // of element (0, 0, ...), of the first byte, and past the last
} hw_layout;

// Is there an array, with a rank of at most HW_MAX_RANK and a shape? HW_USAGE: NULL, a negative extent.
hw_status hw_layout_check_shape(const DLTensor *tensor, const char *name, hw_diag *diag);

// Checks shape, strides and, with pointers, the data of an array whose elements have elem_bytes; fills the layout.
// HW_USAGE: hw_layout_check_shape's, strides beyond the address space, data that are NULL or begin at no multiple of an
// element. HW_UNSUPPORTED: more than HW_MOST_ELEMS.
hw_status hw_layout_make(const DLTensor *tensor, const char *name, uint32_t elem_bytes, bool pointers,
                         hw_layout *layout, hw_diag *diag);

// The same for an array that may begin at any byte.
hw_status hw_layout_make_unaligned(const DLTensor *tensor, const char *name, uint32_t elem_bytes, bool pointers,
                                   hw_layout *layout, hw_diag *diag);

// Is the array in memory that the device works on? A cpu device: this machine's. HW_USAGE, with the caller's name.
hw_status hw_layout_check_place(const hw_device_properties *device, const DLTensor *tensor, const char *caller,
                                const char *name, hw_diag *diag);

// Do two arrays share memory? Not without addresses.
hw_overlap hw_layout_shared(const hw_layout *a, const hw_layout *b);

// HW_USAGE where two elements of an array that is written share memory, or where it cannot be told.
hw_status hw_layout_check_written(const hw_layout *out, hw_diag *diag);

// HW_USAGE where two arrays share memory, or where it cannot be told.
hw_status hw_layout_check_apart(const hw_layout *a, const hw_layout *b, hw_diag *diag);

#endif
