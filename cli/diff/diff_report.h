// Two profiles' differences as a table, as Markdown and as JSON.
#ifndef HW_CLI_DIFF_REPORT_H
#define HW_CLI_DIFF_REPORT_H

#include "report/diff.h"

typedef enum hw_diff_format { HW_DIFF_TABLE, HW_DIFF_MARKDOWN, HW_DIFF_JSON, HW_DIFF_FORMATS } hw_diff_format;
extern const char *const hw_diff_format_names[HW_DIFF_FORMATS];

typedef struct hw_diff_look {
    const char *old_name, *new_name;     // the files
    double least_pct;
    bool colour;
    int width;
} hw_diff_look;

// False: out of memory.
bool hw_diff_write(const hw_diff *diff, hw_diff_format format, const hw_diff_look *look, FILE *out);

#endif
