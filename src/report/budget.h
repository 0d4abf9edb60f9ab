// Budgets: conditions that no launch of a program may fulfil, from the command line or from a file.
//
// The file is TOML, of which it needs, and takes, no more than comments, tables and strings:
//
//   # of every kernel
//   fail-if = "spill_bytes > 0"
//
//   [tiles]                       # the name in reports
//   fail-if = [
//       'kernel =~ /tile/ and bank_passes > 1.1',
//       'kernel =~ /tile/ and est_us > 20',
//   ]
//
// What else is TOML is refused by name. It is read here since no TOML library for C is packaged by Debian (those there
// are for C++).
#ifndef HW_REPORT_BUDGET_H
#define HW_REPORT_BUDGET_H

#include "report/condition.h"

typedef struct hw_budget {
    char *name;                      // of its table; "": none
    char *file;                      // "": the command line
    int line;
    hw_condition *condition;
} hw_budget;

typedef struct hw_budgets {
    hw_budget *items;
    size_t n, capacity;
} hw_budgets;

// Adds one; adds those of a file's text. HW_MALFORMED, with file and line where there is one; HW_NO_MEMORY. What was
// added before stays. Names are copied. name: the file's.
hw_status hw_budgets_add(hw_budgets *budgets, const char *condition, hw_diag *diag);
hw_status hw_budgets_parse(hw_budgets *budgets, const char *text, size_t bytes, const char *name, hw_diag *diag);
void hw_budgets_free(hw_budgets *budgets);

// A budget and a kernel: whether any of its launches broke it.
typedef struct hw_budget_verdict {
    const hw_budget *budget;
    const hw_report_launch *launch;  // the first that broke it; where none has, the kernel's first
    uint64_t n_broken, n_launches;
    const hw_report_line *line;      // that has most of it; NULL: not known
    double line_pct;                 // of the kernel's, percent
} hw_budget_verdict;

// One for each budget and kernel (by mangled name), in the order of budgets, then of launches. To be freed with
// hw_free. Lines are known where the report has them by kernel. HW_NO_MEMORY. Deterministic.
hw_status hw_budgets_check(const hw_budgets *budgets, const hw_report *report, hw_budget_verdict **verdicts, size_t *n,
                           hw_diag *diag);

// "launch 1 of transpose_tiled broke the budget 'bank_passes > 1.1': bank_passes is 16.5 and the limit 1.1;
// transpose.cu:37 has 100% of it": of one that is broken. Returns out.
const char *hw_budget_sentence(const hw_budget_verdict *verdict, char *out, size_t bytes);

#endif
