// The rules of advice, one function each; private to the module.
#ifndef HW_ADVICE_RULES_H
#define HW_ADVICE_RULES_H

#include "advice/advice.h"

// What a rule is asked about, and what it changes.
typedef struct hw_rule_case {
    const hw_gpu *gpu;
    const hw_report_launch *launch;
    uint64_t n_launches;             // of the kernel
    uint64_t n_in_row;               // of these, the most that follow each other, each with work of its own; 0: none do
    hw_time_work *work;              // the launch's own, to be changed
    char *finding;                   // finding_bytes for the clause
    size_t finding_bytes;
} hw_rule_case;

// False: the launch has no such problem, and nothing was changed.
typedef bool hw_rule_change(const hw_rule_case *c);

typedef struct hw_rule {
    const char *name;
    hw_rule_change *change;
    hw_column_id line;
    const char *remedy;
} hw_rule;
extern const hw_rule hw_rules[HW_ADVICE_RULES];

#endif
