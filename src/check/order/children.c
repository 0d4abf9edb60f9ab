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

static hw_check_parent *record_of(const hw_check_children *c, uint64_t launch) {
    for (size_t i = c->n_parents; i-- > 0;)
        if (c->parents[i].launch == launch) return &c->parents[i];
    return NULL;
}

// Among the first n.
static hw_check_parent *record_of_work(const hw_check_children *c, size_t n, uint32_t work) {
    for (size_t i = n; i-- > 0;)
        if (c->parents[i].work == work) return &c->parents[i];
    return NULL;
}

static hw_check_child stream_of(const hw_check_blocks *blocks, const hw_check_block *block, const hw_child_step *step) {
    hw_check_child child = {.order = step->order, .stream = step->stream};
    const bool is_blocks = step->stream == HW_CHILD_BLOCKS_STREAM, is_threads = step->stream == HW_CHILD_THREADS_STREAM;
    if (is_blocks) child.owner = block->number;
    if (is_threads)
        child.owner = ((uint64_t)block->number * blocks->n_warps + step->where.warp) * HW_WARP_LANES + step->lane;
    return child;
}

static bool add_mark(hw_check_children *c, const hw_check_blocks *blocks, hw_check_block *block,
                     const hw_child_step *step) {
    hw_check_marks *m = &c->marks;
    if (!hw_grow((void **)&m->items, m->n, &m->capacity, sizeof *m->items)) return false;
    hw_check_mark *mark = &m->items[m->n++];
    *mark = (hw_check_mark){.block = block->number, .number = c->next, .place = (uint32_t)m->n,
                            .before = block->last_mark, .waits = step->action == HW_CHILD_WAITS, .event = step->event,
                            .of = stream_of(blocks, block, step)};
    block->last_mark = mark->place;
    return true;
}

// Numbers are in the order in which kernels have asked for room for parameters, mostly that of launches: a birth passes
// no more others than there are lanes at once that have asked, and not launched yet.
static bool add_birth(hw_check_children *c, const hw_check_birth *birth) {
    if (!hw_grow((void **)&c->births, c->n_births, &c->capacity, sizeof *c->births)) return false;
    size_t at = c->n_births++;
    for (; at > 0 && c->births[at - 1].number > birth->number; at--) c->births[at] = c->births[at - 1];
    c->births[at] = *birth;
    if (c->next <= birth->number) c->next = birth->number + 1;
    return true;
}

// Who does not know of a launch knows of none that its lane has made since.
static bool knows_of(hw_check_blocks *blocks, const hw_check_block *block, const hw_child_step *step,
                     const hw_check_awaited *a, const hw_check_awaited *unknown) {
    if (unknown && unknown->warp == a->warp && unknown->lane == a->lane && unknown->launched <= a->launched)
        return false;
    return hw_check_blocks_know_of(blocks, block, step->where.warp, step->lane, a->warp, a->lane, a->launched);
}

// Where it knows of no launch that nobody had waited for, the lane comes after what others have waited for.
static void add_wait(hw_check_children *c, hw_check_blocks *blocks, uint32_t work, hw_check_block *block,
                     const hw_child_step *step) {
    hw_check_parent *p = record_of_work(c, c->n_parents, work);
    const hw_check_awaited *unknown = NULL;
    bool is_first = false;
    for (size_t i = p ? p->first_unwaited : 0; p && i < p->n_awaited; i++) {
        hw_check_awaited *a = &p->awaited[i];
        if (a->time || a->block != block->number) continue;
        if (!knows_of(blocks, block, step, a, unknown)) {
            unknown = a;
            continue;
        }
        a->time = block->time;
        is_first = true;
    }
    while (p && p->first_unwaited < p->n_awaited && p->awaited[p->first_unwaited].time) p->first_unwaited++;
    hw_check_blocks_wait_for_children(blocks, block, step->where.warp, step->lane, is_first);
}

static bool add_launch(hw_check_children *c, hw_check_blocks *blocks, hw_check_block *block,
                       const hw_child_step *step) {
    const uint32_t time = block->time, warp = step->where.warp;
    const hw_check_letters *known = hw_check_blocks_launch(blocks, block, warp, step->lane, step->number);
    return known && add_birth(c, &(hw_check_birth){.number = step->number, .block = block->number, .warp = warp,
                                                   .time = time, .lane = step->lane, .last_mark = block->last_mark,
                                                   .as = stream_of(blocks, block, step), .known = known});
}

bool hw_check_children_add(hw_check_children *c, hw_check_blocks *blocks, uint32_t work, const hw_child_step *step) {
    hw_check_block *block = hw_check_block_of(blocks, &step->where);
    if (!block) return false;
    c->marks.are_by_number |= step->is_behind_later_block;
    if (step->action == HW_CHILD_LAUNCHES) return add_launch(c, blocks, block, step);
    if (step->action != HW_CHILD_SYNCHRONIZES) return add_mark(c, blocks, block, step);
    add_wait(c, blocks, work, block, step);
    return true;
}

