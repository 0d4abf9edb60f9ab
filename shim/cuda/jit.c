// Options of compilations: nothing is compiled here, but what is wrong with PTX is said where the program wants it.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "shim/cuda/driver.h"

void hw_cuda_jit_begin(hw_cuda_jit *jit, unsigned count, const CUjit_option *options, void **values) {
    *jit = (hw_cuda_jit){.began_ns = hw_now_ns()};
    for (unsigned i = 0; options && values && i < count; i++) {
        switch (options[i]) {
        case CU_JIT_WALL_TIME: jit->wall_ms = &values[i]; break;
        case CU_JIT_INFO_LOG_BUFFER: jit->info = values[i]; break;
        case CU_JIT_ERROR_LOG_BUFFER: jit->error = values[i]; break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            jit->info_bytes = (size_t)(uintptr_t)values[i];
            jit->info_size = &values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            jit->error_bytes = (size_t)(uintptr_t)values[i];
            jit->error_size = &values[i];
            break;
        default: break;
        }
    }
}

// Into a buffer of the program's, with its length back.
static void give_text(const char *text, char *buffer, size_t bytes, void **size) {
    size_t length = strlen(text);
    if (!buffer || !bytes) length = 0;
    else {
        snprintf(buffer, bytes, "%s", text);
        if (length >= bytes) length = bytes - 1;
    }
    if (size) *size = (void *)(uintptr_t)length;
}

void hw_cuda_jit_end(const hw_cuda_jit *jit, const hw_diag *diag) {
    char text[sizeof *diag + 32] = "";
    if (diag->text[0]) hw_diag_format(diag, text, sizeof text);
    give_text("", jit->info, jit->info_bytes, jit->info_size);
    give_text(text, jit->error, jit->error_bytes, jit->error_size);
    if (!jit->wall_ms) return;
    const float ms = (float)((double)(hw_now_ns() - jit->began_ns) * 1e-6);
    memcpy(jit->wall_ms, &ms, sizeof ms);
}
