// The seam between execution and everything that observes it.
//
// exec reports what a launch did as records; a sink turns them into counters, reports or complaints. exec knows no
// model, a sink knows no semantics. Unless a sink asks for order, exec may report equal accesses once with a
// repetition count, at any time before launch_end: a sink that only adds up sees the same sums.
#ifndef HW_EVENT_EVENT_H
#define HW_EVENT_EVENT_H

#include "base/status.h"
#include "isa/isa.h"

// What is fixed for one launch. All pointers live until launch_end returns.
typedef struct hw_launch_info {
    const char *kernel;              // mangled name
    uint32_t grid[3], block[3];
    uint32_t regs;                   // per thread
    bool regs_estimated;             // regs and spill_bytes are estimates
    uint32_t spill_bytes;            // per thread, of registers that are put away and fetched: stores and loads
    const char *producer;            // compiler and version that made the PTX, "nvcc 13.0.88"; NULL or "": not known
    uint32_t smem_static_bytes, smem_dynamic_bytes, local_bytes;
    uint32_t bank_bytes;             // width of shared memory's banks that the program asks for: 4 or 8; 0: as 4
    const hw_note *notes;            // of all programs the launch can reach, concatenated; records index into it
    uint32_t n_notes;
    const char *const *files;        // source files that notes name
    uint32_t n_files;
    uint32_t n_workers;              // records come from workers 0 .. n_workers-1, each on its own thread
} hw_launch_info;

// One warp instruction's access to memory, `repeat` times.
typedef struct hw_access {
    uint32_t note;                   // which instruction
    uint8_t kind;                    // HW_NOTE_LOAD, _STORE, _ATOMIC, _REDUCTION, _COPY, _COPY_BYPASS (one record for
                                     // each side), _LOAD_MATRIX
    uint8_t space;                   // resolved: GLOBAL, SHARED, LOCAL, CONST; never GENERIC
    uint8_t width_bytes;             // per lane, element times vector, as written in PTX
    uint32_t mask;                   // active lanes; never 0 except for an access whose guard was false in all lanes
    uint64_t base;                   // address in the lowest active lane; SHARED and LOCAL: offset in their window
    const int64_t *delta;            // 32 differences to base; those of inactive lanes have no meaning
    uint64_t pattern;                // equal numbers from one worker: equal mask and deltas, so counts that depend on
                                     // them and on base modulo 128 alone can be remembered
    uint64_t repeat;                 // 1 for ordered sinks; with repeat > 1, all have the same base modulo 128
    uint32_t block[3], warp;         // where; for ordered sinks only
} hw_access;

// One warp's copies from global into shared memory past the first-level cache. What they fetch depends on both sides,
// of which their access records tell one each.
typedef struct hw_copied {
    uint32_t note;
    uint32_t mask;                   // lanes that read anything; never 0
    uint64_t from, to;               // addresses: global, and an offset in the window of shared memory
    const int64_t *from_delta, *to_delta;   // 32 differences to these; those of other lanes have no meaning
    uint64_t pattern[2];             // equal pairs from one worker: equal mask and deltas
} hw_copied;

// Straight-line instructions [first_note, first_note + count) executed by warps, `lanes` lanes in all.
typedef struct hw_executed {
    uint32_t first_note, count;
    uint64_t warps, lanes;
} hw_executed;

typedef struct hw_sink hw_sink;
struct hw_sink {
    bool ordered;   // wants each access as it happens, with place; costs speed
    // Asked on the launching thread before each launch: false, and the launch runs as if there were no sink. May be
    // NULL: all are wanted.
    bool (*wants)(hw_sink *sink, const hw_launch_info *info);
    // Called on the launching thread, before the first and after the last record of a launch. launch_begin may refuse.
    hw_status (*launch_begin)(hw_sink *sink, const hw_launch_info *info, hw_diag *diag);
    void (*launch_end)(hw_sink *sink, const hw_launch_info *info, uint64_t host_ns, hw_status status);
    // Called on worker threads. A sink keeps one state per worker and adds them up in launch_end.
    void (*access)(hw_sink *sink, uint32_t worker, const hw_access *access);
    // May be NULL.
    void (*copied)(hw_sink *sink, uint32_t worker, const hw_copied *copied);
    // Global memory that is accessed lies in this allocation: of each at least once, perhaps often. May be NULL.
    void (*touched)(hw_sink *sink, uint32_t worker, uint64_t address, uint64_t bytes);
    void (*executed)(hw_sink *sink, uint32_t worker, const hw_executed *executed);
    // A conditional branch executed by `warps` warps, of which `divergent` saw their lanes part.
    void (*branch)(hw_sink *sink, uint32_t worker, uint32_t note, uint64_t warps, uint64_t divergent);
    // Guarded instructions whose guard was false: lanes to take off `executed`.
    void (*guarded_off)(hw_sink *sink, uint32_t worker, uint32_t note, uint64_t lanes);
    // Ordered sinks only: a block-wide barrier completed.
    void (*barrier)(hw_sink *sink, uint32_t worker, const uint32_t block[3], uint32_t barrier);
};

#endif
