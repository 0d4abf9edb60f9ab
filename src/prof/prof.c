// The profiler's life: launches begin and end, and what the workers counted becomes rows.
#include "prof/prof.h"

#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "prof/internal.h"

// ---- room for a launch ----

// An array of at least count elements, contents lost; zeroed when it is new.
static bool make_room_for(void **items, size_t count, size_t *capacity, size_t elem_bytes) {
    if (count <= *capacity) return true;
    size_t wanted = count > *capacity * 2 ? count : *capacity * 2;
    void *bigger = hw_calloc(wanted, elem_bytes);
    if (!bigger) return false;
    hw_free(*items);
    *items = bigger;
    *capacity = wanted;
    return true;
}

static bool make_workers(hw_prof *prof, uint32_t count) {
    if (count > prof->workers_capacity) {
        hw_prof_worker *bigger = hw_alloc_lanes((size_t)count * sizeof *bigger);
        if (!bigger) return false;
        if (prof->workers) memcpy(bigger, prof->workers, prof->workers_capacity * sizeof *bigger);
        hw_free_aligned(prof->workers);
        prof->workers = bigger;
        prof->workers_capacity = count;
    }
    prof->n_workers = count;
    for (uint32_t i = 0; i < count; i++) {
        hw_prof_worker *w = &prof->workers[i];
        if (!make_room_for((void **)&w->notes, (size_t)prof->n_notes + 1, &w->notes_capacity, sizeof *w->notes) ||
            !make_room_for((void **)&w->accesses, prof->n_accesses, &w->accesses_capacity, sizeof *w->accesses))
            return false;
    }
    return true;
}

hw_prof_worker *hw_prof_begin_worker(hw_prof *prof, hw_prof_worker *w) {
    w->epoch = prof->epoch;
    memset(w->notes, 0, ((size_t)prof->n_notes + 1) * sizeof *w->notes);
    w->touched.n = 0;
    w->issued = (hw_issued){0};
    w->texels.n_blocks = 0;
    w->texels.fetches = w->texels.sectors = 0;
    return w;
}

// Of many workers, small launches have few: what follows looks at these alone.
static void drop_idle_workers(hw_prof *prof) {
    while (prof->n_workers && prof->workers[prof->n_workers - 1].epoch != prof->epoch) prof->n_workers--;
    for (uint32_t i = 0; i < prof->n_workers; i++) hw_prof_worker_of(prof, i);
}

// Numbers the instructions that count accesses. A part of an earlier, wider access counts nothing.
static void number_accesses(hw_prof *prof) {
    prof->n_accesses = 0;
    for (uint32_t i = 0; i < prof->n_notes; i++) {
        const hw_note *note = &prof->notes[i];
        bool is_plain = note->kind == HW_NOTE_LOAD || note->kind == HW_NOTE_STORE || note->kind >= HW_NOTE_COPY;
        bool is_atomic = note->kind == HW_NOTE_ATOMIC || note->kind == HW_NOTE_REDUCTION;
        bool counts = is_atomic || (is_plain && note->merged_bytes);
        prof->accesses_of[i] = counts ? prof->n_accesses++ : (uint32_t)HW_PROF_NO_ACCESSES;
    }
}

// prof->kernel becomes the kernel of that mangled name, a new one if need be.
static bool find_kernel(hw_prof *prof, const char *mangled) {
    enum { MAX_NAME = 4096 };
    if (prof->kernel < prof->n_kernels && !strcmp(prof->kernels[prof->kernel].mangled, mangled)) return true;
    for (size_t i = 0; i < prof->n_kernels; i++) {
        if (strcmp(prof->kernels[i].mangled, mangled)) continue;
        prof->kernel = i;
        return true;
    }
    char name[MAX_NAME];
    hw_demangle(mangled, name, sizeof name);
    hw_report_kernel kernel = {.mangled = hw_arena_string(prof->arena, mangled, strlen(mangled)),
                               .kernel = hw_arena_string(prof->arena, name, strlen(name))};
    if (!kernel.mangled || !kernel.kernel ||
        !hw_grow((void **)&prof->kernels, prof->n_kernels, &prof->kernels_capacity, sizeof *prof->kernels))
        return false;
    prof->kernel = prof->n_kernels;
    prof->kernels[prof->n_kernels++] = kernel;
    return true;
}

