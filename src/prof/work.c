// What a launch asks of the GPU, for the estimate of its time (model/time.h): added up when it ends.
#include <math.h>
#include <string.h>

#include "base/integers.h"
#include "model/time.h"
#include "model/transactions.h"
#include "prof/footprint.h"
#include "prof/internal.h"

enum { SECTOR_BYTES = 32, PIECE_BYTES = 64, LINE_BYTES = 128, SECTORS_PER_LINE = LINE_BYTES / SECTOR_BYTES };

// ---- Instructions that access memory -------------------------------------------------------------------------------

// Does the access touch as few sectors as it can? The lanes mostly lie side by side.
static bool is_dense(const hw_prof_pattern *pattern, uint32_t sectors) {
    return pattern->packed >= 2 && sectors >= pattern->packed && sectors <= pattern->packed + 1u;
}

static uint32_t lines_of(const hw_prof_pattern *pattern, uint32_t phase) {
    int64_t seen[HW_WARP_LANES];
    uint32_t lines = 0;
    for (uint32_t left = pattern->of->mask; left; left &= left - 1) {
        int64_t line = ((int64_t)phase + pattern->of->delta[__builtin_ctz(left)]) >> 7;
        uint32_t i = lines;
        while (i && seen[i - 1] != line) i--;
        if (!i) seen[lines++] = line;
    }
    return lines;
}

// The next phase, from `phase` on, at which the pattern was seen; HW_PROF_PHASES past the last.
static uint32_t next_phase(const hw_prof_pattern *pattern, uint32_t phase) {
    for (; phase < HW_PROF_PHASES; phase++) {
        uint64_t four;
        memcpy(&four, &pattern->cost[phase & ~3u], sizeof four);
        if (!four) phase |= 3;
        else if (pattern->cost[phase]) break;
    }
    return phase;
}

static void add_accesses(hw_prof_place *p, const hw_prof_accesses *accesses) {
    for (int i = 0; i < HW_PROF_SPACES; i++) {
        p->requests[i] += accesses->requests[i];
        p->cost[i] += accesses->cost[i];
    }
    for (int i = 0; i < HW_PROF_GENERATION_COUNTS; i++) p->generation[i] += accesses->generation[i];
    p->asked += accesses->asked;
    p->kind = accesses->kind;
    p->skips_l1 = accesses->skips_l1;
}

// A walk over the patterns of an instruction on all workers; NULL past the last.
typedef struct walk {
    const hw_prof *prof;
    uint32_t index, worker, pattern;
} walk;

static const hw_prof_pattern *next_pattern(walk *w, uint32_t *width) {
    for (; w->worker < w->prof->n_workers; w->worker++, w->pattern = 0) {
        const hw_prof_accesses *accesses = &w->prof->workers[w->worker].accesses[w->index];
        if (accesses->epoch != w->prof->epoch) continue;
        *width = accesses->width;
        while (w->pattern < HW_PATTERN_WAYS_COUNTED) {
            const hw_prof_pattern *pattern = &accesses->patterns[w->pattern++];
            if (pattern->serial && pattern->space == HW_PROF_GLOBAL) return pattern;
        }
    }
    return NULL;
}

// The patterns of an instruction, each once, whoever met it.
typedef struct union_of_patterns {
    const hw_access_pattern *each[HW_PATTERN_WAYS_COUNTED];
    uint32_t count;
} union_of_patterns;

static void join_pattern(union_of_patterns *all, const hw_access_pattern *pattern) {
    for (uint32_t i = 0; i < all->count; i++) {
        const hw_access_pattern *known = all->each[i];
        if (known->mask == pattern->mask && known->space == pattern->space &&
            !memcmp(known->delta, pattern->delta, sizeof known->delta))
            return;
    }
    all->each[all->count++] = pattern;
}

