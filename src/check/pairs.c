#include "check/pairs.h"

#include "isa/order.h"

enum { LANES = HW_WARP_LANES };

typedef hw_check_present present;

// Atomics and other strong accesses of threads that their scopes include may meet: the hardware puts them in order.
static bool are_both_strong(const hw_check_entry *a, const hw_check_entry *b, bool is_near) {
    const uint8_t least = is_near ? HW_SCOPE_CTA : HW_SCOPE_CLUSTER;
    return a->scope >= least && b->scope >= least;
}

static bool may_be_one_lane(const hw_check_entry *a, const hw_check_entry *b, uint32_t cell_bytes) {
    return a->width_bytes == b->width_bytes || (a->width_bytes >= cell_bytes && b->width_bytes >= cell_bytes);
}

uint32_t hw_check_lanes_of_cell(const hw_check_entry *e, int first, uint32_t cell_bytes) {
    if (e->is_many) return e->mask;
    const uint32_t n = cell_bytes / e->width_bytes;
    return (n >= LANES ? 0xffffffffu : n > 1 ? (1u << n) - 1 : 1u) << first & e->mask;
}

// Did a kernel do it that has launched what runs now, before that? Each lane that may have been there.
static bool is_before_launch(const present *now, const hw_check_entry *e, int of, uint32_t cell_bytes) {
    hw_check_entry all = *e;
    all.mask = hw_check_lanes_of_cell(e, of, cell_bytes);
    all.is_many = true;
    return hw_check_children_know(&now->check->children, &all, of);
}

bool hw_check_depends_on_lanes(const present *now) {
    return now->check->blocks.logs.n || now->block->warps[now->warp].met_lanes;
}

// Is it a child's that the running launch has waited for? Each lane that takes part.
static bool is_behind_wait(const present *now, const hw_check_entry *e, int lane, uint32_t cell_bytes) {
    hw_check *c = now->check;
    const hw_check_awaited *awaited = hw_check_children_awaited(&c->children, now->entry.work, e->work);
    bool is_behind = awaited && awaited->time && now->block;
    for (uint32_t left = is_behind ? hw_check_lanes_of_cell(&now->entry, lane, cell_bytes) : 0; left && is_behind;
         left &= left - 1)
        is_behind = hw_check_blocks_are_behind_wait(&c->blocks, now->block, now->warp, __builtin_ctz(left),
                                                    awaited->block, awaited->time);
    return is_behind;
}

bool hw_check_is_ordered(const present *now, const hw_check_entry *e, int of, int lane, uint32_t cell_bytes) {
    hw_check *c = now->check;
    if (hw_check_is_behind_barrier(now, e)) return true;
    if (e->work != now->entry.work)
        return hw_check_is_before(c->streams, e->work) || is_before_launch(now, e, of, cell_bytes) ||
               is_behind_wait(now, e, lane, cell_bytes);
    if (e->is_host || !now->block || e->is_pending) return false;
    if (e->warp != now->entry.warp && hw_check_blocks_order_warps(&c->blocks, now->block, now->warp, e)) return true;
    // Each lane that takes part has to come after it, and after all lanes that it may have been.
    hw_check_entry all = *e;
    if (!e->is_many && !may_be_one_lane(e, &now->entry, cell_bytes)) {
        all.mask = hw_check_lanes_of_cell(e, of, cell_bytes);
        all.is_many = true;
    }
    const bool are_all = now->entry.is_many || hw_check_depends_on_lanes(now);
    const uint32_t lanes = are_all ? hw_check_lanes_of_cell(&now->entry, lane, cell_bytes) : 1u << lane;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int by = __builtin_ctz(left), its = all.is_many || now->entry.is_many ? of : of + by - lane;
        if (!hw_check_blocks_order(&c->blocks, now->block, now->warp, by, &all, its)) return false;
    }
    return true;
}

// PTX ISA, "Proxies": ordinary writes are seen by copies of rows behind a fence.proxy.async, by whichever thread.
static bool lacks_proxy_fence(const present *now, const hw_check_entry *e) {
    return now->is_of_row && hw_check_is_of_block(now, e) && e->time >= now->block->proxied && !e->is_host &&
           (e->act == HW_CHECK_WRITES || e->act == HW_CHECK_CHANGES);
}

bool hw_check_is_race(const present *now, hw_check_ref ref, int lane, uint32_t cell_bytes) {
    const hw_check_entry author = hw_check_entry_of(&now->check->entries, ref), *e = &author;
    uint8_t *of_row = &now->check->blocks.of_row;
    *of_row = HW_CHECK_MISSING_NONE;
    if (!hw_check_is_write(e->act) && !hw_check_is_write(now->entry.act)) return false;
    if (are_both_strong(e, &now->entry, hw_check_is_of_block(now, e))) return false;
    if (now->comes_before) *of_row = HW_CHECK_MISSING_ROW;
    else if (hw_check_is_ordered(now, e, (int)hw_check_lane_of(ref), lane, cell_bytes))
        *of_row = lacks_proxy_fence(now, e) ? HW_CHECK_MISSING_PROXY : HW_CHECK_MISSING_NONE;
    else return true;
    return *of_row != HW_CHECK_MISSING_NONE;
}

bool hw_check_holds_for_lanes(const present *now, const hw_check_entry *e) {
    if (e->work != now->entry.work) return !hw_check_children_are_by_thread(&now->check->children, e->work);
    if (!now->block || hw_check_is_behind_barrier(now, e)) return true;
    if (e->warp == now->entry.warp) return e->time < now->block->warps[now->warp].met;
    if (!hw_check_is_write(e->act) && !hw_check_is_write(now->entry.act)) return true;
    return hw_check_blocks_order_warps(&now->check->blocks, now->block, now->warp, e);
}

bool hw_check_is_of_same_lanes(const present *now, const hw_check_entry *e) {
    return e->work == now->entry.work && e->warp == now->entry.warp && !e->is_host && !e->is_pending && !e->is_many &&
           !now->entry.is_many && e->width_bytes == now->entry.width_bytes;
}
