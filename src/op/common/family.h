// A family of kernels as the ladder sees it: its rungs, and the problem that all of them solve. One operation file per
// family, src/op/<name>/<name>_family.c, defines `const hw_family hw_family_<name>`; the build finds it by its name.
// The rungs are rows of kernels/<name>/ladder.def. The runner is in src/ladder.
#ifndef HW_OP_FAMILY_H
#define HW_OP_FAMILY_H

#include "device/device.h"
#include "op/common/plan.h"

enum {
    HW_PROBLEM_SIZES = 4,     // numbers that make a size: rows x cols; m x n x k; ...
    HW_PROBLEM_ARRAYS = 8,
    HW_FAMILY_FACTS = 8,
    HW_FAMILY_UNWRITTEN = 0xa5,   // every byte of an output that no rung has written
    HW_LARGE_GPU = 50,            // multiprocessors that only a larger problem fills: P100 and later data-centre GPUs
};

// Where an array lies: on the device, or in this machine's memory, of what kind (model/transfer.h). Copies of a plan go
// between them.
typedef enum hw_array_place { HW_ON_DEVICE, HW_IN_PAGEABLE, HW_IN_PINNED, HW_IN_COMBINED } hw_array_place;

// What --size and --dtype ask for.
typedef struct hw_problem {
    uint64_t size[HW_PROBLEM_SIZES];
    DLDataType dtype;
} hw_problem;

typedef struct hw_problem_array {
    const char *name;         // "in", "out"
    uint64_t bytes;
    bool is_output;           // compared with the reference
    bool is_scratch;          // of the rungs' own: neither filled nor compared; cleared to zeros before each rung
    uint32_t image_cols;      // an input of 32-bit words that is an image of so many columns, and to rungs a texture
                              // object (device/device.h); 0: memory
    bool is_in_blocks;        // of images: a CUDA array
    hw_array_place place;
} hw_problem_array;

// What the problem needs and what it is measured by.
typedef struct hw_work {
    hw_problem_array arrays[HW_PROBLEM_ARRAYS];
    uint32_t n_arrays;
    double bytes_moved;       // read once and written once; the rate of memory-bound families
    double operations;        // 0, or what compute-bound families count, and what one is called: "flop", "pair"
    const char *operation;
} hw_work;

// How a result compares with the reference. NaN where a number is expected counts as wrong.
typedef struct hw_verdict {
    bool right;
    uint64_t n_wrong, worst_index;    // element index in the output array
    double worst_error;
    bool has_error;                   // of families whose results are rounded
    double error;                     // relative: the root of the squares of all differences over those of the elements
    char text[160];                   // "element (3, 7) is 5, not 4"; when right "", or what there is to tell of it
} hw_verdict;

typedef struct hw_family hw_family;
typedef struct hw_rung hw_rung;

struct hw_rung {
    int number;               // of its file: 30 for 30_tile.cu
    const char *name;         // "tile"
    const char *builds_on;    // name of the earlier rung whose idea it goes on from; NULL or "-": a start
    const char *file;         // "transpose/30_tile.cu"; NULL for a rung of the processor
    const char *kernel;
    uint32_t block[2];        // x, y as the rung was written for; 0: the rung has no block of its own
    uint32_t tile[2];         // what one block covers: columns, rows; other families' ladder.def give other meanings
    bool any_block;           // takes other block shapes (--block)
    const char *idea;         // in five words
    const char *limit;        // which sizes it takes; NULL: all
    // Fills the launches. HW_USAGE, naming the limit, for a size or block that the rung does not take.
    hw_status (*plan)(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                      const uint32_t block[2], hw_plan *plan, hw_diag *diag);
    // Instead of plan, for a rung of the processor: arrays as in hw_work.
    hw_status (*native)(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                        hw_diag *diag);
    bool is_copy;             // moves the same bytes without the family's work: the bound, no part of the comparison
    const char *swept;        // what hw_family.swept_size is to it: "offset"; NULL: nothing changes with it
    uint64_t swept_from;      // its first value that says something
};

