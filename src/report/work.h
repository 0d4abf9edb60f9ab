// Copies and sets beside kernels, as the GPU's clock has timed them: each piece of work, and all of a kind as one row.
#ifndef HW_REPORT_WORK_H
#define HW_REPORT_WORK_H

#include "report/report.h"

// Copies or sets of one kind.
typedef struct hw_report_kind {
    hw_span first;                   // says which kind: direction, and the host's memory
    uint64_t calls, bytes;
    double us, min_us, max_us;
    double share_pct;                // of the time of all work, kernels too
} hw_report_kind;

// "copy to device", "copy from device", "copy within device", "set"; of a kernel "".
const char *hw_report_work_name(const hw_span *span);
// The host's memory of a copy: "pageable", "pinned", "registered"; "managed" where it is that; "" of others.
const char *hw_report_work_memory(const hw_span *span);

// A row for each kind, the most time first. To be freed with hw_free. HW_NO_MEMORY.
hw_status hw_report_kinds(const hw_report *report, hw_report_kind **kinds, size_t *n, hw_diag *diag);

// In each format: all work by its begin, or with `rows` a summary of the copies and sets. Nothing is written into a
// table where there is none. JSON: a member that begins with a comma.
hw_status hw_report_write_work_table(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag);
hw_status hw_report_write_work_csv(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag);
hw_status hw_report_write_work_json(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag);

#endif
