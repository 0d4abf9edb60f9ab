// A function of the device runtime as the kernel calls it: its arguments and result, for one lane.
#ifndef HW_EXEC_BUILTIN_CALL_H
#define HW_EXEC_BUILTIN_CALL_H

#include <string.h>

#include "exec/warp/warp.h"

// False after a fault.
typedef bool hw_builtin_body(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane);

typedef struct hw_builtin_row {
    const char *name;
    hw_builtin_body *run;
} hw_builtin_row;

static inline char *hw_builtin_argument_at(const hw_state *s, const hw_call_site *site, uint32_t k, int lane) {
    return s->frame->params + (size_t)lane * s->frame->param_stride + site->arg_offsets[k];
}

static inline uint64_t hw_builtin_argument(const hw_state *s, const hw_call_site *site, uint32_t k, int lane) {
    uint64_t value = 0;
    uint64_t bytes = site->signature && k < site->signature->n_params ? site->signature->params[k]->size_bytes : 8;
    memcpy(&value, hw_builtin_argument_at(s, site, k, lane), bytes > 8 ? 8 : bytes);
    return value;
}

static inline void hw_builtin_return(const hw_state *s, const hw_call_site *site, int lane, uint64_t value) {
    if (!site->n_rets) return;
    uint64_t bytes = site->signature && site->signature->n_rets ? site->signature->rets[0]->size_bytes : 8;
    char *to = s->frame->params + (size_t)lane * s->frame->param_stride + site->ret_offsets[0];
    memcpy(to, &value, bytes > 8 ? 8 : bytes);
}

// The device heap: NULL when it is exhausted; and a fault where nothing was taken there.
uint64_t hw_builtin_take_memory(hw_state *s, uint64_t bytes, uint64_t alignment);
bool hw_builtin_free_memory(hw_state *s, const hw_inst *in, int lane, uint64_t address);

// What kernels ask of CUDA's runtime (device_runtime.c), by numbers from 1 on; 0: it has no such function.
enum { HW_DEVICE_RUNTIME_CALLS = 64 };
uint32_t hw_device_runtime_find(const char *name);
hw_builtin_body *hw_device_runtime_at(uint32_t number);

#endif
