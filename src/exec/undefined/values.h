// What is undefined of one lane's result, bit by bit: as far as some choice of the undefined bits of the sources could
// change it. Never less than that; of sums, products and comparisons at times more. Private to exec.
#ifndef HW_EXEC_UNDEFINED_VALUES_H
#define HW_EXEC_UNDEFINED_VALUES_H

#include "exec/undefined/operands.h"

// A lane's operands, extended by zeros to 64 bits, and which of their bits are undefined. A predicate is one bit.
typedef struct hw_undefined_lane {
    uint64_t a, b, c, x, p;
    uint64_t undefined_a, undefined_b, undefined_c, undefined_x, undefined_p;
} hw_undefined_lane;

// rule: below HW_RULE_VALUES. Of a comparison 1 or 0.
uint64_t hw_undefined_value(const hw_inst *in, const hw_undefined_facts *facts, const hw_undefined_lane *lane);

#endif