static int by_place(const void *left, const void *right) {
    const hw_check_mark *a = left, *b = right;
    if (a->block != b->block) return a->block < b->block ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

static int by_number(const void *left, const void *right) {
    const uint32_t a = ((const hw_check_birth *)left)->number, b = ((const hw_check_birth *)right)->number;
    return (a > b) - (a < b);
}

static const hw_check_birth *birth_of(const hw_check_parent *p, uint32_t number) {
    const hw_check_birth key = {.number = number};
    return p->n_births ? bsearch(&key, p->births, p->n_births, sizeof key, by_number) : NULL;
}

static void close_last(hw_check_children *c, hw_check_streams *streams) {
    hw_check_parent *p = &c->parents[--c->n_parents];
    if (c->n_above > c->n_parents) c->n_above = c->n_parents;
    hw_arena_destroy(p->arena);
    hw_free(p->births);
    hw_free(p->marks.items);
    hw_free(p->awaited);
    c->n_awaited -= p->n_awaited;
    hw_check_streams_close(streams);
}

// The last launch of all is one that has children; NULL: no memory.
static hw_check_parent *open_record(hw_check_children *c, const hw_check_blocks *blocks, hw_check_streams *streams,
                                    uint64_t launch, uint32_t work) {
    if (!hw_grow((void **)&c->parents, c->n_parents, &c->parent_capacity, sizeof *c->parents)) return NULL;
    if (!hw_check_streams_open(streams)) return NULL;
    hw_check_parent *p = &c->parents[c->n_parents++];
    *p = (hw_check_parent){.launch = launch, .work = work, .n_warps = blocks->n_warps};
    return p;
}

// What the running launch has launched and told becomes its record's.
static void keep_births(hw_check_children *c, hw_check_blocks *blocks, hw_check_parent *p) {
    p->births = c->births;
    p->n_births = c->n_births;
    p->birth_capacity = c->capacity;
    p->marks = c->marks;
    p->next = c->next;
    hw_check_blocks_keep_messages(blocks, &p->arena, &p->logs);
    c->births = NULL;
    c->marks.items = NULL;
    forget_births(c);
}

// Those that have not been told; where they are in the order of numbers, they have been made in it.
static void put_in_order(hw_check_marks *m) {
    size_t kept = 0;
    for (size_t i = 0; i < m->n; i++)
        if (!m->items[i].is_told) m->items[kept++] = m->items[i];
    m->n = kept;
    if (kept && !m->are_by_number) qsort(m->items, kept, sizeof *m->items, by_place);
}

bool hw_check_children_end(hw_check_children *c, hw_check_blocks *blocks, hw_check_streams *streams, uint64_t launch,
                           uint32_t work) {
    c->n_above = 0;
    hw_check_parent *p = record_of(c, launch);
    if (p) hw_check_children_close(c, streams, launch);
    else if (c->n_births) p = open_record(c, blocks, streams, launch, work);
    if (!p) {
        const bool good = !c->n_births;
        forget_births(c);
        return good;
    }
    keep_births(c, blocks, p);
    put_in_order(&p->marks);
    p->has_ended = true;
    return true;
}

bool hw_check_children_put_aside(hw_check_children *c, hw_check_blocks *blocks, hw_check_streams *streams,
                                 uint64_t launch, uint32_t work) {
    hw_check_parent *p = record_of(c, launch);
    if (!p) p = open_record(c, blocks, streams, launch, work);
    if (!p) return false;
    keep_births(c, blocks, p);
    p->child = birth_of(p, p->last_child);    // what comes of that one may be still to come
    return true;
}

void hw_check_children_take_back(hw_check_children *c, hw_check_blocks *blocks, hw_check_streams *streams,
                                 uint64_t launch) {
    hw_check_parent *p = record_of(c, launch);
    forget_births(c);
    c->births = p->births;
    c->n_births = p->n_births;
    c->capacity = p->birth_capacity;
    c->marks = p->marks;
    c->next = p->next;
    c->n_above = (size_t)(p - c->parents);
    p->child = NULL;
    p->births = NULL;
    p->marks.items = NULL;
    p->n_births = 0;
    hw_check_blocks_have_messages(blocks, &p->arena, &p->logs);
    if (p->n_awaited) p->awaited[p->n_awaited - 1].last = hw_check_streams_newest(streams);
    hw_check_streams_go_on(streams, p->work);
}

void hw_check_children_close(hw_check_children *c, hw_check_streams *streams, uint64_t launch) {
    while (c->n_parents && (!launch || c->parents[c->n_parents - 1].launch != launch)) close_last(c, streams);
}

// What the block of this child, which waits, has done with events before it.
static bool tell_marks_of_block(hw_check_marks *m, hw_check_streams *streams, const hw_check_birth *child) {
    bool good = true;
    uint32_t next = 0;
    for (uint32_t at = child->last_mark; at && !m->items[at - 1].is_told; at = m->items[at - 1].before) {
        if (m->items[at - 1].number > child->number) continue;
        m->items[at - 1].next = next;
        next = at;
    }
    for (; good && next; next = m->items[next - 1].next) {
        hw_check_mark *mark = &m->items[next - 1];
        good = hw_check_streams_tell_child(streams, &mark->of, mark->event, mark->waits);
        mark->is_told = true;
    }
    return good;
}

// What is done with events before this child is launched.
static bool tell_marks(hw_check_marks *m, hw_check_streams *streams, const hw_check_birth *child) {
    bool good = true;
    while (good && m->n_told < m->n) {
        const hw_check_mark *mark = &m->items[m->n_told];
        const bool is_of_same = m->are_by_number || mark->block == child->block;
        if (is_of_same ? mark->number > child->number : mark->block > child->block) break;
        good = hw_check_streams_tell_child(streams, &mark->of, mark->event, mark->waits);
        m->n_told++;
    }
    return good;
}

// Until its block goes on, nobody asks about it.
static void add_awaited(hw_check_children *c, hw_check_parent *p, const hw_check_birth *birth, uint32_t work) {
    if (p->n_awaited) p->awaited[p->n_awaited - 1].last = work - 1;
    p->awaited[p->n_awaited++] = (hw_check_awaited){.first = work, .last = work, .block = birth->block,
                                                    .warp = birth->warp, .launched = birth->time,
                                                    .lane = birth->lane};
    c->n_awaited++;
}

uint32_t hw_check_children_begin(hw_check_children *c, hw_check_streams *streams, uint64_t parent, uint32_t child) {
    hw_check_parent *p = record_of(c, parent);
    c->n_above = 0;
    if (p) hw_check_children_close(c, streams, parent);
    const hw_check_birth *birth = p ? birth_of(p, child) : NULL;
    if (!birth) return 0;
    p->child = birth;
    p->last_child = child;
    const bool is_tail = birth->as.order == HW_CHILD_TAIL;
    if (!is_tail && !(p->has_ended ? tell_marks : tell_marks_of_block)(&p->marks, streams, birth)) return 0;
    const bool is_awaited = !p->has_ended;
    if (is_awaited && !hw_grow((void **)&p->awaited, p->n_awaited, &p->awaited_capacity, sizeof *p->awaited)) return 0;
    const uint32_t work = hw_check_streams_begin_child(streams, &birth->as);
    if (work && is_awaited) add_awaited(c, p, birth, work);
    c->n_above = work ? c->n_parents : 0;
    return work;
}

void hw_check_children_free(hw_check_children *c, hw_check_streams *streams) {
    hw_check_children_close(c, streams, 0);
    forget_births(c);
    hw_free(c->parents);
    *c = (hw_check_children){.births = NULL};
}

const hw_check_parent *hw_check_children_parent(const hw_check_children *c, uint32_t work) {
    return record_of_work(c, c->n_above, work);
}

static const hw_check_awaited *awaited_among(const hw_check_parent *p, uint32_t work) {
    size_t at = 0, end = p->n_awaited;
    while (at < end) {
        const size_t middle = at + (end - at) / 2;
        if (p->awaited[middle].last < work) at = middle + 1;
        else end = middle;
    }
    return at < p->n_awaited && p->awaited[at].first <= work ? &p->awaited[at] : NULL;
}

const hw_check_awaited *hw_check_children_awaited(const hw_check_children *c, uint32_t waiter, uint32_t work) {
    const hw_check_parent *p = c->n_awaited ? record_of_work(c, c->n_parents, waiter) : NULL;
    return p ? awaited_among(p, work) : NULL;
}

bool hw_check_children_are_by_thread(const hw_check_children *c, uint32_t work) {
    for (size_t i = 0; i < c->n_parents; i++)
        if (c->parents[i].work == work || awaited_among(&c->parents[i], work)) return true;
    return false;
}

static bool knows_access(hw_check_parent *p, const hw_check_entry *e, int of) {
    hw_check_author author = {.block = e->warp / p->n_warps, .warp = e->warp % p->n_warps, .time = e->time,
                              .lane = (uint8_t)of, .is_many = e->is_many && e->mask != 1u << of};
    if (hw_check_letters_have(&p->logs, p->child->known, &author)) return true;
    if (!author.is_many) return false;
    author.is_many = false;
    for (uint32_t left = e->mask; left; left &= left - 1) {
        author.lane = (uint8_t)__builtin_ctz(left);
        if (!hw_check_letters_have(&p->logs, p->child->known, &author)) return false;
    }
    return true;
}

bool hw_check_children_know(hw_check_children *c, const hw_check_entry *e, int of) {
    for (size_t i = c->n_above; i-- > 0;) {
        hw_check_parent *p = &c->parents[i];
        if (p->work == e->work) return knows_access(p, e, of);
        const hw_check_awaited *a = awaited_among(p, e->work);
        if (!a || !a->time) continue;
        const hw_check_author author = hw_check_author_of_wait(p->n_warps, a->block, a->time);
        return hw_check_letters_have(&p->logs, p->child->known, &author);
    }
    return false;
}
