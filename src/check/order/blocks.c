#include "check/order/blocks.h"

#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "isa/order.h"

enum { BUCKETS = 256, LANES = HW_WARP_LANES };

// ---- blocks ---------------------------------------------------------------------------------------------------------

bool hw_check_blocks_begin(hw_check_blocks *b, const hw_launch_info *info, int compute_capability) {
    memset(b, 0, sizeof *b);
    b->arena = hw_arena_create();
    if (!b->arena) return false;
    memcpy(b->grid, info->grid, sizeof b->grid);
    b->cluster_blocks = 1;
    for (int i = 0; i < 3; i++) {
        b->cluster[i] = info->cluster[i] ? info->cluster[i] : 1;
        b->cluster_blocks *= b->cluster[i];
    }
    b->threads = info->block[0] * info->block[1] * info->block[2];
    b->n_warps = (uint32_t)hw_divide_up(b->threads, LANES);
    b->n_lines = (uint32_t)hw_divide_up((uint64_t)info->smem_static_bytes + info->smem_dynamic_bytes,
                                        HW_CHECK_LINE_BYTES);
    for (uint32_t i = 0; i < info->n_notes; i++) {
        const hw_note *note = &info->notes[i];
        const bool tells = note->order >= HW_ORDER_RELEASE;
        b->has_rows |= note->copies_rows;
        b->tells_blocks |= tells && note->scope > HW_SCOPE_CTA;
        b->tells_warps |= tells;
    }
    // Children come after what their launching thread knows: each another part of the launch.
    b->tells_blocks |= info->may_launch;
    b->tells_warps |= info->may_launch;
    b->steps_order = compute_capability < 70;
    return true;
}

// Its lines of shared memory stay: what they refer to is below the next block's floor. So does memory that the next
// one may need.
static void empty_block(hw_check_block *block, uint32_t n_warps) {
    for (uint32_t i = 0; i < n_warps; i++) {
        if (block->warps[i].met_lanes) hw_free(block->warps[i].met_lanes);
        if (block->warps[i].lanes) hw_free(block->warps[i].lanes);
        if (block->warps[i].answers) hw_free(block->warps[i].answers);
    }
    memset(block->warps, 0, n_warps * sizeof *block->warps);
    for (uint32_t left = block->met_at; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        block->arrivals[i] = (hw_check_arrivals){.threads = 0};
        if (block->waiting[i]) memset(block->waiting[i], 0, n_warps * sizeof *block->waiting[i]);
    }
    block->met_at = 0;
}

static void free_block(hw_check_block *block, uint32_t n_warps) {
    empty_block(block, n_warps);
    for (int i = 0; i <= HW_BARRIERS; i++) hw_free(block->waiting[i]);
    hw_free(block->interval.log);
    hw_free(block->rows.items);
    hw_free(block->copies.items);
    hw_free(block->shared);
    hw_free(block->warps);
    hw_free(block);
}

void hw_check_blocks_end(hw_check_blocks *b) {
    for (int i = 0; i < BUCKETS; i++) {
        for (hw_check_block *block = b->buckets[i], *next; block; block = next) {
            next = block->next;
            free_block(block, b->n_warps);
        }
    }
    for (hw_check_block *block = b->spare, *next; block; block = next) {
        next = block->next;
        free_block(block, b->n_warps);
    }
    hw_check_cells_free(&b->cells);
    hw_arena_destroy(b->arena);
    memset(b, 0, sizeof *b);
}

void hw_check_blocks_mark(const hw_check_blocks *b, hw_check_entries *entries) {
    for (int i = 0; i < BUCKETS; i++)
        for (const hw_check_block *block = b->buckets[i]; block; block = block->next)
            hw_check_lines_mark(block->shared, b->n_lines, entries, block->floor);
}

