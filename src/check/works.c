#include "check/works.h"

#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "base/mix.h"

static bool is_kernel_of(const hw_check_kernel *kernel, const hw_launch_info *info) {
    if (kernel->n_places != info->n_notes || strcmp(kernel->name, info->kernel)) return false;
    for (uint32_t i = 0; i < info->n_notes; i++) {
        const hw_check_place *p = &kernel->places[i];
        const hw_note *note = &info->notes[i];
        if (p->line != note->line || p->ptx_line != note->ptx_line || p->file != note->file ||
            p->inlined != note->inlined) return false;
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

static const char *file_of(const hw_check_kernel *kernel, uint32_t file) {
    return file < kernel->n_files ? kernel->files[file] : "";
}

// A module has many more than one of its kernels; outer ones stand before those that name them.
static bool copy_inlinings(hw_check_works *works, hw_check_kernel *kernel, const hw_launch_info *info) {
    const hw_inlining *all = info->inlinings;
    hw_check_inlining *own = hw_arena_take(works->arena, (info->n_inlinings + 1) * sizeof *own);
    bool *is_used = hw_calloc(info->n_inlinings + 1, sizeof *is_used);
    bool good = own && is_used;
    for (uint32_t i = 0; good && i < info->n_notes; i++)
        for (uint32_t k = info->notes[i].inlined; k && k < info->n_inlinings && !is_used[k]; k = all[k].outer)
            is_used[k] = true;
    for (uint32_t k = 1; good && k < info->n_inlinings; k++) {
        if (!is_used[k]) continue;
        const char *name = all[k].function;
        own[k] = (hw_check_inlining){.file = file_of(kernel, all[k].file), .line = all[k].line,
                                     .outer = all[k].outer ? &own[all[k].outer] : NULL};
        if (name) own[k].function = hw_arena_string(works->arena, name, strlen(name));
        good = !name || own[k].function;
    }
    hw_free(is_used);
    kernel->inlinings = own;
    return good;
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
    kernel->n_files = info->n_files;
    if (!copy_inlinings(works, kernel, info)) return NULL;
    for (uint32_t i = 0; i < info->n_notes; i++) {
        const hw_note *note = &info->notes[i];
        kernel->places[i] = (hw_check_place){note->file, note->line, note->ptx_line,
                                             note->inlined < info->n_inlinings ? note->inlined : 0};
    }
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

bool hw_check_works_add_launch(hw_check_works *works, uint32_t number, uint32_t root, const hw_launch_info *info) {
    const hw_check_kernel *kernel = find_kernel(works, info);
    hw_check_work *work = kernel ? take_work(works, number) : NULL;
    if (!work) return false;
    *work = (hw_check_work){.kernel = kernel, .launch = info->number, .stream = info->stream, .root = root};
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

bool hw_check_works_are_of_one_root(const hw_check_works *works, const hw_check_entry *a, const hw_check_entry *b) {
    const uint32_t root = work_of(works, a)->root;
    return root && root == work_of(works, b)->root;
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
    const uint64_t place = ((uint64_t)work->kernel->number << 44 ^ line << 3 ^ entry->act) * 2 + 1;
    return p->inlined ? hw_mix_word(place, p->inlined) | 1 : place;
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
        if (p->line) side.file = file_of(work->kernel, p->file);
        if (p->line && p->inlined) side.inlined = &work->kernel->inlinings[p->inlined];
    }
    find_thread(&side, work, entry->warp, entry->is_many ? __builtin_ctz(entry->mask | 1u << 31) : lane);
    return side;
}
