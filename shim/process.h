// What the doors of one process have in common. The first door that is loaded makes it and the runtime; the others find
// both, so that a program which uses two of them has one GPU, one journal and one status file.
#ifndef HW_SHIM_PROCESS_H
#define HW_SHIM_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>

#include "prof/journal.h"
#include "prof/prof.h"
#include "runtime/runtime.h"
#include "shim/environment.h"

typedef struct hw_shim_process {
    hw_environment environment;
    hw_journal *journal;                    // NULL: nothing is counted
    hw_prof *prof;                          // NULL until there has been a context
    bool has_cudart;                        // one of its doors is the CUDA runtime, which uses the primary context
    uint64_t n_launches;                    // that were possible; they come one after the other
    atomic_ullong n_executed;               // told by threads at the same time
    hw_timeline_launch counted;             // the last one
    bool is_counted;                        // it is the one that is being made
    bool is_orphan;                         // a fork of one that has had a context, whose clock is the parent's
    pthread_mutex_t journal_lock;
    pthread_mutex_t lock;                   // of what follows
    bool is_noted;                          // the status file has its line
} hw_shim_process;

hw_shim_process *hw_shim_process_get(void);

#endif
