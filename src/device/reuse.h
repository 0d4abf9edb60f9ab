// Launches that need not be executed, since they would do again what an earlier one did. Internal to device/.
//
// A launch is a function of its kernel, its configuration, its arguments, and the allocations that it reads. Whatever
// it has executed, it does again when these are the same; and where what it wrote then is there still, nothing is left
// to do. So each launch that is executed leaves a record: the allocations that it has touched, each with the number of
// its contents (hw_mem_contents), which changes when a launch, a copy or a set has written there. An equal launch whose
// record's numbers all hold is that launch once more. No bytes are compared.
//
// Records are made of what execution tells (hw_touched, hw_outside), so that none is made of a launch that
//   - reads and writes one allocation, atomics included, since it would find other bytes the next time;
//   - touches memory that the host can write by itself: pinned, managed, registered;
//   - has read a clock or its own number, called printf, malloc or free, or waited for others;
//   - was cooperative, failed, or touched more than HW_REUSE_TOUCHED allocations.
#ifndef HW_DEVICE_REUSE_H
#define HW_DEVICE_REUSE_H

#include "event/event.h"
#include "mem/mem.h"

enum { HW_REUSE_TOUCHED = 64 };

typedef struct hw_reuse hw_reuse;

// Calls are one at a time. mem outlives the object. HW_NO_MEMORY.
hw_status hw_reuse_create(hw_mem *mem, hw_reuse **out, hw_diag *diag);
void hw_reuse_destroy(hw_reuse *reuse);

// To be attached to the device whose memory it is, and to stay: it has to see each launch that is executed, except for
// those that a kernel waits for, after which all memory counts as changed (hw_mem_set_all_changed).
hw_sink *hw_reuse_sink(hw_reuse *reuse);

// Before a launch, which is given in bytes that are equal when launches are: the number of the executed one that it is
// once more; 0: it has to be executed, and leaves its record under that key, which stays as it is until then.
uint64_t hw_reuse_find(hw_reuse *reuse, const void *key, size_t key_bytes);

#endif
