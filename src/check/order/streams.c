#include "check/order/streams.h"

#include <string.h>

#include "base/alloc.h"

// How much of a stream's work is done.
typedef struct part {
    uint32_t stream, done;       // its place in the list, or INNER and one among the inner ones
} part;

static const uint32_t INNER = 1u << 31;

// Of the streams of which something is known, by their places. Not of all: the next launches would copy them all.
typedef struct known {
    part *parts;
    size_t n, capacity;
} known;

typedef struct stream {
    uint64_t name;
    bool is_apart;               // does not wait for the legacy default stream, nor that for it
    bool is_destroyed;           // its name may be given to another
    uint32_t n;                  // work so far
    known known;                 // after the last of it
} stream;

typedef struct event {
    uint64_t name;
    known known;
} event;

typedef struct events {
    event *items;
    size_t n, capacity;
} events;

// A stream of launches within a kernel, or that of all tail launches.
typedef struct inner {
    hw_check_child is;
    uint32_t place;
    known known;                 // after the last of its work, but for what all of its parent come after
} inner;

// Work whose launches are made.
typedef struct parent {
    uint32_t work, first_place;  // its number; that of its inner streams
    known before, all;           // what it came after; with itself, and what it has launched so far
    inner *streams;              // in order
    size_t n_streams, capacity;
    events events;
} parent;

typedef struct work {
    uint32_t stream, index;      // as of a part; from 1 on
} work;

struct hw_check_streams {
    stream *streams;
    events events;
    work *works;                 // number - 1
    size_t n_streams, n_works, stream_capacity, work_capacity;
    known host, last;            // what the host has waited for; what the last work comes after
    parent *parents;             // those that are open
    uint32_t *inner;             // of each stream of theirs, how much work it has
    size_t n_parents, n_inner, parent_capacity, inner_capacity;
    bool ran_out;
};

// The first part, from this one on, of the stream or one behind it.
static size_t find_part(const known *k, size_t from, uint32_t stream) {
    size_t end = k->n;
    while (from < end) {
        const size_t middle = from + (end - from) / 2;
        if (k->parts[middle].stream < stream) from = middle + 1;
        else end = middle;
    }
    return from;
}

static bool has_part(const known *k, size_t at, uint32_t stream) { return at < k->n && k->parts[at].stream == stream; }

static uint32_t done_of(const known *k, uint32_t stream) {
    const size_t at = find_part(k, 0, stream);
    return has_part(k, at, stream) ? k->parts[at].done : 0;
}

// What is lost without memory is an order, so that a finding may be wrong.
static bool make_room(known *k, size_t n) {
    if (n <= k->capacity) return true;
    const size_t wanted = n > k->capacity * 2 ? n : k->capacity * 2;
    part *bigger = hw_realloc_array(k->parts, wanted, sizeof *bigger);
    if (!bigger) return false;
    k->parts = bigger;
    k->capacity = wanted;
    return true;
}

// Puts in what has no part yet, from the back, so that what is before the first of it stays where it is.
static void insert_parts(known *k, const known *other, size_t n_new) {
    size_t left = k->n, to = k->n + n_new, from = other->n;
    k->n = to;
    while (left < to) {
        const part *next = &other->parts[from - 1];
        if (left && k->parts[left - 1].stream == next->stream) from--;
        if (left && k->parts[left - 1].stream >= next->stream) k->parts[--to] = k->parts[--left];
        else k->parts[--to] = other->parts[--from];
    }
}

static void learn_all(hw_check_streams *s, known *k, const known *other) {
    size_t n_new = 0;
    for (size_t i = 0, at = 0; i < other->n; i++) {
        const part *of = &other->parts[i];
        at = find_part(k, at, of->stream);
        if (!has_part(k, at, of->stream)) n_new++;
        else if (k->parts[at].done < of->done) k->parts[at].done = of->done;
    }
    if (n_new && make_room(k, k->n + n_new)) insert_parts(k, other, n_new);
    else s->ran_out |= n_new;
}

static void copy_known(hw_check_streams *s, known *k, const known *other) {
    k->n = 0;
    learn_all(s, k, other);
}

static void learn_work(hw_check_streams *s, known *k, uint32_t stream, uint32_t index) {
    part one = {stream, index};
    learn_all(s, k, &(known){.parts = &one, .n = 1});
}

