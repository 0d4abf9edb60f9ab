// What the program registered before main: fat binaries, and which host addresses stand for which kernels and
// variables.
//
// Modules are loaded at the first call that needs the GPU, all of them, so that a program that never gets there pays
// nothing, and one with an unsupported instruction is refused before it has done half of its work.
#define _GNU_SOURCE
#include "shim/cudart/registry.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "shim/container.h"
#include "shim/environment.h"
#include "toolchain/binary/ptx_link.h"

enum { BUCKETS = 4096, MAX_MANAGED_RANGES = 64 };

typedef struct function_node {
    struct function_node *next;          // by host address
    struct function_node *next_handle;   // by its own address, which is what cudaGetKernel gives
    hw_registered_function it;
} function_node;

typedef struct variable_node {
    struct variable_node *next;
    hw_registered_variable it;
} variable_node;

static function_node *registered_functions[BUCKETS], *function_handles[BUCKETS];
static variable_node *registered_variables[BUCKETS];
static hw_image *registered_images, **last_image = &registered_images;
static hw_image *loading_image;
static struct { uint64_t begin, end; } managed_ranges[MAX_MANAGED_RANGES];
static unsigned n_managed_ranges;
// Of each GPU the context (hw_rt_epoch) that modules have been loaded into, and the one that has them all; 0: none.
static uint64_t loaded_epochs[HW_MEM_GPUS];
static _Atomic uint64_t complete_epochs[HW_MEM_GPUS];
// Recursive: place_managed is called back from within a load.
static pthread_mutex_t registry_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static size_t bucket_of(const void *host) { return (size_t)(hw_address(host) * 0x9e3779b97f4a7c15u >> 52); }

hw_image *hw_registry_add_image(const void *wrapper) {
    hw_image *image = hw_calloc(1, sizeof *image);
    if (!image) return NULL;
    image->wrapper = wrapper;
    pthread_mutex_lock(&registry_lock);
    *last_image = image;
    last_image = &image->next;
    for (uint32_t i = 0; i < HW_MEM_GPUS; i++) atomic_store(&complete_epochs[i], 0);
    pthread_mutex_unlock(&registry_lock);
    return image;
}

void hw_registry_add_function(hw_image *image, const void *host, const char *name) {
    function_node *node = hw_calloc(1, sizeof *node);
    if (!node) return;
    node->it = (hw_registered_function){.host = host, .name = name, .image = image};
    pthread_mutex_lock(&registry_lock);
    node->next = registered_functions[bucket_of(host)];
    registered_functions[bucket_of(host)] = node;
    node->next_handle = function_handles[bucket_of(&node->it)];
    function_handles[bucket_of(&node->it)] = node;
    pthread_mutex_unlock(&registry_lock);
}

void hw_registry_add_variable(hw_image *image, const void *host, void **managed, const char *name) {
    variable_node *node = hw_calloc(1, sizeof *node);
    if (!node) return;
    node->it = (hw_registered_variable){.host = host, .managed = managed, .name = name, .image = image};
    pthread_mutex_lock(&registry_lock);
    node->next = registered_variables[bucket_of(host)];
    registered_variables[bucket_of(host)] = node;
    pthread_mutex_unlock(&registry_lock);
}

// A library that is unloaded takes its host addresses with it; another may get them.
void hw_registry_drop_image(hw_image *image) {
    pthread_mutex_lock(&registry_lock);
    for (size_t i = 0; i < BUCKETS; i++) {
        for (function_node *f = registered_functions[i]; f; f = f->next)
            if (f->it.image == image) f->it.host = NULL;
        for (variable_node *v = registered_variables[i]; v; v = v->next)
            if (v->it.image == image) v->it.host = NULL;
    }
    image->is_dropped = true;
    pthread_mutex_unlock(&registry_lock);
}

void hw_registry_add_managed_range(uint64_t begin, uint64_t end) {
    pthread_mutex_lock(&registry_lock);
    if (n_managed_ranges < MAX_MANAGED_RANGES) {
        managed_ranges[n_managed_ranges].begin = begin;
        managed_ranges[n_managed_ranges++].end = end;
    }
    pthread_mutex_unlock(&registry_lock);
}

static bool is_in_managed_range(uint64_t address) {
    for (unsigned i = 0; i < n_managed_ranges; i++)
        if (address >= managed_ranges[i].begin && address < managed_ranges[i].end) return true;
    return false;
}

bool hw_registry_has_managed(const hw_image *image) {
    bool found = false;
    pthread_mutex_lock(&registry_lock);
    for (size_t i = 0; i < BUCKETS && !found; i++)
        for (const variable_node *v = registered_variables[i]; v; v = v->next)
            if (v->it.image == image && is_in_managed_range(hw_address(v->it.host))) found = true;
    pthread_mutex_unlock(&registry_lock);
    return found;
}

static bool is_being_loaded(const hw_image *image) {
    return image == loading_image || (loading_image->whole && image->whole == loading_image->whole);
}