// Does an instruction have more patterns than are told apart? Which workers met them changes nothing: one that met as
// many says so, and the others have all of theirs at hand.
static bool has_many_patterns(const hw_prof *prof, uint32_t index) {
    union_of_patterns all = {0};
    for (uint32_t k = 0; k < prof->n_workers; k++) {
        const hw_prof_accesses *accesses = &prof->workers[k].accesses[index];
        if (accesses->epoch != prof->epoch) continue;
        if (accesses->n_patterns == HW_PATTERN_WAYS_COUNTED) return true;
        for (uint32_t i = 0; i < HW_PATTERN_WAYS_COUNTED; i++) {
            if (accesses->patterns[i].serial) join_pattern(&all, accesses->patterns[i].of);
            if (all.count == HW_PATTERN_WAYS_COUNTED) return true;
        }
    }
    return false;
}

static void touch_footprint(hw_prof_place *p, hw_footprint_group *group, const hw_prof_pattern *pattern,
                            uint32_t width) {
    uint32_t phase = next_phase(pattern, 0);
    for (; phase < HW_PROF_PHASES; phase = next_phase(pattern, phase + 1)) {
        uint32_t sectors = pattern->cost[phase] - 1u;
        bool dense = is_dense(pattern, sectors);
        uint32_t lines = (sectors + SECTORS_PER_LINE - 1) / SECTORS_PER_LINE;
        if (!dense && p->lines < sectors) lines = lines_of(pattern, phase);   // no more lines than sectors
        p->lines = lines > p->lines ? lines : p->lines;
        if (group) hw_footprint_touch(group, pattern, phase, width, dense);
    }
}

static bool is_store(hw_note_kind kind) { return kind == HW_NOTE_STORE; }

// Adds up what all workers counted of one instruction, and what it touches.
static void fill_place(hw_prof *prof, uint32_t index) {
    hw_prof_place *p = &prof->places[index];
    const hw_prof_pattern *pattern;
    uint32_t width;
    *p = (hw_prof_place){.kind = HW_NOTE_PLAIN};
    for (uint32_t k = 0; k < prof->n_workers; k++)
        if (prof->workers[k].accesses[index].epoch == prof->epoch) add_accesses(p, &prof->workers[k].accesses[index]);
    p->is_irregular = has_many_patterns(prof, index);
    if (!p->cost[HW_PROF_GLOBAL] || p->is_irregular) return;
    walk strides = {.prof = prof, .index = index}, touches = strides;
    while ((pattern = next_pattern(&strides, &width))) p->stride = hw_footprint_join(p->stride, pattern);
    hw_footprint_group *group = hw_footprint_find(&prof->footprint, is_store((hw_note_kind)p->kind), p->stride);
    while ((pattern = next_pattern(&touches, &width))) touch_footprint(p, group, pattern, width);
    p->group = group;
}

// ---- Global memory --------------------------------------------------------------------------------------------------

static bool brings_lines(const hw_arch *arch, const hw_prof_place *p) {
    return hw_loads_lines(arch) && p->kind == HW_NOTE_LOAD && !p->skips_l1;
}

// Bytes that DRAM moves behind a cache: pieces of two sectors, or whole lines; what neighbours touch is not moved
// again, and no access fetches more than a piece for each of its sectors. Without a pattern each sector is for itself.
static uint64_t moved_bytes(const hw_arch *arch, const hw_prof_place *p) {
    if (!p->group) return p->cost[HW_PROF_GLOBAL] * SECTOR_BYTES;
    uint32_t piece = brings_lines(arch, p) ? LINE_BYTES : PIECE_BYTES;
    double bytes = (double)p->asked * hw_footprint_spread(p->group, piece);
    uint64_t most = p->cost[HW_PROF_GLOBAL] * piece;
    return bytes < (double)most ? (uint64_t)bytes : most;
}

// Without one (1.x): what the transactions move. One of 32 bytes that stands alone costs a GPU of 1.2 or 1.3 64:
// concluded from the GTX 280's naive transpose in NVIDIA's MatrixTranspose.pdf, and from seed 004's figure 4-9, which
// falls until every lane has a transaction of its own.
static uint64_t moved_by_transactions(const hw_prof_place *p) {
    return 32 * (p->generation[HW_PROF_32B] + p->generation[HW_PROF_LONE]) + 64 * p->generation[HW_PROF_64B] +
           128 * p->generation[HW_PROF_128B];
}

