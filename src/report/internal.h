// What the report formats share; nobody else includes it.
#ifndef HW_REPORT_INTERNAL_H
#define HW_REPORT_INTERNAL_H

#include "report/columns.h"
#include "report/fields.h"
#include "report/report.h"
#include "report/text.h"

// The writers, one per format. A writer need not check out's error flag: hw_report_write does.
hw_status hw_report_write_table(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag);
hw_status hw_report_write_csv(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag);
hw_status hw_report_write_json(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag);

// The fields of a list that the report has, counters one by one: at most HW_REPORT_FIELDS, of lists of up to 40.
// Returns how many.
enum { HW_REPORT_FIELDS = 40 + HW_COUNTERS };
size_t hw_report_choose_fields(const hw_report *report, const hw_field *listed, size_t n_listed, hw_field *chosen);

// Who made the PTX of a kernel's launches; "" where it is not known.
const char *hw_report_ptx_by(const hw_report *report, const hw_report_kernel *kernel);

#endif
