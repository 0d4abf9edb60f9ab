// Finding the sources of kernels.
#include "device/kernels.h"

#include <string.h>

static const hw_source_file *added;
static size_t n_added;

void hw_kernel_sources_add(const hw_source_file *sources, size_t count) {
    added = sources;
    n_added = count;
}

const hw_source_file *hw_kernel_source_at(size_t index) {
    if (index < n_added) return &added[index];
    index -= n_added;
    return index < hw_kernel_table_size ? &hw_kernel_table[index] : NULL;
}

const hw_source_file *hw_kernel_source_find(const char *path) {
    const hw_source_file *source;
    for (size_t i = 0; (source = hw_kernel_source_at(i)); i++)
        if (!strcmp(source->path, path)) return source;
    return NULL;
}
