#include "check/aside.h"

#include <string.h>

#include "base/alloc.h"

// What hw_check has of the running launch.
#define EACH_PART(DO)                                                                                     \
    DO(work) DO(may_launch) DO(launch) DO(floor) DO(notes) DO(n_notes) DO(n_runs) DO(memory) DO(homes)    \
    DO(shared_bytes) DO(runs) DO(blocks) DO(intervals)

#define ROOM(part) __typeof__(((hw_check *)0)->part) part;
#define PUT(part) a->part = c->part;
#define TAKE(part) c->part = a->part;

typedef struct hw_check_aside {
    struct hw_check_aside *outer;
    bool reads_may_meet;
    EACH_PART(ROOM)
} hw_check_aside;

bool hw_check_put_aside(hw_check *c) {
    hw_check_aside *a = hw_malloc(sizeof *a);
    if (!a || !hw_check_children_put_aside(&c->children, &c->blocks, c->streams, c->launch, c->work)) {
        hw_free(a);
        return false;
    }
    a->outer = c->aside;
    a->reads_may_meet = c->reads.may_meet;
    EACH_PART(PUT)
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
    c->reads.may_meet |= a->reads_may_meet;    // what the nested launch has met stays so
    EACH_PART(TAKE)
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
