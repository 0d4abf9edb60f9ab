// Findings that are known and not to be told, as a file names them: a kind, or *, and a pattern in each line.
#ifndef HW_CHECK_SUPPRESSION_H
#define HW_CHECK_SUPPRESSION_H

#include "base/status.h"
#include "check/finding.h"

typedef struct hw_check_suppression hw_check_suppression;
typedef struct hw_check_suppressions {
    hw_check_suppression *items;
    size_t n, capacity;
} hw_check_suppressions;

// The lines of a text, which need not end with a NUL. A line is KIND PATTERN, PATTERN as of fnmatch(3); # begins a
// comment. HW_MALFORMED, with the name as the file, for a line that is none; HW_NO_MEMORY. Free either way.
hw_status hw_check_suppressions_parse(const char *text, size_t bytes, const char *name, hw_check_suppressions *out,
                                      hw_diag *diag);
void hw_check_suppressions_free(hw_check_suppressions *suppressions);

// Is a finding of this kind named, by a place of its ("file.cu:12", of a path the end will do) or by a kernel as people
// write it? Either may be NULL.
bool hw_check_suppresses(const hw_check_suppressions *suppressions, hw_check_kind kind, const char *place,
                         const char *kernel);

#endif