// The occupancy as profilers show it: a limit that does not apply equals the limit of blocks.
static hw_occupancy occupancy_of(const hw_arch *arch, const hw_launch_info *info) {
    uint32_t threads = info->block[0] * info->block[1] * info->block[2];
    uint32_t smem = info->smem_static_bytes + info->smem_dynamic_bytes;
    hw_occupancy o = hw_model_occupancy(arch, threads, info->regs, smem);
    o.limit_smem = hw_model_carveout_blocks(arch, threads, info->regs, smem);
    if (o.limit_smem == HW_OCCUPANCY_UNLIMITED) o.limit_smem = o.limit_blocks;
    if (o.limit_regs == HW_OCCUPANCY_UNLIMITED) o.limit_regs = o.limit_blocks;
    return o;
}

// The older half of many rows, which are the ones least likely to be repeated.
static void forget_rows(hw_prof *prof) {
    enum { MOST = 4096 };
    const size_t old = MOST / 2;
    if (!prof->forgets || prof->n_launches < MOST) return;
    prof->n_launches -= old;
    prof->n_uncounted += old;
    memmove(prof->launches, prof->launches + old, prof->n_launches * sizeof *prof->launches);
    memmove(prof->kept, prof->kept + old, prof->n_launches * sizeof *prof->kept);
    prof->first_kept = prof->first_kept > old ? prof->first_kept - old : 0;
    prof->first_with_lines = prof->first_with_lines > old ? prof->first_with_lines - old : 0;
}

bool hw_prof_make_row(hw_prof *prof) {
    return hw_grow((void **)&prof->launches, prof->n_launches, &prof->launches_capacity, sizeof *prof->launches) &&
           hw_grow((void **)&prof->kept, prof->n_launches, &prof->kept_capacity, sizeof *prof->kept);
}

static hw_status prepare_launch(hw_prof *prof, const hw_launch_info *info, hw_diag *diag) {
    prof->notes = info->notes;
    prof->bank_bytes = info->bank_bytes;
    prof->n_notes = 0;   // until there is room: records would be ignored
    if (!make_room_for((void **)&prof->accesses_of, info->n_notes, &prof->accesses_of_capacity,
                       sizeof *prof->accesses_of) ||
        !hw_prof_make_row(prof) || !find_kernel(prof, info->kernel))
        return hw_diag_no_memory(diag);
    prof->n_notes = info->n_notes;
    number_accesses(prof);
    if (!make_workers(prof, info->n_workers) ||
        !make_room_for((void **)&prof->places, prof->n_accesses, &prof->places_capacity, sizeof *prof->places))
        return hw_diag_no_memory(diag);
    if (prof->is_old) hw_prof_begin_partitions(prof, info, occupancy_of(prof->gpu->arch, info).blocks);
    if (!prof->wants_lines) return HW_OK;
    if (!make_room_for((void **)&prof->line_of, info->n_notes, &prof->line_of_capacity, sizeof *prof->line_of))
        return hw_diag_no_memory(diag);
    return hw_prof_prepare_lines(prof, info, diag);
}

static bool wants_launch(hw_sink *sink, const hw_launch_info *info) {
    hw_prof *prof = (hw_prof *)sink;
    if (!prof->wants || prof->wants(prof->context, info->kernel)) return true;
    prof->n_uncounted++;
    return false;
}