// What a store sends to the second-level cache. From 7.0 on a line goes as a whole: an H200 takes as long for 4 bytes
// of each of 32 lines as for all of them, and 16 lines take half of it (truth/h200_times.csv, transposeNaiveRow).
static uint64_t sent_sectors(const hw_arch *arch, uint64_t lines, uint64_t sectors) {
    return arch->cc >= 70 ? SECTORS_PER_LINE * lines : sectors;
}

static void add_loads(const hw_arch *arch, hw_time_work *w, const hw_prof_place *p, uint64_t bytes, uint64_t lines) {
    w->load_bytes += bytes;
    if (arch->cc < 20) return;
    w->load_lines += lines;
    w->load_sectors += brings_lines(arch, p) ? SECTORS_PER_LINE * p->generation[HW_PROF_128B] : p->cost[HW_PROF_GLOBAL];
}

static void add_stores(const hw_arch *arch, hw_time_work *w, const hw_prof_place *p, uint64_t bytes, uint64_t lines) {
    w->store_bytes += bytes;
    if (arch->cc < 20) return;
    w->fill_bytes += p->group && !hw_footprint_is_whole(p->group) ? bytes : 0;
    w->store_sectors += sent_sectors(arch, lines, p->cost[HW_PROF_GLOBAL]);
}

// Atomics read and write where the memory is, or its cache.
static void add_atomics(const hw_arch *arch, hw_time_work *w, const hw_prof_place *p, uint64_t bytes, uint64_t lines) {
    w->load_bytes += bytes;
    w->store_bytes += bytes;
    if (arch->cc >= 20) w->store_sectors += sent_sectors(arch, lines, p->cost[HW_PROF_GLOBAL]);
}

static void add_global(const hw_arch *arch, hw_time_work *w, const hw_prof_place *p) {
    const uint64_t sectors = p->cost[HW_PROF_GLOBAL];
    if (!sectors) return;
    const uint64_t lines = p->is_irregular ? sectors : p->lines * p->requests[HW_PROF_GLOBAL];
    const uint64_t bytes = arch->cc < 20 ? moved_by_transactions(p) : moved_bytes(arch, p);
    w->useful_bytes += p->asked;
    switch ((hw_note_kind)p->kind) {
    case HW_NOTE_ATOMIC: case HW_NOTE_REDUCTION: add_atomics(arch, w, p, bytes, lines); break;
    case HW_NOTE_STORE: add_stores(arch, w, p, bytes, lines); break;
    default: add_loads(arch, w, p, bytes, lines);
    }
}

// Local memory is global memory on GPUs without a cache; on others it is taken to stay in theirs.
static void add_local(const hw_arch *arch, hw_time_work *w, const hw_prof_place *p) {
    if (arch->cc >= 20) return;
    *(is_store((hw_note_kind)p->kind) ? &w->store_bytes : &w->load_bytes) += p->cost[HW_PROF_LOCAL] * SECTOR_BYTES;
}

static void add_constant(const hw_arch *arch, hw_time_work *w, const hw_prof_place *p, const hw_note *note) {
    const uint64_t least = p->requests[HW_PROF_CONST] * (arch->cc < 20 ? 2 : 1), passes = p->cost[HW_PROF_CONST];
    w->const_passes += passes > least ? passes - least : 0;
    if (note->is_indexed) w->const_loads += p->requests[HW_PROF_CONST];
}

static void add_memory(const hw_prof *prof, hw_time_work *w, const hw_prof_place *p, const hw_note *note) {
    add_global(prof->gpu->arch, w, p);
    add_local(prof->gpu->arch, w, p);
    add_constant(prof->gpu->arch, w, p, note);
}

// ---- Waits ----------------------------------------------------------------------------------------------------------

// Loads, and fetches of texels, that nothing stands between are on their way together: warps wait as often as for the
// one of them that most warps make, and its line has the waits.
typedef struct batch {
    uint64_t waits;
    uint32_t note;                       // that one's
} batch;

