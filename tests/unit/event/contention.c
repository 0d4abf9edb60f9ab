#include "contention.h"

#include <string.h>

#include "base/alloc.h"

// What is known of one of exec's patterns: as long as its serial is the same.
typedef struct meeting {
    uint64_t serial;
    uint32_t passes;
} meeting;

typedef struct worker {
    meeting *meetings;                  // by index of the pattern
    contention_line *notes;             // by note
} worker;

struct contention {
    hw_sink sink;                       // first: the sink is the object
    worker *workers;
    uint32_t n_workers;
    contention_line *lines;
    uint32_t n_lines;
};

static void forget_launch(contention *c) {
    for (uint32_t i = 0; i < c->n_workers; i++) {
        hw_free(c->workers[i].meetings);
        hw_free(c->workers[i].notes);
    }
    hw_free(c->workers);
    hw_free(c->lines);
    c->workers = NULL;
    c->lines = NULL;
    c->n_workers = c->n_lines = 0;
}

static hw_status begin(hw_sink *sink, const hw_launch_info *info, hw_diag *diag) {
    contention *c = (contention *)sink;
    forget_launch(c);
    c->workers = hw_calloc(info->n_workers, sizeof *c->workers);
    c->lines = hw_calloc((size_t)info->n_notes + 1, sizeof *c->lines);
    if (!c->workers || !c->lines) return hw_diag_no_memory(diag);
    c->n_workers = info->n_workers;
    for (uint32_t i = 0; i < c->n_workers; i++) {
        c->workers[i].meetings = hw_calloc((size_t)info->n_patterns + 1, sizeof *c->workers[i].meetings);
        c->workers[i].notes = hw_calloc((size_t)info->n_notes + 1, sizeof *c->workers[i].notes);
        if (!c->workers[i].meetings || !c->workers[i].notes) return hw_diag_no_memory(diag);
    }
    return HW_OK;
}

// The most lanes that have one address.
static uint32_t most_in_one_word(const hw_access_pattern *pattern) {
    uint32_t most = 0;
    for (uint32_t left = pattern->mask; left; left &= left - 1) {
        uint32_t here = 0;
        for (uint32_t other = pattern->mask; other; other &= other - 1)
            here += pattern->delta[__builtin_ctz(other)] == pattern->delta[__builtin_ctz(left)];
        most = here > most ? here : most;
    }
    return most;
}

static void atomic(hw_sink *sink, uint32_t number, const hw_access *access) {
    worker *w = &((contention *)sink)->workers[number];
    meeting once = {0}, *m = &once;
    if (access->pattern->index != HW_NO_PATTERN) m = &w->meetings[access->pattern->index];
    if (m->serial != access->pattern->serial)
        *m = (meeting){access->pattern->serial, most_in_one_word(access->pattern)};
    w->notes[access->note].atomics += access->repeat;
    w->notes[access->note].passes += access->repeat * m->passes;
}

static void end(hw_sink *sink, const hw_launch_info *info, uint64_t host_ns, hw_status status) {
    contention *c = (contention *)sink;
    (void)host_ns, (void)status;
    for (uint32_t note = 0; note < info->n_notes; note++) {
        contention_line line = {.line = info->notes[note].line};
        for (uint32_t i = 0; i < c->n_workers; i++) {
            line.atomics += c->workers[i].notes[note].atomics;
            line.passes += c->workers[i].notes[note].passes;
        }
        if (line.atomics) c->lines[c->n_lines++] = line;
    }
}

contention *contention_create(void) {
    contention *c = hw_calloc(1, sizeof *c);
    if (c) c->sink = (hw_sink){.events = HW_WANTS(ATOMIC), .launch_begin = begin, .launch_end = end, .atomic = atomic};
    return c;
}

void contention_destroy(contention *c) {
    if (c) forget_launch(c);
    hw_free(c);
}

hw_sink *contention_sink(contention *c) { return &c->sink; }

const contention_line *contention_lines(const contention *c, uint32_t *n) {
    *n = c->n_lines;
    return c->lines;
}
