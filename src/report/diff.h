// Two profiles beside each other: what of each kernel, and of each source line, has changed, and by how much.
#ifndef HW_REPORT_DIFF_H
#define HW_REPORT_DIFF_H

#include "report/columns.h"
#include "report/profile_file.h"

typedef enum hw_diff_verdict { HW_DIFF_CHANGED, HW_DIFF_BETTER, HW_DIFF_WORSE } hw_diff_verdict;

// One value of a kernel, or of one of its lines.
typedef struct hw_diff_row {
    const char *kernel;              // demangled, of the new profile where it has it
    const char *mangled;
    const hw_report_line *old_line, *new_line;   // both NULL: of the kernel; one NULL: the line is new, or gone
    const hw_column *column;         // NULL: the kernel is new (is_new), or gone
    bool is_new;
    hw_value before, after;
    double change_pct;               // of a number; HUGE_VAL where it was 0
    hw_diff_verdict verdict;         // that of a line says nothing of the kernel
} hw_diff_row;

typedef struct hw_diff {
    const hw_profile *before, *after;
    const hw_diff_row *rows;         // kernel by kernel, what costs most first; a kernel's own values, then its lines'
    size_t n_rows;
    double before_us, after_us;      // the estimated time of all launches
    size_t n_worse, n_better;        // kernels' own values
    size_t n_slower;                 // kernels whose estimated time is worse
} hw_diff;

typedef struct hw_diff_options {
    double least_pct;                // changes of less are none
    bool lines;                      // lines as well, where both profiles have them
} hw_diff_options;

// Kernels are the same by their mangled names, else where one name without parameters is left over on either side.
// Lines of a kernel are the same where their texts are, in their order, so that inserting a line moves none; those
// between are changed ones, and compared in their order. Without texts by number. Everything is in the arena, and
// points into the profiles. HW_NO_MEMORY. Deterministic. Cost: of lines the product of both numbers, file by file.
hw_status hw_diff_make(const hw_profile *before, const hw_profile *after, const hw_diff_options *options,
                       hw_arena *arena, hw_diff *out, hw_diag *diag);

// "new", "better", "worse", ...: the row in one word.
const char *hw_diff_word(const hw_diff_row *row);

#endif