// hw_rt_text.place: where a managed variable of a program compiled by clang lies.
static uint64_t place_managed(void *context, const char *name, uint64_t bytes) {
    (void)context;
    (void)bytes;
    if (!n_managed_ranges) return 0;
    for (size_t i = 0; i < BUCKETS; i++)
        for (const variable_node *v = registered_variables[i]; v; v = v->next)
            if (is_being_loaded(v->it.image) && is_in_managed_range(hw_address(v->it.host)) &&
                strcmp(v->it.name, name) == 0)
                return hw_address(v->it.host);
    return 0;
}

// The PTX for this GPU, in image->ptx.
static hw_rt_status unpack_image(hw_image *image, hw_diag *diag) {
    hw_rt_code code;
    snprintf(image->name, sizeof image->name, "%s.ptx", program_invocation_short_name);
    const int cc = hw_rt_gpu(hw_shim_runtime())->arch->cc;
    if (!image->wrapper) {
        hw_diag_set(diag, HW_MALFORMED, "the program's device code is not packed as nvcc or clang pack it");
        return HW_RT_INVALID_PTX;
    }
    const hw_rt_status status = hw_shim_unpack(image->wrapper, cc, &code, diag);
    if (status) return status;
    image->ptx = code.ptx;
    image->ptx_bytes = code.ptx_bytes;
    image->is_relocatable = code.is_relocatable;
    if (code.name[0]) snprintf(image->name, sizeof image->name, "%s", code.name);
    return HW_RT_SUCCESS;
}

static bool is_same_object(const void *a, const void *b) {
    Dl_info first, second;
    return dladdr(a, &first) && dladdr(b, &second) && first.dli_fbase == second.dli_fbase;
}

static bool is_loaded(const hw_image *image) {
    for (uint32_t i = 0; i < HW_MEM_GPUS; i++)
        if (image->modules[i]) return true;
    return false;
}

// The image's PTX. With one of relocatable code come all that have been registered by the same program or library
// since: they are linked to one.
static hw_rt_status prepare_image(hw_image *image, hw_diag *diag) {
    size_t count = 0, most = 0;
    if (image->ptx || image->whole) return HW_RT_SUCCESS;
    hw_rt_status status = unpack_image(image, diag);
    if (status || !image->is_relocatable) return status;
    for (hw_image *i = image; i; i = i->next) most++;
    hw_image **parts = hw_calloc(most, sizeof *parts);
    if (!parts) return hw_rt_status_of(hw_diag_no_memory(diag));
    for (hw_image *i = image; i && !status; i = i->next) {
        if (i->is_dropped || i->whole || is_loaded(i) || !is_same_object(i->wrapper, image->wrapper)) continue;
        // What has no PTX is told when it is its turn.
        if (!i->ptx && unpack_image(i, NULL)) continue;
        if (i->is_relocatable) parts[count++] = i;
    }
    if (count > 1) status = hw_relocatable_join(parts, count, diag);
    hw_free(parts);
    return status;
}

// Names in the image's module; what was renamed when the parts were joined is asked for by its new name first.
static void bind_function(hw_image *image, hw_registered_function *function) {
    hw_runtime *runtime = hw_shim_runtime();
    hw_rt_module *module = image->modules[hw_rt_number(runtime)];
    hw_rt_function **out = &function->functions[hw_rt_number(runtime)];
    char renamed[4096];
    if (image->whole) {
        hw_ptx_link_name(function->name, image->part, renamed, sizeof renamed);
        if (!hw_rt_module_function(runtime, module, renamed, out)) return;
    }
    hw_rt_module_function(runtime, module, function->name, out);
}

static void bind_variable(hw_image *image, hw_registered_variable *variable) {
    hw_runtime *runtime = hw_shim_runtime();
    hw_rt_module *module = image->modules[hw_rt_number(runtime)];
    uint64_t *address = &variable->addresses[hw_rt_number(runtime)];
    char renamed[4096];
    hw_rt_status status = HW_RT_NOT_FOUND;
    if (image->whole) {
        hw_ptx_link_name(variable->name, image->part, renamed, sizeof renamed);
        status = hw_rt_module_variable(runtime, module, renamed, address, &variable->bytes);
    }
    if (status) status = hw_rt_module_variable(runtime, module, variable->name, address, &variable->bytes);
    if (!status && variable->managed) *variable->managed = (void *)(uintptr_t)*address;
}

static void bind_names(hw_image *image) {
    for (size_t i = 0; i < BUCKETS; i++) {
        for (function_node *f = registered_functions[i]; f; f = f->next)
            if (f->it.image == image) bind_function(image, &f->it);
        for (variable_node *v = registered_variables[i]; v; v = v->next)
            if (v->it.image == image) bind_variable(image, &v->it);
    }
}

// nvcc puts an empty piece of machine code beside a program's own.
static bool has_kernels(const hw_image *image) {
    for (size_t i = 0; i < BUCKETS; i++)
        for (const function_node *f = registered_functions[i]; f; f = f->next)
            if (f->it.image == image) return true;
    return false;
}

