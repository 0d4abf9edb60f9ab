// A simulated GPU as a device.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "device/device_internal.h"
#include "device/sim.h"
#include "io/gpu_file.h"

static hw_sim *sim_of(const hw_device *device) { return device->own; }

hw_sim *hw_device_sim(hw_device *device) { return device->table == &hw_sim_table ? sim_of(device) : NULL; }

static void fill_properties(hw_device_properties *p, const hw_gpu *gpu) {
    const hw_arch *arch = gpu->arch;
    p->kind = HW_DEVICE_SIM;
    p->dl = (DLDevice){kDLExtDev, 0};
    snprintf(p->name, sizeof p->name, "%s (simulated)", gpu->name);
    p->cc = arch->cc;
    p->multiprocessors = gpu->sms;
    p->l2_bytes = gpu->l2_kib << 10;
    p->shared_bytes = arch->smem_optin_bytes ? arch->smem_optin_bytes : arch->smem_per_block_bytes;
    p->shared_bytes_per_multiprocessor = arch->smem_per_sm_bytes;
    p->threads_per_multiprocessor = arch->threads_per_sm;
    p->banks = arch->smem_banks;
    p->bank_bytes = arch->smem_bank_bytes;
    p->memory_gbs = gpu->memory_gbs;
    p->fp32_tflops = gpu->fp32_gflops / 1e3;
    p->fp64_tflops = gpu->fp64_gflops / 1e3;
}

static hw_status sim_open(hw_device *device, const char *place, hw_diag *diag) {
    hw_sim_options options = {.threads = device->threads};
    hw_sim *sim = NULL;
    hw_status status = hw_gpu_open(place, &options.gpu, diag);
    if (status != HW_OK) return status;
    status = hw_sim_create(&options, &sim, diag);
    if (status != HW_OK) {
        hw_gpu_close(options.gpu);
        return status;
    }
    uint64_t used;
    fill_properties(&device->properties, options.gpu);
    hw_mem_usage(hw_sim_mem(sim), &device->properties.memory_bytes, &used);
    device->own = sim;
    return HW_OK;
}