void hw_check_blocks_move(hw_check_blocks *b, const hw_check_entries *entries) {
    for (int i = 0; i < BUCKETS; i++) {
        for (hw_check_block *block = b->buckets[i]; block; block = block->next) {
            hw_check_lines_move(block->shared, b->n_lines, &b->cells, entries, block->floor);
            block->floor = hw_check_entries_moved(entries, block->floor);
            for (size_t k = 0; k < block->rows.n; k++)
                block->rows.items[k].since = hw_check_entries_moved(entries, block->rows.items[k].since);
        }
    }
    for (hw_check_block *block = b->spare; block; block = block->next)
        hw_check_lines_move(block->shared, b->n_lines, &b->cells, entries, UINT32_MAX);
}

static hw_check_block *make_block(hw_check_blocks *b) {
    hw_check_block *block = b->spare;
    if (block) {
        b->spare = block->next;
        return block;
    }
    block = hw_calloc(1, sizeof *block);
    if (!block) return NULL;
    block->warps = hw_calloc(b->n_warps, sizeof *block->warps);
    block->shared = hw_calloc(b->n_lines + 1, sizeof *block->shared);
    if (block->warps && block->shared) return block;
    hw_free(block->warps);
    hw_free(block->shared);
    hw_free(block);
    return NULL;
}

static uint32_t number_of(const hw_check_blocks *b, const uint32_t index[3]) {
    return (index[2] * b->grid[1] + index[1]) * b->grid[0] + index[0];
}

void hw_check_block_begin(hw_check_blocks *b, const hw_where *where, hw_check_ref next) {
    hw_check_block *block = make_block(b);
    if (!block) {
        b->ran_out = true;
        return;
    }
    const uint32_t number = number_of(b, where->block);
    hw_check_block **bucket = &b->buckets[number % BUCKETS];
    memcpy(block->index, where->block, sizeof block->index);
    block->number = number;
    block->time = 1;
    block->barrier_time = 0;
    block->known = NULL;
    block->serial = ++b->n_begun;
    block->last_mark = 0;
    block->floor = next;
    block->proxied = 0;
    block->rows.n = 0;
    block->has_late = b->has_rows;
    block->copies.n = 0;
    block->interval.bytes = block->interval.kinds = 0;
    block->interval.is_known = b->has_rows;
    block->next = *bucket;
    *bucket = block;
}

hw_check_block *hw_check_block_find(hw_check_blocks *b, const hw_where *where) {
    hw_check_block *block = b->buckets[number_of(b, where->block) % BUCKETS];
    while (block && !hw_check_block_has(block, where->block)) block = block->next;
    if (block) b->last = block;
    return block;
}

void hw_check_block_end(hw_check_blocks *b, const hw_where *where) {
    hw_check_block **at = &b->buckets[number_of(b, where->block) % BUCKETS];
    while (*at && !hw_check_block_has(*at, where->block)) at = &(*at)->next;
    hw_check_block *block = *at;
    if (!block) return;
    *at = block->next;
    empty_block(block, b->n_warps);
    block->next = b->spare;
    b->spare = block;
    b->last = NULL;
}

static hw_check_block *member_of(hw_check_blocks *b, const hw_check_block *block, uint32_t rank) {
    const uint32_t *of = b->cluster, *index = block->index;
    const uint32_t x = rank % of[0], y = rank / of[0] % of[1], z = rank / of[0] / of[1];
    const hw_where where = {.block = {index[0] - index[0] % of[0] + x, index[1] - index[1] % of[1] + y,
                                      index[2] - index[2] % of[2] + z}};
    return hw_check_block_of(b, &where);
}

hw_check_block *hw_check_blocks_home(hw_check_blocks *b, hw_check_block *block, uint64_t *offset) {
    if (!hw_has_rank(*offset)) return block;
    const uint64_t rank = (*offset >> HW_RANK_BITS) - 1;
    *offset &= (1ull << HW_RANK_BITS) - 1;
    return rank < b->cluster_blocks ? member_of(b, block, (uint32_t)rank) : NULL;
}

// The lanes that a warp of the block has.
static uint32_t lanes_of_warp(const hw_check_blocks *b, uint32_t warp) {
    const uint32_t left = b->threads - warp * LANES;
    return left >= LANES ? 0xffffffffu : (1u << left) - 1;
}

