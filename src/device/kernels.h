// The sources of kernels/, which are part of the library (cmake/kernels.cmake).
#ifndef HW_DEVICE_KERNELS_H
#define HW_DEVICE_KERNELS_H

#include "toolchain/device_code/device_code.h"

// By path below kernels/: "transpose/30_tile.cu"; NULL when there is none. By index, ascending; NULL past the end.
const hw_source_file *hw_kernel_source_find(const char *path);
const hw_source_file *hw_kernel_source_at(size_t index);

// For tests: more sources, found before those of the library, until called again. The array and its texts are the
// caller's. Not for use while other threads ask for kernels.
void hw_kernel_sources_add(const hw_source_file *sources, size_t count);

// Made by cmake/embed_kernels.cmake; the last row is empty.
extern const hw_source_file hw_kernel_table[];
extern const size_t hw_kernel_table_size;

#endif