struct hw_family {
    const char *name;                         // "transpose"
    const char *does;                         // one line for help
    const hw_rung *rungs;                     // of GPUs (cuda and sim), in order
    size_t n_rungs;
    const hw_rung *cpu_rungs;
    size_t n_cpu_rungs;
    const char *size_names[HW_PROBLEM_SIZES]; // "rows", "cols"; NULL past the last
    uint64_t default_size[HW_PROBLEM_SIZES];
    // The sizes on simulated GPUs, and on simulated GPUs with HW_LARGE_GPU or more multiprocessors (first number 0: the
    // same). With these sizes the ideas pay by the estimate of time, and all rungs together take two processors up to
    // 20 s. docs/design.md has what was measured.
    uint64_t default_sim_size[HW_PROBLEM_SIZES], large_sim_size[HW_PROBLEM_SIZES];
    // The size with --device cpu: the plainest rung takes one processor seconds at most. All 0: default_size.
    uint64_t default_cpu_size[HW_PROBLEM_SIZES];
    const char *dtypes;                       // "f32 u8 ...": the first is the default
    hw_status (*describe)(const hw_problem *problem, hw_work *work, hw_diag *diag);
    // Host arrays in the order of hw_work. fill writes the inputs: every element different from its neighbours, the
    // same every time. reference writes the outputs, in the plainest way.
    void (*fill)(const hw_problem *problem, void *const *arrays);
    void (*reference)(const hw_problem *problem, void *const *arrays);
    // What the family tells of a rung beside time and counters: a column for each name, NULL past the last. `facts`
    // makes the numbers from the rung, the problem, the device, the rung's plan and the blocks that a multiprocessor
    // holds at a time (0: not known); NaN: the rung has no such number. facts NULL: the family has no such columns.
    const char *fact_names[HW_FAMILY_FACTS];
    void (*facts)(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                  const hw_plan *plan, uint32_t resident_blocks, double numbers[HW_FAMILY_FACTS]);
    // The size that a sweep varies (ladder/sweep.h): its index, 0: the family has no sweep; its last value; and the
    // problem's first size during a sweep, on a GPU and on a simulated GPU.
    int swept_size;
    uint64_t sweep_last, sweep_size, sweep_sim_size;
    bool counts_clocks;                       // operations are told per clock and multiprocessor as well
    bool has_transfers;                       // times are those of whole plans, copies and what overlaps with them; on
                                              // simulated GPUs by the GPU's clock (timeline/)
    bool shows_accesses;                      // its rungs are about the cost of one access: a table shows that
    // got: the output array `array` as the rung left it; a copy rung is compared with what is_copy says.
    void (*compare)(const hw_problem *problem, const hw_rung *rung, void *const *arrays, uint32_t array,
                    const void *got, hw_verdict *verdict);
};

// The rung that `rung` builds on in the same ladder; NULL: `rung` builds on none.
const hw_rung *hw_rung_base(const hw_rung *rungs, size_t n_rungs, const hw_rung *rung);

// The sizes of a family on that device unless others are asked for.
const uint64_t *hw_family_default_size(const hw_family *family, const hw_device_properties *device);

// The families, in order; NULL past the end. By name; NULL.
const hw_family *hw_family_at(size_t index);
const hw_family *hw_family_find(const char *name);

// "f32" and the like <-> DLPack's type. False for a name that is none.
bool hw_dtype_find(const char *name, DLDataType *dtype);
const char *hw_dtype_name(DLDataType dtype, char *text, size_t text_bytes);
// Element `index` of an array as a number and back, rounded to the nearest; of a complex one the real part (the
// imaginary one becomes 0). Integers up to 2^53 are exact.
double hw_dtype_get(DLDataType dtype, const void *array, uint64_t index);
void hw_dtype_set(DLDataType dtype, void *array, uint64_t index, double value);

#endif