// A string of the profiler's own; "" for none, and where there is no memory for it.
static const char *keep_text(hw_prof *prof, const char *text) {
    const hw_report_launch *last = prof->n_launches ? &prof->launches[prof->n_launches - 1] : NULL;
    if (!text || !*text) return "";
    if (last && !strcmp(last->ptx_by, text)) return last->ptx_by;
    const char *copy = hw_arena_string(prof->arena, text, strlen(text));
    return copy ? copy : "";
}

static hw_status launch_begin(hw_sink *sink, const hw_launch_info *info, hw_diag *diag) {
    hw_prof *prof = (hw_prof *)sink;
    prof->epoch++;
    forget_rows(prof);
    hw_status status = prepare_launch(prof, info, diag);
    prof->is_running = !status;
    if (!status) return HW_OK;
    prof->n_notes = prof->n_workers = 0;
    // A kernel whose first launch could not begin is none.
    hw_report_kernel *newest = prof->n_kernels ? &prof->kernels[prof->n_kernels - 1] : NULL;
    if (newest && !newest->launches) {
        hw_free((void *)newest->lines);
        prof->n_kernels--;
    }
    return status;
}

// ---- records, on the worker threads ----

static void count_executed(hw_sink *sink, uint32_t worker, const hw_executed *e) {
    hw_prof *prof = (hw_prof *)sink;
    hw_prof_worker *w = hw_prof_worker_of(prof, worker);
    if (!w || e->first_note > prof->n_notes || e->count > prof->n_notes - e->first_note) return;
    hw_prof_note *first = &w->notes[e->first_note], *end = first + e->count;
    first->warps += e->warps;
    first->lanes += e->lanes;
    end->warps -= e->warps;
    end->lanes -= e->lanes;
}

static void count_branch(hw_sink *sink, uint32_t worker, const hw_branched *b) {
    hw_prof *prof = (hw_prof *)sink;
    hw_prof_worker *w = hw_prof_worker_of(prof, worker);
    if (!w || b->note >= prof->n_notes) return;
    w->notes[b->note].branches += b->warps;
    w->notes[b->note].divergent += b->divergent;
}

static void guarded_off(hw_sink *sink, uint32_t worker, const hw_guarded_off *off) {
    hw_prof *prof = (hw_prof *)sink;
    hw_prof_worker *w = hw_prof_worker_of(prof, worker);
    if (w && off->note < prof->n_notes) w->notes[off->note].guarded_off += off->lanes;
}

static void count_issued(hw_sink *sink, uint32_t worker, const hw_issued *issued) {
    hw_prof_worker *w = hw_prof_worker_of((hw_prof *)sink, worker);
    if (w) w->issued = *issued;
}

// ---- the end of a launch ----

// Where the accesses of a kind of instruction are counted; -1: nowhere.
typedef struct access_counters {
    int requests, sectors, sectors_ideal, shared_inst, wavefronts, local_requests, local_sectors;
    int const_requests, const_passes, generation[HW_PROF_SERIALIZED];
} access_counters;

static const access_counters load_counters = {
    HW_COUNT_GLD_REQUESTS, HW_COUNT_GLD_SECTORS, HW_COUNT_GLD_SECTORS_IDEAL, HW_COUNT_LDS_INST,
    HW_COUNT_LDS_WAVEFRONTS, HW_COUNT_LLD_REQUESTS, HW_COUNT_LLD_SECTORS, HW_COUNT_CONST_REQUESTS,
    HW_COUNT_CONST_PASSES,
    {HW_COUNT_GLD_COALESCED, HW_COUNT_GLD_UNCOALESCED, HW_COUNT_GLD_32B, HW_COUNT_GLD_64B, HW_COUNT_GLD_128B}};
