// What the commands that use a device share: opening it, and telling what went wrong.
#include <stdlib.h>

#include "base/status.h"
#include "cli.h"

int hw_cli_fail(hw_status status, const hw_diag *diag) {
    char text[sizeof *diag + 32];
    hw_cli_complain("%s", hw_diag_format(diag, text, sizeof text));
    switch (status) {
    case HW_COMPILE: return HW_EXIT_COMPILE;
    case HW_UNSUPPORTED: return HW_EXIT_UNSUPPORTED;
    case HW_FAULT:
    case HW_DEADLOCK: return HW_EXIT_FAULT;
    default: return HW_EXIT_USAGE;
    }
}

int hw_cli_open_device(const char *name, unsigned long long memory_limit, hw_device **device) {
    hw_diag diag = {0};
    char *cache = hw_cli_cache_folder();
    hw_device_options options = {.memory_limit_bytes = memory_limit, .cache_dir = cache ? cache : "",
                                 .search_path = getenv("PATH")};
    hw_status status = hw_device_open(name, &options, device, &diag);
    free(cache);
    return status ? hw_cli_fail(status, &diag) : 0;
}