// The sums of a launch, and what is on its way.
typedef struct sums {
    const hw_prof *prof;
    hw_report_launch *launch;
    batch memory, shared;
    bool has_stored;                     // to global memory since the last branch, barrier or fence
} sums;

static void count_waits(const sums *s, uint32_t note, hw_counter counter, uint64_t waits) {
    s->launch->counts[counter] += waits;
    if (!waits || !s->prof->wants_lines) return;
    hw_report_line *lines = (hw_report_line *)s->prof->kernels[s->prof->kernel].lines;
    lines[s->prof->line_of[note]].counts[counter] += waits;
}

static void close_batch(const sums *s, batch *b, hw_counter counter) {
    count_waits(s, b->note, counter, b->waits);
    b->waits = 0;
}

static void add_to_batch(batch *b, uint32_t note, uint64_t waits) {
    if (waits > b->waits) *b = (batch){waits, note};
}

// Does a warp wait there until its stores have arrived where other multiprocessors see them? Fences were measured; that
// st.release and atom.release wait as long is assumed.
static bool waits_for_stores(const hw_note *note) {
    const bool is_strong = note->order == HW_ORDER_ACQ_REL || note->order == HW_ORDER_SC;
    const bool releases = is_strong || note->order == HW_ORDER_RELEASE;
    return releases && note->scope >= HW_SCOPE_GPU && note->proxy == HW_PROXY_NONE && note->kind != HW_NOTE_BARRIER;
}

static void add_fences(sums *s, uint32_t note, uint64_t warps, const hw_prof_place *p) {
    const bool is_access = hw_note_is_access(&s->prof->notes[note]);
    const uint64_t fences = is_access ? p->requests[HW_PROF_GLOBAL] : warps;
    if (!waits_for_stores(&s->prof->notes[note])) return;
    *(s->has_stored ? &s->launch->work.fences : &s->launch->work.bare_fences) += fences;
    if (fences) s->has_stored = false;
}

static void add_waits(sums *s, uint32_t note, uint64_t warps, const hw_prof_place *p) {
    const hw_note_kind kind = (hw_note_kind)s->prof->notes[note].kind;
    const uint64_t *n = p->requests;
    bool is_load = kind == HW_NOTE_LOAD || kind == HW_NOTE_COPY || kind == HW_NOTE_COPY_BYPASS;
    bool is_end = kind == HW_NOTE_BRANCH || kind == HW_NOTE_BARRIER;
    if (kind == HW_NOTE_BARRIER) s->launch->work.barriers += warps;
    if (kind == HW_NOTE_ATOMIC) {
        count_waits(s, note, HW_COUNT_MEMORY_WAITS, n[HW_PROF_GLOBAL]);
        s->launch->work.atomic_trips += n[HW_PROF_GLOBAL];
        count_waits(s, note, HW_COUNT_SHARED_WAITS, n[HW_PROF_SHARED]);
    }
    s->has_stored = !is_end && (s->has_stored || (kind == HW_NOTE_STORE && n[HW_PROF_GLOBAL]));
    if (is_end || (kind == HW_NOTE_STORE && n[HW_PROF_GLOBAL])) close_batch(s, &s->memory, HW_COUNT_MEMORY_WAITS);
    if (is_end || (kind == HW_NOTE_STORE && n[HW_PROF_SHARED])) close_batch(s, &s->shared, HW_COUNT_SHARED_WAITS);
    if (is_load) add_to_batch(&s->memory, note, n[HW_PROF_GLOBAL] + n[HW_PROF_LOCAL]);
    if (s->prof->notes[note].fetches_texels) add_to_batch(&s->memory, note, warps);
    if (is_load || kind == HW_NOTE_LOAD_MATRIX) add_to_batch(&s->shared, note, n[HW_PROF_SHARED]);
}

// ---- Sums -----------------------------------------------------------------------------------------------------------

static void add_instruction(hw_time_work *w, const hw_note *note, uint64_t warps) {
    hw_issue_cost cost = hw_issue_cost_of_note(note);
    w->inst[HW_RATE_ISSUE] += warps * cost.count;
    if (cost.rate != HW_RATE_ISSUE && cost.rate < HW_RATES) w->inst[cost.rate] += warps * cost.count;
}

