// GPUs of files from anywhere: nothing is read outside, refusals are sentences, and what is accepted can be written and
// read again as the same GPU.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/gpu_file.h"
#include "model/occupancy.h"
#include "model/time.h"

static void check_again(const hw_gpu *gpu) {
    char *text = NULL;
    size_t length = 0;
    const hw_gpu *again = NULL;
    hw_diag diag = {0};
    FILE *out = open_memstream(&text, &length);
    if (!out) return;
    if (!hw_gpu_write_json(&gpu, 1, out)) __builtin_trap();
    fclose(out);
    if (hw_gpu_parse(text, length, "again", &again, &diag)) __builtin_trap();
    if (strcmp(again->id, gpu->id) || strcmp(again->name, gpu->name) || again->arch != gpu->arch ||
        again->sms != gpu->sms || again->memory_bytes != gpu->memory_bytes || again->l2_kib != gpu->l2_kib)
        __builtin_trap();
    hw_gpu_close(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const hw_gpu *gpu;
    hw_diag diag = {0};
    if (hw_gpu_parse((const char *)data, size, "a folder/input.json", &gpu, &diag) != HW_OK) {
        if (!diag.text[0] || gpu) __builtin_trap();
        return 0;
    }
    const hw_estimate estimate = hw_model_time(gpu, &(hw_time_work){.blocks = 1, .warps = 1, .load_bytes = size});
    if (!(estimate.us > 0 && estimate.us < 1e12) || !hw_model_occupancy(gpu->arch, 32, 16, 0).blocks) __builtin_trap();
    check_again(gpu);
    hw_gpu_close(gpu);
    return 0;
}
