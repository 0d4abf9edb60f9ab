// Device-side printf: CUDA's format language over arguments that lie in device memory.
#ifndef HW_EXEC_FORMAT_H
#define HW_EXEC_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How the formatter gets at device memory; both return false when there is none at the address.
typedef struct hw_format_source {
    bool (*read_string)(void *context, uint64_t address, char *out, size_t size);
    bool (*read_bytes)(void *context, uint64_t address, void *out, uint32_t bytes);
    void *context;
} hw_format_source;

// Formats into text (size bytes, always ended, cut to fit). arguments: address of the packed arguments, each at a
// multiple of its size. Returns how many arguments were used, which is what device printf returns.
// CUDA C++ Programming Guide, "Formatted Output".
int hw_format(const char *format, uint64_t arguments, const hw_format_source *source, char *text, size_t size);

#endif
