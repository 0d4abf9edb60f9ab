// Axes as NumPy counts them.
#include "arrays/axes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cli.h"
#include "io/npy.h"

// One number of the list at *text, which is moved behind it. False: there is none.
static bool take_axis(const char **text, long *axis) {
    char *end;
    errno = 0;
    if (**text == ' ' || **text == '\t') return false;
    *axis = strtol(*text, &end, 10);
    if (end == *text || errno) return false;
    *text = end;
    return true;
}

int hw_cli_parse_axes(const char *option, const char *text, int rank, int *axes, int *count) {
    const char *at = text;
    bool used[HW_NPY_MAX_RANK] = {false};
    *count = 0;
    while (*at) {
        long axis;
        bool good = take_axis(&at, &axis);
        if (good && *at == ',' && at[1]) at++;
        else good = good && !*at;
        if (!good) {
            hw_cli_complain("%s takes numbers with commas between them, such as 2,0,1, and got '%s'", option, text);
            return HW_EXIT_USAGE;
        }
        if (axis < -rank || axis >= rank) {
            hw_cli_complain("%s %s: there is no axis %ld, as the array has %d", option, text, axis, rank);
            return HW_EXIT_USAGE;
        }
        if (axis < 0) axis += rank;
        if (used[axis]) {
            hw_cli_complain("%s %s: axis %ld is there twice", option, text, axis);
            return HW_EXIT_USAGE;
        }
        used[axis] = true;
        axes[(*count)++] = (int)axis;
    }
    return 0;
}
