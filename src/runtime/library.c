// Libraries of device code, and their kernels.
#include "runtime/library.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "runtime/internal.h"

struct hw_rt_kernel {
    char *name;
    hw_rt_library *library;
    struct {
        _Atomic(hw_rt_function *) function;
        _Atomic uint64_t epoch;        // of the context that the function is of
    } of[HW_MEM_GPUS];
};

struct hw_rt_library {
    char *ptx, name[256];
    size_t ptx_bytes;
    struct {
        hw_rt_module *module;          // of the context of that epoch
        uint64_t epoch;
    } of[HW_MEM_GPUS];
    bool asks_registers;               // of each of them, when it is loaded
    hw_rt_kernel *kernels;             // by name
    size_t n_kernels;
    pthread_mutex_t lock;              // of the modules
};

// A machine's GPUs have the same ones, whichever was the current one when they were loaded.
static hw_rt_handles *handles_of(const hw_runtime *runtime) { return &runtime->machine->gpus[0]->handles; }

bool hw_rt_is_library(hw_runtime *runtime, const hw_rt_library *library) {
    return hw_rt_handles_have(handles_of(runtime), HW_RT_LIBRARY, library);
}

void hw_rt_library_ask_registers(hw_runtime *runtime, hw_rt_library *library) {
    library->asks_registers = true;
    hw_rt_module_ask_registers(runtime, library->of[runtime->number].module);
}

bool hw_rt_is_kernel(hw_runtime *runtime, const hw_rt_kernel *kernel) {
    return hw_rt_handles_have(handles_of(runtime), HW_RT_KERNEL, kernel);
}

hw_rt_library *hw_rt_kernel_library(const hw_rt_kernel *kernel) { return kernel->library; }
const char *hw_rt_kernel_name(const hw_rt_kernel *kernel) { return kernel->name; }

void hw_rt_free_library(hw_rt_library *library) {
    for (size_t i = 0; i < library->n_kernels; i++) hw_free(library->kernels[i].name);
    pthread_mutex_destroy(&library->lock);
    hw_free(library->kernels);
    hw_free(library->ptx);
    hw_free(library);
}

static void forget_library(hw_runtime *runtime, hw_rt_library *library) {
    hw_rt_handles_remove(handles_of(runtime), HW_RT_LIBRARY, library);
    for (size_t i = 0; i < library->n_kernels; i++)
        hw_rt_handles_remove(handles_of(runtime), HW_RT_KERNEL, &library->kernels[i]);
    hw_rt_free_library(library);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const hw_rt_kernel *)a)->name, ((const hw_rt_kernel *)b)->name);
}

static bool name_kernel(hw_runtime *runtime, hw_rt_function *function, hw_rt_kernel *kernel) {
    const char *name;
    if (hw_rt_function_get_name(runtime, function, &name)) return false;
    kernel->name = hw_malloc(strlen(name) + 1);
    if (kernel->name) strcpy(kernel->name, name);
    return kernel->name != NULL;
}

static bool list_kernels(hw_runtime *runtime, hw_rt_library *library) {
    const size_t count = hw_rt_module_functions(runtime, library->of[runtime->number].module, NULL, 0);
    hw_rt_function **functions = hw_calloc(count + 1, sizeof *functions);
    library->kernels = hw_calloc(count + 1, sizeof *library->kernels);
    bool good = functions && library->kernels;
    if (good) hw_rt_module_functions(runtime, library->of[runtime->number].module, functions, count);
    for (size_t i = 0; good && i < count; i++) {
        library->kernels[i].library = library;
        good = name_kernel(runtime, functions[i], &library->kernels[i]);
        library->n_kernels += good;
    }
    hw_free(functions);
    if (!good) return false;
    qsort(library->kernels, count, sizeof *library->kernels, by_name);
    for (size_t i = 0; i < count; i++)
        if (!hw_rt_handles_add(handles_of(runtime), HW_RT_KERNEL, &library->kernels[i])) return false;
    return true;
}

