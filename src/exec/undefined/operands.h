// Which registers an instruction reads and writes, and how undefined bits go through it. Private to exec.
#ifndef HW_EXEC_UNDEFINED_OPERANDS_H
#define HW_EXEC_UNDEFINED_OPERANDS_H

#include "lower/program.h"

typedef enum hw_undefined_rule {
    HW_RULE_NONE,            // no operands that matter
    // of each lane by itself: values.c
    HW_RULE_ANY,             // any undefined bit makes all of the result, or of its part, undefined
    HW_RULE_MOVE, HW_RULE_RESIZE,
    HW_RULE_SELECT, HW_RULE_AND, HW_RULE_OR, HW_RULE_XOR, HW_RULE_NOT,
    HW_RULE_SHIFT_LEFT, HW_RULE_SHIFT_RIGHT, HW_RULE_FUNNEL, HW_RULE_LOP3, HW_RULE_PERMUTE,
    HW_RULE_EXTRACT, HW_RULE_INSERT, HW_RULE_REVERSE, HW_RULE_SUM, HW_RULE_DIFFERENCE,
    HW_RULE_PRODUCT, HW_RULE_COMPARE,
    HW_RULE_VALUES,          // those before it
    // of several registers, masks, or other lanes' values: lanes.c
    HW_RULE_DEFINE = HW_RULE_VALUES,    // the result is defined
    HW_RULE_CARRY, HW_RULE_PACK, HW_RULE_UNPACK,
    HW_RULE_PREDICATE_MOVE, HW_RULE_PREDICATE_AND, HW_RULE_PREDICATE_OR, HW_RULE_PREDICATE_XOR,
    HW_RULE_SHUFFLE, HW_RULE_VOTE, HW_RULE_BALLOT, HW_RULE_GATHER, HW_RULE_MMA,
    // of memory: accesses.c
    HW_RULE_LOAD, HW_RULE_STORE, HW_RULE_ATOMIC, HW_RULE_COPY_READ, HW_RULE_COPY_WRITE,
    HW_RULE_LOAD_MATRIX, HW_RULE_STORE_MATRIX, HW_RULE_TEXTURE, HW_RULE_MBARRIER,
    HW_RULE_LOAD_PARAM, HW_RULE_STORE_PARAM,
    // of control flow
    HW_RULE_BRANCH,          // p, or a, decides
    HW_RULE_CALL, HW_RULE_ALLOCA,
} hw_undefined_rule;

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
