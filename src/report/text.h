// Numbers and names as reports show them. All functions but one write a string, which is cut to out_bytes, and return
// out. Numbers have a '.' whatever the locale is.
#ifndef HW_REPORT_TEXT_H
#define HW_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HW_REPORT_NUMBER = 32 };   // bytes that a number takes at most

// A number that is not negative, with that many decimals; at most 9. Rounded as printf rounds: to the nearest, of two
// that are as near to the even one.
const char *hw_report_fixed(double value, int decimals, char *out, size_t out_bytes);
// The same without zeros at the end.
const char *hw_report_trimmed(double value, int decimals, char *out, size_t out_bytes);
// The number that hw_report_fixed writes.
double hw_report_rounded(double value, int decimals);
// printf's %g and %e: so many digits, so many decimals.
const char *hw_report_significant(double value, int digits, char *out, size_t out_bytes);
const char *hw_report_exponent(double value, int decimals, char *out, size_t out_bytes);

// Bytes as "512 B", "37.7 MB": powers of 1000.
const char *hw_report_bytes(uint64_t bytes, char *out, size_t out_bytes);
// As "12.3 kB", "8.4 MB", "1073.7 MB".
const char *hw_report_tenths(uint64_t bytes, char *out, size_t out_bytes);
// As "4 KiB", "256 MiB", and in bytes where neither goes in.
const char *hw_report_binary(uint64_t bytes, char *out, size_t out_bytes);
// As "80 GB", "320 MB", "768 KB": powers of 1024 under the names that products are sold by.
const char *hw_report_sold(uint64_t bytes, char *out, size_t out_bytes);
// Compute capability 90 as "9.0".
const char *hw_report_capability(int cc, char *out, size_t out_bytes);
// "32x8", "256", "8x8x4".
const char *hw_report_shape(const uint32_t shape[3], char *out, size_t out_bytes);

// A demangled name without result type and parameters: "transpose<32>".
const char *hw_report_short_name(const char *kernel, char *out, size_t out_bytes);
// A text of at most width characters, its start (or with keep_end its end) replaced by "..." where it is longer.
const char *hw_report_shorten(const char *text, size_t width, bool keep_end, char *out, size_t out_bytes);

#endif
