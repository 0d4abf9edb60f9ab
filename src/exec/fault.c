// What a kernel is stopped with: who, where, what, in one sentence.
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "base/integers.h"
#include "base/text.h"
#include "exec/schedule/place.h"

static const char *const fault_words[] = {
    [HW_FAULT_NONE] = "stopped",
    [HW_FAULT_ADDRESS] = "accessed memory it does not own",
    [HW_FAULT_MISALIGNED] = "used a misaligned address",
    [HW_FAULT_STACK] = "ran out of stack",
    [HW_FAULT_TRAP] = "hit a trap",
    [HW_FAULT_ASSERT] = "failed an assertion",
    [HW_FAULT_INVALID_CALL] = "called something that is no function",
    [HW_FAULT_LANES_MISSING] = "executed a matrix instruction without all lanes of the warp",
    [HW_FAULT_DEADLOCK] = "cannot finish",
    [HW_FAULT_NO_MEMORY] = "needs more memory than this machine has",
    [HW_FAULT_STOPPED] = "was stopped",
};

// "prog.cu:12", or the PTX line where there is no source line.
void hw_fault_place(const hw_run *run, const hw_inst *in, const char **file, uint32_t *line) {
    const hw_note *note = &run->set->notes[in->note];
    const hw_ptx_module *module = run->set->module;
    *file = module->name;
    *line = note->ptx_line;
    if (note->line && note->file < module->n_files && module->files[note->file]) {
        *file = module->files[note->file];
        *line = note->line;
    }
}

static void describe_allocation(const hw_mem *mem, hw_fault *fault) {
    const hw_allocation *a = &fault->allocation;
    uint64_t past = fault->address - (a->address + a->bytes);
    char *t = fault->text;
    if (!fault->has_allocation) {
        hw_text_append(t, sizeof fault->text, "; nothing is allocated");
        return;
    }
    // A neighbour this far away explains nothing.
    enum { FAR_BYTES = 1 << 30 };
    bool is_before = fault->address < a->address;
    uint64_t distance = is_before ? a->address - fault->address : fault->address - a->address;
    if (distance > (is_before ? 0 : a->bytes) + FAR_BYTES) {
        fault->has_allocation = false;
        hw_text_append(t, sizeof fault->text,
                    "; no allocation is anywhere near: is it a pointer to host memory, or no pointer at all?");
        return;
    }
    char name[256];
    const char *what = a->name ? hw_demangle(a->name, name, sizeof name) : "allocation";
    if (a->is_freed) what = "freed allocation";
    if (is_before)
        hw_text_append(t, sizeof fault->text,
                    "; %" PRIu64 " bytes before the nearest %s of %" PRIu64 " bytes at 0x%" PRIx64,
                    a->address - fault->address, what, a->bytes, a->address);
    else if (fault->address >= a->address + a->bytes)
        hw_text_append(t, sizeof fault->text,
                    "; %" PRIu64 " bytes past the end of the nearest %s of %" PRIu64 " bytes at 0x%" PRIx64,
                    past, what, a->bytes, a->address);
    else
        hw_text_append(t, sizeof fault->text, "; %" PRIu64 " bytes into %s of %" PRIu64 " bytes at 0x%" PRIx64,
                    fault->address - a->address, what, a->bytes, a->address);
    if (a->is_read_only && fault->is_write) hw_text_append(t, sizeof fault->text, ", which may only be read");
    if (hw_mem_is_out_of_reach(mem, fault->address))
        hw_text_append(t, sizeof fault->text,
                    ", which is GPU %u's: GPU %u has not been let reach it (cudaDeviceEnablePeerAccess)", a->gpu,
                    hw_mem_number(mem));
}

// Further away than this from a variable, an address has nothing to do with it.
enum { NEAR_BYTES = 1 << 16 };

// "; 8 bytes past the end of k(float*)::tile of 4096 bytes", when the address lies in or near what is named.
static void describe_place(hw_fault *fault, int64_t at, const char *name, uint64_t begin, uint64_t bytes) {
    char *t = fault->text;
    size_t n = sizeof fault->text;
    int64_t into = at - (int64_t)begin, past = into - (int64_t)bytes;
    if (into < -NEAR_BYTES || past > NEAR_BYTES) return;
    if (into < 0) hw_text_append(t, n, "; %" PRId64 " bytes before %s of %" PRIu64 " bytes", -into, name, bytes);
    else if (past < 0) hw_text_append(t, n, "; %" PRId64 " bytes into %s of %" PRIu64 " bytes", into, name, bytes);
    else hw_text_append(t, n, "; %" PRId64 " bytes past the end of %s of %" PRIu64 " bytes", past, name, bytes);
}

