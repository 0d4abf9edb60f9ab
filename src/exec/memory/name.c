// Names for patterns: each access that a sink hears of says which of its instruction's patterns it has, by an index of
// the worker and a serial number (event.h). The last HW_PATTERN_WAYS patterns of an instruction are kept, fewer where
// accesses are added up, so that a sink sees a pattern that comes back as the same one.
#include <string.h>

#include "base/alloc.h"
#include "exec/warp/warp.h"

uint32_t hw_names_wanted(const hw_run *run) {
    const uint32_t told = HW_WANTS(ACCESS) | HW_WANTS(ATOMIC) | HW_WANTS(COPY);
    return run->events & told ? run->set->n_accesses : 0;
}

bool hw_names_prepare(hw_worker *worker) {
    const uint32_t wanted = hw_names_wanted(worker->run);
    worker->launches++;
    if (wanted <= worker->names_capacity) return true;
    hw_free(worker->names);
    worker->names = hw_calloc(wanted, sizeof *worker->names);
    worker->names_capacity = worker->names ? wanted : 0;
    return worker->names != NULL;
}

// An instruction whose names have been asked for in vain more often than not is not asked again in this launch.
enum { MOST_MISSED = 64 };

static uint32_t ways_of(const hw_worker *worker) {
    const uint32_t counted = worker->run->observers->counting.events & (HW_WANTS(ACCESS) | HW_WANTS(ATOMIC));
    return counted ? HW_PATTERN_WAYS_COUNTED : HW_PATTERN_WAYS;
}

static const hw_access_pattern *add_pattern_name(hw_worker *worker, hw_pattern_names *names, uint32_t first,
                                                 uint8_t space, uint32_t mask, const int64_t delta[32]) {
    const uint32_t n_ways = ways_of(worker);
    uint32_t way = names->n;
    if (way < n_ways) {
        names->n++;
    } else {
        way = names->oldest;
        names->oldest = (way + 1) % n_ways;
    }
    hw_access_pattern *made = &names->ways[way];
    made->index = first + way;
    made->mask = mask;
    made->serial = ++worker->serial;
    made->space = space;
    memcpy(made->delta, delta, sizeof made->delta);
    made->low = made->high = 0;
    for (int i = 0; i < HW_WARP_LANES; i++) {
        if (delta[i] < made->low) made->low = delta[i];
        if (delta[i] > made->high) made->high = delta[i];
    }
    return made;
}

// Most others are told by their mask or their last lanes.
static inline const hw_access_pattern *find_name(const hw_pattern_names *names, uint8_t space, uint32_t mask,
                                                 const int64_t delta[32]) {
    for (uint32_t i = 0; i < names->n; i++) {
        const hw_access_pattern *known = &names->ways[i];
        if (known->mask == mask && known->delta[31] == delta[31] && known->delta[30] == delta[30] &&
            known->space == space && !memcmp(known->delta, delta, sizeof known->delta))
            return known;
    }
    return NULL;
}

static hw_pattern_names *names_of(hw_worker *worker, uint32_t number) {
    hw_pattern_names *names = &worker->names[number];
    if (names->launch != worker->launches) {
        names->launch = worker->launches;
        names->n = names->oldest = names->found = names->missed = 0;
    }
    return names;
}

const hw_access_pattern *hw_name_addresses(hw_worker *worker, uint32_t note, uint8_t space, uint32_t mask,
                                           const int64_t delta[32]) {
    const uint32_t number = worker->run->set->notes[note].access;
    hw_pattern_names *names = names_of(worker, number);
    const hw_access_pattern *known = find_name(names, space, mask, delta);
    if (known) return known;
    return add_pattern_name(worker, names, number * HW_PATTERN_WAYS, space, mask, delta);
}

const hw_access_pattern *hw_name_of_few(hw_worker *worker, uint32_t note, uint8_t space, uint32_t mask,
                                        const int64_t delta[32]) {
    const uint32_t number = worker->run->set->notes[note].access;
    hw_pattern_names *names = names_of(worker, number);
    if (names->missed > MOST_MISSED && names->missed > names->found) return NULL;
    const hw_access_pattern *known = find_name(names, space, mask, delta);
    names->found += known != NULL;
    names->missed += known == NULL;
    if (known || names->n == ways_of(worker)) return known;
    return add_pattern_name(worker, names, number * HW_PATTERN_WAYS, space, mask, delta);
}

bool hw_names_are_full(const hw_worker *worker, uint32_t note) {
    const hw_pattern_names *names = &worker->names[worker->run->set->notes[note].access];
    return names->launch == worker->launches && names->n == ways_of(worker);
}

const hw_access_pattern *hw_pattern_name(hw_worker *worker, hw_pattern *p) {
    if (p->name && p->name->serial == p->name_serial) return p->name;
    p->name = hw_name_addresses(worker, p->inst->note, p->space, p->mask, p->delta);
    p->name_serial = p->name->serial;
    return p->name;
}