// A stream is known from its first work or its creation on. NULL: no memory.
static stream *find_stream(hw_check_streams *s, uint64_t name) {
    for (size_t i = 0; i < s->n_streams; i++)
        if (s->streams[i].name == name && !s->streams[i].is_destroyed) return &s->streams[i];
    if (!hw_grow((void **)&s->streams, s->n_streams, &s->stream_capacity, sizeof *s->streams)) return NULL;
    s->streams[s->n_streams] = (stream){.name = name};
    return &s->streams[s->n_streams++];
}

static void free_events(events *all) {
    for (size_t i = 0; i < all->n; i++) hw_free(all->items[i].known.parts);
    hw_free(all->items);
}

// NULL: no memory.
static event *find_event(events *all, uint64_t name) {
    for (size_t i = 0; i < all->n; i++)
        if (all->items[i].name == name) return &all->items[i];
    if (!hw_grow((void **)&all->items, all->n, &all->capacity, sizeof *all->items)) return NULL;
    all->items[all->n] = (event){.name = name};
    return &all->items[all->n++];
}

enum { LEGACY = 0 };

// What the next work of a stream comes after.
static void collect_before(hw_check_streams *s, const stream *of, known *out) {
    copy_known(s, out, &of->known);
    learn_all(s, out, &s->host);
    for (size_t i = 0; i < s->n_streams && !of->is_apart; i++) {
        const stream *other = &s->streams[i];
        if (other->is_apart || other == of) continue;
        if (of->name == LEGACY || other->name == LEGACY) learn_all(s, out, &other->known);
    }
}

uint32_t hw_check_streams_begin(hw_check_streams *s, uint64_t name) {
    stream *of = find_stream(s, name);
    if (!of || !hw_grow((void **)&s->works, s->n_works, &s->work_capacity, sizeof *s->works)) return 0;
    const uint32_t place = (uint32_t)(of - s->streams);
    collect_before(s, of, &s->last);
    of->n++;
    copy_known(s, &of->known, &s->last);
    learn_work(s, &of->known, place, of->n);
    s->works[s->n_works++] = (work){place, of->n};
    return (uint32_t)s->n_works;
}

// Is the last work a child's?
static bool is_last_inner(const hw_check_streams *s) { return s->n_works && s->works[s->n_works - 1].stream >= INNER; }

// Who is outside knows of children what it knows of the launch that has led to them, also while it is open: the host
// asks for other work before that is closed.
static bool knows_work(const hw_check_streams *s, const known *k, uint32_t number, bool is_outside) {
    if (!number || number > s->n_works) return true;
    const work *w = &s->works[number - 1];
    if (is_outside && w->stream >= INNER) w = &s->works[s->parents[0].work - 1];
    return done_of(k, w->stream) >= w->index;
}

bool hw_check_is_before(const hw_check_streams *s, uint32_t work) {
    return knows_work(s, &s->last, work, !is_last_inner(s));
}

bool hw_check_is_all_before(const hw_check_streams *s) {
    if (!s->n_works) return true;
    const uint32_t last = s->works[s->n_works - 1].stream, n_inner = is_last_inner(s) ? (uint32_t)s->n_inner : 0;
    for (uint32_t i = 0; i < s->n_streams; i++)
        if (done_of(&s->last, i) < s->streams[i].n - (i == last ? 1 : 0)) return false;
    for (uint32_t i = 0; i < n_inner; i++)
        if (done_of(&s->last, INNER + i) < s->inner[i] - (INNER + i == last ? 1 : 0)) return false;
    return true;
}

bool hw_check_is_waited_for(const hw_check_streams *s, uint32_t work) { return knows_work(s, &s->host, work, true); }

// Children may be still to come where one is open.
bool hw_check_is_all_waited_for(const hw_check_streams *s) {
    for (uint32_t i = 0; i < s->n_streams; i++)
        if (done_of(&s->host, i) < s->streams[i].n) return false;
    return !s->n_parents;
}

static void wait_for_device(hw_check_streams *s) {
    for (size_t i = 0; i < s->n_streams; i++) learn_all(s, &s->host, &s->streams[i].known);
}

