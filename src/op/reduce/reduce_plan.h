// How a reduction is done on a GPU: a pure function of its plainest form and the device. The kernels are
// kernels/reduce/ 92_rows.cu and 94_columns.cu; they say what the numbers here mean.
#ifndef HW_OP_REDUCE_PLAN_H
#define HW_OP_REDUCE_PLAN_H

#include "op/common/plan.h"
#include "op/reduce/reduction.h"

typedef enum hw_reduce_way {
    HW_REDUCE_ROWS,      // the densest axis is reduced: lanes lie along it
    HW_REDUCE_COLUMNS,   // the densest axis stays: lanes lie along it, each with outputs of its own
} hw_reduce_way;

// An axis that the kernel walks: of in, and of out (kept) or of the index (reduced).
typedef struct hw_reduce_axis {
    uint64_t n;
    int64_t step, other_step;
} hw_reduce_axis;

typedef struct hw_reduce_plan {
    hw_reduce_way way;
    const char *fold;                    // "sum_fold"
    uint32_t threads, vector, unroll;
    uint32_t group, inner;               // rows: lanes for each output, and of them along a run
    uint32_t lanes;                      // columns: words of a row that a block has side by side
    bool aligned;                        // rows: runs begin at multiples of a word
    bool stays;                          // in L2, which holds the array: words are read as what may be read again
    bool ordered;                        // the index counts up as a thread goes on
    bool index64;
    uint32_t run_parts, word_parts;      // blocks for each output, of rows; of columns, run_parts alone
    hw_reduce_axis along;                // the axis that lanes lie along
    uint32_t n_kept, n_outer;            // the others
    hw_reduce_axis kept[HW_MAX_RANK], outer[HW_MAX_RANK];
    uint64_t runs;                       // rows: product of outer; columns: rows
    uint64_t tiles, blocks;
    uint32_t state_bytes;
    uint64_t scratch_bytes;              // for states that blocks of an output leave for its last one; 0: an output has
                                         // one block at most
} hw_reduce_plan;

// What the choice aims at; op/tune has what was measured.
typedef struct hw_reduce_goals {
    uint32_t multiprocessors;            // to keep busy
    uint32_t threads, unroll;            // of blocks that share an output, or have a long row
    uint32_t blocks;                     // of these, for each multiprocessor
    uint32_t part_words;                 // the least that each thread has of a part
    uint32_t long_unroll, long_words;    // of parts of which each thread has that many words, or more
    uint32_t block_words;                // words of an output that one of these blocks reduces alone
    uint32_t row_threads, row_unroll;    // of shorter rows
    uint32_t row_words;                  // for each lane, up to 32 of them
    uint32_t warp_words;                 // that a warp does alone where rows are many
    uint32_t column_threads, column_unroll, column_lanes, column_blocks;
    uint32_t column_rows;                // the least that each thread has of a part
    uint32_t few_rows;                   // up to which a thread has whole columns, in blocks as rows have them
    uint32_t whole_columns;              // and how many words of them each lane of these blocks should find
    uint32_t unaligned_row_bytes;        // rows from here on are read by full words, wherever they begin
    uint32_t short_run_bytes;            // lanes do not lie along shorter runs where others' runs lie between
    uint32_t l2_bytes;                   // 0: not known
    uint32_t l2_eighths;                 // of these that an array stays in from one reduction to the next
    uint32_t shared_bytes;               // for the states of a block that has columns
} hw_reduce_goals;

hw_reduce_goals hw_reduce_goals_for(const hw_reduction_form *form, const hw_device_properties *device);

// form has outputs; flags are not looked at. Never fails: every form has a plan.
void hw_reduce_plan_make(const hw_reduction_form *form, const hw_reduce_goals *goals, hw_reduce_plan *plan);

enum { HW_REDUCE_SCRATCH_BYTES = 8 << 20 };   // the most

// The launch. in, out, scratch: the numbers of the arrays that it will be run with; scratch begins with `zeros` bytes
// of zeros for counters (a tile each).
void hw_reduce_plan_launch(const hw_reduction_form *form, const hw_reduce_plan *reduce, int in, int out, int scratch,
                           uint32_t zeros, hw_plan *plan);

#endif