// ---- messages -------------------------------------------------------------------------------------------------------

static hw_check_lane *lane_of(hw_check_blocks *b, hw_check_warp *warp, int lane) {
    if (!warp->lanes) warp->lanes = hw_calloc(LANES, sizeof *warp->lanes);
    if (!warp->lanes) b->ran_out = true;
    return warp->lanes ? &warp->lanes[lane] : NULL;
}

static void join_letters(hw_check_blocks *b, const hw_check_letters **letters, const hw_check_letters *other) {
    if (other) b->ran_out |= !hw_check_letters_join(letters, b->arena, other);
}

// What the lane knows by having met some of its warp it tells as they would.
static bool add_what_was_met(hw_check_blocks *b, hw_check_log *log, const hw_check_warp *w,
                             const hw_check_message *own) {
    bool good = true;
    for (uint32_t i = 0; good && w->met_lanes && i < LANES; i++) {
        const uint32_t met = w->met_lanes[own->lane][i];
        hw_check_message message = {.block = own->block, .warp = own->warp, .lane = (uint8_t)i,
                                    .own = met < own->own ? met : own->own};
        if (i != own->lane && message.own > own->met && message.own > own->barrier)
            good = hw_check_log_add(log, b->arena, &message);
    }
    return good;
}

static void write_message(hw_check_blocks *b, const hw_check_block *block, uint32_t warp, uint64_t key, uint8_t scope,
                          hw_check_message message) {
    const hw_check_warp *w = &block->warps[warp];
    const uint32_t hearers = scope >= HW_SCOPE_CLUSTER ? HW_CHECK_ALL_BLOCKS : block->number;
    hw_check_log *log = hw_check_logs_make(&b->logs, b->arena, key, hearers);
    message.block = block->number;
    message.warp = warp;
    message.barrier = block->barrier_time;
    if (message.met < w->met) message.met = w->met;
    if (!message.known[0] && w->lanes) message.known[0] = w->lanes[message.lane].known;
    message.known[1] = w->known;
    message.known[2] = block->known;
    if (!log || !hw_check_log_add(log, b->arena, &message) || !add_what_was_met(b, log, w, &message))
        b->ran_out = true;
}

// What a thread of the block hears at a word. Either may be NULL.
typedef struct heard {
    hw_check_log *of_all, *of_block;
} heard;
static heard heard_at(const hw_check_blocks *b, const hw_check_block *block, uint64_t key) {
    return (heard){hw_check_logs_find(&b->logs, key, HW_CHECK_ALL_BLOCKS),
                   hw_check_logs_find(&b->logs, key, block->number)};
}
static void learn(hw_check_blocks *b, const hw_check_letters **letters, heard at) {
    if (at.of_all) b->ran_out |= !hw_check_letters_add(letters, b->arena, at.of_all);
    if (at.of_block) b->ran_out |= !hw_check_letters_add(letters, b->arena, at.of_block);
}

// What any of the warp's lanes has read.
static const hw_check_letters *letters_of_lanes(hw_check_blocks *b, const hw_check_warp *w) {
    const hw_check_letters *all = NULL;
    for (int i = 0; w->lanes && i < LANES; i++) join_letters(b, &all, w->lanes[i].known);
    return all;
}

// All that the lanes have done until now is told: in one message where they are all of the warp.
static void write_messages(hw_check_blocks *b, hw_check_block *block, uint32_t warp, uint32_t mask, uint64_t key,
                           uint8_t scope) {
    const uint32_t now = ++block->time;
    if (mask == lanes_of_warp(b, warp)) {
        write_message(b, block, warp, key, scope,
                      (hw_check_message){.own = now, .met = now, .known = {letters_of_lanes(b, &block->warps[warp])}});
        return;
    }
    for (uint32_t left = mask; left; left &= left - 1)
        write_message(b, block, warp, key, scope,
                      (hw_check_message){.lane = (uint8_t)__builtin_ctz(left), .own = now});
}

