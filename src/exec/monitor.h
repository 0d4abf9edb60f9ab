// How a launch gets on, for those who look from outside, also from another process: words that both see.
//
// Who looks asks, and finds the answer there a moment later: each worker adds what it has done since the last question
// when a warp's turn is over. A launch that nobody asks about pays one load for each turn.
#ifndef HW_EXEC_MONITOR_H
#define HW_EXEC_MONITOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// What has been done since the launch began.
typedef enum hw_did {
    HW_DID_BLOCKS,                   // that have ended
    HW_DID_THREAD_INST,              // PTX instructions executed, times their active lanes; so far as is counted
    HW_DID_LANES,                    // the same with 32 lanes each: the share of lanes that are on
    // Why it takes long, from the moment on that somebody wants to know. What is said of addresses is as the
    // instruction's last access had them.
    HW_DID_WARPS,                    // seen when asked
    HW_DID_POLLING_WARPS,            // that polled memory then
    HW_DID_ATOMICS,                  // executed by warps
    HW_DID_MEETING_ATOMICS,          // where half of the lanes or more met another one in its word
    HW_DID_ACCESSES,                 // loads and stores executed by warps
    HW_DID_SCATTERED_ACCESSES,       // whose lanes' addresses follow no pattern: done lane by lane
    HW_DIDS
} hw_did;

enum { HW_MONITOR_NAME = 512, HW_MONITORS = 64 };

typedef struct hw_monitor {
    // Questions: set by those who look, with hw_monitor_ask behind.
    _Alignas(64) atomic_uint asked;  // another number: how far
    atomic_uint where;               // another number: and as text where all blocks are (hw_launch.notice)
    atomic_bool why;                 // and why it takes long
    atomic_bool stop;                // the launch ends, with HW_FAULT_STOPPED; so do those that follow
    // The launch. Written by its thread alone, and whole where `version` is even, and the same before and after.
    _Alignas(64) atomic_uint version;
    atomic_bool is_running;
    uint64_t number, n_blocks;
    uint64_t began_ns;               // hw_now_ns
    uint32_t block_threads;
    char kernel[HW_MONITOR_NAME];    // mangled; cut off where it is longer
    // Answers.
    _Alignas(64) atomic_uint_fast64_t did[HW_DIDS];
} hw_monitor;

// What of it is looked at together.
typedef struct hw_monitored {
    bool is_running;
    uint64_t number, n_blocks, began_ns;
    uint32_t block_threads;
    char kernel[HW_MONITOR_NAME];
    uint64_t did[HW_DIDS];           // as of the last answers
} hw_monitored;

// Monitors of several processes, in a file that they share. Zero at first.
typedef struct hw_monitors {
    atomic_int process[HW_MONITORS]; // whose each is; 0: nobody's yet
    hw_monitor of[HW_MONITORS];
} hw_monitors;

// Maps the file, whose size the first to map it sets (makes). NULL when that is not possible.
hw_monitors *hw_monitors_map(int file, bool makes);
void hw_monitors_unmap(hw_monitors *monitors);
// One for this process: its own, else one that nobody has or whose process has gone. NULL: there is none left.
hw_monitor *hw_monitors_claim(hw_monitors *monitors);

// A launch begins, or ends: by its thread, before and after hw_exec_launch.
void hw_monitor_begin(hw_monitor *monitor, const char *kernel, uint64_t number, const uint32_t grid[3],
                      const uint32_t block[3]);
void hw_monitor_end(hw_monitor *monitor);

// Asks anew, whatever the questions are.
void hw_monitor_ask(hw_monitor *monitor);
// False when the launch changes just now: look again later.
bool hw_monitor_look(const hw_monitor *monitor, hw_monitored *out);

#endif
