// halfwarp occupancy: what it found out, as text and as a picture.
#ifndef HW_CLI_OCCUPANCY_H
#define HW_CLI_OCCUPANCY_H

#include <stdio.h>

#include "isa/gpu.h"
#include "model/occupancy.h"
#include "report/report.h"

// A launch: one that was described, or that of a kernel.
typedef struct hw_occupancy_row {
    char *kernel;                      // demangled, with its parameters; NULL: no kernel
    uint32_t block, regs;              // threads per block; registers per thread, 0: not told
    uint32_t smem_static, smem_dynamic;
    uint32_t most_threads;             // that the kernel's launch bounds allow; 0: any
    uint32_t shape[3];                 // of the block, as it was told; 0: it was not
    uint32_t spill_bytes;              // per thread, of registers that are put away and fetched
    uint32_t local_bytes;              // per thread, of arrays that no register holds, and of calls
    bool regs_estimated;               // no ptxas was there to say
    bool wants_smem;                   // the kernel uses dynamic shared memory, which each launch gives
    hw_occupancy held;                 // this and what follows is set by hw_occupancy_hold
    unsigned limiters;                 // HW_LIMITED_BY_...: of what is used at all
    char limiter[32];                  // "regs", "warps+smem": what stands in the way of one block more
} hw_occupancy_row;

typedef struct hw_occupancy_list {
    const hw_gpu *gpu;
    const char *program;               // NULL: one launch, by its numbers
    int width;                         // characters that a table's lines fit; 0: any number
    bool has_smem;                     // dynamic shared memory was told
    char ptx_by[64];                   // compiler and version; "": not known
    bool block_is_best;                // no block was told: each kernel has the size that holds the most warps
    hw_occupancy_row *rows;
    size_t n_rows;
} hw_occupancy_list;

// Asks the model about a block of so many threads.
hw_occupancy hw_occupancy_ask(const hw_occupancy_list *list, const hw_occupancy_row *row, uint32_t block);

// Sets what is held, by the row's block and its shape, and what limits it.
void hw_occupancy_hold(const hw_occupancy_list *list, hw_occupancy_row *row);

// The kernel's name without result type and parameters, at most HW_OCCUPANCY_NAME - 1 bytes. Returns text.
enum { HW_OCCUPANCY_NAME = 96 };
const char *hw_occupancy_name(const hw_occupancy_row *row, char text[HW_OCCUPANCY_NAME]);

// Does the kernel use dynamic shared memory whose size was not told? It counts as 0.
bool hw_occupancy_lacks_smem(const hw_occupancy_list *list, const hw_occupancy_row *row);

// Why it cannot run at all; false when it can.
bool hw_occupancy_refusal(const hw_occupancy_list *list, const hw_occupancy_row *row, char *text, size_t text_bytes);

// Block sizes that do better: the most warps below `below` that some size holds, if they are more than the row's, else
// 0; the next size above `after` that holds exactly so many warps, 0: none.
uint32_t hw_occupancy_next_better(const hw_occupancy_list *list, const hw_occupancy_row *row, uint32_t below);
uint32_t hw_occupancy_next_block(const hw_occupancy_list *list, const hw_occupancy_row *row, uint32_t warps,
                                 uint32_t after);

// Returns false when memory ran out.
bool hw_occupancy_write(const hw_occupancy_list *list, hw_report_format format, bool colour, FILE *out);

// The three curves of NVIDIA's calculator for each row, one below the other. 0, or the exit status after a complaint.
enum { HW_OCCUPANCY_MOST_PLOTTED = 16 };
int hw_occupancy_draw(const hw_occupancy_list *list, const char *path);

#endif