static void read_messages(hw_check_blocks *b, hw_check_block *block, uint32_t warp, uint32_t mask, uint64_t key) {
    const heard at = heard_at(b, block, key);
    if (!at.of_all && !at.of_block) return;
    if (mask == lanes_of_warp(b, warp)) {
        learn(b, &block->warps[warp].known, at);
        return;
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        hw_check_lane *lane = lane_of(b, &block->warps[warp], __builtin_ctz(left));
        if (lane) learn(b, &lane->known, at);
    }
}

static bool acquires(uint8_t order) {
    return order == HW_ORDER_ACQUIRE || order == HW_ORDER_ACQ_REL || order == HW_ORDER_SC;
}
static bool releases(uint8_t order) {
    return order == HW_ORDER_RELEASE || order == HW_ORDER_ACQ_REL || order == HW_ORDER_SC;
}

void hw_check_blocks_exchange(hw_check_blocks *b, hw_check_block *block, uint32_t warp, int number, uint64_t key,
                              uint8_t act, uint8_t order, uint8_t scope) {
    hw_check_warp *w = &block->warps[warp];
    const heard at = act == HW_CHECK_WRITES ? (heard){NULL, NULL} : heard_at(b, block, key);
    if (at.of_all || at.of_block) {
        hw_check_lane *lane = lane_of(b, w, number);
        if (lane) learn(b, acquires(order) ? &lane->known : &lane->seen, at);
    }
    if (act == HW_CHECK_READS) return;
    const hw_check_lane *lane = w->lanes ? &w->lanes[number] : NULL;
    if (releases(order)) {
        write_message(b, block, warp, key, scope,
                      (hw_check_message){.lane = (uint8_t)number, .own = ++block->time});
        return;
    }
    const uint32_t far = lane && scope >= HW_SCOPE_CLUSTER ? lane->fenced_far : 0, near = lane ? lane->fenced : 0;
    if (far) write_message(b, block, warp, key, scope, (hw_check_message){.lane = (uint8_t)number, .own = far});
    if (near > far)
        write_message(b, block, warp, key, HW_SCOPE_CTA, (hw_check_message){.lane = (uint8_t)number, .own = near});
}

// What the lanes have seen takes effect.
static void take_seen(hw_check_blocks *b, hw_check_warp *w, uint32_t mask) {
    for (uint32_t left = w->lanes ? mask : 0; left; left &= left - 1) {
        hw_check_lane *lane = &w->lanes[__builtin_ctz(left)];
        join_letters(b, &lane->known, lane->seen);
        lane->seen = NULL;
    }
}

void hw_check_blocks_fence(hw_check_blocks *b, const hw_fence *fence) {
    hw_check_block *block = hw_check_block_of(b, &fence->where);
    if (!block) return;
    hw_check_warp *w = &block->warps[fence->where.warp];
    const uint32_t now = ++block->time;
    if (fence->proxy == HW_PROXY_ASYNC) block->proxied = now;
    for (uint32_t left = fence->mask; left; left &= left - 1) {
        hw_check_lane *lane = lane_of(b, w, __builtin_ctz(left));
        if (!lane) return;
        lane->fenced = now;
        if (fence->scope >= HW_SCOPE_CLUSTER) lane->fenced_far = now;
    }
    take_seen(b, w, fence->mask);
}

void hw_check_blocks_mbarrier(hw_check_blocks *b, const hw_mbarrier_step *step, uint8_t scope) {
    hw_check_block *block = hw_check_block_of(b, &step->where);
    if (!block || step->action == HW_MBARRIER_INVALIDATE || step->action == HW_MBARRIER_EXPECT) return;
    const bool asks = step->action == HW_MBARRIER_TEST;
    for (uint32_t left = asks ? step->ended : step->mask; left;) {
        const uint64_t at = step->at[__builtin_ctz(left)];
        uint64_t offset = at;
        const hw_check_block *home = hw_check_blocks_home(b, block, &offset);
        const uint64_t key = hw_check_key_of_mbarrier(home ? home->serial : 0, offset);
        uint32_t lanes = 0;    // of one barrier
        for (uint32_t rest = left; rest; rest &= rest - 1)
            lanes |= step->at[__builtin_ctz(rest)] == at ? rest & -rest : 0;
        left &= ~lanes;
        if (asks) read_messages(b, block, step->where.warp, lanes, key);
        else write_messages(b, block, step->where.warp, lanes, key, scope);
    }
}

