// Calls that the GPU refuses, and errors that nobody asks for.
#include "check/host.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "check/internal.h"

void hw_check_host_free(hw_check_host *host) {
    hw_free(host->allocations);
    hw_free(host->objects);
    hw_free(host->threads);
    hw_free(host->copies);
}

void hw_check_host_forget(hw_check_host *host) {
    host->n_allocations = host->n_objects = host->n_copies = 0;
    atomic_store(&host->n_comparable, 0);
}

// ---- threads --------------------------------------------------------------------------------------------------------

uint64_t hw_check_host_this_thread(void) {
    static atomic_uint_fast64_t threads;
    static _Thread_local uint64_t number;
    if (!number) number = atomic_fetch_add(&threads, 1) + 1;
    return number;
}

// NULL: no memory.
static hw_check_thread *find_thread(hw_check *c, uint64_t number) {
    hw_check_host *h = &c->host;
    for (size_t i = 0; i < h->n_threads; i++)
        if (h->threads[i].number == number) return &h->threads[i];
    if (!hw_grow((void **)&h->threads, h->n_threads, &h->threads_capacity, sizeof *h->threads)) {
        c->ran_out = true;
        return NULL;
    }
    h->threads[h->n_threads] = (hw_check_thread){.number = number};
    return &h->threads[h->n_threads++];
}

void hw_check_host_works(hw_check *c, uint64_t thread) {
    hw_check_thread *t = find_thread(c, thread);
    if (t) t->n_works++;
}

void hw_check_host_launches(hw_check *c, uint64_t thread) {
    hw_check_thread *t = find_thread(c, thread);
    if (!t) return;
    t->n_works++;
    t->has_launched = true;
}

// ---- findings -------------------------------------------------------------------------------------------------------

static hw_check_side side_of(hw_check_act act, const void *site) {
    return (hw_check_side){.act = act, .site = site, .file = ""};
}

// Both calls; earlier NULL: there is one.
static void add_calls(hw_check *c, hw_check_finding *f, hw_check_act before, const void *earlier, hw_check_act act,
                      const void *site) {
    const uint64_t places[2] = {(uint64_t)(uintptr_t)site << 5 | f->subject.reason, (uint64_t)(uintptr_t)earlier};
    f->n_sides = 0;
    if (earlier) f->sides[f->n_sides++] = side_of(before, earlier);
    f->sides[f->n_sides++] = side_of(act, site);
    hw_check_add(c, f, places);
}

static void add_launch(hw_check *c, const hw_check_thread *t) {
    hw_check_finding f = {.kind = HW_CHECK_LAUNCH, .subject = t->refused};
    add_calls(c, &f, HW_CHECK_FAILS, NULL, HW_CHECK_LAUNCHES, t->site);
}

// What a call returns a program may have looked at, unless it went on to launch something; what <<<>>> does not say, it
// cannot know. Calls that are a finding themselves need no second one, and a launch is one only then: a program that
// asks at once may try what fits.
static void forget_error(hw_check *c, hw_check_thread *t) {
    hw_check_finding f = {.kind = HW_CHECK_ERROR, .subject = {.why = t->error}};
    if (t->error && (t->is_launch || t->has_launched)) {
        if (t->refused.kernel) add_launch(c, t);
        else if (!t->is_explained) add_calls(c, &f, HW_CHECK_FAILS, NULL, HW_CHECK_FAILS, t->site);
    }
    t->error = NULL;
    t->refused = (hw_check_subject){.kernel = NULL};
}

static const char *keep_text(hw_check *c, const char *text) {
    return text ? hw_arena_string(c->works.arena, text, strlen(text)) : NULL;
}

static hw_check_kind kind_of(const hw_host_refused *r) {
    switch (r->reason) {
    case HW_HOST_NEVER_ALLOCATED: case HW_HOST_FREED_BEFORE: case HW_HOST_FREED_INSIDE: case HW_HOST_FREED_BY_OTHER:
        return HW_CHECK_FREE;
    case HW_HOST_WRONG_DIRECTION: case HW_HOST_BEYOND_END: case HW_HOST_IN_FREED: case HW_HOST_IN_NOTHING:
        return HW_CHECK_COPY;
    default: break;
    }
    // An array is memory to who frees it.
    return r->reason == HW_HOST_NO_OBJECT_TO_DESTROY && r->object.kind == HW_HOST_ARRAY ? HW_CHECK_FREE
                                                                                       : HW_CHECK_HANDLE;
}

static hw_check_act act_of(const hw_host_refused *r) {
    switch (kind_of(r)) {
    case HW_CHECK_FREE: return HW_CHECK_FREES;
    case HW_CHECK_COPY: return r->action == HW_HOST_SET ? HW_CHECK_SETS_BYTES : HW_CHECK_COPIES_BYTES;
    default: return r->reason == HW_HOST_NO_OBJECT_TO_DESTROY ? HW_CHECK_DESTROYS : HW_CHECK_USES;
    }
}

