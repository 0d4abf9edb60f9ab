// The options of a report, the same in each command that writes one: --format, -o, --plot, --report.
#ifndef HW_CLI_REPORT_OPTIONS_H
#define HW_CLI_REPORT_OPTIONS_H

#include "options.h"
#include "output/text_output.h"
#include "report/report.h"

typedef struct hw_cli_report_words {
    hw_report_format format;
    const char *output, *plot;   // NULL: standard output; no picture
    const char *page;            // of --report; NULL: none
} hw_cli_report_words;

// Rows for a command's table of options. What it parses into begins with a hw_cli_report_words.
#define HW_CLI_REPORT_OPTIONS                                                                                          \
    {"--format", true, hw_cli_set_format}, {"-o", true, hw_cli_set_output}, {"--plot", true, hw_cli_set_plot},         \
    {"--report", true, hw_cli_set_page}
bool hw_cli_set_format(void *words, const char *value);
bool hw_cli_set_output(void *words, const char *value);
bool hw_cli_set_plot(void *words, const char *value);
bool hw_cli_set_page(void *words, const char *value);

// Writes the page of --report, whose data have under the name what `write` writes as JSON. As
// hw_cli_html_deliver.
int hw_cli_page_deliver(const char *path, const char *title, const char *name, hw_cli_text_writer *write,
                        const void *context);

#endif