void hw_check_blocks_row_lands(hw_check_blocks *b, hw_check_block *block, uint32_t warp, int lane, uint64_t at) {
    const hw_check_block *home = hw_check_blocks_home(b, block, &at);
    write_messages(b, block, warp, 1u << lane, hw_check_key_of_mbarrier(home ? home->serial : 0, at), HW_SCOPE_CLUSTER);
}

// ---- warps ----------------------------------------------------------------------------------------------------------

// The letters of some lanes become those of all of them.
static void share_letters(hw_check_blocks *b, hw_check_warp *w, uint32_t mask, bool are_all) {
    const hw_check_letters *all = NULL;
    if (!w->lanes) return;
    take_seen(b, w, mask);
    for (uint32_t left = mask; left; left &= left - 1) join_letters(b, &all, w->lanes[__builtin_ctz(left)].known);
    if (are_all) join_letters(b, &w->known, all);
    for (uint32_t left = mask; left; left &= left - 1)
        w->lanes[__builtin_ctz(left)].known = are_all ? NULL : all;
}

static void meet_some(hw_check_blocks *b, hw_check_warp *w, uint32_t mask, uint32_t now) {
    if (!w->met_lanes) w->met_lanes = hw_calloc(LANES, sizeof *w->met_lanes);
    if (!w->met_lanes) {
        b->ran_out = true;
        return;
    }
    uint32_t all[LANES] = {0};
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t *of = w->met_lanes[__builtin_ctz(left)];
        for (int i = 0; i < LANES; i++) all[i] = of[i] > all[i] ? of[i] : all[i];
    }
    for (int i = 0; i < LANES; i++) all[i] = mask >> i & 1 ? now : all[i];
    for (uint32_t left = mask; left; left &= left - 1) memcpy(w->met_lanes[__builtin_ctz(left)], all, sizeof all);
}

void hw_check_blocks_meet(hw_check_blocks *b, const hw_warp_sync *sync) {
    hw_check_block *block = hw_check_block_of(b, &sync->where);
    if (!block) return;
    hw_check_warp *w = &block->warps[sync->where.warp];
    const bool are_all = sync->mask == lanes_of_warp(b, sync->where.warp);
    const uint32_t now = ++block->time;
    if (are_all) w->met = now;
    else meet_some(b, w, sync->mask, now);
    share_letters(b, w, sync->mask, are_all);
}

const hw_check_letters *hw_check_blocks_launch(hw_check_blocks *b, hw_check_block *block, uint32_t warp, int lane,
                                               uint32_t number) {
    const uint64_t key = hw_check_key_of_child(number);
    const hw_check_letters *known = NULL;
    hw_check_warp *w = &block->warps[warp];
    if (w->lanes) take_seen(b, w, 1u << lane);
    write_messages(b, block, warp, 1u << lane, key, HW_SCOPE_SYS);
    hw_check_log *log = hw_check_logs_find(&b->logs, key, HW_CHECK_ALL_BLOCKS);
    return log && hw_check_letters_add(&known, b->arena, log) ? known : NULL;
}

void hw_check_blocks_keep_messages(hw_check_blocks *b, hw_arena **arena, hw_check_logs *logs) {
    *arena = b->arena;
    *logs = b->logs;
    b->arena = NULL;
    memset(&b->logs, 0, sizeof b->logs);
}

void hw_check_blocks_have_messages(hw_check_blocks *b, hw_arena **arena, hw_check_logs *logs) {
    b->arena = *arena;
    b->logs = *logs;
    *arena = NULL;
    memset(logs, 0, sizeof *logs);
}