static const access_counters store_counters = {
    HW_COUNT_GST_REQUESTS, HW_COUNT_GST_SECTORS, HW_COUNT_GST_SECTORS_IDEAL, HW_COUNT_STS_INST,
    HW_COUNT_STS_WAVEFRONTS, HW_COUNT_LST_REQUESTS, HW_COUNT_LST_SECTORS, -1, -1,
    {HW_COUNT_GST_COALESCED, HW_COUNT_GST_UNCOALESCED, HW_COUNT_GST_32B, HW_COUNT_GST_64B, HW_COUNT_GST_128B}};
static const access_counters copy_counters = {
    HW_COUNT_GLD_REQUESTS, HW_COUNT_GLD_SECTORS, HW_COUNT_GLD_SECTORS_IDEAL, -1, -1, -1, -1, -1, -1,
    {-1, -1, -1, -1, -1}};
static const access_counters atomic_counters = {-1, -1, -1, -1, -1, -1, -1, -1, -1, {-1, -1, -1, -1, -1}};

static void add_count(uint64_t *counts, int counter, uint64_t value) {
    if (counter >= 0) counts[counter] += value;
}

static void count_accesses(uint64_t *counts, const hw_prof_accesses *accesses) {
    static const access_counters *const counters[] = {
        [HW_NOTE_LOAD] = &load_counters, [HW_NOTE_LOAD_MATRIX] = &load_counters, [HW_NOTE_STORE] = &store_counters,
        [HW_NOTE_ATOMIC] = &atomic_counters, [HW_NOTE_REDUCTION] = &atomic_counters, [HW_NOTE_COPY] = &copy_counters,
        [HW_NOTE_COPY_BYPASS] = &copy_counters};
    const access_counters *to = counters[accesses->kind];
    add_count(counts, to->requests, accesses->requests[HW_PROF_GLOBAL]);
    bool is_fetched = accesses->kind == HW_NOTE_COPY_BYPASS;
    add_count(counts, to->sectors, is_fetched ? accesses->fetched : accesses->cost[HW_PROF_GLOBAL]);
    add_count(counts, to->sectors_ideal, accesses->ideal[HW_PROF_GLOBAL]);
    add_count(counts, to->shared_inst, accesses->inst[HW_PROF_SHARED]);
    add_count(counts, to->wavefronts, accesses->cost[HW_PROF_SHARED]);
    add_count(counts, to->local_requests, accesses->requests[HW_PROF_LOCAL]);
    add_count(counts, to->local_sectors, accesses->cost[HW_PROF_LOCAL]);
    add_count(counts, to->const_requests, accesses->requests[HW_PROF_CONST]);
    add_count(counts, to->const_passes, accesses->cost[HW_PROF_CONST]);
    for (int i = HW_PROF_COALESCED; i <= HW_PROF_128B; i++)
        add_count(counts, to->generation[i], accesses->generation[i]);
    counts[HW_COUNT_WARP_SERIALIZE] += accesses->generation[HW_PROF_SERIALIZED];
    counts[HW_COUNT_L2_SECTORS] += is_fetched ? accesses->l2_fetched : accesses->cost[HW_PROF_GLOBAL];
    counts[HW_COUNT_L2_SECTORS_IDEAL] += accesses->ideal[HW_PROF_GLOBAL];
    // Past the first-level cache, data does not come through the pipe whose passes are counted.
    if (is_fetched) return;
    counts[HW_COUNT_SMEM_WAVEFRONTS] += accesses->cost[HW_PROF_SHARED];
    counts[HW_COUNT_SMEM_WAVEFRONTS_IDEAL] += accesses->ideal[HW_PROF_SHARED];
}

// What one worker did with one instruction; warps and lanes are sums here. accesses: its accesses, or NULL.
static void count_note(uint64_t *counts, hw_note_kind kind, const hw_prof_note *n, const hw_prof_accesses *accesses) {
    counts[HW_COUNT_INST] += n->warps;
    counts[HW_COUNT_THREAD_INST] += n->lanes - n->guarded_off;
    counts[HW_COUNT_BRANCHES] += n->branches;
    counts[HW_COUNT_BRANCHES_DIVERGENT] += n->divergent;
    if (kind == HW_NOTE_BARRIER) counts[HW_COUNT_BARRIERS] += n->warps;
    if (kind == HW_NOTE_ATOMIC || kind == HW_NOTE_REDUCTION) counts[HW_COUNT_ATOMICS] += n->warps;
    if (accesses) count_accesses(counts, accesses);
}