// Not the end yet: the program may never launch anything of it. hw_registry_complain says it when it does.
static void note_no_ptx(hw_image *image, const hw_diag *diag) {
    image->has_no_ptx = true;
    const char *library = hw_library_of(image->wrapper);
    snprintf(image->why, sizeof image->why, "%s%s%s", library ? library : "", library ? ": " : "", diag->text);
    if (library && has_kernels(image))
        fprintf(stderr, "halfwarp: the program has loaded %s, machine code for GPUs only: its kernels will fail\n",
                library);
}

static hw_rt_status load_image(hw_image *image) {
    hw_diag diag = {0};
    hw_runtime *runtime = hw_shim_runtime();
    const uint32_t gpu = hw_rt_number(runtime);
    hw_rt_status status = prepare_image(image, &diag);
    if (status == HW_RT_NO_IMAGE) {
        note_no_ptx(image, &diag);
        return HW_RT_SUCCESS;
    }
    const bool is_part = image->whole && image->whole != image;
    loading_image = image;
    hw_rt_text text = {
        .ptx = image->ptx, .ptx_bytes = image->ptx_bytes, .name = image->name, .place = place_managed};
    if (!image->whole) text.container = hw_shim_container(image->wrapper, &text.container_bytes);
    if (!status && is_part) image->modules[gpu] = image->whole->modules[gpu];
    else if (!status) status = hw_rt_module_load(runtime, &text, &image->modules[gpu], &diag);
    loading_image = NULL;
    if (status == HW_RT_NO_MEMORY) return status;
    if (status) hw_shim_refuse(&diag, status);
    bind_names(image);
    if (!is_part) hw_shim_module_loaded(image->modules[gpu]);
    return HW_RT_SUCCESS;
}

// The context that they were in has gone.
static void forget_modules(uint32_t gpu) {
    for (hw_image *image = registered_images; image; image = image->next) image->modules[gpu] = NULL;
    for (size_t i = 0; i < BUCKETS; i++) {
        for (function_node *f = registered_functions[i]; f; f = f->next) f->it.functions[gpu] = NULL;
        for (variable_node *v = registered_variables[i]; v; v = v->next) v->it.addresses[gpu] = 0;
    }
}

hw_rt_status hw_registry_load_all(void) {
    hw_runtime *runtime = hw_shim_runtime();
    const uint32_t gpu = hw_rt_number(runtime);
    const uint64_t now = hw_rt_epoch(runtime);
    if (atomic_load_explicit(&complete_epochs[gpu], memory_order_acquire) == now) return HW_RT_SUCCESS;
    hw_rt_status status = HW_RT_SUCCESS;
    pthread_mutex_lock(&registry_lock);
    if (loaded_epochs[gpu] && loaded_epochs[gpu] != now) forget_modules(gpu);
    loaded_epochs[gpu] = now;
    for (hw_image *image = registered_images; image && !status; image = image->next)
        if (!image->modules[gpu] && !image->has_no_ptx && !image->is_dropped) status = load_image(image);
    if (!status) atomic_store(&complete_epochs[gpu], now);
    pthread_mutex_unlock(&registry_lock);
    return status;
}

void hw_registry_complain(hw_image *image) {
    pthread_mutex_lock(&registry_lock);
    if (image->has_no_ptx && !image->has_complained) {
        fprintf(stderr, "halfwarp: %s\n", image->why);
        hw_shim_note(HW_EXIT_UNSUPPORTED, image->why);
        image->has_complained = true;
    }
    pthread_mutex_unlock(&registry_lock);
}

hw_registered_function *hw_registry_function(const void *host) {
    if (!host) return NULL;
    hw_registered_function *found = NULL;
    pthread_mutex_lock(&registry_lock);
    for (function_node *f = registered_functions[bucket_of(host)]; f && !found; f = f->next)
        if (f->it.host == host) found = &f->it;
    for (function_node *f = function_handles[bucket_of(host)]; f && !found; f = f->next_handle)
        if ((const void *)&f->it == host && f->it.host) found = &f->it;
    pthread_mutex_unlock(&registry_lock);
    return found;
}

static bool is_at(const hw_registered_variable *variable, uint64_t address) {
    for (uint32_t i = 0; i < HW_MEM_GPUS; i++)
        if (variable->addresses[i] == address) return true;
    return false;
}

hw_registered_variable *hw_registry_variable(const void *host) {
    if (!host) return NULL;
    hw_registered_variable *found = NULL;
    pthread_mutex_lock(&registry_lock);
    for (variable_node *v = registered_variables[bucket_of(host)]; v && !found; v = v->next)
        if (v->it.host == host) found = &v->it;
    // A managed variable is also named by where it is.
    for (size_t i = 0; i < BUCKETS && !found; i++)
        for (variable_node *v = registered_variables[i]; v && !found; v = v->next)
            if (v->it.managed && v->it.host && is_at(&v->it, hw_address(host))) found = &v->it;
    pthread_mutex_unlock(&registry_lock);
    return found;
}
