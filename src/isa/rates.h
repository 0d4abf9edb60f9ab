// What an instruction costs a multiprocessor: which of its pipes it goes through, and how fast that is.
#ifndef HW_ISA_RATES_H
#define HW_ISA_RATES_H

#include "isa/gpu.h"
#include "isa/isa.h"

typedef enum hw_rate {
    HW_RATE_F16, HW_RATE_F32, HW_RATE_F64, HW_RATE_SFU, HW_RATE_SFU2, HW_RATE_IADD, HW_RATE_IMUL, HW_RATE_MUL24,
    HW_RATE_SHIFT, HW_RATE_COMPARE, HW_RATE_LOGIC, HW_RATE_POPC, HW_RATE_SHFL, HW_RATE_CVT8, HW_RATE_CVT64, HW_RATE_CVT,
    HW_RATE_BARRIER, HW_RATE_MEMORY,
    HW_RATE_ISSUE,      // every instruction; those of branches and moves nothing else
    HW_RATE_TENSOR,     // products of matrices
    HW_RATES
} hw_rate;

// Which pipe, and how many instructions of it the hardware runs for one of PTX (a division, a 64-bit addition).
typedef struct hw_issue_cost {
    uint8_t rate;       // hw_rate
    uint8_t count;
} hw_issue_cost;

// types: of the instruction, in the order that PTX spells them (hw_ptx_inst.types). Pure.
hw_issue_cost hw_issue_cost_of(hw_op op, const hw_mods *mods, const hw_type types[2]);

// Operations on floating-point numbers, by what computes them.
typedef enum hw_flop { HW_FLOP_HALF, HW_FLOP_SINGLE, HW_FLOP_DOUBLE, HW_FLOP_TENSOR, HW_FLOPS } hw_flop;
typedef struct hw_flop_count {
    uint8_t flop;       // hw_flop
    uint16_t count;     // of one lane
} hw_flop_count;

// As profilers count them: additions, multiplications, divisions, roots and the other functions are one, a
// multiply-add two, of vectors for each element; comparisons, conversions, signs and extremes none. Of a product of
// matrices, whose shape mods say, the lane's share. Pure.
hw_flop_count hw_flops_of(hw_op op, const hw_mods *mods, const hw_type types[2]);

// Of all of the GPU's pipes in a second, in 10^9; 0: it has none, or their rate is not known (tensor cores).
double hw_peak_gflops(const hw_gpu *gpu, hw_flop flop);

// The same of a note, as a profiler sees it. A note of kind PLAIN has its cost in pipe and issues; that of the others
// follows from their kind, and of accesses from how ptxas merges them.
hw_issue_cost hw_issue_cost_of_note(const hw_note *note);

// Lanes per clock; 0: there is no such pipe, or its rate is not known.
uint32_t hw_rate_of(const hw_arch *arch, hw_rate rate);

#endif