// An event stands for what the stream's next work would come after.
static void record_event(hw_check_streams *s, const stream *of, event *e) { collect_before(s, of, &e->known); }

void hw_check_streams_tell(hw_check_streams *s, const hw_host_event *told) {
    stream *of = find_stream(s, told->stream);
    event *e = told->event ? find_event(&s->events, told->event) : NULL;
    s->ran_out |= !of || (told->event && !e);
    if (!of) return;
    switch (told->action) {
    case HW_HOST_STREAM_CREATE: of->is_apart = told->is_apart; break;
    case HW_HOST_STREAM_DESTROY: of->is_destroyed = of->name != LEGACY; break;
    case HW_HOST_STREAM_SYNCHRONIZE: learn_all(s, &s->host, &of->known); break;
    case HW_HOST_DEVICE_SYNCHRONIZE: wait_for_device(s); break;
    case HW_HOST_STREAM_WAIT: if (e) learn_all(s, &of->known, &e->known); break;
    case HW_HOST_EVENT_RECORD: if (e) record_event(s, of, e); break;
    case HW_HOST_EVENT_SYNCHRONIZE: if (e) learn_all(s, &s->host, &e->known); break;
    case HW_HOST_EVENT_CREATE: case HW_HOST_EVENT_DESTROY:
        if (e) copy_known(s, &e->known, &(known){0});
        break;
    case HW_HOST_FREE: if (!told->memory.is_in_order) wait_for_device(s); break;
    default: break;
    }
}

bool hw_check_streams_ran_out(const hw_check_streams *s) { return s->ran_out; }

hw_check_streams *hw_check_streams_create(void) { return hw_calloc(1, sizeof(hw_check_streams)); }

// ---- launches that kernels make ------------------------------------------------------------------------------------

// A parent's children know of each other in streams of its own. From outside they are one work with it, since who comes
// after it comes after them; so nothing is kept of them when all have been.

bool hw_check_streams_open(hw_check_streams *s) {
    if (!s->n_works || !hw_grow((void **)&s->parents, s->n_parents, &s->parent_capacity, sizeof *s->parents))
        return false;
    parent *p = &s->parents[s->n_parents++];
    const work *w = &s->works[s->n_works - 1];
    *p = (parent){.work = (uint32_t)s->n_works, .first_place = (uint32_t)s->n_inner};
    copy_known(s, &p->before, &s->last);
    copy_known(s, &p->all, &s->last);
    learn_work(s, &p->all, w->stream, w->index);
    return true;
}

void hw_check_streams_go_on(hw_check_streams *s, uint32_t work) {
    for (size_t i = s->n_parents; i-- > 0;)
        if (s->parents[i].work == work) copy_known(s, &s->last, &s->parents[i].before);
}

uint32_t hw_check_streams_newest(const hw_check_streams *s) { return (uint32_t)s->n_works; }

// Of the open ones' streams. False: no memory.
static bool add_inner_stream(hw_check_streams *s, uint32_t *place) {
    if (!hw_grow((void **)&s->inner, s->n_inner, &s->inner_capacity, sizeof *s->inner)) return false;
    *place = (uint32_t)s->n_inner;
    s->inner[s->n_inner++] = 0;
    return true;
}

// 0: one stream.
static int compare_streams(const hw_check_child *a, const hw_check_child *b) {
    if (a->order != b->order) return a->order < b->order ? -1 : 1;
    if (a->order == HW_CHILD_TAIL) return 0;
    if (a->owner != b->owner) return a->owner < b->owner ? -1 : 1;
    return (a->stream > b->stream) - (a->stream < b->stream);
}

// The stream of a child in its parent; NULL: none has its name, or no memory. Blocks' children come in the order of
// blocks, so that a new one mostly is the last.
static inner *inner_of(hw_check_streams *s, parent *p, const hw_check_child *child) {
    if (child->order == HW_CHILD_ALONE) return NULL;
    size_t at = 0, end = p->n_streams;
    while (at < end) {
        const size_t middle = at + (end - at) / 2;
        if (compare_streams(&p->streams[middle].is, child) < 0) at = middle + 1;
        else end = middle;
    }
    if (at < p->n_streams && !compare_streams(&p->streams[at].is, child)) return &p->streams[at];
    uint32_t place;
    if (!hw_grow((void **)&p->streams, p->n_streams, &p->capacity, sizeof *p->streams)) return NULL;
    if (!add_inner_stream(s, &place)) return NULL;
    inner *in = &p->streams[at];
    memmove(in + 1, in, (p->n_streams++ - at) * sizeof *in);
    *in = (inner){.is = *child, .place = place};
    return in;
}

