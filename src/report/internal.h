// What the report formats share; nobody else includes it.
#ifndef HW_REPORT_INTERNAL_H
#define HW_REPORT_INTERNAL_H

#include "report/report.h"
#include "report/summary.h"

// The writers, one per format. A writer need not check out's error flag: hw_report_write does.
hw_status hw_report_write_table(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag);
hw_status hw_report_write_csv(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag);
hw_status hw_report_write_json(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag);

// Who made the PTX of a kernel's launches; "" where it is not known.
const char *hw_report_ptx_by(const hw_report *report, const hw_report_kernel *kernel);

// text.c. All write a string that is cut to out_bytes and return out. Numbers have a '.' whatever the locale is.

enum { HW_REPORT_NUMBER = 32 };   // bytes that a number takes at most

// A number that is not negative, with that many decimals; at most 9.
const char *hw_report_fixed(double value, int decimals, char *out, size_t out_bytes);
// The same without zeros at the end.
const char *hw_report_trimmed(double value, int decimals, char *out, size_t out_bytes);
// Bytes as "512 B", "37.7 MB": powers of 1000.
const char *hw_report_bytes(uint64_t bytes, char *out, size_t out_bytes);
// "32x8", "256", "8x8x4".
const char *hw_report_shape(const uint32_t shape[3], char *out, size_t out_bytes);

#endif
