#include "run/plan_options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "output/whole_file.h"
#include "picture/picture.h"

static bool is_milliseconds(const char *option, const char *value) {
    const double most = 1e12;
    char *end = NULL;
    const double ms = isdigit((unsigned char)*value) ? strtod(value, &end) : -1;
    if (end && !*end && ms >= 0 && ms <= most) return true;
    hw_cli_complain("%s takes a number of milliseconds, and got '%s'", option, value);
    return false;
}

bool hw_cli_set_cpu_ms(hw_cli_launch *launch, const char *value) {
    launch->cpu_ms = value;
    return is_milliseconds("--cpu-ms", value);
}

bool hw_cli_set_own_ms(hw_cli_launch *launch, const char *value) {
    launch->own_ms = value;
    return is_milliseconds("--own-ms", value);
}

bool hw_cli_set_profile_plot(hw_cli_launch *launch, const char *value) {
    launch->plot = value;
    return !hw_cli_picture_check(value) && !hw_cli_try_file(value);
}

bool hw_cli_set_plan_format(const char *value) {
    if (!strcmp(value, "text") || !strcmp(value, "json")) return true;
    hw_cli_complain("--format is text or json, and not '%s'", value);
    return false;
}
