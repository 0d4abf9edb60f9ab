// nvJitLink, the linker that Python packages prefer to the driver's: several texts of PTX as one. Where NVIDIA's gives
// machine code this gives PTX, which the driver's door takes in its place.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "runtime/module.h"
#include "shim/environment.h"
#include "shim/shim.h"

// nvJitLink.h of CUDA 13.0.
typedef enum nvJitLinkResult {
    NVJITLINK_SUCCESS = 0,
    NVJITLINK_ERROR_INVALID_INPUT = 3,
    NVJITLINK_ERROR_PTX_COMPILE = 4,
    NVJITLINK_ERROR_INTERNAL = 6,
} nvJitLinkResult;
typedef enum nvJitLinkInputType { NVJITLINK_INPUT_LTOIR = 3, NVJITLINK_INPUT_LIBRARY = 6 } nvJitLinkInputType;

typedef struct nvJitLink {
    char **texts, *linked, log[2048];
    size_t n_texts, linked_bytes;
} *nvJitLinkHandle;

#define HW_DECLARE(name, ...)                       \
    HW_EXPORT nvJitLinkResult name(__VA_ARGS__);    \
    HW_EXPORT nvJitLinkResult name(__VA_ARGS__)

static nvJitLinkResult fail(nvJitLinkHandle handle, nvJitLinkResult result, const hw_diag *diag) {
    hw_diag_format(diag, handle->log, sizeof handle->log);
    return result;
}

// A version before that from which packages hand it LTO-IR, so that they give their PTX to the driver's linker instead.
HW_DECLARE(nvJitLinkVersion, unsigned *major, unsigned *minor) {
    if (!major || !minor) return NVJITLINK_ERROR_INVALID_INPUT;
    *major = 12;
    *minor = 2;
    return NVJITLINK_SUCCESS;
}

// The options say what to compile for and how, which nobody does here.
HW_DECLARE(nvJitLinkCreate, nvJitLinkHandle *handle, uint32_t count, const char **options) {
    (void)count, (void)options;
    if (!handle) return NVJITLINK_ERROR_INVALID_INPUT;
    *handle = hw_calloc(1, sizeof **handle);
    return *handle ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_INTERNAL;
}

HW_DECLARE(nvJitLinkDestroy, nvJitLinkHandle *handle) {
    if (!handle || !*handle) return NVJITLINK_ERROR_INVALID_INPUT;
    for (size_t i = 0; i < (*handle)->n_texts; i++) hw_free((*handle)->texts[i]);
    hw_free((*handle)->texts);
    hw_free((*handle)->linked);
    hw_free(*handle);
    *handle = NULL;
    return NVJITLINK_SUCCESS;
}

static nvJitLinkResult add_text(nvJitLinkHandle handle, char *text) {
    char **grown = hw_calloc(handle->n_texts + 1, sizeof *grown);
    if (!grown) {
        hw_free(text);
        return NVJITLINK_ERROR_INTERNAL;
    }
    if (handle->n_texts) memcpy(grown, handle->texts, handle->n_texts * sizeof *grown);
    hw_free(handle->texts);
    handle->texts = grown;
    handle->texts[handle->n_texts++] = text;
    return NVJITLINK_SUCCESS;
}

// bytes of data have a NUL behind them.
static nvJitLinkResult add_input(nvJitLinkHandle handle, nvJitLinkInputType type, const char *data, size_t bytes,
                                 const char *name) {
    hw_rt_code code;
    hw_diag diag = {0};
    if (type == NVJITLINK_INPUT_LTOIR) {
        hw_shim_unsupported("nvJitLinkAddData of LTO-IR");
        hw_diag_set(&diag, HW_UNSUPPORTED, "%s is LTO-IR, which is not supported", name);
        return fail(handle, NVJITLINK_ERROR_INVALID_INPUT, &diag);
    }
    const hw_rt_status status = hw_rt_read_code(hw_shim_runtime(), data, bytes + 1, name, &code, &diag);
    if (!status) return add_text(handle, code.ptx);
    char text[sizeof diag + 32];
    if (status == HW_RT_NO_IMAGE) hw_shim_complain(hw_diag_format(&diag, text, sizeof text), HW_EXIT_UNSUPPORTED);
    return fail(handle, NVJITLINK_ERROR_INVALID_INPUT, &diag);
}

HW_DECLARE(nvJitLinkAddData, nvJitLinkHandle handle, nvJitLinkInputType type, const void *data, size_t bytes,
           const char *name) {
    if (!handle || !data) return NVJITLINK_ERROR_INVALID_INPUT;
    char *copy = hw_malloc(bytes + 1);   // text may come without its NUL
    if (!copy) return NVJITLINK_ERROR_INTERNAL;
    memcpy(copy, data, bytes);
    copy[bytes] = '\0';
    const nvJitLinkResult result = add_input(handle, type, copy, bytes, name ? name : "linked.ptx");
    hw_free(copy);
    return result;
}

