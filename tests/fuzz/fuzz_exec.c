// Any PTX that loads is executed: whatever it does, it ends in time, with a sentence when it did not go well. What it
// touches outside of its memory, AddressSanitizer finds.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device/sim.h"

enum { MAX_INSTRUCTIONS = 20000, BUFFER_BYTES = 4096, MAX_MODULE_BYTES = 1 << 20 };

static void drop(void *context, const char *text, size_t length) {
    (void)context, (void)text, (void)length;
}

// Parameters of 8 bytes are pointers, others small numbers.
static void launch(hw_sim *sim, hw_sim_function *function, uint64_t buffer) {
    hw_sim_function_info info;
    hw_sim_refusal refusal;
    hw_fault fault;
    hw_diag diag = {0};
    hw_sim_get_function_info(function, &info);
    void **params = calloc(info.n_params + 1, sizeof *params);
    if (!params) abort();
    for (uint32_t i = 0; i < info.n_params; i++) {
        uint32_t offset, bytes, small = 7 + i;
        hw_sim_get_param(function, i, &offset, &bytes);
        params[i] = calloc(1, bytes + 8);
        if (!params[i]) abort();
        if (bytes == 8) memcpy(params[i], &buffer, 8);
        else memcpy(params[i], &small, 4);
    }
    const hw_sim_launch_args args = {function, {2, 1, 1}, {24, 2, 1}, 64, params, false, 0, 0, {0}};
    hw_status status = hw_sim_launch(sim, &args, &refusal, &fault, &diag);
    if (status != HW_OK && !diag.text[0]) abort();
    if ((status == HW_FAULT || status == HW_DEADLOCK) && !fault.text[0]) abort();
    for (uint32_t i = 0; i < info.n_params; i++) free(params[i]);
    free(params);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const hw_sim_options options = {.gpu = hw_gpu_find("t4"), .threads = 1, .seed = 3, .print = drop,
                                    .max_instructions = MAX_INSTRUCTIONS};
    hw_sim *sim;
    hw_sim_module *module;
    hw_diag diag = {0};
    uint64_t buffer;
    if (size > MAX_MODULE_BYTES) return 0;
    if (hw_sim_create(&options, &sim, &diag) != HW_OK) abort();
    hw_sim_set_heap_bytes(sim, 1 << 16);
    if (hw_mem_alloc(hw_sim_mem(sim), BUFFER_BYTES, 256, HW_ALLOC_DEVICE, NULL, NULL, &buffer, &diag) != HW_OK) abort();
    if (hw_sim_load(sim, (const char *)data, size, "fuzz", &module, &diag) == HW_OK) {
        hw_sim_function *function;
        for (uint32_t i = 0; (function = hw_sim_function_at(module, i)); i++) launch(sim, function, buffer);
    } else if (!diag.text[0]) {
        abort();
    }
    hw_sim_destroy(sim);
    return 0;
}
