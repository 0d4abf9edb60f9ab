// Kernels of a device: found among those it has, or compiled and loaded; and launches.
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "device/device_internal.h"
#include "device/kernels.h"
#include "device/recorded.h"
#include "toolchain/compilers/own_headers.h"

// ---- Compiling ------------------------------------------------------------------------------------------------------

static bool is_header(const char *path) {
    size_t length = strlen(path);
    return length > 4 && !strcmp(path + length - 4, ".cuh");
}

// All headers of kernels/.
static hw_status collect_headers(hw_arena *arena, hw_code_request *request, hw_diag *diag) {
    const hw_source_file *source;
    size_t count = 0;
    for (size_t i = 0; (source = hw_kernel_source_at(i)); i++) count += is_header(source->path);
    hw_source_file *headers = hw_arena_take(arena, (count + 1) * sizeof *headers);
    if (!headers) return hw_diag_no_memory(diag);
    for (size_t i = 0; (source = hw_kernel_source_at(i)); i++)
        if (is_header(source->path)) headers[request->n_headers++] = *source;
    request->headers = headers;
    return HW_OK;
}

// What nobody has recorded for a simulated GPU is compiled.
static hw_status find_code(const hw_code_request *request, hw_arena *arena, hw_code *code, hw_diag *diag) {
    if (request->wants_machine_code) return hw_toolchain_device_code(request, arena, code, diag);
    hw_status status = hw_recorded_find(request, arena, code, diag);
    hw_recorded_notice(request, status == HW_OK);
    return status == HW_NOT_FOUND ? hw_toolchain_device_code(request, arena, code, diag) : status;
}

static hw_status compile(hw_device *device, const hw_kernel_request *wanted, void **handle, hw_diag *diag) {
    const hw_source_file *source = hw_kernel_source_find(wanted->file);
    if (!source) return hw_diag_set(diag, HW_USAGE, "there is no kernel source kernels/%s", wanted->file);
    hw_arena *arena = hw_arena_create();
    if (!arena) return hw_diag_no_memory(diag);
    char headers[PATH_MAX];
    hw_code_wish wish = device->table->code_wish(device);
    hw_code code;
    hw_code_request request = {
        .source = *source,
        .defines = wanted->defines,
        .n_defines = wanted->n_defines,
        .cc = device->properties.cc,
        .wants_machine_code = wish.is_machine_code,
        .newest_nvrtc = wish.newest_nvrtc,
        .include_dir = hw_compiler_own_headers(headers),
        .search_path = device->search_path,
        .cache_dir = device->cache_dir,
    };
    hw_status status = collect_headers(arena, &request, diag);
    if (status == HW_OK) status = find_code(&request, arena, &code, diag);
    if (status == HW_OK) {
        pthread_mutex_lock(&device->lock);
        memcpy(device->kernels_by, code.made_by, sizeof device->kernels_by);
        pthread_mutex_unlock(&device->lock);
    }
    if (status == HW_OK) status = device->table->module_load(device, &code, wanted->file, handle, diag);
    hw_arena_destroy(arena);
    return status;
}

void hw_device_kernels_by(hw_device *device, char *out, size_t out_bytes) {
    pthread_mutex_lock(&device->lock);
    snprintf(out, out_bytes, "%s", device->kernels_by);
    pthread_mutex_unlock(&device->lock);
}

// Under compile_lock.
static hw_status find_module(hw_device *device, const hw_kernel_request *wanted, const hw_hash *key,
                             hw_kernel_module **out, hw_diag *diag) {
    for (hw_kernel_module *module = device->modules; module; module = module->next) {
        if (module->key.low != key->low || module->key.high != key->high) continue;
        *out = module;
        return HW_OK;
    }
    hw_kernel_module *module = hw_calloc(1, sizeof *module);
    if (!module) return hw_diag_no_memory(diag);
    hw_status status = compile(device, wanted, &module->handle, diag);
    if (status != HW_OK) {
        hw_free(module);
        return status;
    }
    module->key = *key;
    module->next = device->modules;
    device->modules = module;
    *out = module;
    return HW_OK;
}

// ---- Kernels --------------------------------------------------------------------------------------------------------

static hw_kernel **bucket_of(hw_device *device, const hw_hash *key) {
    return &device->kernels[key->low % HW_KERNEL_BUCKETS];
}

static hw_kernel *find_kernel(hw_device *device, const hw_hash *key) {
    pthread_mutex_lock(&device->lock);
    hw_kernel *kernel = *bucket_of(device, key);
    while (kernel && (kernel->key.low != key->low || kernel->key.high != key->high)) kernel = kernel->next;
    pthread_mutex_unlock(&device->lock);
    return kernel;
}

