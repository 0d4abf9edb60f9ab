#include "check/aside.h"

#include <string.h>

#include "base/alloc.h"

// What hw_check has of the running launch.
typedef struct hw_check_aside {
    struct hw_check_aside *outer;
    uint32_t work, n_notes, n_runs, shared_bytes;
    bool may_launch, reads_may_meet;
    uint64_t launch;
    hw_check_ref floor;
    const hw_note *notes;
    const hw_mem *memory;
    const hw_homes *homes;
    hw_check_runs **runs;
    hw_check_blocks blocks;
    hw_check_intervals intervals;
} hw_check_aside;

bool hw_check_put_aside(hw_check *c) {
    hw_check_aside *a = hw_malloc(sizeof *a);
    if (!a || !hw_check_children_put_aside(&c->children, &c->blocks, c->streams, c->launch, c->work)) {
        hw_free(a);
        return false;
    }
    *a = (hw_check_aside){.outer = c->aside, .work = c->work, .n_notes = c->n_notes, .n_runs = c->n_runs,
                          .shared_bytes = c->shared_bytes, .may_launch = c->may_launch,
                          .reads_may_meet = c->reads.may_meet, .launch = c->launch, .floor = c->floor,
                          .notes = c->notes, .memory = c->memory, .homes = c->homes, .runs = c->runs,
                          .blocks = c->blocks, .intervals = c->intervals};
    c->aside = a;
    c->runs = NULL;
    c->n_runs = c->n_notes = 0;
    memset(&c->blocks, 0, sizeof c->blocks);
    memset(&c->intervals, 0, sizeof c->intervals);
    return true;
}

void hw_check_take_back(hw_check *c) {
    hw_check_aside *a = c->aside;
    c->aside = a->outer;
    c->work = a->work;
    c->n_notes = a->n_notes;
    c->n_runs = a->n_runs;
    c->shared_bytes = a->shared_bytes;
    c->may_launch = a->may_launch;
    c->reads.may_meet |= a->reads_may_meet;
    c->launch = a->launch;
    c->floor = a->floor;
    c->notes = a->notes;
    c->memory = a->memory;
    c->homes = a->homes;
    c->runs = a->runs;
    c->blocks = a->blocks;
    c->intervals = a->intervals;
    hw_free(a);
    hw_check_children_take_back(&c->children, &c->blocks, c->streams, c->launch);
}

void hw_check_asides_mark(hw_check *c) {
    for (hw_check_aside *a = c->aside; a; a = a->outer) hw_check_blocks_mark(&a->blocks, &c->entries);
}

void hw_check_asides_move(hw_check *c) {
    for (hw_check_aside *a = c->aside; a; a = a->outer) {
        hw_check_blocks_move(&a->blocks, &c->entries);
        if (a->floor > 1) a->floor = hw_check_entries_moved(&c->entries, a->floor);
    }
}