void hw_check_streams_close(hw_check_streams *s) {
    if (!s->n_parents) return;
    parent *p = &s->parents[--s->n_parents];
    for (size_t i = p->work; i < s->n_works; i++)                  // the host's may be among them
        if (s->works[i].stream >= INNER) s->works[i] = s->works[p->work - 1];
    s->n_inner = p->first_place;
    for (size_t i = 0; i < p->n_streams; i++) hw_free(p->streams[i].known.parts);
    hw_free(p->streams);
    free_events(&p->events);
    hw_free(p->before.parts);
    hw_free(p->all.parts);
}

uint32_t hw_check_streams_begin_child(hw_check_streams *s, const hw_check_child *child) {
    if (!s->n_parents || !hw_grow((void **)&s->works, s->n_works, &s->work_capacity, sizeof *s->works)) return 0;
    parent *p = &s->parents[s->n_parents - 1];
    inner *in = inner_of(s, p, child);
    if (!in && child->order != HW_CHILD_ALONE) return 0;
    uint32_t place = in ? in->place : 0;
    if (!in && !add_inner_stream(s, &place)) return 0;
    copy_known(s, &s->last, child->order == HW_CHILD_TAIL ? &p->all : &p->before);
    if (in) learn_all(s, &s->last, &in->known);
    const work w = {INNER + place, ++s->inner[place]};
    if (in) learn_work(s, &in->known, w.stream, w.index);
    learn_all(s, &p->all, &s->last);
    learn_work(s, &p->all, w.stream, w.index);
    s->works[s->n_works++] = w;
    return (uint32_t)s->n_works;
}

bool hw_check_streams_tell_child(hw_check_streams *s, const hw_check_child *of, uint64_t name, bool waits) {
    if (!s->n_parents || of->order != HW_CHILD_IN_STREAM) return true;
    parent *p = &s->parents[s->n_parents - 1];
    inner *in = inner_of(s, p, of);
    event *e = find_event(&p->events, name);
    if (!in || !e) return false;
    if (waits) learn_all(s, &in->known, &e->known);
    else copy_known(s, &e->known, &in->known);
    return true;
}

static size_t bytes_of(const known *k) { return k->capacity * sizeof *k->parts; }

static size_t bytes_of_events(const events *all) {
    size_t bytes = all->capacity * sizeof *all->items;
    for (size_t i = 0; i < all->n; i++) bytes += bytes_of(&all->items[i].known);
    return bytes;
}

size_t hw_check_streams_bytes(const hw_check_streams *s) {
    size_t bytes = sizeof *s + s->stream_capacity * sizeof *s->streams + bytes_of_events(&s->events) +
                   s->work_capacity * sizeof *s->works + s->parent_capacity * sizeof *s->parents +
                   s->inner_capacity * sizeof *s->inner + bytes_of(&s->host) + bytes_of(&s->last);
    for (size_t i = 0; i < s->n_streams; i++) bytes += bytes_of(&s->streams[i].known);
    for (size_t i = 0; i < s->n_parents; i++) {
        const parent *p = &s->parents[i];
        bytes += bytes_of(&p->before) + bytes_of(&p->all) + p->capacity * sizeof *p->streams +
                 bytes_of_events(&p->events);
        for (size_t j = 0; j < p->n_streams; j++) bytes += bytes_of(&p->streams[j].known);
    }
    return bytes;
}

void hw_check_streams_destroy(hw_check_streams *s) {
    if (!s) return;
    while (s->n_parents) hw_check_streams_close(s);
    hw_free(s->parents);
    hw_free(s->inner);
    for (size_t i = 0; i < s->n_streams; i++) hw_free(s->streams[i].known.parts);
    free_events(&s->events);
    hw_free(s->streams);
    hw_free(s->works);
    hw_free(s->host.parts);
    hw_free(s->last.parts);
    hw_free(s);
}