static hw_status make_kernel(hw_device *device, const hw_kernel_request *wanted, const hw_hash *module_key,
                             const hw_hash *key, hw_kernel **out, hw_diag *diag) {
    hw_kernel_module *module = NULL;
    hw_kernel *kernel = hw_calloc(1, sizeof *kernel);
    if (!kernel) return hw_diag_no_memory(diag);
    kernel->device = device;
    kernel->key = *key;
    snprintf(kernel->name, sizeof kernel->name, "%s", wanted->function);
    hw_status status = find_module(device, wanted, module_key, &module, diag);
    if (status == HW_OK) status = device->table->kernel_find(device, module->handle, wanted->function, kernel, diag);
    if (status != HW_OK) {
        hw_free(kernel);
        return status;
    }
    pthread_mutex_lock(&device->lock);
    hw_kernel **bucket = bucket_of(device, key);
    kernel->next = *bucket;
    *bucket = kernel;
    pthread_mutex_unlock(&device->lock);
    *out = kernel;
    return HW_OK;
}

hw_status hw_device_kernel(hw_device *device, const hw_kernel_request *request, hw_kernel **out, hw_diag *diag) {
    *out = NULL;
    if (!device->table->code_wish)
        return hw_diag_set(diag, HW_USAGE, "%s runs no CUDA kernels", device->name);
    hw_hash module_key = hw_hash_start();
    hw_hash_string(&module_key, request->file);
    for (size_t i = 0; i < request->n_defines; i++) hw_hash_string(&module_key, request->defines[i]);
    hw_hash key = module_key;
    hw_hash_string(&key, request->function);
    if ((*out = find_kernel(device, &key))) return HW_OK;

    hw_status status = HW_OK;
    pthread_mutex_lock(&device->compile_lock);
    // Another thread may have compiled it meanwhile.
    if (!(*out = find_kernel(device, &key))) status = make_kernel(device, request, &module_key, &key, out, diag);
    pthread_mutex_unlock(&device->compile_lock);
    return status;
}

void hw_device_kernels_free(hw_device *device) {
    for (size_t i = 0; i < HW_KERNEL_BUCKETS; i++) {
        while (device->kernels[i]) {
            hw_kernel *kernel = device->kernels[i];
            device->kernels[i] = kernel->next;
            hw_free(kernel);
        }
    }
    while (device->modules) {
        hw_kernel_module *module = device->modules;
        device->modules = module->next;
        device->table->module_unload(device, module->handle);
        hw_free(module);
    }
}

void hw_kernel_get_info(const hw_kernel *kernel, hw_kernel_info *info) { *info = kernel->info; }

// ---- Launches -------------------------------------------------------------------------------------------------------

enum { SHARED_WITHOUT_ASKING = 48 << 10 };

static hw_status allow_dynamic_shared(hw_kernel *kernel, uint32_t bytes, hw_diag *diag) {
    hw_device *device = kernel->device;
    uint64_t all = (uint64_t)kernel->info.static_shared_bytes + bytes;
    hw_status status = HW_OK;
    if (all > device->properties.shared_bytes && device->properties.kind == HW_DEVICE_SIM)
        return device->table->allow_dynamic_shared(kernel, bytes, diag);   // it has more to say
    if (all > device->properties.shared_bytes)
        return hw_diag_set(diag, HW_USAGE,
                           "%s: %s is launched with %u bytes of static and %u of dynamic shared memory, "
                           "and a block can have %u",
                           device->name, kernel->name, kernel->info.static_shared_bytes, bytes,
                           device->properties.shared_bytes);
    if (all <= SHARED_WITHOUT_ASKING) return HW_OK;
    pthread_mutex_lock(&device->lock);
    if (bytes > kernel->dynamic_shared_bytes) {
        status = device->table->allow_dynamic_shared(kernel, bytes, diag);
        if (status == HW_OK) kernel->dynamic_shared_bytes = bytes;
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

uint32_t hw_kernel_blocks_per_multiprocessor(hw_kernel *kernel, uint32_t block_threads, uint32_t dynamic_shared_bytes) {
    if (allow_dynamic_shared(kernel, dynamic_shared_bytes, NULL) != HW_OK) return 0;
    return kernel->device->table->blocks_per_multiprocessor(kernel, block_threads, dynamic_shared_bytes);
}

hw_status hw_stream_launch(hw_stream *stream, const hw_kernel_launch *launch, hw_diag *diag) {
    if (!stream || !launch || !launch->kernel)
        return hw_diag_set(diag, HW_USAGE, "the stream or the kernel of a launch is NULL");
    if (launch->kernel->device != stream->device)
        return hw_diag_set(diag, HW_USAGE, "%s is a kernel of %s and cannot be launched on %s", launch->kernel->name,
                           launch->kernel->device->name, stream->device->name);
    if (!launch->grid[0] || !launch->grid[1] || !launch->grid[2]) return HW_OK;
    hw_status status = allow_dynamic_shared(launch->kernel, launch->dynamic_shared_bytes, diag);
    return status == HW_OK ? stream->device->table->launch(stream, launch, diag) : status;
}
