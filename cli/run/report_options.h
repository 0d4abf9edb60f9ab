// The options of a report, the same in each command that writes one: --format, -o, --plot.
#ifndef HW_CLI_REPORT_OPTIONS_H
#define HW_CLI_REPORT_OPTIONS_H

#include "options.h"
#include "report/report.h"

typedef struct hw_cli_report_words {
    hw_report_format format;
    const char *output, *plot;   // NULL: standard output; no picture
} hw_cli_report_words;

// Rows for a command's table of options. What it parses into begins with a hw_cli_report_words.
#define HW_CLI_REPORT_OPTIONS                                                                                          \
    {"--format", true, hw_cli_set_format}, {"-o", true, hw_cli_set_output}, {"--plot", true, hw_cli_set_plot}
bool hw_cli_set_format(void *words, const char *value);
bool hw_cli_set_output(void *words, const char *value);
bool hw_cli_set_plot(void *words, const char *value);

#endif