static void add_work(const hw_prof *prof, hw_report_launch *launch) {
    static const hw_prof_place nowhere = {.kind = HW_NOTE_PLAIN};
    hw_time_work *w = &launch->work;
    uint64_t warps = 0;
    sums s = {.prof = prof, .launch = launch};
    for (uint32_t i = 0; i < prof->n_notes; i++) {
        const hw_note *note = &prof->notes[i];
        const hw_prof_place *p =
            prof->accesses_of[i] == HW_PROF_NO_ACCESSES ? &nowhere : &prof->places[prof->accesses_of[i]];
        for (uint32_t k = 0; k < prof->n_workers; k++) warps += prof->workers[k].notes[i].warps;
        if (!warps && p == &nowhere) continue;
        if (warps) add_instruction(w, note, warps);
        if (note->kind == HW_NOTE_BRANCH) w->branches += warps;
        add_memory(prof, w, p, note);
        add_fences(&s, i, warps, p);    // before what the instruction stores itself
        add_waits(&s, i, warps, p);
    }
    close_batch(&s, &s.memory, HW_COUNT_MEMORY_WAITS);
    close_batch(&s, &s.shared, HW_COUNT_SHARED_WAITS);
    w->trips = launch->counts[HW_COUNT_MEMORY_WAITS];
    w->shared_trips = launch->counts[HW_COUNT_SHARED_WAITS];
}

// By how much more lanes an instruction was executed in than the one before; a guard turned some of them off.
static uint64_t lanes_at(const hw_prof *prof, uint32_t note, uint64_t *guarded_off) {
    uint64_t lanes = 0;
    *guarded_off = 0;
    for (uint32_t k = 0; k < prof->n_workers; k++) {
        lanes += prof->workers[k].notes[note].lanes;
        *guarded_off += prof->workers[k].notes[note].guarded_off;
    }
    return lanes;
}

// Texels come through the first-level cache, or a cache of their own. Where no block's are known, each byte of the
// textures is loaded once at most, and no more than the largest texel for each fetch.
static void add_textures(const hw_prof *prof, hw_report_launch *launch, uint64_t fetches) {
    hw_time_work *w = &launch->work;
    enum { TEXEL_BYTES = 16 };
    const uint64_t all = hw_prof_touched_bytes(prof, HW_TOUCHED_TEXTURE), most = fetches * TEXEL_BYTES;
    double bytes = (double)(all < most ? all : most), sectors = bytes / SECTOR_BYTES;
    hw_texel_reads reads;
    if (hw_prof_texel_reads(prof, fetches, all, &reads)) {
        const uint64_t sms = prof->gpu->sms;
        reads.blocks_per_sm = (double)w->blocks_per_sm;
        reads.sms = (double)(w->blocks < sms ? w->blocks : sms);
        sectors = hw_texels_missed(prof->gpu, &reads);
        bytes = hw_texels_loaded_bytes(prof->gpu, &reads, sectors);
        launch->texel_sectors = (uint64_t)llround(reads.by_warps);
        launch->texel_misses = (uint64_t)llround(sectors);
    }
    w->load_bytes += (uint64_t)bytes;
    if (prof->gpu->arch->cc >= 20) w->load_sectors += (uint64_t)sectors;
}

// Of a request, whose lanes mean words of their own or share them evenly; and of one that stands for all lanes.
static void add_passes(const hw_prof *prof, hw_time_work *w, uint32_t note, uint64_t lanes) {
    const hw_note_kind kind = (hw_note_kind)prof->notes[note].kind;
    const uint32_t index = prof->accesses_of[note];
    if ((kind != HW_NOTE_ATOMIC && kind != HW_NOTE_REDUCTION) || index == HW_PROF_NO_ACCESSES) return;
    const hw_prof_place *p = &prof->places[index];
    if (!p->requests[HW_PROF_GLOBAL] || !p->asked) return;
    const bool is_combined = prof->notes[note].is_combined && prof->gpu->arch->cc >= 70;
    const double meeting = is_combined ? 1 : (double)lanes * prof->notes[note].width_bytes / (double)p->asked;
    const uint64_t passes = (uint64_t)((double)p->cost[HW_PROF_GLOBAL] * (meeting > 1 ? meeting : 1));
    w->atomic_passes += passes;
    if (prof->notes[note].meeting == HW_MEET_IN_LOOP) w->atomic_float_passes += passes;
}

