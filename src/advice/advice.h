// What would make a program's kernels faster, by the estimate: each rule changes what a launch asks of the GPU to what
// it would ask for without a problem, and the model of time is asked again. Nothing is told that brings less than 3%.
//
// An estimate of a change is as good as the model (docs/accuracy.md), and each stands for itself: two together bring
// neither the sum nor the product.
#ifndef HW_ADVICE_ADVICE_H
#define HW_ADVICE_ADVICE_H

#include "report/columns.h"

typedef enum hw_advice_id {
#define HW_ADVICE(id, ...) HW_ADVICE_##id,
#include "advice/rules.def"
#undef HW_ADVICE
    HW_ADVICE_RULES
} hw_advice_id;

const char *hw_advice_name(hw_advice_id id);      // "bank-conflicts"
const char *hw_advice_remedy(hw_advice_id id);    // a sentence without a full stop

// Microseconds that the launch would take without what these rules are about, all of them together; its own time where
// it has nothing of it, or stopped early. Pure.
double hw_advice_without(const hw_gpu *gpu, const hw_report_launch *launch, const hw_advice_id *ids, size_t n);

// One thing to change in a kernel.
typedef struct hw_advice {
    hw_advice_id id;
    const hw_report_launch *launch;  // the kernel's that takes longest, of which the finding is
    uint64_t n_launches;             // of the kernel, that completed; times are of all of them
    const hw_report_line *line;      // where most of the problem lies; NULL: not known
    double before_us, after_us;
    char finding[200];               // a clause: "stores touch 32.0 sectors where 4.0 would do"
} hw_advice;

// By kernel, the most time first, and for a kernel what brings most first. To be freed with hw_free. Lines are known
// where the report has them by kernel. HW_NO_MEMORY. Deterministic. Cost: a call of the model for each rule and launch.
hw_status hw_advise(const hw_report *report, hw_advice **list, size_t *n, hw_diag *diag);

#endif