// A message of a warp behind all that the block has: who meets its readers knows it as they do.
void hw_check_blocks_wait_for_children(hw_check_blocks *b, hw_check_block *block, uint32_t warp, int lane,
                                       bool is_first) {
    const uint64_t key = hw_check_key_of_waits(block->number);
    if (is_first) {
        hw_check_log *log = hw_check_logs_make(&b->logs, b->arena, key, HW_CHECK_ALL_BLOCKS);
        const hw_check_message message = {.block = block->number, .warp = b->n_warps, .own = ++block->time};
        if (!log || !hw_check_log_add(log, b->arena, &message)) b->ran_out = true;
    }
    read_messages(b, block, warp, 1u << lane, key);
}

// ---- barriers -------------------------------------------------------------------------------------------------------

static void complete_for_all(hw_check_blocks *b, hw_check_block *block) {
    block->barrier_time = ++block->time;
    for (uint32_t i = 0; i < b->n_warps; i++) {
        hw_check_warp *w = &block->warps[i];
        if (!w->lanes && !w->known) continue;
        share_letters(b, w, lanes_of_warp(b, i), true);
        join_letters(b, &block->known, w->known);
        w->known = NULL;
    }
}

// The blocks of a cluster have one key for its barrier, which no block's own barriers have.
static uint64_t key_of(const hw_check_blocks *b, const hw_check_block *block, uint32_t barrier) {
    const uint32_t *of = b->cluster, *index = block->index;
    const uint32_t first[3] = {index[0] - index[0] % of[0], index[1] - index[1] % of[1], index[2] - index[2] % of[2]};
    return hw_check_key_of_barrier(barrier == HW_CLUSTER_BARRIER ? number_of(b, first) : block->serial, barrier);
}

static uint8_t scope_of(uint32_t barrier) { return barrier == HW_CLUSTER_BARRIER ? HW_SCOPE_CLUSTER : HW_SCOPE_CTA; }

// Those who wait tell each other what they have done, and hear it, also from those who came and went on.
static void complete_for_some(hw_check_blocks *b, hw_check_block *block, uint32_t barrier) {
    const uint32_t *waiting = block->waiting[barrier];
    const uint64_t key = key_of(b, block, barrier);
    for (uint32_t i = 0; waiting && i < b->n_warps; i++)
        if (waiting[i]) write_messages(b, block, i, waiting[i], key, scope_of(barrier));
    for (uint32_t i = 0; waiting && i < b->n_warps; i++)
        if (waiting[i]) read_messages(b, block, i, waiting[i], key);
}

bool hw_check_blocks_is_for_all(const hw_check_block *block, const hw_barrier_step *step) {
    return step->action == HW_BARRIER_COMPLETE && step->barrier != HW_CLUSTER_BARRIER &&
           !block->arrivals[step->barrier].has_arrivers;
}

static void complete_barrier(hw_check_blocks *b, hw_check_block *block, const hw_barrier_step *step) {
    const uint32_t barrier = step->barrier;
    hw_check_arrivals *a = &block->arrivals[barrier];
    if (hw_check_blocks_is_for_all(block, step)) complete_for_all(b, block);
    else complete_for_some(b, block, barrier);
    if (block->waiting[barrier]) memset(block->waiting[barrier], 0, b->n_warps * sizeof *block->waiting[barrier]);
    *a = (hw_check_arrivals){0};
}