// The variable that holds the address, or the last one before it: arrays are overrun more often than underrun. Below 0,
// the first one.
static void describe_shared(const hw_run *run, hw_fault *fault) {
    const hw_program *entry = run->entry;
    const hw_ptx_symbol *found = NULL, *first = NULL;
    const uint64_t dynamic = hw_program_dynamic_shared(entry);
    int64_t at = (int32_t)fault->address;
    for (uint32_t i = 0; i < entry->n_shared; i++) {
        const hw_ptx_symbol *symbol = entry->shared[i];
        if (!first || symbol->offset < first->offset) first = symbol;
        if ((int64_t)symbol->offset <= at && (!found || symbol->offset >= found->offset)) found = symbol;
    }
    if (at < 0) found = first;
    char name[256];
    if (run->launch->dynamic_shared_bytes && (at >= (int64_t)dynamic || !found))
        describe_place(fault, at, "the dynamic shared memory", dynamic, run->launch->dynamic_shared_bytes);
    else if (found)
        describe_place(fault, at, hw_demangle(found->name, name, sizeof name), found->offset, found->size_bytes);
}

// Compilers put all variables of a function into one, whose name the user has never seen.
static void describe_local(const hw_state *s, hw_fault *fault) {
    const hw_frame *frame = s->frame;
    if (!frame || !frame->program->local_bytes) return;
    char function[256], name[320];
    snprintf(name, sizeof name, "the local variables of %s",
             hw_demangle(frame->program->name, function, sizeof function));
    describe_place(fault, (int32_t)fault->address, name, frame->local_offset, frame->program->local_bytes);
}

static void describe_address(const hw_state *s, hw_fault *fault, bool is_write) {
    const hw_run *run = s->run;
    char *t = fault->text;
    size_t n = sizeof fault->text;
    hw_text_append(t, n, ": %s of %u byte%s at 0x%" PRIx64, is_write ? "write" : "read", fault->width_bytes,
                fault->width_bytes == 1 ? "" : "s", fault->address);
    if (fault->kind == HW_FAULT_MISALIGNED) hw_text_append(t, n, ", which is no multiple of %u", fault->width_bytes);
    if (fault->space == HW_SPACE_SHARED || fault->space == HW_SPACE_LOCAL) {
        hw_text_append(t, n, " in %s memory of %" PRIu64 " bytes", hw_space_name(fault->space), fault->space_bytes);
        if (fault->space == HW_SPACE_SHARED) describe_shared(run, fault);
        else describe_local(s, fault);
        return;
    }
    fault->has_allocation = hw_mem_nearest(run->launch->mem, fault->address, &fault->allocation);
    if (fault->address < 4096) {
        hw_text_append(t, n, " (a null pointer)");
        fault->has_allocation = false;
        return;
    }
    describe_allocation(run->launch->mem, fault);
}

static void fill_fault(hw_state *s, const hw_inst *in, hw_fault *fault, hw_fault_kind kind, int lane) {
    hw_run *run = s->run;
    const uint32_t *block = run->launch->block;
    uint32_t linear = s->thread_of_lane0 + (uint32_t)lane;
    fault->kind = kind;
    fault->kernel = run->launch->info ? run->launch->info->kernel : run->entry->name;
    memcpy(fault->block, s->block->index, sizeof fault->block);
    fault->thread[0] = linear % block[0];
    fault->thread[1] = linear / block[0] % block[1];
    fault->thread[2] = linear / block[0] / block[1];
    hw_fault_place(run, in, &fault->file, &fault->line);
    char name[256];
    hw_demangle(fault->kernel, name, sizeof name);
    snprintf(fault->text, sizeof fault->text, "%s:%u: kernel %s %s in block (%u,%u,%u) thread (%u,%u,%u)", fault->file,
             fault->line, name, fault_words[kind], fault->block[0], fault->block[1], fault->block[2],
             fault->thread[0], fault->thread[1], fault->thread[2]);
}

// The first fault of a launch is the one that is told; the others find the launch stopped.
static bool claim_fault(hw_state *s) {
    s->stop = HW_STOP_FAULT;
    bool expected = false;
    return atomic_compare_exchange_strong(&s->run->stopped, &expected, true);
}

