// Which allocations a launch touches as global memory or by textures: it can have moved no more bytes than they have.
#include "prof/internal.h"

static void add_extent(hw_prof_extents *extents, const hw_touched *touched) {
    if (extents->n > HW_PROF_EXTENTS) return;
    for (uint32_t i = 0; i < extents->n; i++) {
        if (extents->list[i].address != touched->address) continue;
        extents->list[i].ways |= touched->ways;
        return;
    }
    if (extents->n < HW_PROF_EXTENTS) extents->list[extents->n] = *touched;
    extents->n++;
}

void hw_prof_touched(hw_sink *sink, uint32_t worker, const hw_touched *touched) {
    hw_prof *prof = (hw_prof *)sink;
    hw_prof_worker *w = hw_prof_worker_of(prof, worker);
    if (w && touched->ways & ~HW_TOUCHED_CONSTANT) add_extent(&w->touched, touched);
}

// Those of all workers, each once; n above HW_PROF_EXTENTS: too many.
static void join_extents(const hw_prof *prof, hw_prof_extents *all) {
    all->n = 0;
    for (uint32_t k = 0; k < prof->n_workers; k++) {
        const hw_prof_extents *of = &prof->workers[k].touched;
        if (of->n > HW_PROF_EXTENTS) all->n = of->n;
        for (uint32_t i = 0; i < of->n && i < HW_PROF_EXTENTS; i++) add_extent(all, &of->list[i]);
    }
}

uint64_t hw_prof_touched_bytes(const hw_prof *prof, uint8_t ways) {
    hw_prof_extents all;
    uint64_t bytes = 0;
    join_extents(prof, &all);
    for (uint32_t i = 0; all.n <= HW_PROF_EXTENTS && i < all.n; i++)
        if (all.list[i].ways & ways) bytes += all.list[i].bytes;
    return bytes;
}

uint64_t hw_prof_hosts_bytes(const hw_prof *prof, uint8_t way) {
    hw_prof_extents all;
    uint64_t bytes = 0;
    join_extents(prof, &all);
    for (uint32_t i = 0; all.n <= HW_PROF_EXTENTS && i < all.n; i++)
        if (all.list[i].is_hosts && all.list[i].ways & way) bytes += all.list[i].bytes;
    return bytes;
}