// NVIDIA's library of device functions for kernels that launch kernels, which are not supported, is left out.
HW_DECLARE(nvJitLinkAddFile, nvJitLinkHandle handle, nvJitLinkInputType type, const char *path) {
    if (!handle || !path) return NVJITLINK_ERROR_INVALID_INPUT;
    if (type == NVJITLINK_INPUT_LIBRARY && strstr(path, "cudadevrt")) return NVJITLINK_SUCCESS;
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    long length = -1;
    if (file && fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0) data = hw_malloc((size_t)length + 1);
    if (data) rewind(file);
    const bool is_read = data && fread(data, 1, (size_t)length, file) == (size_t)length;
    if (file) fclose(file);
    if (is_read) data[length] = '\0';
    hw_diag diag = {0};
    hw_diag_set(&diag, HW_IO, "cannot read %s", path);
    const nvJitLinkResult result = is_read ? add_input(handle, type, data, (size_t)length, path)
                                           : fail(handle, NVJITLINK_ERROR_INVALID_INPUT, &diag);
    hw_free(data);
    return result;
}

HW_DECLARE(nvJitLinkComplete, nvJitLinkHandle handle) {
    hw_diag diag = {0};
    if (!handle || !handle->n_texts || handle->linked) return NVJITLINK_ERROR_INVALID_INPUT;
    const hw_rt_status status = hw_rt_link((const char *const *)handle->texts, handle->n_texts, &handle->linked,
                                           &handle->linked_bytes, &diag);
    return status ? fail(handle, NVJITLINK_ERROR_PTX_COMPILE, &diag) : NVJITLINK_SUCCESS;
}

// ---- what came out: with its NUL ----

HW_DECLARE(nvJitLinkGetLinkedPtxSize, nvJitLinkHandle handle, size_t *bytes) {
    if (!handle || !bytes || !handle->linked) return NVJITLINK_ERROR_INVALID_INPUT;
    *bytes = handle->linked_bytes + 1;
    return NVJITLINK_SUCCESS;
}

HW_DECLARE(nvJitLinkGetLinkedPtx, nvJitLinkHandle handle, char *text) {
    if (!handle || !text || !handle->linked) return NVJITLINK_ERROR_INVALID_INPUT;
    memcpy(text, handle->linked, handle->linked_bytes + 1);
    return NVJITLINK_SUCCESS;
}

HW_DECLARE(nvJitLinkGetLinkedCubinSize, nvJitLinkHandle handle, size_t *bytes) {
    return nvJitLinkGetLinkedPtxSize(handle, bytes);
}

HW_DECLARE(nvJitLinkGetLinkedCubin, nvJitLinkHandle handle, void *image) {
    return nvJitLinkGetLinkedPtx(handle, image);
}

HW_DECLARE(nvJitLinkGetErrorLogSize, nvJitLinkHandle handle, size_t *bytes) {
    if (!handle || !bytes) return NVJITLINK_ERROR_INVALID_INPUT;
    *bytes = strlen(handle->log) + 1;
    return NVJITLINK_SUCCESS;
}

HW_DECLARE(nvJitLinkGetErrorLog, nvJitLinkHandle handle, char *log) {
    if (!handle || !log) return NVJITLINK_ERROR_INVALID_INPUT;
    strcpy(log, handle->log);
    return NVJITLINK_SUCCESS;
}

HW_DECLARE(nvJitLinkGetInfoLogSize, nvJitLinkHandle handle, size_t *bytes) {
    if (!handle || !bytes) return NVJITLINK_ERROR_INVALID_INPUT;
    *bytes = 1;
    return NVJITLINK_SUCCESS;
}

HW_DECLARE(nvJitLinkGetInfoLog, nvJitLinkHandle handle, char *log) {
    if (!handle || !log) return NVJITLINK_ERROR_INVALID_INPUT;
    *log = '\0';
    return NVJITLINK_SUCCESS;
}

// ---- the names that the header's macros give these calls, by the version that a program was compiled with ----

#define HW_VERSIONED(call, version) HW_ALIAS(__##call##_##version, call);
#define HW_OF_VERSION(version)                         \
    HW_VERSIONED(nvJitLinkCreate, version)             \
    HW_VERSIONED(nvJitLinkDestroy, version)            \
    HW_VERSIONED(nvJitLinkAddData, version)            \
    HW_VERSIONED(nvJitLinkAddFile, version)            \
    HW_VERSIONED(nvJitLinkComplete, version)           \
    HW_VERSIONED(nvJitLinkGetLinkedCubinSize, version) \
    HW_VERSIONED(nvJitLinkGetLinkedCubin, version)     \
    HW_VERSIONED(nvJitLinkGetLinkedPtxSize, version)   \
    HW_VERSIONED(nvJitLinkGetLinkedPtx, version)       \
    HW_VERSIONED(nvJitLinkGetErrorLogSize, version)    \
    HW_VERSIONED(nvJitLinkGetErrorLog, version)        \
    HW_VERSIONED(nvJitLinkGetInfoLogSize, version)     \
    HW_VERSIONED(nvJitLinkGetInfoLog, version)
#if HW_NVJITLINK == 13
HW_OF_VERSION(13_0)
#else
HW_OF_VERSION(12_0)
HW_OF_VERSION(12_1)
HW_OF_VERSION(12_2)
HW_OF_VERSION(12_3)
HW_OF_VERSION(12_4)
HW_OF_VERSION(12_5)
HW_OF_VERSION(12_6)
HW_OF_VERSION(12_7)
HW_OF_VERSION(12_8)
HW_OF_VERSION(12_9)
#endif
