#include "check/order/children.h"

#include <stdlib.h>

#include "base/alloc.h"

static void forget_births(hw_check_children *c) {
    hw_free(c->births);
    hw_free(c->marks.items);
    c->births = NULL;
    c->n_births = c->capacity = 0;
    c->marks = (hw_check_marks){.items = NULL};
    c->next = 0;
}

static hw_check_child stream_of(const hw_check_blocks *blocks, const hw_check_block *block, const hw_child_step *step) {
    hw_check_child child = {.order = step->order, .stream = step->stream};
    const bool is_blocks = step->stream == HW_CHILD_BLOCKS_STREAM, is_threads = step->stream == HW_CHILD_THREADS_STREAM;
    if (is_blocks) child.owner = block->number;
    if (is_threads)
        child.owner = ((uint64_t)block->number * blocks->n_warps + step->where.warp) * HW_WARP_LANES + step->lane;
    return child;
}

static bool add_mark(hw_check_children *c, const hw_check_blocks *blocks, const hw_check_block *block,
                     const hw_child_step *step) {
    hw_check_marks *m = &c->marks;
    if (!hw_grow((void **)&m->items, m->n, &m->capacity, sizeof *m->items)) return false;
    m->items[m->n] = (hw_check_mark){.block = block->number, .number = c->next, .index = (uint32_t)m->n,
                                     .waits = step->action == HW_CHILD_WAITS, .event = step->event,
                                     .of = stream_of(blocks, block, step)};
    m->n++;
    return true;
}

bool hw_check_children_add(hw_check_children *c, hw_check_blocks *blocks, const hw_child_step *step) {
    hw_check_block *block = hw_check_block_of(blocks, &step->where);
    if (!block) return false;
    if (step->action != HW_CHILD_LAUNCHES) return add_mark(c, blocks, block, step);
    if (!hw_grow((void **)&c->births, c->n_births, &c->capacity, sizeof *c->births)) return false;
    const hw_check_letters *known = hw_check_blocks_launch(blocks, block, step->where.warp, step->lane, step->number);
    if (!known) return false;
    c->births[c->n_births++] = (hw_check_birth){.number = step->number, .block = block->number,
                                                .as = stream_of(blocks, block, step), .known = known};
    if (c->next <= step->number) c->next = step->number + 1;
    return true;
}

static int by_number(const void *left, const void *right) {
    const uint32_t a = ((const hw_check_birth *)left)->number, b = ((const hw_check_birth *)right)->number;
    return (a > b) - (a < b);
}

static int by_place(const void *left, const void *right) {
    const hw_check_mark *a = left, *b = right;
    if (a->block != b->block) return a->block < b->block ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static void close_last(hw_check_children *c) {
    hw_check_parent *p = &c->parents[--c->n_parents];
    hw_arena_destroy(p->arena);
    hw_free(p->births);
    hw_free(p->marks.items);
}

// Births are in the order of launches, numbers in that in which kernels have asked for room for parameters.
bool hw_check_children_end(hw_check_children *c, hw_check_blocks *blocks, hw_check_streams *streams, uint64_t launch,
                           uint32_t work) {
    c->are_running = false;
    if (!c->n_births || !hw_grow((void **)&c->parents, c->n_parents, &c->parent_capacity, sizeof *c->parents)) {
        const bool good = !c->n_births;
        forget_births(c);
        return good;
    }
    hw_check_parent *p = &c->parents[c->n_parents++];
    *p = (hw_check_parent){.launch = launch, .work = work, .n_warps = blocks->n_warps, .births = c->births,
                           .n_births = c->n_births, .marks = c->marks};
    qsort(p->births, p->n_births, sizeof *p->births, by_number);
    if (p->marks.n) qsort(p->marks.items, p->marks.n, sizeof *p->marks.items, by_place);
    hw_check_blocks_keep_messages(blocks, &p->arena, &p->logs);
    c->births = NULL;
    c->marks.items = NULL;
    forget_births(c);
    if (hw_check_streams_open(streams)) return true;
    close_last(c);
    return false;
}

void hw_check_children_close(hw_check_children *c, hw_check_streams *streams, uint64_t launch) {
    while (c->n_parents && (!launch || c->parents[c->n_parents - 1].launch != launch)) {
        close_last(c);
        hw_check_streams_close(streams);
    }
}

// What is done with events before this child is launched.
static bool tell_marks(hw_check_marks *m, hw_check_streams *streams, const hw_check_birth *child) {
    bool good = true;
    while (good && m->n_told < m->n) {
        const hw_check_mark *mark = &m->items[m->n_told];
        if (mark->block > child->block || (mark->block == child->block && mark->number > child->number)) break;
        good = hw_check_streams_tell_child(streams, &mark->of, mark->event, mark->waits);
        m->n_told++;
    }
    return good;
}

uint32_t hw_check_children_begin(hw_check_children *c, hw_check_streams *streams, uint64_t parent, uint32_t child) {
    hw_check_children_close(c, streams, parent);
    hw_check_parent *p = c->n_parents ? &c->parents[c->n_parents - 1] : NULL;
    const hw_check_birth key = {.number = child};
    const hw_check_birth *birth = p ? bsearch(&key, p->births, p->n_births, sizeof key, by_number) : NULL;
    if (!birth) return 0;
    p->child = birth;
    if (birth->as.order != HW_CHILD_TAIL && !tell_marks(&p->marks, streams, birth)) return 0;
    const uint32_t work = hw_check_streams_begin_child(streams, &birth->as);
    c->are_running = work != 0;
    return work;
}

void hw_check_children_free(hw_check_children *c, hw_check_streams *streams) {
    hw_check_children_close(c, streams, 0);
    forget_births(c);
    hw_free(c->parents);
    *c = (hw_check_children){.births = NULL};
}

const hw_check_parent *hw_check_children_parent(const hw_check_children *c, uint32_t work) {
    for (size_t i = 0; c->are_running && i < c->n_parents; i++)
        if (c->parents[i].work == work) return &c->parents[i];
    return NULL;
}

bool hw_check_children_know(hw_check_children *c, const hw_check_entry *e, int of) {
    hw_check_parent *p = (hw_check_parent *)hw_check_children_parent(c, e->work);
    if (!p) return false;
    hw_check_author author = {.block = e->warp / p->n_warps, .warp = e->warp % p->n_warps, .time = e->time,
                              .lane = (uint8_t)of, .is_many = e->is_many && e->mask != 1u << of,
                              .reader = p->child->block};
    if (hw_check_letters_have(&p->logs, p->child->known, &author)) return true;
    if (!author.is_many) return false;
    author.is_many = false;
    for (uint32_t left = e->mask; left; left &= left - 1) {
        author.lane = (uint8_t)__builtin_ctz(left);
        if (!hw_check_letters_have(&p->logs, p->child->known, &author)) return false;
    }
    return true;
}
