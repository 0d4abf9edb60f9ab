// Headers of .npy files from anywhere: nothing is read outside, and what is accepted can be written and read again.
#include <stdint.h>
#include <string.h>

#include "io/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hw_npy_header header, again;
    hw_diag diag = {0};
    char text[HW_NPY_HEADER_BYTES];
    if (hw_npy_header_parse(data, size, "input", &header, &diag) != HW_OK) {
        if (!diag.text[0]) __builtin_trap();
        return 0;
    }
    size_t length = hw_npy_header_format(&header, text);
    if (length % 64 || hw_npy_header_parse(text, length, "again", &again, &diag) != HW_OK) __builtin_trap();
    if (again.data_offset != length || again.data_bytes != header.data_bytes || again.rank != header.rank ||
        again.swap_bytes != header.swap_bytes || strcmp(again.descr, header.descr) != 0 ||
        memcmp(again.shape, header.shape, sizeof header.shape) != 0)
        __builtin_trap();
    return 0;
}