const hw_inst *hw_fault_stop(hw_state *s, const hw_inst *in, hw_fault_kind kind, int lane) {
    if (!claim_fault(s)) return NULL;
    fill_fault(s, in, s->run->fault, kind, lane);
    s->run->status = kind == HW_FAULT_NO_MEMORY ? HW_NO_MEMORY : HW_FAULT;
    return NULL;
}

const hw_inst *hw_fault_access(hw_state *s, const hw_inst *in, hw_fault_kind kind, int lane, hw_space space,
                               uint64_t address, uint32_t bytes, bool is_write) {
    if (!claim_fault(s)) return NULL;
    hw_fault *fault = s->run->fault;
    fill_fault(s, in, fault, kind, lane);
    fault->is_write = is_write;
    fault->space = space;
    fault->address = address;
    fault->width_bytes = bytes;
    fault->space_bytes = space == HW_SPACE_SHARED ? s->run->shared_bytes : s->run->local_bytes;
    describe_address(s, fault, is_write);
    s->run->status = HW_FAULT;
    return NULL;
}

static hw_fault *texture_fault(hw_state *s, const hw_inst *in, int lane, uint64_t handle, uint64_t address) {
    if (!claim_fault(s)) return NULL;
    hw_fault *fault = s->run->fault;
    fill_fault(s, in, fault, HW_FAULT_ADDRESS, lane);
    fault->space = HW_SPACE_GLOBAL;
    fault->address = address;
    fault->width_bytes = 1;
    fault->texture = handle;
    s->run->status = HW_FAULT;
    return fault;
}

void hw_fault_object(hw_state *s, const hw_inst *in, int lane, uint64_t handle, bool wants_surface, bool is_known) {
    static const char *const names[] = {"texture", "surface"};
    hw_fault *fault = texture_fault(s, in, lane, handle, handle);
    if (!fault) return;
    hw_text_append(fault->text, sizeof fault->text, ": there is no %s object 0x%" PRIx64, names[wants_surface], handle);
    if (is_known) hw_text_append(fault->text, sizeof fault->text, ", which is a %s object", names[!wants_surface]);
}

void hw_fault_texture(hw_state *s, const hw_inst *in, int lane, uint64_t handle, const hw_texture *texture) {
    hw_fault *fault = texture_fault(s, in, lane, handle, texture->address);
    if (fault) describe_address(s, fault, false);
}

const hw_inst *hw_fault_surface(hw_state *s, const hw_inst *in, int lane, const int64_t at[3],
                                const hw_texture *surface) {
    if (!claim_fault(s)) return NULL;
    hw_fault *fault = s->run->fault;
    fill_fault(s, in, fault, HW_FAULT_ADDRESS, lane);
    fault->is_write = HW_SURFACE_WRITES(in->imm);
    fault->space = HW_SPACE_GLOBAL;
    fault->address = surface->address;
    fault->width_bytes = HW_SURFACE_BYTES(in->imm);
    hw_text_append(fault->text, sizeof fault->text,
                   ": %s of %u bytes at byte %" PRId64 ", row %" PRId64 ", slice or layer %" PRId64
                   " of a surface with %u columns of %u bytes, %u rows and %u slices or layers",
                   fault->is_write ? "write" : "read", fault->width_bytes, at[0], at[1], at[2], surface->size[0],
                   surface->channels * (surface->channel_bits / 8u), surface->size[1], surface->size[2]);
    s->run->status = HW_FAULT;
    return NULL;
}

void hw_fault_limit(hw_state *s) {
    if (!claim_fault(s)) return;
    const hw_inst *in = s->pc ? s->pc : s->run->entry->insts;
    fill_fault(s, in, s->run->fault, HW_FAULT_DEADLOCK, s->live ? __builtin_ctz(s->live) : 0);
    hw_text_append(s->run->fault->text, sizeof s->run->fault->text,
                ": it has executed %" PRIu64 " instructions, the limit", s->run->launch->max_instructions);
    s->run->status = HW_DEADLOCK;
}

void hw_fault_of_child(hw_state *s, hw_status status, const hw_fault *fault) {
    if (!claim_fault(s)) return;
    *s->run->fault = *fault;
    s->run->status = status;
}

void hw_fault_outside(hw_state *s) {
    if (!claim_fault(s)) return;
    fill_fault(s, s->pc ? s->pc : s->run->entry->insts, s->run->fault, HW_FAULT_STOPPED,
               s->live ? __builtin_ctz(s->live) : 0);
    s->run->status = HW_DEADLOCK;
}

