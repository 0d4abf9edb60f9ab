// A report as one page that opens anywhere, without a network: the data as JSON, and what draws them (report.js, D3).
#ifndef HW_CLI_HTML_H
#define HW_CLI_HTML_H

#include "run/launch.h"

// Was D3 there when the command was built?
bool hw_cli_html_is_there(void);

// Writes the page that launch->page names: of a profile's report, with advice and sources, unless that is NULL, and of
// what a check has found in the same run. Lines have to be counted. 0, or HW_EXIT_USAGE after a complaint.
int hw_cli_html_report(const hw_cli_launch *launch, const hw_report *report);

#endif
