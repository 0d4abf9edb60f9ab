// Any bytes as PTX: the parser must come back, and what it accepts must survive being printed and parsed again.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hw_ptx_module *module, *again;
    hw_diag diag = {0};
    if (hw_ptx_parse((const char *)data, size, "fuzz", &module, &diag) != HW_OK) {
        if (module || !diag.text[0]) abort();
        return 0;
    }
    char *first = hw_ptx_print(module);
    if (!first || hw_ptx_parse(first, strlen(first), "printed", &again, &diag) != HW_OK) abort();
    char *second = hw_ptx_print(again);
    if (!second || strcmp(first, second) != 0) abort();
    hw_free(first);
    hw_free(second);
    hw_ptx_free(again);
    hw_ptx_free(module);
    return 0;
}
