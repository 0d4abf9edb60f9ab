// Fat binaries from anywhere: nothing is read outside, everything that was allocated is freed.
#include <stdint.h>

#include "base/alloc.h"
#include "toolchain/binary/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hw_fatbin fatbin;
    hw_fatbin_entry entry;
    hw_diag diag = {0};
    size_t cursor = 0, length;
    char *text;
    if (hw_fatbin_open(data, size, &fatbin, &diag) != HW_OK) return 0;
    while (hw_fatbin_next(&fatbin, &cursor, &entry, &diag) == HW_OK) {
        // An honest file may say up to 256 MB; the fuzzer's memory limit is for leaks.
        if (entry.unpacked_bytes > 1 << 20) return 0;
        if (hw_fatbin_unpack(&entry, &text, &length, &diag) == HW_OK) hw_free(text);
    }
    if (hw_fatbin_ptx(&fatbin, 90, &text, &length, &entry, &diag) == HW_OK) hw_free(text);
    return 0;
}