static void arrive_at_barrier(hw_check_blocks *b, hw_check_block *block, const hw_barrier_step *step) {
    const uint32_t barrier = step->barrier, warp = step->where.warp;
    hw_check_arrivals *a = &block->arrivals[barrier];
    if (!block->waiting[barrier]) block->waiting[barrier] = hw_calloc(b->n_warps, sizeof *block->waiting[barrier]);
    if (!block->waiting[barrier]) {
        b->ran_out = true;
        return;
    }
    const bool waits = step->action != HW_BARRIER_ARRIVE;
    const bool is_for_some = step->expected && step->expected < b->threads;
    a->has_arrivers |= !waits || is_for_some;
    if (step->left_out && !a->alone.lanes && !step->expected) {
        a->alone.note = step->note;
        a->alone.warp = warp;
        a->alone.mask = step->mask;
        a->alone.lanes = step->left_out;
    }
    const uint32_t lanes = step->mask == 0xffffffffu ? LANES : (uint32_t)__builtin_popcount(step->mask);
    a->threads += lanes * (step->more_warps + 1);
    for (uint32_t k = 0; waits && k <= step->more_warps; k++) block->waiting[barrier][warp + k] |= step->mask;
    if (!waits) write_messages(b, block, warp, step->mask, key_of(b, block, barrier), scope_of(barrier));
}

uint32_t hw_check_blocks_left_out(const hw_check_block *block, uint32_t barrier) {
    const hw_check_arrivals *a = &block->arrivals[barrier];
    return a->alone.lanes && block->waiting[barrier] ? a->alone.lanes & ~block->waiting[barrier][a->alone.warp] : 0;
}

static bool are_of_one_place(const hw_note *a, const hw_note *b) {
    return a == b || (a->file == b->file && a->line == b->line);
}

bool hw_check_blocks_barrier(hw_check_blocks *b, const hw_barrier_step *step, const hw_note *notes,
                             uint32_t *first_note) {
    hw_check_block *block = hw_check_block_of(b, &step->where);
    if (!block) return true;
    block->met_at |= 1u << step->barrier;
    if (step->action == HW_BARRIER_COMPLETE) {
        complete_barrier(b, block, step);
        return true;
    }
    if (step->action == HW_BARRIER_WAIT) {
        read_messages(b, block, step->where.warp, step->mask, key_of(b, block, step->barrier));
        if (block->waiting[step->barrier]) block->waiting[step->barrier][step->where.warp] |= step->mask;
        return true;
    }
    hw_check_arrivals *a = &block->arrivals[step->barrier];
    const bool is_first = !a->threads;
    if (is_first) {
        a->note = step->note;
        a->warp = step->where.warp;
        a->mask = step->mask;
    }
    arrive_at_barrier(b, block, step);
    *first_note = a->note;
    // Warps that do not wait for each other at one place do so by intent where the program numbers its barriers:
    // producers and consumers.
    return is_first || a->has_arrivers || step->barrier != 0 ||
           are_of_one_place(&notes[a->note], &notes[step->note]);
}

// ---- the question ---------------------------------------------------------------------------------------------------

// Does a lane know what another of its warp did at that time, or is it that lane?
static bool lane_has_met(const hw_check_warp *w, int lane, uint32_t time, int other) {
    return other == lane || time < w->met || (w->met_lanes && time < w->met_lanes[lane][other]);
}

static bool lanes_have_met(const hw_check_warp *w, int lane, const hw_check_entry *e, int of) {
    if (e->time < w->met) return true;
    if (!w->met_lanes) return false;
    for (uint32_t left = e->is_many ? e->mask : 1u << of; left; left &= left - 1)
        if (!lane_has_met(w, lane, e->time, __builtin_ctz(left))) return false;
    return true;
}

// Has the lane read a message of what the author did, or all lanes of its warp?
static bool have_all_read_of(hw_check_blocks *b, const hw_check_block *block, const hw_check_warp *w,
                             const hw_check_author *author) {
    return (w->known && hw_check_letters_have(&b->logs, w->known, author)) ||
           (block->known && hw_check_letters_have(&b->logs, block->known, author));
}

static bool has_read_of(hw_check_blocks *b, const hw_check_block *block, const hw_check_warp *w, int lane,
                        const hw_check_author *author) {
    const hw_check_letters *own = w->lanes ? w->lanes[lane].known : NULL;
    return (own && hw_check_letters_have(&b->logs, own, author)) || have_all_read_of(b, block, w, author);
}

