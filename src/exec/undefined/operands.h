// Which registers an instruction reads and writes, and how undefined bits go through it. Private to exec.
#ifndef HW_EXEC_UNDEFINED_OPERANDS_H
#define HW_EXEC_UNDEFINED_OPERANDS_H

#include "isa/undefined.h"
#include "lower/program.h"

// How a comparison of integers goes.
typedef enum hw_undefined_order {
    HW_COMPARES_EQ, HW_COMPARES_NE, HW_COMPARES_LT, HW_COMPARES_LE, HW_COMPARES_GT, HW_COMPARES_GE
} hw_undefined_order;

// Widths in bytes of a lane; 0: a predicate. They hold where the instruction has that operand.
typedef struct hw_undefined_facts {
    hw_body body, convoy;         // what executes the instruction
    uint8_t rule;
    uint8_t d, a, b, c, x;        // x: of fourth
    uint8_t part_bytes;           // of ANY: the parts that do not touch each other
    uint8_t from_bits, to_bits;   // of RESIZE: what is taken, and what of that is kept
    bool is_signed;               // of RESIZE, SHIFT_RIGHT, EXTRACT, COMPARE
    bool has_fourth;              // the union is a source
    bool is_left, clamps;         // of FUNNEL
    uint8_t order;                // of COMPARE
    bool votes_any, votes_all;    // of VOTE
    bool reads_carry;             // of CARRY
    bool is_across;               // of matrices: transposed
} hw_undefined_facts;

// All but the bodies.
void hw_undefined_describe(const hw_inst *in, hw_body_id id, hw_undefined_facts *facts);

#endif