static void count_worker(hw_prof *prof, const hw_prof_worker *w, uint64_t *counts) {
    hw_report_line *lines = prof->wants_lines ? (hw_report_line *)prof->kernels[prof->kernel].lines : NULL;
    uint64_t warps = 0, lanes = 0;
    for (uint32_t i = 0; i < prof->n_notes; i++) {
        hw_prof_note n = w->notes[i];
        uint32_t index = prof->accesses_of[i];
        const hw_prof_accesses *accesses = index == HW_PROF_NO_ACCESSES ? NULL : &w->accesses[index];
        if (accesses && accesses->epoch != prof->epoch) accesses = NULL;
        n.warps = warps += n.warps;
        n.lanes = lanes += n.lanes;
        if (!n.warps && !accesses && !n.branches && !n.guarded_off) continue;
        count_note(counts, (hw_note_kind)prof->notes[i].kind, &n, accesses);
        if (!lines) continue;
        hw_report_line *line = &lines[prof->line_of[i]];
        count_note(line->counts, (hw_note_kind)prof->notes[i].kind, &n, accesses);
        if (accesses) hw_prof_show(prof, line, accesses);
    }
}

static void finish_old(const hw_prof *prof, const hw_launch_info *info, hw_report_launch *launch,
                       hw_report_kernel *kernel) {
    hw_prof_finish_generation(prof, info, launch->counts);
    launch->gld_partition_pct = hw_prof_partition_pct(prof, false);
    launch->gst_partition_pct = hw_prof_partition_pct(prof, true);
    if (prof->wants_lines && !kernel->launches) launch->blocks = hw_prof_show_blocks(prof, launch);
    for (size_t i = 0; prof->wants_lines && i < kernel->n_lines; i++)
        hw_prof_finish_generation(prof, NULL, ((hw_report_line *)kernel->lines)[i].counts);
}

static void launch_end(hw_sink *sink, const hw_launch_info *info, uint64_t host_ns, hw_status status) {
    hw_prof *prof = (hw_prof *)sink;
    if (!prof->is_running) return;
    hw_report_kernel *kernel = &prof->kernels[prof->kernel];
    hw_report_launch *launch = &prof->launches[prof->n_launches];
    uint32_t least = prof->gpu->arch->min_regs_per_thread;
    *launch = (hw_report_launch){
        .ordinal = prof->n_launches + prof->n_uncounted, .kernel = kernel->kernel, .mangled = kernel->mangled,
        .regs = info->regs < least ? least : info->regs,
        .regs_estimated = info->regs_estimated, .spill_bytes = info->spill_bytes,
        .ptx_by = keep_text(prof, info->producer), .smem_static = info->smem_static_bytes,
        .smem_dynamic = info->smem_dynamic_bytes, .occupancy = occupancy_of(prof->gpu->arch, info),
        .host_ms = (double)host_ns / 1e6, .device = info->gpu, .status = status};
    memcpy(launch->grid, info->grid, sizeof launch->grid);
    memcpy(launch->block, info->block, sizeof launch->block);
    hw_report_line *before = hw_prof_copy_lines(prof, kernel);
    drop_idle_workers(prof);
    for (uint32_t i = 0; i < prof->n_workers; i++) count_worker(prof, &prof->workers[i], launch->counts);
    if (prof->is_old) finish_old(prof, info, launch, kernel);
    hw_prof_finish_work(prof, info, launch);
    kernel->launches++;
    hw_prof_keep(prof, info->number, kernel, before);
    if (prof->wants_lines) hw_prof_drop_unused_lines(kernel);
    prof->n_launches++;
    prof->is_running = false;
    prof->n_notes = prof->n_workers = 0;
    if (prof->finished) prof->finished(prof->context, hw_prof_report(prof));
}

