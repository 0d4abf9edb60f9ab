// Which allocations a launch touches as global memory: it can have moved no more bytes than they have.
#include "prof/internal.h"

static void add_extent(hw_prof_extents *extents, uint64_t address, uint64_t bytes) {
    if (extents->n > HW_PROF_EXTENTS) return;
    for (uint32_t i = 0; i < extents->n; i++)
        if (extents->list[i].address == address) return;
    if (extents->n < HW_PROF_EXTENTS) {
        extents->list[extents->n].address = address;
        extents->list[extents->n].bytes = bytes;
    }
    extents->n++;
}

void hw_prof_touched(hw_sink *sink, uint32_t worker, const hw_touched *touched) {
    hw_prof *prof = (hw_prof *)sink;
    if (worker >= prof->n_workers || !(touched->ways & (HW_TOUCHED_READ | HW_TOUCHED_WRITTEN))) return;
    add_extent(&prof->workers[worker].touched, touched->address, touched->bytes);
}

uint64_t hw_prof_touched_bytes(const hw_prof *prof) {
    hw_prof_extents all = {.n = 0};
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < prof->n_workers; k++) {
        const hw_prof_extents *of = &prof->workers[k].touched;
        if (of->n > HW_PROF_EXTENTS) return 0;
        for (uint32_t i = 0; i < of->n; i++) add_extent(&all, of->list[i].address, of->list[i].bytes);
    }
    if (all.n > HW_PROF_EXTENTS) return 0;
    for (uint32_t i = 0; i < all.n; i++) bytes += all.list[i].bytes;
    return bytes;
}
