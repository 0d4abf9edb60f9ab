// What a launch asks of the GPU, for the estimate of its time (model/time.h): added up when it ends.
#include <string.h>

#include "model/time.h"
#include "prof/internal.h"

// ---- Which bytes an instruction touches ----------------------------------------------------------------------------

// One instruction's accesses on all workers, so that the sums do not depend on who ran which block.
typedef struct place {
    uint64_t requests[HW_PROF_SPACES], sectors, ideal;
    uint64_t touched;        // bytes modulo 64, of all accesses to global memory together
    uint32_t lines;          // 128-byte lines of one of them
    hw_note_kind kind;
    bool is_irregular;       // there were more patterns than are remembered
} place;

// A run of `count` ones from bit `first` on, round 64.
static uint64_t ring(unsigned first, unsigned count) {
    uint64_t ones = count >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
    return first ? ones << first | ones >> (64 - first) : ones;
}

static void touch(place *p, const hw_prof_pattern *pattern, unsigned phase, unsigned width) {
    for (uint32_t left = pattern->mask; left && p->touched != ~(uint64_t)0; left &= left - 1)
        p->touched |= ring((unsigned)(phase + (uint64_t)pattern->delta[__builtin_ctz(left)]) & 63, width);
}

static uint32_t lines_of(const hw_prof_pattern *pattern, unsigned phase) {
    int64_t seen[HW_WARP_LANES];
    uint32_t lines = 0;
    for (uint32_t left = pattern->mask; left; left &= left - 1) {
        int64_t line = ((int64_t)phase + pattern->delta[__builtin_ctz(left)]) >> 7;
        uint32_t i = lines;
        while (i && seen[i - 1] != line) i--;
        if (!i) seen[lines++] = line;
    }
    return lines;
}

static void look_at(place *p, const hw_prof_pattern *pattern, unsigned width) {
    if (pattern->space != HW_PROF_GLOBAL || !pattern->mask) return;
    for (unsigned phase = 0; phase < HW_PROF_PHASES; phase++) {
        uint64_t four;
        memcpy(&four, &pattern->cost[phase & ~3u], sizeof four);
        if (!four) phase |= 3;
        if (!pattern->cost[phase]) continue;
        // As few sectors as there can be: side by side, as almost always.
        uint32_t sectors = pattern->cost[phase] - 1u;
        bool is_dense = pattern->packed >= 2 && sectors >= pattern->packed && sectors <= pattern->packed + 1u;
        uint32_t lines = is_dense ? (sectors + 3) / 4 : lines_of(pattern, phase);
        p->lines = lines > p->lines ? lines : p->lines;
        if (is_dense) p->touched = ~(uint64_t)0;
        else touch(p, pattern, phase, width);
    }
}

static void add_memo(place *p, const hw_prof_memo *memo) {
    for (int i = 0; i < HW_PROF_SPACES; i++) p->requests[i] += memo->requests[i];
    p->sectors += memo->cost[HW_PROF_GLOBAL];
    p->ideal += memo->ideal[HW_PROF_GLOBAL];
    p->kind = (hw_note_kind)memo->kind;
    p->is_irregular |= memo->n_patterns == HW_PROF_PATTERNS;
    for (uint8_t i = 0; i < memo->n_patterns && !p->is_irregular; i++) look_at(p, &memo->patterns[i], memo->width);
}

// ---- Sums -----------------------------------------------------------------------------------------------------------

// DRAM moves pairs of sectors; what neighbours touch is not moved again. Of each pair, so many bytes are wanted.
// Accesses without a pattern fetch each sector for itself.
static uint64_t moved(const place *p) {
    unsigned used = (unsigned)__builtin_popcountll(p->touched);
    if (p->is_irregular || !used) return p->sectors * 32;
    uint64_t bytes = p->ideal * 32 * 64 / used, most = p->sectors * 64;
    return bytes < most ? bytes : most;
}

// What a store sends to the second-level cache. From 7.0 on a line goes as a whole: an H200 takes as long for 4 bytes
// of each of 32 lines as for all of them, and 16 lines take half of it (truth/h200_times.csv, transposeNaiveRow).
static uint64_t sent(const hw_prof *prof, uint64_t lines, uint64_t sectors) {
    return prof->gpu->arch->cc >= 70 ? 4 * lines : sectors;
}

static void add_memory(const hw_prof *prof, hw_time_work *w, const place *p) {
    if (!p->sectors) return;
    uint64_t lines = p->is_irregular ? p->sectors : p->lines * p->requests[HW_PROF_GLOBAL], bytes = moved(p);
    bool is_whole = p->is_irregular || p->touched == ~(uint64_t)0;
    switch (p->kind) {
    case HW_NOTE_ATOMIC: case HW_NOTE_REDUCTION: w->store_sectors += sent(prof, lines, p->sectors); return;
    case HW_NOTE_STORE:
        w->useful_bytes += p->ideal * 32;
        w->store_bytes += bytes;
        w->fill_bytes += is_whole ? 0 : bytes;
        w->store_sectors += sent(prof, lines, p->sectors);
        return;
    default:
        w->useful_bytes += p->ideal * 32;
        w->load_bytes += bytes;
        w->load_lines += lines;
        w->load_sectors += p->sectors;
    }
}

