// A source file's lines, to show beside their counters.
#ifndef HW_REPORT_SOURCE_H
#define HW_REPORT_SOURCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct hw_source hw_source;

// NULL when the file is not there, is larger than 16 MiB, or there is no memory for it: a report does without.
hw_source *hw_source_open(const char *path);
void hw_source_close(hw_source *source);

// Line `number`, counted from 1, without the blanks around it and with control characters made harmless, cut to
// out_bytes. "" when there is none; source may be NULL. Returns out.
const char *hw_source_line(const hw_source *source, uint32_t number, char *out, size_t out_bytes);

#endif
