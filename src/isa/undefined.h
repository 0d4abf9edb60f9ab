// How undefined bits of an instruction's sources reach its result: the rules that ops.def names, and those of bodies
// that access memory or decide where lanes go. What each does is in exec/undefined, in the files named here.
#ifndef HW_ISA_UNDEFINED_H
#define HW_ISA_UNDEFINED_H

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
    // of bodies, whatever the opcode
    HW_RULE_BODIES,
    // memory: accesses.c
    HW_RULE_LOAD = HW_RULE_BODIES, HW_RULE_STORE, HW_RULE_ATOMIC, HW_RULE_COPY_READ, HW_RULE_COPY_WRITE,
    HW_RULE_LOAD_MATRIX, HW_RULE_STORE_MATRIX, HW_RULE_TEXTURE, HW_RULE_SURFACE, HW_RULE_MBARRIER, HW_RULE_BULK,
    HW_RULE_LOAD_PARAM, HW_RULE_STORE_PARAM,
    // control flow
    HW_RULE_BRANCH,          // p, or a, decides
    HW_RULE_CALL, HW_RULE_ALLOCA,
} hw_undefined_rule;

#endif