// Loads that nothing stands between are on their way together.
typedef struct batch {
    uint64_t memory, shared;
} batch;

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void close_memory(hw_time_work *w, batch *b) {
    w->trips += b->memory;
    b->memory = 0;
}

static void close_shared(hw_time_work *w, batch *b) {
    w->shared_trips += b->shared;
    b->shared = 0;
}

static void add_waits(hw_time_work *w, batch *b, hw_note_kind kind, uint64_t warps, const place *p) {
    const uint64_t *n = p->requests;
    bool is_load = kind == HW_NOTE_LOAD || kind == HW_NOTE_COPY || kind == HW_NOTE_COPY_BYPASS;
    bool is_end = kind == HW_NOTE_BRANCH || kind == HW_NOTE_BARRIER;
    if (kind == HW_NOTE_BARRIER) w->barriers += warps;
    if (kind == HW_NOTE_ATOMIC) {
        w->trips += n[HW_PROF_GLOBAL];
        w->shared_trips += n[HW_PROF_SHARED];
    }
    if (is_end || (kind == HW_NOTE_STORE && n[HW_PROF_GLOBAL])) close_memory(w, b);
    if (is_end || (kind == HW_NOTE_STORE && n[HW_PROF_SHARED])) close_shared(w, b);
    if (is_load) b->memory = larger(b->memory, n[HW_PROF_GLOBAL] + n[HW_PROF_LOCAL]);
    if (is_load || kind == HW_NOTE_LOAD_MATRIX) b->shared = larger(b->shared, n[HW_PROF_SHARED]);
}

static void add_instruction(hw_time_work *w, const hw_note *note, uint64_t warps) {
    hw_issue_cost cost = hw_issue_cost_of_note(note);
    w->inst[HW_RATE_ISSUE] += warps * cost.count;
    if (cost.rate != HW_RATE_ISSUE && cost.rate < HW_RATES) w->inst[cost.rate] += warps * cost.count;
}

// Of one instruction, on all workers. False: nobody executed it.
static bool take_note(const hw_prof *prof, uint32_t note, uint64_t *warps, place *p) {
    const uint32_t index = prof->memo_of[note];
    for (uint32_t k = 0; k < prof->n_workers; k++) *warps += prof->workers[k].notes[note].warps;
    if (!*warps && index == HW_PROF_NO_MEMO) return false;
    *p = (place){.kind = HW_NOTE_PLAIN};
    for (uint32_t k = 0; k < prof->n_workers && index != HW_PROF_NO_MEMO; k++)
        if (prof->workers[k].memos[index].epoch == prof->epoch) add_memo(p, &prof->workers[k].memos[index]);
    return true;
}

static void add_work(const hw_prof *prof, hw_time_work *w) {
    uint64_t warps = 0;
    batch b = {0};
    place p;
    for (uint32_t i = 0; i < prof->n_notes; i++) {
        const hw_note *note = &prof->notes[i];
        if (!take_note(prof, i, &warps, &p)) continue;
        if (warps) add_instruction(w, note, warps);
        add_memory(prof, w, &p);
        add_waits(w, &b, (hw_note_kind)note->kind, warps, &p);
    }
    close_memory(w, &b);
    close_shared(w, &b);
}

// GPUs before 2.0 have no cache: what their transactions move is what DRAM moves. Those of 1.2 and 1.3 put together
// what lies in 64 bytes, so that one of 32 stands alone; that it costs 64 all the same is concluded from the GTX 280's
// naive transpose in NVIDIA's MatrixTranspose.pdf.
static void take_transactions(const hw_prof *prof, const hw_report_launch *launch, hw_time_work *w) {
    const uint64_t *n = launch->counts, least = prof->gpu->arch->cc < 12 ? 32 : 64;
    w->load_bytes = least * n[HW_COUNT_GLD_32B] + 64 * n[HW_COUNT_GLD_64B] + 128 * n[HW_COUNT_GLD_128B];
    w->store_bytes = least * n[HW_COUNT_GST_32B] + 64 * n[HW_COUNT_GST_64B] + 128 * n[HW_COUNT_GST_128B];
    w->load_share = launch->gld_partition_pct / 100;
    w->store_share = launch->gst_partition_pct / 100;
    w->fill_bytes = w->load_lines = w->load_sectors = w->store_sectors = 0;
}

void hw_prof_finish_work(const hw_prof *prof, hw_report_launch *launch) {
    hw_time_work *w = &launch->work;
    add_work(prof, w);
    const uint32_t *g = launch->grid, *b = launch->block;
    uint64_t threads = (uint64_t)b[0] * b[1] * b[2];
    w->blocks = (uint64_t)g[0] * g[1] * g[2];
    w->warps = w->blocks * ((threads + HW_WARP_LANES - 1) / HW_WARP_LANES);
    w->blocks_per_sm = launch->occupancy.blocks;
    w->wavefronts = launch->counts[HW_COUNT_SMEM_WAVEFRONTS];
    w->allocated_bytes = prof->allocated ? prof->allocated(prof->context) : 0;
    if (prof->gpu->arch->cc < 20) take_transactions(prof, launch, w);
    if (launch->status == HW_OK) launch->estimate = hw_model_time(prof->gpu, w);
}