static void sim_close(hw_device *device) {
    hw_sim *sim = sim_of(device);
    const hw_gpu *gpu = sim ? hw_sim_gpu(sim) : NULL;
    hw_sim_destroy(sim);
    hw_gpu_close(gpu);
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

static hw_status sim_alloc(hw_device *device, hw_device_block *block, hw_diag *diag) {
    uint64_t address = 0;
    hw_status status = hw_mem_alloc(hw_sim_mem(sim_of(device)), block->bytes, 256,
                                    block->is_host ? HW_ALLOC_PINNED : HW_ALLOC_DEVICE, NULL, NULL, &address, diag);
    block->address = (uintptr_t)address;
    return status;
}

static void sim_free(hw_device *device, const hw_device_block *block) {
    hw_mem_free(hw_sim_mem(sim_of(device)), block->address, NULL);
}

// What hw_host_alloc gave: simulated kernels run in this process.
static bool sim_reaches(hw_device *device, const void *memory) {
    hw_allocation found;
    return hw_mem_find(hw_sim_mem(sim_of(device)), (uintptr_t)memory, 1, &found);
}

static hw_status sim_free_bytes(hw_device *device, uint64_t *bytes, hw_diag *diag) {
    (void)diag;
    uint64_t limit, used, available = hw_host_available_bytes();
    hw_mem_usage(hw_sim_mem(sim_of(device)), &limit, &used);
    *bytes = limit > used ? limit - used : 0;
    if (available && *bytes > available) *bytes = available;
    return HW_OK;
}

// Device memory, or none of it at all. The extent has been checked to lie in one allocation when it begins in one.
static hw_status check_range(hw_device *device, const void *start, size_t bytes, const char *what, hw_diag *diag) {
    const hw_mem *mem = hw_sim_mem(sim_of(device));
    uint64_t address = (uint64_t)(uintptr_t)start;
    hw_allocation found;
    bool is_stray = hw_mem_owns(mem, address) || hw_mem_owns(mem, address + bytes - 1);
    if (!is_stray || hw_mem_find(mem, address, bytes, &found)) return HW_OK;
    return hw_diag_set(diag, HW_USAGE, "%s: the %s, %zu bytes at %p, is in no allocation of the device", device->name,
                       what, bytes, start);
}

static void *host_of(hw_device *device, const void *memory) {
    return hw_mem_host(hw_sim_mem(sim_of(device)), (uint64_t)(uintptr_t)memory);
}

// Sinks hear of copies and of what orders streams, as programs' own are told of; a stream's name is its address.
static void tell(hw_stream *stream, hw_host_event event) {
    hw_sim *sim = sim_of(stream->device);
    event.stream = (uintptr_t)stream;
    if (hw_sim_tells_host(sim)) hw_sim_tell_host(sim, &event);
}

static hw_host_side side_of(hw_device *device, const void *memory, size_t pitch) {
    hw_host_side side = {.address = (uintptr_t)memory, .pitch = pitch, .memory = HW_HOST_MEMORY_OWN};
    hw_allocation found;
    if (hw_mem_find(hw_sim_mem(sim_of(device)), side.address, 1, &found))
        side.memory = found.kind == HW_ALLOC_PINNED ? HW_HOST_MEMORY_PINNED : HW_HOST_MEMORY_DEVICE;
    return side;
}

static void tell_copy(hw_stream *stream, const hw_copy_args *args) {
    hw_host_event event = {.action = HW_HOST_COPY};
    event.copy.to = side_of(stream->device, args->to, args->to_pitch);
    event.copy.from = side_of(stream->device, args->from, args->from_pitch);
    event.copy.width = args->row_bytes;
    event.copy.height = args->rows;
    event.copy.depth = 1;
    event.copy.kind = HW_HOST_COPY_ANY;
    tell(stream, event);
}

static hw_status sim_copy(hw_stream *stream, const hw_copy_args *args, hw_diag *diag) {
    size_t to_bytes = args->to_pitch * (args->rows - 1) + args->row_bytes;
    size_t from_bytes = args->from_pitch * (args->rows - 1) + args->row_bytes;
    hw_status status = check_range(stream->device, args->to, to_bytes, "destination of a copy", diag);
    if (status == HW_OK) status = check_range(stream->device, args->from, from_bytes, "source of a copy", diag);
    hw_copy_args here = *args;
    here.to = host_of(stream->device, args->to);
    here.from = host_of(stream->device, args->from);
    if (status == HW_OK) status = hw_host_copy(stream, &here, diag);
    hw_mem_set_changed(hw_sim_mem(sim_of(stream->device)), (uintptr_t)args->to);
    if (status == HW_OK) tell_copy(stream, args);
    return status;
}

static hw_status sim_fill(hw_stream *stream, void *to, int byte, size_t bytes, hw_diag *diag) {
    hw_status status = check_range(stream->device, to, bytes, "destination of a fill", diag);
    if (status == HW_OK) status = hw_host_fill(stream, host_of(stream->device, to), byte, bytes, diag);
    hw_mem_set_changed(hw_sim_mem(sim_of(stream->device)), (uintptr_t)to);
    return status;
}

static hw_status sim_event_record(hw_event *event, hw_stream *stream, hw_diag *diag) {
    tell(stream, (hw_host_event){.action = HW_HOST_EVENT_RECORD, .event = (uintptr_t)event});
    return hw_host_event_record(event, stream, diag);
}

static hw_status sim_stream_wait(hw_stream *stream, hw_event *event, hw_diag *diag) {
    tell(stream, (hw_host_event){.action = HW_HOST_STREAM_WAIT, .event = (uintptr_t)event});
    return hw_host_stream_wait(stream, event, diag);
}

// Arrays and plain memory alike lie row after row here; which of them it is, the texture says.
static hw_status sim_image_create(hw_image *image, const void *words, hw_diag *diag) {
    const hw_image_request *request = &image->request;
    const uint64_t row_bytes = 4 * (uint64_t)request->cols, bytes = row_bytes * request->rows;
    const uint64_t texels = (uint64_t)request->cols * request->rows;
    hw_device *device = image->device;
    if (texels > INT32_MAX)
        return hw_diag_set(diag, HW_USAGE, "%s: a texture has fewer than 2^31 texels", device->name);
    hw_status status = hw_device_alloc(device, bytes, &image->memory, diag);
    if (!status) status = hw_copy(device->own_stream, image->memory, words, bytes, diag);
    hw_texture texture = {.address = (uintptr_t)image->memory, .bytes = bytes, .pitch_bytes = row_bytes,
                          .slice_bytes = bytes, .size = {(uint32_t)texels, 1, 1}, .channels = 1, .channel_bits = 32,
                          .kind = HW_TEXEL_UNSIGNED, .is_buffer = !request->is_in_blocks,
                          .is_array = request->is_in_blocks,
                          .edge = {HW_TEXTURE_CLAMP, HW_TEXTURE_CLAMP, HW_TEXTURE_CLAMP}};
    if (request->is_in_blocks) {
        texture.size[0] = request->cols;
        texture.size[1] = request->rows;
    } else texture.pitch_bytes = bytes;
    hw_textures *textures = hw_mem_textures(hw_sim_mem(sim_of(device)));
    return status ? status : hw_textures_add(textures, &texture, &image->texture, diag);
}

static void sim_image_destroy(hw_image *image) {
    if (image->texture) hw_textures_remove(hw_mem_textures(hw_sim_mem(sim_of(image->device))), image->texture);
}

// ---- Kernels --------------------------------------------------------------------------------------------------------

static hw_code_wish sim_code_wish(hw_device *device) {
    (void)device;
    return (hw_code_wish){0};
}

static void take_usage(void *user, const hw_ptxas_usage *usage) {
    hw_sim_module *module = user;
    hw_sim_function *function = NULL;
    if (usage->regs <= 0 || hw_sim_find_function(module, usage->kernel, &function, NULL)) return;
    hw_sim_set_regs(function, (uint32_t)usage->regs);
    hw_sim_set_spills(function, (uint32_t)usage->spill_bytes);
}

static void take_machine_code(const hw_toolchain_options *options, const hw_code *code, int cc,
                              hw_sim_module *module) {
    hw_arena *arena = hw_arena_create();
    hw_machine_module machine;
    hw_toolchain_ptxas_regs(options, code->bytes, code->length, cc, take_usage, module, NULL);
    if (arena && !hw_toolchain_machine_counts(options, code->bytes, code->length, cc, arena, &machine, NULL))
        hw_sim_set_machine(module, &machine, arena);
    else hw_arena_destroy(arena);
}

static hw_status sim_module_load(hw_device *device, const hw_code *code, const char *name, void **handle,
                                 hw_diag *diag) {
    hw_sim_module *module = NULL;
    hw_status status = hw_sim_load(sim_of(device), code->bytes, code->length, name, &module, diag);
    if (status != HW_OK) return status;
    // Registers as ptxas counts them, where there is one; else they are estimated.
    const hw_toolchain_options options = {.search_path = device->search_path, .cache_dir = device->cache_dir};
    if (device->cache_dir)
        take_machine_code(&options, code, device->properties.cc, module);
    *handle = module;
    return HW_OK;
}

static void sim_module_unload(hw_device *device, void *handle) { hw_sim_unload(sim_of(device), handle); }

static hw_status sim_kernel_find(hw_device *device, void *module, const char *name, hw_kernel *kernel, hw_diag *diag) {
    (void)device;
    hw_sim_function *function = NULL;
    hw_sim_function_info info;
    hw_status status = hw_sim_find_function(module, name, &function, diag);
    if (status == HW_OK) status = hw_sim_prepare(function, diag);
    if (status != HW_OK) return status;
    hw_sim_get_function_info(function, &info);
    kernel->handle = function;
    kernel->info = (hw_kernel_info){info.regs, info.static_shared_bytes, info.local_bytes, info.max_threads_per_block};
    return HW_OK;
}

static uint32_t sim_blocks(hw_kernel *kernel, uint32_t block_threads, uint32_t dynamic_shared_bytes) {
    return hw_sim_blocks_per_sm(sim_of(kernel->device), kernel->handle, block_threads, dynamic_shared_bytes);
}

static hw_status sim_allow(hw_kernel *kernel, uint32_t bytes, hw_diag *diag) {
    return hw_sim_set_max_dynamic_shared(sim_of(kernel->device), kernel->handle, bytes, diag);
}

static hw_status sim_launch(hw_stream *stream, const hw_kernel_launch *launch, hw_diag *diag) {
    hw_sim_launch_args args = {
        .function = launch->kernel->handle,
        .dynamic_shared_bytes = launch->dynamic_shared_bytes,
        .params = launch->params,
        .cooperative = launch->cooperative,
        .stream = (uintptr_t)stream,
    };
    hw_sim_refusal refusal;
    hw_fault fault;
    memcpy(args.grid, launch->grid, sizeof args.grid);
    memcpy(args.block, launch->block, sizeof args.block);
    hw_status status = hw_sim_launch(sim_of(stream->device), &args, &refusal, &fault, diag);
    if (status != HW_FAULT && status != HW_DEADLOCK) return status;
    // For those who call a device, a kernel that cannot finish is a fault like others.
    return hw_diag_set(diag, HW_FAULT, "%s", fault.text);
}

const hw_device_table hw_sim_table = {
    .open = sim_open,
    .close = sim_close,
    .wait = hw_host_wait,
    .alloc = sim_alloc,
    .free = sim_free,
    .free_bytes = sim_free_bytes,
    .stream_create = hw_host_stream_create,
    .stream_destroy = hw_host_stream_destroy,
    .stream_synchronize = hw_host_stream_synchronize,
    .event_create = hw_host_event_create,
    .event_destroy = hw_host_event_destroy,
    .event_record = sim_event_record,
    .stream_wait = sim_stream_wait,
    .event_elapsed = hw_host_event_elapsed,
    .copy = sim_copy,
    .fill = sim_fill,
    .code_wish = sim_code_wish,
    .module_load = sim_module_load,
    .module_unload = sim_module_unload,
    .kernel_find = sim_kernel_find,
    .blocks_per_multiprocessor = sim_blocks,
    .allow_dynamic_shared = sim_allow,
    .launch = sim_launch,
    .image_create = sim_image_create,
    .image_destroy = sim_image_destroy,
    .reaches = sim_reaches,
};
