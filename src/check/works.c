#include "check/works.h"

#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"

static bool is_kernel_of(const hw_check_kernel *kernel, const hw_launch_info *info) {
    if (kernel->n_places != info->n_notes || strcmp(kernel->name, info->kernel)) return false;
    for (uint32_t i = 0; i < info->n_notes; i++) {
        const hw_check_place *p = &kernel->places[i];
        const hw_note *note = &info->notes[i];
        if (p->line != note->line || p->ptx_line != note->ptx_line || p->file != note->file) return false;
    }
    return true;
}

static bool copy_names(hw_check_works *works, hw_check_kernel *kernel, const hw_launch_info *info) {
    kernel->name = hw_arena_string(works->arena, info->kernel, strlen(info->kernel));
    for (uint32_t i = 0; i < info->n_files; i++) {
        const char *file = info->files[i] ? info->files[i] : "";
        kernel->files[i] = hw_arena_string(works->arena, file, strlen(file));
        if (!kernel->files[i]) return false;
    }
    return kernel->name != NULL;
}

static const hw_check_kernel *find_kernel(hw_check_works *works, const hw_launch_info *info) {
    hw_check_kernel *kernel = works->kernels;
    while (kernel && !is_kernel_of(kernel, info)) kernel = kernel->next;
    if (kernel) return kernel;
    kernel = hw_arena_take(works->arena, sizeof *kernel);
    if (!kernel) return NULL;
    kernel->files = hw_arena_take(works->arena, (info->n_files + 1) * sizeof *kernel->files);
    kernel->places = hw_arena_take(works->arena, (info->n_notes + 1) * sizeof *kernel->places);
    if (!kernel->files || !kernel->places || !copy_names(works, kernel, info)) return NULL;
    for (uint32_t i = 0; i < info->n_notes; i++)
        kernel->places[i] = (hw_check_place){info->notes[i].file, info->notes[i].line, info->notes[i].ptx_line};
    kernel->n_files = info->n_files;
    kernel->n_places = info->n_notes;
    kernel->number = ++works->n_kernels;
    kernel->next = works->kernels;
    works->kernels = kernel;
    return kernel;
}

static hw_check_work *take_work(hw_check_works *works, uint32_t number) {
    while (works->n <= number) {
        if (!hw_grow((void **)&works->items, works->n, &works->capacity, sizeof *works->items)) return NULL;
        works->items[works->n++] = (hw_check_work){0};
    }
    return &works->items[number];
}

bool hw_check_works_add_launch(hw_check_works *works, uint32_t number, const hw_launch_info *info) {
    const hw_check_kernel *kernel = find_kernel(works, info);
    hw_check_work *work = kernel ? take_work(works, number) : NULL;
    if (!work) return false;
    *work = (hw_check_work){.kernel = kernel, .launch = info->number, .stream = info->stream};
    memcpy(work->grid, info->grid, sizeof work->grid);
    memcpy(work->block, info->block, sizeof work->block);
    return true;
}

bool hw_check_works_add_call(hw_check_works *works, uint32_t number, uint64_t stream, const void *site) {
    hw_check_work *work = take_work(works, number);
    if (work) *work = (hw_check_work){.stream = stream, .site = site};
    return work != NULL;
}

static const hw_check_work *work_of(const hw_check_works *works, const hw_check_entry *entry) {
    static const hw_check_work unknown;
    return entry->work < works->n ? &works->items[entry->work] : &unknown;
}

bool hw_check_works_is_of_host(const hw_check_works *works, const hw_check_entry *entry) {
    return work_of(works, entry)->stream == HW_CHECK_HOST_STREAM;
}

// Calls of one place of the host program have one site.
uint64_t hw_check_works_place(const hw_check_works *works, const hw_check_entry *entry) {
    const hw_check_work *work = work_of(works, entry);
    if (!work->kernel) return (uint64_t)(uintptr_t)work->site << 8 | entry->act;
    const hw_check_place *p = &work->kernel->places[entry->note < work->kernel->n_places ? entry->note : 0];
    const uint64_t line = p->line ? (uint64_t)p->file << 24 | p->line : 1ull << 40 | p->ptx_line;
    return ((uint64_t)work->kernel->number << 44 ^ line << 3 ^ entry->act) * 2 + 1;
}

static void find_thread(hw_check_side *side, const hw_check_work *work, uint32_t warp, int lane) {
    const uint32_t *grid = work->grid, *block = work->block;
    const uint32_t n_warps = (uint32_t)hw_divide_up((uint64_t)block[0] * block[1] * block[2], HW_WARP_LANES);
    const uint32_t b = warp / n_warps, t = warp % n_warps * HW_WARP_LANES + (uint32_t)lane;
    side->block[0] = b % grid[0];
    side->block[1] = b / grid[0] % grid[1];
    side->block[2] = b / grid[0] / grid[1];
    side->thread[0] = t % block[0];
    side->thread[1] = t / block[0] % block[1];
    side->thread[2] = t / block[0] / block[1];
}

hw_check_side hw_check_works_side(const hw_check_works *works, const hw_check_entry *entry, int lane) {
    const hw_check_work *work = work_of(works, entry);
    hw_check_side side = {.act = (hw_check_act)entry->act, .launch = work->launch, .stream = work->stream,
                          .site = work->site, .file = ""};
    if (!work->kernel) return side;
    side.bytes = entry->width_bytes;
    side.kernel = work->kernel->name;
    side.is_many = entry->is_many && entry->mask & (entry->mask - 1);
    if (entry->note < work->kernel->n_places) {
        const hw_check_place *p = &work->kernel->places[entry->note];
        side.line = p->line;
        side.ptx_line = p->ptx_line;
        if (p->line && p->file < work->kernel->n_files) side.file = work->kernel->files[p->file];
    }
    find_thread(&side, work, entry->warp, entry->is_many ? __builtin_ctz(entry->mask | 1u << 31) : lane);
    return side;
}
