// A hand-made access, told to a sink as exec would tell it: with the pattern of its worker that has these addresses.
#ifndef HW_TESTS_TOLD_ACCESS_H
#define HW_TESTS_TOLD_ACCESS_H

#include <string.h>

#include "event/event.h"

// The pattern of an instruction with these lanes, one of the last HW_PATTERN_WAYS or a new one in place of the oldest.
static const hw_access_pattern *pattern_of(uint32_t worker, uint32_t note, uint8_t space, uint32_t mask,
                                           const int64_t *delta) {
    enum { WORKERS = 16, NOTES = 64 };
    static struct { uint32_t n; hw_access_pattern ways[HW_PATTERN_WAYS]; } known[WORKERS][NOTES];
    static uint64_t serial;
    uint32_t number = note % NOTES, n = known[worker % WORKERS][number].n;
    hw_access_pattern *ways = known[worker % WORKERS][number].ways;
    for (uint32_t i = 0; i < HW_PATTERN_WAYS && i < n; i++)
        if (ways[i].mask == mask && ways[i].space == space && !memcmp(ways[i].delta, delta, sizeof ways[i].delta))
            return &ways[i];
    hw_access_pattern *made = &ways[n % HW_PATTERN_WAYS];
    known[worker % WORKERS][number].n++;
    *made = (hw_access_pattern){.index = number * HW_PATTERN_WAYS + n % HW_PATTERN_WAYS, .mask = mask, .space = space,
                                .serial = ++serial};
    memcpy(made->delta, delta, sizeof made->delta);
    return made;
}

// delta: of 32 lanes. The instruction is one of notes, or past them.
static inline void tell_access(hw_sink *sink, uint32_t worker, const hw_note *notes, uint32_t note, uint8_t space,
                               uint32_t mask, const int64_t *delta, uint64_t base, uint64_t repeat) {
    const hw_access access = {.note = note, .kind = notes[note].kind, .space = space,
                              .width_bytes = notes[note].width_bytes, .base = base, .repeat = repeat,
                              .pattern = pattern_of(worker, note, space, mask, delta)};
    if (access.kind == HW_NOTE_ATOMIC || access.kind == HW_NOTE_REDUCTION) sink->atomic(sink, worker, &access);
    else sink->access(sink, worker, &access);
}

#endif
