// halfwarp check: an observer that finds the hazards of a program: accesses without an order between them or outside of
// their memory, values that nobody gave, threads that wait for ever, wrong calls of the host (kinds.def).
//
// What it finds does not depend on how this run went: two accesses are a race when nothing orders them (blocks.h,
// streams.h), whichever of them came first. It changes no result. Launches have to be executed by one host thread, so
// that two runs find the same in the same order; a launch by several is refused.
//
// Shadow memory is 0.4 bytes a byte that warps access side by side; where lanes are apart 1 more for writers, and for
// each of two readers, and 4 where they share words. Entries and messages come on top, and go when nothing refers to
// them or their launch ends.
#ifndef HW_CHECK_CHECK_H
#define HW_CHECK_CHECK_H

#include "base/status.h"
#include "check/finding.h"
#include "event/event.h"

typedef struct hw_check hw_check;

typedef struct hw_check_options {
    int compute_capability;          // of the GPU, 90 for 9.0
    // Called when a place is found first, and when it is found to lack more, on the thread of the launch or of the
    // host's call; the finding and its texts stay until the object goes, its count goes on. May be NULL.
    void (*found)(void *context, const hw_check_finding *finding);
    void *context;
} hw_check_options;

// HW_NO_MEMORY.
hw_status hw_check_create(const hw_check_options *options, hw_check **out, hw_diag *diag);
void hw_check_destroy(hw_check *check);
hw_sink *hw_check_sink(hw_check *check);

// The GPU's memory has gone, and with it all objects: a reset.
void hw_check_forget_memory(hw_check *check);

// What the program has not given back by now, and will not, is added to the findings.
void hw_check_leaks(hw_check *check);

// Has memory run out? Then nothing has been found since, or what was may be wrong.
bool hw_check_ran_out(const hw_check *check);
// Were there so many readers of some word that some were not looked at? Then there may be more hazards.
bool hw_check_has_left_out(const hw_check *check);

// The program ends: adds errors that it has not asked for to the findings; with_leaks also what hw_check_leaks does.
void hw_check_end(hw_check *check, bool with_leaks);

// NULL past the last. In the order in which they were found. While other threads launch or call, its count may change.
const hw_check_finding *hw_check_finding_at(hw_check *check, size_t index);
// How often it has been found so far, and its bytes; false past the last. For any thread at any time.
bool hw_check_count_at(hw_check *check, size_t index, uint64_t *count, uint64_t *bytes);

#endif
