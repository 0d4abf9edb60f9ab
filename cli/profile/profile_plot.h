// A profile as a picture: what took the GPU's time, in the order of its begins.
#ifndef HW_CLI_PROFILE_PLOT_H
#define HW_CLI_PROFILE_PLOT_H

#include "prof/prof.h"

// Three charts below each other, as the visual profiler of CUDA 2.x had them: the summary (shares of kernels, copies
// and sets), the height plot (how long each took) and the width plot (when each ran, by stream). 0, or HW_EXIT_USAGE
// after a complaint.
int hw_cli_profile_draw(const hw_report *report, const char *path);

#endif