// ---- the object ----

hw_status hw_prof_create(const hw_gpu *gpu, const hw_prof_options *options, hw_prof **out, hw_diag *diag) {
    hw_prof *prof = hw_calloc(1, sizeof *prof);
    *out = NULL;
    if (!prof) return hw_diag_no_memory(diag);
    prof->arena = hw_arena_create();
    if (!prof->arena) {
        hw_free(prof);
        return hw_diag_no_memory(diag);
    }
    prof->gpu = gpu;
    prof->is_old = gpu->arch->cc < 70;
    if (options) {
        prof->wants_lines = options->lines;
        prof->no_l1 = options->no_l1;
        prof->forgets = options->forgets && !options->lines;
        prof->finished = options->finished;
        prof->wants = options->wants;
        prof->context = options->context;
    }
    // What depends on more of an address than its place in 128 bytes: partitions, and 3.x's rows of banks.
    const bool needs_addresses = hw_counts_partitions(gpu) || gpu->arch->smem_bank_bytes > 4;
    prof->sink = (hw_sink){.events = HW_WANTS(ACCESS) | HW_WANTS(ATOMIC) | HW_WANTS(COPY) | HW_WANTS(TOUCHED) |
                                     HW_WANTS(TEXELS) |
                                     HW_WANTS(EXECUTED) | HW_WANTS(BRANCH) | HW_WANTS(GUARDED_OFF) |
                                     HW_WANTS(ISSUED),
                           .ordered = needs_addresses,
                           .wants = wants_launch,
                           .launch_begin = launch_begin,
                           .launch_end = launch_end,
                           .keeps = hw_prof_keeps,
                           .repeats = hw_prof_repeat,
                           .access = hw_prof_access,
                           .atomic = hw_prof_access,
                           .lone = prof->is_old ? NULL : hw_prof_lone,
                           .takes_packs = !prof->wants_lines,    // a line shows how lanes lay
                           .copy = hw_prof_copy,
                           .touched = hw_prof_touched,
                           .texels = hw_prof_texel_fetch,
                           .executed = count_executed,
                           .branch = count_branch,
                           .guarded_off = guarded_off,
                           .issued = count_issued};
    *out = prof;
    return HW_OK;
}

void hw_prof_destroy(hw_prof *prof) {
    if (!prof) return;
    for (uint32_t i = 0; i < prof->workers_capacity; i++) {
        hw_free(prof->workers[i].notes);
        hw_free(prof->workers[i].accesses);
        hw_free(prof->workers[i].texels.blocks);
        hw_free(prof->workers[i].texels.seen);
    }
    for (size_t i = 0; i < prof->n_kernels; i++) hw_free((void *)prof->kernels[i].lines);
    hw_free_aligned(prof->workers);
    hw_prof_forget_kept(prof);
    for (int i = 0; i < 2; i++) hw_free((void *)prof->partitions.bytes[i]);
    hw_free(prof->launches);
    hw_free(prof->kernels);
    hw_free(prof->files);
    hw_free(prof->accesses_of);
    hw_free(prof->places);
    hw_free(prof->line_of);
    hw_arena_destroy(prof->arena);
    hw_free(prof);
}

hw_sink *hw_prof_sink(hw_prof *prof) { return &prof->sink; }

const hw_report *hw_prof_report(hw_prof *prof) {
    prof->report = (hw_report){.gpu = prof->gpu, .launches = prof->launches, .n_launches = prof->n_launches,
                               .n_uncounted = prof->n_uncounted, .has_lines = prof->wants_lines,
                               .kernels = prof->kernels, .n_kernels = prof->n_kernels};
    return &prof->report;
}