// With the library's lock held.
static hw_rt_status load_module(hw_runtime *runtime, hw_rt_library *library, hw_diag *diag) {
    const hw_rt_text text = {.ptx = library->ptx, .ptx_bytes = library->ptx_bytes, .name = library->name};
    const hw_rt_status status = hw_rt_module_load(runtime, &text, &library->of[runtime->number].module, diag);
    if (status) return status;
    library->of[runtime->number].epoch = hw_rt_epoch(runtime);
    if (library->asks_registers) hw_rt_module_ask_registers(runtime, library->of[runtime->number].module);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_library_load(hw_runtime *runtime, const hw_rt_code *code, const char *name, hw_rt_library **out,
                                hw_diag *diag) {
    HW_RT_ENTER(runtime);
    hw_rt_library *made = hw_calloc(1, sizeof *made);
    if (!made) return hw_rt_status_of(hw_diag_no_memory(diag));
    pthread_mutex_init(&made->lock, NULL);
    snprintf(made->name, sizeof made->name, "%s", code->name[0] ? code->name : name);
    made->ptx = code->ptx;
    made->ptx_bytes = code->ptx_bytes;
    hw_rt_status status = load_module(runtime, made, diag);
    if (!status && (!list_kernels(runtime, made) || !hw_rt_handles_add(handles_of(runtime), HW_RT_LIBRARY, made))) {
        hw_rt_module_unload(runtime, made->of[runtime->number].module);
        status = hw_rt_status_of(hw_diag_no_memory(diag));
    }
    if (status) {
        made->ptx = NULL;
        forget_library(runtime, made);
        return status;
    }
    *out = made;
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_library_unload(hw_runtime *runtime, hw_rt_library *library) {
    if (!hw_rt_handles_remove(handles_of(runtime), HW_RT_LIBRARY, library)) return HW_RT_INVALID_HANDLE;
    for (uint32_t i = 0; i < runtime->machine->n; i++) {
        hw_runtime *gpu = runtime->machine->gpus[i];
        const bool is_there = library->of[i].module && library->of[i].epoch == hw_rt_epoch(gpu);
        if (is_there) hw_rt_module_unload(gpu, library->of[i].module);
    }
    forget_library(runtime, library);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_library_module(hw_runtime *runtime, hw_rt_library *library, hw_rt_module **out) {
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_library(runtime, library)) return HW_RT_INVALID_HANDLE;
    hw_diag diag = {0};
    pthread_mutex_lock(&library->lock);
    // What was loaded once can be loaded again, but for want of memory.
    const bool is_there = library->of[runtime->number].epoch == hw_rt_epoch(runtime);
    const hw_rt_status status = is_there ? HW_RT_SUCCESS : load_module(runtime, library, &diag);
    *out = library->of[runtime->number].module;
    pthread_mutex_unlock(&library->lock);
    return status;
}

hw_rt_status hw_rt_library_kernel(hw_runtime *runtime, hw_rt_library *library, const char *name, hw_rt_kernel **out) {
    if (!hw_rt_is_library(runtime, library)) return HW_RT_INVALID_HANDLE;
    const hw_rt_kernel wanted = {.name = (char *)name};
    *out = bsearch(&wanted, library->kernels, library->n_kernels, sizeof wanted, by_name);
    return *out ? HW_RT_SUCCESS : HW_RT_NOT_FOUND;
}

size_t hw_rt_library_kernels(hw_runtime *runtime, hw_rt_library *library, hw_rt_kernel **out, size_t n) {
    if (!hw_rt_is_library(runtime, library)) return 0;
    for (size_t i = 0; i < n && i < library->n_kernels; i++) out[i] = &library->kernels[i];
    return library->n_kernels;
}

hw_rt_status hw_rt_kernel_function(hw_runtime *runtime, hw_rt_kernel *kernel, hw_rt_function **out) {
    HW_RT_ENTER(runtime);
    const uint64_t now = hw_rt_epoch(runtime);
    *out = atomic_load_explicit(&kernel->of[runtime->number].function, memory_order_relaxed);
    if (atomic_load_explicit(&kernel->of[runtime->number].epoch, memory_order_acquire) == now) return HW_RT_SUCCESS;
    hw_rt_module *module;
    hw_rt_status status = hw_rt_library_module(runtime, kernel->library, &module);
    if (!status) status = hw_rt_module_function(runtime, module, kernel->name, out);
    if (status) return status;
    atomic_store_explicit(&kernel->of[runtime->number].function, *out, memory_order_relaxed);
    atomic_store_explicit(&kernel->of[runtime->number].epoch, now, memory_order_release);
    return HW_RT_SUCCESS;
}