// Whoever destroyed the texture object, or freed what it is of, and the thread that reads it.
static void add_texture(hw_check *c, const hw_host_refused *r) {
    const void *destroyed_at = hw_check_host_destroyed_at(c, &r->object);
    const void *earlier = r->allocation.bytes ? r->allocation.freed_at : destroyed_at;
    hw_check_finding f = {.kind = HW_CHECK_HANDLE, .subject = {.reason = (uint8_t)r->reason,
                          .object = HW_HOST_TEXTURE, .begin = r->allocation.address, .bytes = r->allocation.bytes,
                          .made_at = r->allocation.made_at}};
    const char *file = keep_text(c, r->file);
    hw_check_side reader = {.act = HW_CHECK_READS, .kernel = keep_text(c, r->kernel), .line = r->line,
                            .launch = c->launch, .file = file ? file : ""};
    memcpy(reader.block, r->block, sizeof reader.block);
    memcpy(reader.thread, r->thread, sizeof reader.thread);
    if (earlier) f.sides[f.n_sides++] = side_of(r->allocation.bytes ? HW_CHECK_FREES : HW_CHECK_DESTROYS, earlier);
    if (reader.kernel) f.sides[f.n_sides++] = reader;
    hw_check_add(c, &f, (const uint64_t[2]){(uint64_t)(uintptr_t)earlier, (uint64_t)r->line << 5 | r->reason});
}

// The error of the launch follows.
static void keep_launch(hw_check *c, const hw_host_event *event, hw_check_thread *t) {
    const hw_host_refused *r = &event->refused;
    if (t->error && t->site != event->site) forget_error(c, t);
    t->explained_at = event->site;
    t->refused = (hw_check_subject){.reason = (uint8_t)r->reason, .kernel = keep_text(c, r->kernel),
                                    .why = keep_text(c, r->why)};
}

static void add_refusal(hw_check *c, const hw_host_event *event) {
    const hw_host_refused *r = &event->refused;
    const bool is_of_object = r->reason == HW_HOST_NO_OBJECT || r->reason == HW_HOST_NO_OBJECT_TO_DESTROY;
    const void *earlier = is_of_object ? hw_check_host_destroyed_at(c, &r->object) : r->allocation.freed_at;
    hw_check_finding f = {
        .kind = kind_of(r), .address = r->address, .bytes = r->bytes,
        .subject = {.reason = (uint8_t)r->reason, .object = (uint8_t)r->object.kind,
                    .begin = r->allocation.address, .bytes = r->allocation.bytes, .memory = r->allocation.kind,
                    .made_at = r->allocation.made_at, .variable = r->allocation.name}};
    const bool is_memory = !is_of_object || r->object.kind == HW_HOST_ARRAY;
    const hw_check_act before = is_memory ? HW_CHECK_FREES : HW_CHECK_DESTROYS;
    add_calls(c, &f, before, earlier, act_of(r), event->site);
}

void hw_check_host_refused(hw_check *c, const hw_host_event *event, uint64_t thread) {
    hw_check_thread *t = find_thread(c, thread);
    if (event->refused.reason == HW_HOST_NO_TEXTURE) {
        add_texture(c, &event->refused);
    } else if (event->refused.reason == HW_HOST_NO_LAUNCH) {
        if (t) keep_launch(c, event, t);
    } else {
        add_refusal(c, event);
        if (t) t->explained_at = event->site;
    }
}

void hw_check_host_direction(hw_check *c, const hw_host_event *event) {
    static const struct { bool to, from; } is_hosts[] = {
        [HW_HOST_COPY_HOST_TO_HOST] = {true, true}, [HW_HOST_COPY_HOST_TO_DEVICE] = {false, true},
        [HW_HOST_COPY_DEVICE_TO_HOST] = {true, false}, [HW_HOST_COPY_DEVICE_TO_DEVICE] = {false, false},
        [HW_HOST_COPY_ANY] = {false, false}};
    const hw_host_side *to = &event->copy.to, *from = &event->copy.from;
    const bool is_to_wrong = is_hosts[event->copy.kind].to && to->memory == HW_HOST_MEMORY_DEVICE;
    const bool is_from_wrong = is_hosts[event->copy.kind].from && from->memory == HW_HOST_MEMORY_DEVICE;
    if (!is_to_wrong && !is_from_wrong) return;
    hw_check_finding f = {.kind = HW_CHECK_COPY, .address = is_to_wrong ? to->address : from->address,
                          .bytes = event->copy.width * event->copy.height * event->copy.depth,
                          .subject = {.reason = HW_HOST_WRONG_DIRECTION}};
    add_calls(c, &f, HW_CHECK_FAILS, NULL, HW_CHECK_COPIES_BYTES, event->site);
}

// ---- errors ---------------------------------------------------------------------------------------------------------

void hw_check_host_failed(hw_check *c, const hw_host_event *event, uint64_t thread) {
    hw_check_thread *t = find_thread(c, thread);
    if (!t) return;
    if (t->error && t->site != event->site) forget_error(c, t);
    t->error = event->error.name;
    t->site = event->site;
    t->is_explained = event->site == t->explained_at;
    t->is_launch = event->error.is_launch;
    t->has_launched = false;
    t->n_works = 0;
}

void hw_check_host_asks(hw_check *c, const hw_host_event *event, uint64_t thread) {
    hw_check_thread *t = find_thread(c, thread);
    if (!t || !t->error) return;
    hw_check_finding f = {.kind = HW_CHECK_ERROR, .subject = {.why = t->error}};
    if (t->n_works && t->refused.kernel) add_launch(c, t);
    if (t->n_works) add_calls(c, &f, HW_CHECK_FAILS, t->site, HW_CHECK_ASKS, event->site);
    t->error = NULL;
    t->refused = (hw_check_subject){.kernel = NULL};
}

void hw_check_host_ends(hw_check *c) {
    for (size_t i = 0; i < c->host.n_threads; i++) forget_error(c, &c->host.threads[i]);
}
