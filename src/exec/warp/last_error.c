// Most kernels call nothing that fails.
#include "exec/warp/last_error.h"

#include <string.h>

#include "base/alloc.h"

static size_t bytes_of(const hw_block *block) {
    return (size_t)block->n_warps * HW_WARP_LANES * sizeof *block->last_errors;
}

static uint16_t *place_of(const hw_state *s, int lane) {
    return &s->block->last_errors[s->index * HW_WARP_LANES + (size_t)lane];
}

void hw_last_error_set(const hw_state *s, int lane, uint32_t error) {
    hw_block *block = s->block;
    if (!block->last_errors && error) block->last_errors = hw_calloc(1, bytes_of(block));
    if (block->last_errors) *place_of(s, lane) = (uint16_t)error;
}

uint32_t hw_last_error(const hw_state *s, int lane) { return s->block->last_errors ? *place_of(s, lane) : 0; }

void hw_last_error_forget(hw_block *block) {
    if (block->last_errors) memset(block->last_errors, 0, bytes_of(block));
}

void hw_last_error_free(hw_block *block) {
    hw_free(block->last_errors);
    block->last_errors = NULL;
}
