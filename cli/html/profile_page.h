// The page of a profile, of a check, or of both.
#ifndef HW_CLI_PROFILE_PAGE_H
#define HW_CLI_PROFILE_PAGE_H

#include "run/launch.h"

// Writes the page that launch->page names: of a profile's report, with advice, sources, device code, single accesses
// and the GPU's clock, unless that is NULL, and of what a check has found in the same run. Lines have to be counted. 0,
// or HW_EXIT_USAGE after a complaint.
int hw_cli_profile_page(const hw_cli_launch *launch, const hw_report *report);

#endif
