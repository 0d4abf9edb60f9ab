// C++ names as people write them.
#ifndef HW_BASE_DEMANGLE_H
#define HW_BASE_DEMANGLE_H

#include <stddef.h>

// The name behind a mangled one ("_Z4copyPf" is "copy(float*)"), cut to out_bytes (at least 1) with its NUL; a name
// that is not mangled is copied as it is. Takes no heap. Returns out.
const char *hw_demangle(const char *mangled, char *out, size_t out_bytes);

#endif