void hw_fault_waits_for_gpu(hw_state *s) {
    if (!claim_fault(s)) return;
    fill_fault(s, s->pc ? s->pc : s->run->entry->insts, s->run->fault, HW_FAULT_DEADLOCK,
               s->live ? __builtin_ctz(s->live) : 0);
    hw_text_append(s->run->fault->text, sizeof s->run->fault->text,
                   ": it waits for what nobody writes, and kernels of several GPUs, which may be meant to, are "
                   "executed one after the other");
    s->run->status = HW_DEADLOCK;
}

// Threads that wait at one place for one thing.
typedef struct group {
    const hw_path *path;          // of the first warp
    uint32_t warp, threads, n_warps;
    uint64_t warps;
    uint32_t missing;             // AT_SYNC: lanes of the warp that have not come
} group;
enum { MAX_GROUPS = 8 };

static uint32_t group_waiting_warps(const hw_block *block, group groups[MAX_GROUPS]) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < block->n_warps; i++) {
        const hw_state *s = &block->warps[i];
        for (uint32_t k = 0; k < s->n_paths; k++) {
            const hw_path *path = &s->paths[k];
            bool in_warp = path->state == HW_PATH_AT_SYNC;
            uint32_t g = 0;
            while (g < n && (in_warp || groups[g].path->pc != path->pc || groups[g].path->state != path->state ||
                             groups[g].path->barrier != path->barrier))
                g++;
            if (g == MAX_GROUPS) continue;
            uint32_t missing = path->members & s->live & ~path->mask;
            if (g == n) groups[n++] = (group){.path = path, .warp = i, .missing = missing};
            groups[g].threads += (uint32_t)__builtin_popcount(path->mask);
            groups[g].n_warps += !(groups[g].warps >> (i & 63) & 1);
            groups[g].warps |= (uint64_t)1 << (i & 63);
        }
    }
    return n;
}

static void describe_group(const hw_block *block, hw_fault *fault, const group *g) {
    const char *file;
    uint32_t line;
    char *t = fault->text;
    size_t n = sizeof fault->text;
    hw_fault_place(block->warps[0].run, g->path->pc, &file, &line);
    hw_text_append(t, n, "\n  %s:%u: ", file, line);
    if (g->path->state == HW_PATH_AT_SYNC) {
        hw_text_append(t, n, "warp %u, lanes 0x%08x wait for lanes 0x%08x of their warp", g->warp, g->path->mask,
                    g->missing);
        return;
    }
    const hw_barrier *barrier = &block->barriers[g->path->barrier];
    if (g->n_warps == 1) hw_text_append(t, n, "warp %u, lanes 0x%08x", g->warp, g->path->mask);
    else hw_text_append(t, n, "%u threads of %u warps, the first is warp %u,", g->threads, g->n_warps, g->warp);
    hw_text_append(t, n, " wait at barrier %u, where %u threads of %u have come", g->path->barrier, barrier->arrived,
                barrier->expected ? barrier->expected : block->live_threads);
}

static void tell_deadlock(const hw_block *block) {
    hw_place places[MAX_GROUPS];
    uint32_t n = 0;
    hw_places_add(block, places, MAX_GROUPS, &n);
    hw_places_tell_stuck(block->warps[0].worker, places, n, (hw_stuck){.is_for_ever = true});
}

// One line for each group of threads that waits, and for what.
void hw_fault_deadlock(hw_block *block) {
    hw_state *first = &block->warps[0];
    const hw_run *run = first->run;
    group groups[MAX_GROUPS];
    if (!claim_fault(first)) return;
    hw_fault *fault = run->fault;
    uint32_t n = group_waiting_warps(block, groups), gone = run->threads_per_block - block->live_threads;
    if (n) fill_fault(&block->warps[groups[0].warp], groups[0].path->pc, fault, HW_FAULT_DEADLOCK,
                      __builtin_ctz(groups[0].path->mask));
    hw_text_append(fault->text, sizeof fault->text, ": threads wait for each other for ever");
    if (gone) hw_text_append(fault->text, sizeof fault->text, " (%u of the block have exited)", gone);
    for (uint32_t g = 0; g < n && strlen(fault->text) < sizeof fault->text - 200; g++)
        describe_group(block, fault, &groups[g]);
    tell_deadlock(block);
    first->run->status = HW_DEADLOCK;
}