// Has it been found before that all lanes of the warp know what that one of their block did until then? They go on
// knowing it.
static bool is_answered(const hw_check_warp *w, uint32_t its_warp, uint32_t time) {
    return w->answers && time < w->answers[its_warp];
}

// Kept beside the logs, which get longer: those who wait for each other at an mbarrier read thousands of messages.
static void keep_answer(const hw_check_blocks *b, hw_check_warp *w, uint32_t its_warp, uint32_t time) {
    if (!w->answers) w->answers = hw_calloc(b->n_warps, sizeof *w->answers);
    if (w->answers && w->answers[its_warp] <= time) w->answers[its_warp] = time + 1;
}

bool hw_check_blocks_are_behind_wait(hw_check_blocks *b, const hw_check_block *block, uint32_t warp, int lane,
                                     uint32_t its_block, uint32_t time) {
    const hw_check_author author = hw_check_author_of_wait(b->n_warps, its_block, time);
    if (its_block == block->number && time < block->barrier_time) return true;
    return has_read_of(b, block, &block->warps[warp], lane, &author);
}

bool hw_check_blocks_order_warps(hw_check_blocks *b, hw_check_block *block, uint32_t warp, const hw_check_entry *e) {
    const hw_check_author author = {.block = e->warp / b->n_warps, .warp = e->warp % b->n_warps, .time = e->time,
                                    .is_many = true};
    const bool is_near = author.block == block->number;
    hw_check_warp *w = &block->warps[warp];
    if (is_near && e->time < block->barrier_time) return true;
    if (is_near && is_answered(w, author.warp, e->time)) return true;
    const bool knows = b->logs.n && have_all_read_of(b, block, w, &author);
    if (knows && is_near) keep_answer(b, w, author.warp, e->time);
    return knows;
}

static bool have_order(hw_check_blocks *b, const hw_check_block *block, uint32_t warp, int lane,
                       const hw_check_entry *e, int of) {
    const uint32_t number = e->warp / b->n_warps, its_warp = e->warp % b->n_warps;
    const hw_check_warp *w = &block->warps[warp];
    const bool is_near = number == block->number;
    if (is_near && e->time < block->barrier_time) return true;
    if (is_near && its_warp == warp) {
        const bool is_alone = !e->is_many || e->mask == 1u << of;
        if ((is_alone && of == lane) || lanes_have_met(w, lane, e, of)) return true;
    }
    hw_check_author author = {.block = number, .warp = its_warp, .time = e->time, .lane = (uint8_t)of,
                              .is_many = e->is_many && e->mask != 1u << of};
    if (has_read_of(b, block, w, lane, &author)) return true;
    if (!author.is_many) return false;
    // Each of the lanes may have said so for itself.
    author.is_many = false;
    for (uint32_t left = e->mask; left; left &= left - 1) {
        author.lane = (uint8_t)__builtin_ctz(left);
        const bool is_own_warp = is_near && its_warp == warp;
        if (is_own_warp && lane_has_met(w, lane, e->time, author.lane)) continue;
        if (!has_read_of(b, block, w, lane, &author)) return false;
    }
    return true;
}

bool hw_check_blocks_know_of(hw_check_blocks *b, const hw_check_block *block, uint32_t warp, int lane,
                             uint32_t its_warp, int its_lane, uint32_t time) {
    const hw_check_entry e = {.warp = block->number * b->n_warps + its_warp, .time = time, .mask = 1u << its_lane};
    return (b->steps_order && its_warp == warp) || have_order(b, block, warp, lane, &e, its_lane);
}

bool hw_check_blocks_order(hw_check_blocks *b, const hw_check_block *block, uint32_t warp, int lane,
                           const hw_check_entry *e, int of) {
    if (have_order(b, block, warp, lane, e, of)) return true;
    const bool is_own_warp = e->warp / b->n_warps == block->number && e->warp % b->n_warps == warp;
    if (!b->steps_order || !is_own_warp) return false;
    return b->by_step = true;
}
