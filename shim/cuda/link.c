// cuLink*: several texts of PTX as one. What comes out is PTX, too, which the calls that load modules take.
#include <string.h>

#include "base/alloc.h"
#include "shim/container.h"
#include "shim/cuda/driver.h"

struct CUlinkState_st {
    char **texts;
    size_t n_texts;
    char *linked;                      // what cuLinkComplete gave out
    hw_cuda_jit jit;
};

HW_EXPORT CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values, CUlinkState *state) {
    HW_ENTER();
    if (!state) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *state = hw_calloc(1, sizeof **state);
    if (!*state) return hw_cuda_return(HW_RT_NO_MEMORY);
    hw_cuda_jit_begin(&(*state)->jit, count, options, values);
    return CUDA_SUCCESS;
}
HW_ALIAS(cuLinkCreate, cuLinkCreate_v2);

// code->ptx is the state's from now on, also where this fails.
static hw_rt_status add_text(CUlinkState state, hw_rt_code *code) {
    char **grown = hw_calloc(state->n_texts + 1, sizeof *grown);
    if (!grown) {
        hw_free(code->ptx);
        return HW_RT_NO_MEMORY;
    }
    if (state->n_texts) memcpy(grown, state->texts, state->n_texts * sizeof *grown);
    hw_free(state->texts);
    state->texts = grown;
    state->texts[state->n_texts++] = code->ptx;
    return HW_RT_SUCCESS;
}

// What was read, or why it could not be.
static CUresult add_code(CUlinkState state, hw_rt_status status, hw_rt_code *code, const hw_diag *diag) {
    if (!status) status = add_text(state, code);
    if (status) hw_cuda_jit_end(&state->jit, diag);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
                                    unsigned count, CUjit_option *options, void **values) {
    HW_ENTER();
    (void)type, (void)count, (void)options, (void)values;
    hw_diag diag = {0};
    hw_rt_code code;
    if (!state || !data || !bytes) return hw_cuda_return(HW_RT_INVALID_VALUE);
    char *copy = hw_malloc(bytes + 1);   // text may come without its NUL
    if (!copy) return hw_cuda_return(HW_RT_NO_MEMORY);
    memcpy(copy, data, bytes);
    copy[bytes] = '\0';
    const hw_rt_status status =
        hw_rt_read_code(hw_shim_runtime(), copy, bytes + 1, name ? name : "linked.ptx", &code, &diag);
    hw_free(copy);
    if (status) hw_cuda_tell_bad_image(data, status, &diag);
    return add_code(state, status, &code, &diag);
}
HW_ALIAS(cuLinkAddData, cuLinkAddData_v2);

HW_EXPORT CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                                    CUjit_option *options, void **values) {
    HW_ENTER();
    (void)type, (void)count, (void)options, (void)values;
    hw_diag diag = {0};
    hw_rt_code code;
    if (!state) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status = hw_cuda_read_file(path, &code, &diag);
    return add_code(state, status, &code, &diag);
}
HW_ALIAS(cuLinkAddFile, cuLinkAddFile_v2);

// PTX that is wrong is told here, as on a GPU, and not first when it is loaded.
static hw_rt_status try_module(const char *ptx, size_t ptx_bytes, hw_diag *diag) {
    hw_rt_module *module;
    const hw_rt_text text = {.ptx = ptx, .ptx_bytes = ptx_bytes, .name = "linked.ptx"};
    const hw_rt_status status = hw_rt_module_load(hw_shim_runtime(), &text, &module, diag);
    if (!status) hw_rt_module_unload(hw_shim_runtime(), module);
    return status;
}

HW_EXPORT CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes) {
    HW_ENTER();
    hw_diag diag = {0};
    size_t length = 0;
    if (!state || !image || !state->n_texts || state->linked) return hw_cuda_return(HW_RT_INVALID_VALUE);
    hw_rt_status status =
        hw_rt_link((const char *const *)state->texts, state->n_texts, &state->linked, &length, &diag);
    if (!status) status = try_module(state->linked, length, &diag);
    if (status) hw_cuda_tell_bad_image(NULL, status, &diag);
    hw_cuda_jit_end(&state->jit, &diag);
    if (status) return hw_cuda_return(status);
    *image = state->linked;
    if (bytes) *bytes = length + 1;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuLinkDestroy(CUlinkState state) {
    if (!state) return hw_cuda_return(HW_RT_INVALID_HANDLE);
    for (size_t i = 0; i < state->n_texts; i++) hw_free(state->texts[i]);
    hw_free(state->texts);
    hw_free(state->linked);
    hw_free(state);
    return CUDA_SUCCESS;
}
