// Where the CUDA headers that belong to Halfwarp are.
#ifndef HW_TOOLCHAIN_OWN_HEADERS_H
#define HW_TOOLCHAIN_OWN_HEADERS_H

#include <limits.h>

// Where an installed tree or a build tree has include/cuda, by its real path: build trees have links to the one of the
// source tree, and what one of them has compiled the others find in the cache. Returns out; NULL: it is not there.
const char *hw_compiler_own_headers(char out[PATH_MAX]);

#endif