// Which sectors atomics mean is not told: at the best they spread over all that they can mean.
static void add_by_lanes(const hw_prof *prof, hw_report_launch *launch) {
    hw_time_work *w = &launch->work;
    uint64_t lanes = 0, fetches = 0, guarded_off;
    for (uint32_t i = 0; i < prof->n_notes; i++) {
        lanes += lanes_at(prof, i, &guarded_off);
        if (prof->notes[i].fetches_texels) fetches += lanes - guarded_off;
        add_passes(prof, w, i, lanes - guarded_off);
    }
    add_textures(prof, launch, fetches);
    w->atomic_sectors = hw_divide_up(hw_prof_touched_bytes(prof, HW_TOUCHED_ATOMIC), SECTOR_BYTES);
}

static void add_flops(const hw_prof *prof, hw_report_launch *launch) {
    uint64_t lanes = 0, guarded_off;
    for (uint32_t i = 0; i < prof->n_notes; i++) {
        lanes += lanes_at(prof, i, &guarded_off);
        launch->flops[prof->notes[i].flop] += (lanes - guarded_off) * prof->notes[i].flops;
    }
}

// Machine code's counts take the place of PTX's, pipe by pipe.
static void take_machine_counts(const hw_prof *prof, const hw_launch_info *info, hw_report_launch *launch) {
    double inst[HW_RATES];
    launch->has_machine_inst = hw_prof_count_machine(prof, info, inst);
    if (!launch->has_machine_inst) return;
    for (int i = 0; i < HW_RATES; i++) launch->work.inst[i] = (uint64_t)llround(inst[i]);
    launch->machine_inst = launch->work.inst[HW_RATE_ISSUE];
}

static void add_issued(const hw_prof *prof, hw_time_work *w) {
    for (uint32_t k = 0; k < prof->n_workers; k++) {
        const hw_issued *issued = &prof->workers[k].issued;
        w->issued += issued->all;
        w->longest += issued->longest;
    }
}

void hw_prof_finish_work(hw_prof *prof, const hw_launch_info *info, hw_report_launch *launch) {
    hw_time_work *w = &launch->work;
    const uint32_t *g = launch->grid, *b = launch->block;
    const uint64_t threads = (uint64_t)b[0] * b[1] * b[2];
    prof->footprint.n_groups = 0;
    for (uint32_t i = 0; i < prof->n_accesses; i++) fill_place(prof, i);
    add_work(prof, launch);
    add_issued(prof, w);
    take_machine_counts(prof, info, launch);
    add_flops(prof, launch);
    w->blocks = (uint64_t)g[0] * g[1] * g[2];
    w->warps = w->blocks * hw_divide_up(threads, HW_WARP_LANES);
    w->blocks_per_sm = launch->occupancy.blocks;
    w->wavefronts = launch->counts[HW_COUNT_SMEM_WAVEFRONTS];
    w->load_share = launch->gld_partition_pct / 100;
    w->store_share = launch->gst_partition_pct / 100;
    w->reachable_bytes = hw_prof_touched_bytes(prof, HW_TOUCHED_READ | HW_TOUCHED_WRITTEN | HW_TOUCHED_TEXTURE);
    add_by_lanes(prof, launch);
    const uint64_t read = hw_prof_hosts_bytes(prof, HW_TOUCHED_READ);
    const uint64_t written = hw_prof_hosts_bytes(prof, HW_TOUCHED_WRITTEN);
    w->link_load_bytes = w->load_bytes < read ? w->load_bytes : read;
    w->link_store_bytes = w->store_bytes < written ? w->store_bytes : written;
    if (launch->status == HW_OK) launch->estimate = hw_model_time(prof->gpu, w);
}
